-- The tracker across incidents: what its lists are sorted and found by.
-- The assignee as it is compared; empty where nobody is in charge.
ALTER TABLE actions ADD COLUMN assignee_key TEXT NOT NULL DEFAULT '';
-- The incident's number, which never changes.
ALTER TABLE actions ADD COLUMN incident_number INTEGER NOT NULL DEFAULT 0;
UPDATE actions SET incident_number = (SELECT number FROM incidents WHERE id = actions.incident_id);
-- Change, owner, assignee and criterion in lower case. Null until the program has filled it in, with the two keys, since
-- SQLite folds ASCII alone.
ALTER TABLE actions ADD COLUMN search_text TEXT;
CREATE INDEX actions_unfolded ON actions (id) WHERE search_text IS NULL;

-- Undated items come last.
ALTER TABLE actions ADD COLUMN due_key TEXT GENERATED ALWAYS AS (COALESCE(due, '9999-99-99')) VIRTUAL;
ALTER TABLE actions ADD COLUMN closed INTEGER
    GENERATED ALWAYS AS (CASE WHEN status IN ('verified', 'wont_do') THEN 1 ELSE 0 END) VIRTUAL;
ALTER TABLE actions ADD COLUMN priority_rank INTEGER
    GENERATED ALWAYS AS (CASE priority WHEN 'high' THEN 1 WHEN 'medium' THEN 2 WHEN 'low' THEN 3 ELSE 4 END) VIRTUAL;

-- A list is merged from one walk for each status, person or team; each walk has its order from an index.
CREATE INDEX actions_by_due ON actions (status, due_key, id);
CREATE INDEX actions_by_owner ON actions (status, owner_key, due_key, id);
CREATE INDEX actions_by_activity ON actions (status, active_at, id);
CREATE INDEX actions_by_priority ON actions (status, priority_rank, due_key, id);
CREATE INDEX actions_by_incident ON actions (status, incident_number, position);
DROP INDEX actions_of_assignee;
DROP INDEX actions_of_owner;
CREATE INDEX actions_of_person ON actions (assignee_id, closed, due_key, id);
CREATE INDEX actions_of_name ON actions (assignee_key, closed, due_key, id);
CREATE INDEX actions_of_team ON actions (owner_key, closed, due_key, id);
-- All that the counts look at.
CREATE INDEX actions_tallied ON actions
    (status, due_key, incident_id, active_at, owner_key, assignee_id, assignee_key, priority, kind);
CREATE INDEX incidents_restricted ON incidents (id) WHERE visibility = 'restricted';
CREATE INDEX incidents_zones ON incidents (home_zone);
