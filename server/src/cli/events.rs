//! `debrief import events`.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context;
use domain::mapping::{Mapping, TimeFormat};
use domain::wire::imports::SavedMapping;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

use super::{DataFolder, file_name};
use crate::access::names::checked_name;
use crate::clock;
use crate::import::Progress;
use crate::import::events::{Sight, Wanted, import_file, preview};
use crate::store::By;

/// Bring in the log of attempts behind an incident: CSV with a header, or JSON with one object a line, plain or compressed
/// with gzip or zstd.
///
/// Columns are found by their usual names (ts, timestamp; `attempt_id`, id; `customer_id`, `user_id`; outcome, status;
/// `latency_ms`) or as --map says. Each attempt counts once, however often it stands in this file or in others.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  debrief import events INC-1 checkout-events.csv
  debrief import events INC-1 shop.ndjson.zst --preview
  debrief import events INC-1 shop.csv.gz --map time=when --completed ok --failed error --zone Europe/Berlin")]
pub struct Events {
    /// The incident's id, or its short name (INC-1)
    incident: String,
    /// The file
    file: PathBuf,
    /// Say what the columns are and what would be read, and store nothing
    #[arg(long)]
    preview: bool,
    #[command(flatten)]
    mapped: Mapped,
    #[command(flatten)]
    data: DataFolder,
}

/// How the file is to be read.
#[derive(Debug, clap::Args)]
struct Mapped {
    /// Which column holds the time, attempt, customer, outcome or latency (milliseconds)
    #[arg(long, value_name = "PART=COLUMN", value_parser = part_and_column)]
    map: Vec<(String, String)>,
    /// A further column to keep
    #[arg(long, value_name = "COLUMN")]
    label: Vec<String>,
    /// A word that means that an attempt completed, besides 'completed'
    #[arg(long, value_name = "WORD")]
    completed: Vec<String>,
    /// A word that means that an attempt failed, besides 'failed'
    #[arg(long, value_name = "WORD")]
    failed: Vec<String>,
    /// How times are written: `written`, `epoch_seconds` or `epoch_millis`; decided from the column unless said
    #[arg(long, value_name = "FORMAT")]
    time_format: Option<TimeFormat>,
    /// The zone of times that name none: an offset such as +02:00, or a region such as Europe/Berlin
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    zone: Option<String>,
    /// Read the file by the mapping that was saved under this name
    #[arg(long, value_name = "NAME")]
    mapping: Option<String>,
    /// Save the mapping under this name, to be proposed for files with the same columns
    #[arg(long, value_name = "NAME", value_parser = checked_name)]
    save_mapping: Option<String>,
}

/// `time=when`.
fn part_and_column(text: &str) -> Result<(String, String), String> {
    let (part, column) = text.split_once('=').ok_or("write PART=COLUMN, such as time=when")?;
    if Mapping::default().set(part, column.to_owned()) {
        Ok((part.to_owned(), column.to_owned()))
    } else {
        Err("a part is one of time, attempt, customer, outcome, latency".to_owned())
    }
}

impl Mapped {
    /// What is said, over what was saved.
    fn mapping(&self, saved: &[SavedMapping]) -> anyhow::Result<Mapping> {
        let mut mapping = match &self.mapping {
            None => Mapping::default(),
            Some(name) => {
                let found = saved.iter().find(|saved| saved.name == *name);
                found.with_context(|| format!("no mapping is saved as '{name}'"))?.mapping.clone()
            }
        };
        for (part, column) in &self.map {
            mapping.set(part, column.clone());
        }
        mapping.labels.extend(self.label.iter().cloned());
        mapping.completed.extend(self.completed.iter().cloned());
        mapping.failed.extend(self.failed.iter().cloned());
        mapping.time_format = self.time_format.or(mapping.time_format);
        mapping.zone = self.zone.clone().or(mapping.zone);
        Ok(mapping)
    }
}

impl Events {
    /// Imports and reports.
    pub async fn run(self) -> anyhow::Result<()> {
        let opened = self.data.open_existing().await?;
        let incident = opened.incident(&self.incident).await?;
        let saved = opened.store.list_mappings().await?;
        let mapping = self.mapped.mapping(&saved)?;
        let failed = || format!("{} was not imported", self.file.display());
        if self.preview {
            return super::print(&look(&self.file, &mapping, &saved)?);
        }
        let bar = ProgressBar::new(0);
        bar.set_style(ProgressStyle::with_template("{bar:30} {percent}% · {msg} · {bytes_per_sec} · {eta} left")?);
        let started = std::time::Instant::now();
        let progress = |progress: Progress| {
            bar.set_length(progress.bytes_total);
            bar.set_position(progress.bytes_done);
            let rate = u128::from(progress.rows) * 1000 / started.elapsed().as_millis().max(1);
            let rate = HumanCount(u64::try_from(rate).unwrap_or(u64::MAX));
            bar.set_message(format!("{} rows, {rate} a second", HumanCount(progress.rows)));
        };
        let wanted = Wanted {
            file_name: &file_name(&self.file),
            mapping: &mapping,
            save_as: self.mapped.save_mapping.as_deref(),
            by: By { actor: super::user::ACTOR, now: clock::now() },
        };
        let report = import_file(&opened.store, &opened.objects, &incident, &self.file, &wanted, &progress).await;
        bar.finish_and_clear();
        super::print(&format!("{}\n", report.with_context(failed)?))
    }
}

/// What the head of a file looks like.
fn look(path: &Path, mapping: &Mapping, saved: &[SavedMapping]) -> anyhow::Result<String> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let told =
        preview(file, mapping, saved, Sight::All).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut lines = vec![format!("{}: {}", file_name(path), told.shape)];
    for column in &told.columns {
        let part = told.mapping.part_of(&column.name).map(|part| format!(" = {part}")).unwrap_or_default();
        lines.push(format!("  {}{part}: {}", column.name, column.values.join(", ")));
    }
    if let Some(name) = &told.saved_as {
        lines.push(format!("the mapping saved as '{name}' is for these columns; --mapping '{name}' takes it"));
    }
    if !told.unknown_outcomes.is_empty() {
        let words = told.unknown_outcomes.join("’, ‘");
        lines.push(format!(
            "outcomes that are neither completed nor failed: ‘{words}’; say it with --completed and --failed"
        ));
    }
    lines.push(match &told.trouble {
        Some(trouble) => format!("it cannot be imported so: {trouble}"),
        None => format!("of its first {} rows, {} would be refused", told.rows_read, told.refused.total),
    });
    lines.extend(told.refused.rows.iter().take(20).map(|row| format!("  line {}: {}", row.place, row.reason)));
    Ok(lines.join("\n") + "\n")
}
