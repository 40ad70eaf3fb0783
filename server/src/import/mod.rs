//! Importers: pure parsers beside the few functions that hand what was parsed to the store.
//!
//! A parser in here neither reads the clock nor meets the database.

pub mod deploys;
mod document;
pub mod events;
pub mod file;
pub mod flags;
mod incoming;
pub mod listed;
pub mod load_test;
pub mod postmortem;
mod proof;
mod removal;
pub mod signals;

use std::path::{Path, PathBuf};

pub use crate::store::{Mode, NewImport, Objects};
use crate::store::{ObjectError, StoreError};
use crate::unseen::{is_seen, is_unseen};
pub use document::{import_postmortem, importable};
pub use domain::wire::imports::{LISTED, Refused, RefusedRow};
pub use proof::import_load_test;
pub use removal::remove_import;

/// Why a file was not imported at all.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file could not be read.
    #[error("{} cannot be read: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The file is not what the importer takes, with the place and what mends it.
    #[error("{0}")]
    Refused(String),
    /// Others imported into the incident all the while.
    #[error("other files were being imported into the same incident; nothing was changed, so try again")]
    Busy,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The folder of imported files failed.
    #[error(transparent)]
    Objects(#[from] ObjectError),
    /// Rows could not wait to be joined.
    #[error("rows could not be put down to be joined: {0}; an import needs as much free disk as the file has unpacked")]
    Scratch(std::io::Error),
    /// The work ended before it was done.
    #[error("the import was cut short: {0}")]
    Cut(#[from] tokio::task::JoinError),
}

impl ImportError {
    /// The same of a file that was imported before and is read again, by its name.
    fn of(self, file: &str) -> Self {
        match self {
            Self::Refused(reason) => Self::Refused(format!(
                "{file}, which was imported before, can no longer be read ({reason}); remove that import first"
            )),
            other => other,
        }
    }
}

/// How far an import has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read so far.
    pub bytes_done: u64,
    /// Bytes there are.
    pub bytes_total: u64,
    /// Rows read so far.
    pub rows: u64,
}

/// The most characters that are kept of a file's name.
const MAX_NAME: usize = 200;

/// A file's name as it is kept and shown, without what nobody sees in it; the other where nothing is left.
fn shown_name(name: &str, otherwise: &str) -> String {
    let name: String = name.chars().filter(|letter| !is_unseen(*letter)).collect();
    let name: String = name.trim().chars().take(MAX_NAME).collect();
    if is_seen(&name) { name } else { otherwise.to_owned() }
}

/// The name of a file for people, without its folder.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
