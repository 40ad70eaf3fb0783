-- Claims, the cohort, and the message to it. Customers' ids stand in the two tables named after customers and contacts,
-- and in the files as they came, and nowhere else.
CREATE TABLE claims (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    version BIGINT NOT NULL CHECK (version > 0),
    target TEXT NOT NULL,
    computation TEXT NOT NULL,
    -- What was found, and a digest of what it was computed from; null until then. Both can be computed again.
    basis TEXT,
    found TEXT,
    UNIQUE (incident_id, target)
);

-- A cohort as it was computed last, and a digest of what from. It can be computed again.
CREATE TABLE cohorts (
    incident_id TEXT NOT NULL PRIMARY KEY REFERENCES incidents (id) ON DELETE CASCADE,
    basis TEXT NOT NULL,
    window_from BIGINT NOT NULL,
    window_until BIGINT NOT NULL,
    log_ends_at BIGINT NOT NULL,
    -- When the last of the cohort could still have bought; null where nobody is in it.
    settles_at BIGINT,
    computed_at BIGINT NOT NULL
);

CREATE TABLE cohort_customers (
    incident_id TEXT NOT NULL REFERENCES cohorts (incident_id) ON DELETE CASCADE,
    customer TEXT NOT NULL,
    -- Counts them in the order of their ids: a page's cursor, which an id may not be.
    position BIGINT NOT NULL,
    standing TEXT NOT NULL CHECK (standing IN ('recovered', 'bought', 'cohort', 'unaffected')),
    last_at BIGINT,
    bought_at BIGINT,
    -- What the latest computation that moved anybody did to this one.
    moved TEXT CHECK (moved IN ('joined', 'left')),
    PRIMARY KEY (incident_id, customer)
);
CREATE INDEX cohort_customers_listed ON cohort_customers (incident_id, position);

-- Who has been written to. It stays, whatever the cohort becomes.
CREATE TABLE cohort_contacts (
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    customer TEXT NOT NULL,
    contacted_at BIGINT NOT NULL,
    contacted_by TEXT NOT NULL,
    PRIMARY KEY (incident_id, customer)
);

CREATE TABLE cohort_messages (
    incident_id TEXT NOT NULL PRIMARY KEY REFERENCES incidents (id) ON DELETE CASCADE,
    version BIGINT NOT NULL CHECK (version > 0),
    text TEXT NOT NULL
);

-- More kinds of thing have a history than before, and which they are is the program's to say.
ALTER TABLE changes DROP CONSTRAINT changes_subject_check;
ALTER TABLE changes ADD CONSTRAINT changes_subject_check CHECK (subject <> '');
