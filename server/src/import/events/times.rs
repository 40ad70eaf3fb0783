//! The times of a column: how they are written is decided once for all of them, and each is then read in that way alone.

use chrono::{DateTime, NaiveDate, NaiveTime};
use domain::mapping::TimeFormat;
use domain::wire::actions::{YEARS, years};

use super::super::ImportError;
use super::super::postmortem::{Zone, given_zone};
use super::rows::quoted;

/// From here on a number cannot be meant as seconds: it would be the year 5138.
const TOO_MANY_SECONDS: i64 = 100_000_000_000;

/// From here on a number cannot be meant as milliseconds, for the same reason.
const TOO_MANY_MILLIS: i64 = TOO_MANY_SECONDS * 1000;

/// The first millisecond of the years that there is telemetry of, and the first after them.
const FIRST: i64 = first_millisecond(*YEARS.start());
const END: i64 = first_millisecond(*YEARS.end() + 1);

const fn first_millisecond(year: i32) -> i64 {
    match NaiveDate::from_ymd_opt(year, 1, 1) {
        Some(day) => day.and_time(NaiveTime::MIN).and_utc().timestamp_millis(),
        None => 0,
    }
}

/// How many times as many as of all others there must be of one kind, to tell it without asking.
const MOSTLY: usize = 9;

/// How the times of a column are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::import) struct Times {
    column: String,
    format: TimeFormat,
    zone: Option<Zone>,
}

/// What one value looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Zoned,
    Zoneless,
    Seconds,
    Millis,
    Other,
}

impl Times {
    /// Decides from the values at the head of a column, where it was not said.
    pub(in crate::import) fn decide<'a>(
        column: &str,
        format: Option<TimeFormat>,
        zone: Option<&str>,
        values: impl Iterator<Item = &'a [u8]>,
    ) -> Result<Self, ImportError> {
        let zone = zone.map(given_zone).transpose().map_err(ImportError::Refused)?;
        let looks: Vec<Look> = values.filter(|value| !value.is_empty()).map(look).collect();
        let count = |look: Look| looks.iter().filter(|&&other| other == look).count();
        let (dates, seconds, millis) =
            (count(Look::Zoned) + count(Look::Zoneless), count(Look::Seconds), count(Look::Millis));
        let ask = |why: &str, mend: &str| Err(ImportError::Refused(format!("the times in ‘{column}’ {why}; {mend}")));
        // Whatever is decided, a value that is written otherwise is refused by its line, and never misread.
        let format = match format {
            Some(format) => format,
            None if dates >= seconds + millis => TimeFormat::Written,
            None if seconds > MOSTLY * (dates + millis) => TimeFormat::EpochSeconds,
            None if millis > MOSTLY * (dates + seconds) => TimeFormat::EpochMillis,
            None => {
                return ask(
                    "are not all written alike",
                    "say how they are meant (--time-format written, epoch_seconds or epoch_millis)",
                );
            }
        };
        if format == TimeFormat::Written && zone.is_none() && dates > 0 && count(Look::Zoned) == 0 {
            return ask(
                "name no zone",
                "say which zone they are in (--zone), as an offset such as +02:00 or a region such as Europe/Berlin",
            );
        }
        Ok(Self { column: column.to_owned(), format, zone })
    }

    /// How the times are written.
    pub(in crate::import) fn format(&self) -> TimeFormat {
        self.format
    }

    /// A time in milliseconds since 1970. What stands for no time, such as the year 1 or 9999, is none.
    pub(in crate::import) fn millis(&self, value: &[u8]) -> Result<i64, String> {
        let millis = self.any_millis(value)?;
        if (FIRST..END).contains(&millis) {
            return Ok(millis);
        }
        Err(self.refusal(value, &format!("of a year that is none of {}", years())))
    }

    fn any_millis(&self, value: &[u8]) -> Result<i64, String> {
        match self.format {
            TimeFormat::Written => self.written(value),
            TimeFormat::EpochSeconds => seconds(value)
                .filter(|ms| ms.abs() < TOO_MANY_MILLIS)
                .ok_or_else(|| self.refusal(value, "not a number of seconds since 1970")),
            TimeFormat::EpochMillis => std::str::from_utf8(value)
                .ok()
                .and_then(|text| text.parse::<i64>().ok())
                .filter(|ms| (TOO_MANY_SECONDS..TOO_MANY_MILLIS).contains(ms))
                .ok_or_else(|| self.refusal(value, "not a number of milliseconds since 1970")),
        }
    }

    fn written(&self, value: &[u8]) -> Result<i64, String> {
        match (parts(value), self.zone) {
            (Some((local, Some(offset))), _) => Ok(local - offset),
            (Some((local, None)), Some(zone)) => {
                let instant = DateTime::from_timestamp_millis(local).and_then(|at| zone.instant(at.naive_utc()));
                instant.map(|at| at.timestamp_millis()).ok_or_else(|| {
                    self.refusal(value, "a time that the zone’s clocks show twice or never; write it with its offset")
                })
            }
            (Some((_, None)), None) => {
                Err(self.refusal(value, "not a time with a zone; write it with Z or an offset, or say --zone"))
            }
            (None, _) => {
                // A second that was inserted.
                let text = std::str::from_utf8(value).unwrap_or_default();
                DateTime::parse_from_rfc3339(text).map(|at| at.timestamp_millis()).map_err(|_| {
                    self.refusal(
                        value,
                        if is_slashed(value) {
                            "a date whose day and month may be either; write YYYY-MM-DD"
                        } else {
                            "not a time with date and zone, such as 2026-07-09T09:46:00Z or …+02:00"
                        },
                    )
                })
            }
        }
    }

    fn refusal(&self, value: &[u8], what: &str) -> String {
        format!("{} ‘{}’ is {what}", self.column, quoted(value))
    }
}

fn look(value: &[u8]) -> Look {
    if let Some((_, offset)) = parts(value) {
        return if offset.is_some() { Look::Zoned } else { Look::Zoneless };
    }
    match seconds(value) {
        Some(ms) if ms.abs() < TOO_MANY_MILLIS => Look::Seconds,
        Some(_) => Look::Millis,
        None => Look::Other,
    }
}

/// Whether it begins as `03/04` or `03.04.` does.
fn is_slashed(value: &[u8]) -> bool {
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (1..=2).contains(&digits) && matches!(value.get(digits), Some(b'/' | b'.' | b'-'))
}

/// Seconds since 1970 with up to three decimals that count, in milliseconds.
fn seconds(value: &[u8]) -> Option<i64> {
    let (whole, decimals) = match memchr::memchr(b'.', value) {
        Some(at) => (&value[..at], &value[at + 1..]),
        None => (value, &b"0"[..]),
    };
    if decimals.is_empty() || !decimals.iter().all(u8::is_ascii_digit) || !whole.last()?.is_ascii_digit() {
        return None;
    }
    let ms = decimals.iter().map(|digit| i64::from(digit - b'0')).chain([0, 0]).take(3).fold(0, |ms, d| ms * 10 + d);
    let whole: i64 = std::str::from_utf8(whole).ok()?.parse().ok()?;
    whole.checked_mul(1000)?.checked_add(if whole < 0 { -ms } else { ms })
}

/// A number of exactly so many digits.
fn digits(value: &[u8]) -> Option<u32> {
    value.iter().try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0')))
}

/// `YYYY-MM-DD`, `T` or a blank, `HH:MM`, and perhaps seconds, decimals and an offset: the milliseconds that a clock
/// shows, and the offset in milliseconds. What it does not take, [`DateTime::parse_from_rfc3339`] may.
///
/// Ten million rows of it take half of what chrono takes, which is a fifth of an import.
fn parts(value: &[u8]) -> Option<(i64, Option<i64>)> {
    let (date, rest) = value.split_at_checked(10)?;
    let (&[b'T' | b't' | b' ', h1, h2, b':', m1, m2], mut rest) = rest.split_first_chunk::<6>()? else { return None };
    if date[4] != b'-' || date[7] != b'-' {
        return None;
    }
    let year = i32::try_from(digits(&date[..4])?).ok()?;
    let day = NaiveDate::from_ymd_opt(year, digits(&date[5..7])?, digits(&date[8..])?)?;
    let (hour, minute) = (digits(&[h1, h2])?, digits(&[m1, m2])?);
    let (mut second, mut ms) = (0, 0);
    if let Some((&[b':', s1, s2], after)) = rest.split_first_chunk::<3>() {
        second = digits(&[s1, s2])?;
        rest = after;
        if let Some((b'.' | b',', after)) = rest.split_first() {
            let length = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if length == 0 {
                return None;
            }
            let decimals = after[..length].iter().chain(b"00").take(3);
            ms = decimals.fold(0, |ms, digit| ms * 10 + i64::from(digit - b'0'));
            rest = &after[length..];
        }
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = day.signed_duration_since(NaiveDate::default()).num_days();
    let local = (days * 86_400 + i64::from(hour * 3600 + minute * 60 + second)) * 1000 + ms;
    if rest.is_empty() {
        return Some((local, None));
    }
    offset(rest).map(|offset| (local, Some(offset)))
}

/// `Z`, `+HH:MM` or `+HHMM`, in milliseconds.
fn offset(rest: &[u8]) -> Option<i64> {
    let (sign, hours, minutes) = match rest {
        [b'Z' | b'z'] => return Some(0),
        [sign, h1, h2, b':', m1, m2] | [sign, h1, h2, m1, m2] => (sign, digits(&[*h1, *h2])?, digits(&[*m1, *m2])?),
        _ => return None,
    };
    let minutes = (hours < 24 && minutes < 60).then_some(i64::from(hours * 60 + minutes))?;
    match sign {
        b'+' => Some(minutes * 60_000),
        b'-' => Some(-minutes * 60_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decided(values: &[&str], format: Option<TimeFormat>, zone: Option<&str>) -> Result<Times, String> {
        Times::decide("ts", format, zone, values.iter().map(|value| value.as_bytes())).map_err(|e| e.to_string())
    }

    #[test]
    fn how_times_are_written_is_decided_from_all_of_them_or_asked() {
        use TimeFormat::{EpochMillis, EpochSeconds, Written};
        for (values, expected) in [
            (&["2026-07-09T09:46:00Z", "2026-07-09 11:46:00.5+0200"][..], Ok(Written)),
            (&["2026-07-09T09:46:00Z", "2026-07-09 09:46"], Ok(Written)),
            (&["1783590360", "1783590361.25", ""], Ok(EpochSeconds)),
            (&["1783590360000", "1783590361250"], Ok(EpochMillis)),
            (&["1783590360000", "soon"], Ok(EpochMillis)),
            (&["1783590360000", "1783590361"], Err("not all written alike")),
            (&["1783590360000", "2026-07-09T09:46:00Z"], Ok(Written)),
            (&["1783590360000", "1783590360001", "2026-07-09T09:46:00Z"], Err("not all written alike")),
            (&["2026-07-09 09:46", "2026-07-09T09:47:01"], Err("name no zone")),
            (&["03/04/2026 09:46"], Ok(Written)),
            (&[], Ok(Written)),
        ] {
            match (decided(values, None, None), expected) {
                (Ok(times), Ok(expected)) => assert_eq!(times.format(), expected, "{values:?}"),
                (Err(reason), Err(expected)) => assert!(reason.contains(expected), "{values:?}: {reason}"),
                (found, _) => panic!("{values:?}: {found:?}"),
            }
        }
    }

    #[test]
    fn a_time_is_read_in_the_way_of_its_column_alone() {
        use TimeFormat::{EpochMillis, EpochSeconds, Written};
        for (format, zone, value, expected) in [
            (Written, None, "2026-07-09T09:46:00Z", Ok(1_783_590_360_000)),
            (Written, None, "2026-07-09t11:46:00.4629+02:00", Ok(1_783_590_360_462)),
            (Written, None, "2026-07-09 04:46:00.4-0500", Ok(1_783_590_360_400)),
            (Written, None, "2026-06-30T23:59:60Z", Ok(1_782_864_000_000)),
            (Written, None, "2026-07-09 09:46", Err("not a time with a zone")),
            (Written, None, "2026-02-30T09:46:00Z", Err("not a time with date and zone")),
            (Written, None, "2026-07-09T24:00:00Z", Err("not a time with date and zone")),
            (Written, None, "03/04/2026 09:46", Err("day and month may be either")),
            (Written, None, "1783590360", Err("not a time with date and zone")),
            (Written, Some("+02:00"), "2026-07-09 11:46", Ok(1_783_590_360_000)),
            (Written, Some("+02:00"), "2026-07-09T09:46:00Z", Ok(1_783_590_360_000)),
            (Written, Some("Europe/Berlin"), "2026-07-09 11:46:00", Ok(1_783_590_360_000)),
            (Written, Some("Europe/Berlin"), "2026-10-25 02:30:00", Err("twice or never")),
            (Written, Some("Europe/Berlin"), "2026-03-29 02:30:00", Err("twice or never")),
            (Written, Some("Europe/Berlin"), "2026-10-25 02:30:00+01:00", Ok(1_792_891_800_000)),
            (Written, None, "1970-01-01T00:00:00Z", Ok(0)),
            (Written, None, "2200-12-31T23:59:59.999Z", Ok(7_289_654_399_999)),
            (Written, None, "0000-01-01T00:00:00Z", Err("none of 1970 to 2200")),
            (Written, None, "0001-01-01T00:00:00Z", Err("none of 1970 to 2200")),
            (Written, None, "9999-12-31T23:59:59Z", Err("none of 1970 to 2200")),
            (Written, Some("Europe/Berlin"), "0001-01-01 00:00", Err("none of 1970 to 2200")),
            (EpochSeconds, None, "-1", Err("none of 1970 to 2200")),
            (EpochSeconds, None, "7289654400", Err("none of 1970 to 2200")),
            (EpochSeconds, None, "1783590360", Ok(1_783_590_360_000)),
            (EpochSeconds, None, "1783590360.4629", Ok(1_783_590_360_462)),
            (EpochSeconds, None, "1783590360000", Err("not a number of seconds")),
            (EpochSeconds, None, "1783590360.", Err("not a number of seconds")),
            (EpochMillis, None, "1783590360462", Ok(1_783_590_360_462)),
            (EpochMillis, None, "1783590360", Err("not a number of milliseconds")),
            (EpochMillis, None, "1783590360462000", Err("not a number of milliseconds")),
            (EpochMillis, None, "2026-07-09T09:46:00Z", Err("not a number of milliseconds")),
        ] {
            let times = decided(&[], Some(format), zone).expect("decided");
            match (times.millis(value.as_bytes()), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{value} {zone:?}"),
                (Err(reason), Err(expected)) => assert!(reason.contains(expected), "{value}: {reason}"),
                (found, _) => panic!("{value} {zone:?}: {found:?}"),
            }
        }
    }

    proptest! {
        #[test]
        fn what_chrono_reads_is_read_alike(ms in -62_000_000_000_000_i64..250_000_000_000_000, offset in -1439..1440_i32) {
            let at = DateTime::from_timestamp_millis(ms).expect("in range");
            let zone = chrono::FixedOffset::east_opt(offset * 60).expect("in range");
            let text = at.with_timezone(&zone).to_rfc3339();
            prop_assert_eq!(parts(text.as_bytes()).map(|(local, offset)| local - offset.unwrap_or_default()), Some(ms), "{}", text);
        }

        #[test]
        fn no_value_is_read_otherwise_than_by_chrono(text in "[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})") {
            if let (Some((local, Some(offset))), Ok(at)) = (parts(text.as_bytes()), DateTime::parse_from_rfc3339(&text)) {
                prop_assert_eq!(local - offset, at.timestamp_millis());
            }
        }
    }
}
