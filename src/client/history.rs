//! Who changed what.

use domain::wire::history::HistoryEntry;
use domain::wire::page::Page;
use domain::wire::paths::{self, segment};

use super::{Failure, get};

/// Whose history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Of {
    /// An incident's, with all that belongs to it.
    Incident(String),
    /// An action item's.
    Action(String),
}

/// A page of changes, the newest first.
pub async fn page(of: &Of, cursor: Option<&str>) -> Result<Page<HistoryEntry>, Failure> {
    let path = match of {
        Of::Incident(id) => paths::history(id),
        Of::Action(id) => paths::action_history(id),
    };
    match cursor {
        Some(cursor) => get(&format!("{path}?limit=20&cursor={}", segment(cursor))).await,
        None => get(&format!("{path}?limit=20")).await,
    }
}
