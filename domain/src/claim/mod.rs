//! Claims: a figure that people wrote, bound to a computation over the imported attempts or values.
//!
//! The confidence of a figure is its author's word; what stands here is ours, and the two are never mixed.

mod compute;
mod figure;
mod propose;
mod value;

use serde::{Deserialize, Serialize};

use crate::id::{ClaimId, ImpactId, SignalId};
use crate::incident::Window;
use crate::quantity::Number;
use crate::words::words;

pub use compute::{Found, Row, compute};
pub use figure::{Figure, check};
pub use propose::{Written, propose};
pub use value::compute_value;

words!(
    /// What is computed over the attempts, or over the points of a plain value.
    Measured {
        /// How many attempts there were.
        Attempts = "attempts", "Attempts";
        /// How many of them failed.
        FailedAttempts = "failed_attempts", "Failed attempts";
        /// What share of them failed.
        FailedShare = "failed_share", "Share of attempts that failed";
        /// How many customers had a failed attempt.
        AffectedCustomers = "affected_customers", "Customers with a failed attempt";
        /// How many customers tried.
        Customers = "customers", "Customers";
        /// From the first minute over one share of failures to the first later minute under another.
        Duration = "duration", "Time from the upper to the lower threshold";
        /// A percentile of how long attempts took.
        LatencyPercentile = "latency_percentile", "Percentile of latency";
        /// The greatest of a value's points.
        ValueMax = "value_max", "Greatest of a value";
        /// The least of them.
        ValueMin = "value_min", "Least of a value";
        /// Their mean.
        ValueMean = "value_mean", "Mean of a value";
        /// The last of them.
        ValueLast = "value_last", "Last of a value";
        /// A percentile of them.
        ValuePercentile = "value_percentile", "Percentile of a value";
    }
);

impl Measured {
    /// Whether it is computed over the points of a plain value, and not over attempts.
    pub const fn is_of_value(self) -> bool {
        matches!(self, Self::ValueMax | Self::ValueMin | Self::ValueMean | Self::ValueLast | Self::ValuePercentile)
    }
}

/// A label and the word that attempts must have under it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LabelIs {
    /// The label's name ("region").
    pub name: String,
    /// The word ("eu").
    pub word: String,
}

/// A computation over the attempts, or over the points of a plain value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Computation {
    /// What is computed.
    pub measure: Measured,
    /// The time it is computed over; the incident's window where absent, and all attempts for a duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// Only attempts with this label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<LabelIs>,
    /// Of a duration: it begins with the first minute over this share, of 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<Number>,
    /// Of a duration: it ends with the first later minute under this share, of 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<Number>,
    /// Of a duration: minutes with fewer attempts are passed over; 20 where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_attempts: Option<u32>,
    /// Of latency, or of a value: the percentile, above 0 and up to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentile: Option<Number>,
    /// Of a value: which of the incident's signals it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<SignalId>,
}

impl Computation {
    /// A computation without any choice.
    pub fn of(measure: Measured) -> Self {
        Self {
            measure,
            window: None,
            label: None,
            upper: None,
            lower: None,
            min_attempts: None,
            percentile: None,
            signal: None,
        }
    }
}

/// Which figure a claim is about: an impact measure's result, or a figure in prose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The impact measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<ImpactId>,
    /// The prose: `summary`, or `key_points/0` and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The figure as it is written there ("18.6%"); of a measure the whole result where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<String>,
}

words!(
    /// How a written figure stands to the computed one.
    Verdict {
        /// The computed figure rounds to the written one.
        Agrees = "agrees", "Agrees with the events";
        /// It does not.
        Differs = "differs", "Differs from the events";
        /// There is no computed figure to compare with.
        NotComputed = "not_computed", "Cannot be computed";
    }
);

/// What checking a figure came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Check {
    /// Whether they agree.
    pub verdict: Verdict,
    /// The computed figure, in the unit and to the precision of the written one; null where there is none.
    pub computed: Option<String>,
    /// How far the computed figure is from the written one; null unless they differ.
    pub difference: Option<String>,
    /// Why there is nothing to compare; null where there is.
    pub reason: Option<String>,
}

impl Check {
    /// Nothing to compare, for this reason.
    pub fn impossible(reason: impl Into<String>) -> Self {
        Self { verdict: Verdict::NotComputed, computed: None, difference: None, reason: Some(reason.into()) }
    }
}

/// A figure bound to a computation, and what checking it came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Claim {
    /// The claim's id.
    pub id: ClaimId,
    /// Counts the changes of the binding.
    pub version: i64,
    /// Which figure.
    pub target: Target,
    /// What is computed.
    pub computation: Computation,
    /// The figure as it is written; null where it is no longer written there.
    pub stated: Option<String>,
    /// What checking came to.
    pub check: Check,
}

/// A binding that the words suggest, for a person to confirm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClaimProposal {
    /// Which figure.
    pub target: Target,
    /// What would be computed.
    pub computation: Computation,
    /// The figure as it is written.
    pub stated: String,
}
