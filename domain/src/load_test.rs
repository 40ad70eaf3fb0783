//! Load tests: what a tool's summary says, and which of its figures answers a criterion.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::quantity::{Number, Quantity, Unit};
use crate::signal::Ratio;
use crate::words::words;

words!(
    /// The tool that wrote a load test's summary.
    LoadTestTool {
        /// Grafana k6.
        K6 = "k6", "k6";
        /// vegeta.
        Vegeta = "vegeta", "vegeta";
        /// oha.
        Oha = "oha", "oha";
        /// Locust.
        Locust = "locust", "Locust";
    }
);

/// A load test as its tool summarised it.
///
/// The names of its metrics are those of this file, whatever the tool calls them: `p50`, `p95`, `p99.9` and so on,
/// `mean`, `min`, `max`, `error rate`, `requests`,
/// `request rate`, `throughput`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LoadTest {
    /// The tool.
    pub tool: LoadTestTool,
    /// The tool's version, where the file says it.
    pub version: Option<String>,
    /// When the test ended or its summary was written, where the file says it.
    pub captured_at: Option<DateTime<Utc>>,
    /// Its figures, each name once.
    pub metrics: Vec<LoadMetric>,
    /// What the percentiles are percentiles of, and how exact they are.
    pub percentile_basis: String,
    /// What counts as an error.
    pub error_basis: String,
    /// What is missing, left out or worth knowing.
    pub notes: Vec<String>,
}

/// One figure of a load test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LoadMetric {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Number,
    /// What the value counts.
    pub unit: Unit,
    /// The parts of a ratio, where the file states them.
    pub ratio: Option<Ratio>,
}

/// The name of the mean latency.
pub const MEAN: &str = "mean";
/// The name of the smallest latency.
pub const MIN: &str = "min";
/// The name of the largest latency.
pub const MAX: &str = "max";
/// The name of the share of requests that failed.
pub const ERROR_RATE: &str = "error rate";
/// The name of the share of requests that did not fail.
pub const SUCCESS_RATE: &str = "success rate";
/// The name of the number of requests.
pub const REQUESTS: &str = "requests";
/// The name of the number of requests in a second, failed ones included.
pub const REQUEST_RATE: &str = "request rate";
/// The name of the number of requests in a second that did not fail.
pub const THROUGHPUT: &str = "throughput";

impl LoadMetric {
    /// The value with its unit.
    pub const fn quantity(&self) -> Quantity {
        Quantity { value: self.value, unit: self.unit }
    }
}

impl LoadTest {
    /// The figure of this name.
    pub fn metric(&self, name: &str) -> Option<&LoadMetric> {
        self.metrics.iter().find(|metric| metric.name == name)
    }

    /// The figure that a criterion's metric asks for ("p95", "95th percentile latency", "error rate"), if the words
    /// ask for one of a load test and nothing besides.
    ///
    /// A metric that names more ("p95 of the queue", "worker utilization when breaker opens") has none: the test may
    /// have measured something else, and a person chooses.
    pub fn answer(&self, metric: &str) -> Option<LoadMetric> {
        let name = named(metric)?;
        if name == SUCCESS_RATE {
            return self.metric(ERROR_RATE).and_then(complement);
        }
        self.metric(&name).cloned()
    }
}

/// The share of requests that did not fail, from the share that did.
fn complement(error_rate: &LoadMetric) -> Option<LoadMetric> {
    let ratio = error_rate.ratio.map(|failed| Ratio {
        numerator: failed.denominator.saturating_sub(failed.numerator),
        denominator: failed.denominator,
    });
    let share = error_rate.quantity().converted(Unit::Ratio)?.value.get();
    let value = ratio.and_then(Ratio::share).unwrap_or(1.0 - share);
    Some(LoadMetric {
        name: SUCCESS_RATE.to_owned(),
        value: Number::try_from(value).ok()?.rounded(15),
        unit: Unit::Ratio,
        ratio,
    })
}

/// The name of a percentile, from its number as a tool spells it: `95`, `99.9`, `95.0`.
pub fn percentile(number: &str) -> Option<String> {
    let number: f64 = number.trim().parse().ok()?;
    (0.0..=100.0).contains(&number).then(|| format!("p{number}"))
}

/// The figure that words ask for, if every one of them is understood.
fn named(metric: &str) -> Option<String> {
    /// Words that say no more than that it is about the requests' latency.
    const LATENCY: &[&str] = &["latency", "latencies", "response", "request", "requests", "time", "times", "duration"];
    /// Words that say nothing.
    const FILLING: &[&str] = &["of", "the", "all", "http", "for", "in"];
    let text = metric.to_lowercase();
    let words: Vec<&str> = text
        .split(|letter: char| !letter.is_alphanumeric() && letter != '.' && letter != '/')
        .filter(|word| !word.is_empty() && !FILLING.contains(word))
        .collect();
    let name = match words.as_slice() {
        ["error" | "errors" | "failure" | "failed", "rate" | "ratio" | "share" | "percentage"]
        | ["rate" | "ratio" | "share" | "percentage", "errors" | "failures"]
        | ["error" | "failure" | "failed", "request" | "requests", "rate" | "ratio" | "share"]
        | ["request" | "requests", "error" | "failure", "rate" | "ratio" | "share"]
        | ["share" | "percentage", "failed", "requests"]
        | ["errors"] => ERROR_RATE,
        ["success", "rate" | "ratio" | "share"] | ["availability"] => SUCCESS_RATE,
        ["throughput"] => THROUGHPUT,
        ["rps" | "qps" | "requests/s"] | ["request" | "requests", "rate"] | ["requests", "per" | "a", "second"] => {
            REQUEST_RATE
        }
        ["request" | "requests", "count"] | ["number" | "count", "requests"] | ["requests"] => REQUESTS,
        _ => return named_latency(&words, LATENCY),
    };
    Some(name.to_owned())
}

/// The latency that words ask for: one of them or two say which, and the rest that it is a latency.
fn named_latency(words: &[&str], latency: &[&str]) -> Option<String> {
    let mut rest: Vec<&str> = words.iter().copied().filter(|word| !latency.contains(word)).collect();
    if rest.last().is_some_and(|word| *word == "percentile") {
        rest.pop();
        // "95th percentile", "p95 percentile".
        let number = rest.last()?;
        let number = number.trim_start_matches('p').trim_end_matches(|letter: char| letter.is_ascii_lowercase());
        return (rest.len() == 1).then(|| percentile(number)).flatten();
    }
    let [which] = rest.as_slice() else {
        return None;
    };
    match *which {
        "mean" | "average" | "avg" => Some(MEAN.to_owned()),
        "max" | "maximum" | "worst" | "slowest" => Some(MAX.to_owned()),
        "min" | "minimum" | "fastest" => Some(MIN.to_owned()),
        "median" => Some("p50".to_owned()),
        // "p999" is spoken for "p99.9".
        "p999" => Some("p99.9".to_owned()),
        "p9999" => Some("p99.99".to_owned()),
        word => percentile(word.strip_prefix("tp").or_else(|| word.strip_prefix('p'))?),
    }
}
