//! `/incidents/{id}/imports/events` and the mappings that were saved: what was read of a file, and what was not.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::import::ImportedFile;
use crate::mapping::Mapping;
use crate::signal::Ratio;
use crate::wire::actions::MAX_LINE;

/// The most refused rows that a report lists; all of them are counted.
pub const LISTED: usize = 1000;

/// A row or element that was not imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RefusedRow {
    /// The line, from 1, or the element's index, from 0, as the file's kind has it.
    pub place: u64,
    /// What is the matter with it.
    pub reason: String,
}

/// Rows that were not imported: all counted, the first of them listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Refused {
    /// How many there were.
    pub total: u64,
    /// The first of them.
    pub rows: Vec<RefusedRow>,
}

impl Refused {
    /// Counts a row, and lists it while there are few. A reason that quotes a long row is cut.
    pub fn add(&mut self, place: u64, mut reason: String) {
        self.total += 1;
        if self.rows.len() < LISTED {
            if let Some((at, _)) = reason.char_indices().nth(MAX_LINE) {
                reason.truncate(at);
                reason.push('…');
            }
            self.rows.push(RefusedRow { place, reason });
        }
    }

    /// Writes each listed row under its heading, and how many are not listed.
    pub fn write(&self, f: &mut Formatter<'_>, noun: &str) -> fmt::Result {
        for row in &self.rows {
            write!(f, "\n  {noun} {}: {}", row.place, row.reason)?;
        }
        match self.total.saturating_sub(self.rows.len() as u64) {
            0 => Ok(()),
            more => write!(f, "\n  … and {more} more"),
        }
    }
}

/// What was read of a file of attempts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EventsReport {
    /// The file's name.
    pub file_name: String,
    /// Rows under the header.
    pub rows_read: u64,
    /// Attempts that were not known before.
    pub attempts: u64,
    /// Rows that repeat an attempt, in this file or an earlier one.
    pub repeated: u64,
    /// Rows that give a known attempt other content; the first is kept.
    pub conflicting: Refused,
    /// Rows that could not be understood.
    pub refused: Refused,
    /// Whether the same bytes had been imported before in the same way, so that nothing was changed.
    pub already_imported: bool,
    /// Whether the same bytes had been imported before in another way, which this one replaces.
    #[serde(default)]
    pub replaced: bool,
    /// The incident's signal, pooled over all files.
    pub total: Ratio,
    /// Which column was read as what.
    #[serde(default)]
    pub mapping: Mapping,
}

impl Display for EventsReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file_name)?;
        if self.already_imported {
            write!(f, "imported before; nothing was changed. It held ")?;
        } else if self.replaced {
            write!(f, "imported before in another way, which this one replaces. ")?;
        }
        write!(
            f,
            "{} rows read, {} new attempts, {} repeated, {} conflicting, {} refused; {} of {} attempts failed in all",
            self.rows_read,
            self.attempts,
            self.repeated,
            self.conflicting.total,
            self.refused.total,
            self.total.numerator,
            self.total.denominator,
        )?;
        self.conflicting.write(f, "line")?;
        self.refused.write(f, "line")
    }
}

/// What was read of a file that lists flag changes or deploys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ListReport {
    /// The file's name.
    pub file_name: String,
    /// Elements of the list, or rows under the header.
    pub read: u64,
    /// What was not known before.
    pub added: u64,
    /// What was known, or stands in the file twice.
    pub repeated: u64,
    /// What could not be understood.
    pub refused: Refused,
    /// Events that change no flag's state, counted by their kind.
    #[serde(default)]
    pub passed_over: BTreeMap<String, u64>,
    /// What `refused` counts by: `element`, from 0, or `line`, from 1.
    #[serde(default = "element")]
    pub place: String,
    /// Whether the same bytes had been imported before, so that nothing was changed.
    pub already_imported: bool,
    /// What stands at the beginning, where nothing was imported but only looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<ListedThing>,
}

/// What every list was counted by before tables were read.
fn element() -> String {
    "element".to_owned()
}

/// A flag change or a deploy, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ListedThing {
    /// When it happened.
    pub at: DateTime<Utc>,
    /// What.
    pub what: String,
}

impl Display for ListReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let before = if self.already_imported { "imported before; nothing was changed. It held " } else { "" };
        write!(
            f,
            "{}: {before}{} read, {} added, {} repeated, {} refused",
            self.file_name, self.read, self.added, self.repeated, self.refused.total
        )?;
        for (kind, count) in &self.passed_over {
            write!(f, "\n  {count} × {kind}: changes no flag's state")?;
        }
        self.refused.write(f, &self.place)
    }
}

/// What became of an import that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ImportRemoval {
    /// The file.
    pub file: ImportedFile,
    /// How many attempts, changes or deploys went with it: those that stand in no other file of the incident. Of values, how
    /// many signals.
    pub forgotten: u64,
}

/// What the head of a file of attempts looks like, before anything is imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EventsPreview {
    /// How the file is written, for people ("CSV parted by ‘;’, compressed with gzip").
    pub shape: String,
    /// Its columns, in their order.
    pub columns: Vec<PreviewColumn>,
    /// Which column would be read as what: as asked, as saved for such columns, or by the names that they have.
    pub mapping: Mapping,
    /// The name of the saved mapping that was taken, if one was.
    pub saved_as: Option<String>,
    /// Words in the column of outcomes that the mapping does not say anything about.
    pub unknown_outcomes: Vec<String>,
    /// What keeps the file from being imported in this way; null where nothing does.
    pub trouble: Option<String>,
    /// Rows of the head that were looked at.
    pub rows_read: u64,
    /// Those of them that would be refused.
    pub refused: Refused,
}

/// A column of a file's head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PreviewColumn {
    /// Its name.
    pub name: String,
    /// What stands in its first rows. Empty where it may tell customers and whoever asks may not see these.
    pub values: Vec<String>,
}

/// A mapping that was saved under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SavedMapping {
    /// Its name.
    pub name: String,
    /// The columns of the files that it is proposed for.
    pub columns: Vec<String>,
    /// Which of them holds what.
    pub mapping: Mapping,
}
