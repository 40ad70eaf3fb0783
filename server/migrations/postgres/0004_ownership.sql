-- Whoever owned an item once: as its assignee, or as a member of the team that owned it. None of them can attest it. Written when
-- an ownership ends: whoever owns an item now is found where that is said.
CREATE TABLE former_owners (
    action_id TEXT NOT NULL REFERENCES actions (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (action_id, user_id)
);
-- As far as the history tells: assignees, and those who are by now in a team that owned the item.
INSERT INTO former_owners (action_id, user_id)
    SELECT DISTINCT a.id, u.id FROM changes c
        JOIN actions a ON a.id = c.subject_id
        JOIN users u ON u.id = c.before::json ->> 'assignee_id'
    WHERE c.subject = 'action' AND c.before IS NOT NULL
    ON CONFLICT DO NOTHING;
INSERT INTO former_owners (action_id, user_id)
    SELECT DISTINCT a.id, m.user_id FROM changes c
        JOIN actions a ON a.id = c.subject_id
        JOIN teams t ON t.key = LOWER(TRIM(c.before::json ->> 'owner'))
        JOIN team_members m ON m.team_id = t.id
    WHERE c.subject = 'action' AND c.before IS NOT NULL AND c.before::json ->> 'assignee' IS NULL
    ON CONFLICT DO NOTHING;

-- Every edit names the version that it was made on.
ALTER TABLE evidence ADD COLUMN version BIGINT NOT NULL DEFAULT 1 CHECK (version > 0);
-- Of who may see the incident; whatever else changes in it leaves this alone.
ALTER TABLE incidents ADD COLUMN access_version BIGINT NOT NULL DEFAULT 1 CHECK (access_version > 0);

-- Whoever changes what concerns several accounts at once takes a turn by counting up; so does whoever sweeps.
INSERT INTO counters (name, value) VALUES ('accounts', 0), ('sweeps', 0);
