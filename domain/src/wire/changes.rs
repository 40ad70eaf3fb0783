//! `/changes`: that something changed, told to whoever may see it; what it is now is read where it lives.

use serde::{Deserialize, Serialize};

use crate::id::{ActionId, IncidentId};

/// The name of the event that tells a [`Change`].
pub const CHANGE: &str = "change";

/// The name of the event that says that everything up to its id has been told.
pub const READY: &str = "ready";

/// The name of the event that says that changes were left out: read again whatever is shown.
pub const RESET: &str = "reset";

/// The name of the event that says, every few seconds, that the stream is alive. It has no id.
pub const BEAT: &str = "beat";

/// One change of an incident or of what belongs to it; never what was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Change {
    /// Counts all changes of all incidents.
    pub seq: i64,
    /// The incident.
    pub incident_id: IncidentId,
    /// Its short name ("INC-1").
    pub incident_name: String,
    /// The version that the incident has by now.
    pub incident_version: i64,
    /// What sort of thing was changed: `incident`, `action`, `note`, `evidence`, `verification`, `signal`, `flags`,
    /// `access` or `share`.
    pub subject: String,
    /// Its id.
    pub subject_id: String,
    /// The action item that was changed, or that the note or the proof belongs to; null where there is none.
    pub action_id: Option<ActionId>,
    /// The version that this item has by now.
    pub action_version: Option<i64>,
    /// Who changed it.
    pub actor: String,
}
