//! The importer of post-mortems: text in, drafts and diagnostics out. Pure: no I/O, no clock, no store.
//!
//! Every line that is not blank ends in a draft, is structure (a heading, a table's frame), or is named by a diagnostic.

mod actions;
mod calendar;
mod day;
mod due;
mod evidence;
mod facts;
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
mod zone;

use chrono::{DateTime, NaiveDate, Utc};
use domain::draft::{Diagnostic, IncidentDraft, Level, TimelineDraft};
use domain::incident::{IncidentStatus, Severity};
use domain::prose::Prose;
use domain::timeline::Milestone;
use serde::Serialize;

use self::calendar::{Calendar, When};
use self::day::Order;
use self::labels::Labels;
use self::lines::{Form, Line};
use self::list::Block;
use self::report::Report;
use self::section::{Cut, Kind, Section};

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

/// Reads a document. It never fails: what is wrong with it is among the diagnostics.
pub fn parse(bytes: &[u8], options: &Options) -> Parsed {
    let mut report = Report::default();
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
    let labels = Labels::take(&front, &mut cut.sections, &mut report);
    let draft = Reading { options, labels, notes: &notes, cut: &cut, report: &mut report }.draft();
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
        let window = impact.iter().filter(|measure| impact::is_window(&measure.label)).find_map(|measure| {
            let (span, _) = stamp::leading_in(&measure.result, calendar.order())?;
            let line = self.line_of(&measure.result);
            let mut own = Calendar::clone(&calendar);
            let when = own.place(&span, &line, self.report);
            calendar = own.without_last();
            Some(when)
        });
        let mut timeline: Vec<TimelineDraft> = Vec::new();
        for section in self.of(Kind::Timeline) {
            timeline.extend(timeline::read(section, &mut calendar, self.report));
        }
        timeline::finish(&mut timeline);
        let stated = self.stated_window(&mut calendar);
        let (started_at, ended_at) = self.window(stated, window.unwrap_or_default(), &timeline);
        if let Some(day) = started_at.and_then(|at| calendar.local_day(at)) {
            calendar.learn_day(day);
        }
        let mut basis = calendar.clone();
        if let Some(day) = started_at.and_then(|at| calendar.local_day(at)) {
            basis.set_day(day);
        }
        let mut actions = Vec::new();
        for section in self.of(Kind::Actions) {
            actions.extend(actions::read(section, &basis, self.report));
        }
        let root_cause = self.prose(Kind::RootCause);
        let follow_up = self.prose(Kind::FollowUp);
        let told = timeline
            .iter()
            .flat_map(|entry| [Some(entry.event.as_str()), entry.decision.as_deref()])
            .flatten()
            .chain([summary.marked(), title.as_str()]);
        let severity = match self.labels.get("severity").map(str::to_owned) {
            Some(label) => self.severity(&label),
            None => told.clone().find_map(facts::severity_in),
        };
        let thresholds = facts::thresholds(told);
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

    /// The headline, the points under it, and a first line that reads as a title.
    fn headline(&mut self) -> (Prose, Vec<Prose>, Option<String>) {
        let (mut paragraphs, mut points, mut lead) = (Vec::new(), Vec::new(), None);
        let top: Vec<_> =
            self.cut.sections.iter().filter(|section| matches!(section.kind, Kind::Top | Kind::Summary)).collect();
        let has_more = top.iter().map(|section| section.lines.len()).sum::<usize>() > 1;
        for section in top {
            let mut run: Vec<Line<'_>> = Vec::new();
            for block in list::blocks(&section.lines) {
                match block {
                    Block::Item(item) => {
                        paragraphs.extend(prose::paragraphs(&std::mem::take(&mut run), self.report));
                        points.push(self.point(&item));
                    }
                    Block::Heading(line) => run.push(line),
                    Block::Paragraph(lines) | Block::Apart(lines) => {
                        run.extend(lines.iter().filter(|line| line.form != Form::Comment));
                    }
                }
            }
            let is_first = paragraphs.is_empty();
            paragraphs.extend(prose::paragraphs(&run, self.report));
            let is_title = |text: &String| {
                text.chars().count() <= 120 && !prose::ends_sentence(text) && !text.contains(['|', '\n', ';', ','])
            };
            if is_first
                && section.kind == Kind::Top
                && self.cut.title.is_none()
                && has_more
                && paragraphs.first().is_some_and(is_title)
            {
                lead = Some(paragraphs.remove(0));
            }
        }
        (Prose::new(paragraphs.join("\n\n")), points, lead)
    }

    fn point(&mut self, item: &list::Item<'_>) -> Prose {
        self.report.read(&item.line);
        item.rest.iter().for_each(|line| self.report.read(line));
        let below = prose::markdown(&item.below, self.report);
        Prose::new(if below.is_empty() { item.text.clone() } else { format!("{}\n{below}", item.text) })
    }

    /// The title: a label, a heading of its own, a first line that reads as one, or the headline's first clause.
    fn title(&mut self, lead: Option<String>, summary: &Prose) -> String {
        let heading = self.cut.title.map(|line| line.text.to_owned());
        if let Some(line) = self.cut.title {
            self.report.read(&line);
        }
        let labelled = self.labels.get("title").map(str::to_owned);
        if let (Some(label), Some(heading)) = (&labelled, self.cut.title)
            && label != heading.text
        {
            self.report.name(
                Level::Note,
                &heading,
                "the title is taken from its label, so this heading is in no field",
            );
        }
        if let (true, Some(lead)) = (labelled.is_some() || heading.is_some(), &lead) {
            self.report.add(
                Level::Note,
                None,
                "the title is taken from elsewhere, so the first line is in no field",
                Some(lead),
            );
        }
        if let Some(title) = labelled.or(heading).or(lead) {
            return Prose::new(title).plain();
        }
        let clause = facts::first_clause(&summary.plain());
        let clause = if clause.starts_with('|') { String::new() } else { clause };
        if clause.is_empty() {
            let message = "the document has neither a title nor a headline; give the incident a title";
            self.report.add(Level::Warning, None, message, None);
            return "Untitled incident".to_owned();
        }
        let message = format!("the document has no title; the headline's first clause is taken: ‘{clause}’");
        self.report.add(Level::Note, None, message, None);
        clause
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

    /// The day and the zone that the document names outside its timeline.
    fn calendar(&mut self, title: &str) -> Calendar {
        let texts = self.of(Kind::Timeline).chain(self.of(Kind::Impact)).flat_map(|section| &section.lines);
        let order = day::order_in(texts.map(|line| line.text).filter(|text| text.contains('/')));
        let labelled = self.labelled_day(order);
        let mut calendar = Calendar::new(self.options.date.or(labelled), order);
        for label in ["zone", "start", "window"] {
            if let Some(text) = self.labels.get(label) {
                calendar.learn_zone(text, None, self.report);
            }
        }
        if let Some(text) = self.labels.get("zone")
            && zone::named(text).or_else(|| zone::offset(text)).is_none()
        {
            let message = format!(
                "the zone ‘{text}’ was read as {}; write UTC or an offset such as +02:00",
                calendar.home_zone()
            );
            self.labels.name("zone", Level::Warning, message, self.report);
        }
        let timelines = self.of(Kind::Timeline).chain(self.of(Kind::Impact));
        let named = timelines.flat_map(|section| &section.lines).find(|line| {
            line.form == Form::Text
                && (line.text.contains('|') || line.text.len() < 160)
                && zone::in_text(line.text).is_some()
        });
        if let Some(line) = named.filter(|line| line.text.contains('|')) {
            calendar.learn_zone(line.text, Some(line), self.report);
        }
        let prose = self.cut.sections.iter().filter(|section| matches!(section.kind, Kind::Top | Kind::Summary));
        let lines: Vec<&Line<'_>> =
            prose.flat_map(|section| &section.lines).filter(|line| line.form == Form::Text).collect();
        if named.is_none()
            && let Some(line) = lines
                .iter()
                .find(|line| line.text.to_lowercase().contains("time") && zone::in_text(line.text).is_some())
        {
            calendar.learn_zone(line.text, Some(line), self.report);
        }
        if calendar.day().is_none() {
            self.guess_day(&mut calendar, title, &lines);
        }
        calendar
    }

    fn labelled_day(&mut self, order: Option<Order>) -> Option<NaiveDate> {
        let text = self.labels.get("date")?.to_owned();
        let (found, rest) = day::whole(&text, order).map_or((None, ""), |(day, rest)| (day.on_or_after(None), rest));
        if found.is_none() || !rest.is_empty() {
            let (level, message) = match found {
                Some(day) => (Level::Note, format!("‘{text}’ was read as {day}")),
                None => (Level::Warning, format!("‘{text}’ is no day that could be read; write it as YYYY-MM-DD")),
            };
            self.labels.name("date", level, message, self.report);
        }
        found
    }

    /// The one day that the title or the headline names, failing them the page's own.
    fn guess_day(&mut self, calendar: &mut Calendar, title: &str, lines: &[&Line<'_>]) {
        let mut days: Vec<NaiveDate> = day::anywhere(title).into_iter().collect();
        if days.is_empty() {
            days = lines.iter().filter_map(|line| day::anywhere(line.text)).collect();
            days.sort_unstable();
            days.dedup();
        }
        if days.is_empty() {
            days.extend(self.labels.get("page date").and_then(day::anywhere));
        }
        let [day] = days.as_slice() else { return };
        calendar.learn_day(*day);
        let message = format!("no date is given, so times without one are read as of {day}, which the text names");
        self.report.add(Level::Note, None, message, None);
    }

    /// The window that labels state.
    fn stated_window(&mut self, calendar: &mut Calendar) -> When {
        let mut stated = When::default();
        for (label, is_end) in [("window", false), ("start", false), ("end", true)] {
            let Some(text) = self.labels.get(label).map(str::to_owned) else { continue };
            let line = Line { number: 1, text: "", full: "", raw: "", indent: 0, form: Form::Text };
            let Some((when, end)) = calendar.leading(&text, &line, self.report) else {
                let message = format!("‘{text}’ is no time that could be read; write YYYY-MM-DD HH:MM");
                self.labels.name(label, Level::Warning, message, self.report);
                continue;
            };
            if text[end..].contains(char::is_alphanumeric) || when.from.is_none() {
                let message = format!("of ‘{text}’ only the time was read");
                self.labels.name(label, Level::Note, message, self.report);
            }
            if is_end {
                stated.until = when.from.or(stated.until);
            } else {
                stated = When { from: when.from.or(stated.from), until: when.until.or(stated.until) };
            }
        }
        stated
    }

    /// When the incident began and ended: as labels state it, as a measure does, as milestones do, as the first and the
    /// last entry do.
    fn window(
        &mut self,
        stated: When,
        measured: When,
        timeline: &[TimelineDraft],
    ) -> (Option<DateTime<Utc>>, Option<DateTime<Utc>>) {
        let mark = |milestone: Milestone| timeline.iter().find(|entry| entry.milestone == Some(milestone))?.occurred_at;
        let times = || timeline.iter().filter_map(|entry| entry.occurred_at);
        let from = stated.from.or(measured.from);
        let until = stated.until.or(measured.until).or_else(|| mark(Milestone::Resolved));
        let is_open =
            self.labels.get("status").and_then(facts::status).is_some_and(|status| status != IncidentStatus::Resolved);
        let last = times().max().filter(|last| !is_open && times().min().is_some_and(|first| first < *last));
        let started_at = from
            .or_else(|| mark(Milestone::ImpactStarted))
            .or_else(|| mark(Milestone::Detected).filter(|at| times().min() == Some(*at)))
            .or_else(|| times().min());
        let ended_at = until.or(last);
        if from.is_none() && started_at.is_some() || until.is_none() && ended_at.is_some() {
            let message = "the document does not state both ends of the impact; what is missing is taken from the timeline, \
                           so check the start and the end";
            self.report.add(Level::Note, None, message, None);
        }
        if let (Some(from), Some(until)) = (started_at, ended_at)
            && until < from
        {
            self.report.add(Level::Warning, None, "the end is before the start; correct one of them", None);
        }
        (started_at, ended_at)
    }

    fn prose(&mut self, kind: Kind) -> Prose {
        let mut parts = Vec::new();
        for section in self.of(kind) {
            let text = prose::markdown(&section.lines, self.report);
            if !table::is_placeholder(&text) {
                parts.push(text);
            }
        }
        Prose::new(parts.join("\n\n"))
    }
}
