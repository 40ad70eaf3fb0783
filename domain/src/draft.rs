//! What an importer hands over: an incident that has no id yet, and what it could not understand.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use crate::evidence::{Citation, EvidenceKind};
use crate::id::EvidenceNumber;
use crate::impact::{Confidence, whole_where_whole};
use crate::incident::{IncidentStatus, Severity, Thresholds};
use crate::prose::Prose;
use crate::timeline::Milestone;
use crate::verification::Verification;
use crate::words::words;

/// An incident as a document states it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IncidentDraft {
    /// The title, or the headline's first clause.
    pub title: String,
    /// The headline.
    pub summary: Prose,
    /// The points under the headline.
    pub key_points: Vec<Prose>,
    /// How bad it was, if that is said.
    pub severity: Option<Severity>,
    /// Where it stands.
    pub status: IncidentStatus,
    /// When the impact began.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// The zone that the document's times are in: an IANA name or `+HH:MM`.
    pub home_zone: String,
    /// The services named.
    pub services: Vec<String>,
    /// The tags named.
    pub tags: Vec<String>,
    /// The error rates stated as alert and recovery thresholds.
    pub thresholds: Thresholds,
    /// The impact table.
    pub impact: Vec<ImpactDraft>,
    /// The timeline, in the document's order.
    pub timeline: Vec<TimelineDraft>,
    /// The root cause.
    pub root_cause: Prose,
    /// The action items, in the document's order.
    pub actions: Vec<ActionDraft>,
    /// The rule for following up with customers.
    pub follow_up: Prose,
    /// The evidence cited, in order of number.
    pub evidence: Vec<EvidenceDraft>,
}

/// A row of the impact table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImpactDraft {
    /// What is measured.
    pub label: String,
    /// The result as written.
    pub result: String,
    /// The result as a number, where it is one.
    #[serde(serialize_with = "whole_where_whole")]
    pub quantity: Option<f64>,
    /// What the number counts.
    pub unit: Option<String>,
    /// How sure the authors are.
    pub confidence: Confidence,
    /// Why they are.
    pub basis: Option<String>,
    /// The evidence cited.
    pub evidence: Vec<EvidenceNumber>,
}

/// A timeline entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TimelineDraft {
    /// When it happened; none where the document leaves it open, or has times and no date is known.
    pub occurred_at: Option<DateTime<Utc>>,
    /// The end of the span, where a span is written.
    pub occurred_until: Option<DateTime<Utc>>,
    /// The time as written.
    pub written_time: String,
    /// What happened.
    pub event: String,
    /// What was decided on it.
    pub decision: Option<String>,
    /// The milestone that its words suggest.
    pub milestone: Option<Milestone>,
    /// The evidence cited.
    pub evidence: Vec<EvidenceNumber>,
}

/// An action item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActionDraft {
    /// The owning team, as written; empty where none is.
    pub owner: String,
    /// What is to change.
    pub change: String,
    /// When it is due.
    pub due: Option<NaiveDate>,
    /// How it is to be verified.
    pub verification: Verification,
    /// Whether the document marks it as done. That is no proof, so it is imported as `to_verify`.
    pub done: bool,
    /// The evidence cited.
    pub evidence: Vec<EvidenceNumber>,
}

/// A numbered source that the document cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceDraft {
    /// The number.
    pub number: EvidenceNumber,
    /// Its title, where the document lists its sources.
    pub title: Option<String>,
    /// What sort of source the words beside it suggest.
    pub kind: EvidenceKind,
    /// Its address, where the document gives one.
    pub link: Option<String>,
}

impl IncidentDraft {
    /// Every place in the prose that cites evidence.
    pub fn citations(&self) -> Vec<Citation> {
        citations(&self.summary, &self.key_points, &self.root_cause, &self.follow_up)
    }
}

/// Every place in an incident's prose that cites evidence.
pub fn citations(summary: &Prose, key_points: &[Prose], root_cause: &Prose, follow_up: &Prose) -> Vec<Citation> {
    let fixed = [("/summary", summary), ("/root_cause", root_cause), ("/follow_up", follow_up)];
    let points = key_points.iter().enumerate().map(|(i, point)| (format!("/key_points/{i}"), point));
    let mut fields: Vec<(String, &Prose)> = fixed.into_iter().map(|(field, prose)| (field.to_owned(), prose)).collect();
    fields.splice(1..1, points);
    fields
        .into_iter()
        .flat_map(|(field, prose)| {
            prose.places().into_iter().map(move |(offset, evidence)| Citation {
                field: field.clone(),
                offset: u32::try_from(offset).unwrap_or(u32::MAX),
                evidence,
            })
        })
        .collect()
}

words!(
    /// How much a diagnostic matters.
    Level {
        /// The import cannot go on without an answer.
        Error = "error", "Error";
        /// Something was left out or guessed.
        Warning = "warning", "Warning";
        /// Something was read in a way worth knowing.
        Note = "note", "Note";
    }
);

/// Something that an importer wants a person to know, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Diagnostic {
    /// How much it matters.
    pub level: Level,
    /// The line, from 1; null where it concerns the whole file.
    pub line: Option<u32>,
    /// What is the matter, and what mends it.
    pub message: String,
    /// The text concerned, as it stands in the file.
    pub text: Option<String>,
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{}: {}", self.level.label().to_ascii_lowercase(), self.message)
    }
}
