//! The timeline: a table, a list, or headings, each entry with its own time.

use domain::draft::TimelineDraft;
use domain::timeline::Milestone;

use super::Report;
use super::section::{Section, bullet};
use super::table::{self, Role, is_placeholder, unmarked};
use super::times::{self, Dates, Range};

const ROLES: &[Role] = &[
    (
        "time",
        &["time", "utc", "when", "timestamp", "at", "date", "gmt", "cet", "cest", "pst", "pdt", "est", "edt", "clock"],
    ),
    ("event", &["event", "what", "description", "what happened", "activity", "entry", "details"]),
    ("decision", &["decision", "action", "response", "decided", "outcome", "note", "notes", "comment"]),
];

/// Reads the entries of a section.
pub fn read(section: &Section<'_>, dates: &mut Dates, report: &mut Report) -> Vec<TimelineDraft> {
    let (table, outside) = table::read(section, ROLES, report);
    let mut entries = Vec::new();
    if let Some(table) = table {
        dates.learn_zone(&table.header.join(" "));
        for row in table.rows {
            if row.is_placeholder() || (is_placeholder(row.cell("event")) && is_placeholder(row.cell("decision"))) {
                report.not_understood(&row.line, "as an entry: nothing happens in it");
                continue;
            }
            let written = row.cell("time");
            let range = times::range(written, dates);
            if range.is_none() && times::leading_unknown(written).is_none() && !times::looks_like_time(written) {
                report.add(
                    domain::draft::Level::Warning,
                    Some(row.line.number),
                    format!("‘{written}’ is no time that could be read, so the entry has none; write HH:MM, or YYYY-MM-DD HH:MM"),
                    Some(row.line.text),
                );
            }
            entries.push(entry(range, written, row.cell("event"), row.cell("decision"), row.evidence.clone()));
        }
    }
    for line in outside {
        dates.learn_zone(line.text);
        let (_, text) = bullet(line.text).unwrap_or((false, line.text));
        let text = text.trim_start_matches('#').trim();
        if let Some(day) = times::date(text.trim_matches(['*', ':']), dates.day())
            .filter(|_| text.len() < 24 && !times::looks_like_time(text))
        {
            dates.set_day(day);
            continue;
        }
        let found = times::leading(text, dates).map(|(range, end)| (Some(range), end));
        let looks = times::looks_like_time(text).then(|| (None, text.find(' ').unwrap_or(text.len())));
        let unknown = times::leading_unknown(text).map(|end| (None, end));
        if let Some((range, end)) = found.or(looks).or(unknown) {
            let (rest, evidence) =
                unmarked(text[end..].trim_start_matches(|c: char| c.is_whitespace() || "-–—:*|,]".contains(c)));
            if !is_placeholder(&rest) {
                entries.push(entry(range, text[..end].trim(), &rest, "", evidence));
                continue;
            }
        } else if let Some(last) = entries.last_mut().filter(|_| line.indent > 0 || bullet(line.text).is_none()) {
            let (rest, evidence) = unmarked(text);
            last.event.push(' ');
            last.event.push_str(&rest);
            last.evidence.extend(evidence);
            continue;
        }
        report.not_understood(&line, "as a timeline entry, for want of a time");
    }
    propose_milestones(&mut entries);
    entries
}

fn entry(range: Option<Range>, written: &str, event: &str, decision: &str, evidence: Vec<u32>) -> TimelineDraft {
    let (event, decision) = if event.is_empty() { (decision, "") } else { (event, decision) };
    TimelineDraft {
        occurred_at: range.map(|range| range.from),
        occurred_until: range.and_then(|range| range.until),
        written_time: written.to_owned(),
        event: event.to_owned(),
        decision: (!is_placeholder(decision)).then(|| decision.to_owned()),
        milestone: None,
        evidence,
    }
}

const WORDS: &[(Milestone, &[&str])] = &[
    (
        Milestone::ImpactStarted,
        &[
            "impact begins",
            "impact began",
            "impact starts",
            "impact started",
            "outage begins",
            "outage began",
            "incident begins",
            "incident began",
        ],
    ),
    (
        Milestone::Detected,
        &[
            "alert fires",
            "alert fired",
            "alerts fire",
            "alert triggered",
            "alerted",
            "paged",
            "pages on-call",
            "detected",
        ],
    ),
    (Milestone::Declared, &["declared", "declares"]),
    (
        Milestone::Mitigated,
        &["disabled", "rolled back", "rollback", "mitigated", "reverted", "failed over", "turned off"],
    ),
    (
        Milestone::Resolved,
        &[
            "resolved",
            "recovered",
            "returns below",
            "returned below",
            "returns to normal",
            "back to normal",
            "all clear",
        ],
    ),
];

/// Proposes for each milestone the first entry whose words mark it.
fn propose_milestones(entries: &mut [TimelineDraft]) {
    for (milestone, words) in WORDS {
        let marks = |entry: &&mut TimelineDraft| {
            let text = format!("{} {}", entry.event, entry.decision.as_deref().unwrap_or_default()).to_lowercase();
            entry.milestone.is_none() && words.iter().any(|word| text.contains(word))
        };
        if let Some(entry) = entries.iter_mut().find(marks) {
            entry.milestone = Some(*milestone);
        }
    }
}
