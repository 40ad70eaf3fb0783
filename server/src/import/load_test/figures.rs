//! The figures of a load test as they are gathered: latencies in milliseconds, ratios with their parts.

use domain::load_test::{ERROR_RATE, LoadMetric, percentile};
use domain::quantity::{Number, Quantity, Unit};
use domain::signal::Ratio;

/// The percentiles that somebody may ask for; what is missing of them is noted.
const WANTED: [&str; 4] = ["p50", "p90", "p95", "p99"];

/// The figures found so far, and what there is to note on them.
#[derive(Debug, Default)]
pub(super) struct Figures {
    metrics: Vec<LoadMetric>,
    percentiles: Vec<(Number, LoadMetric)>,
    pub notes: Vec<String>,
}

impl Figures {
    /// Adds a figure where there is one.
    pub fn add(&mut self, name: &str, value: Option<f64>, unit: Unit) {
        if let Some(metric) = value.and_then(|value| metric(name, value, unit)) {
            self.metrics.push(metric);
        }
    }

    /// Adds a latency where there is one, in milliseconds whatever the tool's unit.
    pub fn add_latency(&mut self, name: &str, value: Option<f64>, unit: Unit) {
        self.metrics.extend(value.and_then(|value| in_milliseconds(name, value, unit)));
    }

    /// Adds a percentile of the latency where there is one, by its number (`95`, `99.9`); the first of each stands.
    pub fn add_percentile(&mut self, number: &str, value: Option<f64>, unit: Unit) {
        let Some((name, order)) = percentile(number).zip(number.trim().parse().ok().and_then(finite)) else {
            return;
        };
        let known = self.percentiles.iter().any(|(_, metric)| metric.name == name);
        if let Some(metric) = value.filter(|_| !known).and_then(|value| in_milliseconds(&name, value, unit)) {
            self.percentiles.push((order, metric));
        }
    }

    /// Adds the share of requests that failed. `stated` is the share as the file has it, which must be the same.
    pub fn add_error_rate(&mut self, failed: Ratio, stated: Option<f64>, place: &str) -> Result<(), String> {
        let Some(share) = failed.share().filter(|_| failed.numerator <= failed.denominator) else {
            return Err(format!(
                "{place}: {} of {} requests failed, which cannot be; export the summary again",
                failed.numerator, failed.denominator
            ));
        };
        if stated.is_some_and(|stated| (stated - share).abs() > 1e-6) {
            return Err(format!(
                "{place}: {} of {} requests failed, and the share beside it says otherwise; export the summary again",
                failed.numerator, failed.denominator
            ));
        }
        let metric = metric(ERROR_RATE, share, Unit::Ratio).map(|metric| LoadMetric { ratio: Some(failed), ..metric });
        self.metrics.extend(metric);
        Ok(())
    }

    /// Whether a latency was found.
    pub fn has_latency(&self) -> bool {
        !self.percentiles.is_empty() || self.metrics.iter().any(|metric| metric.unit == Unit::Milliseconds)
    }

    /// All figures, the percentiles first and in order, and a note on those that are missing. `mend` tells how to have
    /// the tool write them.
    pub fn finish(mut self, mend: &str) -> (Vec<LoadMetric>, Vec<String>) {
        self.percentiles.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal));
        let mut metrics: Vec<LoadMetric> = self.percentiles.into_iter().map(|(_, metric)| metric).collect();
        let missing: Vec<&str> =
            WANTED.into_iter().filter(|name| !metrics.iter().any(|metric| metric.name == *name)).collect();
        if !missing.is_empty() {
            self.notes.push(format!("Missing: {}. {mend}", missing.join(", ")));
        }
        metrics.extend(self.metrics);
        (metrics, self.notes)
    }
}

fn finite(value: f64) -> Option<Number> {
    Number::try_from(value).ok()
}

fn metric(name: &str, value: f64, unit: Unit) -> Option<LoadMetric> {
    Some(LoadMetric { name: name.to_owned(), value: finite(value)?, unit, ratio: None })
}

fn in_milliseconds(name: &str, value: f64, unit: Unit) -> Option<LoadMetric> {
    let quantity = Quantity { value: finite(value)?, unit }.converted(Unit::Milliseconds)?;
    metric(name, quantity.value.get(), quantity.unit)
}
