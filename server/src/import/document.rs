//! Bringing a post-mortem in: what was parsed becomes an incident, and the document is kept as it came.

use chrono::{DateTime, Utc};
use domain::draft::IncidentDraft;

use super::ImportError;
use super::postmortem::{Options, Parsed, parse};
use super::{NewImport, Objects};
use crate::store::{Created, ImportKind, Store};

/// The one incident of a document, or why the document cannot be imported.
pub fn importable(parsed: &Parsed) -> Result<&IncidentDraft, ImportError> {
    let refusals: Vec<String> = parsed.refusals().iter().map(ToString::to_string).collect();
    if !refusals.is_empty() {
        return Err(ImportError::Refused(refusals.join("\n")));
    }
    match parsed.incidents.as_slice() {
        [draft] => Ok(draft),
        [] => Err(ImportError::Refused("no incident was recognised in it".to_owned())),
        several => {
            Err(ImportError::Refused(format!("it holds {} incidents; put each into a file of its own", several.len())))
        }
    }
}

/// Imports a document. The same bytes with the same options a second time change nothing.
pub async fn import_postmortem(
    store: &Store,
    objects: &Objects,
    bytes: &[u8],
    file_name: &str,
    options: &Options,
    now: DateTime<Utc>,
) -> Result<Created, ImportError> {
    let parsed = parse(bytes, options);
    let draft = importable(&parsed)?;
    let object = objects.put(bytes).await?;
    let options = options.spelled();
    let import = NewImport {
        kind: ImportKind::Postmortem,
        file_name,
        sha256: &object.sha256,
        options: &options,
        object_key: &object.key,
        diagnostics: &parsed.diagnostics,
        report: serde_json::Value::Null,
    };
    Ok(store.create_incident(draft, &import, now).await?)
}
