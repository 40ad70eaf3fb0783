//! The append-only history, and the incident's version that counts every change.

use chrono::{DateTime, Utc};
use domain::wire::page::Page;
use domain::{ActionId, IncidentId};

use super::column::time;
use super::db::{Tx, db, statements};
use super::{Store, StoreError};

statements! {
    BUMP = "UPDATE incidents SET version = version + 1, updated_at = $2 WHERE id = $1";
    APPEND = "INSERT INTO changes (incident_id, subject, subject_id, at, actor, before, after)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    OF_INCIDENT = "SELECT seq, subject, subject_id, at, actor, before, after FROM changes
        WHERE incident_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3";
    OF_ACTION = "SELECT seq, subject, subject_id, at, actor, before, after FROM changes
        WHERE subject_id = $1 AND subject IN ('action', 'verification') AND seq < $2 ORDER BY seq DESC LIMIT $3";
}

/// A change as it was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChange {
    /// Counts all changes.
    pub seq: i64,
    /// What sort of thing was changed.
    pub subject: String,
    /// Its id.
    pub subject_id: String,
    /// When.
    pub at: DateTime<Utc>,
    /// By whom.
    pub actor: String,
    /// The thing before, as JSON; none where it was made.
    pub before: Option<String>,
    /// The thing after, as JSON; none where it was removed.
    pub after: Option<String>,
}

#[derive(sqlx::FromRow)]
struct Row {
    seq: i64,
    subject: String,
    subject_id: String,
    at: i64,
    actor: String,
    before: Option<String>,
    after: Option<String>,
}

impl Store {
    /// The changes of an incident, the newest first, from before a number on.
    pub async fn incident_changes(
        &self,
        incident: &IncidentId,
        limit: u32,
        cursor: Option<&str>,
    ) -> Result<Page<StoredChange>, StoreError> {
        let (before, asked) = (read_cursor(cursor)?, i64::from(limit.max(1)) + 1);
        page(db!(read & self.db, OF_INCIDENT, [incident.as_str(), before, asked], fetch_all as Row)?, limit)
    }

    /// The changes of one action item and of its proofs, the newest first, from before a number on.
    pub async fn action_changes(
        &self,
        action: &ActionId,
        limit: u32,
        cursor: Option<&str>,
    ) -> Result<Page<StoredChange>, StoreError> {
        let (before, asked) = (read_cursor(cursor)?, i64::from(limit.max(1)) + 1);
        page(db!(read & self.db, OF_ACTION, [action.as_str(), before, asked], fetch_all as Row)?, limit)
    }
}

fn read_cursor(cursor: Option<&str>) -> Result<i64, StoreError> {
    cursor.map_or(Ok(i64::MAX), |cursor| cursor.parse().map_err(|_| StoreError::BadCursor))
}

/// One row more than asked for tells that another page follows.
fn page(mut rows: Vec<Row>, limit: u32) -> Result<Page<StoredChange>, StoreError> {
    let more = rows.len() > limit.max(1) as usize;
    if more {
        rows.pop();
    }
    let next = rows.last().filter(|_| more).map(|row| row.seq.to_string());
    let items = rows.into_iter().map(stored).collect::<Result<_, _>>()?;
    Ok(Page { items, next })
}

fn stored(row: Row) -> Result<StoredChange, StoreError> {
    let Row { seq, subject, subject_id, at, actor, before, after } = row;
    Ok(StoredChange { seq, subject, subject_id, at: time(at)?, actor, before, after })
}

/// One change to be remembered.
pub(super) struct Change<'a> {
    pub subject: &'static str,
    pub subject_id: &'a str,
    pub actor: &'a str,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// Counts a change of the incident; false if there is no such incident.
///
/// On PostgreSQL the row stays locked until the transaction ends, so writers of one incident take turns as all
/// writers do on SQLite. It therefore comes before any read that a write depends on.
pub(super) async fn bump(tx: &mut Tx, incident: &IncidentId, now: DateTime<Utc>) -> Result<bool, StoreError> {
    Ok(db!(tx tx, BUMP, [incident.as_str(), now.timestamp_millis()], execute)? == 1)
}

/// Appends to the history.
pub(super) async fn append(
    tx: &mut Tx,
    incident: &IncidentId,
    change: Change<'_>,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let Change { subject, subject_id, actor, before, after } = change;
    db!(tx tx, APPEND, [
        incident.as_str(), subject, subject_id, now.timestamp_millis(), actor, before.as_deref(), after.as_deref()
    ], execute)?;
    Ok(())
}
