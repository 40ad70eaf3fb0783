//! Verification: what keeps a threshold and what misses it, and how both are spelled in JSON.

use std::cmp::Ordering;

use domain::quantity::{Dimension, Number, Quantity, Unit};
use domain::verification::{Attested, Attester, Comparator, Measured, Verification, VerificationKind};
use proptest::prelude::*;

use Comparator::{Above, AtLeast, AtMost, Below};
use Unit::{
    Bytes, Count, Gibibytes, Gigabytes, Hours, Kilobytes, Mebibytes, Microseconds, Milliseconds, Minutes, Nanoseconds,
    PerMinute, PerSecond, Percent, Ratio, Seconds,
};

fn number(value: f64) -> Number {
    Number::try_from(value).expect("finite")
}

fn measured(comparator: Comparator, threshold: f64, unit: Unit) -> Measured {
    Measured { metric: "p95".into(), comparator, threshold: number(threshold), unit }
}

#[test]
fn a_value_keeps_its_threshold_or_says_by_how_much_it_misses() {
    let table: &[(Comparator, f64, Unit, f64, Unit, &str)] = &[
        // Plainly inside and outside.
        (Below, 2.0, Seconds, 1.9, Seconds, ""),
        (Below, 2.0, Seconds, 2.31, Seconds, "2.31 s is 0.31 s over the limit of 2 s (15.5%)"),
        (AtMost, 3.0, Count, 5.0, Count, "5 is 2 over the limit of 3 (66.7%)"),
        (
            Above,
            500.0,
            PerSecond,
            480.0,
            PerSecond,
            "480 per second is 20 per second short of the required 500 per second (4%)",
        ),
        (AtLeast, 80.0, Percent, 70.0, Percent, "70% is 10 percentage points short of the required 80% (12.5%)"),
        (AtMost, 1.0, Percent, 2.0, Percent, "2% is 1 percentage point over the limit of 1% (100%)"),
        (AtMost, 0.0, Count, 2.0, Count, "2 is 2 over the limit of 0"),
        // A number that its threshold's unit has no number for.
        (
            AtMost,
            2.0,
            Seconds,
            1e308,
            Hours,
            "1e308 h is more than a number in ‘s’ can be; check the value and its unit",
        ),
        // At the boundary, each comparator.
        (Below, 2.0, Seconds, 2.0, Seconds, "2 s is exactly the limit, and must be below it"),
        (AtMost, 2.0, Seconds, 2.0, Seconds, ""),
        (Above, 2.0, Seconds, 2.0, Seconds, "2 s is exactly the limit, and must be above it"),
        (AtLeast, 2.0, Seconds, 2.0, Seconds, ""),
        // At the boundary, in another unit, where binary fractions would miss it (0.07 × 100 > 7).
        (Below, 7.0, Percent, 0.07, Ratio, "7% is exactly the limit, and must be below it"),
        (AtMost, 7.0, Percent, 0.07, Ratio, ""),
        (AtLeast, 7.0, Percent, 0.07, Ratio, ""),
        (AtMost, 0.29, Ratio, 29.0, Percent, ""),
        (AtMost, 2.0, Seconds, 2000.0, Milliseconds, ""),
        (AtMost, 2.0, Seconds, 2_000_000.0, Microseconds, ""),
        (AtMost, 2.0, Seconds, 2_000_000_000.0, Nanoseconds, ""),
        (AtMost, 0.3, Seconds, 300.0, Milliseconds, ""),
        (AtMost, 1.1, Minutes, 66.0, Seconds, ""),
        (AtLeast, 1.1, Minutes, 66.0, Seconds, ""),
        (AtMost, 90.0, Minutes, 1.5, Hours, ""),
        (AtMost, 500.0, PerSecond, 30_000.0, PerMinute, ""),
        (AtLeast, 500.0, PerSecond, 30_000.0, PerMinute, ""),
        (AtMost, 1.0, Gibibytes, 1024.0, Mebibytes, ""),
        (Below, 1.0, Gibibytes, 1.0, Gigabytes, ""),
        (AtMost, 1.5, Kilobytes, 1500.0, Bytes, ""),
        // A hair beyond it.
        (
            AtMost,
            2.0,
            Seconds,
            2_000_000_001.0,
            Nanoseconds,
            "2.000000001 s is 0.000000001 s over the limit of 2 s (0.00000005%)",
        ),
        (
            AtMost,
            2.0,
            Seconds,
            2.000_000_000_000_000_4,
            Seconds,
            "2.0000000000000004 s is 4.441e-16 s over the limit of 2 s (2.22e-14%)",
        ),
        (AtMost, 7.0, Percent, 0.070_000_000_000_000_02, Ratio, "7% is a trifle over the limit of 7%"),
        // Given in other units, the miss is told in the threshold's.
        (Below, 2.0, Seconds, 2310.0, Milliseconds, "2.31 s is 0.31 s over the limit of 2 s (15.5%)"),
        (Below, 2.0, Seconds, 2_310_000_000.0, Nanoseconds, "2.31 s is 0.31 s over the limit of 2 s (15.5%)"),
        (
            AtMost,
            250.0,
            Milliseconds,
            0.412_378_628_3,
            Seconds,
            "412.379 ms is 162.4 ms over the limit of 250 ms (65%)",
        ),
        (AtMost, 1.0, Percent, 0.013, Ratio, "1.3% is 0.3 percentage points over the limit of 1% (30%)"),
        // What cannot be compared.
        (
            Below,
            2.0,
            Seconds,
            2.0,
            Percent,
            "a value in ‘percent’ cannot be compared with the limit of 2 s; give it in ns, us, ms, s, min, h",
        ),
        (
            Below,
            2.0,
            Percent,
            2.0,
            Count,
            "a value in ‘count’ cannot be compared with the limit of 2%; give it in ratio, percent",
        ),
        (
            AtMost,
            3.0,
            Count,
            3.0,
            PerSecond,
            "a value in ‘per_second’ cannot be compared with the limit of 3; give it in count",
        ),
        (Below, 2.0, Seconds, -1.0, Seconds, "-1 s is below zero, which no time can be"),
        (Below, 2.0, Seconds, f64::NAN, Seconds, "this is not a finite number"),
        (Below, 2.0, Seconds, f64::INFINITY, Seconds, "this is not a finite number"),
        (Above, 2.0, Seconds, f64::INFINITY, Seconds, "this is not a finite number"),
        (Below, 2.0, Seconds, f64::NEG_INFINITY, Seconds, "this is not a finite number"),
        // The largest and the smallest there are.
        (
            Below,
            f64::MAX,
            Nanoseconds,
            f64::MAX,
            Hours,
            "1.7976931348623157e308 h is more than a number in ‘ns’ can be; check the value and its unit",
        ),
        (Below, f64::MAX, Hours, f64::MAX, Nanoseconds, ""),
        (
            AtLeast,
            f64::MIN_POSITIVE,
            Seconds,
            0.0,
            Nanoseconds,
            "0 s is 2.225e-308 s short of the required 2.2250738585072014e-308 s (100%)",
        ),
    ];
    for &(comparator, threshold, unit, value, given, expected) in table {
        let told = match measured(comparator, threshold, unit).check(value, given) {
            Ok(()) => String::new(),
            Err(miss) => miss.to_string(),
        };
        assert_eq!(told, expected, "{value} {given} against {} {threshold} {unit}", comparator.sign());
    }
}

#[test]
fn a_threshold_that_decides_nothing_is_a_flaw() {
    let table = [
        (Below, 2.0, false),
        (Below, 0.0, true),
        (AtMost, 0.0, false),
        (Above, 0.0, false),
        (AtLeast, 0.0, true),
        (AtMost, -1.0, true),
        (AtLeast, -1.0, true),
    ];
    for (comparator, threshold, flawed) in table {
        assert_eq!(measured(comparator, threshold, Percent).flaw().is_some(), flawed, "{comparator} {threshold}");
    }
}

#[test]
fn words_alone_read_and_write_as_they_always_did() {
    let json = r#"{"criterion":"Load test holds p95 below 2s"}"#;
    let read: Verification = serde_json::from_str(json).expect("the old form");
    assert_eq!(read, Verification::in_words("Load test holds p95 below 2s"));
    assert_eq!(serde_json::to_string(&read).expect("it can be written"), json);
    let null: Verification = serde_json::from_str(r#"{"criterion":"x","kind":null}"#).expect("null is absent");
    assert_eq!(null.kind, None);
}

#[test]
fn a_kind_is_spelled_one_way() {
    let measured = |unit| {
        VerificationKind::Measured(Measured { metric: "p95".into(), comparator: Below, threshold: number(2.0), unit })
    };
    let attested =
        |by, excludes: Option<&str>| VerificationKind::Attested(Attested { by, excludes: excludes.map(str::to_owned) });
    let table = [
        (
            measured(Seconds),
            r#"{"measured":{"metric":"p95","comparator":"below","threshold":2,"unit":"s"}}"#,
            "p95 below 2 s",
        ),
        (
            attested(Attester::NotOwner, Some("an author")),
            r#"{"attested":{"by":"not_owner","excludes":"an author"}}"#,
            "attested by anybody but the owner or an author",
        ),
        (
            attested(Attester::Named("Support".into()), None),
            r#"{"attested":{"by":{"named":"Support"}}}"#,
            "attested by Support, not being the owner",
        ),
    ];
    for (kind, json, told) in table {
        assert_eq!(serde_json::to_string(&kind).expect("it can be written"), json);
        assert_eq!(serde_json::from_str::<VerificationKind>(json).expect("it reads back"), kind);
        assert_eq!(kind.to_string(), told);
    }
}

#[test]
fn what_is_none_of_this_is_refused() {
    for json in [
        r#"{"criterion":"x","sort":1}"#,
        r#"{"criterion":"x","kind":"measured"}"#,
        r#"{"criterion":"x","kind":{"guessed":{}}}"#,
        r#"{"criterion":"x","kind":{"measured":{"metric":"p95","comparator":"near","threshold":2,"unit":"s"}}}"#,
        r#"{"criterion":"x","kind":{"measured":{"metric":"p95","comparator":"below","threshold":1e999,"unit":"s"}}}"#,
        r#"{"criterion":"x","kind":{"measured":{"metric":"p95","comparator":"below","threshold":"2","unit":"s"}}}"#,
        r#"{"criterion":"x","kind":{"measured":{"metric":"p95","comparator":"below","threshold":2,"unit":"s","at":1}}}"#,
        r#"{"criterion":"x","kind":{"measured":{"metric":"p95","comparator":"below","threshold":2}}}"#,
        r#"{"criterion":"x","kind":{"attested":{"by":"owner"}}}"#,
        r#"{"criterion":"x","kind":{"attested":{}}}"#,
    ] {
        assert!(serde_json::from_str::<Verification>(json).is_err(), "{json}");
    }
}

#[test]
fn the_attester_states_whom_the_criterion_excludes() {
    let attested = Attested { by: Attester::NotOwner, excludes: Some("an author".into()) };
    assert_eq!(attested.statement().as_deref(), Some("I am not an author."));
    assert_eq!(Attested { excludes: None, ..attested }.statement(), None);
}

fn quantities(dimension: Dimension) -> impl Strategy<Value = Quantity> {
    let units: Vec<Unit> = Unit::ALL.iter().copied().filter(|unit| unit.dimension() == dimension).collect();
    let values = prop_oneof![
        (0_i64..10_000_000, -6_i32..3)
            .prop_map(|(digits, power)| format!("{digits}e{power}").parse().expect("a number")),
        proptest::num::f64::NORMAL,
    ];
    (values, proptest::sample::select(units))
        .prop_map(|(value, unit)| Quantity { value: Number::try_from(value).expect("finite"), unit })
}

proptest! {
    #[test]
    fn quantities_are_in_one_order(
        a in quantities(Dimension::Time),
        b in quantities(Dimension::Time),
        c in quantities(Dimension::Time),
    ) {
        let order = |x: Quantity, y: Quantity| x.compare(y).expect("the same sort");
        prop_assert_eq!(order(a, a), Ordering::Equal);
        prop_assert_eq!(order(a, b), order(b, a).reverse());
        if order(a, b).is_le() && order(b, c).is_le() {
            prop_assert!(order(a, c).is_le());
        }
    }

    #[test]
    fn a_converted_decimal_is_the_same_quantity(
        digits in 0_u32..100_000_000,
        power in -6_i32..3,
        percent in any::<bool>(),
    ) {
        let value = Number::try_from(format!("{digits}e{power}").parse::<f64>().expect("a number")).expect("finite");
        let (from, to) = if percent { (Percent, Ratio) } else { (Milliseconds, Seconds) };
        for (from, to) in [(from, to), (to, from)] {
            let here = Quantity { value, unit: from };
            let there = here.converted(to).expect("the same sort");
            prop_assert_eq!(here.compare(there), Some(Ordering::Equal), "{} {}", here, there);
        }
    }

    #[test]
    fn exactly_one_of_a_comparator_and_its_opposite_holds(
        value in quantities(Dimension::Share),
        limit in quantities(Dimension::Share),
    ) {
        prop_assume!(value.value >= Number::default());
        let holds = |comparator| {
            measured(comparator, limit.value.get(), limit.unit).check(value.value.get(), value.unit).is_ok()
        };
        if value.converted(limit.unit).is_some() {
            prop_assert_ne!(holds(Below), holds(AtLeast));
            prop_assert_ne!(holds(Above), holds(AtMost));
        }
    }

    #[test]
    fn a_miss_is_always_told(
        value in any::<f64>(),
        threshold in proptest::num::f64::NORMAL,
        unit in 0..Unit::ALL.len(),
        given in 0..Unit::ALL.len(),
        comparator in 0..Comparator::ALL.len(),
    ) {
        let measured = measured(Comparator::ALL[comparator], threshold, Unit::ALL[unit]);
        if let Err(miss) = measured.check(value, Unit::ALL[given]) {
            prop_assert!(!miss.to_string().is_empty());
        }
    }

    #[test]
    fn a_decimal_that_a_person_writes_reads_back_from_json(digits in 0_u64..1_000_000_000_000_000, power in -6_i32..6) {
        let value = number(format!("{digits}e{power}").parse().expect("a number"));
        let json = serde_json::to_string(&value).expect("it can be written");
        prop_assert_eq!(serde_json::from_str::<Number>(&json).expect("it reads back"), value, "{}", json);
    }
}
