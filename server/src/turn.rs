//! Taking turns at what reads all attempts of an incident: many at once would hold them in memory as often.

use tokio::sync::{Mutex, MutexGuard};

/// Whoever computes from the imported files has the turn. It guards nothing that another replica would need: two of them
/// compute the same, and keep it in the same place.
#[derive(Debug, Default)]
pub struct Turn(Mutex<()>);

impl Turn {
    /// Waits for the turn. Whoever waited looks first whether somebody else computed meanwhile what they came for.
    pub async fn take(&self) -> MutexGuard<'_, ()> {
        self.0.lock().await
    }
}
