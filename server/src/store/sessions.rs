//! Sessions: the browsers that somebody is signed in with.

use chrono::{DateTime, Utc};
use domain::person::Person;
use domain::wire::access::Session;
use domain::{SessionId, UserId};

use super::accounts::{By, Turn, record, take_turn};
use super::column::{text, time};
use super::db::{db, statements};
use super::id::new_id;
use super::{Store, StoreError, once};

statements! {
    INSERT = "INSERT INTO sessions (id, digest, user_id, agent, created_at, last_seen_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $5, $6)";
    /// Also keeps the account as it is until the transaction ends.
    SAW_USER = "UPDATE users SET last_seen_at = $2 WHERE id = $1 AND disabled_at IS NULL
        AND (CAST($3 AS TEXT) IS NULL OR password_hash = $3)";
    SWEEP = "DELETE FROM sessions WHERE expires_at <= $1";
    SWEEP_LINKS = "DELETE FROM sign_in_links WHERE expires_at <= $1";
    LIST = "SELECT s.id, s.user_id, u.name, s.agent, s.created_at, s.last_seen_at, s.expires_at
        FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE (CAST($1 AS TEXT) IS NULL OR s.user_id = $1) AND s.expires_at > $2
        ORDER BY s.last_seen_at DESC, s.id";
    END = "DELETE FROM sessions WHERE id = $1 AND (CAST($2 AS TEXT) IS NULL OR user_id = $2)";
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
    /// Begins a session; none if the account was switched off, or its password is no longer the `proved` one, since
    /// whoever begins it proved who they are. Sweeps away what ended by itself.
    pub async fn begin_session(
        &self,
        digest: &str,
        (user, proved): (&UserId, Option<&str>),
        agent: &str,
        by: By<'_>,
        until: DateTime<Utc>,
    ) -> Result<Option<SessionId>, StoreError> {
        let (id, now) = (SessionId::new(new_id("ses_")), by.now.timestamp_millis());
        let mut tx = self.db.begin_write().await?;
        if db!(tx &mut tx, SAW_USER, [user.as_str(), now, proved], execute)? == 0 {
            tx.rollback().await?;
            return Ok(None);
        }
        db!(tx &mut tx, INSERT, [
            id.as_str(), digest, user.as_str(), text(agent), now, until.timestamp_millis()
        ], execute)?;
        record(&mut tx, ("session", id.as_str()), by, None, Some(user)).await?;
        tx.commit().await?;
        self.sweep(by.now).await?;
        Ok(Some(id))
    }

    /// Sweeps away what has ended by itself: sessions, sign-in links, and keys of requests that nobody sends again.
    async fn sweep(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let mut tx = self.db.begin_write().await?;
        take_turn(&mut tx, Turn::Sweeps).await?;
        for sql in [SWEEP, SWEEP_LINKS] {
            db!(tx &mut tx, sql, [now.timestamp_millis()], execute)?;
        }
        once::sweep(&mut tx, now).await?;
        tx.commit().await
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
