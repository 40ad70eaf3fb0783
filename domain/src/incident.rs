//! The incident itself: what it is called, how bad it was, where it stands.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::words::words;

words!(
    /// How bad an incident is; `sev1` is the worst.
    Severity {
        /// The worst.
        Sev1 = "sev1", "SEV-1";
        /// Major.
        Sev2 = "sev2", "SEV-2";
        /// Moderate.
        Sev3 = "sev3", "SEV-3";
        /// Minor.
        Sev4 = "sev4", "SEV-4";
        /// Negligible.
        Sev5 = "sev5", "SEV-5";
    }
);

words!(
    /// How far the response to an incident has come.
    IncidentStatus {
        /// The cause is not known yet.
        Investigating = "investigating", "Investigating";
        /// The cause is known, the effect goes on.
        Identified = "identified", "Identified";
        /// The effect is over and is being watched.
        Monitoring = "monitoring", "Monitoring";
        /// Over.
        Resolved = "resolved", "Resolved";
    }
);

words!(
    /// How far the written post-mortem has come.
    ReviewState {
        /// Being written.
        Draft = "draft", "Draft";
        /// Being read by others.
        InReview = "in_review", "In review";
        /// Agreed.
        Published = "published", "Published";
    }
);

words!(
    /// Who may see an incident.
    Visibility {
        /// Everybody who is signed in.
        Open = "open", "Open";
        /// Administrators, and the people and teams named on it.
        Restricted = "restricted", "Restricted";
    }
);

/// The half-open span `[from, until)` in which the incident had its effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Window {
    /// The first instant inside.
    pub from: DateTime<Utc>,
    /// The first instant after.
    pub until: DateTime<Utc>,
}

impl Window {
    /// The window of an incident that has both a start and a later end.
    pub fn of(started_at: Option<DateTime<Utc>>, ended_at: Option<DateTime<Utc>>) -> Option<Self> {
        let (from, until) = (started_at?, ended_at?);
        (from < until).then_some(Self { from, until })
    }
}

/// The error rates, as shares from 0 to 1, at which an alert fires and at which the service counts as recovered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Thresholds {
    /// An alert fires above this share; null where nobody stated one.
    pub alert: Option<f64>,
    /// The service counts as recovered below this share; null where nobody stated one.
    pub recovered: Option<f64>,
}
