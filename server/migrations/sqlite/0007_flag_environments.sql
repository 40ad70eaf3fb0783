-- A flag is switched in an environment; two environments may switch it at the same instant. Empty where none is known.
CREATE TABLE flag_changes_wider (
    id TEXT NOT NULL PRIMARY KEY,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    flag TEXT NOT NULL,
    environment TEXT NOT NULL,
    state TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    effective_at INTEGER,
    changed_by TEXT,
    comment TEXT,
    UNIQUE (incident_id, flag, environment, changed_at, state)
) STRICT;
INSERT INTO flag_changes_wider
    SELECT id, incident_id, flag, '', state, changed_at, effective_at, changed_by, comment FROM flag_changes;
DROP TABLE flag_changes;
ALTER TABLE flag_changes_wider RENAME TO flag_changes;
