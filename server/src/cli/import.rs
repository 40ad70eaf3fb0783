//! `debrief import`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use chrono::NaiveDate;
use domain::draft::IncidentDraft;
use domain::wire::imports::ListReport;

use super::events::Events;
use super::signals::Signals;
use super::{DataFolder, file_name, read_file};
use crate::import::deploys::{Reading, import_deploys};
use crate::import::flags::import_given_flags;
use crate::import::listed::{Given, read_list};
use crate::import::postmortem::{Options, Zone, given_zone, parse};
use crate::import::{ImportError, Mode, import_postmortem};
use crate::store::{By, Created};
use crate::{clock, import};

/// Bring in a post-mortem or its telemetry.
#[derive(Debug, clap::Subcommand)]
pub enum Import {
    /// Bring in a post-mortem; prints the incident's id
    Postmortem(Postmortem),
    /// Bring in the log of attempts behind an incident
    Events(Events),
    /// Bring in the history of feature flags
    Flags(Flags),
    /// Bring in deploys of services
    Deploys(Deploys),
    /// Bring in plain values over time, from a CSV file or from Prometheus
    Signals(Signals),
    /// Bring in a load test's summary as evidence
    LoadTest(LoadTest),
}

/// Bring in a post-mortem, as text or Markdown; prints the incident's id.
///
/// What could not be understood is listed with its line and kept with the incident. The same document a second time
/// changes nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: debrief import postmortem checkout.txt --date 2026-07-09")]
pub struct Postmortem {
    /// The document
    file: PathBuf,
    /// The day of the incident: times without a date belong to it, and a due date without a year is the first such day on or after it
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = super::day)]
    date: Option<NaiveDate>,
    /// The zone of times where the document names none, or only an abbreviation that several zones have: an offset such as +02:00, or a region such as Europe/Berlin
    #[arg(long, value_name = "ZONE", value_parser = given_zone, allow_hyphen_values = true)]
    zone: Option<Zone>,
    /// Say what would be imported, and store nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    data: DataFolder,
}

/// Bring in the history of feature flags: a list of changes as JSON or CSV, or the event log of Unleash.
///
/// Each change has flag, state, `changed_at` (RFC 3339 with a zone), and optionally environment, `effective_at`, by and
/// comment, in any order of time. Of Unleash (`GET /api/admin/events`) the events that switch a flag are taken.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: debrief import flags INC-1 flag-changes.json")]
pub struct Flags {
    /// The incident's id, or its short name (INC-1)
    incident: String,
    /// The JSON or CSV file
    file: PathBuf,
    /// Say what would be brought in, and store nothing
    #[arg(long)]
    preview: bool,
    #[command(flatten)]
    data: DataFolder,
}

/// Bring in deploys of services, as marks on the time axis: a list as JSON or CSV.
///
/// Each deploy has a time (at, time, timestamp, `deployed_at`), a service (service, app, component) and a version (version, tag,
/// sha, revision), and optionally an environment, by and a link, in any order of time. The same deploy counts once.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  debrief import deploys INC-1 deploys.json
  debrief import deploys INC-1 checkout.csv --service checkout --zone Europe/Berlin --preview")]
pub struct Deploys {
    /// The incident's id, or its short name (INC-1)
    incident: String,
    /// The JSON or CSV file
    file: PathBuf,
    /// Say what would be brought in, and store nothing
    #[arg(long)]
    preview: bool,
    /// The zone of times that name none: an offset such as +02:00, or a region such as Europe/Berlin
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    zone: Option<String>,
    /// The service of deploys that name none
    #[arg(long, value_name = "NAME")]
    service: Option<String>,
    #[command(flatten)]
    data: DataFolder,
}

/// Bring in a load test's summary as evidence: of k6, vegeta, oha or Locust.
///
/// The file's figures and its hash are kept, the file is not, since it may hold a script with secrets. The same file a
/// second time changes nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: debrief import load-test INC-1 summary.json")]
pub struct LoadTest {
    /// The incident's id, or its short name (INC-1)
    incident: String,
    /// The summary, as the tool wrote it
    file: PathBuf,
    #[command(flatten)]
    data: DataFolder,
}

impl Import {
    /// Imports and reports.
    pub async fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Postmortem(command) => command.run().await,
            Self::Events(command) => command.run().await,
            Self::Flags(command) => command.run().await,
            Self::Deploys(command) => command.run().await,
            Self::Signals(command) => command.run().await,
            Self::LoadTest(command) => command.run().await,
        }
    }
}

impl Postmortem {
    async fn run(self) -> anyhow::Result<()> {
        let bytes = read_file(&self.file)?;
        let name = file_name(&self.file);
        let options = Options { date: self.date, zone: self.zone };
        let parsed = parse(&bytes, &options);
        for diagnostic in &parsed.diagnostics {
            super::warn(&format!("{name}: {diagnostic}"));
        }
        let draft = import::importable(&parsed).with_context(|| format!("{name} was not imported"))?;
        if self.dry_run {
            super::warn("nothing was stored (--dry-run); the import would bring in:");
            return super::print(&describe(draft));
        }
        let opened = self.data.open().await?;
        let created = import_postmortem(&opened.store, &opened.objects, &bytes, &name, &options, clock::now()).await?;
        let id = match created {
            Created::New { id, name } => {
                super::warn(format!("imported as {name}: {}", describe(draft)).trim_end());
                id
            }
            Created::Existing { id, name } => {
                super::warn(&format!("nothing changed: {name} was imported from this very document"));
                id
            }
        };
        super::print(&format!("{id}\n"))
    }
}

impl Flags {
    async fn run(self) -> anyhow::Result<()> {
        let opened = self.data.open_existing().await?;
        let incident = opened.incident(&self.incident).await?;
        let list = List::read(&self.file, self.preview).await?;
        tell(import_given_flags(&opened.store, &opened.objects, &incident, list.given()).await, &list)
    }
}

impl Deploys {
    async fn run(self) -> anyhow::Result<()> {
        let opened = self.data.open_existing().await?;
        let incident = opened.incident(&self.incident).await?;
        let list = List::read(&self.file, self.preview).await?;
        let reading = Reading { zone: self.zone, service: self.service };
        tell(import_deploys(&opened.store, &opened.objects, &incident, list.given(), &reading).await, &list)
    }
}

/// A list that was read, and what is to become of it.
struct List {
    bytes: Vec<u8>,
    name: String,
    mode: Mode,
}

impl List {
    async fn read(file: &Path, preview: bool) -> anyhow::Result<Self> {
        let mode = if preview { Mode::Preview } else { Mode::Import };
        let (name, bytes) = read_list(file).await?;
        Ok(Self { bytes, name, mode })
    }

    fn given(&self) -> Given<'_> {
        let by = By { actor: super::user::ACTOR, now: clock::now() };
        Given { bytes: &self.bytes, name: &self.name, by, mode: self.mode }
    }
}

/// Tells what became of a list.
fn tell(report: Result<ListReport, ImportError>, list: &List) -> anyhow::Result<()> {
    let report = report.with_context(|| format!("{} was not imported", list.name))?;
    if list.mode == Mode::Preview {
        super::warn("nothing was stored (--preview); the import would bring in:");
        for thing in &report.first {
            super::warn(&format!("  {} {}", thing.at.format("%Y-%m-%d %H:%M:%S UTC"), thing.what));
        }
    }
    super::print(&format!("{report}\n"))
}

impl LoadTest {
    async fn run(self) -> anyhow::Result<()> {
        let opened = self.data.open_existing().await?;
        let incident = opened.incident(&self.incident).await?;
        let bytes = read_file(&self.file)?;
        let by = By { actor: super::user::ACTOR, now: clock::now() };
        let report = import::import_load_test(&opened.store, &incident, &bytes, &file_name(&self.file), by)
            .await
            .with_context(|| format!("{} was not imported", self.file.display()))?;
        let (number, what) = (report.evidence.number, report.evidence.title.unwrap_or_default());
        let said = if report.added { "added" } else { "imported before; nothing was changed. It is" };
        super::print(&format!("{what}: {said} evidence {number}\n"))?;
        let Some(imported) = report.evidence.load_test else { return Ok(()) };
        let test = imported.test;
        let mut lines = String::new();
        for metric in &test.metrics {
            // Writing to a String cannot fail.
            let _ = writeln!(lines, "  {}: {}", metric.name, metric.quantity());
        }
        for note in [&test.percentile_basis, &test.error_basis].into_iter().chain(&test.notes) {
            let _ = writeln!(lines, "  {note}");
        }
        super::print(&lines)
    }
}

/// A draft in a few lines.
pub fn describe(draft: &IncidentDraft) -> String {
    let mut text = String::new();
    let mut line = |label: &str, value: &str| {
        if !value.is_empty() {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{label}{value}");
        }
    };
    line("", &draft.title);
    let time = |at: Option<chrono::DateTime<chrono::Utc>>| {
        at.map_or_else(|| "unknown".to_owned(), |at| at.format("%Y-%m-%d %H:%M UTC").to_string())
    };
    let severity = draft.severity.map_or("severity not stated", domain::incident::Severity::label);
    line(
        "  ",
        &format!("{severity}, {}, from {} to {}", draft.status.label(), time(draft.started_at), time(draft.ended_at)),
    );
    let counts = [
        (draft.key_points.len(), "key points"),
        (draft.impact.len(), "impact measures"),
        (draft.timeline.len(), "timeline entries"),
        (draft.actions.len(), "action items"),
        (draft.evidence.len(), "sources"),
    ];
    let counts: Vec<_> = counts.iter().map(|(count, what)| format!("{count} {what}")).collect();
    line("  ", &counts.join(", "));
    text
}
