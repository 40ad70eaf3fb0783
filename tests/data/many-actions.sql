-- 5,000 incidents with 100,000 action items, 50 people and 20 teams, for tests of size. SQL that SQLite and PostgreSQL share.
-- Items are spread by a multiplier that shares no factor with what is divided by, so that it looks like chance and is none.
INSERT INTO users (id, version, name, role, support, created_at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
SELECT 'usr_many' || CAST(i AS TEXT), 1, 'Person ' || CAST(i AS TEXT), 'member', 0, 1700000000000 FROM n;

INSERT INTO teams (id, version, name, key, created_at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
SELECT 'team_many' || CAST(i AS TEXT), 1, 'Team ' || CAST(i AS TEXT), 'team ' || CAST(i AS TEXT), 1700000000000 FROM n;

INSERT INTO team_members (team_id, user_id)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
SELECT 'team_many' || CAST(1 + i % 20 AS TEXT), 'usr_many' || CAST(i AS TEXT) FROM n;

-- Every 250th incident is restricted; they are told in four zones.
INSERT INTO incidents (id, number, version, title, summary, key_points, severity, status, review_state, started_at, ended_at,
    home_zone, services, tags, root_cause, follow_up, created_at, updated_at, search_text, visibility)
WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
SELECT 'inc_many' || CAST(i AS TEXT), 100000 + i, 1, 'Outage ' || CAST(i AS TEXT), 'Requests failed.', '[]', 'sev3',
    'resolved', 'draft', 1700000000000 + i * 3600000, 1700000000000 + i * 3600000 + 1860000,
    CASE i % 4 WHEN 0 THEN 'UTC' WHEN 1 THEN 'Europe/Zurich' WHEN 2 THEN 'America/New_York' ELSE '+12:00' END, '[]', '[]',
    '', '', 1700000000000, 1700000000000, 'outage ' || CAST(i AS TEXT) || ' requests failed. inc-' || CAST(100000 + i AS TEXT),
    CASE WHEN i % 250 = 0 THEN 'restricted' ELSE 'open' END
FROM n;

INSERT INTO actions (id, incident_id, incident_number, position, version, change, owner, owner_key, assignee, assignee_id,
    assignee_key, kind, priority, due, criterion, status, reason, evidence, created_at, updated_at, active_at, due_moves,
    reopenings, search_text)
WITH RECURSIVE n (i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 99999),
spread (i, r, s) AS (SELECT i, i * 7919 % 100003, i * 104729 % 99991 FROM n),
item (i, r, s, incident, team, person, status) AS (
    SELECT i, r, s, 1 + i / 20, CASE WHEN r % 17 = 0 THEN 0 ELSE 1 + s % 20 END, CASE WHEN r % 3 = 0 THEN 1 + s % 50 ELSE 0 END,
        CASE WHEN r % 100 < 25 THEN 'open' WHEN r % 100 < 35 THEN 'in_progress' WHEN r % 100 < 38 THEN 'blocked'
            WHEN r % 100 < 42 THEN 'to_verify' WHEN r % 100 < 85 THEN 'verified' ELSE 'wont_do' END
    FROM spread)
SELECT 'act_many' || CAST(100000 + r AS TEXT) || 'x' || CAST(i AS TEXT), 'inc_many' || CAST(incident AS TEXT),
    100000 + incident, i % 20, 1, 'Change number ' || CAST(i AS TEXT),
    CASE team WHEN 0 THEN '' ELSE 'Team ' || CAST(team AS TEXT) END,
    CASE team WHEN 0 THEN '' ELSE 'team ' || CAST(team AS TEXT) END,
    CASE person WHEN 0 THEN NULL ELSE 'Person ' || CAST(person AS TEXT) END,
    CASE person WHEN 0 THEN NULL ELSE 'usr_many' || CAST(person AS TEXT) END,
    CASE person WHEN 0 THEN '' ELSE 'person ' || CAST(person AS TEXT) END,
    CASE s % 5 WHEN 0 THEN 'prevent' WHEN 1 THEN 'mitigate' WHEN 2 THEN 'detect' WHEN 3 THEN 'process' END,
    CASE s % 7 WHEN 0 THEN 'high' WHEN 1 THEN 'medium' WHEN 2 THEN 'medium' WHEN 3 THEN 'low' END,
    CASE WHEN r % 11 = 0 THEN NULL ELSE CAST(2025 + r % 3 AS TEXT) || '-' || SUBSTR(CAST(101 + s % 12 AS TEXT), 2, 2) || '-'
        || SUBSTR(CAST(101 + r % 28 AS TEXT), 2, 2) END,
    'Load test ' || CAST(s AS TEXT) || ' holds', status,
    CASE WHEN status IN ('blocked', 'wont_do') THEN 'for a reason' END, '[]', 1700000000000,
    1700000000000 + r * 800000, 1700000000000 + r * 800000, CASE WHEN r % 9 = 0 THEN 2 ELSE 0 END,
    CASE WHEN s % 23 = 0 THEN 1 ELSE 0 END,
    'change number ' || CAST(i AS TEXT) || ' team ' || CAST(team AS TEXT) || ' person ' || CAST(person AS TEXT)
        || ' load test ' || CAST(s AS TEXT) || ' holds'
FROM item;
