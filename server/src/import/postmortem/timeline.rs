//! The timeline: tables, lists, headings or bare lines, each entry with its own time.

use domain::draft::{Level, TimelineDraft};

use super::calendar::{Calendar, When};
use super::day;
use super::lines::{Form, Line};
use super::list::{self, Block, Item};
use super::milestones;
use super::report::Report;
use super::section::Section;
use super::stamp;
use super::table::{self, Part, Role, Row, is_placeholder, unmarked};

const ROLES: &[Role] = &[
    (
        "time",
        &[
            "time",
            "utc",
            "when",
            "timestamp",
            "at",
            "gmt",
            "cet",
            "cest",
            "pst",
            "pdt",
            "est",
            "edt",
            "clock",
            "hour",
            "start",
        ],
    ),
    ("date", &["date", "day"]),
    (
        "event",
        &[
            "event",
            "what",
            "description",
            "what happened",
            "activity",
            "entry",
            "details",
            "message",
            "summary",
            "update",
        ],
    ),
    (
        "decision",
        &["decision", "action", "response", "decided", "outcome", "note", "notes", "comment", "comments", "reaction"],
    ),
    ("evidence", &["evidence", "source", "sources", "ref", "reference"]),
];

/// Reads the entries of a section.
pub fn read(section: &Section<'_>, calendar: &mut Calendar, report: &mut Report) -> Vec<TimelineDraft> {
    let mut entries = Entries { found: Vec::new(), open: Open::Nothing, calendar, report };
    if let Some(date) = day::anywhere(&section.heading) {
        entries.calendar.set_day(date);
    }
    entries.calendar.learn_zone(&section.heading, None, entries.report);
    for part in table::parts(&section.lines, ROLES, entries.report) {
        match part {
            Part::Table(table) => {
                entries.calendar.learn_zone(&table.header, None, entries.report);
                table.rows.iter().for_each(|row| entries.take_row(row));
            }
            Part::Lines(lines) => list::blocks(&lines).into_iter().for_each(|block| entries.take_block(block)),
        }
    }
    entries.found
}

/// What a line without a time goes on with.
#[derive(PartialEq, Eq)]
enum Open {
    Nothing,
    /// An entry under a heading takes everything up to the next.
    Heading,
    /// A time alone takes the one block that follows it.
    Stamp,
}

struct Entries<'a> {
    found: Vec<TimelineDraft>,
    open: Open,
    calendar: &'a mut Calendar,
    report: &'a mut Report,
}

impl Entries<'_> {
    fn take_row(&mut self, row: &Row<'_>) {
        let says_nothing = is_placeholder(row.cell("event")) && is_placeholder(row.cell("decision"));
        let written = [row.cell("date"), row.cell("time")]
            .iter()
            .filter(|cell| !cell.is_empty())
            .copied()
            .collect::<Vec<_>>()
            .join(" ");
        let is_template = is_placeholder(&written) && written.contains(char::is_alphabetic) && !has_clock(&written);
        if says_nothing || is_template {
            self.report.name(Level::Note, &row.line, "nothing happens in this row, so it is no entry");
            return;
        }
        let when = self.cell_time(&written, &row.line);
        let (event, decision) = (row.said("event"), row.said("decision"));
        let (event, decision) = if event.is_empty() { (decision, "") } else { (event, decision) };
        self.report.read(&row.line);
        self.open = Open::Nothing;
        self.found.push(TimelineDraft {
            decision: (!decision.is_empty()).then(|| decision.to_owned()),
            ..entry(when, &written, event, row.evidence.clone())
        });
    }

    /// The time of a cell, all of which has to be understood.
    fn cell_time(&mut self, written: &str, line: &Line<'_>) -> When {
        if let Some((when, end)) = self.calendar.leading(written, line, self.report) {
            let rest = written[end..].trim_matches(|c: char| !c.is_alphanumeric());
            if when.from.is_none() && day::leading(written, self.calendar.order()).is_some() && rest.is_empty() {
                self.report.add(
                    Level::Note,
                    Some(line.number),
                    "no time of day is written, so the entry has none",
                    Some(line.raw),
                );
            } else if when.from.is_some() && rest.chars().any(char::is_alphanumeric) {
                let message = format!(
                    "‘{rest}’ beside the time was not understood, so the time was read as if it were not there; if it is \
                     a zone, write the offset, such as 09:30+08:00"
                );
                self.report.add(Level::Warning, Some(line.number), message, Some(line.raw));
            }
            return when;
        }
        if written.chars().any(char::is_alphanumeric) {
            let message = format!(
                "‘{written}’ is no time that could be read, so the entry has none; write HH:MM, or YYYY-MM-DD HH:MM"
            );
            self.report.add(Level::Warning, Some(line.number), message, Some(line.raw));
        }
        When::default()
    }

    fn take_block(&mut self, block: Block<'_>) {
        match block {
            Block::Heading(line) => self.take_heading(&line),
            Block::Item(item) => self.take_item(&item),
            Block::Paragraph(lines) => self.take_paragraph(&lines),
            Block::Apart(lines) => {
                if self.open == Open::Heading && lines.iter().all(|line| line.form == Form::Code) {
                    self.go_on(&lines, "\n\n");
                }
            }
        }
    }

    /// A heading is an entry with a time, the day of those below, or neither.
    fn take_heading(&mut self, line: &Line<'_>) {
        self.open = Open::Nothing;
        if self.take_day(line, line.text) {
            return;
        }
        if has_clock(line.text) && self.take_timed(line, line.text) {
            self.open = Open::Heading;
            return;
        }
        if let Some(date) = day::anywhere(line.text) {
            self.calendar.set_day(date);
        } else if let Some(date) = day_in_heading(line.text).and_then(|day| day.nearest(self.calendar.day())) {
            self.calendar.set_day(date);
        }
        self.report.name(Level::Note, line, "no field takes a heading inside the timeline");
    }

    /// A text that is a day and nothing else is the day of the entries below.
    fn take_day(&mut self, line: &Line<'_>, text: &str) -> bool {
        let Some((day, rest)) = day::whole(text.trim_end_matches(':'), self.calendar.order()) else { return false };
        if rest.contains(char::is_alphanumeric) {
            return false;
        }
        if let Some(date) = day.nearest(self.calendar.day()) {
            self.calendar.set_day(date);
        } else {
            self.report.add(
                Level::Warning,
                Some(line.number),
                "this day has no year, or leaves open which part is the month; write it as YYYY-MM-DD",
                Some(line.raw),
            );
        }
        self.report.read(line);
        true
    }

    /// A text that begins with a time becomes an entry.
    fn take_timed(&mut self, line: &Line<'_>, text: &str) -> bool {
        let Some((span, _)) = stamp::leading_in(text, self.calendar.order()) else { return false };
        // A day without a time begins an entry only where a sign parts it from the text.
        let Some((when, end)) = self.calendar.leading(text, line, self.report) else { return false };
        let rest = &text[end..];
        let signs = |c: char| c.is_whitespace() || "-–—:*|,_>".contains(c);
        if span.from.clock.is_none() && !rest.trim_start_matches([' ', '*', '_']).starts_with(['-', '–', '—', ':'])
        {
            return false;
        }
        let (event, evidence) = unmarked(rest.trim_start_matches(signs));
        self.report.read(line);
        self.open = if event.is_empty() { Open::Stamp } else { Open::Nothing };
        self.found.push(entry(when, text[..end].trim_matches(['*', '_', ' ']), &event, evidence));
        true
    }

    fn take_item(&mut self, item: &Item<'_>) {
        if is_placeholder(&item.text) && item.below.is_empty() && stamp::leading(&item.text).is_none() {
            self.report.name(Level::Note, &item.line, "nothing is written here, so it is no entry");
            return;
        }
        if self.take_day(&item.line, &item.text) {
            self.open = Open::Nothing;
            self.take_lines_below(item);
            return;
        }
        let under_heading = self.open == Open::Heading;
        if !under_heading && self.take_timed(&item.line, &item.text) {
            item.rest
                .iter()
                .filter(|line| !item.below.iter().any(|below| below.number == line.number))
                .for_each(|line| self.report.read(line));
            self.take_lines_below(item);
            return;
        }
        if self.open != Open::Nothing {
            let lines: Vec<Line<'_>> = std::iter::once(item.line).chain(item.rest.iter().copied()).collect();
            self.go_on(&lines, "\n");
            return;
        }
        self.report.name(Level::Warning, &item.line, "this item has no time, so it is no entry; begin it with HH:MM");
        for line in &item.rest {
            self.report.name(Level::Warning, line, "this belongs to an item without a time, so it is in no entry");
        }
    }

    /// What hangs below an item: entries of their own where they have times, else more of the item.
    fn take_lines_below(&mut self, item: &Item<'_>) {
        let has_entry = !self.found.is_empty();
        for block in list::blocks(&item.below) {
            match block {
                Block::Item(inner)
                    if stamp::leading(&inner.text).is_some_and(|(span, _)| span.from.clock.is_some()) =>
                {
                    self.take_item(&inner);
                }
                Block::Item(inner) if has_entry => {
                    let lines: Vec<Line<'_>> = std::iter::once(inner.line).chain(inner.rest.iter().copied()).collect();
                    self.go_on(&lines, "\n");
                }
                Block::Paragraph(lines) | Block::Apart(lines) if has_entry => self.go_on(&lines, "\n\n"),
                Block::Item(_) | Block::Paragraph(_) | Block::Apart(_) | Block::Heading(_) => {}
            }
        }
    }

    fn take_paragraph(&mut self, lines: &[Line<'_>]) {
        if self.open == Open::Heading {
            self.go_on(lines, "\n\n");
            return;
        }
        let order = self.calendar.order();
        let begins = |line: &Line<'_>| {
            (has_clock(line.text) && !is_sentence(line.text))
                || day::whole(line.text.trim_end_matches(':'), order).is_some_and(|(_, rest)| rest.is_empty())
        };
        let (lead, rest) = lines.split_at(lines.iter().position(begins).unwrap_or(lines.len()));
        if !lead.is_empty() && self.open == Open::Stamp {
            self.go_on(lead, "");
        } else if let [first, more @ ..] = lead
            && !is_sentence(first.text)
            && self.take_timed(first, first.text)
        {
            self.take_more(more);
        } else if !lead.is_empty() {
            self.learn_from_sentence(lead);
        }
        self.take_more(rest);
    }

    /// The lines of a paragraph after one with a time: each with a time is an entry, the others go on with it.
    fn take_more(&mut self, lines: &[Line<'_>]) {
        for line in lines {
            if !self.take_day(line, line.text) && (is_sentence(line.text) || !self.take_timed(line, line.text)) {
                self.go_on(&[*line], " ");
            }
        }
    }

    /// "All times in PST, on February 5th 2019".
    fn learn_from_sentence(&mut self, lines: &[Line<'_>]) {
        let text = lines.iter().map(|line| line.text).collect::<Vec<_>>().join(" ");
        let lower = text.to_lowercase();
        let speaks_of_time = ["time", "utc", "gmt", "event"].iter().any(|word| lower.contains(word));
        if text.len() > 400 || !(speaks_of_time || text.len() < 40) {
            return;
        }
        self.calendar.learn_zone(&text, lines.first(), self.report);
        if let Some(date) = day::anywhere(&text) {
            self.calendar.set_day(date);
        }
        let is_all = text.len() < 160 && (zone_or_day(&text) || lower.starts_with("all times"));
        if is_all && lower.contains("time") || lower.contains("events happened") {
            for line in lines {
                self.report.read(line);
            }
            self.report.add(
                Level::Note,
                lines.first().map(|line| line.number),
                "read as the day or the zone of the timeline",
                Some(&lines.iter().map(|line| line.raw).collect::<Vec<_>>().join("\n")),
            );
        }
    }

    /// Adds lines to the last entry.
    fn go_on(&mut self, lines: &[Line<'_>], joint: &str) {
        let Some(last) = self.found.last_mut() else { return };
        let (text, evidence) = unmarked(&super::prose::markdown(lines, self.report));
        if !last.event.is_empty() && !text.is_empty() {
            last.event.push_str(if joint.is_empty() { " " } else { joint });
        }
        last.event.push_str(&text);
        last.evidence.extend(evidence);
        if self.open == Open::Stamp {
            self.open = Open::Nothing;
        }
    }
}

/// Whether a text begins with a time of day, known or left open.
fn has_clock(text: &str) -> bool {
    stamp::leading(text).is_some_and(|(span, _)| span.from.clock.is_some())
}

/// Whether a text tells a time as a sentence does ("At 14:30 we …") rather than as an entry.
fn is_sentence(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default().to_lowercase();
    ["at", "on", "around", "about", "from", "between", "approximately", "by"].contains(&first.as_str())
}

fn zone_or_day(text: &str) -> bool {
    super::zone::in_text(text).is_some() || day::anywhere(text).is_some()
}

/// "October 24 - Rate limits" names a day, without a year, in a heading with more words.
fn day_in_heading(text: &str) -> Option<day::Day> {
    day::leading(text, None).map(|(day, _)| day)
}

fn entry(when: When, written: &str, event: &str, evidence: Vec<u32>) -> TimelineDraft {
    TimelineDraft {
        occurred_at: when.from,
        occurred_until: when.until,
        written_time: written.to_owned(),
        event: event.to_owned(),
        decision: None,
        milestone: None,
        evidence,
    }
}

/// Drops entries that never got a text, naming their lines, and proposes milestones.
pub fn finish(entries: &mut Vec<TimelineDraft>) {
    entries.retain(|entry| !(entry.event.is_empty() && entry.decision.is_none() && entry.occurred_at.is_none()));
    milestones::propose(entries);
}
