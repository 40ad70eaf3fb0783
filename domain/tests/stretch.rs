//! Thinning a ratio: bins are picked by their share, and neither few attempts nor a gap hides what is beside it.

use chrono::{DateTime, TimeDelta, Utc};
use domain::SignalId;
use domain::incident::Window;
use domain::signal::{Bin, DEFAULT_FLOOR, Ratio, Signal, Stretch};
use proptest::prelude::*;

fn start() -> DateTime<Utc> {
    "2026-07-09T00:00:00Z".parse().expect("a time")
}

fn signal(bins: Vec<Bin>) -> Signal {
    let span = bins.first().zip(bins.last());
    Signal {
        id: SignalId::new("sig_1"),
        title: "Failed attempts".into(),
        numerator_unit: "failed attempts".into(),
        denominator_unit: "attempts".into(),
        bin_seconds: 60,
        floor: DEFAULT_FLOOR,
        total: Ratio::pooled(&bins),
        span: span.map(|(first, last)| Window { from: first.at, until: last.at + TimeDelta::minutes(1) }),
        sources: Vec::new(),
        thinned: false,
        bins,
    }
}

prop_compose! {
    /// Bins a minute long, some of them missing, with many attempts and with few.
    fn bins()(steps in prop::collection::vec((1..4i64, 1..60u64, 0..60u64), 0..800)) -> Vec<Bin> {
        let mut minute = 0;
        steps.into_iter().map(|(step, denominator, numerator)| {
            minute += step;
            Bin { at: start() + TimeDelta::minutes(minute), numerator: numerator.min(denominator), denominator }
        }).collect()
    }
}

proptest! {
    #[test]
    fn every_pixel_keeps_the_peaks_of_what_proves_something_and_of_what_does_not(bins in bins(), width in 1..40u32) {
        let whole = signal(bins.clone());
        let Some(view) = whole.span else { return Ok(()) };
        let thinned = whole.clone().thinned(Some(view), Some(width));
        if !thinned.thinned {
            prop_assert_eq!(thinned, whole);
            return Ok(());
        }
        prop_assert!(thinned.bins.windows(2).all(|pair| pair[0].at < pair[1].at));
        let made_up = thinned.bins.iter().filter(|bin| !bins.contains(bin));
        prop_assert!(made_up.clone().all(|bin| (bin.numerator, bin.denominator) == (0, 0)));
        prop_assert!(made_up.clone().all(|bin| !bins.iter().any(|real| real.at == bin.at)), "a gap is where no bin is");
        let length = (view.until - view.from).num_milliseconds();
        let pixel = |bin: &Bin| (bin.at - view.from).num_milliseconds() * i64::from(width) / length;
        for at in 0..i64::from(width) {
            for is_solid in [true, false] {
                let shares = |bins: &[Bin]| -> (Option<f64>, Option<f64>) {
                    let found = || bins.iter()
                        .filter(|bin| pixel(bin) == at && (bin.denominator >= DEFAULT_FLOOR) == is_solid)
                        .filter_map(|bin| bin.ratio().share());
                    (found().reduce(f64::min), found().reduce(f64::max))
                };
                prop_assert_eq!(shares(&bins), shares(&thinned.bins), "pixel {}, solid {}", at, is_solid);
            }
            let has_gap = |bins: &[Bin]| bins.windows(2).any(|pair| {
                pair[1].at - pair[0].at > TimeDelta::minutes(1)
                    && pixel(&Bin { at: pair[0].at + TimeDelta::minutes(1), ..pair[0] }) == at
            });
            let is_broken = thinned.bins.iter().any(|bin| pixel(bin) == at && bin.denominator < DEFAULT_FLOOR);
            prop_assert!(!has_gap(&bins) || is_broken, "the line breaks at pixel {}", at);
        }
    }
}

#[test]
fn a_stretch_that_is_open_ends_where_the_signal_does() {
    let at = |minute| start() + TimeDelta::minutes(minute);
    let window = |from, until| Window { from: at(from), until: at(until) };
    let span = Some(window(10, 50));
    for (from, until, view) in [
        (None, None, window(10, 50)),
        (Some(20), None, window(20, 50)),
        (None, Some(20), window(10, 20)),
        (Some(0), Some(5), window(0, 5)),
        (Some(60), None, window(60, 60)),
    ] {
        let stretch = Stretch { from: from.map(at), until: until.map(at), width: None };
        assert_eq!(stretch.view(span), Some(view), "{from:?} to {until:?}");
    }
    assert_eq!(Stretch { from: Some(at(0)), ..Stretch::default() }.view(None), None);
}
