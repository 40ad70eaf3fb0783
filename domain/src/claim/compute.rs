//! Computing over attempts. A duration looks at minutes; all else at the attempts themselves.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Computation, Measured};
use crate::cohort::Attempt;
use crate::derived::Computed;
use crate::incident::Window;
use crate::quantity::{Number, Quantity};
use crate::signal::{DEFAULT_FLOOR, Ratio};

/// The length of a bin of a duration, in milliseconds.
const MINUTE: i64 = 60_000;

/// An attempt with all that a computation may look at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The attempt.
    pub attempt: Attempt,
    /// How long it took in milliseconds, where that is known.
    pub latency_ms: Option<f32>,
}

/// What a computation found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// So many.
    Count(u64),
    /// A part of a whole.
    Share(Ratio),
    /// From one instant until another.
    Span(Window),
    /// So many milliseconds.
    Milliseconds(f64),
    /// So many of a unit; of one that nobody knows, a count.
    Quantity(Quantity),
}

/// Computes over attempts that come in any order, or says why that is not possible. `window` is the incident's.
pub fn compute(rows: impl Iterator<Item = Row>, computation: &Computation, window: Option<Window>) -> Computed<Found> {
    if computation.measure == Measured::Duration {
        return duration(rows, computation, window);
    }
    let Some(window) = computation.window.or(window) else {
        return Computed::unavailable("the incident has no start and end to compute within");
    };
    let rows = inside(rows, Some(window));
    let found = match computation.measure {
        Measured::LatencyPercentile => return percentile(rows, computation),
        Measured::Duration => return Computed::unavailable("a duration has no window of its own"),
        Measured::Attempts => pooled(rows).map(|pooled| Found::Count(pooled.denominator)),
        Measured::FailedAttempts => pooled(rows).map(|pooled| Found::Count(pooled.numerator)),
        Measured::FailedShare => pooled(rows).map(Found::Share),
        Measured::Customers => customers(rows, |_| true),
        Measured::AffectedCustomers => customers(rows, |attempt| attempt.failed),
        Measured::ValueMax
        | Measured::ValueMin
        | Measured::ValueMean
        | Measured::ValueLast
        | Measured::ValuePercentile => {
            return Computed::unavailable("this is computed over a value, and not over attempts");
        }
    };
    found.map_or_else(none_inside, Computed::Value)
}

fn none_inside() -> Computed<Found> {
    Computed::unavailable("the events have no attempt in that time")
}

fn inside(rows: impl Iterator<Item = Row>, window: Option<Window>) -> impl Iterator<Item = Row> {
    let (from, until) =
        window.map_or((i64::MIN, i64::MAX), |w| (w.from.timestamp_millis(), w.until.timestamp_millis()));
    rows.filter(move |row| from <= row.attempt.at && row.attempt.at < until)
}

fn pooled(rows: impl Iterator<Item = Row>) -> Option<Ratio> {
    let sum = rows.fold(Ratio::default(), |sum, row| Ratio {
        numerator: sum.numerator + u64::from(row.attempt.failed),
        denominator: sum.denominator + 1,
    });
    (sum.denominator > 0).then_some(sum)
}

fn customers(rows: impl Iterator<Item = Row>, counts: fn(&Attempt) -> bool) -> Option<Found> {
    let (mut seen, mut any) = (Vec::new(), false);
    for Row { attempt, .. } in rows {
        any = true;
        if counts(&attempt) {
            let place = attempt.customer as usize;
            if place >= seen.len() {
                seen.resize(place + 1, false);
            }
            seen[place] = true;
        }
    }
    any.then(|| Found::Count(seen.into_iter().filter(|seen| *seen).count() as u64))
}

fn percentile(rows: impl Iterator<Item = Row>, computation: &Computation) -> Computed<Found> {
    let Some(percentile) = computation.percentile else {
        return Computed::unavailable("nobody said which percentile");
    };
    let (mut any, mut latencies) = (false, Vec::new());
    for row in rows {
        any = true;
        latencies.extend(row.latency_ms);
    }
    if latencies.is_empty() {
        return if any {
            Computed::unavailable("the events do not say how long an attempt took")
        } else {
            none_inside()
        };
    }
    match nearest_rank(latencies, percentile, f32::total_cmp) {
        Some(value) => Computed::Value(Found::Milliseconds(f64::from(value))),
        None => none_inside(),
    }
}

/// The smallest value that so many percent of all values do not exceed; none where there is no value.
pub(super) fn nearest_rank<T: Copy>(
    mut values: Vec<T>,
    percentile: Number,
    order: impl Fn(&T, &T) -> std::cmp::Ordering,
) -> Option<T> {
    if values.is_empty() {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "a number of values stays far below 2^53")]
    let rank = (percentile.get() / 100.0 * values.len() as f64).ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the number of values")]
    let place = (rank.max(1.0) as usize).min(values.len()) - 1;
    let (_, value, _) = values.select_nth_unstable_by(place, order);
    Some(*value)
}

/// Of the times over the upper threshold the first that the incident's window touches: others are other incidents'.
fn duration(rows: impl Iterator<Item = Row>, computation: &Computation, window: Option<Window>) -> Computed<Found> {
    // A window of its own goes before the incident's.
    let window = computation.window.or(window);
    let (Some(upper), Some(lower)) = (computation.upper, computation.lower) else {
        return Computed::unavailable("nobody said between which thresholds");
    };
    let mut minutes: BTreeMap<i64, Ratio> = BTreeMap::new();
    for row in inside(rows, computation.window) {
        let minute = minutes.entry(row.attempt.at.div_euclid(MINUTE)).or_default();
        minute.numerator += u64::from(row.attempt.failed);
        minute.denominator += 1;
    }
    if minutes.is_empty() {
        return none_inside();
    }
    let least = computation.min_attempts.map_or(DEFAULT_FLOOR, u64::from);
    let mut shares = minutes
        .into_iter()
        .filter(|(_, ratio)| ratio.denominator >= least)
        .filter_map(|(minute, ratio)| Some((minute, ratio.share()?)));
    let percent = |share: f64| Number::try_from(share * 100.0).unwrap_or_default().rounded(12);
    let at = |minute: i64| chrono::DateTime::from_timestamp_millis(minute * MINUTE);
    loop {
        let start = shares.find(|(_, share)| *share > upper.get()).and_then(|(start, _)| at(start));
        let Some(from) = start.filter(|from| window.is_none_or(|window| *from < window.until)) else {
            let (upper, of) = (percent(upper.get()), if window.is_some() { " of the incident" } else { "" });
            return Computed::unavailable(format!(
                "no minute{of} with at least {least} attempts has more than {upper}% failed"
            ));
        };
        let Some(until) = shares.find(|(_, share)| *share < lower.get()).and_then(|(end, _)| at(end)) else {
            let lower = percent(lower.get());
            return Computed::unavailable(format!(
                "no later minute with at least {least} attempts has less than {lower}% failed; the events may end too early"
            ));
        };
        if window.is_none_or(|window| until > window.from) {
            return Computed::Value(Found::Span(Window { from, until }));
        }
    }
}
