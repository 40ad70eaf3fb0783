//! The timeline: what happened, and what was decided on it.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::{EvidenceNumber, TimelineEntryId};
use crate::words::words;

words!(
    /// The point in an incident's life that an entry marks.
    Milestone {
        /// The effect began.
        ImpactStarted = "impact_started", "Impact started";
        /// Somebody or something noticed.
        Detected = "detected", "Detected";
        /// It was called an incident.
        Declared = "declared", "Declared";
        /// The effect began to end.
        Mitigated = "mitigated", "Mitigated";
        /// The effect was over.
        Resolved = "resolved", "Resolved";
    }
);

/// One entry of the timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TimelineEntry {
    /// The entry's id.
    pub id: TimelineEntryId,
    /// When it happened; null where the author did not know.
    pub occurred_at: Option<DateTime<Utc>>,
    /// The end of the span, where a span was written.
    pub occurred_until: Option<DateTime<Utc>>,
    /// When it was entered here.
    pub recorded_at: DateTime<Utc>,
    /// What happened.
    pub event: String,
    /// What was decided on it.
    pub decision: Option<String>,
    /// The milestone that it marks.
    pub milestone: Option<Milestone>,
    /// The evidence cited.
    pub evidence: Vec<EvidenceNumber>,
    /// Fields whose text carries Markdown, rendered and sanitised.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub html: BTreeMap<String, String>,
}

/// When a milestone was reached, and how that is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MilestoneAt {
    /// Which milestone.
    pub milestone: Milestone,
    /// When it was reached.
    pub at: DateTime<Utc>,
    /// The entry that marks it; null where the incident's window does.
    pub entry: Option<TimelineEntryId>,
}

/// Every milestone that is known, in order of declaration: the earliest entry that marks it, and for the start and
/// the end of the impact, failing an entry, the incident's own window.
pub fn milestones(
    entries: &[TimelineEntry],
    started_at: Option<DateTime<Utc>>,
    ended_at: Option<DateTime<Utc>>,
) -> Vec<MilestoneAt> {
    Milestone::ALL
        .iter()
        .filter_map(|&milestone| {
            let marked = entries
                .iter()
                .filter(|entry| entry.milestone == Some(milestone))
                .filter_map(|entry| {
                    Some(MilestoneAt { milestone, at: entry.occurred_at?, entry: Some(entry.id.clone()) })
                })
                .min_by_key(|found| found.at);
            let window = match milestone {
                Milestone::ImpactStarted => started_at,
                Milestone::Resolved => ended_at,
                _ => None,
            };
            marked.or_else(|| Some(MilestoneAt { milestone, at: window?, entry: None }))
        })
        .collect()
}
