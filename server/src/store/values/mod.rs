//! Plain values over time: what was read of them, and the points of a stretch.

mod points;
mod write;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::incident::Window;
use domain::signal::{Point, PrometheusRead, Stretch, ValueSignal, ValueSource, thin};
use domain::wire::signals::SignalsReport;
use domain::{EvidenceNumber, IncidentId, SignalId};

use super::column::{count, from_json, maybe_time, text, time};
use super::db::{Tx, db, statements};
use super::{Store, StoreError};

pub use write::{AddedValues, NewValueImport, NewValueSignal};

statements! {
    IMPORTS = "SELECT id, evidence, file_name, sha256, options, prometheus, object_key, imported_at, report
        FROM value_imports WHERE incident_id = $1 ORDER BY seq";
    OF_INCIDENT = "SELECT s.id, s.title, s.unit, s.labels, s.span_from, s.span_until, s.points, s.gaps, i.evidence,
            i.file_name, i.sha256, i.prometheus, i.imported_at
        FROM value_signals s JOIN value_imports i ON i.id = s.import_id
        WHERE s.incident_id = $1 ORDER BY i.seq, s.position";
    ONE = "SELECT id FROM value_signals WHERE incident_id = $1 AND id = $2";
    /// The rows that hold a stretch's points, the point before it and the point after it.
    CHUNKS = "SELECT points FROM value_chunks WHERE signal_id = $1
            AND first_at >= COALESCE(
                (SELECT MAX(b.first_at) FROM value_chunks b WHERE b.signal_id = $1 AND b.first_at < $2), $2)
            AND first_at <= COALESCE(
                (SELECT MIN(a.first_at) FROM value_chunks a WHERE a.signal_id = $1 AND a.first_at >= $3), $3)
        ORDER BY first_at";
    INSERT_IMPORT = "INSERT INTO value_imports
            (id, incident_id, evidence, file_name, sha256, options, prometheus, object_key, imported_at, report)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    FORGET_IMPORT = "DELETE FROM value_imports WHERE id = $1";
    PLACES = "SELECT id, position FROM value_signals WHERE import_id = $1 ORDER BY position";
    INSERT_SIGNAL = "INSERT INTO value_signals
            (id, incident_id, import_id, position, title, unit, labels, span_from, span_until, points, gaps)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    REMOVE_SIGNAL = "DELETE FROM value_signals WHERE id = $1";
    NAMED = "SELECT s.title, s.import_id, i.evidence, i.file_name, i.sha256, i.object_key
        FROM value_signals s JOIN value_imports i ON i.id = s.import_id WHERE s.incident_id = $1 AND s.id = $2";
    LEFT = "SELECT COUNT(*) AS remaining FROM value_signals WHERE import_id = $1";
    INSERT_CHUNK = "INSERT INTO value_chunks (signal_id, first_at, points) VALUES ($1, $2, $3)";
}

/// A file of values, or an answer of a Prometheus server, that was imported.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueImport {
    /// Its id.
    pub id: String,
    /// The number of its evidence.
    pub evidence: EvidenceNumber,
    /// The file's name.
    pub file_name: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// How it was read: the same words whenever it is the same.
    pub options: String,
    /// What a Prometheus server was asked.
    pub prometheus: Option<PrometheusRead>,
    /// Where its bytes are kept.
    pub object_key: String,
    /// When it was read.
    pub imported_at: DateTime<Utc>,
    /// What was read of it.
    pub report: SignalsReport,
}

#[derive(sqlx::FromRow)]
struct ImportRow {
    id: String,
    evidence: i64,
    file_name: String,
    sha256: String,
    options: String,
    prometheus: Option<String>,
    object_key: String,
    imported_at: i64,
    report: String,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    title: String,
    unit: String,
    labels: String,
    span_from: Option<i64>,
    span_until: Option<i64>,
    points: i64,
    gaps: i64,
    evidence: i64,
    file_name: String,
    sha256: String,
    prometheus: Option<String>,
    imported_at: i64,
}

impl Store {
    /// The files and answers that an incident's values were read from, in the order of their import.
    pub async fn list_value_imports(&self, incident: &IncidentId) -> Result<Vec<ValueImport>, StoreError> {
        let rows = db!(read & self.db, IMPORTS, [incident.as_str()], fetch_all as ImportRow)?;
        rows.into_iter().map(import).collect()
    }

    /// The incident's plain values with the points of the stretch, thinned to what it is shown on.
    pub async fn values(&self, incident: &IncidentId, stretch: Stretch) -> Result<Vec<ValueSignal>, StoreError> {
        let mut tx = self.db.begin_read().await?;
        let values = of_incident(&mut tx, incident, |span| stretch.view(span), stretch.width).await?;
        tx.rollback().await?;
        Ok(values)
    }

    /// Every point of one of the incident's values from an instant on and before another; none where the incident has no
    /// such value.
    pub async fn value_points(
        &self,
        incident: &IncidentId,
        signal: &SignalId,
        window: Window,
    ) -> Result<Option<Vec<Point>>, StoreError> {
        let mut tx = self.db.begin_read().await?;
        let found = db!(tx &mut tx, ONE, [incident.as_str(), text(signal.as_str())], fetch_optional as (String,))?;
        let points = match found {
            None => None,
            Some((id,)) => {
                let mut points = around(&mut tx, &id, Some(window)).await?;
                points.retain(|point| window.from <= point.at && point.at < window.until);
                Some(points)
            }
        };
        tx.rollback().await?;
        Ok(points)
    }
}

/// The incident's plain values, each with the points of the view that `view` chooses for its span; all where it chooses
/// none.
pub(super) async fn of_incident(
    tx: &mut Tx,
    incident: &IncidentId,
    view: impl Fn(Option<Window>) -> Option<Window> + Send,
    width: Option<u32>,
) -> Result<Vec<ValueSignal>, StoreError> {
    let rows = db!(tx tx, OF_INCIDENT, [incident.as_str()], fetch_all as Row)?;
    let mut signals = Vec::with_capacity(rows.len());
    for row in rows {
        let span = match (maybe_time(row.span_from)?, maybe_time(row.span_until)?) {
            (Some(from), Some(until)) => Some(Window { from, until }),
            _ => None,
        };
        let chosen = view(span);
        let all = around(tx, &row.id, chosen).await?;
        let points = match (width, chosen.or(span)) {
            (Some(width), Some(view)) => thin(&all, view, width),
            _ => all.clone(),
        };
        let labels: BTreeMap<String, String> = from_json(&row.labels)?;
        signals.push(ValueSignal {
            id: SignalId::new(row.id),
            title: row.title,
            unit: row.unit,
            labels,
            source: ValueSource {
                file_name: row.file_name,
                sha256: row.sha256,
                imported_at: time(row.imported_at)?,
                evidence: count(row.evidence)?,
                prometheus: row.prometheus.as_deref().map(from_json).transpose()?,
            },
            span,
            count: count(row.points)?,
            gaps: count(row.gaps)?,
            thinned: points.len() < all.len(),
            points,
        });
    }
    Ok(signals)
}

/// The points of a stretch in order of time, with the one before it and the one after it; all where there is none.
async fn around(tx: &mut Tx, signal: &str, view: Option<Window>) -> Result<Vec<Point>, StoreError> {
    let (from, until) =
        view.map_or((i64::MIN, i64::MAX), |view| (view.from.timestamp_millis(), view.until.timestamp_millis()));
    let rows = db!(tx tx, CHUNKS, [signal, from, until], fetch_all as (Vec<u8>,))?;
    let mut points = Vec::new();
    for (packed,) in rows {
        points::unpack(&packed, &mut points)?;
    }
    let first = points.partition_point(|point| point.at.timestamp_millis() < from).saturating_sub(1);
    let end = points.partition_point(|point| point.at.timestamp_millis() < until);
    points.truncate(end.saturating_add(1));
    points.drain(..first);
    Ok(points)
}

/// The imports of an incident, as a transaction sees them.
async fn imports(tx: &mut Tx, incident: &IncidentId) -> Result<Vec<ValueImport>, StoreError> {
    let rows = db!(tx tx, IMPORTS, [incident.as_str()], fetch_all as ImportRow)?;
    rows.into_iter().map(import).collect()
}

fn import(row: ImportRow) -> Result<ValueImport, StoreError> {
    Ok(ValueImport {
        id: row.id,
        evidence: count(row.evidence)?,
        file_name: row.file_name,
        sha256: row.sha256,
        options: row.options,
        prometheus: row.prometheus.as_deref().map(from_json).transpose()?,
        object_key: row.object_key,
        imported_at: time(row.imported_at)?,
        report: from_json(&row.report)?,
    })
}
