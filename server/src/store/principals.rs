//! Who a session, a token or a share stands for: at most one indexed read for each request.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use domain::person::Role;
use domain::{IncidentId, SessionId, TokenId, UserId};

use super::column::{maybe_time, time, word};
use super::db::{db, statements};
use super::kept::Witness;
use super::{Store, StoreError};

/// Parts the names of teams in one column.
pub(super) const UNIT: &str = "\u{1f}";

/// When somebody was last here is written no oftener than this.
const SEEN_EVERY: TimeDelta = TimeDelta::minutes(5);

statements! {
    BY_SESSION = "SELECT u.id, u.name, u.email, u.role, u.support, s.id AS session_id, s.last_seen_at AS seen_at,
            s.expires_at, CAST(CASE WHEN u.password_hash IS NULL THEN 0 ELSE 1 END AS BIGINT) AS has_password,
            (SELECT string_agg(t.name, $3) FROM teams t JOIN team_members m ON m.team_id = t.id
                WHERE m.user_id = u.id) AS teams
        FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE s.digest = $1 AND s.expires_at > $2 AND u.disabled_at IS NULL";
    BY_TOKEN = "SELECT u.id, k.name AS token_name, u.name, u.email, u.role, u.support, k.role AS token_role,
            k.support AS token_support, k.id AS token_id, COALESCE(k.last_used_at, 0) AS seen_at,
            k.expires_at,
            (SELECT string_agg(t.name, $3) FROM teams t JOIN team_members m ON m.team_id = t.id
                WHERE m.user_id = u.id) AS teams
        FROM tokens k LEFT JOIN users u ON u.id = k.user_id
        WHERE k.digest = $1 AND (k.expires_at IS NULL OR k.expires_at > $2) AND u.disabled_at IS NULL";
    BY_SHARE = "SELECT s.incident_id, s.expires_at FROM shares s JOIN incidents i ON i.id = s.incident_id
        WHERE s.digest = $1 AND s.expires_at > $2 AND s.revoked_at IS NULL AND i.visibility = 'open'";
    SAW_SESSION = "UPDATE sessions SET last_seen_at = $2 WHERE id = $1";
    SAW_TOKEN = "UPDATE tokens SET last_used_at = $2 WHERE id = $1";
}

/// Somebody, as the database knows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownUser {
    /// The account.
    pub id: UserId,
    /// The name that is shown.
    pub name: String,
    /// The address that one signs in with.
    pub email: Option<String>,
    /// The account's role.
    pub role: Role,
    /// Whether the account may see customers.
    pub support: bool,
    /// The names of the teams.
    pub teams: Vec<String>,
}

/// A session that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSession {
    /// Whose.
    pub user: KnownUser,
    /// Which.
    pub id: SessionId,
    /// Whether a password is set.
    pub has_password: bool,
    /// When it ends by itself.
    pub until: DateTime<Utc>,
}

/// A token that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownToken {
    /// Which.
    pub id: TokenId,
    /// Whose; none for a service.
    pub user: Option<KnownUser>,
    /// The token's name.
    pub name: String,
    /// The most it may do.
    pub role: Role,
    /// Whether it may see customers.
    pub support: bool,
    /// When it ends by itself.
    pub until: Option<DateTime<Utc>>,
}

#[derive(sqlx::FromRow)]
struct SessionRow {
    id: String,
    name: String,
    email: Option<String>,
    role: String,
    support: i64,
    session_id: String,
    seen_at: i64,
    expires_at: i64,
    has_password: i64,
    teams: Option<String>,
}

#[derive(sqlx::FromRow)]
struct TokenRow {
    id: Option<String>,
    token_name: String,
    name: Option<String>,
    email: Option<String>,
    role: Option<String>,
    support: Option<i64>,
    token_role: String,
    token_support: i64,
    token_id: String,
    seen_at: i64,
    expires_at: Option<i64>,
    teams: Option<String>,
}

/// A session or a token, and when it was last seen as the database has it.
type Seen<T> = (T, i64);

/// Who was asked for last.
#[derive(Debug)]
pub(super) struct Kept {
    sessions: super::kept::Kept<String, Seen<KnownSession>>,
    tokens: super::kept::Kept<String, Seen<KnownToken>>,
}

impl Kept {
    /// Keeps nothing where there is no witness.
    pub(super) fn new(witness: Option<&Arc<Witness>>) -> Self {
        Self { sessions: super::kept::Kept::new(witness.cloned()), tokens: super::kept::Kept::new(witness.cloned()) }
    }
}

impl Store {
    /// The session whose secret has this digest, if it holds.
    pub async fn known_session(&self, digest: &str, now: DateTime<Utc>) -> Result<Option<KnownSession>, StoreError> {
        let holds = |(session, seen): &Seen<KnownSession>| session.until > now && !is_news(*seen, now);
        let found = self.principals.sessions.get_or(digest.to_owned(), holds, self.read_session(digest, now)).await?;
        Ok(found.map(|(session, _)| session))
    }

    async fn read_session(&self, digest: &str, now: DateTime<Utc>) -> Result<Option<Seen<KnownSession>>, StoreError> {
        let at = now.timestamp_millis();
        let Some(row) = db!(read & self.db, BY_SESSION, [digest, at, UNIT], fetch_optional as SessionRow)? else {
            return Ok(None);
        };
        if is_news(row.seen_at, now) {
            let mut tx = self.db.begin_write().await?;
            db!(tx &mut tx, SAW_SESSION, [row.session_id.as_str(), at], execute)?;
            tx.commit().await?;
        }
        let session = KnownSession {
            user: KnownUser {
                id: UserId::new(row.id),
                name: row.name,
                email: row.email,
                role: word(&row.role)?,
                support: row.support != 0,
                teams: names(row.teams),
            },
            id: SessionId::new(row.session_id),
            has_password: row.has_password != 0,
            until: time(row.expires_at)?,
        };
        Ok(Some((session, row.seen_at)))
    }

    /// The token whose secret has this digest, if it holds.
    pub async fn known_token(&self, digest: &str, now: DateTime<Utc>) -> Result<Option<KnownToken>, StoreError> {
        let holds =
            |(token, seen): &Seen<KnownToken>| token.until.is_none_or(|until| until > now) && !is_news(*seen, now);
        let found = self.principals.tokens.get_or(digest.to_owned(), holds, self.read_token(digest, now)).await?;
        Ok(found.map(|(token, _)| token))
    }

    async fn read_token(&self, digest: &str, now: DateTime<Utc>) -> Result<Option<Seen<KnownToken>>, StoreError> {
        let at = now.timestamp_millis();
        let Some(row) = db!(read & self.db, BY_TOKEN, [digest, at, UNIT], fetch_optional as TokenRow)? else {
            return Ok(None);
        };
        if is_news(row.seen_at, now) {
            let mut tx = self.db.begin_write().await?;
            db!(tx &mut tx, SAW_TOKEN, [row.token_id.as_str(), at], execute)?;
            tx.commit().await?;
        }
        let user = match (row.id, row.name, row.role) {
            (Some(id), Some(name), Some(role)) => Some(KnownUser {
                id: UserId::new(id),
                name,
                email: row.email,
                role: word(&role)?,
                support: row.support.unwrap_or(0) != 0,
                teams: names(row.teams),
            }),
            _ => None,
        };
        let (role, support) = (word(&row.token_role)?, row.token_support != 0);
        let (id, until) = (TokenId::new(row.token_id), maybe_time(row.expires_at)?);
        Ok(Some((KnownToken { id, user, name: row.token_name, role, support, until }, row.seen_at)))
    }

    /// The incident that a share's secret with this digest opens, and until when, if the share holds.
    pub async fn known_share(
        &self,
        digest: &str,
        now: DateTime<Utc>,
    ) -> Result<Option<(IncidentId, DateTime<Utc>)>, StoreError> {
        let found = db!(read & self.db, BY_SHARE, [digest, now.timestamp_millis()], fetch_optional as (String, i64))?;
        found.map(|(id, until)| Ok((IncidentId::new(id), time(until)?))).transpose()
    }
}

/// Whether being here is news.
fn is_news(seen_at: i64, now: DateTime<Utc>) -> bool {
    now.timestamp_millis() - seen_at > SEEN_EVERY.num_milliseconds()
}

/// The names in a column that [`UNIT`] parts, sorted.
pub(super) fn names(column: Option<String>) -> Vec<String> {
    let mut names: Vec<String> =
        column.unwrap_or_default().split(UNIT).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    names.sort();
    names
}
