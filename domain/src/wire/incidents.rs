//! `/incidents`: the list, and the whole dashboard in one answer.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::action::Action;
use crate::claim::{Claim, ClaimProposal};
use crate::comparison::FlagComparison;
use crate::deploy::Deploy;
use crate::derived::{Computed, DerivedTimes};
use crate::draft::Diagnostic;
use crate::evidence::{Citation, Evidence};
use crate::flag::FlagChange;
use crate::id::IncidentId;
use crate::impact::ImpactMeasure;
use crate::import::ImportedFile;
use crate::incident::{IncidentStatus, ReviewState, Severity, Thresholds, Visibility};
use crate::signal::{Signal, ValueSignal};
use crate::timeline::{MilestoneAt, TimelineEntry};

/// An incident in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct IncidentSummary {
    /// The incident's id.
    pub id: IncidentId,
    /// Its short name ("INC-1").
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its summary, as Markdown without evidence marks.
    pub summary: String,
    /// How bad it was; null where nobody has said.
    pub severity: Option<Severity>,
    /// Where it stands.
    pub status: IncidentStatus,
    /// When the impact began.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// The zone it is told in: an IANA name or `+HH:MM`.
    pub home_zone: String,
    /// Its action items by how far they have come.
    pub actions: ActionCounts,
}

/// How many action items an incident has, and how far they have come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ActionCounts {
    /// All of them.
    pub total: i64,
    /// Neither verified nor given up.
    pub open: i64,
    /// Verified.
    pub verified: i64,
}

/// The whole dashboard of one incident.
///
/// Prose is Markdown without its evidence marks; `html` holds it rendered, with the marks as links to
/// `#evidence-N`, and `citations` says where it cites what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Dashboard {
    /// The incident's id.
    pub id: IncidentId,
    /// Its short name ("INC-1").
    pub name: String,
    /// Counts every change of anything in this answer; the `ETag` is this number in quotes.
    pub version: i64,
    /// Its title.
    pub title: String,
    /// The headline.
    pub summary: String,
    /// The points under the headline.
    pub key_points: Vec<String>,
    /// How bad it was; null where nobody has said.
    pub severity: Option<Severity>,
    /// Where it stands.
    pub status: IncidentStatus,
    /// How far the written post-mortem has come.
    pub review_state: ReviewState,
    /// When the impact began.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// The zone it is told in: an IANA name or `+HH:MM`.
    pub home_zone: String,
    /// The services concerned.
    pub services: Vec<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// The error rates stated as alert and recovery thresholds.
    pub thresholds: Thresholds,
    /// The impact table, in the authors' order.
    pub impact: Vec<ImpactMeasure>,
    /// The timeline, in order of time; entries without one keep their place.
    pub timeline: Vec<TimelineEntry>,
    /// The milestones known.
    pub milestones: Vec<MilestoneAt>,
    /// Times derived from the milestones.
    pub derived: DerivedTimes,
    /// The root cause, paragraphs parted by a blank line.
    pub root_cause: String,
    /// The action items, in the document's order.
    pub actions: Vec<Action>,
    /// The rule for following up with customers.
    pub follow_up: String,
    /// The evidence, in order of number.
    pub evidence: Vec<Evidence>,
    /// Where the prose cites evidence.
    pub citations: Vec<Citation>,
    /// The prose rendered and sanitised, by field ("summary", "`key_points/0`").
    pub html: BTreeMap<String, String>,
    /// The signals, with the bins of the chart's first view.
    pub signals: Vec<Signal>,
    /// The plain values, with the points of the chart's first view.
    #[serde(default)]
    pub values: Vec<ValueSignal>,
    /// Every flag change known, in order of time.
    pub flags: Vec<FlagChange>,
    /// Every deploy known, in order of time.
    #[serde(default)]
    pub deploys: Vec<Deploy>,
    /// The files that telemetry was imported from, in the order of their import.
    #[serde(default)]
    pub imports: Vec<ImportedFile>,
    /// What the error rate did when a flag was switched.
    pub comparison: Computed<FlagComparison>,
    /// The figures that are bound to a computation, and what checking each came to.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// Bindings that the words suggest, and that nobody has confirmed yet; absent under a share link.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claim_proposals: Vec<ClaimProposal>,
    /// What the importer could not understand.
    pub diagnostics: Vec<Diagnostic>,
    /// When it was entered here.
    pub created_at: DateTime<Utc>,
    /// When anything in it last changed.
    pub updated_at: DateTime<Utc>,
    /// Who may see it; absent in an export and under a share link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<AccessMarks>,
    /// Until when the share link works under which this was read; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_until: Option<DateTime<Utc>>,
}

/// Who may see an incident, as its readers are told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AccessMarks {
    /// Everybody who is signed in, or those named.
    pub visibility: Visibility,
    /// Its share links that nobody revoked; one whose time is over no longer works.
    pub shares: Vec<ShareMark>,
}

/// With whom an incident is shared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ShareMark {
    /// With whom, in words.
    pub audience: String,
    /// Until when the link works.
    pub until: DateTime<Utc>,
}
