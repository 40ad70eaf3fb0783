//! Filters: one meaning for the page's URL, the API and SQL.

use serde::{Deserialize, Serialize};

use crate::incident::{IncidentStatus, Severity};

/// Which incidents to list. Conditions that are set all hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IncidentFilter {
    /// Words that title, summary or short name contain, in any case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// The status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<IncidentStatus>,
    /// The severity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
}
