//! Taking an import back: what was brought in by it alone is forgotten, what is computed from the others is computed anew.

use domain::import::ImportedFile;
use domain::wire::imports::ImportRemoval;
use domain::{ImportId, IncidentId};

use super::{ImportError, deploys, events, flags};
use crate::store::{By, ImportKind, ImportRecord, Objects, Removed, Rest, Store};

/// How often a removal that others overtook is begun anew.
const TRIES: usize = 5;

/// Removes an import; none where there is none with this id.
pub async fn remove_import(
    store: &Store,
    objects: &Objects,
    incident: &IncidentId,
    id: &ImportId,
    by: By<'_>,
) -> Result<Option<ImportRemoval>, ImportError> {
    for _ in 0..TRIES {
        let Some(kind) = store.import_kind(incident, id).await? else { return Ok(None) };
        let mut others = store.list_imports(incident, kind).await?;
        let import = others.iter().position(|other| other.id == *id).map(|at| others.remove(at));
        let (import, rest) = match (kind, import) {
            (ImportKind::Postmortem, _) => {
                return Err(ImportError::Refused(
                    "the incident was made from this document, which stays with it".to_owned(),
                ));
            }
            (ImportKind::Values | ImportKind::Prometheus, _) => {
                return Ok(store.remove_value_import(incident, id, by).await?);
            }
            // It was removed since its kind was read.
            (_, None) => continue,
            (ImportKind::Events, Some(import)) => (import, Rest::Attempts(events::signal_of(objects, &others).await?)),
            (ImportKind::Flags, Some(import)) => (import, Rest::Flags(flags::changes_of(objects, &others).await?)),
            (ImportKind::Deploys, Some(import)) => {
                (import, Rest::Deploys(deploys::deploys_of(objects, &others).await?))
            }
        };
        match store.remove_import(incident, &import, &others, &rest, by).await? {
            Removed::Done(forgotten) => return Ok(Some(told(import, forgotten))),
            Removed::Outdated => {}
        }
    }
    Err(ImportError::Busy)
}

fn told(import: ImportRecord, forgotten: u64) -> ImportRemoval {
    let ImportRecord { id, kind, file_name, sha256, imported_at, .. } = import;
    ImportRemoval { file: ImportedFile { id, kind, file_name, sha256, imported_at }, forgotten }
}
