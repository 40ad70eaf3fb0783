//! What a file of attempts looks like, told from its head before anything is imported.

use std::io::Read;

use domain::mapping::{COMPLETED, FAILED, Mapping};
use domain::wire::imports::{EventsPreview, PreviewColumn, Refused, SavedMapping};

use super::super::ImportError;
use super::layout::{Head, Layout};
use super::rows::quoted;
use super::scan::Pieces;

/// How many values of a column are shown.
const SHOWN: usize = 3;

/// A file shorter than this is taken for whole, so that its last line is a row.
const CUT: usize = 64 << 10;

/// The most outcomes that are listed as unknown.
const MOST_OUTCOMES: usize = 20;

/// Whether whoever asks may see what may tell customers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// Every value.
    All,
    /// Only what times, outcomes and latencies are.
    NoCustomers,
}

/// Looks at the head of a file: `source` may end anywhere. Where nothing is asked, the saved mapping for files with these
/// columns is taken.
pub fn preview(
    source: impl Read + Send,
    asked: &Mapping,
    saved: &[SavedMapping],
    sight: Sight,
) -> Result<EventsPreview, ImportError> {
    let mut pieces = Pieces::new(source)?;
    let packing = pieces.packing();
    let text = pieces.beginning()?;
    // A row that was cut off is none.
    let whole = match memchr::memrchr(b'\n', text) {
        Some(at) if text.len() >= CUT => &text[..=at],
        _ => text,
    };
    let head = Head::of(whole, true, asked)?;
    let known = saved.iter().find(|saved| asked.is_empty() && saved.columns == head.columns);
    let mut told = EventsPreview {
        shape: head.shape(packing),
        columns: Vec::new(),
        mapping: head.proposed(known.map_or(asked, |saved| &saved.mapping)),
        saved_as: known.map(|saved| saved.name.clone()),
        unknown_outcomes: Vec::new(),
        trouble: None,
        rows_read: 0,
        refused: Refused::default(),
    };
    let mut outcomes: Vec<String> = Vec::new();
    for (at, name) in head.columns.iter().enumerate() {
        let holds = |column: &Option<String>| column.as_ref().is_some_and(|c| c.eq_ignore_ascii_case(name));
        if holds(&told.mapping.outcome) {
            for value in head.values(at) {
                let word = quoted(value);
                if outcomes.len() < MOST_OUTCOMES && !outcomes.contains(&word) {
                    outcomes.push(word);
                }
            }
        }
        let is_harmless = [&told.mapping.time, &told.mapping.outcome, &told.mapping.latency].into_iter().any(holds);
        let values = head.values(at).map(quoted).take(if sight == Sight::All || is_harmless { SHOWN } else { 0 });
        told.columns.push(PreviewColumn { name: name.clone(), values: values.collect() });
    }
    let is_said = |word: &String| {
        [COMPLETED, FAILED].contains(&word.as_str())
            || told.mapping.completed.contains(word)
            || told.mapping.failed.contains(word)
    };
    told.unknown_outcomes = outcomes.into_iter().filter(|word| !is_said(word)).collect();
    match Layout::settle(&head, &told.mapping) {
        Err(ImportError::Refused(reason)) => told.trouble = Some(reason),
        Err(other) => return Err(other),
        Ok(layout) => {
            let (at, line) = head.body;
            layout.read(&whole[at..], line, true, |line, row| {
                told.rows_read += 1;
                if let Err(reason) = row {
                    told.refused.add(line, reason);
                }
            })?;
            told.mapping = layout.mapping;
        }
    }
    Ok(told)
}
