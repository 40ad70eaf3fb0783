//! What the words beside a figure suggest to compute. A person confirms each proposal.

use super::{ClaimProposal, Computation, Figure, Measured, Target};
use crate::impact::ImpactMeasure;
use crate::incident::Thresholds;
use crate::quantity::{Dimension, Number, Unit};

/// How many words behind a figure in prose tell what it counts.
const WORDS_BEHIND: usize = 5;

/// The texts of an incident that hold figures, without marks.
#[derive(Debug, Clone, Copy)]
pub struct Written<'a> {
    /// The impact table.
    pub impact: &'a [ImpactMeasure],
    /// The headline.
    pub summary: &'a str,
    /// The points under it.
    pub key_points: &'a [String],
    /// The error rates stated.
    pub thresholds: Thresholds,
}

impl<'a> Written<'a> {
    /// The figure of a target as it is written now; none where it is no longer there.
    pub fn stated(&self, target: &Target) -> Option<&'a str> {
        let text = match (&target.measure, target.field.as_deref()) {
            (Some(id), None) => self.impact.iter().find(|measure| measure.id == *id).map(|measure| &*measure.result),
            (None, Some("summary")) => Some(self.summary),
            (None, Some(field)) => {
                let place: usize = field.strip_prefix("key_points/")?.parse().ok()?;
                self.key_points.get(place).map(String::as_str)
            }
            _ => None,
        }?;
        match target.figure.as_deref() {
            None => Some(text).filter(|_| target.measure.is_some()),
            Some(figure) => text.find(figure).map(|at| &text[at..at + figure.len()]),
        }
    }
}

/// Proposes a computation for every figure whose words name one, in the order of the page.
pub fn propose(written: Written<'_>) -> Vec<ClaimProposal> {
    let points = written.key_points.iter().enumerate().map(|(i, text)| (format!("key_points/{i}"), text.as_str()));
    let prose = std::iter::once(("summary".to_owned(), written.summary)).chain(points);
    let mut proposals: Vec<ClaimProposal> =
        prose.flat_map(|(field, text)| of_prose(&field, text, written.thresholds)).collect();
    proposals.extend(written.impact.iter().filter_map(|measure| {
        let computation = named(&measure.label, &Figure::read(&measure.result)?, written.thresholds)?;
        let target = Target { measure: Some(measure.id.clone()), field: None, figure: None };
        Some(ClaimProposal { target, computation, stated: measure.result.clone() })
    }));
    proposals
}

fn of_prose(field: &str, text: &str, thresholds: Thresholds) -> Vec<ClaimProposal> {
    let mut proposals: Vec<ClaimProposal> = Vec::new();
    let mut from = 0;
    while let Some(found) = text[from..].find(|c: char| c.is_ascii_digit()) {
        let start = from + found;
        let end = text[start..]
            .find(|c: char| !(c.is_ascii_digit() || ",._:".contains(c)))
            .map_or(text.len(), |at| start + at);
        from = end;
        let is_inside_a_word = text[..start].ends_with(|c: char| c.is_alphanumeric() || "-+#/:".contains(c));
        let Some(figure) = Figure::read(&text[start..]).filter(|_| !is_inside_a_word) else { continue };
        // Only what the figure itself is followed by counts, up to the end of its clause.
        let Figure::Number { unit, unit_word, .. } = &figure else { continue };
        let mut until = start + text[start..end].trim_end_matches([',', '.', ':']).len();
        let behind = &text[until..];
        if unit.is_some() {
            let spaces = behind.len() - behind.trim_start().len();
            until += spaces + unit_word.len();
        }
        let clause = text[until..].split([',', ';', '.', '(', '–', '—']).next().unwrap_or_default();
        let words: Vec<&str> = clause.split_whitespace().take(WORDS_BEHIND).collect();
        let stated = &text[start..until];
        if let Some(computation) = named(&words.join(" "), &figure, thresholds)
            && !proposals.iter().any(|known| known.stated == stated)
        {
            let target = Target { measure: None, field: Some(field.to_owned()), figure: Some(stated.to_owned()) };
            proposals.push(ClaimProposal { target, computation, stated: stated.to_owned() });
        }
    }
    proposals
}

/// The computation that words name for a figure.
fn named(words: &str, figure: &Figure, thresholds: Thresholds) -> Option<Computation> {
    let words = words.to_lowercase();
    let has = |any: &[&str]| any.iter().any(|word| words.contains(word));
    let fails = has(&["fail", "error"]);
    let unit = match figure {
        Figure::Clock { .. } => None,
        Figure::Number { unit, .. } => *unit,
    };
    let is_count = matches!(figure, Figure::Number { .. }) && unit.is_none();
    let measure = match unit.map(Unit::dimension) {
        _ if has(&["charge", "refund", "data loss", "lost"]) => return None,
        Some(Dimension::Share) if fails => Measured::FailedShare,
        Some(Dimension::Time) if has(&["window", "duration", "elevated", "period"]) => Measured::Duration,
        None if !is_count && has(&["window", "duration", "period"]) => Measured::Duration,
        None if is_count
            && has(&["customer", "user", "buyer", "shopper"])
            && (fails || has(&["affected", "impacted"])) =>
        {
            Measured::AffectedCustomers
        }
        None if is_count && fails && has(&["attempt", "request", "checkout", "purchase", "failures", "errors"]) => {
            Measured::FailedAttempts
        }
        None if is_count && has(&["attempts"]) => Measured::Attempts,
        _ => return None,
    };
    if measure != Measured::Duration {
        return Some(Computation::of(measure));
    }
    let threshold = |share: Option<f64>| Number::try_from(share?).ok();
    let (upper, lower) = (Some(threshold(thresholds.alert)?), Some(threshold(thresholds.recovered)?));
    Some(Computation { upper, lower, ..Computation::of(measure) })
}
