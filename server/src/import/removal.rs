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
        let Some(import) = store.load_import(incident, id).await? else { return Ok(None) };
        let mut others = store.list_imports(incident, import.kind).await?;
        others.retain(|other| other.id != import.id);
        let removed = match import.kind {
            ImportKind::Postmortem => {
                return Err(ImportError::Refused(
                    "the incident was made from this document, which stays with it".to_owned(),
                ));
            }
            ImportKind::Events => {
                let signal = events::signal_of(objects, &others).await?;
                store.remove_import(incident, &import, &others, Rest::Attempts(signal.as_ref()), by).await?
            }
            ImportKind::Flags => {
                let changes = flags::changes_of(objects, &others).await?;
                store.remove_import(incident, &import, &others, Rest::Flags(&changes), by).await?
            }
            ImportKind::Deploys => {
                let deploys = deploys::deploys_of(objects, &others).await?;
                store.remove_import(incident, &import, &others, Rest::Deploys(&deploys), by).await?
            }
        };
        match removed {
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
