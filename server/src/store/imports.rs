//! Imported files: what was read, when, and where it is kept.

use chrono::{DateTime, Utc};
use domain::draft::Diagnostic;
use domain::import::{ImportKind, ImportedFile};
use domain::{ImportId, IncidentId};

use super::column::{from_json, text, time, to_json, word};
use super::db::{Db, Tx, db, statements};
use super::history::{Change, append, bump};
use super::id::new_id;
use super::{By, Store, StoreError};

statements! {
    INSERT = "INSERT INTO imports
            (id, incident_id, kind, file_name, sha256, options, object_key, imported_at, report, diagnostics)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    FORGET = "DELETE FROM imports WHERE incident_id = $1 AND kind = $2 AND sha256 = $3";
    LIST = "SELECT id, kind, file_name, sha256, imported_at FROM imports
        WHERE incident_id = $1 AND kind <> 'postmortem' ORDER BY seq";
    OF_KIND = "SELECT id, file_name, sha256, options, object_key, imported_at, report, diagnostics FROM imports
        WHERE incident_id = $1 AND kind = $2 ORDER BY seq";
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

    /// The import of the post-mortem that the incident was made from.
    pub async fn source_text(&self, id: &IncidentId) -> Result<Option<ImportRecord>, StoreError> {
        Ok(self.list_imports(id, ImportKind::Postmortem).await?.into_iter().next())
    }
}

/// The files that telemetry was imported from, as a transaction sees them.
pub(super) async fn of_incident(tx: &mut Tx, incident: &IncidentId) -> Result<Vec<ImportedFile>, StoreError> {
    let rows = db!(tx tx, LIST, [incident.as_str()], fetch_all as ListedRow)?;
    rows.into_iter()
        .map(|row| {
            Ok(ImportedFile {
                id: ImportId::new(row.id),
                kind: word(&row.kind)?,
                file_name: row.file_name,
                sha256: row.sha256,
                imported_at: time(row.imported_at)?,
            })
        })
        .collect()
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

/// Begins to import a file whose changes are joined with those known; none where the same bytes were imported before.
pub(super) async fn begin(
    db: &Db,
    incident: &IncidentId,
    import: &NewImport<'_>,
    now: DateTime<Utc>,
) -> Result<Option<Tx>, StoreError> {
    let mut tx = db.begin_write().await?;
    if !bump(&mut tx, incident, now).await? {
        return Err(StoreError::NoIncident(incident.clone()));
    }
    let earlier = of_kind(&mut tx, incident, import.kind).await?;
    if earlier.iter().any(|earlier| earlier.sha256 == import.sha256 && earlier.options == import.options) {
        tx.rollback().await?;
        return Ok(None);
    }
    Ok(Some(tx))
}

/// Records what [`begin`] began, in the imports and in the history, and ends the transaction.
pub(super) async fn finish(
    mut tx: Tx,
    incident: &IncidentId,
    import: &NewImport<'_>,
    by: By<'_>,
) -> Result<(), StoreError> {
    insert(&mut tx, incident, import, by.now).await?;
    let change = Change {
        subject: import.kind.as_str(),
        subject_id: incident.as_str(),
        actor: by.actor,
        before: None,
        after: Some(import.report.to_string()),
    };
    append(&mut tx, incident, change, by.now).await?;
    tx.commit().await
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
