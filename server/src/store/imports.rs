//! Imported files: what was read, when, and where it is kept.

use chrono::{DateTime, Utc};
use domain::draft::Diagnostic;
use domain::import::{ImportKind, ImportedFile};
use domain::signal::Ratio;
use domain::{ImportId, IncidentId};

use super::column::{count, from_json, text, time, to_json, word};
use super::db::{Db, Tx, db, statements};
use super::history::{Change, append, bump};
use super::id::new_id;
use super::{By, NewDeploy, NewFlagChange, NewSignal, Store, StoreError, deploys, files, flags, signals};

statements! {
    INSERT = "INSERT INTO imports
            (id, incident_id, kind, file_name, sha256, options, object_key, imported_at, report, diagnostics)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    KIND = "SELECT kind FROM imports WHERE incident_id = $1 AND id = $2
        UNION ALL
        SELECT CASE WHEN prometheus IS NULL THEN 'values' ELSE 'prometheus' END AS kind
        FROM value_imports WHERE incident_id = $1 AND id = $2";
    REMOVE = "DELETE FROM imports WHERE incident_id = $1 AND id = $2";
    FORGET = "DELETE FROM imports WHERE incident_id = $1 AND kind = $2 AND sha256 = $3";
    LIST = "SELECT id, kind, file_name, sha256, imported_at FROM (
            SELECT id, kind, file_name, sha256, imported_at, 0 AS place, seq
            FROM imports WHERE incident_id = $1 AND kind <> 'postmortem'
            UNION ALL
            SELECT id, CASE WHEN prometheus IS NULL THEN 'values' ELSE 'prometheus' END AS kind, file_name, sha256,
                imported_at, 1 AS place, seq
            FROM value_imports WHERE incident_id = $1
        ) AS listed ORDER BY imported_at, place, seq";
    OF_KIND = "SELECT id, file_name, sha256, options, object_key, imported_at, report, diagnostics FROM imports
        WHERE incident_id = $1 AND kind = $2 ORDER BY seq";
}

/// Whether something is done, or only looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It is done.
    Import,
    /// What would be done is told, and nothing is changed.
    Preview,
}

/// What became of a list.
#[derive(Debug, Clone, PartialEq)]
pub enum Listing {
    /// So many of its things were not known before.
    Added(u64),
    /// The same bytes had been imported before in the same way, so that nothing was changed.
    Repeated(ImportRecord),
    /// The same bytes had been imported before in another way, which stands.
    OtherWay(ImportRecord),
}

/// What is left of what files of one kind gave, once an import is removed.
#[derive(Debug, Clone)]
pub enum Rest {
    /// The signal of the attempts in the other files; none where there are none.
    Attempts(Option<NewSignal>),
    /// The changes in the other files.
    Flags(Vec<NewFlagChange>),
    /// The deploys in the other files.
    Deploys(Vec<NewDeploy>),
}

/// What became of an import that was to be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removed {
    /// It was removed, and so many things with it.
    Done(u64),
    /// Another file of its kind was imported or removed meanwhile: begin anew.
    Outdated,
}

/// How many things of a list an INSERT takes: ten columns each at most, far below either database's limit.
const BATCH: usize = 500;

/// A thing of a list that is kept in a table of its own.
pub(super) trait Batch: Sized + Sync {
    /// Adds those that are not known yet; how many those were.
    fn insert(
        tx: &mut Tx,
        incident: &IncidentId,
        batch: &[Self],
    ) -> impl Future<Output = Result<u64, StoreError>> + Send;
}

/// An import about to be recorded.
#[derive(Debug, Clone)]
pub struct NewImport<'a> {
    /// What the file holds.
    pub kind: ImportKind,
    /// The file's name as it was given.
    pub file_name: &'a str,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: &'a str,
    /// The options that it was read with, spelled the same whenever they are the same; empty where there are none.
    pub options: &'a str,
    /// Where its bytes are kept.
    pub object_key: &'a str,
    /// What the importer could not understand.
    pub diagnostics: &'a [Diagnostic],
    /// The importer's report.
    pub report: serde_json::Value,
}

/// An import that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportRecord {
    /// The import's id.
    pub id: ImportId,
    /// What the file holds.
    pub kind: ImportKind,
    /// The file's name as it was given.
    pub file_name: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// The options that it was read with.
    pub options: String,
    /// Where its bytes are kept.
    pub object_key: String,
    /// When it was imported.
    pub imported_at: DateTime<Utc>,
    /// The importer's report.
    pub report: serde_json::Value,
    /// What the importer could not understand.
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(sqlx::FromRow)]
struct ListedRow {
    id: String,
    kind: String,
    file_name: String,
    sha256: String,
    imported_at: i64,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    file_name: String,
    sha256: String,
    options: String,
    object_key: String,
    imported_at: i64,
    report: String,
    diagnostics: String,
}

impl Store {
    /// The import of the file with these bytes into the incident, if there was one.
    pub async fn find_import(
        &self,
        incident: &IncidentId,
        kind: ImportKind,
        sha256: &str,
    ) -> Result<Option<ImportRecord>, StoreError> {
        Ok(self.list_imports(incident, kind).await?.into_iter().find(|import| import.sha256 == sha256))
    }

    /// The imports of one kind into the incident, in the order in which they were made.
    pub async fn list_imports(&self, incident: &IncidentId, kind: ImportKind) -> Result<Vec<ImportRecord>, StoreError> {
        let rows = db!(read & self.db, OF_KIND, [incident.as_str(), kind.as_str()], fetch_all as Row)?;
        rows.into_iter().map(|row| record(kind, row)).collect()
    }

    /// The files and answers that an incident's telemetry was imported from, in the order of their import.
    pub async fn list_imported_files(&self, incident: &IncidentId) -> Result<Vec<ImportedFile>, StoreError> {
        let rows = db!(read & self.db, LIST, [incident.as_str()], fetch_all as ListedRow)?;
        rows.into_iter().map(imported_file).collect()
    }

    /// What the import with this id holds; none where the incident has no such import.
    pub async fn import_kind(&self, incident: &IncidentId, id: &ImportId) -> Result<Option<ImportKind>, StoreError> {
        let kind = db!(read & self.db, KIND, [incident.as_str(), text(id.as_str())], fetch_optional as (String,))?;
        kind.map(|(kind,)| word(&kind)).transpose()
    }

    /// Removes an import, and what none of the `others` of its kind gives; what is kept of its bytes is forgotten where
    /// nothing else names them.
    pub async fn remove_import(
        &self,
        incident: &IncidentId,
        import: &ImportRecord,
        others: &[ImportRecord],
        rest: &Rest,
        by: By<'_>,
    ) -> Result<Removed, StoreError> {
        let set = match rest {
            Rest::Attempts(Some(signal)) => Some(self.write_bins(&signal.bins, by.now).await?),
            _ => None,
        };
        let mut tx = self.db.begin_write().await?;
        if !bump(&mut tx, incident, by.now).await? {
            return Err(StoreError::NoIncident(incident.clone()));
        }
        let mut known = of_kind(&mut tx, incident, import.kind).await?;
        let before = known.len();
        known.retain(|known| known.id != import.id);
        if known.len() == before || !known.iter().map(|known| &known.id).eq(others.iter().map(|other| &other.id)) {
            tx.rollback().await?;
            self.drop_bins(set).await;
            return Ok(Removed::Outdated);
        }
        db!(tx &mut tx, REMOVE, [incident.as_str(), import.id.as_str()], execute)?;
        let mut old = None;
        let forgotten = match rest {
            Rest::Attempts(signal) => {
                old = signals::swap(&mut tx, incident, signal.as_ref().zip(set.as_deref())).await?;
                let left = signal.as_ref().map_or(0, |signal| Ratio::pooled(&signal.bins).denominator);
                let before: u64 = count(old.as_ref().map_or(0, |old| old.total_denominator))?;
                before.saturating_sub(left)
            }
            Rest::Flags(changes) => flags::keep_only(&mut tx, incident, changes).await?,
            Rest::Deploys(deploys) => deploys::keep_only(&mut tx, incident, deploys).await?,
        };
        files::forget(&mut tx, &import.object_key, by.now).await?;
        let change = Change {
            subject: import.kind.as_str(),
            subject_id: incident.as_str(),
            actor: by.actor,
            before: Some(import.report.to_string()),
            after: None,
        };
        append(&mut tx, incident, change, by.now).await?;
        tx.commit().await?;
        self.drop_bins(old.map(|old| old.id)).await;
        Ok(Removed::Done(forgotten))
    }

    /// The import of the post-mortem that the incident was made from.
    pub async fn source_text(&self, id: &IncidentId) -> Result<Option<ImportRecord>, StoreError> {
        Ok(self.list_imports(id, ImportKind::Postmortem).await?.into_iter().next())
    }
}

/// The files and answers that telemetry was imported from, as a transaction sees them.
pub(super) async fn of_incident(tx: &mut Tx, incident: &IncidentId) -> Result<Vec<ImportedFile>, StoreError> {
    let rows = db!(tx tx, LIST, [incident.as_str()], fetch_all as ListedRow)?;
    rows.into_iter().map(imported_file).collect()
}

fn imported_file(row: ListedRow) -> Result<ImportedFile, StoreError> {
    Ok(ImportedFile {
        id: ImportId::new(row.id),
        kind: word(&row.kind)?,
        file_name: row.file_name,
        sha256: row.sha256,
        imported_at: time(row.imported_at)?,
    })
}

/// The imports of one kind, as a transaction sees them.
pub(super) async fn of_kind(
    tx: &mut Tx,
    incident: &IncidentId,
    kind: ImportKind,
) -> Result<Vec<ImportRecord>, StoreError> {
    let rows = db!(tx tx, OF_KIND, [incident.as_str(), kind.as_str()], fetch_all as Row)?;
    rows.into_iter().map(|row| record(kind, row)).collect()
}

/// Adds the things of a list that are not known yet, and records it in the imports and in the history; `report` makes of
/// their number what both keep. A file that was imported before changes nothing, and nothing stays of what is only looked at.
pub(super) async fn add_list<T: Batch>(
    db: &Db,
    (incident, things): (&IncidentId, &[T]),
    import: &NewImport<'_>,
    report: impl FnOnce(u64) -> serde_json::Value + Send,
    (by, mode): (By<'_>, Mode),
) -> Result<Listing, StoreError> {
    let mut tx = db.begin_write().await?;
    if !bump(&mut tx, incident, by.now).await? {
        return Err(StoreError::NoIncident(incident.clone()));
    }
    let same = of_kind(&mut tx, incident, import.kind).await?.into_iter().find(|same| same.sha256 == import.sha256);
    if let Some(same) = same {
        tx.rollback().await?;
        let is_same = same.options == import.options;
        return Ok(if is_same { Listing::Repeated(same) } else { Listing::OtherWay(same) });
    }
    let mut added = 0;
    for batch in things.chunks(BATCH) {
        added += T::insert(&mut tx, incident, batch).await?;
    }
    if mode == Mode::Preview {
        tx.rollback().await?;
        return Ok(Listing::Added(added));
    }
    let report = report(added);
    let after = Some(report.to_string());
    insert(&mut tx, incident, &NewImport { report, ..import.clone() }, by.now).await?;
    let (subject, subject_id) = (import.kind.as_str(), incident.as_str());
    append(&mut tx, incident, Change { subject, subject_id, actor: by.actor, before: None, after }, by.now).await?;
    tx.commit().await?;
    Ok(Listing::Added(added))
}

/// Forgets what the same bytes were imported as before.
pub(super) async fn forget(tx: &mut Tx, incident: &IncidentId, import: &NewImport<'_>) -> Result<(), StoreError> {
    db!(tx tx, FORGET, [incident.as_str(), import.kind.as_str(), import.sha256], execute)?;
    Ok(())
}

/// Records an import.
pub(super) async fn insert(
    tx: &mut Tx,
    incident: &IncidentId,
    import: &NewImport<'_>,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let (report, diagnostics) = (to_json(&import.report)?, to_json(import.diagnostics)?);
    db!(tx tx, INSERT, [
        new_id("import_"), incident.as_str(), import.kind.as_str(), text(import.file_name), import.sha256,
        import.options, import.object_key, now.timestamp_millis(), report.as_str(), diagnostics.as_str()
    ], execute)?;
    Ok(())
}

fn record(kind: ImportKind, row: Row) -> Result<ImportRecord, StoreError> {
    Ok(ImportRecord {
        id: ImportId::new(row.id),
        kind,
        file_name: row.file_name,
        sha256: row.sha256,
        options: row.options,
        object_key: row.object_key,
        imported_at: time(row.imported_at)?,
        report: from_json(&row.report)?,
        diagnostics: from_json(&row.diagnostics)?,
    })
}
