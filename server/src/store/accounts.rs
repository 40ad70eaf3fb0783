//! The history of what belongs to no incident: people, teams, tokens, sessions.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::StoreError;
use super::column::to_json;
use super::db::{Tx, db, statements};

statements! {
    APPEND = "INSERT INTO account_changes (subject, subject_id, at, actor, before, after)
        VALUES ($1, $2, $3, $4, $5, $6)";
}

/// Who does something, and when.
#[derive(Debug, Clone, Copy)]
pub struct By<'a> {
    /// The name that the change is recorded under.
    pub actor: &'a str,
    /// When.
    pub now: DateTime<Utc>,
}

/// Appends to the history. Nothing secret may be in `before` or `after`.
pub(super) async fn record<T: Serialize>(
    tx: &mut Tx,
    (subject, id): (&'static str, &str),
    by: By<'_>,
    before: Option<&T>,
    after: Option<&T>,
) -> Result<(), StoreError> {
    let (before, after) = (before.map(to_json).transpose()?, after.map(to_json).transpose()?);
    db!(tx tx, APPEND, [
        subject, id, by.now.timestamp_millis(), by.actor, before.as_deref(), after.as_deref()
    ], execute)?;
    Ok(())
}
