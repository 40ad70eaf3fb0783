//! Plain values over time: from a CSV file of them, or from what a Prometheus server answered.
//!
//! The file, or the answer, is kept as it came; the points follow from it and can be read from it again.

mod csv;
mod matrix;
mod series;
#[cfg(test)]
mod tests;

use std::io::Read;

use domain::IncidentId;
use domain::incident::Window;
use domain::signal::{PrometheusRead, thin};
use domain::wire::imports::Refused;
use domain::wire::signals::{PrometheusQuery, SignalsReport, ValueMapping};
use sha2::{Digest as _, Sha256};

use super::{ImportError, incoming, shown_name};
use crate::digest::hex;
use crate::store::{AddedValues, By, NewValueImport, NewValueSignal, Objects, Store, StoredObject, ValueImport};

/// How many pixels a preview's picture is thinned for.
const PICTURE: u32 = 120;

/// What was read.
#[derive(Debug, PartialEq)]
struct Parsed {
    report: SignalsReport,
    signals: Vec<NewValueSignal>,
}

impl Parsed {
    /// The report with a picture of each signal.
    fn pictured(self) -> SignalsReport {
        let mut report = self.report;
        for (read, signal) in report.signals.iter_mut().zip(&self.signals) {
            if let Some(Window { from, until }) = read.span {
                read.points = thin(&signal.points, Window { from, until }, PICTURE);
            }
        }
        report
    }
}

/// Imports a CSV file whose bytes come little by little, and keeps it as it came. `source` is read on a thread that may
/// wait.
pub async fn import_csv(
    store: &Store,
    objects: &Objects,
    incident: &IncidentId,
    source: impl Read + Send + 'static,
    (file_name, mapping): (&str, &ValueMapping),
    by: By<'_>,
) -> Result<SignalsReport, ImportError> {
    let (name, asked) = (shown_name(file_name, "values"), mapping.clone());
    let title = name.clone();
    let (parsed, kept) = incoming::keep(objects, source, move |file| csv::read(file, &asked, &name)).await?;
    let options = written(&parsed.report.mapping)?;
    record(store, incident, parsed, (&title, &options), &kept, by).await
}

/// What a CSV file looks like, told from its head: `head` may end anywhere.
pub fn preview_csv(head: &[u8], file_name: &str, mapping: &ValueMapping) -> Result<SignalsReport, ImportError> {
    Ok(csv::preview(head, mapping, &shown_name(file_name, "values"))?.pictured())
}

/// Imports what a Prometheus server answered to a question, and keeps it as it came.
pub async fn import_answer(
    store: &Store,
    objects: &Objects,
    incident: &IncidentId,
    answer: Vec<u8>,
    query: &PrometheusQuery,
    by: By<'_>,
) -> Result<SignalsReport, ImportError> {
    let (asked, name) = (query.clone(), answer_name(query));
    let read = move || (matrix::read(&answer, &asked, &name), answer);
    let (parsed, answer) = tokio::task::spawn_blocking(read).await?;
    let parsed = parsed?;
    let kept = objects.put(&answer).await?;
    let title = shown_name(&format!("Prometheus: {}", query.query), "Prometheus");
    record(store, incident, parsed, (&title, &written(query)?), &kept, by).await
}

/// What an answer holds, with a picture of it; stores nothing.
pub fn preview_answer(answer: &[u8], query: &PrometheusQuery) -> Result<SignalsReport, ImportError> {
    let parsed = match matrix::read(answer, query, &answer_name(query)) {
        Ok(parsed) => parsed,
        Err(ImportError::Refused(reason)) => {
            let report = SignalsReport {
                shape: "Prometheus".to_owned(),
                prometheus: Some(asked(query)),
                trouble: Some(reason),
                ..empty_report(&answer_name(query))
            };
            Parsed { report, signals: Vec::new() }
        }
        Err(other) => return Err(other),
    };
    let mut report = parsed.pictured();
    report.sha256 = Some(hex(&Sha256::digest(answer)));
    Ok(report)
}

/// Reads the points of every file and answer again, from what is kept; how many that were.
pub async fn recompute(
    store: &Store,
    objects: &Objects,
    incident: &IncidentId,
    by: By<'_>,
) -> Result<usize, ImportError> {
    let mut count = 0;
    for import in store.list_value_imports(incident).await? {
        let bytes = objects.get(&import.object_key).await?;
        let known = import.clone();
        let parsed = tokio::task::spawn_blocking(move || read_again(&bytes, &known)).await?;
        let parsed = parsed.map_err(|error| error.of(&import.file_name))?;
        count += usize::from(store.replace_values(incident, &import, &parsed.signals, by).await?);
    }
    Ok(count)
}

/// Reads what was imported in the very way in which it was read then.
fn read_again(bytes: &[u8], import: &ValueImport) -> Result<Parsed, ImportError> {
    let unreadable = |error: serde_json::Error| ImportError::Refused(format!("{}: {error}", import.file_name));
    if import.prometheus.is_some() {
        let query: PrometheusQuery = serde_json::from_str(&import.options).map_err(unreadable)?;
        return matrix::read(bytes, &query, &import.file_name);
    }
    let mapping: ValueMapping = serde_json::from_str(&import.options).map_err(unreadable)?;
    csv::read(bytes, &mapping, &import.file_name)
}

async fn record(
    store: &Store,
    incident: &IncidentId,
    parsed: Parsed,
    (title, options): (&str, &str),
    kept: &StoredObject,
    by: By<'_>,
) -> Result<SignalsReport, ImportError> {
    let report = SignalsReport { sha256: Some(kept.sha256.clone()), ..parsed.report };
    let new = NewValueImport {
        title,
        options,
        sha256: &kept.sha256,
        object_key: &kept.key,
        prometheus: report.prometheus.as_ref(),
        report: &report,
    };
    match store.add_values(incident, &new, &parsed.signals, by).await? {
        AddedValues::Done(report) => Ok(report),
        AddedValues::Known(report) => Ok(SignalsReport { already_imported: true, replaced: false, ..report }),
    }
}

/// A question as an answer to it is recorded, without what the server says.
fn asked(query: &PrometheusQuery) -> PrometheusRead {
    PrometheusRead {
        server: Some(query.server.clone()),
        query: query.query.trim().to_owned(),
        from: query.from,
        until: query.until,
        step_seconds: query.step_seconds,
        warnings: Vec::new(),
    }
}

/// What an answer is called among the imported files.
fn answer_name(query: &PrometheusQuery) -> String {
    shown_name(&format!("prometheus-{}.json", query.server), "prometheus.json")
}

fn written<T: serde::Serialize>(options: &T) -> Result<String, ImportError> {
    serde_json::to_string(options).map_err(|error| ImportError::Refused(error.to_string()))
}

fn empty_report(file_name: &str) -> SignalsReport {
    SignalsReport {
        file_name: file_name.to_owned(),
        sha256: None,
        shape: String::new(),
        columns: Vec::new(),
        mapping: ValueMapping::default(),
        passed_over: Vec::new(),
        trouble: None,
        rows_read: 0,
        repeated: 0,
        refused: Refused::default(),
        signals: Vec::new(),
        prometheus: None,
        evidence: None,
        already_imported: false,
        replaced: false,
    }
}
