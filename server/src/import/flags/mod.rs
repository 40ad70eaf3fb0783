//! Changes of feature flags: a file of them becomes the flags' history.

mod read;
#[cfg(test)]
mod tests;
mod unleash;

use std::collections::BTreeMap;
use std::path::Path;

use chrono::{DateTime, Utc};
use domain::IncidentId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ImportError, Refused, file_name};
use crate::store::{By, ImportKind, NewImport, Objects, Store};
use read::Found;

/// The largest file that is read; a flag's history is small.
const MAX_BYTES: u64 = 64 << 20;

/// The name under which imports were recorded before they were recorded under somebody's.
const IMPORTER: &str = "import";

/// What was read of a file of flag changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlagsReport {
    /// The file's name.
    pub file_name: String,
    /// Elements of the list.
    pub read: u64,
    /// Changes that were not known before.
    pub added: u64,
    /// Changes that were known, or stand in the file twice.
    pub repeated: u64,
    /// Elements that could not be understood, by their index from 0 or their line.
    pub refused: Refused,
    /// Events that change no flag's state, counted by their kind.
    #[serde(default)]
    pub passed_over: BTreeMap<String, u64>,
    /// What `refused` counts by: `element` or `line`.
    #[serde(default = "element")]
    pub place: String,
    /// Whether the same bytes had been imported before, so that nothing was changed.
    pub already_imported: bool,
}

impl std::fmt::Display for FlagsReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let before = if self.already_imported { "imported before; nothing was changed. It held " } else { "" };
        write!(
            f,
            "{}: {before}{} changes read, {} added, {} repeated, {} refused",
            self.file_name, self.read, self.added, self.repeated, self.refused.total
        )?;
        for (kind, count) in &self.passed_over {
            write!(f, "\n  {count} × {kind}: changes no flag's state")?;
        }
        self.refused.write(f, &self.place)
    }
}

/// What every file was counted by before tables were read.
fn element() -> String {
    "element".to_owned()
}

/// Imports a file of flag changes and keeps it as it came.
pub async fn import_flags(
    store: &Store,
    objects: &Objects,
    incident: &IncidentId,
    path: &Path,
    now: DateTime<Utc>,
) -> Result<FlagsReport, ImportError> {
    let unreadable = |error| ImportError::Unreadable { path: path.to_owned(), error };
    let length = tokio::fs::metadata(path).await.map_err(unreadable)?.len();
    if length > MAX_BYTES {
        return Err(ImportError::Refused(format!(
            "the file has {length} bytes; a list of flag changes may have {MAX_BYTES}"
        )));
    }
    let bytes = tokio::fs::read(path).await.map_err(unreadable)?;
    let Found { changes, refused, passed_over, read, place } = read::read(&bytes)?;
    let kept = objects.put(&bytes).await?;
    let name = file_name(path);
    let report = |added: u64| FlagsReport {
        file_name: name.clone(),
        read,
        added,
        repeated: (changes.len() as u64).saturating_sub(added),
        refused: refused.clone(),
        passed_over: passed_over.clone(),
        place: place.to_owned(),
        already_imported: false,
    };
    let import = NewImport {
        kind: ImportKind::Flags,
        file_name: &name,
        sha256: &kept.sha256,
        options: "",
        object_key: &kept.key,
        diagnostics: &[],
        report: Value::Null,
    };
    // A report is plain numbers and texts, which JSON always takes.
    let saved = |added| serde_json::to_value(report(added)).unwrap_or_default();
    if let Some(added) = store.add_flag_changes(incident, &changes, &import, saved, By { actor: IMPORTER, now }).await?
    {
        return Ok(report(added));
    }
    let same = store.find_import(incident, ImportKind::Flags, &kept.sha256).await?;
    let held = same.and_then(|same| serde_json::from_value(same.report).ok()).unwrap_or_else(|| report(0));
    Ok(FlagsReport { already_imported: true, ..held })
}
