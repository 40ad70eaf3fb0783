//! Times derived from the milestones: each is a value, or the reason why it cannot be computed.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::timeline::{Milestone, MilestoneAt};

/// A value, or the reason why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Computed<T> {
    /// The value.
    Value(T),
    /// Why there is none.
    Unavailable {
        /// A sentence for people.
        unavailable: String,
    },
}

impl<T> Computed<T> {
    /// No value, for this reason.
    pub fn unavailable(reason: impl Into<String>) -> Self {
        Self::Unavailable { unavailable: reason.into() }
    }

    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Unavailable { .. } => None,
        }
    }
}

/// A length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Duration {
    /// Whole seconds, never negative.
    pub seconds: i64,
}

/// The derived times of an incident.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DerivedTimes {
    /// From the incident's start to its end.
    pub duration: Computed<Duration>,
    /// From the start of the impact to its detection.
    pub time_to_detect: Computed<Duration>,
    /// From detection to the declaration.
    pub time_to_acknowledge: Computed<Duration>,
    /// From the start of the impact to its mitigation.
    pub time_to_mitigate: Computed<Duration>,
    /// From the start of the impact to the resolution.
    pub time_to_resolve: Computed<Duration>,
}

/// Computes the derived times.
pub fn derive_times(
    milestones: &[MilestoneAt],
    started_at: Option<DateTime<Utc>>,
    ended_at: Option<DateTime<Utc>>,
) -> DerivedTimes {
    let duration = match (started_at, ended_at) {
        (Some(from), Some(until)) => between(from, until, "the incident's start", "its end"),
        (None, _) => Computed::unavailable("the incident's start is not known"),
        (Some(_), None) => Computed::unavailable("the incident has no end yet"),
    };
    let span = |from, until| span(milestones, from, until);
    DerivedTimes {
        duration,
        time_to_detect: span(Milestone::ImpactStarted, Milestone::Detected),
        time_to_acknowledge: span(Milestone::Detected, Milestone::Declared),
        time_to_mitigate: span(Milestone::ImpactStarted, Milestone::Mitigated),
        time_to_resolve: span(Milestone::ImpactStarted, Milestone::Resolved),
    }
}

fn span(milestones: &[MilestoneAt], from: Milestone, until: Milestone) -> Computed<Duration> {
    let at = |wanted: Milestone| milestones.iter().find(|found| found.milestone == wanted).map(|found| found.at);
    match (at(from), at(until)) {
        (Some(start), Some(end)) => between(start, end, &quoted(from), &quoted(until)),
        (None, _) => Computed::unavailable(format!("no timeline entry marks {}", quoted(from))),
        (_, None) => Computed::unavailable(format!("no timeline entry marks {}", quoted(until))),
    }
}

fn quoted(milestone: Milestone) -> String {
    format!("‘{}’", milestone.label())
}

fn between(from: DateTime<Utc>, until: DateTime<Utc>, from_name: &str, until_name: &str) -> Computed<Duration> {
    if until < from {
        return Computed::unavailable(format!("{until_name} is set before {from_name}"));
    }
    Computed::Value(Duration { seconds: (until - from).num_seconds() })
}
