//! What a reading says, as a table.

use chrono::{DateTime, TimeDelta, Utc};

use super::*;
use crate::id::EvidenceNumber;
use crate::signal::{Bin, ValueSource};

fn at(minute: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::minutes(minute)
}

fn reading(statistic: Statistic, from: i64, until: i64) -> Reading {
    Reading { signal: SignalId::new("sig_1"), statistic, from: at(from), until: at(until) }
}

/// 5 of 100, 1 of 10 (fewer than the floor), 40 of 100, 0 of 50.
fn ratio() -> Signal {
    let bins = [(5, 100), (1, 10), (40, 100), (0, 50)];
    let bins: Vec<Bin> = (0..)
        .zip(bins)
        .map(|(minute, (numerator, denominator))| Bin { at: at(minute), numerator, denominator })
        .collect();
    Signal {
        id: SignalId::new("sig_1"),
        title: "Failed attempts".into(),
        numerator_unit: "failed attempts".into(),
        denominator_unit: "attempts".into(),
        bin_seconds: 60,
        floor: 20,
        total: Ratio::pooled(&bins),
        span: Some(Window { from: at(0), until: at(4) }),
        sources: Vec::new(),
        thinned: false,
        bins,
    }
}

fn values(unit: &str) -> (ValueSignal, Vec<Point>) {
    let values = [Some(10.0), None, Some(2.5), Some(40.0), Some(7.5)];
    let points: Vec<Point> = (0..).zip(values).map(|(minute, value)| Point { at: at(minute), value }).collect();
    let source = ValueSource {
        file_name: "queue.csv".into(),
        sha256: "0".repeat(64),
        imported_at: at(9),
        evidence: EvidenceNumber::from(6u32),
        prometheus: None,
    };
    let signal = ValueSignal {
        id: SignalId::new("sig_1"),
        title: "Queue".into(),
        unit: unit.into(),
        labels: std::collections::BTreeMap::default(),
        source,
        span: Some(Window { from: at(0), until: at(5) }),
        count: 5,
        gaps: 1,
        thinned: false,
        points: Vec::new(),
    };
    (signal, points)
}

#[test]
fn a_ratio_is_pooled_and_bins_with_few_attempts_have_no_extremes() {
    use Statistic::*;
    for (statistic, from, until, expected) in [
        (Pooled, 0, 4, Ok(46.0 / 260.0)),
        (Pooled, 0, 2, Ok(6.0 / 110.0)),
        (Lowest, 0, 3, Ok(0.05)),
        (Highest, 0, 4, Ok(0.4)),
        (Pooled, 1, 2, Err("10 attempts in that time prove little; choose a time with at least 20")),
        (Pooled, 2, 2, Err("the time ends before it begins")),
        (Pooled, 3, 2, Err("the time ends before it begins")),
        (Pooled, 0, 5, Err("the signal is known from 1970-01-01T00:00:00Z to 1970-01-01T00:04:00Z")),
        (Pooled, -1, 3, Err("the signal is known from 1970-01-01T00:00:00Z to 1970-01-01T00:04:00Z")),
        (Mean, 0, 4, Err("of a ratio only ‘pooled’, ‘lowest’ and ‘highest’ are read")),
    ] {
        let found = reading(statistic, from, until).of_ratio(&ratio());
        match (found, expected) {
            (Ok(quantity), Ok(share)) => {
                assert_eq!(quantity.unit, Unit::Ratio);
                assert!((quantity.value.get() - share).abs() < 1e-12, "{statistic} {from} {until}: {quantity}");
            }
            (Err(error), Err(message)) => assert_eq!(error.message, message, "{statistic} {from} {until}"),
            (found, expected) => panic!("{statistic} {from} {until}: {found:?}, not {expected:?}"),
        }
    }
}

#[test]
fn a_bin_that_reaches_beyond_the_stretch_does_not_count() {
    let half = Reading { until: at(2) + TimeDelta::seconds(30), ..reading(Statistic::Pooled, 0, 2) };
    assert_eq!(half.of_ratio(&ratio()), reading(Statistic::Pooled, 0, 2).of_ratio(&ratio()));
}

#[test]
fn a_plain_value_has_its_statistics_and_gaps_are_none() {
    use Statistic::*;
    let (signal, points) = values("ms");
    for (statistic, from, until, expected) in [
        (Mean, 0, 5, Ok(15.0)),
        (Lowest, 0, 5, Ok(2.5)),
        (Highest, 0, 3, Ok(10.0)),
        (Last, 0, 4, Ok(40.0)),
        (P50, 0, 5, Ok(7.5)),
        (P95, 0, 5, Ok(40.0)),
        (P99, 0, 5, Ok(40.0)),
        (Mean, 1, 2, Err("the signal has no value in that time")),
        (Pooled, 0, 5, Err("only a ratio is pooled; choose ‘mean’ or another")),
        (Last, 0, 6, Err("the signal is known from 1970-01-01T00:00:00Z to 1970-01-01T00:05:00Z")),
    ] {
        let found = reading(statistic, from, until).of_values(&signal, &points);
        let expected = expected
            .map(|value| Quantity { value: Number::try_from(value).expect("a number"), unit: Unit::Milliseconds });
        assert_eq!(found.map_err(|error| error.message), expected.map_err(str::to_owned), "{statistic} {from} {until}");
    }
}

#[test]
fn the_unit_is_that_of_the_words_and_else_what_is_counted() {
    for (word, expected) in [
        ("", Unit::Count),
        ("jobs", Unit::Count),
        ("%", Unit::Percent),
        ("s", Unit::Seconds),
        ("Seconds", Unit::Seconds),
        ("MiB", Unit::Mebibytes),
        ("ratio", Unit::Ratio),
        ("req/s", Unit::PerSecond),
    ] {
        let (signal, points) = values(word);
        let found = reading(Statistic::Last, 0, 5).of_values(&signal, &points);
        assert_eq!(found.map(|quantity| quantity.unit), Ok(expected), "{word}");
    }
}
