//! The history of what belongs to no incident: people, teams, tokens, sessions.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::StoreError;
use super::column::to_json;
use super::db::{Tx, db, statements};

statements! {
    APPEND = "INSERT INTO account_changes (subject, subject_id, at, actor, before, after)
        VALUES ($1, $2, $3, $4, $5, $6)";
    TAKE_TURN = "UPDATE counters SET value = value + 1 WHERE name = $1";
}

/// Who does something, and when.
#[derive(Debug, Clone, Copy)]
pub struct By<'a> {
    /// The name that the change is recorded under.
    pub actor: &'a str,
    /// When.
    pub now: DateTime<Utc>,
}

/// What writers take turns at, where no row of their own would make them wait for each other.
#[derive(Debug, Clone, Copy)]
pub(super) enum Turn {
    /// Who is an administrator, who has an account at all, and who is whom at the identity provider.
    Accounts,
    /// Sweeping away what has ended by itself.
    Sweeps,
}

/// Waits until nobody else has this turn, and keeps it until the transaction ends.
///
/// It comes first in its transaction: on PostgreSQL a statement sees what was committed when it began, so what is read before
/// the turn may be old, and rows that are locked before it may be those that the others wait for.
pub(super) async fn take_turn(tx: &mut Tx, turn: Turn) -> Result<(), StoreError> {
    let name = match turn {
        Turn::Accounts => "accounts",
        Turn::Sweeps => "sweeps",
    };
    db!(tx tx, TAKE_TURN, [name], execute)?;
    Ok(())
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
