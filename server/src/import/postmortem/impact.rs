//! The impact table: figures with their confidence.

use domain::draft::{ImpactDraft, Level};
use domain::impact::Confidence;

use super::list::{self, Block};
use super::report::Report;
use super::section::Section;
use super::table::{self, Part, Role, Row, is_placeholder, unmarked};

const ROLES: &[Role] = &[
    ("label", &["measure", "metric", "what", "figure", "impact", "name", "label", "area", "indicator"]),
    ("result", &["result", "value", "count", "amount", "number", "measured", "extent", "total"]),
    ("confidence", &["confidence", "certainty", "confidence level"]),
    ("basis", &["basis", "how we know", "method", "why", "status"]),
    ("evidence", &["evidence", "source", "sources", "ref", "reference"]),
];

/// Reads the measures of a section.
pub fn read(section: &Section<'_>, report: &mut Report) -> Vec<ImpactDraft> {
    let mut measures = Vec::new();
    for part in table::parts(&section.lines, ROLES, report) {
        match part {
            Part::Table(table) => measures.extend(table.rows.iter().filter_map(|row| take_row(row, report))),
            Part::Lines(lines) => {
                for block in list::blocks(&lines) {
                    take_block(&block, &mut measures, report);
                }
            }
        }
    }
    measures
}

fn take_row(row: &Row<'_>, report: &mut Report) -> Option<ImpactDraft> {
    if row.said("label").is_empty() || row.said("result").is_empty() {
        report.name(Level::Note, &row.line, "this row is no measure: it needs a name and a result");
        return None;
    }
    report.read(&row.line);
    let (confidence, basis) = (row.cell("confidence"), row.said("basis"));
    let mut measure = measure(row.cell("label"), row.cell("result"), confidence, row.evidence.clone());
    if !basis.is_empty() {
        let told = measure.basis.take().filter(|told| told != basis);
        measure.basis = Some(told.map_or_else(|| basis.to_owned(), |told| format!("{told}; {basis}")));
        if is_placeholder(confidence) {
            (measure.confidence, measure.basis) = split_confidence(basis, row.cell("result"));
        }
    }
    Some(measure)
}

/// List items and lines of the form `Failed attempts: 1,284`.
fn take_block(block: &Block<'_>, measures: &mut Vec<ImpactDraft>, report: &mut Report) {
    match block {
        Block::Item(item) if item.below.is_empty() => {
            if let Some(measure) = take_text(&item.text) {
                report.read(&item.line);
                for line in &item.rest {
                    report.read(line);
                }
                measures.push(measure);
            }
        }
        Block::Paragraph(lines) => {
            for line in lines {
                if let Some(measure) = take_text(line.text) {
                    report.read(line);
                    measures.push(measure);
                }
            }
        }
        Block::Item(_) | Block::Heading(_) | Block::Apart(_) => {}
    }
}

fn take_text(text: &str) -> Option<ImpactDraft> {
    let (text, evidence) = unmarked(text);
    let (label, result) = text.split_once(':').filter(|(_, result)| result.starts_with([' ', '*', '_']))?;
    let (label, result) = (label.trim_matches(['*', '_', ' ']), result.trim_matches(['*', '_', ' ']));
    let is_label =
        label.contains(char::is_alphabetic) && label.chars().count() <= 60 && !label.contains(['.', '?', '!', '/']);
    (is_label && !is_placeholder(result) && !is_placeholder(label)).then(|| measure(label, result, "", evidence))
}

/// Whether a measure is the incident's window.
pub fn is_window(label: &str) -> bool {
    let label = label.to_lowercase();
    ["window", "duration", "incident time", "time of impact", "period"].iter().any(|word| label.contains(word))
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
    let named = LEVELS.iter().find_map(|(word, level)| {
        let rest = text.get(word.len()..).filter(|_| text[..word.len()].eq_ignore_ascii_case(word))?;
        (!rest.starts_with(char::is_alphanumeric)).then_some((*level, rest))
    });
    let basis = named.map_or(text, |(_, rest)| {
        let rest = rest.trim_start_matches([' ', ':', ',', ';', '-', '–', '—', '(']);
        if rest.contains('(') { rest } else { rest.trim_end_matches(')') }
    });
    let basis = (!is_placeholder(basis)).then(|| basis.trim().to_owned());
    let level = named.map(|(level, _)| level).or_else(|| said_by(result));
    (level.unwrap_or(if basis.is_some() { Confidence::Confirmed } else { Confidence::Unknown }), basis)
}

/// The words that a confidence may begin with.
const LEVELS: &[(&str, Confidence)] = &[
    ("confirmed", Confidence::Confirmed),
    ("verified", Confidence::Confirmed),
    ("estimated", Confidence::Estimated),
    ("estimate", Confidence::Estimated),
    ("approximate", Confidence::Estimated),
    ("observed", Confidence::Observed),
    ("disputed", Confidence::Disputed),
    ("unknown", Confidence::Unknown),
    ("not stated", Confidence::Unknown),
    ("not confirmed", Confidence::Unknown),
    ("not verified", Confidence::Unknown),
    ("unconfirmed", Confidence::Unknown),
    ("unverified", Confidence::Unknown),
    ("suspected", Confidence::Unknown),
];

/// The level that the result itself tells.
fn said_by(result: &str) -> Option<Confidence> {
    let lower = result.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let level = [Confidence::Observed, Confidence::Estimated, Confidence::Disputed]
        .into_iter()
        .find(|level| words.contains(&level.as_str()));
    let is_rough =
        lower.starts_with(['~', '≈']) || ["about", "approx", "approximately", "roughly", "around"].contains(&words[0]);
    level.or(is_rough.then_some(Confidence::Estimated))
}

/// The number that a result is, and what it counts; none for a text that only holds numbers.
fn quantity(result: &str) -> (Option<f64>, Option<String>) {
    let text = result.trim_start_matches(['~', '<', '>', '≈', ' ']);
    let text = ["about ", "approx. ", "approximately ", "roughly ", "around "]
        .iter()
        .find_map(|word| {
            text.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word)).map(|_| &text[word.len()..])
        })
        .unwrap_or(text);
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
        _ if rest.starts_with(|c: char| c.is_ascii_digit() || ":-–/".contains(c)) => (None, None),
        [word, ..] if !is_level(word) && word.chars().all(|c| c.is_alphabetic() || "%/µ$€°".contains(c)) => {
            (Some(value), Some((*word).to_owned()))
        }
        _ => (Some(value), None),
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
            ("1,284 (18.6%)", Some(1284.0), None),
            ("31 minutes of elevated failures", Some(31.0), Some("minutes")),
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
            ("unconfirmed", "5", Unknown, None),
            ("Unknown: no logs", "5", Unknown, Some("no logs")),
            ("confirmedly so", "5", Confirmed, Some("confirmedly so")),
            ("", "about 5", Estimated, None),
            ("", "5", Unknown, None),
        ] {
            assert_eq!(split_confidence(text, result), (level, basis.map(str::to_owned)), "{text}");
        }
    }
}
