-- Which version of a service went live when. Environment is empty where the source names none, rather than null, which would
-- make no two deploys the same.
CREATE TABLE deploys (
    id TEXT NOT NULL PRIMARY KEY,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    service TEXT NOT NULL,
    version TEXT NOT NULL,
    environment TEXT NOT NULL,
    deployed_by TEXT,
    link TEXT,
    UNIQUE (incident_id, at, service, version, environment)
) STRICT;

-- What an import holds is one of the program's words, which grow in number.
CREATE TABLE imports_wider (
    seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind <> ''),
    file_name TEXT NOT NULL,
    sha256 TEXT NOT NULL CHECK (LENGTH(sha256) = 64),
    options TEXT NOT NULL,
    object_key TEXT NOT NULL,
    imported_at INTEGER NOT NULL,
    report TEXT NOT NULL,
    diagnostics TEXT NOT NULL,
    UNIQUE (incident_id, kind, sha256, options)
) STRICT;
INSERT INTO imports_wider
    SELECT seq, id, incident_id, kind, file_name, sha256, options, object_key, imported_at, report, diagnostics FROM imports;
DROP TABLE imports;
ALTER TABLE imports_wider RENAME TO imports;
CREATE UNIQUE INDEX imports_one_incident ON imports (sha256, options) WHERE kind = 'postmortem';
