//! The day, the zone and the window of an incident, from wherever the document names them.

use chrono::{DateTime, NaiveDate, Utc};
use domain::draft::{Level, TimelineDraft};
use domain::incident::IncidentStatus;
use domain::timeline::Milestone;

use super::calendar::{Calendar, When};
use super::day::{self, Order};
use super::lines::{Form, Line};
use super::section::Kind;
use super::stamp::Span;
use super::{Reading, facts, zone};

impl Reading<'_, '_> {
    /// The day and the zone that the document names outside its timeline.
    pub(super) fn calendar(&mut self, title: &str) -> Calendar {
        let texts = self.of(Kind::Timeline).chain(self.of(Kind::Impact)).flat_map(|section| &section.lines);
        let order = day::order_in(texts.map(|line| line.text).filter(|text| text.contains('/')));
        let labelled = self.labelled_day(order);
        if let (Some(given), Some(labelled)) = (self.options.date, labelled)
            && given != labelled
        {
            let message = format!("the document says {labelled}; the day that was given, {given}, was taken");
            self.labels.name("date", Level::Warning, message, self.report);
        }
        let mut calendar = Calendar::new(self.options.date.or(labelled), self.options.zone, order);
        for label in ["zone", "start", "window"] {
            if let Some(text) = self.labels.get(label) {
                calendar.learn_zone(text, None, self.report);
            }
        }
        if let Some(text) = self.labels.get("zone")
            && zone::named(text).is_none()
            && zone::offset(text).is_none()
            && zone::in_text(text).is_none()
        {
            let message = format!(
                "the zone ‘{text}’ was read as {}; write UTC, an offset such as +02:00, or a region such as Europe/Berlin",
                calendar.home_zone()
            );
            self.labels.name("zone", Level::Warning, message, self.report);
        }
        let timelines = self.of(Kind::Timeline).chain(self.of(Kind::Impact));
        let named = timelines.flat_map(|section| &section.lines).find(|line| {
            line.form == Form::Text
                && (line.text.contains('|') || line.text.len() < 160)
                // A zone beside a time is that time's own.
                && !line.text.trim_start_matches(['|', '*', ' ']).starts_with(|first: char| first.is_ascii_digit())
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
        let is_own = !days.is_empty();
        if !is_own {
            days.extend(self.labels.get("page date").and_then(day::anywhere));
        }
        let [day] = days.as_slice() else { return };
        calendar.learn_day(*day);
        let (level, source) = if is_own {
            (Level::Note, "which the text names")
        } else {
            (
                Level::Warning,
                "the date of the page; if that is not the day of the incident, say which it was with --date",
            )
        };
        let message = format!("no date is given, so times without one are read as of {day}, {source}");
        self.report.add(level, None, message, None);
    }

    /// The window that labels state.
    pub(super) fn stated_window(&mut self, calendar: &mut Calendar) -> When {
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
            calendar.forget_last();
            if is_end {
                stated.until = when.from.or(stated.until);
            } else {
                stated = When { from: when.from.or(stated.from), until: when.until.or(stated.until) };
            }
        }
        stated
    }

    /// The window that a measure states.
    pub(super) fn measured_window(&mut self, span: &Span, text: &str, calendar: &mut Calendar) -> When {
        let line = self.line_of(text);
        calendar.forget_last();
        let when = calendar.place(span, &line, self.report);
        calendar.forget_last();
        when
    }

    /// When the incident began and ended: as labels state it, as a measure does, as milestones do, as the first and the
    /// last entry do.
    pub(super) fn window(
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
}
