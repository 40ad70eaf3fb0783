//! Claims on plain values: what is computed over their points, and when a written figure agrees with it.

use chrono::{DateTime, Utc};
use domain::claim::{Computation, Found, Measured, Row, Verdict, check, compute, compute_value};
use domain::derived::Computed;
use domain::incident::Window;
use domain::quantity::{Number, Quantity, Unit};
use domain::signal::Point;

fn at(minute: u32) -> DateTime<Utc> {
    format!("2026-07-09T10:{minute:02}:00Z").parse().expect("a time")
}

/// A point each minute from 10:00 on, two of which are gaps.
fn points() -> Vec<Point> {
    let values = [Some(99.0), Some(2.0), Some(4.5), None, Some(1.25), Some(8.0), Some(3.0), None, Some(77.0)];
    (0..).zip(values).map(|(minute, value)| Point { at: at(minute), value }).collect()
}

fn found(computation: &Computation, unit: &str) -> Computed<Found> {
    compute_value(&points(), unit, computation, Some(Window { from: at(1), until: at(8) }))
}

fn quantity(value: f64, unit: Unit) -> Computed<Found> {
    Computed::Value(Found::Quantity(Quantity { value: Number::try_from(value).expect("a number"), unit }))
}

#[test]
fn each_measure_looks_at_the_points_inside_its_window_and_at_no_gap() {
    for (measure, value) in
        [(Measured::ValueMax, 8.0), (Measured::ValueMin, 1.25), (Measured::ValueMean, 3.75), (Measured::ValueLast, 3.0)]
    {
        assert_eq!(found(&Computation::of(measure), "jobs"), quantity(value, Unit::Count), "{measure}");
    }
    for (percentile, value) in [(1.0, 1.25), (20.0, 1.25), (50.0, 3.0), (60.0, 3.0), (61.0, 4.5), (100.0, 8.0)] {
        let percentile = Number::try_from(percentile).ok();
        let computation = Computation { percentile, ..Computation::of(Measured::ValuePercentile) };
        assert_eq!(found(&computation, " S "), quantity(value, Unit::Seconds), "{percentile:?}");
    }
}

#[test]
fn what_cannot_be_computed_is_told_why() {
    let told = |found: Computed<Found>| match found {
        Computed::Unavailable { unavailable } => unavailable,
        Computed::Value(found) => panic!("{found:?}"),
    };
    let max = Computation::of(Measured::ValueMax);
    let inside = |from, until| Some(Window { from: at(from), until: at(until) });
    assert!(told(compute_value(&points(), "", &max, None)).contains("no start and end"));
    assert!(told(compute_value(&points(), "", &max, inside(20, 30))).contains("nothing is known"));
    assert!(told(compute_value(&points(), "", &max, inside(3, 4))).contains("nothing is known"));
    assert!(told(found(&Computation::of(Measured::ValuePercentile), "")).contains("which percentile"));
    assert!(told(found(&Computation::of(Measured::Attempts), "")).contains("over attempts"));
    let rows = std::iter::empty::<Row>();
    assert!(told(compute(rows, &max, inside(1, 8))).contains("over a value"));
}

#[test]
fn a_figure_agrees_where_the_value_rounds_to_it_in_its_unit() {
    for (stated, value, unit, verdict, computed) in [
        ("4.3 seconds at worst", 4312.0, Unit::Milliseconds, Verdict::Agrees, Some("4.3 seconds")),
        ("4 s", 4.6, Unit::Seconds, Verdict::Differs, Some("5 s")),
        ("25.7%", 0.2567, Unit::Ratio, Verdict::Agrees, Some("25.7%")),
        ("25.7%", 25.66, Unit::Percent, Verdict::Agrees, Some("25.7%")),
        ("120 jobs", 119.7, Unit::Count, Verdict::Agrees, Some("120")),
        ("5", -5.0, Unit::Count, Verdict::Differs, Some("−5")),
        ("1,234", -1_234_567.0, Unit::Count, Verdict::Differs, Some("−1,234,567")),
        ("1.50 GB", 1_496_000_000.0, Unit::Bytes, Verdict::Agrees, Some("1.50 GB")),
        ("0.000000001", 1e-300, Unit::Count, Verdict::Differs, Some("0.000000000")),
        ("12 s", 12.0, Unit::Count, Verdict::NotComputed, None),
        ("12%", 12.0, Unit::Count, Verdict::NotComputed, None),
        ("12", 12.0, Unit::Seconds, Verdict::NotComputed, None),
        ("12", 1e300, Unit::Count, Verdict::NotComputed, None),
        ("09:46-10:17", 12.0, Unit::Count, Verdict::NotComputed, None),
    ] {
        let Computed::Value(found) = quantity(value, unit) else { panic!("it is a value") };
        let told = check(stated, found, |_, _| Some(0));
        assert_eq!((told.verdict, told.computed.as_deref()), (verdict, computed), "{stated}: {told:?}");
        assert_eq!(told.reason.is_some(), verdict == Verdict::NotComputed, "{stated}");
    }
}

#[test]
fn a_computation_of_a_value_names_the_value_and_has_no_label() {
    let faults = |computation: &Computation| -> Vec<String> {
        computation.faults().into_iter().map(|fault| fault.pointer.replace("/computation/", "")).collect()
    };
    let signal = Some(domain::SignalId::new("sig_1"));
    assert_eq!(faults(&Computation::of(Measured::ValueMax)), ["signal"]);
    assert_eq!(faults(&Computation { signal: signal.clone(), ..Computation::of(Measured::ValueMax) }), [""; 0]);
    assert_eq!(faults(&Computation { signal: signal.clone(), ..Computation::of(Measured::Attempts) }), ["signal"]);
    assert_eq!(
        faults(&Computation { signal, percentile: Some(0.into()), ..Computation::of(Measured::ValuePercentile) }),
        ["percentile"]
    );
}
