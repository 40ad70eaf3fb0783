//! `/actions` without an id: the items of every incident, and changing several at once.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::action::{Action, ActionStatus};
use crate::filter::DueIn;
use crate::id::{ActionId, IncidentId};
use crate::wire::actions::ActionPatch;
use crate::wire::problem::FieldError;
use crate::words::words;

/// The most items that one request may change.
pub const MAX_BULK: usize = 200;

/// An action item in the tracker: the item itself, and what its place among all others needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TrackerItem {
    /// The item, without its notes.
    #[serde(flatten)]
    pub action: Action,
    /// The incident that it belongs to.
    pub incident: ItemIncident,
    /// Its number in the document, from 1; its place in the incident page's address.
    pub number: i64,
    /// When it is due, seen from today in the incident's zone; null where no work remains.
    pub due_in: Option<DueIn>,
    /// Whole days since the due date has passed; null unless the item is overdue.
    pub days_late: Option<i64>,
    /// When it was last changed or somebody wrote a note.
    pub active_at: DateTime<Utc>,
    /// Whole days since then, once they are enough for the item to count as stale.
    pub stale_days: Option<i64>,
    /// How many progress notes it has.
    pub note_count: i64,
    /// Whether it belongs to whoever asks.
    pub mine: bool,
}

/// What an item in the tracker tells of its incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ItemIncident {
    /// The incident's id.
    pub id: IncidentId,
    /// Its short name ("INC-1").
    pub name: String,
    /// Its title; null where only the item may be seen, since the incident is restricted.
    pub title: Option<String>,
    /// The zone that the due date is meant in.
    pub home_zone: String,
}

/// How many items there are, of those that whoever asks may see and that pass the filter.
///
/// The filter's `status`, `due`, `mine` and `stale` are left out of account: they are what is counted here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TrackerCounts {
    /// All of them.
    pub total: i64,
    /// Those on which work remains; all further counts but `by_status` are of these.
    pub remaining: i64,
    /// Whose due date has passed.
    pub overdue: i64,
    /// Due today or within the six days after it.
    pub week: i64,
    /// Due after that.
    pub later: i64,
    /// Without a due date.
    pub undated: i64,
    /// Without a change or a note for 14 days.
    pub stale: i64,
    /// Those that belong to whoever asks.
    pub mine: i64,
    /// By status, each status once, in their order.
    pub by_status: Vec<StatusCount>,
    /// The owning teams with the most of them, at most 100.
    pub owners: Vec<OwnerCount>,
}

/// How many items have a status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StatusCount {
    /// The status.
    pub status: ActionStatus,
    /// How many have it.
    pub count: i64,
}

/// How many items a team owns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OwnerCount {
    /// The team's name, as one of its items spells it.
    pub owner: String,
    /// How many items it owns.
    pub count: i64,
}

/// One change to several items, each on the version that it was seen at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct BulkPatch {
    /// The items: 1 to 200.
    pub items: Vec<ItemVersion>,
    /// What changes in each of them.
    pub patch: ActionPatch,
}

/// An item at a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ItemVersion {
    /// The item's id.
    pub id: ActionId,
    /// The version that the edit is made on.
    pub version: i64,
}

words!(
    /// What became of one item of several.
    Outcome {
        /// It was changed.
        Updated = "updated", "Updated";
        /// It was that way already.
        Unchanged = "unchanged", "Unchanged";
        /// It was changed by somebody else since that version.
        Stale = "stale", "Changed by somebody else meanwhile";
        /// A rule does not allow it.
        Refused = "refused", "Not allowed";
        /// Whoever asks may not change it.
        Forbidden = "forbidden", "Not yours to change";
        /// There is no such item.
        Missing = "missing", "No longer there";
        /// The server failed.
        Failed = "failed", "Failed";
    }
);

/// What became of every item, in the order of the request. One that fails never stops the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BulkAnswer {
    /// The items.
    pub items: Vec<ItemOutcome>,
}

/// What became of one item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ItemOutcome {
    /// The item's id.
    pub id: ActionId,
    /// What became of it.
    pub outcome: Outcome,
    /// The item as it now is; absent where it may not be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<Action>,
    /// Why it was not changed; absent where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The fields at fault, where a rule does not allow it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
}
