//! The ticks of the time axis: whole seconds, minutes, hours or days of the chosen zone's clocks.

use chrono::{DateTime, TimeDelta, Utc};
use domain::incident::Window;

use crate::format;
use crate::state::zone::{self, Zone};

/// The distances that ticks may have, in seconds.
const STEPS: [i64; 20] =
    [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800];

/// Between two instants so far apart clocks are changed once at most, in seconds.
const NEAR: i64 = 3 * 3600;

/// The instants to name in a window: at most so many, and those besides that a change of the clocks adds.
pub fn ticks(window: Window, most: usize, zone: &Zone) -> Vec<DateTime<Utc>> {
    let length = (window.until - window.from).num_seconds();
    let most = i64::try_from(most.max(1)).unwrap_or(1);
    let longest = STEPS[STEPS.len() - 1];
    let step = STEPS.into_iter().find(|step| length / step <= most).unwrap_or(longest);
    let step = step * (length / step / most).max(1);
    let (from, until) = (window.from.timestamp(), window.until.timestamp());
    let (early, late) = (offset(from, zone), offset(until, zone));
    // In a window that clocks go back in, they show more than at either of its ends.
    let (first, last) = (from + early.min(late), until + early.max(late));
    let mut ticks: Vec<DateTime<Utc>> = Vec::new();
    let mut clock = first.div_euclid(step) * step;
    while clock <= last {
        for at in instants(clock, early, zone).into_iter().flatten() {
            let Some(at) = DateTime::from_timestamp(at, 0) else { continue };
            // Put where it belongs rather than sorted: a sort weighs kilobytes in the pages.
            let place = ticks.partition_point(|known| *known < at);
            if window.from <= at && at <= window.until && ticks.get(place) != Some(&at) {
                ticks.insert(place, at);
            }
        }
        clock += step;
    }
    ticks
}

fn offset(at: i64, zone: &Zone) -> i64 {
    DateTime::from_timestamp(at, 0).map_or(0, |at| i64::from(zone::offset(at, zone).0))
}

/// The instants at which clocks show a time: one; two where they were set back over it; where they were set forward
/// over it, the instant of that.
fn instants(clock: i64, guess: i64, zone: &Zone) -> [Option<i64>; 2] {
    let near = clock - offset(clock - guess, zone);
    let (before, after) = (offset(near - NEAR, zone), offset(near + NEAR, zone));
    let shows = |by: i64| Some(clock - by).filter(|at| offset(*at, zone) == by);
    if before == after {
        return [shows(before), None];
    }
    match (shows(before), shows(after)) {
        (None, None) => [Some(changed(near - NEAR, near + NEAR, zone)), None],
        found => [found.0, found.1],
    }
}

/// The first second of the later offset between two instants.
fn changed(mut before: i64, mut after: i64, zone: &Zone) -> i64 {
    let late = offset(after, zone);
    while after - before > 1 {
        let middle = i64::midpoint(before, after);
        if offset(middle, zone) == late {
            after = middle;
        } else {
            before = middle;
        }
    }
    after
}

/// Whether clocks show the same time at another instant as well, since they are set back.
fn occurs_twice(at: DateTime<Utc>, zone: &Zone) -> bool {
    let at = at.timestamp();
    let now = offset(at, zone);
    [at - NEAR, at + NEAR].into_iter().any(|near| {
        let other = offset(near, zone);
        other != now && offset(at + now - other, zone) == other
    })
}

/// What is written at a tick: the time, with its zone where there is another of the same; where a day begins, the day.
pub fn label(at: DateTime<Utc>, zone: &Zone) -> String {
    let day = format::day(at, zone);
    if format::day(at - TimeDelta::seconds(1), zone) != day {
        return format::due(day);
    }
    if occurs_twice(at, zone) { format::time_with_zone(at, zone) } else { format::time(at, zone) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from: &str, until: &str, most: usize, zone: &Zone) -> Vec<String> {
        let at = |text: &str| text.parse().expect("a time");
        let ticks = ticks(Window { from: at(from), until: at(until) }, most, zone);
        assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]), "in order, each once: {ticks:?}");
        ticks.into_iter().map(|at| label(at, zone)).collect()
    }

    fn named(from: &str, until: &str, most: usize, zone: &str) -> Vec<String> {
        labels(from, until, most, &Zone::Named(zone.to_owned()))
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
        assert_eq!(
            named("2026-07-09T09:59:57Z", "2026-07-09T10:00:04Z", 8, "+00:00"),
            ["09:59:57", "09:59:58", "09:59:59", "10:00", "10:00:01", "10:00:02", "10:00:03", "10:00:04"]
        );
    }

    #[test]
    fn where_clocks_go_back_each_of_two_like_times_has_its_tick_and_its_zone() {
        let (from, until) = ("2026-10-24T23:30:00Z", "2026-10-25T02:15:00Z");
        assert_eq!(
            named(from, until, 8, "Europe/Berlin"),
            ["01:30", "02:00 CEST", "02:30 CEST", "02:00 CET", "02:30 CET", "03:00"]
        );
        assert_eq!(
            named("2026-10-24T23:45:00Z", "2026-10-25T01:20:00Z", 4, "Europe/Berlin"),
            ["02:00 CEST", "02:30 CEST", "02:00 CET"]
        );
        assert_eq!(
            named("2026-10-24T20:00:00Z", "2026-10-25T08:00:00Z", 8, "Europe/Berlin"),
            ["22:00", "25 Oct 2026", "02:00 CEST", "02:00 CET", "04:00", "06:00", "08:00"]
        );
        let utc = labels(from, until, 8, &Zone::Utc);
        assert_eq!(utc, ["23:30", "25 Oct 2026", "00:30", "01:00", "01:30", "02:00"]);
    }

    #[test]
    fn where_clocks_go_forward_the_missing_time_is_where_they_did() {
        assert_eq!(
            named("2026-03-29T00:00:00Z", "2026-03-29T02:00:00Z", 8, "Europe/Berlin"),
            ["01:00", "01:15", "01:30", "01:45", "03:00", "03:15", "03:30", "03:45", "04:00"]
        );
        assert_eq!(
            named("2026-03-28T21:00:00Z", "2026-03-29T07:00:00Z", 6, "Europe/Berlin"),
            ["22:00", "29 Mar 2026", "03:00", "04:00", "06:00", "08:00"]
        );
        // Where midnight itself is missing, the day begins at one o'clock.
        assert_eq!(
            named("2026-09-06T01:00:00Z", "2026-09-06T07:00:00Z", 4, "America/Santiago"),
            ["22:00", "6 Sep 2026", "02:00", "04:00"]
        );
    }

    #[test]
    fn there_are_never_many() {
        for hours in [0, 1, 5, 30, 400, 9000, 200_000] {
            let from = DateTime::<Utc>::UNIX_EPOCH;
            let window = Window { from, until: from + TimeDelta::hours(hours) };
            assert!(ticks(window, 6, &Zone::Utc).len() <= 8, "{hours}");
        }
    }
}
