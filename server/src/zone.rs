//! Which day it is in a zone: IANA names by the tables of chrono-tz, and offsets of the form `+HH:MM`.

use chrono::{DateTime, FixedOffset, NaiveDate, Utc};
use chrono_tz::Tz;

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
