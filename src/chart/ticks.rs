//! The ticks of the time axis: whole minutes, hours or days of the chosen zone's clocks.

use chrono::{DateTime, Utc};
use domain::incident::Window;

use crate::format;
use crate::state::zone::{self, Zone};

/// The distances that ticks may have, in seconds.
const STEPS: [i64; 14] = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800];

/// The instants to name in a window: at most so many.
pub fn ticks(window: Window, most: usize, zone: &Zone) -> Vec<DateTime<Utc>> {
    let length = (window.until - window.from).num_seconds();
    let most = i64::try_from(most.max(1)).unwrap_or(1);
    let longest = STEPS[STEPS.len() - 1];
    let step = STEPS.into_iter().find(|step| length / step <= most).unwrap_or(longest);
    let step = step * (length / step / most).max(1);
    let offset = |at: i64| DateTime::from_timestamp(at, 0).map_or(0, |at| i64::from(zone::offset(at, zone).0));
    let from = window.from.timestamp();
    let first = (from + offset(from)).div_euclid(step) * step;
    (0..=most + 1)
        .filter_map(|i| {
            let clock = first + i * step;
            // The clocks may have been changed since the window's start.
            DateTime::from_timestamp(clock - offset(clock - offset(from)), 0)
        })
        .filter(|at| window.from <= *at && *at <= window.until)
        .collect()
}

/// What is written at a tick: the time, and at midnight the day.
pub fn label(at: DateTime<Utc>, zone: &Zone) -> String {
    let time = format::time(at, zone);
    if time == "00:00" { format::due(format::day(at, zone)) } else { time }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(from: &str, until: &str, most: usize, zone: &str) -> Vec<String> {
        let at = |text: &str| text.parse().expect("a time");
        let zone = Zone::Named(zone.to_owned());
        ticks(Window { from: at(from), until: at(until) }, most, &zone).into_iter().map(|at| label(at, &zone)).collect()
    }

    #[test]
    fn ticks_are_round_on_the_clocks_of_the_zone() {
        let (from, until) = ("2026-07-09T09:16:00Z", "2026-07-09T10:47:00Z");
        assert_eq!(named(from, until, 8, "+00:00"), ["09:30", "09:45", "10:00", "10:15", "10:30", "10:45"]);
        assert_eq!(named(from, until, 3, "+00:00"), ["09:30", "10:00", "10:30"]);
        assert_eq!(named(from, until, 2, "+05:30"), ["15:00", "16:00"]);
        assert_eq!(
            named("2026-07-09T12:00:00Z", "2026-07-11T12:00:00Z", 4, "+05:45"),
            ["10 Jul 2026", "12:00", "11 Jul 2026", "12:00"]
        );
    }

    #[test]
    fn there_are_never_many() {
        for hours in [0, 1, 5, 30, 400, 9000, 200_000] {
            let from = DateTime::<Utc>::UNIX_EPOCH;
            let window = Window { from, until: from + chrono::TimeDelta::hours(hours) };
            assert!(ticks(window, 6, &Zone::Utc).len() <= 8, "{hours}");
        }
    }
}
