//! The cohort's rule as a table, and against the rule read out word for word.

use chrono::{DateTime, TimeDelta, Utc};
use domain::cohort::{Attempt, Funnel, Standing, follow_up, provisional_until};
use domain::incident::Window;
use proptest::prelude::*;

fn at(time: &str) -> DateTime<Utc> {
    time.parse().expect("a time")
}

/// The example's window.
fn window() -> Window {
    Window { from: at("2026-07-09T09:46:00Z"), until: at("2026-07-09T10:17:00Z") }
}

/// Attempts of one customer: a time and `x` where it failed, `.` where it completed.
fn attempts(rows: &[(&str, char)]) -> Vec<Attempt> {
    let attempt = |&(time, mark)| Attempt { at: at(time).timestamp_millis(), customer: 0, failed: mark == 'x' };
    rows.iter().map(attempt).collect()
}

/// What became of the customer, and the time that says so.
fn told(rows: &[(&str, char)]) -> Option<(Standing, String)> {
    let cohort = follow_up(attempts(rows).into_iter(), window());
    let of = cohort.affected.first()?;
    Some((of.standing, of.bought_at.unwrap_or(of.last_at).format("%dT%H:%M:%S%.3f").to_string()))
}

/// What it is about, the customer's attempts, and what is told of them.
type Case<'a> = (&'a str, &'a [(&'a str, char)], Option<(Standing, &'a str)>);

#[test]
fn the_last_attempt_inside_the_window_decides_and_then_a_purchase_within_24_hours() {
    use Standing::{Bought, Cohort, Recovered};
    let cases: &[Case] = &[
        ("a failure and nothing else", &[("2026-07-09T10:00:00Z", 'x')], Some((Cohort, "09T10:00:00.000"))),
        ("no failure at all", &[("2026-07-09T10:00:00Z", '.')], None),
        (
            "recovered on retry",
            &[("2026-07-09T10:00:00Z", 'x'), ("2026-07-09T10:03:00Z", '.')],
            Some((Recovered, "09T10:03:00.000")),
        ),
        (
            "the last attempt failed again",
            &[("2026-07-09T10:00:00Z", 'x'), ("2026-07-09T10:03:00Z", '.'), ("2026-07-09T10:05:00Z", 'x')],
            Some((Cohort, "09T10:05:00.000")),
        ),
        (
            "a purchase before the failure recovers nothing",
            &[("2026-07-09T09:50:00Z", '.'), ("2026-07-09T10:00:00Z", 'x')],
            Some((Cohort, "09T10:00:00.000")),
        ),
        (
            "nor does one before the window",
            &[("2026-07-09T09:30:00Z", '.'), ("2026-07-09T09:46:00Z", 'x')],
            Some((Cohort, "09T09:46:00.000")),
        ),
        (
            "bought after the window",
            &[("2026-07-09T10:00:00Z", 'x'), ("2026-07-09T12:30:00Z", '.')],
            Some((Bought, "09T12:30:00.000")),
        ),
        (
            "bought at the window's end, which is outside",
            &[("2026-07-09T10:00:00Z", 'x'), ("2026-07-09T10:17:00Z", '.')],
            Some((Bought, "09T10:17:00.000")),
        ),
        (
            "the first purchase is the one that is told",
            &[
                ("2026-07-09T14:00:00Z", '.'),
                ("2026-07-09T10:00:00Z", 'x'),
                ("2026-07-09T12:00:00Z", '.'),
                ("2026-07-10T09:00:00Z", '.'),
            ],
            Some((Bought, "09T12:00:00.000")),
        ),
        (
            "at the 24-hour mark",
            &[("2026-07-09T10:00:00.500Z", 'x'), ("2026-07-10T10:00:00.500Z", '.')],
            Some((Bought, "10T10:00:00.500")),
        ),
        (
            "a millisecond past it",
            &[("2026-07-09T10:00:00.500Z", 'x'), ("2026-07-10T10:00:00.501Z", '.')],
            Some((Cohort, "09T10:00:00.500")),
        ),
        (
            "the mark counts from the last attempt, not from the first",
            &[("2026-07-09T09:50:00Z", 'x'), ("2026-07-09T10:10:00Z", 'x'), ("2026-07-10T10:05:00Z", '.')],
            Some((Bought, "10T10:05:00.000")),
        ),
        (
            "a failure after the window changes nothing",
            &[("2026-07-09T10:00:00Z", 'x'), ("2026-07-09T10:03:00Z", '.'), ("2026-07-09T10:20:00Z", 'x')],
            Some((Recovered, "09T10:03:00.000")),
        ),
        (
            "a failure in the window's first instant",
            &[("2026-07-09T09:46:00Z", 'x')],
            Some((Cohort, "09T09:46:00.000")),
        ),
        ("a failure in the instant before", &[("2026-07-09T09:45:59.999Z", 'x')], None),
        ("a failure in its last", &[("2026-07-09T10:16:59.999Z", 'x')], Some((Cohort, "09T10:16:59.999"))),
        ("a failure in the first instant after", &[("2026-07-09T10:17:00Z", 'x')], None),
        (
            "at equal times the completed attempt is the later",
            &[("2026-07-09T10:00:00Z", '.'), ("2026-07-09T10:00:00Z", 'x')],
            Some((Recovered, "09T10:00:00.000")),
        ),
        (
            "and the same in the other order",
            &[("2026-07-09T10:00:00Z", 'x'), ("2026-07-09T10:00:00Z", '.')],
            Some((Recovered, "09T10:00:00.000")),
        ),
        (
            "repeated rows",
            &[
                ("2026-07-09T10:03:00Z", '.'),
                ("2026-07-09T10:00:00Z", 'x'),
                ("2026-07-09T10:00:00Z", 'x'),
                ("2026-07-09T10:03:00Z", '.'),
            ],
            Some((Recovered, "09T10:03:00.000")),
        ),
        (
            "rows out of order",
            &[("2026-07-09T13:00:00Z", '.'), ("2026-07-09T10:05:00Z", 'x'), ("2026-07-09T10:03:00Z", '.')],
            Some((Bought, "09T13:00:00.000")),
        ),
    ];
    for (what, rows, expected) in cases {
        assert_eq!(told(rows), expected.map(|(standing, at)| (standing, at.to_owned())), "{what}");
    }
}

#[test]
fn neither_midnight_nor_a_change_of_the_clocks_moves_the_24_hour_mark() {
    // Clocks in Berlin go back at 01:00 UTC on 25 October 2026, and forward at 01:00 UTC on 29 March 2026.
    for day in ["2026-10-25", "2026-03-29", "2026-12-31", "2028-02-28"] {
        let midnight = at(&format!("{day}T00:00:00Z"));
        let window = Window { from: midnight - TimeDelta::minutes(30), until: midnight + TimeDelta::minutes(30) };
        let failed = midnight - TimeDelta::minutes(5);
        for (after, standing) in [
            (TimeDelta::hours(24), Standing::Bought),
            (TimeDelta::hours(24) + TimeDelta::milliseconds(1), Standing::Cohort),
            (TimeDelta::hours(25), Standing::Cohort),
        ] {
            let attempts = [(failed, true), (failed + after, false)].map(|(at, failed)| Attempt {
                at: at.timestamp_millis(),
                customer: 0,
                failed,
            });
            assert_eq!(follow_up(attempts.into_iter(), window).affected[0].standing, standing, "{day}, {after}");
        }
    }
}

#[test]
fn a_cohort_is_provisional_while_the_log_or_the_clock_stands_before_its_last_mark() {
    let rows = [("2026-07-09T10:00:00Z", 'x'), ("2026-07-09T10:10:00Z", 'x')];
    let settles = follow_up(attempts(&rows).into_iter(), window()).settles_at();
    let mark = at("2026-07-10T10:10:00Z");
    assert_eq!(settles, Some(mark));
    let (before, later) = (mark - TimeDelta::milliseconds(1), mark + TimeDelta::days(9));
    for (log_ends, now, expected) in [
        (mark, mark, None),
        (later, later, None),
        (before, later, Some(mark)),
        (later, before, Some(mark)),
        (before, before, Some(mark)),
    ] {
        assert_eq!(provisional_until(settles, window(), log_ends, now), expected, "log {log_ends}, clock {now}");
    }
    // Where everybody has recovered or bought by the end of the window there is nobody whose standing could change.
    let rows = [("2026-07-09T10:00:00Z", 'x'), ("2026-07-09T10:10:00Z", '.')];
    assert_eq!(follow_up(attempts(&rows).into_iter(), window()).settles_at(), None);
    assert_eq!(provisional_until(None, window(), before, before), None);
    // In what is left of the window they may fail again, and others too.
    let end = window().until;
    let inside = end - TimeDelta::milliseconds(1);
    for (log_ends, now, expected) in [
        (inside, later, Some(end + TimeDelta::hours(24))),
        (later, inside, Some(end + TimeDelta::hours(24))),
        (end, end, None),
    ] {
        assert_eq!(provisional_until(None, window(), log_ends, now), expected, "log {log_ends}, clock {now}");
    }
    assert_eq!(provisional_until(settles, window(), inside, later), Some(end + TimeDelta::hours(24)));
}

/// The rule as it is written, reading all attempts anew for every step.
fn word_for_word(attempts: &[Attempt], window: Window) -> Vec<(u32, Standing, i64, Option<i64>)> {
    let (from, until) = (window.from.timestamp_millis(), window.until.timestamp_millis());
    let day = 24 * 60 * 60 * 1000;
    let mut told = Vec::new();
    for customer in 0..=attempts.iter().map(|attempt| attempt.customer).max().unwrap_or(0) {
        let theirs: Vec<&Attempt> = attempts.iter().filter(|attempt| attempt.customer == customer).collect();
        let inside: Vec<&Attempt> = theirs.iter().copied().filter(|a| a.at >= from && a.at < until).collect();
        if !inside.iter().any(|attempt| attempt.failed) {
            continue;
        }
        let is_later = |a: &Attempt, b: &Attempt| a.at > b.at || (a.at == b.at && !a.failed && b.failed);
        let last =
            inside.iter().find(|last| !inside.iter().any(|other| is_later(other, last))).expect("one is the last");
        if !last.failed {
            told.push((customer, Standing::Recovered, last.at, None));
            continue;
        }
        let bought = theirs.iter().filter(|a| !a.failed && a.at > last.at && a.at <= last.at + day).map(|a| a.at).min();
        let standing = if bought.is_some() { Standing::Bought } else { Standing::Cohort };
        told.push((customer, standing, last.at, bought));
    }
    told
}

/// Attempts around a window of ten seconds, close enough together that equal times and every border occur.
fn any_attempts() -> impl Strategy<Value = Vec<Attempt>> {
    let day = 24 * 60 * 60 * 1000;
    let time = prop_oneof![8 => -4..14_i64, 2 => (-3..13_i64).prop_map(move |second| second + day / 1000)];
    let attempt = (time, 0..8_u32, any::<bool>(), 0..2_i64).prop_map(|(second, customer, failed, more)| Attempt {
        at: second * 1000 + more,
        customer,
        failed,
    });
    proptest::collection::vec(attempt, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_rule_is_the_one_that_is_written(attempts in any_attempts()) {
        let second = |second| DateTime::from_timestamp(second, 0).expect("a time");
        let window = Window { from: second(0), until: second(10) };
        let cohort = follow_up(attempts.iter().copied(), window);
        let found: Vec<_> = cohort
            .affected
            .iter()
            .map(|one| {
                let millis = |at: DateTime<Utc>| at.timestamp_millis();
                (one.customer, one.standing, millis(one.last_at), one.bought_at.map(millis))
            })
            .collect();
        prop_assert_eq!(&found, &word_for_word(&attempts, window));
        let Funnel { affected_customers, recovered_inside_window, bought_within_24h, cohort } = cohort.funnel();
        prop_assert_eq!(affected_customers, recovered_inside_window + bought_within_24h + cohort);
    }
}
