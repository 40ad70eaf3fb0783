//! `/incidents/{id}/claims`: binding a figure to a computation.

use serde::{Deserialize, Serialize};

use crate::claim::{Computation, Measured, Target};
use crate::quantity::Number;
use crate::wire::actions::MAX_LINE;
use crate::wire::problem::FieldError;

/// A new claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewClaim {
    /// Which figure.
    pub target: Target,
    /// What is to be computed.
    pub computation: Computation,
}

/// A change to a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ClaimPatch {
    /// What is to be computed instead.
    pub computation: Computation,
}

impl Computation {
    /// What is the matter with a computation that somebody sent; empty where it can be made.
    pub fn faults(&self) -> Vec<FieldError> {
        let mut faults = Vec::new();
        let mut fault = |field: &str, message: &str| {
            faults.push(FieldError::new(format!("/computation/{field}"), message));
        };
        let is_duration = self.measure == Measured::Duration;
        let is_share = |share: Number| (0.0..=1.0).contains(&share.get());
        for (field, threshold) in [("upper", self.upper), ("lower", self.lower)] {
            match threshold {
                None if is_duration => fault(field, "a duration needs both thresholds, as shares of 1 such as 0.05"),
                Some(_) if !is_duration => fault(field, "only a duration has thresholds"),
                Some(share) if !is_share(share) => fault(field, "a threshold is a share of 1, such as 0.05 for 5%"),
                _ => {}
            }
        }
        if let (Some(upper), Some(lower)) = (self.upper, self.lower)
            && lower.get() > upper.get()
        {
            fault("lower", "the lower threshold is above the upper one");
        }
        let is_of_value = self.measure.is_of_value();
        match &self.signal {
            None if is_of_value => fault("signal", "say which of the incident’s values"),
            Some(_) if !is_of_value => fault("signal", "only what is computed of a value has one"),
            _ => {}
        }
        if is_of_value && self.label.is_some() {
            fault("label", "only attempts have labels; each series of a value is a signal of its own");
        }
        if self.min_attempts.is_some() && !is_duration {
            fault("min_attempts", "only a duration passes minutes over");
        }
        let is_percentile = matches!(self.measure, Measured::LatencyPercentile | Measured::ValuePercentile);
        match self.percentile {
            None if is_percentile => fault("percentile", "say which, such as 95"),
            Some(_) if !is_percentile => {
                fault("percentile", "only latency and values have percentiles");
            }
            Some(percentile) if percentile.get() <= 0.0 || percentile.get() > 100.0 => {
                fault("percentile", "a percentile is above 0 and at most 100");
            }
            _ => {}
        }
        if self.window.is_some_and(|window| window.until <= window.from) {
            fault("window", "the time ends before it begins");
        }
        if self.label.as_ref().is_some_and(|label| label.name.trim().is_empty()) {
            fault("label/name", "name the label");
        }
        let is_long = |text: &str| text.chars().count() > MAX_LINE;
        if self.label.as_ref().is_some_and(|label| is_long(&label.name) || is_long(&label.word)) {
            fault("label", "a label is not that long");
        }
        faults
    }
}
