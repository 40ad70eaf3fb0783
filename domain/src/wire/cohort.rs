//! `/incidents/{id}/cohort`: numbers for every reader; customers only for support and administrators.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::cohort::Standing;
use crate::incident::Window;
use crate::message::Objection;
use crate::words::words;

/// How many customers went which way. The first number is the sum of the next three.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CohortSummary {
    /// Customers with a failed attempt inside the window.
    pub affected_customers: u64,
    /// Of these, those whose last attempt inside the window completed.
    pub recovered_inside_window: u64,
    /// Of the rest, those who bought later, within 24 hours of their last attempt.
    pub bought_within_24h: u64,
    /// The others: those to be written to.
    pub cohort: u64,
    /// Until when somebody in the cohort could still buy; null where the cohort is final.
    pub provisional_until: Option<DateTime<Utc>>,
    /// The window that it was computed for.
    pub window: Window,
    /// The time of the last attempt known.
    pub log_ends_at: DateTime<Utc>,
    /// When it was computed.
    pub computed_at: DateTime<Utc>,
    /// How many of the cohort have been written to.
    pub contacted: u64,
    /// How many have been written to who are not, or no longer, in the cohort.
    pub contacted_outside: u64,
    /// How many the latest change of the events or of the window brought into the cohort.
    pub joined: u64,
    /// How many it took out.
    pub left: u64,
}

words!(
    /// What the latest change of the events or of the window did to a customer.
    Moved {
        /// Came into the cohort.
        Joined = "joined", "New in the cohort";
        /// Left it.
        Left = "left", "No longer in the cohort";
    }
);

/// A customer with a failed attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CohortCustomer {
    /// The customer's id, as it stands in the events.
    pub customer: String,
    /// What became of them.
    pub standing: Standing,
    /// Why, in a sentence with its time in UTC.
    pub reason: String,
    /// Their last attempt inside the window; null where they are no longer affected.
    pub last_at: Option<DateTime<Utc>>,
    /// Their first purchase within 24 hours of it, where they bought.
    pub bought_at: Option<DateTime<Utc>>,
    /// Whether the latest change moved them into the cohort or out of it.
    pub moved: Option<Moved>,
    /// When they were written to.
    pub contacted_at: Option<DateTime<Utc>>,
    /// Who did.
    pub contacted_by: Option<String>,
}

/// Customers who have been written to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Contacted {
    /// Their ids; each must be in the cohort.
    #[serde(default)]
    pub customers: Vec<String>,
    /// The whole cohort as it now is.
    #[serde(default)]
    pub all: bool,
}

/// What marking customers did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ContactedReport {
    /// How many were marked.
    pub marked: u64,
    /// How many had been before; they keep their first mark.
    pub already: u64,
}

/// The text that the cohort is written to with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Message {
    /// Counts its changes; 0 where nobody has written one and the text is a proposal.
    pub version: i64,
    /// The text.
    pub text: String,
    /// What its wording is held against; empty where nothing is.
    pub objections: Vec<Objection>,
}

/// A text for the cohort.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewMessage {
    /// The text.
    pub text: String,
}

/// A text and whom it would go to, to be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct MessageCheck {
    /// The text.
    pub text: String,
    /// The customers' ids; where absent, the wording alone is checked.
    #[serde(default)]
    pub recipients: Vec<String>,
}

/// What checking a message found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MessageReport {
    /// What it is held against; empty where nothing is.
    pub objections: Vec<Objection>,
}
