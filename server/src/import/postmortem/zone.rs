//! Zones as people name them: abbreviations and offsets.

use chrono::FixedOffset;

/// Abbreviations with their minutes east of Greenwich. One that stands for several zones has the usual one.
const NAMES: &[(&str, i32)] = &[
    ("UTC", 0),
    ("GMT", 0),
    ("Z", 0),
    ("WET", 0),
    ("BST", 60),
    ("WEST", 60),
    ("CET", 60),
    ("CEST", 120),
    ("EET", 120),
    ("EEST", 180),
    ("MSK", 180),
    ("IST", 330),
    ("SGT", 480),
    ("AWST", 480),
    ("JST", 540),
    ("KST", 540),
    ("AEST", 600),
    ("AEDT", 660),
    ("NZST", 720),
    ("NZDT", 780),
    ("EST", -300),
    ("EDT", -240),
    ("CST", -360),
    ("CDT", -300),
    ("MST", -420),
    ("MDT", -360),
    ("PST", -480),
    ("PDT", -420),
    ("AKST", -540),
    ("HST", -600),
];

/// The zone that a word names: `UTC`, `CEST`, `UTC+2`, `GMT-07:00`. Only the two names of Greenwich may be in small
/// letters, since "est" and "cet" are words.
pub fn named(word: &str) -> Option<FixedOffset> {
    let upper = word.to_ascii_uppercase();
    let is_plain = ["UTC", "GMT"].iter().find_map(|name| upper.strip_prefix(name));
    if let Some(rest) = is_plain.filter(|rest| !rest.is_empty()) {
        return offset(rest);
    }
    if word != upper && is_plain.is_none() {
        return None;
    }
    NAMES.iter().find(|(name, _)| *name == upper).and_then(|(_, minutes)| FixedOffset::east_opt(minutes * 60))
}

/// An offset: `+02:00`, `-0700`, `+2`.
pub fn offset(text: &str) -> Option<FixedOffset> {
    let (sign, digits) = match text.chars().next()? {
        '+' => (1, &text[1..]),
        '-' => (-1, &text[1..]),
        '−' => (-1, &text['−'.len_utf8()..]),
        _ => return None,
    };
    if !digits.bytes().all(|b| b.is_ascii_digit() || b == b':') {
        return None;
    }
    let (hours, minutes) = match (digits.split_once(':'), digits.len()) {
        (Some((hours, minutes)), 4 | 5) => (hours, minutes),
        (None, 4) => digits.split_at(2),
        (None, 1 | 2) => (digits, "0"),
        _ => return None,
    };
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours <= 14 && minutes < 60).then(|| FixedOffset::east_opt(sign * (hours * 3600 + minutes * 60)))?
}

/// The zones that a sentence or a header names: the one to use, and whether another contradicts it. An offset in
/// numbers says more than an abbreviation beside it.
pub fn in_text(text: &str) -> Option<(FixedOffset, bool)> {
    let words = text.split(|c: char| c.is_whitespace() || "()[]|,;*_`".contains(c));
    let mut found: Vec<(FixedOffset, bool)> = Vec::new();
    for word in words.map(|word| word.trim_end_matches([':', '.', '!'])).filter(|word| (2..=9).contains(&word.len())) {
        if let Some(zone) = named(word) {
            found.push((zone, word.contains(['+', '-'])));
        }
    }
    let (zone, _) = found.iter().find(|(_, is_number)| *is_number).or(found.first())?;
    Some((*zone, found.iter().any(|(other, _)| other != zone)))
}

/// The name of a zone for an incident: `UTC`, or `+HH:MM`.
pub fn name(zone: Option<FixedOffset>) -> String {
    match zone.map(|zone| zone.local_minus_utc()) {
        None | Some(0) => "UTC".to_owned(),
        Some(seconds) => {
            let (sign, seconds) = if seconds < 0 { ('-', -seconds) } else { ('+', seconds) };
            format!("{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_known_by_name_and_by_offset() {
        for (word, expected) in [
            ("UTC", Some("UTC")),
            ("utc", Some("UTC")),
            ("Z", Some("UTC")),
            ("CEST", Some("+02:00")),
            ("PST", Some("-08:00")),
            ("UTC+2", Some("+02:00")),
            ("GMT-07:00", Some("-07:00")),
            ("UTC+5:30", Some("+05:30")),
            ("est", None),
            ("z", None),
            ("UTC+99", None),
            ("ABC", None),
            ("", None),
        ] {
            assert_eq!(named(word).map(|zone| name(Some(zone))).as_deref(), expected, "{word}");
        }
        for (text, expected) in [
            ("+02:00", Some("+02:00")),
            ("-0730", Some("-07:30")),
            ("+2", Some("+02:00")),
            ("+ab", None),
            ("+é", None),
            ("", None),
        ] {
            assert_eq!(offset(text).map(|zone| name(Some(zone))).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_sentence_may_name_the_zone() {
        for (text, expected, contradicts) in [
            ("All times in PST", Some("-08:00"), false),
            ("All times are in [UTC](https://example.org).", Some("UTC"), false),
            ("Times: CET (GMT+1)", Some("+01:00"), false),
            ("All times in PST (UTC-7)", Some("-07:00"), true),
            ("It was the best of times", None, false),
        ] {
            let found = in_text(text);
            assert_eq!(found.map(|(zone, _)| name(Some(zone))).as_deref(), expected, "{text}");
            assert_eq!(found.is_some_and(|(_, contradicts)| contradicts), contradicts, "{text}");
        }
    }
}
