//! How times, figures and lengths are written: one formatter for page, chart and table.
//!
//! A time is never written without its zone being on screen; what a zone's offset is at an instant is asked of the
//! browser, the rest is arithmetic that runs anywhere.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, Timelike, Utc};

use crate::state::zone::{self, Zone};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// An instant as the clocks of a zone show it, and what that zone is called then.
struct Shown {
    clock: DateTime<FixedOffset>,
    zone: String,
}

fn shown(at: DateTime<Utc>, zone: &Zone) -> Shown {
    let (seconds, label) = zone::offset(at, zone);
    let offset = FixedOffset::east_opt(seconds).unwrap_or_else(|| chrono::Offset::fix(&Utc));
    Shown { clock: at.with_timezone(&offset), zone: label }
}

/// "09:46", with seconds where there are any.
pub fn time(at: DateTime<Utc>, zone: &Zone) -> String {
    let clock = shown(at, zone).clock;
    match clock.second() {
        0 => format!("{:02}:{:02}", clock.hour(), clock.minute()),
        second => format!("{:02}:{:02}:{second:02}", clock.hour(), clock.minute()),
    }
}

/// "UTC", "GMT+2", "EDT": what the zone is called at that instant.
pub fn zone_label(at: DateTime<Utc>, zone: &Zone) -> String {
    shown(at, zone).zone
}

/// "9 July 2026".
pub fn date(at: DateTime<Utc>, zone: &Zone) -> String {
    long_date(shown(at, zone).clock.date_naive())
}

/// "9 July 2026, 09:46 UTC".
pub fn date_time(at: DateTime<Utc>, zone: &Zone) -> String {
    format!("{}, {} {}", date(at, zone), time(at, zone), zone_label(at, zone))
}

/// "9 July 2026, 09:46 UTC", whatever the second.
pub fn minute(at: DateTime<Utc>, zone: &Zone) -> String {
    date_time(at.with_second(0).unwrap_or(at), zone)
}

/// "09:46 UTC".
pub fn time_with_zone(at: DateTime<Utc>, zone: &Zone) -> String {
    format!("{} {}", time(at, zone), zone_label(at, zone))
}

/// "09:46–10:17 UTC"; with the days where they differ.
pub fn range(from: DateTime<Utc>, until: DateTime<Utc>, zone: &Zone) -> String {
    if day(from, zone) != day(until, zone) {
        return format!("{} – {}", date_time(from, zone), date_time(until, zone));
    }
    if zone_label(from, zone) != zone_label(until, zone) {
        return format!("{} – {}", time_with_zone(from, zone), time_with_zone(until, zone));
    }
    format!("{}–{}", time(from, zone), time_with_zone(until, zone))
}

/// The calendar day in the zone.
pub fn day(at: DateTime<Utc>, zone: &Zone) -> NaiveDate {
    shown(at, zone).clock.date_naive()
}

/// "9 July 2026".
pub fn long_date(date: NaiveDate) -> String {
    format!("{} {} {}", date.day(), MONTHS[date.month0() as usize], date.year())
}

/// "14 Jul 2026".
pub fn due(date: NaiveDate) -> String {
    format!("{} {} {}", date.day(), &MONTHS[date.month0() as usize][..3], date.year())
}

/// "1,284".
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with its thousands apart: "41,203", "1,842.5".
pub fn grouped(value: f64) -> String {
    let text = number(value);
    let (sign, rest) = text.split_at(usize::from(text.starts_with('-')));
    let (whole, fraction) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
    match whole.parse() {
        Ok(whole) => [sign, &count(whole), fraction].concat(),
        // Larger or smaller than is written in digits.
        Err(_) => text,
    }
}

/// A number in little room: "1.5k", "20M", "0.25".
pub fn short(value: f64) -> String {
    let scaled = |by: f64, letter: &str| [&digits(value / by, 3), letter].concat();
    match value.abs() {
        size if size >= 1e12 => scaled(1e12, "T"),
        size if size >= 1e9 => scaled(1e9, "G"),
        size if size >= 1e6 => scaled(1e6, "M"),
        size if size >= 1e4 => scaled(1e3, "k"),
        _ => digits(value, 4),
    }
}

/// "18.6%", from a share between 0 and 1.
pub fn percent(share: f64) -> String {
    let tenths = rounded(share * 100.0, 10);
    format!("{}.{}%", tenths / 10, tenths % 10)
}

/// How many of `parts` to one a value from 0 to 100 is, to the nearest; halfway to the even one. It is what `{:.1}`
/// writes, without what can write every number there is, which weighs 5 KB in the pages.
fn rounded(value: f64, parts: u64) -> u64 {
    let bits = value.to_bits();
    // A finite number is `mantissa / 2^shift`; below 2^-64 it is none of any parts.
    let shift = 1075_u64.saturating_sub(bits >> 52);
    let mantissa = (bits & ((1 << 52) - 1)) | 1 << 52;
    if !(0.0..=100.0).contains(&value) || shift > 116 {
        return if value > 100.0 { 100 * parts } else { 0 };
    }
    let scaled = u128::from(mantissa) * u128::from(parts);
    let (whole, rest, half) = (scaled >> shift, scaled & ((1 << shift) - 1), 1_u128 << shift >> 1);
    let up = rest > half || (rest == half && whole % 2 == 1);
    u64::try_from(whole).unwrap_or(0) + u64::from(up)
}

/// "5%", "0.5%": a threshold as it was set.
pub fn threshold(share: f64) -> String {
    let hundredths = rounded(share * 100.0, 100);
    let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// "31 min", "1 h 5 min", "2 d 3 h", "40 s".
pub fn duration(seconds: i64) -> String {
    let (days, hours, minutes, rest) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let part = |value: i64, unit: &str| if value == 0 { String::new() } else { format!("{value} {unit}") };
    let parts = match (days, hours, minutes) {
        (0, 0, 0) => return format!("{rest} s"),
        (0, 0, _) => [part(minutes, "min"), part(rest, "s")],
        (0, _, _) => [part(hours, "h"), part(minutes, "min")],
        _ => [part(days, "d"), part(hours, "h")],
    };
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// "1 action", "4 actions".
pub fn counted(value: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(value as u64), if value == 1 { one } else { many })
}

/// "Firefox on Windows": a browser by what it calls itself.
pub fn browser(agent: &str) -> String {
    let find =
        |known: &[(&str, &'static str)]| known.iter().find(|(mark, _)| agent.contains(mark)).map(|(_, name)| *name);
    // Each calls itself by the names of those before it, so the younger ones are looked for first.
    let name = find(&[
        ("Edg/", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("HeadlessChrome/", "Chrome"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ]);
    let system = find(&[
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS", "macOS"),
        ("Linux", "Linux"),
    ]);
    match (name, system) {
        (Some(name), Some(system)) => format!("{name} on {system}"),
        (Some(name), None) => name.to_owned(),
        // A program names itself before the first slash.
        (None, _) => agent.split('/').next().filter(|name| !name.is_empty()).unwrap_or("Unknown").to_owned(),
    }
}

/// A number as short as it can be written exactly.
#[cfg(target_arch = "wasm32")]
pub fn number(value: f64) -> String {
    js_sys::Number::from(value).to_string_with_radix(10).map(String::from).unwrap_or_default()
}

/// A number by so many significant digits, without zeros at its end: "1.843" of 1.8425, "0.4" of 0.40046.
#[cfg(target_arch = "wasm32")]
pub fn digits(value: f64, count: u8) -> String {
    let rounded = js_sys::Number::from(value).to_precision(count).map(String::from).unwrap_or_default();
    grouped(js_sys::Number::parse_float(&rounded))
}

/// The number that somebody wrote, if it is one.
#[cfg(target_arch = "wasm32")]
pub fn read_number(text: &str) -> Option<f64> {
    let value = js_sys::Number::parse_float(&text.trim().replace(',', "."));
    let is_number = text.trim().bytes().all(|byte| byte.is_ascii_digit() || b"+-.,eE".contains(&byte));
    (is_number && value.is_finite()).then_some(value)
}

/// The same without a browser, for the tests.
#[cfg(not(target_arch = "wasm32"))]
pub fn number(value: f64) -> String {
    value.to_string()
}

/// The same without a browser, for the tests.
#[cfg(not(target_arch = "wasm32"))]
pub fn digits(value: f64, count: u8) -> String {
    let rounded = format!("{:.*e}", usize::from(count).saturating_sub(1), value);
    grouped(rounded.parse().unwrap_or(value))
}

/// The same without a browser, for the tests.
#[cfg(not(target_arch = "wasm32"))]
pub fn read_number(text: &str) -> Option<f64> {
    text.trim().replace(',', ".").parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_long_as_they_take_to_be_read() {
        assert_eq!(
            [grouped(41203.0), grouped(1842.5), grouped(-1234.0), grouped(0.25)],
            ["41,203", "1,842.5", "-1,234", "0.25"]
        );
        assert_eq!(
            [digits(1.8425, 3), digits(0.400_456, 3), digits(12347.0, 4), digits(2.0, 3)],
            ["1.84", "0.4", "12,350", "2"]
        );
        assert_eq!(
            [0.0, 0.25, -1234.0, 20_000.0, 1_536_000.0, -2e9, 4.0e12].map(short),
            ["0", "0.25", "-1,234", "20k", "1.54M", "-2G", "4T"]
        );
    }

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().expect("a time")
    }

    #[test]
    fn times_are_written_as_the_zones_clocks_show_them() {
        let instant = at("2026-07-09T23:46:00Z");
        let east = Zone::Named("+02:00".into());
        assert_eq!(time(instant, &Zone::Utc), "23:46");
        assert_eq!(date_time(instant, &east), "10 July 2026, 01:46 GMT+2");
        assert_eq!(time(at("2026-07-09T09:46:07Z"), &Zone::Utc), "09:46:07");
        assert_eq!(minute(at("2026-07-09T09:46:07Z"), &Zone::Utc), "9 July 2026, 09:46 UTC");
        assert_eq!(time(instant, &Zone::Named("-03:30".into())), "20:16");
    }

    #[test]
    fn a_range_names_the_days_only_where_they_differ() {
        let (from, until) = (at("2026-07-09T09:46:00Z"), at("2026-07-09T10:17:00Z"));
        assert_eq!(range(from, until, &Zone::Utc), "09:46–10:17 UTC");
        assert_eq!(
            range(from, at("2026-07-10T00:17:00Z"), &Zone::Utc),
            "9 July 2026, 09:46 UTC – 10 July 2026, 00:17 UTC"
        );
    }

    #[test]
    fn a_browser_is_named_for_people() {
        for (agent, name) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
                "Chrome on Linux",
            ),
            ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0", "Firefox on Windows"),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
                "Safari on macOS",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36",
                "Chrome on Android",
            ),
            ("curl/8.14", "curl"),
            ("", "Unknown"),
        ] {
            assert_eq!(browser(agent), name);
        }
    }

    #[test]
    fn a_share_is_rounded_as_the_documents_round_it() {
        for (of, most) in [(400, 400), (1000, 1000), (6903, 6903), (7, 7)] {
            for part in 0..=most {
                let share = f64::from(part) / f64::from(of);
                assert_eq!(percent(share), format!("{:.1}%", share * 100.0), "{part} of {of}");
            }
        }
        for share in [0.0025, 0.0035, 0.5, f64::MIN_POSITIVE, 1e-12, 0.999_499_9] {
            assert_eq!(percent(share), format!("{:.1}%", share * 100.0), "{share}");
        }
    }

    #[test]
    fn figures_are_written_for_people() {
        for (value, text) in [(0, "0"), (973, "973"), (1284, "1,284"), (20_554, "20,554"), (1_000_000, "1,000,000")] {
            assert_eq!(count(value), text);
        }
        assert_eq!(percent(1284.0 / 6903.0), "18.6%");
        assert_eq!((threshold(0.05), threshold(0.005), threshold(0.1)), ("5%".into(), "0.5%".into(), "10%".into()));
        for (seconds, text) in [
            (0, "0 s"),
            (40, "40 s"),
            (90, "1 min 30 s"),
            (1860, "31 min"),
            (3900, "1 h 5 min"),
            (7200, "2 h"),
            (183_600, "2 d 3 h"),
        ] {
            assert_eq!(duration(seconds), text);
        }
        assert_eq!(due(NaiveDate::from_ymd_opt(2026, 7, 14).expect("a day")), "14 Jul 2026");
        assert_eq!(
            (counted(1, "entry", "entries"), counted(0, "entry", "entries")),
            ("1 entry".into(), "0 entries".into())
        );
    }
}
