//! k6: all three shapes of its summary. Durations are milliseconds in each.
//!
//! | shape | p95 of the requests | share that failed |
//! |---|---|---|
//! | `--summary-export` | `metrics.http_req_duration["p(95)"]` | `metrics.http_req_failed.value` |
//! | what `handleSummary` is given | `metrics.http_req_duration.values["p(95)"]` | `….values.rate` |
//! | `--new-machine-readable-summary` | `results.metrics[…].values.p95`, or `p(95)` | `….values.rate` |
//!
//! `http_req_failed` is true where a request failed, so its `passes` (and its `matches`) count failures. In the first
//! shape a threshold that is `true` has failed; in the second its `ok` is false.

use domain::load_test::{ERROR_RATE, LoadTest, LoadTestTool, MAX, MEAN, MIN, REQUEST_RATE, REQUESTS};
use domain::quantity::Unit;
use domain::signal::Ratio;

use super::figures::Figures;
use super::json::Field;
use super::short;

/// The most failed thresholds that are noted.
const NOTED: usize = 20;

/// A shape of the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// `--summary-export`.
    Export,
    /// What `handleSummary` is given.
    Handled,
    /// `--new-machine-readable-summary`.
    MachineReadable,
}

/// Reads a summary of any shape.
pub(super) fn read(root: &Field<'_>) -> Result<LoadTest, String> {
    let (shape, metrics) = shape(root);
    let values = |name: &str| {
        let metric = metrics.named(name);
        if shape == Shape::Export { metric } else { metric.get("values") }
    };
    let (duration, failed, sent) = (values("http_req_duration"), values("http_req_failed"), values("http_reqs"));
    if !duration.is_there() && !failed.is_there() {
        return Err(format!(
            "{}, {}: missing, so the script sent no HTTP request or left them out of its summary; bring what \
             `k6 run --summary-export=FILE` writes",
            duration.path(),
            failed.path()
        ));
    }
    let count = sent.get("count").count()?;
    if count == Some(0) {
        return Err(format!("{}.count: no request was sent, which proves nothing; run the test again", sent.path()));
    }
    let contains = metrics.named("http_req_duration").get("contains");
    if let Some(other) = contains.text().filter(|what| *what != "time") {
        return Err(format!(
            "{}: ‘{}’, not ‘time’, so the unit of the durations is not known; give the script's own metric another name",
            contains.path(),
            short(other)
        ));
    }
    let mut figures = Figures::default();
    for (key, value) in duration.entries() {
        if let Some(number) = percentile_number(key) {
            figures.add_percentile(number, value.number()?, Unit::Milliseconds);
        }
    }
    figures.add_percentile("50", duration.get("med").number()?, Unit::Milliseconds);
    for (key, name) in [("avg", MEAN), ("min", MIN), ("max", MAX)] {
        figures.add_latency(name, duration.get(key).number()?, Unit::Milliseconds);
    }
    add_error_rate(&mut figures, &failed, shape)?;
    figures.add(REQUESTS, sent.get("count").number()?, Unit::Count);
    let rate = match (sent.get("rate").number()?, root.get("config").get("duration").number()?) {
        (Some(rate), _) => Some(rate),
        // The newest shape has the count alone, and the run's length in seconds.
        (None, Some(seconds)) if shape == Shape::MachineReadable && seconds > 0.0 => {
            sent.get("count").number()?.map(|count| count / seconds)
        }
        _ => None,
    };
    figures.add(REQUEST_RATE, rate, Unit::PerSecond);
    note_thresholds(&mut figures, &metrics, shape);
    if !figures.has_latency() {
        figures.notes.push("Missing: http_req_duration, and with it every latency.".to_owned());
    }
    let (metrics, notes) = figures.finish(match shape {
        Shape::MachineReadable => {
            "This shape of k6's summary never holds them; `--summary-export` without \
                                   `--new-machine-readable-summary` does, for the columns of `--summary-trend-stats`."
        }
        _ => "k6 writes the columns that `--summary-trend-stats` names, such as `med,p(90),p(95),p(99)`.",
    });
    let metadata = root.get("metadata");
    let either = |one: &str, other: &str| metadata.get(one).text().or_else(|| metadata.get(other).text());
    Ok(LoadTest {
        tool: LoadTestTool::K6,
        version: either("k6_version", "k6Version").map(short),
        captured_at: either("generated_at", "generatedAt").and_then(|at| at.parse().ok()),
        metrics,
        percentile_basis: "All HTTP requests, failed ones included, from sending to the last byte; waiting for a \
                           connection is left out."
            .to_owned(),
        error_basis: "What the script counts as failed; without a word from it, a status other than 200 to 399, or no \
                      response."
            .to_owned(),
        notes,
    })
}

/// The shape, and where its metrics are.
fn shape<'a>(root: &Field<'a>) -> (Shape, Field<'a>) {
    let newest = root.get("results").get("metrics");
    if newest.is_there() {
        return (Shape::MachineReadable, newest);
    }
    let metrics = root.get("metrics");
    let handled = metrics.entries().any(|(_, metric)| metric.get("values").is_there());
    (if handled { Shape::Handled } else { Shape::Export }, metrics)
}

/// The number of a percentile: of `p(99.9)`, or `p95`.
fn percentile_number(key: &str) -> Option<&str> {
    let rest = key.strip_prefix('p')?;
    match rest.strip_prefix('(') {
        Some(inner) => inner.strip_suffix(')'),
        None => rest.starts_with(|first: char| first.is_ascii_digit()).then_some(rest),
    }
}

fn add_error_rate(figures: &mut Figures, failed: &Field<'_>, shape: Shape) -> Result<(), String> {
    let stated = failed.get(if shape == Shape::Export { "value" } else { "rate" }).number()?;
    let (numerator, denominator) = if shape == Shape::MachineReadable {
        (failed.get("matches").count()?, failed.get("total").count()?)
    } else {
        let (passes, fails) = (failed.get("passes").count()?, failed.get("fails").count()?);
        (passes, passes.zip(fails).map(|(passes, fails)| passes.saturating_add(fails)))
    };
    match (numerator, denominator, stated) {
        (Some(numerator), Some(denominator), _) => {
            figures.add_error_rate(Ratio { numerator, denominator }, stated, failed.path())
        }
        (_, _, Some(rate)) if rate <= 1.0 => {
            figures.add(ERROR_RATE, Some(rate), Unit::Ratio);
            figures.notes.push("The error rate is stated without the counts that it was made from.".to_owned());
            Ok(())
        }
        (_, _, Some(rate)) => Err(format!("{}: a share of {rate} is above 1; export the summary again", failed.path())),
        (_, _, None) => {
            figures.notes.push("Missing: http_req_failed, and with it the error rate.".to_owned());
            Ok(())
        }
    }
}

/// Notes the thresholds of the script's own that failed.
fn note_thresholds(figures: &mut Figures, metrics: &Field<'_>, shape: Shape) {
    let failed = metrics.entries().flat_map(|(name, metric)| {
        let thresholds = metric.get("thresholds");
        let failed: Vec<_> = thresholds
            .entries()
            .filter(|(_, threshold)| match shape {
                Shape::Export => threshold.truth() == Some(true),
                _ => threshold.get("ok").truth() == Some(false),
            })
            .map(|(threshold, _)| format!("k6's own threshold ‘{}’ on {} failed.", short(threshold), short(name)))
            .collect();
        failed
    });
    figures.notes.extend(failed.take(NOTED));
}
