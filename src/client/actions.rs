//! Changing action items.

use domain::action::{Action, Note};
use domain::wire::actions::{ActionPatch, Advice, NewAction, NewNote};
use domain::wire::page::Page;
use domain::wire::paths;
use domain::wire::verifications::NewVerification;
use gloo_net::http::Request;

use super::{Call, Failure, get, on_version, send};

/// Changes an item, on the version that the edit was made on.
pub async fn patch(id: &str, version: i64, patch: &ActionPatch) -> Result<Action, Failure> {
    send(on_version(Request::patch(&paths::action(id)), version), patch).await
}

/// An item's progress notes, oldest first.
pub async fn notes(id: &str) -> Result<Page<Note>, Failure> {
    get(&paths::notes(id)).await
}

/// Asks what would help whoever writes an item.
pub fn advise(new: &NewAction) -> Call<Advice> {
    Call::act(Request::post(&paths::advice())).with(new)
}

/// Appends a progress note; the same key makes a repeated request one note.
pub async fn add_note(id: &str, note: &NewNote, key: &str) -> Result<Note, Failure> {
    send(Request::post(&paths::notes(id)).header("idempotency-key", key), note).await
}

/// Offers a proof of an item.
pub async fn verify(id: &str, proof: &NewVerification) -> Result<Action, Failure> {
    send(Request::post(&paths::verifications(id)), proof).await
}

/// Adds an item to an incident; the same key makes a repeated request one item.
pub async fn create(incident: &str, new: &NewAction, key: &str) -> Result<Action, Failure> {
    send(Request::post(&paths::actions_of(incident)).header("idempotency-key", key), new).await
}
