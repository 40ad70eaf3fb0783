//! The append-only history, and the incident's version that counts every change.

use chrono::{DateTime, Utc};
use domain::IncidentId;

use super::StoreError;
use super::db::{Tx, db, statements};

statements! {
    BUMP = "UPDATE incidents SET version = version + 1, updated_at = $2 WHERE id = $1";
    APPEND = "INSERT INTO changes (incident_id, subject, subject_id, at, actor, before, after)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
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
