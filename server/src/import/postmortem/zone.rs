//! Zones as people name them: abbreviations, offsets, and names of regions.

use chrono::{DateTime, FixedOffset, NaiveDateTime, Offset as _, TimeZone as _, Utc};
use chrono_tz::{America, Australia, Europe, Tz};

/// A zone as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// An offset, or an abbreviation that is one all the year.
    Fixed(FixedOffset),
    /// An abbreviation of what the clocks of a region show for a part of the year (`EST`).
    Seasonal(&'static str, FixedOffset, Tz),
    /// The clocks of a region, whatever they show on the day (`ET`, `Europe/Berlin`).
    Region(Tz),
    /// An abbreviation that several regions use for different offsets.
    Ambiguous(&'static Shared),
}

/// An abbreviation that stands for several zones.
#[derive(Debug, PartialEq, Eq)]
pub struct Shared {
    /// The abbreviation.
    pub word: &'static str,
    /// What it may stand for, for people.
    pub meanings: &'static str,
}

const SHARED: &[Shared] = &[
    Shared { word: "CST", meanings: "-06:00 in North America, -05:00 in Cuba or +08:00 in China" },
    Shared { word: "IST", meanings: "+05:30 in India, +02:00 in Israel or +01:00 in Ireland" },
    Shared { word: "AST", meanings: "-04:00 in Atlantic Canada or +03:00 in Arabia" },
];

/// Abbreviations that are one offset all the year, in minutes east of Greenwich.
const FIXED: &[(&str, i32)] = &[
    ("UTC", 0),
    ("GMT", 0),
    ("Z", 0),
    ("MSK", 180),
    ("SGT", 480),
    ("AWST", 480),
    ("JST", 540),
    ("KST", 540),
    // Queensland keeps it in summer as well.
    ("AEST", 600),
    ("NZST", 720),
    ("NZDT", 780),
    ("HST", -600),
];

/// Abbreviations that hold for a part of the year, in minutes east of Greenwich, each with a region that uses it.
const SEASONAL: &[(&str, i32, Tz)] = &[
    ("WET", 0, Europe::Lisbon),
    ("WEST", 60, Europe::Lisbon),
    ("BST", 60, Europe::London),
    ("CET", 60, Europe::Berlin),
    ("CEST", 120, Europe::Berlin),
    ("EET", 120, Europe::Helsinki),
    ("EEST", 180, Europe::Helsinki),
    ("AEDT", 660, Australia::Sydney),
    ("EST", -300, America::New_York),
    ("EDT", -240, America::New_York),
    ("CDT", -300, America::Chicago),
    ("MST", -420, America::Denver),
    ("MDT", -360, America::Denver),
    ("PST", -480, America::Los_Angeles),
    ("PDT", -420, America::Los_Angeles),
    ("AKST", -540, America::Anchorage),
    ("AKDT", -480, America::Anchorage),
];

/// Names of a region's clocks: two letters, and the word that "Time" may follow.
const REGIONS: &[(&str, &str, Tz)] = &[
    ("ET", "Eastern", America::New_York),
    ("CT", "Central", America::Chicago),
    ("MT", "Mountain", America::Denver),
    ("PT", "Pacific", America::Los_Angeles),
];

impl Zone {
    /// A fixed offset, in seconds east of Greenwich.
    pub fn utc() -> Self {
        Self::Fixed(Utc.fix())
    }

    /// The instant at which clocks in the zone show a time; none where they never show it, show it twice, or it is
    /// not known which zone is meant.
    pub fn instant(self, local: NaiveDateTime) -> Option<DateTime<Utc>> {
        match self {
            Self::Fixed(offset) | Self::Seasonal(_, offset, _) => offset.from_local_datetime(&local).single(),
            Self::Region(region) => {
                return region.from_local_datetime(&local).single().map(|at| at.with_timezone(&Utc));
            }
            Self::Ambiguous(_) => None,
        }
        .map(|at| at.with_timezone(&Utc))
    }

    /// What clocks in the zone show at an instant; an ambiguous one is taken as UTC.
    pub fn local(self, at: DateTime<Utc>) -> NaiveDateTime {
        match self {
            Self::Fixed(offset) | Self::Seasonal(_, offset, _) => at.with_timezone(&offset).naive_local(),
            Self::Region(region) => at.with_timezone(&region).naive_local(),
            Self::Ambiguous(_) => at.naive_utc(),
        }
    }

    /// The region and the abbreviation, where the region's clocks do not show at that time what the abbreviation says.
    pub fn out_of_season(self, local: NaiveDateTime) -> Option<(&'static str, Tz)> {
        let Self::Seasonal(word, offset, region) = self else { return None };
        let shown = region.offset_from_local_datetime(&local);
        let holds = [shown.earliest(), shown.latest()].iter().flatten().any(|shown| shown.fix() == offset);
        (!holds).then_some((word, region))
    }

    /// Whether two names cannot mean the same clocks.
    fn contradicts(self, other: Self) -> bool {
        match (self, other) {
            (Self::Fixed(one) | Self::Seasonal(_, one, _), Self::Fixed(two) | Self::Seasonal(_, two, _)) => one != two,
            (Self::Region(one), Self::Region(two) | Self::Seasonal(_, _, two))
            | (Self::Seasonal(_, _, one), Self::Region(two)) => one != two,
            (Self::Ambiguous(one), Self::Ambiguous(two)) => one != two,
            // A number beside a name says which of its offsets is meant.
            _ => false,
        }
    }
}

/// The zone that a word names: `UTC`, `CEST`, `ET`, `UTC+2`, `GMT-07:00`, `Europe/Berlin`. Only the two names of
/// Greenwich may be in small letters, since "est" and "cet" are words.
pub fn named(word: &str) -> Option<Zone> {
    let upper = word.to_ascii_uppercase();
    let is_plain = ["UTC", "GMT"].iter().find_map(|name| upper.strip_prefix(name));
    if let Some(rest) = is_plain.filter(|rest| !rest.is_empty()) {
        return offset(rest).map(Zone::Fixed);
    }
    if word.contains('/') {
        return word.parse().ok().map(Zone::Region).or_else(|| alternatives(word));
    }
    if word != upper && is_plain.is_none() {
        return None;
    }
    let east = |minutes: i32| FixedOffset::east_opt(minutes * 60);
    let fixed = FIXED.iter().find(|(name, _)| *name == upper).and_then(|(_, minutes)| east(*minutes)).map(Zone::Fixed);
    let seasonal = || {
        let (name, minutes, region) = SEASONAL.iter().find(|(name, ..)| *name == upper)?;
        Some(Zone::Seasonal(name, east(*minutes)?, *region))
    };
    let region = || REGIONS.iter().find(|(name, ..)| *name == upper).map(|(.., region)| Zone::Region(*region));
    let shared = || SHARED.iter().find(|shared| shared.word == upper).map(Zone::Ambiguous);
    fixed.or_else(seasonal).or_else(region).or_else(shared)
}

/// `CET/CEST` and `PST/PDT` are a region's clocks; other pairs are two zones.
fn alternatives(word: &str) -> Option<Zone> {
    let (one, two) = word.split_once('/').filter(|(_, two)| !two.contains('/'))?;
    match (named(one)?, named(two)?) {
        (Zone::Seasonal(_, _, one), Zone::Seasonal(_, _, two)) if one == two => Some(Zone::Region(one)),
        _ => None,
    }
}

/// The region that a word such as "Pacific" names, in this spelling alone.
pub fn region(word: &str) -> Option<Zone> {
    REGIONS.iter().find(|(_, name, _)| *name == word).map(|(.., region)| Zone::Region(*region))
}

/// The zone that a person gives apart from the document: an offset, an abbreviation of one zone, or a region.
pub fn given(text: &str) -> Result<Zone, String> {
    let zone = offset(text).map(Zone::Fixed).or_else(|| named(text)).or_else(|| region(text));
    match zone {
        Some(Zone::Ambiguous(shared)) => {
            Err(format!("{} stands for several zones ({}); give the offset", shared.word, shared.meanings))
        }
        Some(zone) => Ok(zone),
        None => Err("write an offset such as +02:00, UTC, or a region such as Europe/Berlin".to_owned()),
    }
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
pub fn in_text(text: &str) -> Option<(Zone, bool)> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || "()[]|,;*_`".contains(c) && !(c == '_' && text.contains('/')))
        .map(|word| word.trim_end_matches([':', '.', '!']))
        .filter(|word| !word.is_empty())
        .collect();
    let found: Vec<(Zone, bool)> = (0..words.len())
        .filter_map(|at| {
            let word = words[at];
            let zone = named(word).filter(|_| word.len() > 2 || is_meant(&words, at, text));
            let zone = zone.or_else(|| {
                let name = word.rsplit('/').next().unwrap_or(word);
                region(name).filter(|_| is_meant(&words, at, text))
            });
            Some((zone.filter(|_| word.len() > 1)?, word.contains(['+', '-']) && !word.contains('/')))
        })
        .collect();
    let (zone, _) = found.iter().find(|(_, is_number)| *is_number).or(found.first())?;
    Some((*zone, found.iter().any(|(other, _)| zone.contradicts(*other))))
}

/// Whether a word that may be anything (`PT`, "Pacific") stands where a zone does: alone, in brackets, behind a time,
/// beside "time", or behind "in" where times are spoken of.
fn is_meant(words: &[&str], at: usize, text: &str) -> bool {
    let is_time =
        |word: &&str| ["time", "times", "zone", "timezone"].iter().any(|known| word.eq_ignore_ascii_case(known));
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    let speaks_of_time = || words.iter().any(is_time);
    words.len() == 1
        || text.contains(&format!("({})", words[at]))
        || words.get(at + 1).is_some_and(is_time)
        || before.is_some_and(|before| {
            is_time(before) || before.contains(':') && before.contains(|c: char| c.is_ascii_digit())
        })
        || before.is_some_and(|before| before.eq_ignore_ascii_case("in")) && speaks_of_time()
}

/// The name of a zone for an incident: `UTC`, `+HH:MM`, or a region's name. An ambiguous one has none yet.
pub fn name(zone: Option<Zone>) -> String {
    let offset = match zone {
        None | Some(Zone::Ambiguous(_)) => Utc.fix(),
        Some(Zone::Region(region)) => return region.name().to_owned(),
        Some(Zone::Fixed(offset) | Zone::Seasonal(_, offset, _)) => offset,
    };
    match offset.local_minus_utc() {
        0 => "UTC".to_owned(),
        seconds => {
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
            ("PT", Some("America/Los_Angeles")),
            ("Europe/Berlin", Some("Europe/Berlin")),
            ("US/Pacific", Some("US/Pacific")),
            ("CET/CEST", Some("Europe/Berlin")),
            ("CET/PST", None),
            ("and/or", None),
            ("pt", None),
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
            assert_eq!(offset(text).map(|zone| name(Some(Zone::Fixed(zone)))).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_sentence_may_name_the_zone() {
        for (text, expected, contradicts) in [
            ("All times in PST", Some("-08:00"), false),
            ("All times are in [UTC](https://example.org).", Some("UTC"), false),
            ("Times: CET (GMT+1)", Some("+01:00"), false),
            ("All times in PST (UTC-7)", Some("-07:00"), true),
            ("All times in CST (UTC-6)", Some("-06:00"), false),
            ("All times in PT", Some("America/Los_Angeles"), false),
            ("(all times in Pacific Time)", Some("America/Los_Angeles"), false),
            ("All times in UC/Pacific", Some("America/Los_Angeles"), false),
            ("Times are in Europe/Berlin.", Some("Europe/Berlin"), false),
            ("Timeline (ET)", Some("America/New_York"), false),
            ("10:15 PT traffic fell", Some("America/Los_Angeles"), false),
            ("The CT and the Pacific region took their time", None, false),
            ("It was the best of times", None, false),
        ] {
            let found = in_text(text);
            assert_eq!(found.map(|(zone, _)| name(Some(zone))).as_deref(), expected, "{text}");
            assert_eq!(found.is_some_and(|(_, contradicts)| contradicts), contradicts, "{text}");
        }
    }

    #[test]
    fn a_region_shows_what_its_clocks_show_on_the_day() {
        let instant = |zone: &str, local: &str| {
            let local = local.parse().expect("a time");
            named(zone).expect("a zone").instant(local).map(|at| at.format("%d %H:%M").to_string())
        };
        for (zone, local, expected) in [
            ("PT", "2026-07-09T10:00:00", Some("09 17:00")),
            ("PT", "2026-01-09T10:00:00", Some("09 18:00")),
            ("PST", "2026-07-09T10:00:00", Some("09 18:00")),
            ("ET", "2026-03-08T02:30:00", None),
            ("ET", "2026-11-01T01:30:00", None),
            ("CST", "2026-01-09T10:00:00", None),
            ("IST", "2026-01-09T10:00:00", None),
        ] {
            assert_eq!(instant(zone, local).as_deref(), expected, "{zone} {local}");
        }
    }

    #[test]
    fn an_abbreviation_out_of_its_season_is_told() {
        let odd = |zone: &str, local: &str| named(zone).expect("a zone").out_of_season(local.parse().expect("a time"));
        assert_eq!(odd("EST", "2026-07-09T10:00:00"), Some(("EST", America::New_York)));
        assert_eq!(odd("BST", "2026-01-09T10:00:00"), Some(("BST", Europe::London)));
        assert_eq!(odd("EDT", "2026-07-09T10:00:00"), None);
        assert_eq!(odd("CET", "2026-01-09T10:00:00"), None);
        assert_eq!(odd("UTC", "2026-01-09T10:00:00"), None);
    }

    #[test]
    fn a_person_gives_one_zone() {
        assert_eq!(given("+08:00").map(|zone| name(Some(zone))).as_deref(), Ok("+08:00"));
        assert_eq!(given("Asia/Shanghai").map(|zone| name(Some(zone))).as_deref(), Ok("Asia/Shanghai"));
        assert!(given("CST").is_err_and(|reason| reason.contains("+08:00")));
        assert!(given("Mars").is_err());
    }
}
