//! Badges: a state by word and by shape, never by colour alone.

use domain::action::ActionStatus;
use domain::impact::Confidence;
use domain::incident::{IncidentStatus, Severity};
use leptos::prelude::*;

use crate::view::view;

#[component]
fn Badge(tone: &'static str, shape: &'static str, #[prop(into)] word: String) -> impl IntoView {
    view! {
        <span class=format!("badge {tone}")>
            {(!shape.is_empty()).then(|| view! { <span aria-hidden="true">{shape}</span> })}
            {word}
        </span>
    }
}

/// How bad an incident is.
#[component]
pub fn SeverityBadge(severity: Option<Severity>) -> impl IntoView {
    match severity {
        Some(severity) => {
            let tone = match severity {
                Severity::Sev1 => "bad",
                Severity::Sev2 | Severity::Sev3 => "warn",
                Severity::Sev4 | Severity::Sev5 => "quiet",
            };
            view! { <Badge tone shape="" word=severity.label()/> }
        }
        None => view! { <Badge tone="quiet" shape="" word="Severity not stated"/> },
    }
}

/// Where an incident stands.
#[component]
pub fn StatusBadge(status: IncidentStatus) -> impl IntoView {
    let (tone, shape) = match status {
        IncidentStatus::Investigating => ("bad", "?"),
        IncidentStatus::Identified => ("warn", "!"),
        IncidentStatus::Monitoring => ("warn", "◔"),
        IncidentStatus::Resolved => ("good", "✓"),
    };
    view! { <Badge tone shape word=status.label()/> }
}

/// How sure the authors are of a figure.
#[component]
pub fn ConfidenceBadge(confidence: Confidence) -> impl IntoView {
    let (tone, shape) = match confidence {
        Confidence::Confirmed => ("good", "✓"),
        Confidence::Observed => ("good", "◉"),
        Confidence::Estimated => ("warn", "≈"),
        Confidence::Disputed => ("bad", "≠"),
        Confidence::Unknown => ("quiet", "?"),
    };
    view! { <Badge tone shape word=confidence.label()/> }
}

/// Where an action item stands.
#[component]
pub fn ActionBadge(status: ActionStatus) -> impl IntoView {
    let (tone, shape) = match status {
        ActionStatus::Open => ("quiet", "○"),
        ActionStatus::InProgress => ("quiet", "◐"),
        ActionStatus::Blocked => ("bad", "✕"),
        ActionStatus::ToVerify => ("warn", "◔"),
        ActionStatus::Verified => ("good", "✓"),
        ActionStatus::WontDo => ("quiet", "–"),
    };
    view! { <Badge tone shape word=status.label()/> }
}
