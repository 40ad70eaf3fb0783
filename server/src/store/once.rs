//! Requests that are sent again: what each key of a sender has created.
//!
//! The key is claimed in the transaction that creates, so that what fails leaves the key free, and of two at once one
//! waits for the other.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;

use super::StoreError;
use super::column::{text, to_json};
use super::db::{Tx, db, statements};

/// How long a key is remembered.
const KEPT: TimeDelta = TimeDelta::days(1);

statements! {
    SWEEP = "DELETE FROM idempotency_keys WHERE created_at < $1";
    CLAIM = "INSERT INTO idempotency_keys (actor, key, request, answer, created_at) VALUES ($1, $2, $3, '', $4)
        ON CONFLICT DO NOTHING";
    EARLIER = "SELECT request, answer FROM idempotency_keys WHERE actor = $1 AND key = $2";
    ANSWER = "UPDATE idempotency_keys SET answer = $3 WHERE actor = $1 AND key = $2";
}

/// A request that may be sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Once {
    /// Who sends it; keys of different senders never meet.
    pub actor: String,
    /// The key that they made up.
    pub key: String,
    /// A digest of what is asked for.
    pub request: String,
}

/// An earlier request that had the same key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// Whether it asked for the same.
    pub is_same: bool,
    /// What it was answered, as JSON; none where the answer held a secret.
    pub answer: Option<String>,
}

/// Claims the key for this transaction, or fails with what an earlier request with it was.
pub(super) async fn claim(tx: &mut Tx, once: Option<&Once>, now: DateTime<Utc>) -> Result<(), StoreError> {
    let Some(Once { actor, key, request }) = once else { return Ok(()) };
    let (actor, key) = (text(actor), text(key));
    loop {
        let claimed = db!(tx tx, CLAIM, [
            actor.as_str(), key.as_str(), request.as_str(), now.timestamp_millis()
        ], execute)?;
        if claimed == 1 {
            return Ok(());
        }
        let earlier = db!(tx tx, EARLIER, [actor.as_str(), key.as_str()], fetch_optional as (String, String))?;
        // Where there is none by now, it was swept away at this moment, and the key is free again.
        if let Some((asked, answer)) = earlier {
            let answer = Some(answer).filter(|answer| !answer.is_empty());
            return Err(StoreError::Repeated(Earlier { is_same: asked == *request, answer }));
        }
    }
}

/// Keeps the answer to a request, for when it is sent again. Nothing secret may be in it.
pub(super) async fn keep_answer<T: Serialize>(tx: &mut Tx, once: Option<&Once>, made: &T) -> Result<(), StoreError> {
    if let Some(once) = once {
        db!(tx tx, ANSWER, [text(&once.actor), text(&once.key), to_json(made)?], execute)?;
    }
    Ok(())
}

/// Forgets keys that nobody sends again.
pub(super) async fn sweep(tx: &mut Tx, now: DateTime<Utc>) -> Result<(), StoreError> {
    db!(tx tx, SWEEP, [(now - KEPT).timestamp_millis()], execute)?;
    Ok(())
}
