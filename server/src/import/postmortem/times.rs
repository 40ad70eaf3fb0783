//! Times and dates as people write them.

use chrono::{DateTime, Datelike, Days, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeDelta, Utc};
use domain::draft::Level;

use super::Report;

/// An instant, or a span of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The first instant.
    pub from: DateTime<Utc>,
    /// The end, where a span was written.
    pub until: Option<DateTime<Utc>>,
}

/// What is known of the day and the zone, as reading goes on.
#[derive(Debug)]
pub struct Dates {
    day: Option<NaiveDate>,
    zone: Option<FixedOffset>,
    dateless: bool,
    zoneless: bool,
    last: Option<DateTime<Utc>>,
}

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const ZONES: &[(&str, i32)] = &[
    ("utc", 0),
    ("gmt", 0),
    ("z", 0),
    ("bst", 60),
    ("cet", 60),
    ("cest", 120),
    ("eet", 120),
    ("eest", 180),
    ("est", -300),
    ("edt", -240),
    ("cst", -360),
    ("cdt", -300),
    ("mst", -420),
    ("mdt", -360),
    ("pst", -480),
    ("pdt", -420),
    ("jst", 540),
    ("ist", 330),
];

impl Dates {
    /// With the day that is given, if one is.
    pub fn new(day: Option<NaiveDate>) -> Self {
        Self { day, zone: None, dateless: false, zoneless: false, last: None }
    }

    /// The day that bare times belong to.
    pub fn day(&self) -> Option<NaiveDate> {
        self.day
    }

    /// From here on bare times belong to this day.
    pub fn set_day(&mut self, day: NaiveDate) {
        self.day = Some(day);
        self.last = None;
    }

    /// Takes over a zone that a header, a cell or a label names.
    pub fn learn_zone(&mut self, text: &str) {
        if let Some(zone) = zone_in(text) {
            self.zone.get_or_insert(zone);
        }
    }

    /// The zone that the document's times are in.
    pub fn home_zone(&self) -> String {
        match self.zone.map(|zone| zone.local_minus_utc()) {
            None | Some(0) => "UTC".to_owned(),
            Some(seconds) => {
                let (sign, seconds) = if seconds < 0 { ('-', -seconds) } else { ('+', seconds) };
                format!("{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60)
            }
        }
    }

    /// Says what was missing.
    pub fn report(&self, report: &mut Report) {
        if self.dateless {
            report.add(
                Level::Error,
                None,
                "the document has times and no date; say which day it was with --date YYYY-MM-DD",
                None,
            );
        }
        if self.zoneless && self.zone.is_none() {
            report.add(Level::Warning, None, "the document names no zone for its times; they were read as UTC", None);
        }
    }

    fn instant(&mut self, day: Option<NaiveDate>, time: NaiveTime, zone: Option<FixedOffset>) -> Option<DateTime<Utc>> {
        if let Some(zone) = zone {
            self.zone.get_or_insert(zone);
        }
        let Some(date) = day.or(self.day) else {
            self.dateless = true;
            return None;
        };
        if zone.is_none() && self.zone.is_none() {
            self.zoneless = true;
        }
        let offset = zone.or(self.zone).unwrap_or_else(|| Utc.fix());
        let local = NaiveDateTime::new(date, time);
        let at = local.and_local_timezone(offset).single()?.with_timezone(&Utc);
        if day.is_some() {
            self.day = Some(date);
        }
        Some(at)
    }
}

/// Reads an instant or a span at the beginning of a text; the rest of the text may be anything.
pub fn leading(text: &str, dates: &mut Dates) -> Option<(Range, usize)> {
    let mut scan = Scan { text, at: 0 };
    scan.skip(&['~', '*', '[', '(', '`', ' ']);
    for word in ["ca. ", "around ", "about ", "approx. ", "at ", "from ", "between "] {
        if scan.rest().to_lowercase().starts_with(word) {
            scan.at += word.len();
        }
    }
    let (day, time, zone) = scan.stamp()?;
    let before_end = scan.at;
    let mut end = None;
    let mut probe = scan;
    if probe.range_sign() {
        end = probe.stamp();
        if end.is_some() {
            scan = probe;
        }
    }
    if end.is_none() {
        scan.at = before_end;
    }
    let zone = zone.or(end.as_ref().and_then(|(_, _, zone)| *zone));
    let mut from = dates.instant(day, time, zone)?;
    if day.is_none() {
        // Half a day and more backwards is the next day.
        if let Some(last) = dates.last
            && from < last - TimeDelta::hours(12)
        {
            from += TimeDelta::days(1);
            dates.day = dates.day.and_then(|day| day.checked_add_days(Days::new(1)));
        }
    }
    dates.last = Some(from);
    let until = end.and_then(|(end_day, end_time, end_zone)| {
        let until = dates.instant(end_day.or(day), end_time, end_zone.or(zone))?;
        Some(if until < from && end_day.is_none() { until + TimeDelta::days(1) } else { until })
    });
    scan.skip(&['*', ']', ')', '`']);
    Some((Range { from, until }, scan.at))
}

/// Reads a text that begins with an instant or a span.
pub fn range(text: &str, dates: &mut Dates) -> Option<Range> {
    leading(text, dates).map(|(range, _)| range)
}

/// Whether a text begins with a time that its author left open: `??:??`, `--:--`, `2X:XX`; and where it ends.
pub fn leading_unknown(text: &str) -> Option<usize> {
    let trimmed = text.trim_start_matches(['*', '[', ' ', '~', '`']);
    let skipped = text.len() - trimmed.len();
    let end = trimmed.find([' ', ']', '|', '*', '`']).unwrap_or(trimmed.len());
    let word = trimmed[..end].trim_end_matches([':', ',']);
    let open = word.chars().filter(|c| "?xX-".contains(*c)).count();
    let rest = word.chars().all(|c| "?xX-:".contains(c) || c.is_ascii_digit());
    (rest && open >= 2 && (word.contains(':') || word.starts_with("??")) && word.len() >= 2)
        .then(|| skipped + end + trimmed[end..].bytes().take_while(|b| b"]*`".contains(b)).count())
}

/// Whether a text begins with what looks like a time of day.
pub fn looks_like_time(text: &str) -> bool {
    let mut scan = Scan { text, at: 0 };
    scan.skip(&['~', '*', '[', '(', '`', ' ']);
    scan.stamp().is_some()
}

/// Reads a day: `2026-07-14`, `Jul 14`, `14 July 2026`. A day without a year is the first such day on or after `on`.
pub fn date(text: &str, on: Option<NaiveDate>) -> Option<NaiveDate> {
    let text = text.trim().trim_matches(['*', '`', '_']);
    if let Some((date, _)) = iso_date(text) {
        return Some(date);
    }
    let words: Vec<String> = text
        .split(|c: char| c.is_whitespace() || ",.".contains(c))
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .collect();
    let month = words.iter().find_map(|word| month(word))?;
    let mut day = None;
    let mut year = None;
    for word in words.iter().filter(|word| word.as_bytes()[0].is_ascii_digit()) {
        let digits = word.trim_end_matches(|c: char| c.is_alphabetic());
        match digits.len() {
            1 | 2 => day = day.or(digits.parse::<u32>().ok()),
            4 => year = digits.parse::<i32>().ok(),
            _ => return None,
        }
    }
    let day = day?;
    match (year, on) {
        (Some(year), _) => NaiveDate::from_ymd_opt(year, month, day),
        (None, Some(on)) => (on.year()..on.year() + 9)
            .filter_map(|year| NaiveDate::from_ymd_opt(year, month, day))
            .find(|date| *date >= on),
        (None, None) => None,
    }
}

fn month(word: &str) -> Option<u32> {
    let word = word.trim_matches(|c: char| !c.is_alphabetic());
    (1..).zip(MONTHS).find(|(_, name)| word.len() >= 3 && word.starts_with(name)).map(|(number, _)| number)
}

fn iso_date(text: &str) -> Option<(NaiveDate, usize)> {
    let head = text.get(..10)?;
    let bytes = head.as_bytes();
    let parted = (bytes[4] == b'-' && bytes[7] == b'-') || (bytes[4] == b'/' && bytes[7] == b'/');
    if !parted {
        return None;
    }
    let date =
        NaiveDate::from_ymd_opt(head[..4].parse().ok()?, head.get(5..7)?.parse().ok()?, head.get(8..)?.parse().ok()?)?;
    Some((date, 10))
}

fn zone_in(text: &str) -> Option<FixedOffset> {
    text.split(|c: char| c.is_whitespace() || "()[]|,;*".contains(c)).find_map(zone_word)
}

/// A word that names a zone: `UTC`, `CEST`, `+02:00`, `UTC+2`.
fn zone_word(word: &str) -> Option<FixedOffset> {
    let lower = word.trim_end_matches([':', '.']).to_lowercase();
    if let Some((_, minutes)) = ZONES.iter().find(|(name, _)| *name == lower) {
        return FixedOffset::east_opt(minutes * 60);
    }
    let offset = lower.strip_prefix("utc").or_else(|| lower.strip_prefix("gmt")).unwrap_or(&lower);
    let sign = match offset.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits = &offset[1..];
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) => (hours.parse::<i32>().ok()?, minutes.parse::<i32>().ok()?),
        None if digits.len() == 4 => (digits.get(..2)?.parse().ok()?, digits.get(2..)?.parse().ok()?),
        None if (1..=2).contains(&digits.len()) => (digits.parse().ok()?, 0),
        None => return None,
    };
    (hours <= 14 && minutes < 60).then(|| FixedOffset::east_opt(sign * (hours * 3600 + minutes * 60)))?
}

/// A place in a text.
#[derive(Clone, Copy)]
struct Scan<'a> {
    text: &'a str,
    at: usize,
}

type Stamp = (Option<NaiveDate>, NaiveTime, Option<FixedOffset>);

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self, chars: &[char]) {
        self.at = self.text.len() - self.rest().trim_start_matches(chars).len();
    }

    /// An optional date, a time of day, an optional zone.
    fn stamp(&mut self) -> Option<Stamp> {
        let mut day = None;
        if let Some((date, length)) = iso_date(self.rest()) {
            day = Some(date);
            self.at += length;
            if self.rest().starts_with(['T', 't']) {
                self.at += 1;
            }
            self.skip(&[' ', ',']);
        }
        let time = self.time()?;
        Some((day, time, self.zone()))
    }

    fn number(&mut self, longest: usize) -> Option<u32> {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || digits > longest {
            return None;
        }
        let number = self.rest()[..digits].parse().ok();
        self.at += digits;
        number
    }

    fn time(&mut self) -> Option<NaiveTime> {
        let mut hour = self.number(2)?;
        if !self.rest().starts_with(':') {
            return None;
        }
        self.at += 1;
        let minute = self.number(2)?;
        let (mut second, mut milli) = (0, 0);
        if self.rest().starts_with(':') && self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) {
            self.at += 1;
            second = self.number(2)?;
            if self.rest().starts_with('.') && self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) {
                self.at += 1;
                let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
                let fraction: String = self.rest()[..digits].chars().chain("000".chars()).take(3).collect();
                milli = fraction.parse().ok()?;
                self.at += digits;
            }
        }
        let lower = self.rest().trim_start().to_lowercase();
        let spaces = self.rest().len() - self.rest().trim_start().len();
        for (suffix, add) in [("am", 0), ("a.m.", 0), ("pm", 12), ("p.m.", 12)] {
            let ends = lower.get(suffix.len()..).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()));
            if lower.starts_with(suffix) && ends && (1..=12).contains(&hour) {
                hour = hour % 12 + add;
                self.at += spaces + suffix.len();
                break;
            }
        }
        if self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        NaiveTime::from_hms_milli_opt(hour, minute, second, milli)
    }

    fn zone(&mut self) -> Option<FixedOffset> {
        let rest = self.rest();
        let spaces = rest.len() - rest.trim_start_matches([' ', '(']).len();
        let word = &rest[spaces..];
        let end =
            word.find(|c: char| !(c.is_ascii_alphanumeric() || "+:".contains(c) || c == '-')).unwrap_or(word.len());
        let word = &word[..end];
        // In "09:46-10:17" the hyphen begins no offset, unless the time was written as ISO 8601 does.
        let is_offset = word.starts_with(['+', '-']);
        if is_offset && (spaces > 0 || !(self.text[..self.at].contains('T') || word.starts_with('+'))) {
            return None;
        }
        let word = if is_offset { word } else { word.split('-').next().unwrap_or(word) };
        let zone = zone_word(word)?;
        self.at += spaces + word.trim_end_matches(':').len();
        if spaces > 0 && self.rest().starts_with(')') {
            self.at += 1;
        }
        Some(zone)
    }

    /// A hyphen, a dash, a slash, or "to" between two stamps.
    fn range_sign(&mut self) -> bool {
        self.skip(&[' ']);
        for sign in ["-", "–", "—", "/", "to ", "until ", "and "] {
            if self.rest().starts_with(sign) {
                self.at += sign.len();
                self.skip(&[' ']);
                return true;
            }
        }
        false
    }
}
