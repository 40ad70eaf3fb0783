//! How far counting can be trusted: 95% intervals of a share, and of the difference of two shares.
//!
//! Shares are of 1. Wilson's score interval holds for few attempts and for shares near 0 as well, where the usual formula
//! fails; Newcombe's hybrid score interval joins two of them (E. B. Wilson, 1927; R. G. Newcombe, 1998, method 10).

use serde::{Deserialize, Serialize};

use crate::signal::Ratio;

/// The point of the normal distribution that 2.5% lie beyond.
const Z: f64 = 1.959_963_984_540_054;

/// Where a figure lies, with 95% confidence, as far as chance in counting goes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Two shares compared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Difference {
    /// The later share less the earlier one: negative where it fell.
    pub value: f64,
    /// Where the difference lies.
    pub interval: Interval,
}

impl Interval {
    /// Wilson's interval of a pooled ratio; none where there was nothing to divide by.
    #[expect(clippy::cast_precision_loss, reason = "counts of events stay far below 2^53")]
    pub fn wilson(ratio: Ratio) -> Option<Self> {
        let (share, n) = (ratio.share()?, ratio.denominator as f64);
        let square = Z * Z;
        let middle = (share + square / (2.0 * n)) / (1.0 + square / n);
        let reach = Z / (1.0 + square / n) * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
        // A share of nothing, or of everything, is itself an end; rounding must not move it out of 0 to 1.
        let low = if ratio.numerator == 0 { 0.0 } else { (middle - reach).max(0.0) };
        let high = if ratio.numerator >= ratio.denominator { 1.0 } else { (middle + reach).min(1.0) };
        Some(Self { low, high })
    }
}

impl Difference {
    /// The later ratio less the earlier, with Newcombe's interval; none where one of the two has nothing to divide by.
    pub fn between(earlier: Ratio, later: Ratio) -> Option<Self> {
        let (from, to) = (earlier.share()?, later.share()?);
        let (of_from, of_to) = (Interval::wilson(earlier)?, Interval::wilson(later)?);
        let value = to - from;
        Some(Self {
            value,
            interval: Interval {
                low: value - (to - of_to.low).hypot(of_from.high - from),
                high: value + (of_to.high - to).hypot(from - of_from.low),
            },
        })
    }

    /// Whether chance alone could have made it: both directions lie inside the interval.
    pub fn is_unclear(&self) -> bool {
        self.interval.low <= 0.0 && 0.0 <= self.interval.high
    }
}
