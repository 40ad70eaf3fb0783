//! Reading one value off a signal: which of its values counts, and over what stretch.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Point, Ratio, Signal, ValueSignal};
use crate::criterion::unit_of;
use crate::id::SignalId;
use crate::incident::Window;
use crate::quantity::{Number, Quantity, Unit};
use crate::words::words;

words!(
    /// Which value stands for a stretch of a signal.
    Statistic {
        /// All of the stretch pooled: a ratio's alone, and the only one it has beside the extremes.
        Pooled = "pooled", "pooled over the time";
        /// The mean of the points: a plain value's alone, since a mean of ratios proves nothing.
        Mean = "mean", "mean";
        /// The lowest.
        Lowest = "lowest", "lowest";
        /// The highest.
        Highest = "highest", "highest";
        /// The last.
        Last = "last", "last";
        /// The median, by nearest rank.
        P50 = "p50", "median";
        /// The 95th percentile, by nearest rank.
        P95 = "p95", "p95";
        /// The 99th percentile, by nearest rank.
        P99 = "p99", "p99";
    }
);

/// A value to be read off one of the incident's signals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// The signal's id.
    pub signal: SignalId,
    /// Which of its values.
    pub statistic: Statistic,
    /// The first instant that counts.
    pub from: DateTime<Utc>,
    /// The first instant that no longer counts.
    pub until: DateTime<Utc>,
}

/// Where a value was read, in words that outlive the signal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignalProof {
    /// The signal's title.
    pub title: String,
    /// Which of its values.
    pub statistic: Statistic,
    /// The first instant that counted.
    pub from: DateTime<Utc>,
    /// The first instant that no longer counted.
    pub until: DateTime<Utc>,
}

/// Why nothing was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misread {
    /// The field of the reading that is at fault.
    pub field: &'static str,
    /// Why, and what would do.
    pub message: String,
}

impl Misread {
    fn new(field: &'static str, message: impl Into<String>) -> Self {
        Self { field, message: message.into() }
    }
}

impl Reading {
    /// What is recorded of it.
    pub fn read_off(&self, title: &str) -> SignalProof {
        SignalProof { title: title.to_owned(), statistic: self.statistic, from: self.from, until: self.until }
    }

    /// The value of a ratio, whose bins are those of the stretch at least. A bin counts where all of it lies inside.
    pub fn of_ratio(&self, signal: &Signal) -> Result<Quantity, Misread> {
        self.lies_in(signal.span)?;
        let length = chrono::TimeDelta::seconds(i64::from(signal.bin_seconds));
        let inside: Vec<_> =
            signal.bins.iter().filter(|bin| self.from <= bin.at && bin.at + length <= self.until).collect();
        let pooled = Ratio::pooled(inside.iter().copied());
        if pooled.denominator < signal.floor.max(1) {
            return Err(Misread::new(
                "until",
                format!(
                    "{} {} in that time prove little; choose a time with at least {}",
                    pooled.denominator, signal.denominator_unit, signal.floor
                ),
            ));
        }
        let shares = inside.iter().filter(|bin| bin.denominator >= signal.floor).filter_map(|bin| bin.ratio().share());
        let none =
            || Misread::new("until", format!("no bin in that time has {} {}", signal.floor, signal.denominator_unit));
        let share = match self.statistic {
            Statistic::Pooled => pooled.share(),
            Statistic::Lowest => shares.reduce(f64::min),
            Statistic::Highest => shares.reduce(f64::max),
            _ => {
                return Err(Misread::new("statistic", "of a ratio only ‘pooled’, ‘lowest’ and ‘highest’ are read"));
            }
        };
        quantity(share.ok_or_else(none)?, Unit::Ratio)
    }

    /// The value of a plain signal, given its points of the stretch.
    pub fn of_values(&self, signal: &ValueSignal, points: &[Point]) -> Result<Quantity, Misread> {
        self.lies_in(signal.span)?;
        let unit = match signal.unit.trim() {
            "%" => Unit::Percent,
            // What is counted has a name of its own: jobs, requests.
            word => word.parse().ok().or_else(|| unit_of(&word.to_lowercase())).unwrap_or(Unit::Count),
        };
        let mut values: Vec<f64> = points
            .iter()
            .filter(|point| self.from <= point.at && point.at < self.until)
            .filter_map(|point| point.value)
            .collect();
        let last = values.last().copied();
        values.sort_by(f64::total_cmp);
        let value = match self.statistic {
            Statistic::Pooled => {
                return Err(Misread::new("statistic", "only a ratio is pooled; choose ‘mean’ or another"));
            }
            Statistic::Mean => mean(&values),
            Statistic::Lowest => values.first().copied(),
            Statistic::Highest => values.last().copied(),
            Statistic::Last => last,
            Statistic::P50 => ranked(&values, 50),
            Statistic::P95 => ranked(&values, 95),
            Statistic::P99 => ranked(&values, 99),
        };
        quantity(value.ok_or_else(|| Misread::new("until", "the signal has no value in that time"))?, unit)
    }

    /// What is read is there as a whole: a signal that ends early says nothing of what came after.
    fn lies_in(&self, span: Option<Window>) -> Result<(), Misread> {
        if self.from >= self.until {
            return Err(Misread::new("until", "the time ends before it begins"));
        }
        let Some(span) = span else {
            return Err(Misread::new("signal", "this signal has no values"));
        };
        let within = |pointer, at: DateTime<Utc>| {
            let text = |at: DateTime<Utc>| at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
            let known = span.from <= at && at <= span.until;
            let message = || format!("the signal is known from {} to {}", text(span.from), text(span.until));
            if known { Ok(()) } else { Err(Misread::new(pointer, message())) }
        };
        within("from", self.from)?;
        within("until", self.until)
    }
}

fn quantity(value: f64, unit: Unit) -> Result<Quantity, Misread> {
    let value = Number::try_from(value).map_err(|error| Misread::new("signal", error.to_string()))?;
    Ok(Quantity { value: value.rounded(15), unit })
}

#[expect(clippy::cast_precision_loss, reason = "points of a signal stay far below 2^53")]
fn mean(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    (!values.is_empty()).then(|| values.iter().map(|value| value / count).sum())
}

/// The value that `percent` of 100 values in order are no greater than.
fn ranked(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests;
