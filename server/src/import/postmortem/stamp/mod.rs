//! Times as people write them: a stamp is a day, a time of day and a zone, each of which may be missing.

use chrono::{NaiveTime, Timelike};

use super::day::{self, Day, Order};
use super::zone::{self, Zone};

/// A time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Known; `24:00` is midnight of the next day.
    At(NaiveTime, NextDay),
    /// Left open by its author (`??:??`, `2X:XX`), or no time of any day (`25:99`).
    Open,
}

/// Whether a time belongs to the day after the one that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextDay(pub bool);

/// A point in time as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The day.
    pub day: Option<Day>,
    /// The time of day.
    pub clock: Option<Clock>,
    /// The zone.
    pub zone: Option<Zone>,
}

/// A stamp, or two with a sign between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first.
    pub from: Stamp,
    /// The second.
    pub until: Option<Stamp>,
}

/// Reads a span at the beginning of a text: the span, and where it ends.
pub fn leading(text: &str) -> Option<(Span, usize)> {
    leading_in(text, None)
}

/// The same, where it is known which part of a slashed date is the month.
pub fn leading_in(text: &str, order: Option<Order>) -> Option<(Span, usize)> {
    let mut scan = Scan { text, at: 0, order };
    let between = scan.skip_lead_in();
    let mut from = scan.stamp()?;
    scan.minus_offset(&mut from);
    let mut probe = scan;
    let mut until = None;
    if probe.range_sign(between) {
        until = probe.stamp().filter(|until| until.stamp.clock.is_some() || from.stamp.clock.is_none());
    }
    if let Some(until) = &until {
        // "8:20 - 8:24 pm" is an evening.
        if from.half.is_none() && until.half == Some(Half::Pm) {
            from.shift_to_evening(until);
        }
        scan.at = probe.at;
    }
    scan.skip_closers();
    // A hyphen directly after a number goes on with the word: "10:00-ish" is a time, "2026-07-09-slug" is none.
    let read = Span { from: from.stamp, until: until.map(|until| until.stamp) };
    (!scan.rest().starts_with(char::is_alphanumeric)).then_some((read, scan.at))
}

/// A stamp with what only matters while reading.
#[derive(Debug, Clone, Copy)]
struct Read {
    stamp: Stamp,
    half: Option<Half>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Am,
    Pm,
}

impl Read {
    fn shift_to_evening(&mut self, until: &Self) {
        if let (Some(Clock::At(from, next)), Some(Clock::At(end, _))) = (self.stamp.clock, until.stamp.clock)
            && from.hour() < 12
            && let Some(later) = from.with_hour((from.hour() + 12) % 24)
            && later <= end
        {
            self.stamp.clock = Some(Clock::At(later, next));
        }
    }
}

#[derive(Clone, Copy)]
struct Scan<'a> {
    text: &'a str,
    at: usize,
    order: Option<Order>,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self, chars: &[char]) {
        self.at = self.text.len() - self.rest().trim_start_matches(chars).len();
    }

    fn skip_word(&mut self, word: &str) -> bool {
        let found = self.rest().get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
        if found {
            self.at += word.len();
        }
        found
    }

    /// Signs and words before a time; whether "between" is among them.
    fn skip_lead_in(&mut self) -> bool {
        self.skip(&['~', '≈', '*', '_', '[', '(', '`', ' ', '\u{a0}']);
        let mut between = false;
        for word in [
            "ca. ",
            "c. ",
            "circa ",
            "around ",
            "about ",
            "approx. ",
            "approximately ",
            "at ",
            "from ",
            "between ",
            "on ",
            "~",
        ] {
            if self.skip_word(word) {
                between |= word == "between ";
                self.skip(&[' ', '*', '~']);
            }
        }
        between
    }

    fn skip_closers(&mut self) {
        let end = self.text.len() - self.rest().trim_start_matches(['*', '_', ']', ')', '`']).len();
        self.at = end;
    }

    fn stamp(&mut self) -> Option<Read> {
        let mut day = None;
        if let Some((found, length)) = day::leading(self.rest(), self.order) {
            day = Some(found);
            self.at += length;
            let before = self.at;
            let is_iso = self.rest().starts_with(['T', 't']);
            if is_iso {
                self.at += 1;
            } else {
                self.skip(&[' ', ',', '*', '_', '`', '@', '\u{a0}', '~']);
                for word in ["at ", "ca. ", "around ", "about ", "approx. "] {
                    self.skip_word(word);
                }
            }
            let clock_at = self.at;
            if let Some((clock, half)) = self.clock() {
                let zone = self.zone(is_iso);
                return Some(Read { stamp: Stamp { day, clock: Some(clock), zone }, half });
            }
            let is_apart = clock_at > before;
            self.at = before;
            return (!is_iso || is_apart).then_some(Read { stamp: Stamp { day, clock: None, zone: None }, half: None });
        }
        let (clock, half) = self.clock()?;
        let zone = self.zone(false);
        if day.is_none() {
            day = self.day_after();
        }
        Some(Read { stamp: Stamp { day, clock: Some(clock), zone }, half })
    }

    /// A day in brackets or after "on", behind the time.
    fn day_after(&mut self) -> Option<Day> {
        let mut probe = *self;
        probe.skip(&[' ', ',']);
        let in_brackets = probe.skip_word("(");
        if !in_brackets && !probe.skip_word("on ") {
            return None;
        }
        let (day, length) = day::leading(probe.rest(), self.order)?;
        probe.at += length;
        if in_brackets && !probe.skip_word(")") {
            return None;
        }
        self.at = probe.at;
        Some(day)
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

    fn clock(&mut self) -> Option<(Clock, Option<Half>)> {
        let start = self.at;
        let found = self.known_clock().or_else(|| {
            self.at = start;
            self.open_clock().map(|()| (Clock::Open, None))
        });
        if found.is_none() {
            self.at = start;
        }
        found
    }

    fn known_clock(&mut self) -> Option<(Clock, Option<Half>)> {
        let start = self.at;
        let hour = self.number(4)?;
        let digits = self.at - start;
        let (mut minute, mut second, mut milli) = (0, 0, 0);
        let has_minutes = self.rest().starts_with(':');
        if has_minutes {
            if digits > 2 {
                return None;
            }
            self.at += 1;
            let at = self.at;
            minute = self.number(2)?;
            if self.at - at != 2 {
                return None;
            }
            if self.rest().strip_prefix(':').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
                self.at += 1;
                second = self.number(2)?;
                milli = self.fraction();
            }
        }
        let half = self.half();
        if !has_minutes && digits == 4 && half.is_none() {
            // "0946Z" and "0946 UTC": a number of four digits is a time only where a zone follows.
            let mut probe = *self;
            probe.zone(false)?;
            let time = NaiveTime::from_hms_opt(hour / 100, hour % 100, 0)?;
            return Some((Clock::At(time, NextDay(false)), None));
        }
        if (!has_minutes && half.is_none()) || digits > 2 || self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let hour = match half {
            Some(Half::Am) if (1..=12).contains(&hour) => hour % 12,
            Some(Half::Pm) if (1..=12).contains(&hour) => hour % 12 + 12,
            _ => hour,
        };
        if hour == 24 && minute == 0 && second == 0 {
            return Some((Clock::At(NaiveTime::MIN, NextDay(true)), half));
        }
        let clock = NaiveTime::from_hms_milli_opt(hour, minute, second, milli)
            .map_or(Clock::Open, |time| Clock::At(time, NextDay(false)));
        Some((clock, half))
    }

    /// The milliseconds of a fraction of a second.
    fn fraction(&mut self) -> u32 {
        let Some(rest) = self.rest().strip_prefix(['.', ',']) else { return 0 };
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return 0;
        }
        self.at += 1 + digits;
        let milli: String = rest[..digits].chars().chain("000".chars()).take(3).collect();
        milli.parse().unwrap_or_default()
    }

    fn half(&mut self) -> Option<Half> {
        let mut probe = *self;
        probe.skip(&[' ', '\u{a0}', '\u{202f}']);
        for (word, half) in [("a.m.", Half::Am), ("p.m.", Half::Pm), ("am", Half::Am), ("pm", Half::Pm)] {
            let mut after = probe;
            if after.skip_word(word) && !after.rest().starts_with(char::is_alphanumeric) {
                self.at = after.at;
                return Some(half);
            }
        }
        None
    }

    /// `??:??`, `--:--`, `2X:XX`, `14:??`, `???`.
    fn open_clock(&mut self) -> Option<()> {
        let length = self.rest().bytes().take_while(|b| b.is_ascii_digit() || b"?xX-:".contains(b)).count();
        let word = self.rest()[..length].trim_end_matches(':');
        let open = word.bytes().filter(|b| b"?xX-".contains(b)).count();
        let is_clock = word
            .split_once(':')
            .is_some_and(|(hour, minute)| (1..=2).contains(&hour.len()) && minute.len() == 2 && !minute.contains(':'));
        let is_open = (is_clock && open >= 1 && !word.contains('-'))
            || word == "--:--"
            || (word.starts_with("??") && open == word.len());
        if !is_open {
            return None;
        }
        self.at += word.len();
        Some(())
    }

    fn zone(&mut self, is_iso: bool) -> Option<Zone> {
        let mut probe = *self;
        if probe.rest().starts_with('+') || (is_iso && probe.rest().starts_with(['-', '−'])) {
            let zone = probe.signed()?;
            self.at = probe.at;
            return Some(zone);
        }
        if probe.rest().starts_with(['z', 'Z']) && !probe.rest()[1..].starts_with(char::is_alphanumeric) {
            self.at += 1;
            return Some(Zone::utc());
        }
        probe.skip(&[' ', '\u{a0}', '*']);
        if probe.rest().starts_with('+') {
            let zone = probe.signed()?;
            self.at = probe.at;
            return Some(zone);
        }
        let bracket = probe.skip_word("(");
        let mut zone = probe.zone_word()?;
        if bracket && !probe.skip_word(")") {
            return None;
        }
        self.at = probe.at;
        // "CET (GMT+1)": the number says more.
        probe.skip(&[' ']);
        if !bracket
            && probe.skip_word("(")
            && let Some(exact) = probe.zone_word().filter(|_| probe.skip_word(")"))
        {
            zone = exact;
            self.at = probe.at;
        }
        Some(zone)
    }

    fn zone_word(&mut self) -> Option<Zone> {
        let rest = self.rest();
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let signed = letters + rest[letters..].bytes().take_while(|b| b.is_ascii_digit() || b"+-:".contains(b)).count();
        for length in [signed, letters] {
            let word = rest[..length].trim_end_matches([':', '-']);
            let after = &rest[word.len()..];
            // Only directly behind a time is a small or a lone letter a zone.
            if word.len() > 1
                && let Some(zone) = zone::named(word)
                && !after.starts_with(|c: char| c.is_alphanumeric() || c == '/')
            {
                self.at += word.len();
                return Some(zone);
            }
        }
        self.zone_region()
    }

    /// "Pacific Time", and "Pacific" where the words end with it.
    fn zone_region(&mut self) -> Option<Zone> {
        let rest = self.rest();
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let zone = zone::region(&rest[..letters])?;
        let mut probe = *self;
        probe.at += letters;
        let says_time = probe.skip_word(" time");
        let goes_on = if says_time { char::is_alphanumeric } else { |c: char| c.is_alphanumeric() || c == '/' };
        let after = if says_time { probe.rest() } else { probe.rest().trim_start_matches(' ') };
        if after.starts_with(goes_on) {
            return None;
        }
        self.at = probe.at;
        Some(zone)
    }

    fn signed(&mut self) -> Option<Zone> {
        let rest = self.rest();
        let sign = rest.chars().next().map_or(0, char::len_utf8);
        let length = sign + rest[sign..].bytes().take_while(|b| b.is_ascii_digit() || *b == b':').count();
        let word = rest[..length].trim_end_matches(':');
        let zone = zone::offset(word)?;
        self.at += word.len();
        Some(Zone::Fixed(zone))
    }

    /// An offset with a minus behind a day and a time, where it is not the end of a range: a space stands before it
    /// and none after it, or a range would end before it begins.
    fn minus_offset(&mut self, from: &mut Read) {
        let (Some(Day::Full(_)), Some(Clock::At(time, _)), None) = (from.stamp.day, from.stamp.clock, from.stamp.zone)
        else {
            return;
        };
        let mut probe = *self;
        probe.skip(&[' ']);
        let is_apart = probe.at > self.at;
        let start = probe.at;
        if !probe.rest().starts_with(['-', '−']) {
            return;
        }
        let Some(Zone::Fixed(offset)) = probe.signed().filter(|_| probe.at - start >= 5) else { return };
        let seconds = i64::from(-offset.local_minus_utc());
        if is_apart || i64::from(time.num_seconds_from_midnight()) >= seconds {
            from.stamp.zone = Some(Zone::Fixed(offset));
            self.at = probe.at;
        }
    }

    /// A hyphen, a dash, a slash, or a word between two stamps.
    fn range_sign(&mut self, between: bool) -> bool {
        self.skip(&['*', '_', ']', ')', '`', ' ']);
        let words = ["->", "→", "-", "–", "—", "/", "to ", "until ", "till ", "through "];
        let found = words.iter().any(|sign| self.skip_word(sign)) || (between && self.skip_word("and "));
        if found {
            self.skip(&[' ', '~', '*', '_', '[', '(', '`']);
        }
        found
    }
}

#[cfg(test)]
mod tests;
