//! Importers: pure parsers beside the few functions that hand what was parsed to the store.
//!
//! A parser in here neither reads the clock nor meets the database.

mod document;
pub mod events;
pub mod flags;
pub mod load_test;
pub mod postmortem;
mod proof;

use std::path::{Path, PathBuf};

pub use crate::store::{NewImport, Objects};
use crate::store::{ObjectError, StoreError};
pub use document::{import_postmortem, importable};
pub use proof::import_load_test;
use serde::{Deserialize, Serialize};

/// The most refused rows that a report lists; all of them are counted.
pub const LISTED: usize = 1000;

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
    /// The work ended before it was done.
    #[error("the import was cut short: {0}")]
    Cut(#[from] tokio::task::JoinError),
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

/// A row or element that was not imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedRow {
    /// The line, from 1, or the element's index, from 0, as the file's kind has it.
    pub place: u64,
    /// What is the matter with it.
    pub reason: String,
}

/// Rows that were not imported: all counted, the first of them listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// How many there were.
    pub total: u64,
    /// The first of them.
    pub rows: Vec<RefusedRow>,
}

impl Refused {
    fn add(&mut self, place: u64, reason: String) {
        self.total += 1;
        if self.rows.len() < LISTED {
            self.rows.push(RefusedRow { place, reason });
        }
    }

    /// Writes each listed row under its heading, and how many are not listed.
    fn write(&self, f: &mut std::fmt::Formatter<'_>, noun: &str) -> std::fmt::Result {
        for row in &self.rows {
            write!(f, "\n  {noun} {}: {}", row.place, row.reason)?;
        }
        match self.total.saturating_sub(self.rows.len() as u64) {
            0 => Ok(()),
            more => write!(f, "\n  … and {more} more"),
        }
    }
}

/// The name of a file for people, without its folder.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
