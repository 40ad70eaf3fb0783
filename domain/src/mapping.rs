//! Mappings: which column of a log of attempts holds what, and how its values are written.

use serde::{Deserialize, Serialize};

use crate::words::words;

words!(
    /// How the times of a column are written. One answer holds for the whole column.
    TimeFormat {
        /// Date and time; an offset that is written holds.
        Written = "written", "Date and time";
        /// Seconds since 1970.
        EpochSeconds = "epoch_seconds", "Seconds since 1970";
        /// Milliseconds since 1970.
        EpochMillis = "epoch_millis", "Milliseconds since 1970";
    }
);

/// The word that says of an attempt that it completed, where a mapping names no others.
pub const COMPLETED: &str = "completed";

/// The word that says of an attempt that it failed, where a mapping names no others.
pub const FAILED: &str = "failed";

/// Which column holds what. A column that is not said is looked for by the names that it usually has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Mapping {
    /// When the attempt was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The attempt's id: an attempt counts once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<String>,
    /// Who tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub customer: Option<String>,
    /// Whether it completed or failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<String>,
    /// Further columns to keep, such as a region.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The words that mean that it completed, besides `completed`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub completed: Vec<String>,
    /// The words that mean that it failed, besides `failed`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// How the times are written; decided from the column where it is not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_format: Option<TimeFormat>,
    /// The zone of times that name none: an offset, or a region such as Europe/Berlin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}

impl Mapping {
    /// Sets a column by what it holds (`time`, `attempt`, `customer`, `outcome`, `latency`); false where nothing is
    /// called so.
    pub fn set(&mut self, part: &str, column: String) -> bool {
        let place = match part {
            "time" => &mut self.time,
            "attempt" => &mut self.attempt,
            "customer" => &mut self.customer,
            "outcome" => &mut self.outcome,
            "latency" => &mut self.latency,
            _ => return false,
        };
        *place = Some(column).filter(|column| !column.is_empty());
        true
    }

    /// Whether nothing is said, so that everything is looked for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
