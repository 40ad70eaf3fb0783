//! Checkout attempts: a CSV file becomes the per-minute rate of failed attempts.

mod join;
mod records;
mod rows;
mod table;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, Utc};
use domain::IncidentId;
use domain::signal::{DEFAULT_FLOOR, Ratio};
use serde::{Deserialize, Serialize};

use super::{ImportError, Progress, Refused, file_name};
use crate::digest::sha256_of;
use crate::store::{ImportKind, ImportRecord, Incoming, NewImport, NewSignal, Objects, Replaced, Store, StoredObject};
use join::{Attempts, Joined};
pub use table::{AttemptTable, Label, Names, attempts};

/// How often an import that others overtook is begun anew.
const TRIES: usize = 5;

/// How many rows pass between two reports of progress.
const STEP: u64 = 5000;

/// What was read of a file of attempts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventsReport {
    /// The file's name.
    pub file_name: String,
    /// Rows under the header.
    pub rows_read: u64,
    /// Attempts that were not known before.
    pub attempts: u64,
    /// Rows that repeat an attempt word for word, in this file or an earlier one.
    pub repeated: u64,
    /// Rows that give a known attempt other content; the first is kept.
    pub conflicting: Refused,
    /// Rows that could not be understood.
    pub refused: Refused,
    /// Whether the same bytes had been imported before, so that nothing was changed.
    pub already_imported: bool,
    /// The incident's signal, pooled over all files.
    pub total: Ratio,
}

impl std::fmt::Display for EventsReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.already_imported {
            write!(f, "{}: imported before; nothing was changed. It held ", self.file_name)?;
        } else {
            write!(f, "{}: ", self.file_name)?;
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

/// Imports a file of attempts: keeps it as it came, joins it with the incident's earlier files by attempt id, and
/// computes the signal anew from all of them.
pub async fn import_events(
    store: &Store,
    objects: &Objects,
    incident: &IncidentId,
    path: &Path,
    progress: &(dyn Fn(Progress) + Send + Sync),
    now: DateTime<Utc>,
) -> Result<EventsReport, ImportError> {
    for _ in 0..TRIES {
        let earlier = store.list_imports(incident, ImportKind::Events).await?;
        if let Some(report) = known_report(path, &earlier).await? {
            return Ok(report);
        }
        let attempts = join_earlier(objects, &earlier).await?;
        let (mut report, attempts, kept) = read_file(objects, path, attempts, progress).await?;
        if let Some(same) = earlier.iter().find(|import| import.sha256 == kept.sha256) {
            return Ok(repeated_report(same).unwrap_or(EventsReport { already_imported: true, ..report }));
        }
        let bins = attempts.bins();
        report.total = Ratio::pooled(&bins);
        let signal = NewSignal {
            title: "Failed attempts".to_owned(),
            numerator_unit: "failed attempts".to_owned(),
            denominator_unit: "attempts".to_owned(),
            bin_seconds: join::BIN_SECONDS,
            floor: DEFAULT_FLOOR,
            bins,
            computed_from: earlier.into_iter().map(|import| import.sha256).collect(),
        };
        let import = NewImport {
            kind: ImportKind::Events,
            file_name: &report.file_name,
            sha256: &kept.sha256,
            options: "",
            object_key: &kept.key,
            diagnostics: &[],
            report: serde_json::to_value(&report).map_err(|error| ImportError::Refused(error.to_string()))?,
        };
        if store.replace_signal(incident, &signal, Some(&import), now).await? == Replaced::Done {
            return Ok(report);
        }
    }
    Err(ImportError::Busy)
}

/// The report of the import that the same bytes had, found by their hash alone, before any row is read.
async fn known_report(path: &Path, earlier: &[ImportRecord]) -> Result<Option<EventsReport>, ImportError> {
    let unreadable = |error| ImportError::Unreadable { path: path.to_owned(), error };
    // What is no plain file (a pipe) can be read only once.
    if earlier.is_empty() || !tokio::fs::metadata(path).await.map_err(unreadable)?.is_file() {
        return Ok(None);
    }
    let file = File::open(path).map_err(unreadable)?;
    let sha256 = tokio::task::spawn_blocking(move || sha256_of(file)).await?.map_err(unreadable)?;
    Ok(earlier.iter().find(|import| import.sha256 == sha256).and_then(repeated_report))
}

fn repeated_report(same: &ImportRecord) -> Option<EventsReport> {
    let report: EventsReport = serde_json::from_value(same.report.clone()).ok()?;
    Some(EventsReport { already_imported: true, ..report })
}

/// The attempts of the files imported earlier, in the order of their import.
async fn join_earlier(objects: &Objects, earlier: &[ImportRecord]) -> Result<Attempts, ImportError> {
    let mut attempts = Attempts::default();
    for import in earlier {
        let source = objects.read(&import.object_key).await?;
        let work = move || -> Result<Attempts, ImportError> {
            rows::read(source, |_, row| {
                if let Ok(row) = row {
                    attempts.join(&row);
                }
            })?;
            Ok(attempts)
        };
        attempts = tokio::task::spawn_blocking(work).await??;
    }
    Ok(attempts)
}

async fn read_file(
    objects: &Objects,
    path: &Path,
    attempts: Attempts,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<(EventsReport, Attempts, StoredObject), ImportError> {
    let unreadable = |error| ImportError::Unreadable { path: path.to_owned(), error };
    let file = File::open(path).map_err(unreadable)?;
    let bytes_total = file.metadata().map_err(unreadable)?.len();
    let incoming = objects.begin().await?;
    let (tell, mut told) = tokio::sync::mpsc::channel(16);
    let name = file_name(path);
    let work = tokio::task::spawn_blocking(move || {
        let mut tee = Tee { file: BufReader::with_capacity(1 << 16, file), incoming, done: Arc::default() };
        let read = read_rows(&mut tee, attempts, name, bytes_total, &tell);
        match read {
            Ok((report, attempts)) => Ok((report, attempts, tee.incoming.finish()?)),
            Err(error) => {
                // The refusal is what the person must see, whatever becomes of the half-kept file.
                let _ = tee.incoming.abandon();
                Err(error)
            }
        }
    });
    while let Some(now) = told.recv().await {
        progress(now);
    }
    work.await?
}

fn read_rows(
    tee: &mut Tee,
    mut attempts: Attempts,
    file_name: String,
    bytes_total: u64,
    tell: &tokio::sync::mpsc::Sender<Progress>,
) -> Result<(EventsReport, Attempts), ImportError> {
    let mut report = EventsReport {
        file_name,
        rows_read: 0,
        attempts: 0,
        repeated: 0,
        conflicting: Refused::default(),
        refused: Refused::default(),
        already_imported: false,
        total: Ratio::default(),
    };
    let counted = tee.done.clone();
    rows::read(&mut *tee, |line, row| {
        report.rows_read += 1;
        match row.map(|row| (attempts.join(&row), row)) {
            Ok((Joined::New, _)) => report.attempts += 1,
            Ok((Joined::Repeated, _)) => report.repeated += 1,
            Ok((Joined::Conflicting, row)) => {
                let id = String::from_utf8_lossy(row.attempt_id);
                let reason = format!("attempt ‘{id}’ is known with other content; the first is kept");
                report.conflicting.add(line, reason);
            }
            Err(reason) => report.refused.add(line, reason),
        }
        if report.rows_read.is_multiple_of(STEP) {
            let bytes_done = counted.load(Ordering::Relaxed);
            let _ = tell.try_send(Progress { bytes_done, bytes_total, rows: report.rows_read });
        }
    })?;
    if report.rows_read == 0 {
        return Err(ImportError::Refused(
            "the file has a header and no rows; export it again with its rows".to_owned(),
        ));
    }
    if report.rows_read == report.refused.total {
        let first = report.refused.rows.first().map(|row| format!("line {}: {}", row.place, row.reason));
        return Err(ImportError::Refused(format!(
            "none of the {} rows could be read; {}",
            report.rows_read,
            first.unwrap_or_default()
        )));
    }
    let done = Progress { bytes_done: bytes_total, bytes_total, rows: report.rows_read };
    let _ = tell.blocking_send(done);
    Ok((report, attempts))
}

/// A file that is kept while it is read.
struct Tee {
    file: BufReader<File>,
    incoming: Incoming,
    done: Arc<AtomicU64>,
}

impl Read for Tee {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(into)?;
        self.incoming.take(&into[..length])?;
        self.done.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}
