//! Quantities: a finite number with its unit, compared and converted without a rounding error.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize, Serializer};

use crate::words::words;

/// A number that is neither infinite nor NaN, so that it equals itself and is always in order.
///
/// In JSON it is a plain number, whole where it is whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(try_from = "f64")]
pub struct Number(f64);

// Sound, since NaN, the one value that differs from itself, is refused.
impl Eq for Number {}

/// A number that is infinite, or none at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotFinite;

impl std::fmt::Display for NotFinite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("this is not a finite number")
    }
}

impl std::error::Error for NotFinite {}

impl TryFrom<f64> for Number {
    type Error = NotFinite;

    fn try_from(value: f64) -> Result<Self, NotFinite> {
        // Minus zero becomes zero, so that nobody reads "-0 s".
        if value.is_finite() { Ok(Self(value + 0.0)) } else { Err(NotFinite) }
    }
}

impl From<u32> for Number {
    fn from(value: u32) -> Self {
        Self(value.into())
    }
}

impl Number {
    /// The number itself.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// The number with so many significant digits.
    #[must_use]
    pub fn rounded(self, digits: usize) -> Self {
        let text = format!("{:.*e}", digits.saturating_sub(1), self.0);
        // Rounding up the largest numbers there are would leave the finite ones.
        text.parse().ok().and_then(|value: f64| Self::try_from(value).ok()).unwrap_or(self)
    }

    /// The shortest decimal that means this number: digits, and the power of ten that they are multiplied by.
    pub(crate) fn decimal(self) -> (i128, i32) {
        let text = format!("{:e}", self.0);
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let (Ok(digits), Ok(exponent), Ok(places)) =
            (format!("{whole}{fraction}").parse(), exponent.parse::<i32>(), i32::try_from(fraction.len()))
        else {
            unreachable!("a finite number is written as digits, a point, digits, an e and a whole number")
        };
        (digits, exponent - places)
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let size = self.0.abs();
        if size >= 1e15 || (size > 0.0 && size < 1e-9) { write!(f, "{:e}", self.0) } else { write!(f, "{}", self.0) }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Every whole number up to 2^53 is exact in an f64 and fits an i64.
        #[expect(clippy::cast_possible_truncation, reason = "guarded: whole and within 2^53")]
        if self.0.fract() == 0.0 && self.0.abs() <= 9_007_199_254_740_992.0 {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

words!(
    /// What a number counts.
    Unit {
        /// Nanoseconds.
        Nanoseconds = "ns", "ns";
        /// Microseconds.
        Microseconds = "us", "µs";
        /// Milliseconds.
        Milliseconds = "ms", "ms";
        /// Seconds.
        Seconds = "s", "s";
        /// Minutes.
        Minutes = "min", "min";
        /// Hours.
        Hours = "h", "h";
        /// A share, of 1.
        Ratio = "ratio", "of 1";
        /// A share, of 100.
        Percent = "percent", "%";
        /// Things counted.
        Count = "count", "";
        /// Bytes.
        Bytes = "bytes", "bytes";
        /// 1000 bytes.
        Kilobytes = "kb", "kB";
        /// 1000 kB.
        Megabytes = "mb", "MB";
        /// 1000 MB.
        Gigabytes = "gb", "GB";
        /// 1024 bytes.
        Kibibytes = "kib", "KiB";
        /// 1024 KiB.
        Mebibytes = "mib", "MiB";
        /// 1024 MiB.
        Gibibytes = "gib", "GiB";
        /// Things counted in a second.
        PerSecond = "per_second", "per second";
        /// Things counted in a minute.
        PerMinute = "per_minute", "per minute";
    }
);

words!(
    /// What sort of thing a unit measures; only units of one sort can be compared.
    Dimension {
        /// How long.
        Time = "time", "a time";
        /// What part.
        Share = "share", "a share";
        /// How many.
        Count = "count", "a count";
        /// How large.
        Size = "size", "a size";
        /// How often.
        Rate = "rate", "a rate";
    }
);

impl Unit {
    /// What the unit measures.
    pub const fn dimension(self) -> Dimension {
        self.scale().0
    }

    /// The units that can be compared with this one, itself among them.
    pub fn comparable(self) -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(move |unit| unit.dimension() == self.dimension())
    }

    /// What the unit measures, and how many of its sort's smallest unit one of it is.
    const fn scale(self) -> (Dimension, u64) {
        match self {
            Self::Nanoseconds => (Dimension::Time, 1),
            Self::Microseconds => (Dimension::Time, 1_000),
            Self::Milliseconds => (Dimension::Time, 1_000_000),
            Self::Seconds => (Dimension::Time, 1_000_000_000),
            Self::Minutes => (Dimension::Time, 60_000_000_000),
            Self::Hours => (Dimension::Time, 3_600_000_000_000),
            Self::Percent => (Dimension::Share, 1),
            Self::Ratio => (Dimension::Share, 100),
            Self::Count => (Dimension::Count, 1),
            Self::Bytes => (Dimension::Size, 1),
            Self::Kilobytes => (Dimension::Size, 1_000),
            Self::Megabytes => (Dimension::Size, 1_000_000),
            Self::Gigabytes => (Dimension::Size, 1_000_000_000),
            Self::Kibibytes => (Dimension::Size, 1 << 10),
            Self::Mebibytes => (Dimension::Size, 1 << 20),
            Self::Gibibytes => (Dimension::Size, 1 << 30),
            Self::PerMinute => (Dimension::Rate, 1),
            Self::PerSecond => (Dimension::Rate, 60),
        }
    }
}

/// A number and what it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Quantity {
    /// The number.
    pub value: Number,
    /// What it counts.
    pub unit: Unit,
}

impl Quantity {
    /// The same quantity in another unit, to 15 significant digits; none where that unit measures something else,
    /// or the number would be too large.
    pub fn converted(self, unit: Unit) -> Option<Self> {
        let ((from_sort, from), (to_sort, to)) = (self.unit.scale(), unit.scale());
        if from_sort != to_sort {
            return None;
        }
        if from == to {
            return Some(Self { unit, ..self });
        }
        // Both factors are far below 2^53, and so is their ratio where it is whole.
        #[expect(clippy::cast_precision_loss, reason = "the largest factor is 3.6e12")]
        let value = match (from % to, to % from) {
            (0, _) => self.value.0 * (from / to) as f64,
            (_, 0) => self.value.0 / (to / from) as f64,
            _ => self.value.0 * from as f64 / to as f64,
        };
        Some(Self { value: Number::try_from(value).ok()?.rounded(15), unit })
    }

    /// Which of two quantities is the greater, exactly: 7% and 0.07 are equal. None where the units measure
    /// different things.
    ///
    /// Binary fractions would make 0.07 × 100 come out above 7, so decimals are compared.
    pub fn compare(self, other: Self) -> Option<Ordering> {
        let ((sort, factor), (other_sort, other_factor)) = (self.unit.scale(), other.unit.scale());
        if sort != other_sort {
            return None;
        }
        let ((a, a_power), (b, b_power)) = (self.value.decimal(), other.value.decimal());
        // At most 17 digits times 3.6e12 stays below 1e30.
        let (a, b) = (a * i128::from(factor), b * i128::from(other_factor));
        let lowest = a_power.min(b_power);
        let scaled = |digits: i128, power: i32| {
            let tens = 10_i128.checked_pow(power.abs_diff(lowest));
            // What does not fit exceeds anything that does, since only one of the two is scaled.
            match tens.and_then(|tens| digits.checked_mul(tens)) {
                Some(scaled) => scaled,
                None if digits == 0 => 0,
                None if digits > 0 => i128::MAX,
                None => i128::MIN,
            }
        };
        Some(scaled(a, a_power).cmp(&scaled(b, b_power)))
    }
}

impl std::fmt::Display for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.unit {
            Unit::Count | Unit::Ratio => write!(f, "{}", self.value),
            Unit::Percent => write!(f, "{}%", self.value),
            unit => write!(f, "{} {}", self.value, unit.label()),
        }
    }
}
