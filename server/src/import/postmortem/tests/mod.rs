//! The importer as a whole: the worked example, its variants, other documents, and what holds for any text.

mod documents;
mod example;
mod lossless;

use chrono::NaiveDate;
use domain::draft::{Diagnostic, IncidentDraft};

use super::{Options, Parsed, given_zone, parse};

const EXAMPLE: &str = include_str!("../../../../../tests/data/checkout-postmortem.txt");

fn day(text: &str) -> NaiveDate {
    text.parse().expect("a day")
}

fn with_date(text: &str) -> Parsed {
    parse(text.as_bytes(), &Options { date: Some(day("2026-07-09")), ..Options::default() })
}

fn without_date(text: &str) -> Parsed {
    parse(text.as_bytes(), &Options::default())
}

/// The incident of a document that imports.
fn incident(text: &str) -> IncidentDraft {
    let parsed = with_date(text);
    assert!(parsed.refusals().is_empty(), "{:?}", parsed.diagnostics);
    parsed.incidents.into_iter().next().expect("an incident")
}

/// The diagnostics of a line, or of the block that begins on it.
fn named(parsed: &Parsed, line: u32) -> Vec<&Diagnostic> {
    parsed.diagnostics.iter().filter(|found| found.line == Some(line)).collect()
}

/// When each entry was, as day and time, and what happened.
fn entries(draft: &IncidentDraft) -> Vec<(String, &str)> {
    let when = |entry: &domain::draft::TimelineDraft| {
        let at = entry.occurred_at.map_or("open".to_owned(), |at| at.format("%d %H:%M").to_string());
        entry.occurred_until.map_or(at.clone(), |until| format!("{at} to {}", until.format("%d %H:%M")))
    };
    draft.timeline.iter().map(|entry| (when(entry), entry.event.as_str())).collect()
}
