//! `/incidents/{id}/history` and `/actions/{id}/history`: who changed what, when, from what to what.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HistoryEntry {
    /// Counts all changes of all incidents, in the order they were made.
    pub seq: i64,
    /// When.
    pub at: DateTime<Utc>,
    /// By whom.
    pub actor: String,
    /// What sort of thing was changed: `incident`, `action`, `note`, `evidence`, `verification`, `signal`, `flags`,
    /// `access` or `share`.
    pub subject: String,
    /// Its id.
    pub subject_id: String,
    /// What it is called, where it has a name.
    pub title: Option<String>,
    /// Whether it was made, changed or removed.
    pub kind: ChangeKind,
    /// The fields that changed; empty where the whole was made or removed.
    pub fields: Vec<FieldChange>,
}

/// What sort of change it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It was made.
    Made,
    /// It was changed.
    Changed,
    /// It was removed.
    Removed,
}

/// One field, before and after, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FieldChange {
    /// The field, as in the JSON of the thing ("status", "verification.criterion").
    pub field: String,
    /// What it was; null where it was empty.
    pub before: Option<String>,
    /// What it is; null where it is empty.
    pub after: Option<String>,
}
