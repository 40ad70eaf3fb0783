-- Plain values over time: the files and answers that they were read from, the signals in these, and their points.
CREATE TABLE value_imports (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    evidence BIGINT NOT NULL,
    file_name TEXT NOT NULL,
    sha256 TEXT NOT NULL CHECK (LENGTH(sha256) = 64),
    options TEXT NOT NULL,
    -- What a Prometheus server was asked, and what it warned of; null for a file.
    prometheus TEXT,
    object_key TEXT NOT NULL,
    imported_at BIGINT NOT NULL,
    report TEXT NOT NULL,
    UNIQUE (incident_id, sha256),
    FOREIGN KEY (incident_id, evidence) REFERENCES evidence (incident_id, number) ON DELETE CASCADE
);
CREATE INDEX value_imports_by_object ON value_imports (object_key);

CREATE TABLE value_signals (
    id TEXT NOT NULL PRIMARY KEY,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    import_id TEXT NOT NULL REFERENCES value_imports (id) ON DELETE CASCADE,
    -- Which of the file's signals it is.
    position BIGINT NOT NULL CHECK (position >= 0),
    title TEXT NOT NULL,
    unit TEXT NOT NULL,
    labels TEXT NOT NULL,
    span_from BIGINT,
    span_until BIGINT,
    points BIGINT NOT NULL CHECK (points >= 0),
    gaps BIGINT NOT NULL CHECK (gaps >= 0),
    UNIQUE (import_id, position)
);
CREATE INDEX value_signals_of_incident ON value_signals (incident_id);

-- Points, some thousand to a row: instants as whole numbers of 64 bits, then values as binary fractions of 64 bits, each
-- with its lowest byte first. No value is one that is not a number.
CREATE TABLE value_chunks (
    signal_id TEXT NOT NULL REFERENCES value_signals (id) ON DELETE CASCADE,
    first_at BIGINT NOT NULL,
    points BYTEA NOT NULL,
    PRIMARY KEY (signal_id, first_at)
);
