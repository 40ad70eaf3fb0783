-- The incident with all that belongs to it. Times are milliseconds since 1970 in UTC; lists are JSON in TEXT.
CREATE TABLE counters (
    name TEXT NOT NULL PRIMARY KEY,
    value BIGINT NOT NULL CHECK (value >= 0)
);
INSERT INTO counters (name, value) VALUES ('incident', 0);

CREATE TABLE incidents (
    id TEXT NOT NULL PRIMARY KEY,
    number BIGINT NOT NULL UNIQUE CHECK (number > 0),
    version BIGINT NOT NULL CHECK (version > 0),
    title TEXT NOT NULL,
    summary TEXT NOT NULL,
    key_points TEXT NOT NULL,
    severity TEXT CHECK (severity IN ('sev1', 'sev2', 'sev3', 'sev4', 'sev5')),
    status TEXT NOT NULL CHECK (status IN ('investigating', 'identified', 'monitoring', 'resolved')),
    review_state TEXT NOT NULL CHECK (review_state IN ('draft', 'in_review', 'published')),
    started_at BIGINT,
    ended_at BIGINT,
    home_zone TEXT NOT NULL,
    services TEXT NOT NULL,
    tags TEXT NOT NULL,
    alert_threshold DOUBLE PRECISION,
    recovered_threshold DOUBLE PRECISION,
    root_cause TEXT NOT NULL,
    follow_up TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    -- Title, plain summary and short name in lower case, since SQLite folds ASCII alone.
    search_text TEXT NOT NULL,
    -- Incidents whose start is unknown come first in the list.
    sort_at BIGINT GENERATED ALWAYS AS (COALESCE(started_at, 9223372036854775807)) STORED
);
CREATE INDEX incidents_listed ON incidents (sort_at DESC, number DESC);

CREATE TABLE impact_measures (
    id TEXT NOT NULL PRIMARY KEY,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    label TEXT NOT NULL,
    result TEXT NOT NULL,
    quantity DOUBLE PRECISION,
    unit TEXT,
    confidence TEXT NOT NULL CHECK (confidence IN ('confirmed', 'estimated', 'observed', 'disputed', 'unknown')),
    basis TEXT,
    evidence TEXT NOT NULL,
    UNIQUE (incident_id, position)
);

CREATE TABLE timeline_entries (
    id TEXT NOT NULL PRIMARY KEY,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    occurred_at BIGINT,
    occurred_until BIGINT,
    recorded_at BIGINT NOT NULL,
    written_time TEXT NOT NULL,
    event TEXT NOT NULL,
    decision TEXT,
    milestone TEXT CHECK (milestone IN ('impact_started', 'detected', 'declared', 'mitigated', 'resolved')),
    evidence TEXT NOT NULL,
    UNIQUE (incident_id, position)
);

CREATE TABLE evidence (
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    number BIGINT NOT NULL CHECK (number > 0),
    title TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('log', 'events', 'metric', 'ledger', 'document', 'load_test', 'link')),
    link TEXT,
    captured_at BIGINT,
    PRIMARY KEY (incident_id, number)
);

CREATE TABLE actions (
    id TEXT NOT NULL PRIMARY KEY,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    version BIGINT NOT NULL CHECK (version > 0),
    change TEXT NOT NULL,
    owner TEXT NOT NULL,
    assignee TEXT,
    kind TEXT CHECK (kind IN ('prevent', 'mitigate', 'detect', 'process')),
    priority TEXT CHECK (priority IN ('high', 'medium', 'low')),
    due TEXT,
    criterion TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('open', 'in_progress', 'blocked', 'to_verify', 'verified', 'wont_do')),
    reason TEXT,
    evidence TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (incident_id, position)
);
CREATE INDEX actions_counted ON actions (incident_id, status);

CREATE TABLE action_notes (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    action_id TEXT NOT NULL REFERENCES actions (id) ON DELETE CASCADE,
    author TEXT NOT NULL,
    text TEXT NOT NULL,
    recorded_at BIGINT NOT NULL,
    idempotency_key TEXT,
    UNIQUE (action_id, idempotency_key)
);
CREATE INDEX action_notes_read ON action_notes (action_id, seq);

CREATE TABLE imports (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('postmortem', 'events', 'flags')),
    file_name TEXT NOT NULL,
    sha256 TEXT NOT NULL CHECK (LENGTH(sha256) = 64),
    options TEXT NOT NULL,
    object_key TEXT NOT NULL,
    imported_at BIGINT NOT NULL,
    report TEXT NOT NULL,
    diagnostics TEXT NOT NULL,
    UNIQUE (incident_id, kind, sha256, options)
);
CREATE UNIQUE INDEX imports_one_incident ON imports (sha256, options) WHERE kind = 'postmortem';

CREATE TABLE flag_changes (
    id TEXT NOT NULL PRIMARY KEY,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    flag TEXT NOT NULL,
    state TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    effective_at BIGINT,
    changed_by TEXT,
    comment TEXT,
    UNIQUE (incident_id, flag, changed_at, state)
);

CREATE TABLE signals (
    id TEXT NOT NULL PRIMARY KEY,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('checkout_attempts')),
    title TEXT NOT NULL,
    numerator_unit TEXT NOT NULL,
    denominator_unit TEXT NOT NULL,
    bin_seconds BIGINT NOT NULL CHECK (bin_seconds > 0),
    floor BIGINT NOT NULL CHECK (floor >= 0),
    total_numerator BIGINT NOT NULL CHECK (total_numerator >= 0),
    total_denominator BIGINT NOT NULL CHECK (total_denominator >= 0),
    span_from BIGINT,
    span_until BIGINT,
    UNIQUE (incident_id, kind)
);

CREATE TABLE signal_bins (
    signal_id TEXT NOT NULL REFERENCES signals (id) ON DELETE CASCADE,
    at BIGINT NOT NULL,
    numerator BIGINT NOT NULL CHECK (numerator >= 0),
    denominator BIGINT NOT NULL CHECK (denominator > 0),
    PRIMARY KEY (signal_id, at)
);

CREATE TABLE changes (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    subject TEXT NOT NULL CHECK (subject IN ('incident', 'action', 'note', 'signal', 'flags')),
    subject_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    before TEXT,
    after TEXT
);
CREATE INDEX changes_of_incident ON changes (incident_id, seq);
CREATE INDEX changes_of_subject ON changes (subject_id, seq);
