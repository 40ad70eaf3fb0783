//! Intervals, against figures that statsmodels 0.14 computed, and against what must hold for any.

use domain::interval::{Difference, Interval};
use domain::signal::Ratio;
use proptest::prelude::*;

fn ratio((numerator, denominator): (u64, u64)) -> Ratio {
    Ratio { numerator, denominator }
}

fn is(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-12
}

#[test]
fn wilsons_interval_is_the_one_that_others_compute() {
    for (counts, low, high) in [
        ((0, 20), 0.0, 0.161_125_158_052_819_4),
        ((20, 20), 0.838_874_841_947_180_4, 1.0),
        ((1, 20), 0.008_881_448_800_795_402, 0.236_131_193_446_742_1),
        ((0, 1), 0.0, 0.793_450_685_622_762_7),
        ((5, 100), 0.021_543_679_154_367_966, 0.111_750_469_231_919_14),
        ((1284, 6903), 0.177_002_445_592_195_97, 0.195_358_998_369_458_58),
        ((1, 1_000_000), 1.765_245_767_453_717_6e-7, 5.664_911_804_311_445e-6),
    ] {
        let found = Interval::wilson(ratio(counts)).expect("there were attempts");
        assert!(is(found.low, low) && is(found.high, high), "{counts:?}: {found:?}");
    }
    assert_eq!(Interval::wilson(Ratio::default()), None);
}

#[test]
fn newcombes_interval_is_the_one_that_others_compute() {
    for (earlier, later, value, low, high, unclear) in [
        ((56, 70), (48, 80), -0.2, -0.333_872_654_036_906_14, -0.052_431_472_402_364_98, false),
        ((9, 10), (3, 10), -0.6, -0.809_017_973_535_488, -0.170_522_723_934_502_9, false),
        ((0, 10), (0, 20), 0.0, -0.277_532_799_862_889_26, 0.161_125_158_052_819_4, true),
        ((10, 10), (0, 20), -1.0, -1.0, -0.679_086_037_141_914_5, false),
        ((3, 20), (2, 25), -0.07, -0.288_207_654_921_803_8, 0.125_746_639_995_546_14, true),
        (
            (1300, 6000),
            (50, 900),
            -0.161_111_111_111_111_12,
            -0.178_014_082_555_175_1,
            -0.141_315_036_243_620_96,
            false,
        ),
        ((5, 56), (0, 29), -0.089_285_714_285_714_29, -0.192_560_013_855_111_65, 0.038_137_147_903_536_936, true),
    ] {
        let found = Difference::between(ratio(earlier), ratio(later)).expect("there were attempts");
        let Interval { low: found_low, high: found_high } = found.interval;
        assert!(
            is(found.value, value) && is(found_low, low) && is(found_high, high),
            "{earlier:?} {later:?}: {found:?}"
        );
        assert_eq!(found.is_unclear(), unclear, "{earlier:?} {later:?}");
    }
    assert_eq!(Difference::between(Ratio::default(), ratio((1, 2))), None);
}

proptest! {
    #[test]
    fn an_interval_holds_its_share_and_narrows_with_more_attempts(failed in 0..500_u64, more in 1..500_u64) {
        let few = ratio((failed, failed + more));
        let many = ratio((failed * 10, (failed + more) * 10));
        let (few_in, many_in) = (Interval::wilson(few).expect("some"), Interval::wilson(many).expect("some"));
        let share = few.share().expect("some");
        prop_assert!(0.0 <= few_in.low && few_in.low <= share && share <= few_in.high && few_in.high <= 1.0);
        prop_assert!(many_in.high - many_in.low < few_in.high - few_in.low);
    }

    #[test]
    fn a_difference_turned_round_has_its_interval_turned_round(a in 0..60_u64, b in 0..60_u64, c in 1..60_u64, d in 1..60_u64) {
        let (one, two) = (ratio((a, a + c)), ratio((b, b + d)));
        let there = Difference::between(one, two).expect("some");
        let back = Difference::between(two, one).expect("some");
        prop_assert!(is(there.value, -back.value) && is(there.interval.low, -back.interval.high));
        prop_assert!(there.interval.low >= -1.0 - 1e-12 && there.interval.high <= 1.0 + 1e-12);
    }
}
