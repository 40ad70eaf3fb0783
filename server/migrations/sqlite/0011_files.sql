-- Files that are evidence: what was seen of each, and under which key its bytes are kept.
CREATE TABLE evidence_files (
    incident_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    file_name TEXT NOT NULL,
    media TEXT NOT NULL CHECK (media <> ''),
    bytes INTEGER NOT NULL CHECK (bytes > 0),
    width INTEGER CHECK (width > 0),
    height INTEGER CHECK (height > 0),
    description TEXT,
    stripped INTEGER NOT NULL CHECK (stripped IN (0, 1)),
    sha256 TEXT NOT NULL CHECK (LENGTH(sha256) = 64),
    object_key TEXT NOT NULL,
    added_at INTEGER NOT NULL,
    PRIMARY KEY (incident_id, number),
    FOREIGN KEY (incident_id, number) REFERENCES evidence (incident_id, number) ON DELETE CASCADE
) STRICT;
CREATE INDEX evidence_files_by_object ON evidence_files (object_key);
CREATE INDEX imports_by_object ON imports (object_key);

-- Kept bytes that nothing named any more at that time; they are deleted a while later, unless something names them again.
CREATE TABLE forgotten_objects (
    object_key TEXT NOT NULL PRIMARY KEY,
    forgotten_at INTEGER NOT NULL
) STRICT;

-- A signal's bins are written little by little before there is the signal, so that nobody waits for a million of them; a set
-- without a signal is one that is being written, or was left over.
CREATE TABLE bin_sets (
    id TEXT NOT NULL PRIMARY KEY,
    begun_at INTEGER NOT NULL
) STRICT;
INSERT INTO bin_sets (id, begun_at) SELECT id, 0 FROM signals;
CREATE TABLE signal_bins_wider (
    signal_id TEXT NOT NULL REFERENCES bin_sets (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    numerator INTEGER NOT NULL CHECK (numerator >= 0),
    denominator INTEGER NOT NULL CHECK (denominator > 0),
    PRIMARY KEY (signal_id, at)
) STRICT, WITHOUT ROWID;
INSERT INTO signal_bins_wider SELECT signal_id, at, numerator, denominator FROM signal_bins;
DROP TABLE signal_bins;
ALTER TABLE signal_bins_wider RENAME TO signal_bins;
