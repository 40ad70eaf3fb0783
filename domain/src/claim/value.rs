//! Computing over the points of a plain value, as they are stored. Nothing is filled in where there is a gap.

use super::{Computation, Found, Measured};
use crate::criterion::unit_of;
use crate::derived::Computed;
use crate::incident::Window;
use crate::quantity::{Number, Quantity, Unit};
use crate::signal::Point;

/// How many digits of a mean are told.
const MEAN_DIGITS: usize = 14;

/// Computes over the points of a value in order of time, or says why that is not possible. `window` is the incident's, and
/// `unit` the value's in words.
pub fn compute_value(
    points: &[Point],
    unit: &str,
    computation: &Computation,
    window: Option<Window>,
) -> Computed<Found> {
    let Some(window) = computation.window.or(window) else {
        return Computed::unavailable("the incident has no start and end to compute within");
    };
    let inside = points.iter().filter(|point| window.from <= point.at && point.at < window.until);
    let values: Vec<f64> = inside.filter_map(|point| point.value).collect();
    let Some(last) = values.last() else {
        return Computed::unavailable("nothing is known of the value in that time");
    };
    let found = match computation.measure {
        Measured::ValueMax => values.iter().copied().reduce(f64::max),
        Measured::ValueMin => values.iter().copied().reduce(f64::min),
        Measured::ValueMean => mean(&values),
        Measured::ValueLast => Some(*last),
        Measured::ValuePercentile => match computation.percentile {
            Some(percentile) => super::compute::nearest_rank(values, percentile, f64::total_cmp),
            None => return Computed::unavailable("nobody said which percentile"),
        },
        _ => return Computed::unavailable("this is computed over attempts, and not over a value"),
    };
    match found.and_then(|found| Number::try_from(found).ok()) {
        Some(value) => Computed::Value(Found::Quantity(Quantity { value, unit: unit_in_words(unit) })),
        None => Computed::unavailable("the value is too large to compute with"),
    }
}

/// The mean, to as many digits as a sum of binary fractions is good for. Parts are summed, so that no sum is too large.
fn mean(values: &[f64]) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "a count of points stays far below 2^53")]
    let sum: f64 = values.iter().map(|value| value / values.len() as f64).sum();
    Number::try_from(sum).ok().map(|mean| mean.rounded(MEAN_DIGITS).get())
}

/// What a unit in words is, as far as we know it; what we do not know is counted.
fn unit_in_words(unit: &str) -> Unit {
    match unit.trim() {
        "%" => Unit::Percent,
        "ratio" | "share" => Unit::Ratio,
        word => unit_of(&word.to_lowercase()).unwrap_or(Unit::Count),
    }
}
