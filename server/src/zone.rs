//! What clocks show in a zone: IANA names by the tables of chrono-tz, and offsets of the form `+HH:MM`.

use chrono::{DateTime, FixedOffset, NaiveDate, Offset as _, Utc};
use chrono_tz::{OffsetName as _, Tz};

/// The calendar day in a zone. A zone that nobody knows is taken for UTC, as the pages do.
pub fn day(at: DateTime<Utc>, zone: &str) -> NaiveDate {
    if let Ok(offset) = zone.parse::<FixedOffset>() {
        return at.with_timezone(&offset).date_naive();
    }
    match zone.parse::<Tz>() {
        Ok(zone) => at.with_timezone(&zone).date_naive(),
        Err(_) => at.date_naive(),
    }
}

/// How many seconds clocks are ahead of UTC, in a zone that is named beside a time (an IANA name, an offset, or what the
/// home zone's clocks are called then), or else in the home zone. None where nobody knows the name.
pub fn offset(at: DateTime<Utc>, named: Option<&str>, home: &str) -> Option<i64> {
    let seconds = |zone: &str| {
        if let Ok(offset) = zone.parse::<FixedOffset>() {
            return Some(offset.local_minus_utc().into());
        }
        let zone = zone.parse::<Tz>().ok()?;
        Some(i64::from(at.with_timezone(&zone).offset().fix().local_minus_utc()))
    };
    let Some(named) = named else {
        return seconds(home).or(Some(0));
    };
    let is_homes = home.parse::<Tz>().is_ok_and(|zone| at.with_timezone(&zone).offset().abbreviation() == Some(named));
    match named {
        "Z" => Some(0),
        _ if is_homes => seconds(home),
        _ => seconds(named),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_when_the_zones_clocks_say_so() {
        let at: DateTime<Utc> = "2026-07-14T11:30:00Z".parse().expect("a time");
        for (zone, date) in [
            ("UTC", "2026-07-14"),
            ("Pacific/Auckland", "2026-07-14"),
            ("Pacific/Kiritimati", "2026-07-15"),
            ("+13:00", "2026-07-15"),
            ("-12:00", "2026-07-13"),
            ("Pacific/Pago_Pago", "2026-07-14"),
            ("nowhere", "2026-07-14"),
            ("", "2026-07-14"),
        ] {
            assert_eq!(day(at, zone).to_string(), date, "{zone}");
        }
    }

    #[test]
    fn a_zone_beside_a_time_goes_before_the_home_zone() {
        let at: DateTime<Utc> = "2026-07-09T09:46:00Z".parse().expect("a time");
        for (named, home, expected) in [
            (None, "Europe/Berlin", Some(7200)),
            (None, "nowhere", Some(0)),
            (None, "-03:30", Some(-12600)),
            (Some("UTC"), "Europe/Berlin", Some(0)),
            (Some("Z"), "Europe/Berlin", Some(0)),
            (Some("CEST"), "Europe/Berlin", Some(7200)),
            (Some("PDT"), "America/Los_Angeles", Some(-25200)),
            (Some("PDT"), "UTC", None),
            (Some("Asia/Tokyo"), "UTC", Some(32400)),
            (Some("+02:00"), "UTC", Some(7200)),
        ] {
            assert_eq!(offset(at, named, home), expected, "{named:?} {home}");
        }
    }

    #[test]
    fn the_clocks_going_back_do_not_move_a_day() {
        for (at, date) in [
            ("2026-10-24T21:59:59Z", "2026-10-24"),
            ("2026-10-24T22:00:00Z", "2026-10-25"),
            ("2026-10-25T22:59:59Z", "2026-10-25"),
            ("2026-10-25T23:00:00Z", "2026-10-26"),
        ] {
            let at: DateTime<Utc> = at.parse().expect("a time");
            assert_eq!(day(at, "Europe/Zurich").to_string(), date, "{at}");
        }
    }
}
