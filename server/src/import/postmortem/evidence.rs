//! The sources: every number cited, with a title and a link where the document lists them.

use std::collections::BTreeMap;

use domain::draft::{EvidenceDraft, IncidentDraft, Level, citations};
use domain::evidence::EvidenceKind;

use super::lines::Line;
use super::list::bullet;
use super::report::Report;
use super::section::Section;

/// Collects the evidence of a draft.
pub fn collect<'a>(
    draft: &IncidentDraft,
    sections: impl Iterator<Item = &'a Section<'a>>,
    notes: &'a [Line<'a>],
    report: &mut Report,
) -> Vec<EvidenceDraft> {
    let mut sources: BTreeMap<u32, EvidenceDraft> = BTreeMap::new();
    let new = |number| EvidenceDraft { number, title: None, kind: EvidenceKind::Document, link: None };
    let prose = citations(&draft.summary, &draft.key_points, &draft.root_cause, &draft.follow_up);
    let rows =
        draft.timeline.iter().map(|entry| &entry.evidence).chain(draft.actions.iter().map(|action| &action.evidence));
    for number in prose.iter().map(|citation| &citation.evidence).chain(rows).flatten() {
        sources.entry(*number).or_insert_with(|| new(*number));
    }
    for measure in &draft.impact {
        for number in &measure.evidence {
            let source = sources.entry(*number).or_insert_with(|| new(*number));
            if source.kind == EvidenceKind::Document {
                source.kind = kind(measure.basis.as_deref().unwrap_or_default());
            }
        }
    }
    let lines: Vec<&Line<'_>> = sections.flat_map(|section| &section.lines).chain(notes).collect();
    let is_numbered = lines.iter().any(|line| listed(line.text).is_some());
    // A list without numbers, which nothing cites, is numbered as it stands.
    let mut unnumbered = 1..if sources.is_empty() && !is_numbered { u32::MAX } else { 1 };
    for line in lines {
        let Some((number, text)) = listed(line.text).or_else(|| {
            let text = bullet(line.text)?.text;
            unnumbered.next().map(|number| (number, text))
        }) else {
            continue;
        };
        let source = sources.entry(number).or_insert_with(|| new(number));
        if source.title.is_some() || source.link.is_some() {
            let message = format!("the source {number} is listed twice; this line is in no field");
            report.name(Level::Warning, line, message);
            continue;
        }
        report.read(line);
        let (mut title, link) = parted(text);
        for known in EvidenceKind::ALL {
            if let Some(rest) = title.strip_suffix(&format!("({})", known.label())) {
                source.kind = *known;
                title = rest.trim().into();
            }
        }
        if source.kind == EvidenceKind::Document {
            source.kind = kind(&title);
        }
        source.title = Some(title).filter(|title| !title.is_empty() && title != "Untitled source");
        source.link = link;
    }
    sources.into_values().collect()
}

/// The kind of source that the words beside a number suggest.
fn kind(basis: &str) -> EvidenceKind {
    let lower = basis.to_lowercase();
    let words = [
        ("load test", EvidenceKind::LoadTest),
        ("ledger", EvidenceKind::Ledger),
        ("event", EvidenceKind::Events),
        ("log", EvidenceKind::Log),
        ("metric", EvidenceKind::Metric),
        ("graph", EvidenceKind::Metric),
        ("dashboard", EvidenceKind::Metric),
    ];
    words.iter().find(|(word, _)| lower.contains(word)).map_or(EvidenceKind::Document, |(_, kind)| *kind)
}

/// `1. Title`, `[^1]: Title`, `[1] Title`.
fn listed(text: &str) -> Option<(u32, &str)> {
    let numbered = text.strip_prefix("[^").or_else(|| text.strip_prefix('[')).and_then(|rest| {
        let (number, rest) = rest.split_once(']')?;
        Some((number, rest.trim_start_matches([':', ' '])))
    });
    let (number, rest) = match numbered {
        Some(found) => found,
        None => (&text[..text.find(['.', ')'])?], bullet(text).filter(|bullet| bullet.ordered)?.text),
    };
    Some((number.parse().ok().filter(|number| (1..=9999).contains(number))?, rest))
}

/// A title and the address beside it.
fn parted(text: &str) -> (String, Option<String>) {
    let Some(at) = text.find("http://").into_iter().chain(text.find("https://")).min() else {
        return (text.trim().to_owned(), None);
    };
    let end = text[at..].find([' ', '>', ')']).map_or(text.len(), |end| at + end);
    let title = format!("{} {}", &text[..at], &text[end..]);
    let title = title.trim_matches(|c: char| c.is_whitespace() || "<>()[]-–:\"“”".contains(c));
    // Both ends may have lost a bracket that belongs to the title.
    let title = if title.contains('(') && !title.contains(')') { format!("{title})") } else { title.to_owned() };
    (title, Some(text[at..end].to_owned()))
}
