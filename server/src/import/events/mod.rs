//! Checkout attempts: a log of them becomes the per-minute rate of failed attempts, and a table of each attempt once.
//!
//! A file is read once, on all cores, while it is kept. Its rows wait on the disk, parted by attempt id, until they are
//! joined part by part: so that memory does not grow with the number of rows.

mod join;
pub(super) mod layout;
mod objects;
mod preview;
mod progress;
pub(super) mod records;
pub(super) mod rows;
pub(super) mod scan;
mod spill;
mod table;
#[cfg(test)]
mod tests;
pub(super) mod times;
pub(super) mod unpack;

use std::fs::File;
use std::path::Path;

use chrono::{DateTime, Utc};
use domain::IncidentId;
use domain::mapping::Mapping;
use domain::signal::{Bin, DEFAULT_FLOOR, Ratio};
pub use domain::wire::imports::EventsReport;
use hashbrown::HashMap;

pub use super::incoming::{Upload, upload};
use super::{ImportError, Progress, Refused, file_name, shown_name};
use crate::digest::sha256_of;
use crate::store::{By, ImportKind, ImportRecord, NewImport, NewSignal, Objects, Replaced, Store};
use join::{Joined, join};
pub use preview::{Sight, preview};
use scan::{Pieces, Scanned, scan};
use spill::{Spilled, Spool};
pub use table::{AttemptTable, Label, Names, attempts};
pub(super) use times::Times;

/// How often an import that others overtook is joined anew.
const TRIES: usize = 5;

/// The length of a bin in seconds.
const BIN_SECONDS: u32 = 60;

/// The name under which imports were recorded before they were recorded under somebody's.
const IMPORTER: &str = "import";

/// A file of attempts that is to be imported.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// The file's name, for people.
    pub file_name: &'a str,
    /// Which column holds what, as far as it is said.
    pub mapping: &'a Mapping,
    /// The name to save the mapping under, if it is to be saved.
    pub save_as: Option<&'a str>,
    /// Who imports it, and when.
    pub by: By<'a>,
}

/// Imports a file as it is laid out by itself.
pub async fn import_events(
    store: &Store,
    objects: &Objects,
    incident: &IncidentId,
    path: &Path,
    progress: &(dyn Fn(Progress) + Send + Sync),
    now: DateTime<Utc>,
) -> Result<EventsReport, ImportError> {
    let name = file_name(path);
    let by = By { actor: IMPORTER, now };
    let wanted = Wanted { file_name: &name, mapping: &Mapping::default(), save_as: None, by };
    import_file(store, objects, incident, path, &wanted, progress).await
}

/// Imports a file of which it is said how it is to be read.
pub async fn import_file(
    store: &Store,
    objects: &Objects,
    incident: &IncidentId,
    path: &Path,
    wanted: &Wanted<'_>,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<EventsReport, ImportError> {
    let unreadable = |error| ImportError::Unreadable { path: path.to_owned(), error };
    let known = earlier(store, incident).await?;
    // What is no plain file (a pipe) can be read only once.
    if !known.is_empty() && tokio::fs::metadata(path).await.map_err(unreadable)?.is_file() {
        let file = File::open(path).map_err(unreadable)?;
        let sha256 = tokio::task::spawn_blocking(move || sha256_of(file)).await?.map_err(unreadable)?;
        if let Some(report) = repeated(&known, &sha256, wanted.mapping)? {
            return Ok(report);
        }
    }
    let file = File::open(path).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    import_stream(store, objects, incident, file, length, wanted, progress).await
}

/// Imports a file whose bytes come little by little: keeps it as it came, joins it with the incident's earlier files by
/// attempt id, and computes the signal anew from all of them. `source` is read on a thread that may wait.
pub async fn import_stream(
    store: &Store,
    objects: &Objects,
    incident: &IncidentId,
    source: impl std::io::Read + Send + 'static,
    bytes_total: u64,
    wanted: &Wanted<'_>,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<EventsReport, ImportError> {
    let spool = Spool::new(objects.scratch());
    let (scanned, kept) = progress::keep(objects, source, bytes_total, wanted.mapping, &spool, progress).await?;
    let mut report = EventsReport {
        file_name: shown_name(wanted.file_name, "attempts"),
        rows_read: scanned.rows_read,
        attempts: 0,
        repeated: 0,
        conflicting: Refused::default(),
        refused: scanned.refused,
        already_imported: false,
        replaced: false,
        total: Ratio::default(),
        mapping: scanned.mapping,
    };
    if let Some(name) = wanted.save_as {
        store.save_mapping(name, &scanned.columns, &report.mapping, wanted.by).await?;
    }
    let mut before: Vec<(String, Spilled)> = Vec::new();
    for _ in 0..TRIES {
        let known = earlier(store, incident).await?;
        if let Some(report) = repeated(&known, &kept.sha256, &report.mapping)? {
            return Ok(report);
        }
        let replaces = known.iter().any(|import| import.sha256 == kept.sha256);
        let others: Vec<&ImportRecord> = known.iter().filter(|import| import.sha256 != kept.sha256).collect();
        let mut files = Vec::with_capacity(others.len() + 1);
        for import in &others {
            if !before.iter().any(|(sha256, _)| *sha256 == import.sha256) {
                before.push((import.sha256.clone(), scan_again(objects, import, &spool).await?.rows));
            }
            files.extend(before.iter().find(|(sha256, _)| *sha256 == import.sha256).map(|(_, rows)| rows.clone()));
        }
        files.push(scanned.rows.clone());
        let (joined, bins) = tokio::task::spawn_blocking(move || minutes(&files)).await??;
        (report.attempts, report.repeated) = (joined.new, joined.repeated);
        report.conflicting = joined.conflicting.told();
        (report.total, report.replaced) = (Ratio::pooled(&bins), replaces);
        let signal = signal(bins, others.into_iter().map(|import| import.sha256.clone()).collect());
        let import = NewImport {
            kind: ImportKind::Events,
            file_name: &report.file_name,
            sha256: &kept.sha256,
            options: &options(wanted.mapping)?,
            object_key: &kept.key,
            diagnostics: &[],
            report: serde_json::to_value(&report).map_err(|error| ImportError::Refused(error.to_string()))?,
        };
        if store.replace_signal(incident, &signal, Some(&import), wanted.by).await? == Replaced::Done {
            return Ok(report);
        }
    }
    Err(ImportError::Busy)
}

/// The signal of the attempts in these files, as they came; none where there are none.
pub(super) async fn signal_of(objects: &Objects, imports: &[ImportRecord]) -> Result<Option<NewSignal>, ImportError> {
    if imports.is_empty() {
        return Ok(None);
    }
    let spool = Spool::new(objects.scratch());
    let mut files = Vec::with_capacity(imports.len());
    for import in imports {
        files.push(scan_again(objects, import, &spool).await?.rows);
    }
    let (_, bins) = tokio::task::spawn_blocking(move || minutes(&files)).await??;
    Ok(Some(signal(bins, imports.iter().map(|import| import.sha256.clone()).collect())))
}

/// Computes the signal anew from the files as they came; how the attempts stand then, or none where no file was imported.
pub async fn recompute(
    store: &Store,
    objects: &Objects,
    incident: &IncidentId,
    by: By<'_>,
) -> Result<Option<Ratio>, ImportError> {
    for _ in 0..TRIES {
        let known = earlier(store, incident).await?;
        let Some(signal) = signal_of(objects, &known).await? else { return Ok(None) };
        let total = Ratio::pooled(&signal.bins);
        if store.replace_signal(incident, &signal, None, by).await? == Replaced::Done {
            return Ok(Some(total));
        }
    }
    Err(ImportError::Busy)
}

/// The attempts of a file that belongs to no incident, each once.
pub fn attempts_of(path: &Path, mapping: &Mapping, scratch: &Path) -> Result<AttemptTable, ImportError> {
    let unreadable = |error| ImportError::Unreadable { path: path.to_owned(), error };
    let spool = Spool::new(scratch);
    let scanned = scan(Pieces::new(File::open(path).map_err(unreadable)?)?, mapping, &spool, |_| {})?;
    AttemptTable::of(&[scanned.rows], &[scanned.mapping.labels])
}

/// How many threads read and join.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The files of attempts that were imported before, in their order.
async fn earlier(store: &Store, incident: &IncidentId) -> Result<Vec<ImportRecord>, ImportError> {
    Ok(store.list_imports(incident, ImportKind::Events).await?)
}

/// The report of the import that the same bytes had in the same way: as asked then, or as settled then.
fn repeated(known: &[ImportRecord], sha256: &str, mapping: &Mapping) -> Result<Option<EventsReport>, ImportError> {
    let options = options(mapping)?;
    let Some(same) = known.iter().find(|import| import.sha256 == sha256) else { return Ok(None) };
    let report = serde_json::from_value::<EventsReport>(same.report.clone()).ok();
    let report = report.filter(|report| same.options == options || report.mapping == *mapping);
    Ok(report.map(|report| EventsReport { already_imported: true, ..report }))
}

/// A mapping as an import is recorded with it: the same words whenever it is the same.
fn options(mapping: &Mapping) -> Result<String, ImportError> {
    if mapping.is_empty() {
        return Ok(String::new());
    }
    serde_json::to_string(mapping).map_err(|error| ImportError::Refused(error.to_string()))
}

/// Reads a file that was imported, in the very way in which it was read then.
async fn scan_again(objects: &Objects, import: &ImportRecord, spool: &Spool) -> Result<Scanned, ImportError> {
    let report = serde_json::from_value::<EventsReport>(import.report.clone());
    let mapping = report.map(|report| report.mapping).unwrap_or_default();
    let (source, spool) = (objects.read(&import.object_key).await?, spool.clone());
    let scan = move || scan(Pieces::new(source)?, &mapping, &spool, |_| {});
    tokio::task::spawn_blocking(scan).await?.map_err(|error| error.of(&import.file_name))
}

/// The bins that hold an attempt, in order of time.
fn minutes(files: &[Spilled]) -> Result<(Joined, Vec<Bin>), ImportError> {
    let bin = i64::from(BIN_SECONDS) * 1000;
    let (joined, counted) = join(files, HashMap::<i64, (u64, u64)>::new, |minutes, _, entry| {
        let minute = minutes.entry(entry.row.at.div_euclid(bin)).or_default();
        minute.0 += u64::from(entry.row.failed);
        minute.1 += 1;
    })?;
    let mut minutes = std::collections::BTreeMap::<i64, (u64, u64)>::new();
    for (minute, (failed, all)) in counted.into_iter().flatten() {
        let sum = minutes.entry(minute).or_default();
        *sum = (sum.0 + failed, sum.1 + all);
    }
    let bins = minutes.into_iter().filter_map(|(minute, (numerator, denominator))| {
        let at = DateTime::from_timestamp(minute * i64::from(BIN_SECONDS), 0)?;
        Some(Bin { at, numerator, denominator })
    });
    Ok((joined, bins.collect()))
}

fn signal(bins: Vec<Bin>, computed_from: Vec<String>) -> NewSignal {
    NewSignal {
        title: "Failed attempts".to_owned(),
        numerator_unit: "failed attempts".to_owned(),
        denominator_unit: "attempts".to_owned(),
        bin_seconds: BIN_SECONDS,
        floor: DEFAULT_FLOOR,
        bins,
        computed_from,
    }
}
