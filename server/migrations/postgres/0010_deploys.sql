-- Which version of a service went live when. Environment is empty where the source names none, rather than null, which would
-- make no two deploys the same.
CREATE TABLE deploys (
    id TEXT NOT NULL PRIMARY KEY,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    at BIGINT NOT NULL,
    service TEXT NOT NULL,
    version TEXT NOT NULL,
    environment TEXT NOT NULL,
    deployed_by TEXT,
    link TEXT,
    UNIQUE (incident_id, at, service, version, environment)
);

-- What an import holds is one of the program's words, which grow in number.
ALTER TABLE imports DROP CONSTRAINT imports_kind_check;
ALTER TABLE imports ADD CONSTRAINT imports_kind_check CHECK (kind <> '');
