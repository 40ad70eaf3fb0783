//! Recording plain values, computing them anew, and taking one away.

use std::collections::BTreeMap;

use domain::evidence::EvidenceKind;
use domain::import::{ImportKind, ImportedFile};
use domain::signal::{Point, PrometheusRead};
use domain::wire::imports::ImportRemoval;
use domain::wire::signals::{SignalRead, SignalsReport};
use domain::{EvidenceNumber, ImportId, IncidentId, SignalId};
use serde_json::json;

use super::super::column::{count, text, to_json, whole};
use super::super::db::{Tx, db};
use super::super::history::{Change, append, bump};
use super::super::id::new_id;
use super::super::{AddedEvidence, By, Store, StoreError, evidence, files};
use super::points::{CHUNK, packed};
use super::{
    FORGET_IMPORT, INSERT_CHUNK, INSERT_IMPORT, INSERT_SIGNAL, LEFT, NAMED, PLACES, REMOVE_SIGNAL, ValueImport, imports,
};

/// One signal that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct NewValueSignal {
    /// What the value is, for people.
    pub title: String,
    /// What one of it is.
    pub unit: String,
    /// The labels of a Prometheus series.
    pub labels: BTreeMap<String, String>,
    /// Its points, in order of time, no two at one instant.
    pub points: Vec<Point>,
}

/// A file of values, or an answer of a Prometheus server, that was read.
#[derive(Debug, Clone)]
pub struct NewValueImport<'a> {
    /// What its evidence is called.
    pub title: &'a str,
    /// How it was read, spelled the same whenever it is the same.
    pub options: &'a str,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: &'a str,
    /// Where its bytes are kept.
    pub object_key: &'a str,
    /// What a Prometheus server was asked.
    pub prometheus: Option<&'a PrometheusRead>,
    /// What was read of it.
    pub report: &'a SignalsReport,
}

/// What became of values that were to be recorded.
#[derive(Debug, Clone, PartialEq)]
pub enum AddedValues {
    /// They were recorded; the report names their evidence.
    Done(SignalsReport),
    /// The same bytes had been imported in the same way: nothing was changed. The report of then.
    Known(SignalsReport),
}

impl Store {
    /// Records what was read of a file or an answer, as evidence: in the place of the same bytes read in another way, if
    /// they were imported before.
    pub async fn add_values(
        &self,
        incident: &IncidentId,
        new: &NewValueImport<'_>,
        signals: &[NewValueSignal],
        by: By<'_>,
    ) -> Result<AddedValues, StoreError> {
        let mut tx = self.db.begin_write().await?;
        if !bump(&mut tx, incident, by.now).await? {
            return Err(StoreError::NoIncident(incident.clone()));
        }
        let before = imports(&mut tx, incident).await?.into_iter().find(|import| import.sha256 == new.sha256);
        let mut places = Vec::new();
        if let Some(before) = &before {
            places = db!(tx &mut tx, PLACES, [before.id.as_str()], fetch_all as (String, i64))?;
            let is_whole = places.len() == before.report.signals.len();
            if before.options == new.options && is_whole {
                tx.rollback().await?;
                return Ok(AddedValues::Known(before.report.clone()));
            }
            db!(tx &mut tx, FORGET_IMPORT, [before.id.as_str()], execute)?;
        }
        let number = match &before {
            Some(before) if evidence::is_there(&mut tx, incident, before.evidence).await? => before.evidence,
            _ => {
                let source = AddedEvidence {
                    title: Some(new.title),
                    kind: EvidenceKind::Metric,
                    link: None,
                    captured_at: Some(by.now),
                };
                evidence::insert(&mut tx, incident, &source, by).await?.number
            }
        };
        let report = SignalsReport { evidence: Some(number), replaced: before.is_some(), ..new.report.clone() };
        let (id, told) = (new_id("import_"), to_json(&report)?);
        let asked = new.prometheus.map(to_json).transpose()?;
        db!(tx &mut tx, INSERT_IMPORT, [
            id.as_str(), incident.as_str(), whole(number), text(&report.file_name), new.sha256, text(new.options),
            asked.as_deref(), new.object_key, by.now.timestamp_millis(), told.as_str()
        ], execute)?;
        for (position, signal) in (0..).zip(signals) {
            // What was known before keeps its id, since a claim may name it.
            let known = before.as_ref().and_then(|before| {
                let is_same = |place: i64| is_same(&before.report, place, &report, position);
                places.iter().find(|(_, place)| is_same(*place)).map(|(id, _)| id.clone())
            });
            let signal_id = known.unwrap_or_else(|| new_id("sig_"));
            insert(&mut tx, (incident, &id), (&signal_id, position), signal).await?;
        }
        let named: Vec<String> = report.signals.iter().map(SignalRead::named).collect();
        let after = json!({"title": new.title, "signals": named, "sha256": new.sha256, "evidence": number});
        let change = Change {
            subject: "signal",
            subject_id: &id,
            actor: by.actor,
            before: None,
            after: Some(after.to_string()),
        };
        append(&mut tx, incident, change, by.now).await?;
        tx.commit().await?;
        Ok(AddedValues::Done(report))
    }

    /// Puts what was read of a file again in the place of its points. Signals that were taken away stay away. False where
    /// the file's import is no longer the one that was read.
    pub async fn replace_values(
        &self,
        incident: &IncidentId,
        import: &ValueImport,
        signals: &[NewValueSignal],
        by: By<'_>,
    ) -> Result<bool, StoreError> {
        let mut tx = self.db.begin_write().await?;
        bump(&mut tx, incident, by.now).await?;
        if !imports(&mut tx, incident).await?.iter().any(|known| known.id == import.id) {
            tx.rollback().await?;
            return Ok(false);
        }
        let places = db!(tx &mut tx, PLACES, [import.id.as_str()], fetch_all as (String, i64))?;
        for (id, position) in places {
            let Some(signal) = usize::try_from(position).ok().and_then(|position| signals.get(position)) else {
                continue;
            };
            db!(tx &mut tx, REMOVE_SIGNAL, [id.as_str()], execute)?;
            insert(&mut tx, (incident, &import.id), (&id, position), signal).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Takes a value away. With the last one of a file, its import is forgotten, and so is what is kept of its bytes; its
    /// evidence is removed unless a proof rests on it. False where the incident has no such value.
    pub async fn remove_value(&self, incident: &IncidentId, signal: &SignalId, by: By<'_>) -> Result<bool, StoreError> {
        let mut tx = self.db.begin_write().await?;
        bump(&mut tx, incident, by.now).await?;
        let found = db!(tx &mut tx, NAMED, [
            incident.as_str(), text(signal.as_str())
        ], fetch_optional as (String, String, i64, String, String, String))?;
        let Some((title, import, number, file_name, sha256, object_key)) = found else {
            tx.rollback().await?;
            return Ok(false);
        };
        db!(tx &mut tx, REMOVE_SIGNAL, [signal.as_str()], execute)?;
        let before = json!({"title": title, "file_name": file_name, "sha256": sha256, "evidence": number});
        let change = Change {
            subject: "signal",
            subject_id: signal.as_str(),
            actor: by.actor,
            before: Some(before.to_string()),
            after: None,
        };
        append(&mut tx, incident, change, by.now).await?;
        let (remaining,) = db!(tx &mut tx, LEFT, [import.as_str()], fetch_one as (i64,))?;
        if remaining == 0 {
            forget(&mut tx, incident, (&import, &object_key, count(number)?), by).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Takes an import of values back with every value that is left of it, as taking away the last of them does. None where
    /// the incident has no such import.
    pub async fn remove_value_import(
        &self,
        incident: &IncidentId,
        id: &ImportId,
        by: By<'_>,
    ) -> Result<Option<ImportRemoval>, StoreError> {
        let mut tx = self.db.begin_write().await?;
        bump(&mut tx, incident, by.now).await?;
        let Some(import) = imports(&mut tx, incident).await?.into_iter().find(|import| import.id == id.as_str()) else {
            tx.rollback().await?;
            return Ok(None);
        };
        let places = db!(tx &mut tx, PLACES, [import.id.as_str()], fetch_all as (String, i64))?;
        let read = |position: i64| import.report.signals.get(usize::try_from(position).ok()?);
        let named: Vec<String> =
            places.iter().filter_map(|(_, position)| read(*position)).map(SignalRead::named).collect();
        let before = json!({
            "file_name": import.file_name, "signals": named, "sha256": import.sha256, "evidence": import.evidence
        });
        let change = Change {
            subject: "signal",
            subject_id: &import.id,
            actor: by.actor,
            before: Some(before.to_string()),
            after: None,
        };
        append(&mut tx, incident, change, by.now).await?;
        forget(&mut tx, incident, (&import.id, &import.object_key, import.evidence), by).await?;
        tx.commit().await?;
        let kind = if import.prometheus.is_some() { ImportKind::Prometheus } else { ImportKind::Values };
        let ValueImport { file_name, sha256, imported_at, .. } = import;
        let file = ImportedFile { id: id.clone(), kind, file_name, sha256, imported_at };
        Ok(Some(ImportRemoval { file, forgotten: places.len() as u64 }))
    }
}

/// Whether a signal of one reading of some bytes is that signal of another: of a file its column tells, since other columns
/// may be read; an answer has the same series in the same order.
fn is_same(before: &SignalsReport, place: i64, now: &SignalsReport, position: i64) -> bool {
    let column = |report: &SignalsReport, at: i64| report.mapping.values.get(usize::try_from(at).ok()?).cloned();
    match (column(before, place), column(now, position)) {
        (Some(before), Some(now)) => before == now,
        _ => place == position,
    }
}

/// Forgets an import of values, what is kept of its bytes, and its evidence, unless a proof rests on that.
async fn forget(
    tx: &mut Tx,
    incident: &IncidentId,
    (import, object_key, evidence): (&str, &str, EvidenceNumber),
    by: By<'_>,
) -> Result<(), StoreError> {
    db!(tx &mut *tx, FORGET_IMPORT, [import], execute)?;
    files::forget(tx, object_key, by.now).await?;
    evidence::remove_unless_it_proves(tx, incident, evidence, by).await
}

async fn insert(
    tx: &mut Tx,
    (incident, import): (&IncidentId, &str),
    (id, position): (&str, i64),
    signal: &NewValueSignal,
) -> Result<(), StoreError> {
    let points = &signal.points;
    let from = points.first().map(|point| point.at.timestamp_millis());
    let until = points.last().map(|point| point.at.timestamp_millis() + 1);
    let gaps = points.iter().filter(|point| point.value.is_none()).count();
    db!(tx tx, INSERT_SIGNAL, [
        id, incident.as_str(), import, position, text(&signal.title), text(&signal.unit),
        to_json(&signal.labels)?, from, until, whole(points.len()), whole(gaps)
    ], execute)?;
    for chunk in points.chunks(CHUNK) {
        let first = chunk.first().map(|point| point.at.timestamp_millis());
        db!(tx tx, INSERT_CHUNK, [id, first, packed(chunk)], execute)?;
    }
    Ok(())
}
