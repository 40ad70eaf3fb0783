//! Days as people write them.

use chrono::{Datelike, NaiveDate};
use domain::wire::actions::YEARS;

/// Whether 03/04 puts the month first, where the texts around it decide that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Month, then day.
    MonthFirst,
    /// Day, then month.
    DayFirst,
}

/// A day as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Day {
    /// With its year.
    Full(NaiveDate),
    /// Month and day.
    Yearless(u32, u32),
    /// Two numbers, either of which may be the month, and the year if there is one.
    Ambiguous(u32, u32, Option<i32>),
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Reads a day at the beginning of a text: the day, and where it ends.
pub fn leading(text: &str, order: Option<Order>) -> Option<(Day, usize)> {
    let start = weekday(text);
    let rest = &text[start..];
    let (day, length) = numeric(rest, order).or_else(|| month_first(rest)).or_else(|| day_first(rest))?;
    Some((day, start + length))
}

/// Reads a text that is a day: the day, and what else stands in it.
pub fn whole(text: &str, order: Option<Order>) -> Option<(Day, &str)> {
    let text = text.trim().trim_matches(['*', '`', '_']).trim();
    let text = ["by ", "due ", "before ", "on ", "end of day "]
        .iter()
        .find_map(|word| strip_prefix(text, word))
        .unwrap_or(text);
    let (day, end) = leading(text, order)?;
    let rest = &text[end..];
    (!rest.starts_with(char::is_alphanumeric)).then(|| (day, rest.trim_matches([' ', '.', ',', ';', ':'])))
}

/// The first day with a year anywhere in a text.
pub fn anywhere(text: &str) -> Option<NaiveDate> {
    let starts = text.char_indices().filter(|(at, c)| {
        c.is_alphanumeric()
            && !text[..*at].ends_with(|before: char| before.is_alphanumeric() || "/-._".contains(before))
    });
    starts.take(2000).find_map(|(at, _)| match leading(&text[at..], None)? {
        (Day::Full(date), end) if !text[at + end..].starts_with(|c: char| c.is_alphanumeric() || "/-".contains(c)) => {
            Some(date)
        }
        _ => None,
    })
}

/// The order that a text's slashed dates have to have, if one of them has a part over 12.
pub fn order_in<'a>(texts: impl Iterator<Item = &'a str>) -> Option<Order> {
    let (mut month_first, mut day_first) = (false, false);
    for word in texts.flat_map(|text| text.split(|c: char| !(c.is_ascii_digit() || c == '/'))) {
        let mut parts = word.split('/').map(str::parse::<u32>);
        if let (Some(Ok(first)), Some(Ok(second))) = (parts.next(), parts.next()) {
            day_first |= (13..=31).contains(&first) && (1..=12).contains(&second);
            month_first |= (13..=31).contains(&second) && (1..=12).contains(&first);
        }
    }
    match (month_first, day_first) {
        (true, false) => Some(Order::MonthFirst),
        (false, true) => Some(Order::DayFirst),
        _ => None,
    }
}

impl Day {
    /// The date; without a year, the first such day on or after `from`.
    pub fn on_or_after(self, from: Option<NaiveDate>) -> Option<NaiveDate> {
        match self {
            Self::Full(date) => Some(date),
            Self::Yearless(month, day) => {
                let from = from?;
                // The 29th of February comes again after eight years at the latest.
                (0..9)
                    .filter_map(|years| NaiveDate::from_ymd_opt(from.year() + years, month, day))
                    .find(|date| *date >= from)
            }
            Self::Ambiguous(..) => None,
        }
    }

    /// The date; without a year, the such day nearest to `to`.
    pub fn nearest(self, to: Option<NaiveDate>) -> Option<NaiveDate> {
        match self {
            Self::Full(date) => Some(date),
            Self::Yearless(month, day) => {
                let to = to?;
                let years = [to.year() - 1, to.year(), to.year() + 1];
                let dates = years.iter().filter_map(|year| NaiveDate::from_ymd_opt(*year, month, day));
                dates.min_by_key(|date| (*date - to).num_days().abs())
            }
            Self::Ambiguous(..) => None,
        }
    }
}

fn strip_prefix<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    text.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word)).map(|_| text[word.len()..].trim_start())
}

/// How much of the beginning is a weekday with what parts it from the date.
fn weekday(text: &str) -> usize {
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let word = text[..letters].to_ascii_lowercase();
    let is_weekday =
        letters >= 3 && WEEKDAYS.iter().any(|name| *name == word || (letters <= 5 && name.starts_with(&word)));
    if !is_weekday {
        return 0;
    }
    let rest = text[letters..].trim_start_matches(['.', ',', ' ']);
    let rest = strip_prefix(rest, "the ").unwrap_or(rest);
    text.len() - rest.len()
}

fn digits(text: &str, longest: usize) -> Option<(u32, usize)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    ((1..=longest).contains(&length)).then(|| text[..length].parse().ok().map(|number| (number, length)))?
}

fn year(text: &str) -> Option<(i32, usize)> {
    let (number, length) = digits(text, 4).filter(|(_, length)| *length == 4)?;
    i32::try_from(number).ok().filter(|year| YEARS.contains(year)).map(|year| (year, length))
}

/// `2026-07-14`, `2026/07/14`, `07/14/2026`, `14.07.2026`, `07/14`, `07-14` before a time.
fn numeric(text: &str, order: Option<Order>) -> Option<(Day, usize)> {
    if let Some((year, at)) = year(text) {
        let sign = text[at..].chars().next().filter(|c| "-/.".contains(*c))?;
        let rest = &text[at + 1..];
        let (month, a) = digits(rest, 2)?;
        let rest = rest[a..].strip_prefix(sign)?;
        let (day, b) = digits(rest, 2)?;
        return NaiveDate::from_ymd_opt(year, month, day).map(|date| (Day::Full(date), at + 1 + a + 1 + b));
    }
    let (first, a) = digits(text, 2)?;
    let sign = text[a..].chars().next().filter(|c| "-/.".contains(*c))?;
    let (second, b) = digits(&text[a + 1..], 2)?;
    let mut end = a + 1 + b;
    let mut with_year = None;
    if let Some(rest) = text[end..].strip_prefix(sign) {
        let (year, c) = year(rest).or_else(|| {
            let (number, length) = digits(rest, 2).filter(|(_, length)| *length == 2)?;
            Some((2000 + i32::try_from(number).ok()?, length))
        })?;
        with_year = Some(year);
        end += 1 + c;
    }
    if with_year.is_none() && sign != '/' {
        // "03-26" and "26.03" are days only where a time follows; anything else is a range or a number.
        let rest = text[end..].trim_start_matches(['.', ',']);
        let clock = rest.trim_start();
        let hour = clock.bytes().take_while(|b| b.is_ascii_digit() || b"?xX".contains(b)).count();
        if rest.len() == clock.len() || !(1..=2).contains(&hour) || !clock[hour..].starts_with(':') || a + b != 4 {
            return None;
        }
    }
    let order = match sign {
        '-' => Some(Order::MonthFirst),
        '.' => Some(Order::DayFirst),
        _ if first > 12 => Some(Order::DayFirst),
        _ if second > 12 => Some(Order::MonthFirst),
        _ if first == second => Some(Order::DayFirst),
        _ => order,
    };
    let (month, day) = match order {
        Some(Order::MonthFirst) => (first, second),
        Some(Order::DayFirst) => (second, first),
        None if first == 0 || second == 0 => return None,
        None => return Some((Day::Ambiguous(first, second, with_year), end)),
    };
    in_year(with_year, month, day).map(|day| (day, end))
}

fn in_year(year: Option<i32>, month: u32, day: u32) -> Option<Day> {
    match year {
        Some(year) => NaiveDate::from_ymd_opt(year, month, day).map(Day::Full),
        // 2000 has a 29th of February.
        None => NaiveDate::from_ymd_opt(2000, month, day).map(|_| Day::Yearless(month, day)),
    }
}

/// The month that a text begins with, and where it ends.
fn month(text: &str) -> Option<(u32, usize)> {
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let word = text[..letters].to_ascii_lowercase();
    let fits = |name: &&str| {
        **name == word || (letters == 3 && name.starts_with(&word)) || (word == "sept" && name.starts_with(&word))
    };
    let (number, _) = (1..).zip(MONTHS.iter()).find(|(_, name)| fits(name))?;
    Some((number, letters + usize::from(text[letters..].starts_with('.'))))
}

fn skip_space(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start_matches([' ', '\u{a0}']).len()
}

/// The day of a month with its ending: `14`, `14th`; a second day after a hyphen is skipped.
fn ordinal(text: &str) -> Option<(u32, usize)> {
    let (day, mut end) = digits(text, 2)?;
    let after = text[end..].get(..2).unwrap_or_default().to_ascii_lowercase();
    if ["st", "nd", "rd", "th"].contains(&after.as_str()) {
        end += 2;
    }
    if let Some(rest) = text[end..].strip_prefix(['-', '–'])
        && let Some((_, length)) = digits(rest, 2)
        && !rest[length..].starts_with(':')
    {
        end = text.len() - rest.len() + length;
    }
    (!text[end..].starts_with(|c: char| c.is_alphanumeric() || c == ':')).then_some((day, end))
}

/// The end of a text's part and the year after it, if a year follows.
fn with_year(text: &str, at: usize) -> (Option<i32>, usize) {
    let next = text[at..].trim_start_matches([',', ' ']);
    match year(next) {
        Some((year, length)) if !next[length..].starts_with(|c: char| c.is_alphanumeric() || c == ':') => {
            (Some(year), text.len() - next.len() + length)
        }
        _ => (None, at),
    }
}

/// `Jul 14`, `July 14th, 2026`.
fn month_first(text: &str) -> Option<(Day, usize)> {
    let (month, at) = month(text)?;
    let at = skip_space(text, at);
    let (day, length) = ordinal(&text[at..])?;
    let (year, end) = with_year(text, at + length);
    in_year(year, month, day).map(|day| (day, end))
}

/// `14 Jul`, `14th of July 2026`, `14-Jul-2026`.
fn day_first(text: &str) -> Option<(Day, usize)> {
    let (day, mut at) = digits(text, 2)?;
    let after = text[at..].get(..2).unwrap_or_default().to_ascii_lowercase();
    if ["st", "nd", "rd", "th"].contains(&after.as_str()) {
        at += 2;
    }
    let rest = text[at..].strip_prefix(' ').or_else(|| text[at..].strip_prefix('-'))?;
    let rest = strip_prefix(rest, "of ").unwrap_or(rest);
    let (month, length) = month(rest)?;
    let at = text.len() - rest.len() + length;
    if text[at..].starts_with(char::is_alphanumeric) {
        return None;
    }
    let joined = text[at..].strip_prefix('-').and_then(year).map(|(year, length)| (Some(year), at + 1 + length));
    let (year, end) = joined.unwrap_or_else(|| with_year(text, at));
    in_year(year, month, day).map(|day| (day, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> NaiveDate {
        text.parse().expect("a date")
    }

    #[test]
    fn days_are_read_in_each_of_their_forms() {
        let full = Some(Day::Full(date("2026-07-14")));
        for (text, expected, end) in [
            ("2026-07-14", full, 10),
            ("2026-07-14T09:46", full, 10),
            ("2026/07/14 x", full, 10),
            ("Jul 14, 2026", full, 12),
            ("July 14th 2026 at", full, 14),
            ("14 July 2026", full, 12),
            ("14-Jul-2026", full, 11),
            ("14.07.2026", full, 10),
            ("07/14/2026", full, 10),
            ("14/07/26", full, 8),
            ("Tuesday, July 14, 2026", full, 22),
            ("Jul 14", Some(Day::Yearless(7, 14)), 6),
            ("14 Jul", Some(Day::Yearless(7, 14)), 6),
            ("Feb 29", Some(Day::Yearless(2, 29)), 6),
            ("January 14-19, 2026", Some(Day::Full(date("2026-01-14"))), 19),
            ("07/14", Some(Day::Yearless(7, 14)), 5),
            ("03/04", Some(Day::Ambiguous(3, 4, None)), 5),
            ("03-26 23:04", Some(Day::Yearless(3, 26)), 5),
            ("09:46", None, 0),
            ("10-20", None, 0),
            ("Feb 30", None, 0),
            ("2026-02-30", None, 0),
            ("Maybe 5", None, 0),
            ("Marketing 5", None, 0),
            ("5 Mayors", None, 0),
            ("é", None, 0),
        ] {
            assert_eq!(leading(text, None), expected.map(|day| (day, end)), "{text}");
        }
    }

    #[test]
    fn a_day_without_a_year_is_the_first_or_the_nearest() {
        let from = Some(date("2026-12-30"));
        let day = |text: &str| leading(text, None).expect("a day").0;
        assert_eq!(day("Jan 5").on_or_after(from), Some(date("2027-01-05")));
        assert_eq!(day("Dec 30").on_or_after(from), from);
        assert_eq!(day("Dec 29").on_or_after(from), Some(date("2027-12-29")));
        assert_eq!(day("Feb 29").on_or_after(from), Some(date("2028-02-29")));
        assert_eq!(day("Jan 5").on_or_after(None), None);
        assert_eq!(day("Dec 29").nearest(from), Some(date("2026-12-29")));
        assert_eq!(day("Jan 5").nearest(from), Some(date("2027-01-05")));
    }

    #[test]
    fn the_whole_column_decides_which_part_is_the_month() {
        assert_eq!(order_in(["03/04/2026", "25/04/2026"].into_iter()), Some(Order::DayFirst));
        assert_eq!(order_in(["03/04", "04/25"].into_iter()), Some(Order::MonthFirst));
        assert_eq!(order_in(["03/04", "05/06"].into_iter()), None);
        assert_eq!(order_in(["13/04", "04/13"].into_iter()), None);
    }

    #[test]
    fn a_sentence_may_hold_a_day() {
        assert_eq!(anywhere("All times in PST, on February 5th 2019"), Some(date("2019-02-05")));
        assert_eq!(anywhere("all events happened on 2019-10-21, and"), Some(date("2019-10-21")));
        assert_eq!(anywhere("see v2019-10-21 and x/2019-10-21"), None);
        assert_eq!(anywhere("on July 5 we"), None);
    }
}
