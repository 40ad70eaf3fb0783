//! Changes of feature flags: a JSON list of `{flag, state, changed_at, effective_at?, by?, comment?}`.

use std::path::Path;

use chrono::{DateTime, SubsecRound, Utc};
use domain::IncidentId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ImportError, Refused, file_name};
use crate::store::{ImportKind, NewFlagChange, NewImport, Objects, Store};

/// The largest file that is read; a flag's history is small.
const MAX_BYTES: u64 = 64 << 20;

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
    /// Elements that could not be understood, by their index.
    pub refused: Refused,
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
        self.refused.write(f, "element")
    }
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
    let (changes, refused, read) = parse_flags(&bytes)?;
    let kept = objects.put(&bytes).await?;
    let name = file_name(path);
    let report = |added: u64| FlagsReport {
        file_name: name.clone(),
        read,
        added,
        repeated: (changes.len() as u64).saturating_sub(added),
        refused: refused.clone(),
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
    if let Some(added) = store.add_flag_changes(incident, &changes, &import, saved, now).await? {
        return Ok(report(added));
    }
    let same = store.find_import(incident, ImportKind::Flags, &kept.sha256).await?;
    let held = same.and_then(|same| serde_json::from_value(same.report).ok()).unwrap_or_else(|| report(0));
    Ok(FlagsReport { already_imported: true, ..held })
}

/// The changes in order of time, the elements refused, and how many elements there were.
fn parse_flags(bytes: &[u8]) -> Result<(Vec<NewFlagChange>, Refused, u64), ImportError> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let elements: Vec<Value> = serde_json::from_slice(bytes).map_err(|error| {
        ImportError::Refused(format!(
            "line {}, column {}: not a JSON list of changes ({error}); it must be [{{\"flag\": …, \"state\": …, \
             \"changed_at\": …}}, …]",
            error.line(),
            error.column()
        ))
    })?;
    if elements.is_empty() {
        return Err(ImportError::Refused("the list holds no changes".to_owned()));
    }
    let (mut changes, mut refused) = (Vec::new(), Refused::default());
    for (index, element) in (0..).zip(&elements) {
        match change(element) {
            Ok(change) => changes.push(change),
            Err(reason) => refused.add(index, reason),
        }
    }
    if changes.is_empty() {
        let first = refused.rows.first().map(|row| row.reason.clone()).unwrap_or_default();
        return Err(ImportError::Refused(format!(
            "none of the {} elements could be read; the first: {first}",
            elements.len()
        )));
    }
    changes.sort_by_key(|change| change.changed_at);
    Ok((changes, refused, elements.len() as u64))
}

fn change(element: &Value) -> Result<NewFlagChange, String> {
    let fields = element.as_object().ok_or("not an object")?;
    Ok(NewFlagChange {
        flag: needed(fields, "flag")?,
        state: needed(fields, "state")?,
        changed_at: instant(&needed(fields, "changed_at")?, "changed_at")?,
        effective_at: optional(fields, "effective_at")?.map(|at| instant(&at, "effective_at")).transpose()?,
        by: optional(fields, "by")?,
        comment: optional(fields, "comment")?,
    })
}

fn needed(fields: &Map<String, Value>, name: &str) -> Result<String, String> {
    optional(fields, name)?.ok_or_else(|| format!("‘{name}’ is missing"))
}

fn optional(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim().to_owned())),
        Some(_) => Err(format!("‘{name}’ is not a text")),
    }
}

fn instant(text: &str, name: &str) -> Result<DateTime<Utc>, String> {
    let parsed = DateTime::parse_from_rfc3339(text).map(|at| at.to_utc().trunc_subsecs(3));
    parsed.map_err(|_| format!("‘{name}’ is ‘{text}’, not a time with date and zone, such as 2026-07-09T10:11:00Z"))
}
