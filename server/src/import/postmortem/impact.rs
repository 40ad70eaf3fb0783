//! The impact table: figures with their confidence.

use domain::draft::ImpactDraft;
use domain::impact::Confidence;

use super::Report;
use super::section::{Section, bullet};
use super::table::{self, Role, is_placeholder, unmarked};

const ROLES: &[Role] = &[
    ("label", &["measure", "metric", "what", "figure", "impact", "name", "label"]),
    ("result", &["result", "value", "count", "amount", "number", "measured"]),
    ("confidence", &["confidence", "certainty", "basis", "source", "status"]),
];

/// Reads the measures of a section.
pub fn read(section: &Section<'_>, report: &mut Report) -> Vec<ImpactDraft> {
    let (table, outside) = table::read(section, ROLES, report);
    let mut measures = Vec::new();
    for row in table.into_iter().flat_map(|table| table.rows) {
        if row.is_placeholder() || is_placeholder(row.cell("label")) || is_placeholder(row.cell("result")) {
            report.not_understood(&row.line, "as a measure: it needs a name and a result");
            continue;
        }
        measures.push(measure(row.cell("label"), row.cell("result"), row.cell("confidence"), row.evidence.clone()));
    }
    for line in outside {
        let (_, text) = bullet(line.text).unwrap_or((false, line.text));
        let (text, evidence) = unmarked(text);
        match text.split_once(':').filter(|(label, result)| label.len() <= 60 && !is_placeholder(result)) {
            Some((label, result)) => {
                let label = label.trim_matches(['*', '_', ' ']);
                measures.push(measure(label, result.trim_matches(['*', ' ']), "", evidence));
            }
            None => report.not_understood(&line, "as a measure; write ‘Measure: result’ or a row of the table"),
        }
    }
    measures
}

/// Whether a measure is the incident's window.
pub fn is_window(label: &str) -> bool {
    let label = label.to_lowercase();
    ["window", "duration", "incident time", "time of impact"].iter().any(|word| label.contains(word))
}

fn measure(label: &str, result: &str, confidence: &str, evidence: Vec<u32>) -> ImpactDraft {
    let (level, basis) = split_confidence(confidence, result);
    let (quantity, unit) = quantity(result);
    ImpactDraft {
        label: label.to_owned(),
        result: result.to_owned(),
        quantity,
        unit,
        confidence: level,
        basis,
        evidence,
    }
}

/// The level, and the words that give its basis. A basis without a level confirms, unless the result says otherwise.
fn split_confidence(text: &str, result: &str) -> (Confidence, Option<String>) {
    let lower = text.to_lowercase();
    let named = Confidence::ALL
        .iter()
        .copied()
        .filter(|level| *level != Confidence::Unknown)
        .find(|level| lower.starts_with(level.as_str()))
        .or_else(|| lower.starts_with("not stated").then_some(Confidence::Unknown));
    let basis = match named {
        Some(level) => {
            let rest =
                text[level.label().len().min(text.len())..].trim_start_matches([' ', ':', ',', ';', '-', '–', '(']);
            if rest.contains('(') { rest } else { rest.trim_end_matches(')') }
        }
        None => text,
    };
    let basis = (!is_placeholder(basis)).then(|| basis.trim().to_owned());
    let result = result.to_lowercase();
    let said = [Confidence::Observed, Confidence::Estimated, Confidence::Disputed]
        .into_iter()
        .find(|level| result.contains(level.as_str()))
        .or_else(|| {
            (result.starts_with('~') || result.starts_with("about ") || result.starts_with("approx"))
                .then_some(Confidence::Estimated)
        });
    let level = named.or(said).unwrap_or(if basis.is_some() { Confidence::Confirmed } else { Confidence::Unknown });
    (level, basis)
}

/// The number that a result is, and what it counts; none for a text that only holds numbers.
fn quantity(result: &str) -> (Option<f64>, Option<String>) {
    let text = result.trim_start_matches(['~', '<', '>', '≈', ' ']);
    let end = text.find(|c: char| !(c.is_ascii_digit() || ",._".contains(c))).unwrap_or(text.len());
    let (number, rest) = (text[..end].trim_end_matches(['.', ',']), text[end..].trim());
    let grouped =
        number.split(',').skip(1).all(|group| group.split('.').next().is_some_and(|digits| digits.len() == 3));
    let Some(value) = number.replace([',', '_'], "").parse::<f64>().ok().filter(|_| grouped && !number.is_empty())
    else {
        return (None, None);
    };
    let words: Vec<&str> = rest.split_whitespace().collect();
    let is_level = |word: &str| Confidence::WORDS.contains(&word.to_lowercase().trim_matches(['(', ')', ',']));
    match words.as_slice() {
        [] => (Some(value), None),
        [word, ..] if is_level(word) => (Some(value), None),
        [unit] | [unit, _] if unit.chars().all(|c| c.is_alphabetic() || "%/µ$€".contains(c)) => {
            (Some(value), Some((*unit).to_owned()))
        }
        _ if rest.starts_with(|c: char| c.is_ascii_digit() || ":-–/".contains(c)) => (None, None),
        _ => (Some(value), Some(rest.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_a_number_only_where_it_begins_with_one() {
        for (result, value, unit) in [
            ("1,284", Some(1284.0), None),
            ("973", Some(973.0), None),
            ("0 observed", Some(0.0), None),
            ("18.6%", Some(18.6), Some("%")),
            ("31 minutes", Some(31.0), Some("minutes")),
            ("~40 ms", Some(40.0), Some("ms")),
            ("09:46-10:17 UTC", None, None),
            ("2026-07-09T09:46Z", None, None),
            ("none", None, None),
            ("1,28", None, None),
        ] {
            assert_eq!(quantity(result), (value, unit.map(str::to_owned)), "{result}");
        }
    }

    #[test]
    fn the_word_is_the_level_and_the_rest_its_basis() {
        use Confidence::{Confirmed, Disputed, Estimated, Observed, Unknown};
        for (text, result, level, basis) in [
            ("confirmed from deploy and alert logs", "x", Confirmed, Some("from deploy and alert logs")),
            ("deduplicated by customer ID", "973", Confirmed, Some("deduplicated by customer ID")),
            ("payment ledger reconciled", "0 observed", Observed, Some("payment ledger reconciled")),
            ("Estimated (sampled)", "5", Estimated, Some("sampled")),
            ("disputed", "5", Disputed, None),
            ("observed: payment ledger reconciled", "0 observed", Observed, Some("payment ledger reconciled")),
            ("", "about 5", Estimated, None),
            ("", "5", Unknown, None),
        ] {
            assert_eq!(split_confidence(text, result), (level, basis.map(str::to_owned)), "{text}");
        }
    }
}
