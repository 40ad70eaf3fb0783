-- Who is who: people, teams, how they sign in, and what is shared. Secrets are stored as SHA-256 digests in hexadecimal.
CREATE TABLE users (
    id TEXT NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL CHECK (version > 0),
    name TEXT NOT NULL,
    -- In lower case; null for an account that only links and identity providers lead to.
    email TEXT UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'member', 'editor', 'admin')),
    support BIGINT NOT NULL CHECK (support IN (0, 1)),
    password_hash TEXT,
    -- Issuer and subject at the identity provider, parted by a space.
    oidc_subject TEXT UNIQUE,
    disabled_at BIGINT,
    created_at BIGINT NOT NULL,
    last_seen_at BIGINT
);

CREATE TABLE teams (
    id TEXT NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL CHECK (version > 0),
    name TEXT NOT NULL,
    -- The name in lower case, white space folded: what an item's owner is compared with.
    key TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
);

CREATE TABLE team_members (
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (team_id, user_id)
);
CREATE INDEX team_members_of_user ON team_members (user_id);

CREATE TABLE sign_in_links (
    digest TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    expires_at BIGINT NOT NULL
);

CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    agent TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_of_user ON sessions (user_id);

CREATE TABLE tokens (
    id TEXT NOT NULL PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    -- Null for a service: a token made on the command line acts for nobody.
    user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'member', 'editor', 'admin')),
    support BIGINT NOT NULL CHECK (support IN (0, 1)),
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    expires_at BIGINT
);
CREATE INDEX tokens_of_user ON tokens (user_id);

-- A sign-in at the identity provider that is under way.
CREATE TABLE oidc_attempts (
    digest TEXT NOT NULL PRIMARY KEY,
    nonce TEXT NOT NULL,
    verifier TEXT NOT NULL,
    return_to TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);

-- Who may see an incident; 'restricted' is for those named here and for administrators.
ALTER TABLE incidents ADD COLUMN visibility TEXT NOT NULL DEFAULT 'open' CHECK (visibility IN ('open', 'restricted'));

CREATE TABLE incident_people (
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (incident_id, user_id)
);

CREATE TABLE incident_teams (
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    PRIMARY KEY (incident_id, team_id)
);

CREATE TABLE shares (
    id TEXT NOT NULL PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    -- With whom, in words.
    audience TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX shares_of_incident ON shares (incident_id);

-- The person in charge of an item, where that is an account; `assignee` is the name that is shown.
ALTER TABLE actions ADD COLUMN assignee_id TEXT REFERENCES users (id) ON DELETE SET NULL;
-- The owning team as it is compared with teams.key.
ALTER TABLE actions ADD COLUMN owner_key TEXT NOT NULL DEFAULT '';
UPDATE actions SET owner_key = LOWER(TRIM(owner));
ALTER TABLE actions ADD COLUMN link TEXT;
ALTER TABLE actions ADD COLUMN due_moves BIGINT NOT NULL DEFAULT 0 CHECK (due_moves >= 0);
ALTER TABLE actions ADD COLUMN reopenings BIGINT NOT NULL DEFAULT 0 CHECK (reopenings >= 0);
-- When somebody last changed the item or wrote a note.
ALTER TABLE actions ADD COLUMN active_at BIGINT NOT NULL DEFAULT 0;
UPDATE actions SET active_at = updated_at;
-- What the criterion asks for, as JSON; null until a person has confirmed it.
ALTER TABLE actions ADD COLUMN criterion_kind TEXT;
CREATE INDEX actions_of_assignee ON actions (assignee_id);
CREATE INDEX actions_of_owner ON actions (owner_key);

-- A piece of evidence that was removed keeps its number, since the text may cite it.
ALTER TABLE evidence ADD COLUMN removed_at BIGINT;

-- Accepted proofs. A withdrawn one stays, for the history.
CREATE TABLE verifications (
    id TEXT NOT NULL PRIMARY KEY,
    action_id TEXT NOT NULL REFERENCES actions (id) ON DELETE CASCADE,
    accepted_at BIGINT NOT NULL,
    accepted_by TEXT NOT NULL,
    -- Null for a service.
    user_id TEXT REFERENCES users (id) ON DELETE SET NULL,
    -- The whole record as JSON.
    record TEXT NOT NULL,
    evidence_number BIGINT,
    withdrawn_at BIGINT
);
CREATE INDEX verifications_of_action ON verifications (action_id);

-- What a load test's file said, beside its evidence entry.
CREATE TABLE load_tests (
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    sha256 TEXT NOT NULL CHECK (LENGTH(sha256) = 64),
    file_name TEXT NOT NULL,
    imported_at BIGINT NOT NULL,
    report TEXT NOT NULL,
    PRIMARY KEY (incident_id, number),
    UNIQUE (incident_id, sha256),
    FOREIGN KEY (incident_id, number) REFERENCES evidence (incident_id, number) ON DELETE CASCADE
);

-- What a request with an Idempotency-Key created.
CREATE TABLE idempotency_keys (
    actor TEXT NOT NULL,
    key TEXT NOT NULL,
    request TEXT NOT NULL,
    answer TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (actor, key)
);

-- History of what belongs to no incident: people, teams, tokens, settings.
CREATE TABLE account_changes (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subject TEXT NOT NULL CHECK (subject IN ('user', 'team', 'token', 'session')),
    subject_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    before TEXT,
    after TEXT
);
CREATE INDEX account_changes_of_subject ON account_changes (subject_id, seq);

-- More kinds of thing have a history than before.
ALTER TABLE changes DROP CONSTRAINT changes_subject_check;
ALTER TABLE changes ADD CONSTRAINT changes_subject_check
    CHECK (subject IN ('incident', 'action', 'note', 'signal', 'flags', 'evidence', 'verification', 'access', 'share'));
