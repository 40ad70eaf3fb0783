//! Keeping a list: the file as it came, and of its things those that were not known.

use std::path::Path;

use domain::IncidentId;
use domain::wire::imports::{ListReport, ListedThing};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::rows::Found;
use crate::digest::hex;
use crate::import::{ImportError, file_name, shown_name};
use crate::store::{By, ImportKind, ImportRecord, Listing, Mode, NewImport, Objects, Store, StoreError, StoredObject};

/// The largest list that is read.
pub const MAX_BYTES: usize = 16 << 20;

/// How many things a preview shows.
const SHOWN: usize = 20;

/// A list that was given to be imported.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The file's bytes.
    pub bytes: &'a [u8],
    /// The file's name, for people.
    pub name: &'a str,
    /// Who imports it, and when.
    pub by: By<'a>,
    /// Whether it is kept.
    pub mode: Mode,
}

/// A thing that is kept from a list.
pub(in crate::import) trait Kept: Sized + Send + Sync {
    /// What a list of them is.
    const KIND: ImportKind;

    /// It in words, with its time.
    fn told(&self) -> ListedThing;

    /// Adds those that are not known yet.
    fn add(
        store: &Store,
        incident: &IncidentId,
        things: &[Self],
        import: &NewImport<'_>,
        report: &(dyn Fn(u64) -> Value + Send + Sync),
        how: (By<'_>, Mode),
    ) -> impl Future<Output = Result<Listing, StoreError>> + Send;
}

/// Reads a list whole; an error names it.
pub async fn read_list(path: &Path) -> Result<(String, Vec<u8>), ImportError> {
    let unreadable = |error| ImportError::Unreadable { path: path.to_owned(), error };
    let length = tokio::fs::metadata(path).await.map_err(unreadable)?.len();
    if length > MAX_BYTES as u64 {
        return Err(ImportError::Refused(format!("the file has {length} bytes; such a list may have {MAX_BYTES}")));
    }
    Ok((file_name(path), tokio::fs::read(path).await.map_err(unreadable)?))
}

/// Keeps what was found in a list, and the file as it came. The same file a second time changes nothing; nor does a preview.
pub(in crate::import) async fn keep<T: Kept>(
    store: &Store,
    objects: &Objects,
    incident: &IncidentId,
    given: Given<'_>,
    found: Found<T>,
    options: &str,
) -> Result<ListReport, ImportError> {
    let kept = match given.mode {
        Mode::Import => objects.put(given.bytes).await?,
        Mode::Preview => StoredObject { key: String::new(), sha256: hex(&Sha256::digest(given.bytes)) },
    };
    let name = shown_name(given.name, T::KIND.as_str());
    let Found { things, refused, passed_over, read, place } = found;
    let report = |added: u64| ListReport {
        file_name: name.clone(),
        read,
        added,
        repeated: (things.len() as u64).saturating_sub(added),
        refused: refused.clone(),
        passed_over: passed_over.clone(),
        place: place.to_owned(),
        already_imported: false,
        first: Vec::new(),
    };
    let import = NewImport {
        kind: T::KIND,
        file_name: &name,
        sha256: &kept.sha256,
        options,
        object_key: &kept.key,
        diagnostics: &[],
        report: Value::Null,
    };
    // A report is plain numbers and texts, which JSON always takes.
    let saved = |added| serde_json::to_value(report(added)).unwrap_or_default();
    match T::add(store, incident, &things, &import, &saved, (given.by, given.mode)).await? {
        Listing::Added(added) => {
            let first = match given.mode {
                Mode::Import => Vec::new(),
                Mode::Preview => things.iter().take(SHOWN).map(Kept::told).collect(),
            };
            Ok(ListReport { first, ..report(added) })
        }
        Listing::Repeated(before) => {
            let held = serde_json::from_value(before.report).unwrap_or_else(|_| report(0));
            Ok(ListReport { already_imported: true, ..held })
        }
        Listing::OtherWay(before) => Err(ImportError::Refused(format!(
            "this file was imported before, in another way, as {}; remove that import first",
            before.file_name
        ))),
    }
}

/// The bytes of files that were imported, in their order.
pub(in crate::import) async fn remaining(
    objects: &Objects,
    imports: &[ImportRecord],
) -> Result<Vec<Vec<u8>>, ImportError> {
    let mut files = Vec::with_capacity(imports.len());
    for import in imports {
        files.push(objects.get(&import.object_key).await?);
    }
    Ok(files)
}
