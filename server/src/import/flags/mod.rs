//! Changes of feature flags: a file of them becomes the flags' history.

mod read;
#[cfg(test)]
mod tests;
mod unleash;

use std::path::Path;

use chrono::{DateTime, Utc};
use domain::IncidentId;
pub use domain::wire::imports::ListReport;
use domain::wire::imports::ListedThing;
use serde_json::Value;
use tokio::task::spawn_blocking;

use super::ImportError;
use super::listed::{self, Given, Kept};
use crate::store::{By, ImportKind, ImportRecord, Listing, Mode, NewFlagChange, NewImport, Objects, Store, StoreError};
use read::read;

/// The name under which imports were recorded before they were recorded under somebody's.
const IMPORTER: &str = "import";

/// Imports a file of flag changes.
pub async fn import_flags(
    store: &Store,
    objects: &Objects,
    incident: &IncidentId,
    path: &Path,
    now: DateTime<Utc>,
) -> Result<ListReport, ImportError> {
    let (name, bytes) = listed::read_list(path).await?;
    let by = By { actor: IMPORTER, now };
    import_given_flags(store, objects, incident, Given { bytes: &bytes, name: &name, by, mode: Mode::Import }).await
}

/// Imports flag changes whose bytes are here, and keeps these as they came.
pub async fn import_given_flags(
    store: &Store,
    objects: &Objects,
    incident: &IncidentId,
    given: Given<'_>,
) -> Result<ListReport, ImportError> {
    let bytes = given.bytes.to_vec();
    let found = spawn_blocking(move || read(&bytes)).await??;
    listed::keep(store, objects, incident, given, found, "").await
}

/// The changes that the files of these imports hold.
pub(super) async fn changes_of(objects: &Objects, imports: &[ImportRecord]) -> Result<Vec<NewFlagChange>, ImportError> {
    let files = listed::remaining(objects, imports).await?;
    let imports = imports.to_vec();
    let read = move || {
        let found = files
            .iter()
            .zip(&imports)
            .map(|(bytes, import)| Ok(read(bytes).map_err(|error| error.of(&import.file_name))?.things));
        found.collect::<Result<Vec<_>, ImportError>>()
    };
    Ok(spawn_blocking(read).await??.concat())
}

impl Kept for NewFlagChange {
    const KIND: ImportKind = ImportKind::Flags;

    fn told(&self) -> ListedThing {
        let place = self.environment.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
        ListedThing { at: self.changed_at, what: format!("{}{place}: {}", self.flag, self.state) }
    }

    async fn add(
        store: &Store,
        incident: &IncidentId,
        things: &[Self],
        import: &NewImport<'_>,
        report: &(dyn Fn(u64) -> Value + Send + Sync),
        how: (By<'_>, Mode),
    ) -> Result<Listing, StoreError> {
        store.add_flag_changes(incident, things, import, report, how).await
    }
}
