//! What is known of the day and the zone as the reading goes on, and how stamps become instants by it.

use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeDelta, Utc};
use domain::draft::Level;

use super::day::{Day, Order};
use super::lines::Line;
use super::report::Report;
use super::stamp::{self, Clock, NextDay, Span, Stamp};
use super::zone::{self, Shared, Zone};

/// An instant, or a span of them; none where the document leaves it open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct When {
    /// The first instant.
    pub from: Option<DateTime<Utc>>,
    /// The end, where a span was written.
    pub until: Option<DateTime<Utc>>,
}

/// The day and the zone of times that do not say theirs.
#[derive(Debug, Clone, Default)]
pub struct Calendar {
    day: Option<NaiveDate>,
    zone: Option<Zone>,
    /// The first zone that stands beside a time.
    beside: Option<Zone>,
    /// What a person gave for times that name no zone, or name one that may be several.
    given: Option<Zone>,
    order: Option<Order>,
    last: Option<NaiveDateTime>,
    missing: Missing,
}

#[derive(Debug, Clone, Copy, Default)]
struct Missing {
    day: bool,
    zone: bool,
    meaning: Option<&'static Shared>,
}

/// How far back a time may go before it is taken for one of the next day.
const BACKWARD: TimeDelta = TimeDelta::hours(6);

impl Calendar {
    /// With the day and the zone that are given, if they are.
    pub fn new(day: Option<NaiveDate>, given: Option<Zone>, order: Option<Order>) -> Self {
        Self { day, given, order, ..Self::default() }
    }

    /// The day that bare times belong to.
    pub fn day(&self) -> Option<NaiveDate> {
        self.day
    }

    /// Which part of a slashed date is the month.
    pub fn order(&self) -> Option<Order> {
        self.order
    }

    /// From here on bare times belong to this day.
    pub fn set_day(&mut self, day: NaiveDate) {
        self.day = Some(day);
        self.last = None;
    }

    /// Takes a day over where none is known.
    pub fn learn_day(&mut self, day: NaiveDate) {
        self.day.get_or_insert(day);
    }

    /// Takes over the zone that a header, a label or a sentence names, if it is the first.
    pub fn learn_zone(&mut self, text: &str, line: Option<&Line<'_>>, report: &mut Report) {
        let Some((zone, contradicts)) = zone::in_text(text) else { return };
        if contradicts && self.zone.is_none() {
            let message = format!("two zones are named that differ; the times are read in {}", zone::name(Some(zone)));
            report.add(Level::Warning, line.map(|line| line.number), message, line.map(|line| line.raw));
        }
        self.zone.get_or_insert(zone);
    }

    /// The name of the zone that the document's times are in.
    pub fn home_zone(&self) -> String {
        zone::name(Some(self.meant(None)))
    }

    /// The zone of a time: the one written beside it, the document's, the one given, the one beside another time; failing
    /// all, UTC.
    fn meant(&self, written: Option<Zone>) -> Zone {
        let zone = written.or(self.zone).or(self.given).or(self.beside).unwrap_or_else(Zone::utc);
        if matches!(zone, Zone::Ambiguous(_)) { self.given.unwrap_or(zone) } else { zone }
    }

    /// Reads a span at the beginning of a text: when it was, and where it ends.
    pub fn leading(&mut self, text: &str, line: &Line<'_>, report: &mut Report) -> Option<(When, usize)> {
        let (span, end) = stamp::leading_in(text, self.order)?;
        let written = &text[..end];
        if span.from.clock == Some(Clock::Open) && !written.contains(['?', 'x', 'X']) && !written.contains("--") {
            let message = format!("‘{}’ is no time of any day, so the entry has none; write HH:MM", written.trim());
            report.add(Level::Warning, Some(line.number), message, Some(line.raw));
        }
        Some((self.place(&span, line, report), end))
    }

    /// The instants that a span stands for.
    pub fn place(&mut self, span: &Span, line: &Line<'_>, report: &mut Report) -> When {
        let zone = span.from.zone.or(span.until.and_then(|until| until.zone));
        let from =
            self.local(&span.from, line, report).map(|local| self.past_midnight(&span.from, local, line, report));
        let until = span.until.and_then(|until| {
            let whole = Stamp { day: until.day.or(span.from.day), ..until };
            let local = self.local(&whole, line, report)?;
            match from {
                Some(from) if local < from && until.day.is_none() => local.checked_add_signed(TimeDelta::days(1)),
                _ => Some(local),
            }
        });
        if from.is_some() {
            self.last = from;
        }
        When {
            from: from.and_then(|local| self.instant(local, zone, line, report)),
            until: until
                .and_then(|local| self.instant(local, span.until.and_then(|until| until.zone).or(zone), line, report)),
        }
    }

    fn local(&mut self, stamp: &Stamp, line: &Line<'_>, report: &mut Report) -> Option<NaiveDateTime> {
        if let Some(zone) = stamp.zone {
            self.beside.get_or_insert(zone);
        }
        let date = match stamp.day {
            Some(Day::Ambiguous(first, second, _)) => {
                let message = format!("{first}/{second} may be either day and month; write the date as YYYY-MM-DD");
                report.add(Level::Warning, Some(line.number), message, Some(line.raw));
                return None;
            }
            Some(day) => day.nearest(self.day),
            None => self.day,
        };
        let Some(date) = date else {
            self.missing.day |= matches!(stamp.clock, Some(Clock::At(..))) || stamp.day.is_some();
            return None;
        };
        if stamp.day.is_some() {
            self.set_day(date);
        }
        let Some(Clock::At(time, NextDay(next))) = stamp.clock else { return None };
        let local = NaiveDateTime::new(date, time);
        if next { local.checked_add_signed(TimeDelta::days(1)) } else { Some(local) }
    }

    /// A bare time that goes far back is one of the next day.
    fn past_midnight(
        &mut self,
        stamp: &Stamp,
        local: NaiveDateTime,
        line: &Line<'_>,
        report: &mut Report,
    ) -> NaiveDateTime {
        let goes_back = self.last.is_some_and(|last| last.signed_duration_since(local) > BACKWARD);
        let Some(next) = local.checked_add_signed(TimeDelta::days(1)).filter(|_| stamp.day.is_none() && goes_back)
        else {
            return local;
        };
        let message = format!("this time is before the one above, so it is taken as past midnight, on {}", next.date());
        report.add(Level::Note, Some(line.number), message, Some(line.raw));
        self.day = Some(next.date());
        next
    }

    fn instant(
        &mut self,
        local: NaiveDateTime,
        written: Option<Zone>,
        line: &Line<'_>,
        report: &mut Report,
    ) -> Option<DateTime<Utc>> {
        self.missing.zone |= written.or(self.zone).or(self.given).is_none();
        let zone = self.meant(written);
        if let Some((word, region)) = zone.out_of_season(local) {
            let message = format!(
                "{word} is not what clocks in {} show on {}; the time was read as {}, as written. If the clocks there \
                 were meant, write the offset",
                region.name(),
                local.date(),
                zone::name(Some(zone))
            );
            report.add_once(Level::Warning, line.number, message, line.raw);
        }
        let at = zone.instant(local);
        match zone {
            Zone::Ambiguous(shared) => self.missing.meaning = Some(shared),
            Zone::Region(region) if at.is_none() => {
                let message = format!(
                    "clocks in {} show {} twice or never, so the entry has no time; write it with its offset",
                    region.name(),
                    local.format("%Y-%m-%d %H:%M")
                );
                report.add(Level::Warning, Some(line.number), message, Some(line.raw));
            }
            _ => {}
        }
        at
    }

    /// Forgets the last time seen, so that what is read next is not compared with it.
    pub fn forget_last(&mut self) {
        self.last = None;
    }

    /// The day of an instant where the document was written.
    pub fn local_day(&self, at: DateTime<Utc>) -> NaiveDate {
        self.meant(None).local(at).date()
    }

    /// Says what was missing.
    pub fn report(&self, report: &mut Report) {
        if self.missing.day {
            report.add(
                Level::Error,
                None,
                "the document has times and no date; say which day it was with --date YYYY-MM-DD",
                None,
            );
        }
        if let Some(Shared { word, meanings }) = self.missing.meaning {
            let message = format!(
                "the document's times are in {word}, which is {meanings}; say which with --zone, such as --zone +08:00"
            );
            report.add(Level::Error, None, message, None);
        }
        if let Some(zone) = self.beside.filter(|_| self.missing.zone && self.zone.is_none()) {
            let message = format!(
                "times that name no zone were read in {}, since one of them does; if that is not meant, say which zone \
                 with --zone, such as --zone +02:00 or --zone Europe/Berlin",
                zone::name(Some(zone))
            );
            report.add(Level::Warning, None, message, None);
        } else if self.missing.zone && self.zone.is_none() {
            let message = "the document names no zone for its times; they were read as UTC. If they are not, say \
                           which zone with --zone, such as --zone +02:00 or --zone Europe/Berlin";
            report.add(Level::Warning, None, message, None);
        }
    }
}
