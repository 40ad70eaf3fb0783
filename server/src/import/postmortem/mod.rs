//! The importer of post-mortems: text in, drafts and diagnostics out. Pure: no I/O, no clock, no store.
//!
//! Every line that is not blank ends in a draft, is structure (a heading, a table's frame), or is named by a diagnostic.

mod actions;
mod evidence;
mod impact;
mod lines;
mod marks;
mod section;
mod table;
#[cfg(test)]
mod tests;
mod timeline;
mod times;

use std::collections::HashSet;

use chrono::NaiveDate;
use domain::draft::{Diagnostic, IncidentDraft, Level};
use domain::incident::{IncidentStatus, Severity, Thresholds};
use domain::prose::Prose;
use domain::timeline::Milestone;
use serde::Serialize;

use self::lines::Line;
use self::section::{Kind, Section};
use self::times::Dates;

/// What the reading depends on beside the bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The day that times without a date belong to.
    pub date: Option<NaiveDate>,
}

/// What was understood, and what was not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parsed {
    /// The incidents recognised: none or one.
    pub incidents: Vec<IncidentDraft>,
    /// What a person should know, in order of line.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// Why the document must not be imported as it is.
    pub fn refusals(&self) -> Vec<&Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.level == Level::Error).collect()
    }
}

/// Where readers report to.
#[derive(Debug, Default)]
struct Report(Vec<Diagnostic>);

impl Report {
    fn add(&mut self, level: Level, line: Option<u32>, message: impl Into<String>, text: Option<&str>) {
        self.0.push(Diagnostic { level, line, message: message.into(), text: text.map(str::to_owned) });
    }

    fn not_understood(&mut self, line: &Line<'_>, place: &str) {
        self.add(
            Level::Warning,
            Some(line.number),
            format!("not understood {place}; it stays in the document"),
            Some(line.text),
        );
    }
}

/// Reads a document. It never fails: what is wrong with it is among the diagnostics.
pub fn parse(bytes: &[u8], options: &Options) -> Parsed {
    let mut report = Report::default();
    let text = lines::decode(bytes, &mut report);
    let marked = marks::split(&text, &mut report);
    let lines = lines::number(&marked);
    if lines.is_empty() {
        report.add(Level::Error, None, "the document is empty", None);
        return Parsed { incidents: Vec::new(), diagnostics: report.0 };
    }
    let sections = section::cut(&lines, &mut report);
    let draft = read(&sections, options, &mut report);
    let is_incident = !(draft.impact.is_empty()
        && draft.timeline.is_empty()
        && draft.actions.is_empty()
        && draft.root_cause.is_empty()
        && draft.follow_up.is_empty()
        && draft.started_at.is_none());
    let mut incidents = vec![draft];
    if !is_incident {
        let named: HashSet<u32> = report.0.iter().filter_map(|found| found.line).collect();
        for line in lines.iter().filter(|line| !named.contains(&line.number)) {
            report.0.push(Diagnostic {
                level: Level::Note,
                line: Some(line.number),
                message: "belongs to no part of a post-mortem".to_owned(),
                text: Some(line.text.to_owned()),
            });
        }
        report.add(
            Level::Error,
            None,
            "no incident was recognised: there is no impact, timeline, root cause, action item or follow-up; \
             put each under a heading of that name",
            None,
        );
        incidents.clear();
    }
    report.0.sort_by_key(|diagnostic| diagnostic.line);
    Parsed { incidents, diagnostics: report.0 }
}

fn read(sections: &[Section<'_>], options: &Options, report: &mut Report) -> IncidentDraft {
    let labels: Vec<_> = sections.iter().flat_map(|section| &section.labels).collect();
    let label = |names: &[&str]| labels.iter().find(|l| names.contains(&l.name.as_str()));
    let written_date = label(&["date", "incident date"]).and_then(|l| times::date(&l.value, None));
    let mut dates = Dates::new(options.date.or(written_date));
    let zone_label = label(&["time zone", "timezone", "zone"]).map(|l| l.value.clone());
    dates.learn_zone(zone_label.as_deref().unwrap_or_default());
    let of = |kind: Kind| sections.iter().filter(move |section| section.kind == kind);

    let impact = of(Kind::Impact).flat_map(|section| impact::read(section, report)).collect::<Vec<_>>();
    let timeline =
        of(Kind::Timeline).flat_map(|section| timeline::read(section, &mut dates, report)).collect::<Vec<_>>();
    let window = impact
        .iter()
        .filter(|measure| impact::is_window(&measure.label))
        .find_map(|measure| times::range(&measure.result, &mut dates));
    let stated = |names: &[&str], dates: &mut Dates| {
        label(names).and_then(|l| times::range(&l.value, dates)).map(|range| range.from)
    };
    let first = |milestone: Milestone| {
        timeline.iter().filter(|entry| entry.milestone == Some(milestone)).find_map(|entry| entry.occurred_at)
    };
    let started_at = stated(&["start", "started", "started at", "start time", "impact start"], &mut dates)
        .or(window.map(|range| range.from))
        .or_else(|| first(Milestone::ImpactStarted))
        .or_else(|| first(Milestone::Detected))
        .or_else(|| timeline.iter().find_map(|entry| entry.occurred_at));
    let ended_at = stated(&["end", "ended", "ended at", "end time", "resolved", "resolved at"], &mut dates)
        .or(window.and_then(|range| range.until))
        .or_else(|| first(Milestone::Resolved));
    let actions = of(Kind::Actions).flat_map(|section| actions::read(section, dates.day(), report)).collect::<Vec<_>>();
    let (summary, key_points) = headline(sections);
    let title = title(sections, label(&["title"]).map(|l| l.value.as_str()), &summary, report);
    let root_cause = prose(of(Kind::RootCause));
    let follow_up = prose(of(Kind::FollowUp));
    let words: Vec<&str> = timeline
        .iter()
        .flat_map(|entry| [Some(entry.event.as_str()), entry.decision.as_deref()])
        .flatten()
        .chain([summary.marked(), title.as_str()])
        .collect();
    let severity = label(&["severity", "sev", "priority"])
        .and_then(|l| severity(&l.value))
        .or_else(|| words.iter().find_map(|text| severity(text)));
    let thresholds = thresholds(&words);
    let status = label(&["status", "state"]).and_then(|l| status(&l.value)).unwrap_or(if ended_at.is_some() {
        IncidentStatus::Resolved
    } else {
        IncidentStatus::Investigating
    });
    let list = |names: &[&str]| -> Vec<String> {
        label(names)
            .map(|l| {
                l.value.split([',', ';']).map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
            })
            .unwrap_or_default()
    };
    let (services, tags) =
        (list(&["service", "services", "affected services", "components"]), list(&["tags", "tag", "labels"]));
    dates.report(report);
    let mut draft = IncidentDraft {
        title,
        summary,
        key_points,
        severity,
        status,
        started_at,
        ended_at,
        home_zone: dates.home_zone(),
        services,
        tags,
        thresholds,
        impact,
        timeline,
        root_cause,
        actions,
        follow_up,
        evidence: Vec::new(),
    };
    if let (Some(from), Some(until)) = (draft.started_at, draft.ended_at)
        && until < from
    {
        report.add(Level::Warning, None, "the end is before the start; correct one of them", None);
    }
    draft.evidence = evidence::collect(&draft, of(Kind::Evidence), report);
    unread_labels(&labels, report);
    draft
}

const KNOWN_LABELS: &[&str] = &[
    "date",
    "incident date",
    "time zone",
    "timezone",
    "zone",
    "start",
    "started",
    "started at",
    "start time",
    "impact start",
    "end",
    "ended",
    "ended at",
    "end time",
    "resolved",
    "resolved at",
    "title",
    "severity",
    "sev",
    "priority",
    "status",
    "state",
    "service",
    "services",
    "affected services",
    "components",
    "tags",
    "tag",
    "labels",
];

fn unread_labels(labels: &[&section::Label<'_>], report: &mut Report) {
    for label in labels.iter().filter(|label| !KNOWN_LABELS.contains(&label.name.as_str())) {
        report.not_understood(&label.line, "as a label");
    }
}

/// The headline and the points under it.
fn headline(sections: &[Section<'_>]) -> (Prose, Vec<Prose>) {
    let top: Vec<_> = sections.iter().filter(|section| matches!(section.kind, Kind::Top | Kind::Summary)).collect();
    let paragraphs: Vec<String> = top.iter().flat_map(|section| section.paragraphs()).collect();
    let points = top.iter().flat_map(|section| section.items()).map(|item| Prose::new(item.text)).collect();
    (Prose::new(paragraphs.join("\n\n")), points)
}

fn prose<'a>(sections: impl Iterator<Item = &'a Section<'a>>) -> Prose {
    let parts: Vec<String> = sections.map(Section::as_markdown).filter(|text| !text.is_empty()).collect();
    Prose::new(parts.join("\n\n"))
}

/// The title: a heading of its own, a label, or the headline's first clause.
fn title(sections: &[Section<'_>], label: Option<&str>, summary: &Prose, report: &mut Report) -> String {
    let heading = sections.iter().find(|section| section.kind == Kind::Top && !section.heading.is_empty());
    if let Some(title) = label.or(heading.map(|section| section.heading.as_str())) {
        return Prose::new(title).plain();
    }
    let plain = summary.plain();
    let clause = plain.lines().next().unwrap_or_default();
    let clause = clause.split([';', '—']).next().unwrap_or_default();
    let clause = clause.split(": ").next().unwrap_or_default();
    let clause = clause.split(". ").next().unwrap_or_default().trim_end_matches('.').trim();
    if clause.is_empty() {
        report.add(
            Level::Warning,
            None,
            "the document has neither a title nor a headline; give the incident a title",
            None,
        );
        return "Untitled incident".to_owned();
    }
    report.add(
        Level::Note,
        None,
        format!("the document has no title; the headline's first clause is taken: ‘{clause}’"),
        None,
    );
    clause.chars().take(200).collect()
}

/// A severity named in a text: `SEV-2`, `sev2`, `Severity 2`, or a word.
fn severity(text: &str) -> Option<Severity> {
    let lower = text.to_lowercase();
    let digit = ["sev-", "sev ", "sev", "severity ", "severity: ", "s"].iter().find_map(|prefix| {
        lower.match_indices(prefix).find_map(|(at, _)| {
            let before = lower[..at].chars().next_back();
            let mut rest = lower[at + prefix.len()..].chars();
            let digit = rest.next()?.to_digit(10)?;
            let ends = rest.next().is_none_or(|c| !c.is_alphanumeric());
            (before.is_none_or(|c| !c.is_alphanumeric()) && ends).then_some(digit)
        })
    });
    let words = [("critical", 1), ("major", 2), ("moderate", 3), ("minor", 4)];
    let whole = lower.trim();
    let level = digit.or_else(|| words.iter().find(|(word, _)| whole == *word).map(|(_, level)| *level))?;
    Severity::ALL.get(usize::try_from(level).ok()?.checked_sub(1)?).copied()
}

fn status(text: &str) -> Option<IncidentStatus> {
    let lower = text.to_lowercase();
    IncidentStatus::ALL.iter().copied().find(|status| lower.contains(status.as_str())).or_else(|| {
        ["closed", "fixed", "complete", "final", "mitigated", "recovered"]
            .iter()
            .any(|word| lower.contains(word))
            .then_some(IncidentStatus::Resolved)
    })
}

/// The error rates that the words state as alert and as recovery thresholds.
fn thresholds(texts: &[&str]) -> Thresholds {
    let stated = |before: &[&str]| {
        texts.iter().find_map(|text| {
            let lower = text.to_lowercase();
            if !["error", "fail"].iter().any(|word| lower.contains(word)) {
                return None;
            }
            before.iter().find_map(|word| {
                let after = lower.split_once(word)?.1.trim_start();
                let end = after.find(|c: char| !c.is_ascii_digit() && c != '.')?;
                let number: f64 = after[..end].trim_end_matches('.').parse().ok()?;
                (after[end..].trim_start().starts_with('%') && number <= 100.0).then_some(number / 100.0)
            })
        })
    };
    Thresholds {
        alert: stated(&["exceeds ", "exceeded ", "above ", "over ", "crosses ", "crossed ", "past "]),
        recovered: stated(&["below ", "under "]),
    }
}
