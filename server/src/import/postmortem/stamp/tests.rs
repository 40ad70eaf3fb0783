use super::*;

/// A span as text, with what follows it.
fn read(text: &str) -> Option<String> {
    let (span, end) = leading(text)?;
    let one = |stamp: Stamp| {
        let day = match stamp.day {
            Some(Day::Full(date)) => format!("{date} "),
            Some(Day::Yearless(month, day)) => format!("{month}/{day} "),
            Some(Day::Ambiguous(..)) => "a/b ".to_owned(),
            None => String::new(),
        };
        let clock = match stamp.clock {
            Some(Clock::At(time, NextDay(next))) => {
                let form = match (time.second(), time.nanosecond()) {
                    (0, 0) => "%H:%M",
                    (_, 0) => "%H:%M:%S",
                    _ => "%H:%M:%S%.3f",
                };
                format!("{}{}", time.format(form), if next { "+1" } else { "" })
            }
            Some(Clock::Open) => "open".to_owned(),
            None => "none".to_owned(),
        };
        let zone = stamp.zone.map(|zone| format!(" {}", zone::name(Some(zone)))).unwrap_or_default();
        format!("{day}{clock}{zone}")
    };
    let until = span.until.map(|until| format!(" to {}", one(until))).unwrap_or_default();
    Some(format!("{}{until}|{}", one(span.from), text[end..].trim()))
}

#[test]
fn times_are_read_in_each_of_their_forms() {
    for (text, expected) in [
        ("09:46", "09:46|"),
        ("9:46 Alert", "09:46|Alert"),
        ("09:46:30.25 x", "09:46:30.250|x"),
        ("4:02 PM x", "16:02|x"),
        ("12:05 a.m. x", "00:05|x"),
        ("10pm", "22:00|"),
        ("24:00", "00:00+1|"),
        ("[08:47] x", "08:47|x"),
        ("**16:58 UTC** - text", "16:58 UTC|- text"),
        ("**00:27 UTC:** text", "00:27 UTC|:** text"),
        ("~19:30", "19:30|"),
        ("~2025-03-03 19:30", "2025-03-03 19:30|"),
        ("ca. 11:20 x", "11:20|x"),
        ("2026-07-09T09:46:00Z", "2026-07-09 09:46 UTC|"),
        ("2026-07-09T09:46Z x", "2026-07-09 09:46 UTC|x"),
        ("2026-07-09 09:46 UTC", "2026-07-09 09:46 UTC|"),
        ("2026-07-09T09:46:00+02:00", "2026-07-09 09:46 +02:00|"),
        ("2026-07-09T09:46-05:00", "2026-07-09 09:46 -05:00|"),
        ("2026-07-09 09:46 +0200", "2026-07-09 09:46 +02:00|"),
        ("2026-07-09 09:46:12 -05:00 x", "2026-07-09 09:46:12 -05:00|x"),
        ("2026-07-09 09:46-05:00", "2026-07-09 09:46 -05:00|"),
        ("2026-07-09 09:46-10:17", "2026-07-09 09:46 to 10:17|"),
        ("0946Z x", "09:46 UTC|x"),
        ("09:46 (CET) x", "09:46 +01:00|x"),
        ("09:46 CET (GMT+1) x", "09:46 +01:00|x"),
        ("09:46 UTC+2: x", "09:46 +02:00|: x"),
        ("2:54 PM PST: x", "14:54 -08:00|: x"),
        ("2018-07-30 ca. 11:20", "2018-07-30 11:20|"),
        ("Jan 14, 10:18 AM", "1/14 10:18|"),
        ("Feb 20 2018 14:17", "2018-02-20 14:17|"),
        ("Dec 17th **08:21** x", "12/17 08:21|x"),
        ("[03-26 23:04] x", "3/26 23:04|x"),
        ("**22:30 UTC (Oct 29)** - x", "10/29 22:30 UTC|- x"),
        ("2021-12-10   15:40 x", "2021-12-10 15:40|x"),
        ("2021-12-10", "2021-12-10 none|"),
        ("??:?? x", "open|x"),
        ("--:-- x", "open|x"),
        ("[???] x", "open|x"),
        ("2X:XX (not sure)", "open|(not sure)"),
        ("14:?? x", "open|x"),
        ("2019-12-03 --:-- x", "2019-12-03 open|x"),
        ("25:99 x", "open|x"),
    ] {
        assert_eq!(read(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn spans_are_read_in_each_of_their_forms() {
    for (text, expected) in [
        ("09:46-10:17 UTC", "09:46 to 10:17 UTC|"),
        ("09:46–10:17", "09:46 to 10:17|"),
        ("09:46 — 10:17 x", "09:46 to 10:17|x"),
        ("09:46 to 10:17", "09:46 to 10:17|"),
        ("10 pm to 2 am", "22:00 to 02:00|"),
        ("8:20 - 8:24 PM", "20:20 to 20:24|"),
        ("2026-07-09T09:46:00Z/2026-07-09T10:17:00Z", "2026-07-09 09:46 UTC to 2026-07-09 10:17 UTC|"),
        ("Between 2023-07-10 to 2023-07-16 x", "2023-07-10 none to 2023-07-16 none|x"),
        ("between 10:00 and 11:00", "10:00 to 11:00|"),
        ("17:00-18:00", "17:00 to 18:00|"),
    ] {
        assert_eq!(read(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn what_is_no_time_is_none() {
    for text in [
        "",
        "10 people",
        "1:5 ratio",
        "1:10:100 mix",
        "3 of 4",
        "v2",
        "é",
        "9",
        "Alert at 09:46",
        "2026",
        "12345:00",
        "10:00abc",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}
