//! The importer of post-mortems: text in, drafts and diagnostics out. Pure: no I/O, no clock, no store.
//!
//! Every line that is not blank ends in a draft, is structure (a heading, a table's frame), or is named by a diagnostic.

mod actions;
mod bounds;
mod calendar;
mod day;
mod due;
mod evidence;
mod facts;
mod headline;
mod impact;
mod labels;
mod lines;
mod list;
mod marks;
mod milestones;
mod names;
mod prose;
mod report;
mod section;
mod stamp;
mod table;
#[cfg(test)]
mod tests;
mod timeline;
mod window;
mod zone;

use chrono::NaiveDate;
use domain::draft::{Diagnostic, IncidentDraft, Level, TimelineDraft};
use domain::incident::{IncidentStatus, Severity};
use domain::prose::Prose;
use serde::Serialize;

use self::labels::Labels;
use self::lines::{Form, Line};
use self::report::Report;
use self::section::{Cut, Kind, Section};
pub use self::zone::{Zone, given as given_zone};

/// What the reading depends on beside the bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The day that times without a date belong to.
    pub date: Option<NaiveDate>,
    /// The zone of times where the document names none, or only an abbreviation that may be several.
    pub zone: Option<Zone>,
}

impl Options {
    /// The options, spelled the same whenever they are the same; empty where there are none.
    pub fn spelled(&self) -> String {
        let date = self.date.map(|date| format!("date={date}"));
        let zone = self.zone.map(|zone| format!("zone={}", zone::name(Some(zone))));
        date.into_iter().chain(zone).collect::<Vec<_>>().join(" ")
    }
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

/// Reads a document. It never fails: what is wrong with it is among the diagnostics.
pub fn parse(bytes: &[u8], options: &Options) -> Parsed {
    let mut report = Report::default();
    if bounds::is_too_large(bytes, &mut report) {
        return Parsed { incidents: Vec::new(), diagnostics: report.into_diagnostics() };
    }
    let text = lines::decode(bytes, &mut report);
    let marked = marks::split(&text, &mut report);
    let lines = lines::number(&marked, &text);
    if !lines.iter().any(Line::says_something) {
        report.add(Level::Error, None, "the document is empty", None);
        return Parsed { incidents: Vec::new(), diagnostics: report.into_diagnostics() };
    }
    let (front, body): (Vec<_>, Vec<_>) = lines.iter().copied().partition(|line| line.form == Form::FrontMatter);
    let body = body.into_iter().filter(|line| line.form != Form::Comment);
    let (notes, body): (Vec<_>, Vec<_>) = body.partition(is_footnote);
    let mut cut = section::cut(&body, &mut report);
    for section in cut.further_incidents() {
        let message = format!(
            "another incident seems to begin here, ‘{}’; all was read as one, so put each incident into a file of its own",
            section.heading
        );
        report.add(Level::Warning, Some(section.start), message, Some(&section.heading));
    }
    let labels = Labels::take(&front, &mut cut.sections, &mut report);
    let draft = Reading { options, labels, notes: &notes, cut: &cut, report: &mut report }.draft();
    bounds::check(&draft, &mut report);
    let mut incidents = vec![draft];
    if incidents.iter().all(says_nothing) {
        report.add(
            Level::Error,
            None,
            "no incident was recognised: there is no impact, timeline, root cause, action item or follow-up; \
             put each under a heading of that name",
            None,
        );
        // What would have gone into the draft is lost with it.
        incidents.clear();
        report.forget();
    }
    report.name_unread(&lines, &cut.sections);
    Parsed { incidents, diagnostics: report.into_diagnostics() }
}

/// Whether a line is the text of a footnote: `[^1]: Title`.
fn is_footnote(line: &Line<'_>) -> bool {
    line.form == Form::Text
        && line.text.strip_prefix("[^").is_some_and(|rest| {
            let digits = rest.bytes().take(5).take_while(u8::is_ascii_digit).count();
            digits > 0 && rest[digits..].starts_with("]:")
        })
}

fn says_nothing(draft: &IncidentDraft) -> bool {
    draft.impact.is_empty()
        && draft.timeline.is_empty()
        && draft.actions.is_empty()
        && draft.root_cause.is_empty()
        && draft.follow_up.is_empty()
        && draft.started_at.is_none()
}

/// A document being read.
struct Reading<'d, 'a> {
    options: &'d Options,
    labels: Labels,
    notes: &'d [Line<'a>],
    cut: &'d Cut<'a>,
    report: &'d mut Report,
}

impl<'d, 'a> Reading<'d, 'a> {
    fn draft(mut self) -> IncidentDraft {
        let (summary, key_points, lead) = self.headline();
        let title = self.title(lead, &summary);
        let mut calendar = self.calendar(&title);
        let impact: Vec<_> = self.of(Kind::Impact).flat_map(|section| impact::read(section, self.report)).collect();
        let stated = self.stated_window(&mut calendar);
        let measured = impact.iter().filter(|measure| impact::is_window(&measure.label)).find_map(|measure| {
            Some((stamp::leading_in(&measure.result, calendar.order())?.0, measure.result.as_str()))
        });
        // A window with its day may tell the day of the timeline; one without may be told it.
        let (dated, dateless): (Vec<_>, Vec<_>) = measured.into_iter().partition(|(span, _)| span.from.day.is_some());
        let mut window = dated.first().map(|(span, text)| self.measured_window(span, text, &mut calendar));
        let given = calendar.day();
        let mut timeline: Vec<TimelineDraft> = Vec::new();
        for section in self.of(Kind::Timeline) {
            timeline.extend(timeline::read(section, &mut calendar, self.report));
        }
        timeline::finish(&mut timeline);
        if let Some((span, text)) = dateless.first() {
            let first = timeline.iter().filter_map(|entry| entry.occurred_at).min();
            if let Some(day) = given.or(first.map(|at| calendar.local_day(at))) {
                calendar.set_day(day);
            }
            window = Some(self.measured_window(span, text, &mut calendar));
        }
        let (started_at, ended_at) = self.window(stated, window.unwrap_or_default(), &timeline);
        if let Some(day) = started_at.map(|at| calendar.local_day(at)) {
            calendar.learn_day(day);
        }
        let mut basis = calendar.clone();
        if let Some(day) = started_at.map(|at| calendar.local_day(at)) {
            basis.set_day(day);
        }
        let mut actions = Vec::new();
        for section in self.of(Kind::Actions) {
            actions.extend(actions::read(section, &basis, self.report));
        }
        let root_cause = self.prose(Kind::RootCause);
        let follow_up = self.prose(Kind::FollowUp);
        let told: Vec<&str> = timeline
            .iter()
            .flat_map(|entry| [Some(entry.event.as_str()), entry.decision.as_deref()])
            .flatten()
            .chain([summary.marked(), title.as_str()])
            .collect();
        let severity = match self.labels.get("severity").map(str::to_owned) {
            Some(label) => self.severity(&label),
            None => told.iter().find_map(|text| facts::severity_in(text)),
        };
        let thresholds = facts::thresholds(&told);
        let status = self.status();
        calendar.report(self.report);
        let mut draft = IncidentDraft {
            title,
            summary,
            key_points,
            severity,
            status: status.unwrap_or(if ended_at.is_some() {
                IncidentStatus::Resolved
            } else {
                IncidentStatus::Investigating
            }),
            started_at,
            ended_at,
            home_zone: calendar.home_zone(),
            services: self.labels.list("services"),
            tags: self.labels.list("tags"),
            thresholds,
            impact,
            timeline,
            root_cause,
            actions,
            follow_up,
            evidence: Vec::new(),
        };
        draft.evidence = evidence::collect(&draft, self.of(Kind::Evidence), self.notes, self.report);
        draft
    }

    fn of(&self, kind: Kind) -> impl Iterator<Item = &'d Section<'a>> + use<'d, 'a> {
        self.cut.sections.iter().filter(move |section| section.kind == kind)
    }

    fn line_of(&self, text: &str) -> Line<'a> {
        let mut lines = self.of(Kind::Impact).flat_map(|section| &section.lines);
        let found = lines.find(|line| line.text.contains(text)).or(self
            .cut
            .sections
            .iter()
            .find_map(|section| section.lines.first()));
        found.copied().unwrap_or(Line { number: 1, text: "", full: "", raw: "", indent: 0, form: Form::Text })
    }

    fn severity(&mut self, label: &str) -> Option<Severity> {
        let found = facts::severity(label);
        let (level, message) = match found {
            Some(severity) if label.chars().filter(|c| c.is_alphanumeric()).count() > 9 || label.contains(' ') => {
                (Level::Note, format!("‘{label}’ was read as {}", severity.label()))
            }
            Some(_) => return found,
            None => (Level::Warning, format!("‘{label}’ is no severity that is known; set one of SEV-1 to SEV-5")),
        };
        self.labels.name("severity", level, message, self.report);
        found
    }

    fn status(&mut self) -> Option<IncidentStatus> {
        let label = self.labels.get("status")?.to_owned();
        let found = facts::status(&label);
        let (level, message) = match found {
            Some(status) if label.contains(|c: char| !c.is_alphanumeric()) => {
                (Level::Note, format!("‘{label}’ was read as {}", status.label()))
            }
            Some(_) => return found,
            None => (Level::Warning, format!("‘{label}’ is no status that is known; set it after the import")),
        };
        self.labels.name("status", level, message, self.report);
        found
    }

    fn prose(&mut self, kind: Kind) -> Prose {
        let mut parts = Vec::new();
        for section in self.of(kind) {
            // A placeholder is no text; it stays unread, and so is named.
            if !table::is_placeholder(&prose::markdown(&section.lines, &mut Report::default())) {
                parts.push(prose::markdown(&section.lines, self.report));
            }
        }
        Prose::new(parts.join("\n\n"))
    }
}
