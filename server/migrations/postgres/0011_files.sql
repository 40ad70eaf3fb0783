-- Files that are evidence: what was seen of each, and under which key its bytes are kept.
CREATE TABLE evidence_files (
    incident_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    file_name TEXT NOT NULL,
    media TEXT NOT NULL CHECK (media <> ''),
    bytes BIGINT NOT NULL CHECK (bytes > 0),
    width BIGINT CHECK (width > 0),
    height BIGINT CHECK (height > 0),
    description TEXT,
    stripped BIGINT NOT NULL CHECK (stripped IN (0, 1)),
    sha256 TEXT NOT NULL CHECK (LENGTH(sha256) = 64),
    object_key TEXT NOT NULL,
    added_at BIGINT NOT NULL,
    PRIMARY KEY (incident_id, number),
    FOREIGN KEY (incident_id, number) REFERENCES evidence (incident_id, number) ON DELETE CASCADE
);
CREATE INDEX evidence_files_by_object ON evidence_files (object_key);
CREATE INDEX imports_by_object ON imports (object_key);

-- Kept bytes that nothing named any more at that time; they are deleted a while later, unless something names them again.
CREATE TABLE forgotten_objects (
    object_key TEXT NOT NULL PRIMARY KEY,
    forgotten_at BIGINT NOT NULL
);

-- A signal's bins are written little by little before there is the signal, so that nobody waits for a million of them; a set
-- without a signal is one that is being written, or was left over.
CREATE TABLE bin_sets (
    id TEXT NOT NULL PRIMARY KEY,
    begun_at BIGINT NOT NULL
);
INSERT INTO bin_sets (id, begun_at) SELECT id, 0 FROM signals;
ALTER TABLE signal_bins DROP CONSTRAINT signal_bins_signal_id_fkey;
ALTER TABLE signal_bins ADD CONSTRAINT signal_bins_signal_id_fkey
    FOREIGN KEY (signal_id) REFERENCES bin_sets (id) ON DELETE CASCADE;
