//! What a Prometheus server answers to a query over a range of time: a matrix of series.

use std::collections::BTreeMap;

use domain::wire::actions::MAX_LINE;
use domain::wire::signals::{PrometheusQuery, SignalsReport};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::super::ImportError;
use super::super::events::rows::quoted;
use super::series::{Cell, Series};
use super::{Parsed, empty_report};
use crate::store::NewValueSignal;

/// The most series that are taken.
const MOST_SERIES: usize = 100;

/// The most warnings that are kept.
const MOST_WARNINGS: usize = 20;

/// The label that holds a metric's name.
const NAME: &str = "__name__";

#[derive(Deserialize)]
struct Answer {
    status: String,
    data: Option<Data>,
    #[serde(default)]
    warnings: Vec<String>,
    #[serde(default)]
    infos: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    result_type: String,
    #[serde(default)]
    result: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    #[serde(default)]
    metric: BTreeMap<String, String>,
    #[serde(default)]
    values: Vec<(f64, String)>,
    #[serde(default)]
    histograms: Vec<IgnoredAny>,
}

/// Reads an answer to this question.
pub(super) fn read(answer: &[u8], query: &PrometheusQuery, file_name: &str) -> Result<Parsed, ImportError> {
    let refused = |reason: String| Err(ImportError::Refused(reason));
    let answer: Answer = match serde_json::from_slice(answer) {
        Ok(answer) => answer,
        Err(error) => {
            return refused(format!("the answer is none that Prometheus gives to a query over time ({error})"));
        }
    };
    let Some(data) = answer.data.filter(|_| answer.status == "success") else {
        return refused("the answer says that the query failed".to_owned());
    };
    if data.result_type != "matrix" {
        return refused(format!("the answer is a {}, and not series over time", data.result_type));
    }
    if data.result.iter().any(|found| !found.histograms.is_empty()) {
        return refused(
            "the query answers native histograms, which are no plain values; take a number of them, such as \
             histogram_quantile(0.95, …) or histogram_count(…)"
                .to_owned(),
        );
    }
    if data.result.iter().all(|found| found.values.is_empty()) {
        return refused(
            "the query answers no series in that time; check the metric’s name and labels, and the time".to_owned(),
        );
    }
    if data.result.len() > MOST_SERIES {
        return refused(format!(
            "the query answers {} series; at most {MOST_SERIES} are taken, so narrow it by labels or sum by fewer of them",
            data.result.len()
        ));
    }
    let mut signals = Vec::with_capacity(data.result.len());
    let mut reads = Vec::with_capacity(data.result.len());
    for found in data.result {
        let (signal, read) = series(found, query)?.finish();
        signals.push(signal);
        reads.push(read);
    }
    let mut prometheus = super::asked(query);
    let warnings = answer.warnings.into_iter().chain(answer.infos).take(MOST_WARNINGS);
    prometheus.warnings = warnings.map(|warning| warning.chars().take(MAX_LINE).collect()).collect();
    let report = SignalsReport {
        shape: "Prometheus".to_owned(),
        signals: reads,
        prometheus: Some(prometheus),
        ..empty_report(file_name)
    };
    Ok(Parsed { report, signals })
}

/// One series. Where an instant was asked for and nothing stands, there is a gap.
fn series(Found { mut metric, values, .. }: Found, query: &PrometheusQuery) -> Result<Series, ImportError> {
    let name = metric.remove(NAME);
    let named = query.title.clone().filter(|title| !title.trim().is_empty()).or(name);
    let mut series = Series::new(NewValueSignal {
        title: named.unwrap_or_else(|| query.query.trim().to_owned()),
        unit: query.unit.clone().unwrap_or_default(),
        labels: metric,
        points: Vec::new(),
    });
    let step = i64::from(query.step_seconds) * 1000;
    let asked = query.from.timestamp_millis() - step..=query.until.timestamp_millis() + step;
    let mut expected: Option<i64> = None;
    for (at, text) in values {
        let (at, Some(cell)) = (millis(at), Cell::read(text.as_bytes())) else {
            let text = quoted(text.as_bytes());
            return Err(ImportError::Refused(format!("the answer holds ‘{text}’, which is no value")));
        };
        if !asked.contains(&at) {
            return Err(ImportError::Refused("the answer has values of a time that was not asked for".to_owned()));
        }
        match expected {
            Some(expected) if at < expected => {
                return Err(ImportError::Refused(
                    "the answer’s values are closer together than was asked for".to_owned(),
                ));
            }
            Some(expected) if at > expected => series.add(expected, Cell::Empty),
            _ => {}
        }
        series.add(at, cell);
        expected = Some(at + step);
    }
    if let Some(expected) = expected.filter(|at| *at <= query.until.timestamp_millis()) {
        series.add(expected, Cell::Empty);
    }
    Ok(series)
}

/// Seconds since 1970 in milliseconds.
#[expect(clippy::cast_possible_truncation, reason = "rounded, and what is out of range becomes the nearest there is")]
fn millis(seconds: f64) -> i64 {
    // Far enough for every date, and near enough that a step can be added.
    (seconds * 1000.0).round().clamp(-1e15, 1e15) as i64
}
