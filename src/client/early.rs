//! The answer that `index.html` asked for before the program was here.

use crate::script;

/// What `index.html` leaves in the page: a function that gives the promise of an address's answer, once.
const TAKE: &str = "early";

/// The text from this address, the first time it is wanted; none where it was not asked for, or could not be had.
pub(super) async fn text(address: &str) -> Option<String> {
    script::promised(&script::function(TAKE)?, address).await.ok()?.as_string()
}
