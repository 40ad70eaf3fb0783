//! Thinning: what must be kept of each pixel's stretch, whatever the samples are.

use chrono::{DateTime, TimeDelta, Utc};
use domain::incident::Window;
use domain::signal::{Bin, Point, thin};
use proptest::prelude::*;

fn start() -> DateTime<Utc> {
    "2026-07-09T09:00:00Z".parse().expect("a time")
}

fn view(millis: i64) -> Window {
    Window { from: start(), until: start() + TimeDelta::milliseconds(millis) }
}

prop_compose! {
    /// Points in order of time, before, inside and after a view of 10 s.
    fn points()(steps in prop::collection::vec((1..200i64, prop::option::weighted(0.9, -50..50i32)), 0..600))
        -> Vec<Point>
    {
        let mut at = start() - TimeDelta::seconds(5);
        steps.into_iter().map(|(step, value)| {
            at += TimeDelta::milliseconds(step);
            Point { at, value: value.map(f64::from) }
        }).collect()
    }
}

/// The pixel that an instant falls on, the slow and obvious way.
fn pixel_of(at: DateTime<Utc>, millis: i64, width: u32) -> i64 {
    let offset = (at - start()).num_milliseconds();
    if offset < 0 {
        return -1;
    }
    (offset * i64::from(width) / millis).min(width.into())
}

proptest! {
    #[test]
    fn each_pixel_keeps_its_first_last_lowest_highest_and_whether_it_has_a_gap(points in points(), width in 1..80u32) {
        let millis = 10_000;
        let kept = thin(&points, view(millis), width);
        prop_assert!(kept.len() <= 5 * (width as usize + 2));
        prop_assert!(kept.windows(2).all(|pair| pair[0].at < pair[1].at));
        prop_assert!(kept.iter().all(|point| points.contains(point)), "nothing is made up");
        for pixel in -1..=i64::from(width) {
            let on = |points: &[Point]| -> Vec<Point> {
                points.iter().copied().filter(|point| pixel_of(point.at, millis, width) == pixel).collect()
            };
            let (all, left) = (on(&points), on(&kept));
            prop_assert_eq!(all.first(), left.first());
            prop_assert_eq!(all.last(), left.last());
            let extremes = |points: &[Point]| -> (Option<f64>, Option<f64>) {
                let values = || points.iter().filter_map(|point| point.value);
                (values().reduce(f64::min), values().reduce(f64::max))
            };
            prop_assert_eq!(extremes(&all), extremes(&left));
            let first_gap = |points: &[Point]| points.iter().find(|point| point.value.is_none()).copied();
            prop_assert_eq!(first_gap(&all), first_gap(&left));
        }
    }

    #[test]
    fn any_instants_and_any_view_are_taken(millis in prop::collection::vec(any::<i32>(), 0..50), from in any::<i32>(),
        until in any::<i32>(), width in any::<u32>())
    {
        let at = |millis: i32| DateTime::from_timestamp_millis(i64::from(millis) * 1_000_000).expect("a time");
        let mut points: Vec<Point> = millis.into_iter().map(|m| Point { at: at(m), value: Some(1.0) }).collect();
        points.sort_by_key(|point| point.at);
        let kept = thin(&points, Window { from: at(from), until: at(until) }, width);
        prop_assert!(kept.len() <= points.len());
    }
}

#[test]
fn few_samples_come_back_whole() {
    let points: Vec<Point> =
        (0..40).map(|i| Point { at: start() + TimeDelta::milliseconds(i), value: Some(1.0) }).collect();
    assert_eq!(thin(&points, view(10_000), 10), points);
    assert_eq!(thin(&points, view(10_000), 9).len(), 2, "all on one pixel, all alike: the first and the last");
}

#[test]
fn bins_are_picked_by_their_ratio_and_never_joined() {
    let bin = |i: i64, numerator, denominator| Bin { at: start() + TimeDelta::seconds(i), numerator, denominator };
    let mut bins: Vec<Bin> = (0..100).map(|i| bin(i, 1, 100)).collect();
    bins[50] = bin(50, 2, 3);
    bins[60] = bin(60, 50, 1000);
    let kept = thin(&bins, view(100_000), 1);
    assert_eq!(kept, [bins[0], bins[50], bins[99]], "two of three is the highest, though fifty are more than two");
}
