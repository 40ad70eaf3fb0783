//! Deploys: a file of them becomes marks on the time axis.

mod read;
#[cfg(test)]
mod tests;

use domain::IncidentId;
use domain::wire::imports::{ListReport, ListedThing};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::task::spawn_blocking;

use super::ImportError;
use super::listed::{self, Given, Kept};
use crate::store::{By, ImportKind, ImportRecord, Listing, Mode, NewDeploy, NewImport, Objects, Store, StoreError};
use read::read;

/// How a list of deploys is read, as far as it is said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reading {
    /// The zone of times that name none: an offset, or a region such as Europe/Berlin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// The service of deploys that name none, as in a list of one service's deploys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
}

impl Reading {
    /// It as an import is recorded with it: the same words whenever it is the same.
    fn options(&self) -> String {
        if *self == Self::default() { String::new() } else { serde_json::to_string(self).unwrap_or_default() }
    }
}

/// Imports deploys whose bytes are here, and keeps these as they came.
pub async fn import_deploys(
    store: &Store,
    objects: &Objects,
    incident: &IncidentId,
    given: Given<'_>,
    reading: &Reading,
) -> Result<ListReport, ImportError> {
    let (bytes, how) = (given.bytes.to_vec(), reading.clone());
    let found = spawn_blocking(move || read(&bytes, &how)).await??;
    listed::keep(store, objects, incident, given, found, &reading.options()).await
}

/// The deploys that the files of these imports hold.
pub(super) async fn deploys_of(objects: &Objects, imports: &[ImportRecord]) -> Result<Vec<NewDeploy>, ImportError> {
    let files = listed::remaining(objects, imports).await?;
    let imports = imports.to_vec();
    let read = move || {
        let found = files.iter().zip(&imports).map(|(bytes, import)| {
            let reading = serde_json::from_str(&import.options).unwrap_or_default();
            Ok(read(bytes, &reading).map_err(|error| error.of(&import.file_name))?.things)
        });
        found.collect::<Result<Vec<_>, ImportError>>()
    };
    Ok(spawn_blocking(read).await??.concat())
}

impl Kept for NewDeploy {
    const KIND: ImportKind = ImportKind::Deploys;

    fn told(&self) -> ListedThing {
        let place = self.environment.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
        ListedThing { at: self.at, what: format!("{} {}{place}", self.service, self.version) }
    }

    async fn add(
        store: &Store,
        incident: &IncidentId,
        things: &[Self],
        import: &NewImport<'_>,
        report: &(dyn Fn(u64) -> Value + Send + Sync),
        how: (By<'_>, Mode),
    ) -> Result<Listing, StoreError> {
        store.add_deploys(incident, things, import, report, how).await
    }
}
