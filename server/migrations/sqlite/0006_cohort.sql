-- Claims, the cohort, and the message to it. Customers' ids stand in the two tables named after customers and contacts,
-- and in the files as they came, and nowhere else.
CREATE TABLE claims (
    seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    version INTEGER NOT NULL CHECK (version > 0),
    target TEXT NOT NULL,
    computation TEXT NOT NULL,
    -- What was found, and a digest of what it was computed from; null until then. Both can be computed again.
    basis TEXT,
    found TEXT,
    UNIQUE (incident_id, target)
) STRICT;

-- A cohort as it was computed last, and a digest of what from. It can be computed again.
CREATE TABLE cohorts (
    incident_id TEXT NOT NULL PRIMARY KEY REFERENCES incidents (id) ON DELETE CASCADE,
    basis TEXT NOT NULL,
    window_from INTEGER NOT NULL,
    window_until INTEGER NOT NULL,
    log_ends_at INTEGER NOT NULL,
    -- When the last of the cohort could still have bought; null where nobody is in it.
    settles_at INTEGER,
    computed_at INTEGER NOT NULL
) STRICT;

CREATE TABLE cohort_customers (
    incident_id TEXT NOT NULL REFERENCES cohorts (incident_id) ON DELETE CASCADE,
    customer TEXT NOT NULL,
    -- Counts them in the order of their ids: a page's cursor, which an id may not be.
    position INTEGER NOT NULL,
    standing TEXT NOT NULL CHECK (standing IN ('recovered', 'bought', 'cohort', 'unaffected')),
    last_at INTEGER,
    bought_at INTEGER,
    -- What the latest computation that moved anybody did to this one.
    moved TEXT CHECK (moved IN ('joined', 'left')),
    PRIMARY KEY (incident_id, customer)
) STRICT;
CREATE INDEX cohort_customers_listed ON cohort_customers (incident_id, position);

-- Who has been written to. It stays, whatever the cohort becomes.
CREATE TABLE cohort_contacts (
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    customer TEXT NOT NULL,
    contacted_at INTEGER NOT NULL,
    contacted_by TEXT NOT NULL,
    PRIMARY KEY (incident_id, customer)
) STRICT;

CREATE TABLE cohort_messages (
    incident_id TEXT NOT NULL PRIMARY KEY REFERENCES incidents (id) ON DELETE CASCADE,
    version INTEGER NOT NULL CHECK (version > 0),
    text TEXT NOT NULL
) STRICT;

-- More kinds of thing have a history than before, and which they are is the program's to say. SQLite cannot change a CHECK
-- in place.
CREATE TABLE changes_wider (
    seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    subject TEXT NOT NULL CHECK (subject <> ''),
    subject_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    before TEXT,
    after TEXT
) STRICT;
INSERT INTO changes_wider SELECT seq, incident_id, subject, subject_id, at, actor, before, after FROM changes;
DROP TABLE changes;
ALTER TABLE changes_wider RENAME TO changes;
CREATE INDEX changes_of_incident ON changes (incident_id, seq);
CREATE INDEX changes_of_subject ON changes (subject_id, seq);
