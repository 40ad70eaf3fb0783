//! Sessions: the browsers that somebody is signed in with.

use chrono::{DateTime, Utc};
use domain::person::Person;
use domain::wire::access::Session;
use domain::{SessionId, UserId};

use super::accounts::{By, record};
use super::column::{text, time};
use super::db::{db, statements};
use super::id::new_id;
use super::{Store, StoreError, once};

statements! {
    INSERT = "INSERT INTO sessions (id, digest, user_id, agent, created_at, last_seen_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $5, $6)";
    SAW_USER = "UPDATE users SET last_seen_at = $2 WHERE id = $1";
    SWEEP = "DELETE FROM sessions WHERE expires_at <= $1";
    SWEEP_LINKS = "DELETE FROM sign_in_links WHERE expires_at <= $1";
    LIST = "SELECT s.id, s.user_id, u.name, s.agent, s.created_at, s.last_seen_at, s.expires_at
        FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE (CAST($1 AS TEXT) IS NULL OR s.user_id = $1) AND s.expires_at > $2
        ORDER BY s.last_seen_at DESC, s.id LIMIT 500";
    END = "DELETE FROM sessions WHERE id = $1 AND (CAST($2 AS TEXT) IS NULL OR user_id = $2)";
    OTHERS = "SELECT id FROM sessions WHERE user_id = $1 AND id <> $2";
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    user_id: String,
    name: String,
    agent: String,
    created_at: i64,
    last_seen_at: i64,
    expires_at: i64,
}

impl Store {
    /// Begins a session; sweeps away those that ended by themselves.
    pub async fn begin_session(
        &self,
        digest: &str,
        user: &UserId,
        agent: &str,
        by: By<'_>,
        until: DateTime<Utc>,
    ) -> Result<SessionId, StoreError> {
        let (id, now) = (SessionId::new(new_id("ses_")), by.now.timestamp_millis());
        let mut tx = self.db.begin_write().await?;
        db!(tx &mut tx, SWEEP, [now], execute)?;
        db!(tx &mut tx, SWEEP_LINKS, [now], execute)?;
        once::sweep(&mut tx, by.now).await?;
        db!(tx &mut tx, INSERT, [
            id.as_str(), digest, user.as_str(), text(agent), now, until.timestamp_millis()
        ], execute)?;
        db!(tx &mut tx, SAW_USER, [user.as_str(), now], execute)?;
        record(&mut tx, ("session", id.as_str()), by, None, Some(user)).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// The sessions that hold, of one account or of all, the last used first.
    pub async fn list_sessions(&self, of: Option<&UserId>, now: DateTime<Utc>) -> Result<Vec<Session>, StoreError> {
        let of = of.map(UserId::as_str);
        let rows = db!(read & self.db, LIST, [of, now.timestamp_millis()], fetch_all as Row)?;
        rows.into_iter().map(session).collect()
    }

    /// Ends a session, of one account alone where that is given; false if there is no such session.
    pub async fn end_session(&self, id: &SessionId, of: Option<&UserId>, by: By<'_>) -> Result<bool, StoreError> {
        let mut tx = self.db.begin_write().await?;
        let ended = db!(tx &mut tx, END, [text(id.as_str()), of.map(UserId::as_str)], execute)? == 1;
        if ended {
            record(&mut tx, ("session", id.as_str()), by, Some(id), None).await?;
        }
        tx.commit().await?;
        Ok(ended)
    }

    /// Ends every session of an account but one.
    pub async fn end_other_sessions(&self, user: &UserId, but: &SessionId, by: By<'_>) -> Result<(), StoreError> {
        let mut tx = self.db.begin_write().await?;
        for (id,) in db!(tx &mut tx, OTHERS, [user.as_str(), but.as_str()], fetch_all as (String,))? {
            db!(tx &mut tx, END, [id.as_str(), Some(user.as_str())], execute)?;
            record(&mut tx, ("session", id.as_str()), by, Some(&id), None).await?;
        }
        tx.commit().await
    }
}

fn session(row: Row) -> Result<Session, StoreError> {
    Ok(Session {
        id: SessionId::new(row.id),
        user: Person { id: UserId::new(row.user_id), name: row.name },
        agent: row.agent,
        created_at: time(row.created_at)?,
        last_seen_at: time(row.last_seen_at)?,
        expires_at: time(row.expires_at)?,
        current: false,
    })
}
