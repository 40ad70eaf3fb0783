//! Claims: what is computed, how a written figure is read, and when the two agree.

use chrono::{DateTime, Utc};
use domain::ImpactId;
use domain::claim::{Computation, Figure, Found, Measured, Row, Target, Written, check, compute, propose};
use domain::cohort::Attempt;
use domain::derived::Computed;
use domain::impact::{Confidence, ImpactMeasure};
use domain::incident::{Thresholds, Window};
use domain::quantity::Number;
use domain::signal::Ratio;

fn at(time: &str) -> DateTime<Utc> {
    format!("2026-07-09T{time}Z").parse().expect("a time")
}

fn span(from: &str, until: &str) -> Window {
    Window { from: at(from), until: at(until) }
}

fn number(value: f64) -> Option<Number> {
    Number::try_from(value).ok()
}

/// Attempts in one minute: so many of which so many failed, by customers numbered from `first`.
fn minute(time: &str, attempts: u32, failed: u32, first: u32) -> Vec<Row> {
    let row = |i| Row {
        attempt: Attempt { at: at(time).timestamp_millis() + i64::from(i), customer: first + i, failed: i < failed },
        latency_ms: u16::try_from(i + 1).ok().map(f32::from),
    };
    (0..attempts).map(row).collect()
}

fn log() -> Vec<Row> {
    [
        minute("09:59:00", 100, 1, 0),
        // Few attempts prove nothing, whatever their share.
        minute("10:00:00", 10, 10, 100),
        minute("10:01:00", 100, 6, 200),
        minute("10:02:00", 100, 30, 200),
        minute("10:03:00", 19, 0, 400),
        minute("10:04:00", 200, 2, 500),
        minute("10:05:00", 200, 1, 500),
        minute("10:06:00", 100, 50, 900),
    ]
    .concat()
}

fn found(computation: &Computation) -> Computed<Found> {
    // In no order at all.
    let rows: Vec<Row> = log().into_iter().rev().collect();
    compute(rows.into_iter(), computation, Some(span("10:01:00", "10:03:00")))
}

#[test]
fn each_measure_counts_inside_its_window() {
    let of = |measure| found(&Computation::of(measure));
    assert_eq!(of(Measured::Attempts), Computed::Value(Found::Count(200)));
    assert_eq!(of(Measured::FailedAttempts), Computed::Value(Found::Count(36)));
    assert_eq!(of(Measured::FailedShare), Computed::Value(Found::Share(Ratio { numerator: 36, denominator: 200 })));
    assert_eq!(of(Measured::Customers), Computed::Value(Found::Count(100)), "the same hundred came twice");
    assert_eq!(of(Measured::AffectedCustomers), Computed::Value(Found::Count(30)));
    let own = Computation { window: Some(span("10:06:00", "10:06:00.010")), ..Computation::of(Measured::Attempts) };
    assert_eq!(found(&own), Computed::Value(Found::Count(10)), "a window of its own goes before the incident's");
}

#[test]
fn a_percentile_is_the_nearest_rank() {
    let window = Some(span("10:06:00", "10:07:00"));
    for (percentile, milliseconds) in [(50.0, 50.0), (95.0, 95.0), (99.5, 100.0), (100.0, 100.0), (0.1, 1.0)] {
        let percentile =
            Computation { window, percentile: number(percentile), ..Computation::of(Measured::LatencyPercentile) };
        assert_eq!(found(&percentile), Computed::Value(Found::Milliseconds(milliseconds)), "{percentile:?}");
    }
}

#[test]
fn a_duration_runs_from_the_first_minute_over_one_threshold_to_the_first_later_one_under_the_other() {
    let duration = |upper, lower, min_attempts| Computation {
        upper: number(upper),
        lower: number(lower),
        min_attempts,
        ..Computation::of(Measured::Duration)
    };
    for (computation, from, until) in [
        (duration(0.05, 0.02, None), "10:01:00", "10:04:00"),
        // Exactly 1% is not under 1%, and exactly 6% is not over 6%.
        (duration(0.05, 0.01, None), "10:01:00", "10:05:00"),
        (duration(0.06, 0.01, None), "10:02:00", "10:05:00"),
        (duration(0.05, 0.01, Some(10)), "10:00:00", "10:03:00"),
    ] {
        assert_eq!(found(&computation), Computed::Value(Found::Span(span(from, until))), "{computation:?}");
    }
}

#[test]
fn a_duration_is_that_of_the_outage_which_the_incidents_window_touches() {
    let computation = Computation { upper: number(0.05), lower: number(0.02), ..Computation::of(Measured::Duration) };
    let log = || {
        [
            minute("08:00:00", 100, 50, 0),
            minute("08:01:00", 100, 0, 0),
            minute("10:01:00", 100, 30, 0),
            minute("10:02:00", 100, 30, 0),
            minute("10:03:00", 100, 0, 0),
            minute("12:00:00", 100, 50, 0),
            minute("12:05:00", 100, 0, 0),
        ]
        .concat()
        .into_iter()
    };
    let of = |window| compute(log(), &computation, window);
    for (window, outage) in [
        // Wherever in it the incident is said to begin and end.
        (Some(span("10:00:00", "10:30:00")), Some(("10:01:00", "10:03:00"))),
        (Some(span("10:02:30", "10:02:40")), Some(("10:01:00", "10:03:00"))),
        (Some(span("11:00:00", "12:00:01")), Some(("12:00:00", "12:05:00"))),
        (Some(span("07:00:00", "13:00:00")), Some(("08:00:00", "08:01:00"))),
        (None, Some(("08:00:00", "08:01:00"))),
        (Some(span("10:03:00", "12:00:00")), None),
        (Some(span("13:00:00", "14:00:00")), None),
    ] {
        match (of(window), outage) {
            (found, Some((from, until))) => {
                assert_eq!(found, Computed::Value(Found::Span(span(from, until))), "{window:?}");
            }
            (Computed::Unavailable { .. }, None) => {}
            (found, None) => panic!("{window:?}: {found:?}"),
        }
    }
    let own = Computation { window: Some(span("12:00:00", "13:00:00")), ..computation.clone() };
    let found = compute(log(), &own, Some(span("10:00:00", "10:30:00")));
    assert_eq!(found, Computed::Value(Found::Span(span("12:00:00", "12:05:00"))), "a window of its own goes before");
}

#[test]
fn what_cannot_be_computed_says_why() {
    let later = Some(span("12:00:00", "13:00:00"));
    let of = Computation::of;
    let bounds = |upper, lower| Computation { upper: number(upper), lower: number(lower), ..of(Measured::Duration) };
    let silent: Vec<Row> = log().into_iter().map(|row| Row { latency_ms: None, ..row }).collect();
    let reason = |computed: Computed<Found>| match computed {
        Computed::Unavailable { unavailable } => unavailable,
        Computed::Value(found) => panic!("{found:?}"),
    };
    let p95 = Computation { percentile: number(95.0), ..of(Measured::LatencyPercentile) };
    for (computed, words) in [
        (compute(log().into_iter(), &of(Measured::Attempts), None), "no start and end"),
        (compute(log().into_iter(), &of(Measured::FailedShare), later), "no attempt in that time"),
        (compute(log().into_iter(), &of(Measured::Customers), later), "no attempt in that time"),
        (compute(log().into_iter(), &p95, later), "no attempt in that time"),
        (compute(silent.into_iter(), &p95, Some(span("10:00:00", "11:00:00"))), "how long an attempt took"),
        (found(&bounds(0.6, 0.01)), "no minute of the incident with at least 20 attempts has more than 60% failed"),
        (
            compute(log().into_iter(), &bounds(0.4, 0.07), Some(span("10:05:00", "10:07:00"))),
            "no later minute with at least 20 attempts has less than 7% failed",
        ),
        (found(&Computation { window: later, ..bounds(0.05, 0.01) }), "no attempt in that time"),
    ] {
        let told = reason(computed);
        assert!(told.contains(words), "{told}");
    }
}

/// What checking says: verdict, the computed figure, the difference.
fn told(stated: &str, found: Found) -> String {
    // Clocks are two hours ahead of UTC in the incident's zone.
    let offset = |zone: Option<&str>, _| match zone {
        None | Some("CEST") => Some(7200),
        Some("UTC") => Some(0),
        Some(_) => None,
    };
    let check = check(stated, found, offset);
    [Some(check.verdict.as_str().to_owned()), check.computed, check.difference, check.reason]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" | ")
}

#[test]
fn a_figure_agrees_with_what_rounds_to_it_as_precisely_as_it_is_written() {
    let share = |numerator, denominator| Found::Share(Ratio { numerator, denominator });
    let minutes = |from: &str, until: &str| Found::Span(span(from, until));
    for (stated, found, expected) in [
        ("973", Found::Count(973), "agrees | 973"),
        ("973", Found::Count(974), "differs | 974 | +1"),
        ("1,284", Found::Count(1284), "agrees | 1,284"),
        ("1,284 (18.6%)", Found::Count(1280), "differs | 1,280 | −4"),
        ("0 observed", Found::Count(0), "agrees | 0"),
        ("about 1,300", Found::Count(1284), "agrees | 1,300"),
        ("1,300", Found::Count(1284), "differs | 1,284 | −16"),
        ("~12k", Found::Count(12_499), "agrees | 12,000"),
        ("12k requests", Found::Count(12_500), "differs | 13,000 | +1,000"),
        ("1.2 million", Found::Count(1_234_567), "agrees | 1,200,000"),
        ("18.6%", share(1284, 6903), "agrees | 18.6%"),
        ("18.6%", share(1855, 10_000), "agrees | 18.6%"),
        ("18.6%", share(18_549, 100_000), "differs | 18.5% | −0.1 percentage points"),
        ("18.6%", share(1865, 10_000), "differs | 18.7% | +0.1 percentage points"),
        ("19 percent", share(1284, 6903), "agrees | 19 percent"),
        ("0.186", share(1284, 6903), "agrees | 0.186"),
        ("18.60%", share(1284, 6903), "agrees | 18.60%"),
        ("31 minutes", minutes("09:46:00", "10:17:00"), "agrees | 31 minutes"),
        ("31 min", minutes("09:46:00", "10:17:29"), "agrees | 31 min"),
        ("31 min", minutes("09:46:00", "10:17:30"), "differs | 32 min | +1 min"),
        ("0.5 h", minutes("09:46:00", "10:17:00"), "agrees | 0.5 h"),
        ("1.8 s", Found::Milliseconds(1849.9), "agrees | 1.8 s"),
        ("1.8s", Found::Milliseconds(1850.0), "differs | 1.9 s | +0.1 s"),
        ("09:46-10:17 UTC", minutes("09:46:00", "10:17:00"), "agrees | 09:46–10:17 UTC"),
        ("from 11:46 to 12:17", minutes("09:46:00", "10:17:00"), "agrees | 11:46–12:17"),
        ("11:46–12:17 CEST", minutes("09:46:00", "10:17:59"), "agrees | 11:46–12:17 CEST"),
        (
            "09:46-10:17 UTC",
            minutes("09:45:00", "10:20:00"),
            "differs | 09:45–10:20 UTC | starts 1 min earlier, ends 3 min later",
        ),
        ("23:59-00:30 UTC", minutes("00:01:00", "00:30:00"), "differs | 00:01–00:30 UTC | starts 2 min later"),
        (
            "09:46:30 to 10:17:00 UTC",
            minutes("09:46:30", "10:17:01"),
            "differs | 09:46:30–10:17:01 UTC | ends 1 s later",
        ),
    ] {
        assert_eq!(told(stated, found), expected, "{stated}");
    }
}

#[test]
fn what_cannot_be_compared_says_why() {
    for (stated, found, expected) in [
        ("several", Found::Count(4), "holds no figure"),
        ("1,28", Found::Count(128), "holds no figure"),
        ("18.6%", Found::Count(4), "‘18.6%’ is a share, and a count is computed"),
        ("31 minutes", Found::Share(Ratio { numerator: 1, denominator: 2 }), "‘31 minutes’ is a time, and a share"),
        ("31", Found::Span(span("09:46:00", "10:17:00")), "‘31’ has no unit of time"),
        ("09:46-10:17", Found::Count(31), "is a time of day"),
        ("09:46-10:17 XYZT", Found::Span(span("09:46:00", "10:17:00")), "nobody knows the zone"),
    ] {
        let told = told(stated, found);
        assert!(told.starts_with("not_computed | ") && told.contains(expected), "{told}");
    }
}

#[test]
fn no_text_and_no_number_breaks_the_comparison() {
    for stated in [
        "999999999999999 million",
        "about 100000000000000k",
        "0.00000000000001%",
        "9".repeat(400).as_str(),
        "٣",
        "1:2:3:4 5:6",
    ] {
        for found in [Found::Count(u64::MAX), Found::Milliseconds(f64::from(f32::MAX)), Found::Share(Ratio::default())]
        {
            assert!(!told(stated, found).is_empty());
        }
    }
    assert_eq!(Figure::read(""), None);
}

fn measure(label: &str, result: &str) -> ImpactMeasure {
    ImpactMeasure {
        id: ImpactId::new(label),
        label: label.into(),
        result: result.into(),
        quantity: None,
        unit: None,
        confidence: Confidence::Unknown,
        basis: None,
        evidence: vec![],
        html: [].into(),
    }
}

#[test]
fn the_words_beside_a_figure_propose_what_to_compute() {
    let impact = [
        ("Incident window", "09:46-10:17 UTC"),
        ("Failed attempts", "1,284"),
        ("Affected customers", "973"),
        ("Incorrect charges", "0 observed"),
        ("Failure rate", "18.6%"),
        ("Lost revenue", "12,000 euros"),
        ("Duration", "31 minutes"),
        ("Customers", "12"),
        ("Total attempts", "6,903"),
    ]
    .map(|(label, result)| measure(label, result));
    let points =
        ["p95 rose to 4 seconds; 7% of requests failed.".to_owned(), "The fix caps attempts at two.".to_owned()];
    let written = Written {
        impact: &impact,
        summary: "Checkout recovered at 10:17 UTC after 31 minutes of elevated failures; 18.6% of purchase attempts \
                  failed, with no evidence of incorrect charges.",
        key_points: &points,
        thresholds: Thresholds { alert: Some(0.05), recovered: Some(0.01) },
    };
    let proposed = propose(written);
    let told: Vec<_> = proposed
        .iter()
        .map(|one| {
            let place = one.target.measure.as_ref().map(ToString::to_string).or(one.target.field.clone());
            (place.expect("a place"), one.stated.as_str(), one.computation.measure)
        })
        .collect();
    let expected = [
        ("summary", "31 minutes", Measured::Duration),
        ("summary", "18.6%", Measured::FailedShare),
        ("key_points/0", "7%", Measured::FailedShare),
        ("Incident window", "09:46-10:17 UTC", Measured::Duration),
        ("Failed attempts", "1,284", Measured::FailedAttempts),
        ("Affected customers", "973", Measured::AffectedCustomers),
        ("Failure rate", "18.6%", Measured::FailedShare),
        ("Duration", "31 minutes", Measured::Duration),
        ("Total attempts", "6,903", Measured::Attempts),
    ];
    assert_eq!(told, expected.map(|(place, stated, measure)| (place.to_owned(), stated, measure)));
    assert!(
        proposed.iter().all(|one| written.stated(&one.target) == Some(&*one.stated)),
        "each stands where it is said"
    );
    // Without thresholds nobody knows where a window would begin.
    let unknown = propose(Written { thresholds: Thresholds::default(), ..written });
    assert!(unknown.iter().all(|one| one.computation.measure != Measured::Duration));
}

#[test]
fn a_figure_that_is_no_longer_written_is_not_found() {
    let impact = [measure("Failed attempts", "1,284 (18.6%)")];
    let points = ["7% failed".to_owned()];
    let written =
        Written { impact: &impact, summary: "18.6% failed", key_points: &points, thresholds: Thresholds::default() };
    let target = |measure: Option<&str>, field: Option<&str>, figure: Option<&str>| Target {
        measure: measure.map(ImpactId::new),
        field: field.map(str::to_owned),
        figure: figure.map(str::to_owned),
    };
    for (target, stated) in [
        (target(Some("Failed attempts"), None, None), Some("1,284 (18.6%)")),
        (target(Some("Failed attempts"), None, Some("18.6%")), Some("18.6%")),
        (target(Some("Failed attempts"), None, Some("973")), None),
        (target(Some("Gone"), None, None), None),
        (target(None, Some("summary"), Some("18.6%")), Some("18.6%")),
        (target(None, Some("summary"), None), None),
        (target(None, Some("key_points/0"), Some("7%")), Some("7%")),
        (target(None, Some("key_points/1"), Some("7%")), None),
        (target(None, Some("root_cause"), Some("7%")), None),
        (target(Some("Failed attempts"), Some("summary"), Some("18.6%")), None),
    ] {
        assert_eq!(written.stated(&target), stated, "{target:?}");
    }
}
