//! `debrief import signals`.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use anyhow::{Context, bail};
use chrono::{DateTime, Utc};
use domain::incident::Window;
use domain::mapping::TimeFormat;
use domain::signal::first_view;
use domain::wire::instant::checked;
use domain::wire::signals::{PrometheusQuery, SignalsReport, ValueMapping};

use super::prometheus::PrometheusFile;
use super::{DataFolder, Opened, file_name};
use crate::clock;
use crate::import::signals::{import_answer, import_csv, preview_answer, preview_csv};
use crate::store::By;

/// How much of a file is looked at.
const HEAD: u64 = 1 << 20;

/// How many steps the first view is asked for in, where no step is said.
const STEPS: i64 = 360;

/// Bring in plain values over time: a CSV file of times and values, or what a Prometheus server answers.
///
/// A file's first line names its columns: one of times, found by a usual name (time, timestamp, ts) or as --time says, and
/// others of numbers, each a signal. It may be compressed with gzip or zstd. A Prometheus server is asked by its name in
/// prometheus.toml or by its address; its answer is kept with the question, so that it outlives what the server keeps.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  debrief import signals INC-1 queue.csv --unit jobs --zone Europe/Berlin
  debrief import signals INC-1 --prometheus main --query 'sum by (queue) (queue_length)' --step 30
  debrief import signals INC-1 --prometheus http://127.0.0.1:9090 --query up --from 2026-07-09T09:00:00Z --until 2026-07-09T11:00:00Z")]
pub struct Signals {
    /// The incident's id, or its short name (INC-1)
    incident: String,
    /// The CSV file
    #[arg(required_unless_present = "prometheus", conflicts_with = "prometheus")]
    file: Option<PathBuf>,
    /// Say what would be read, and store nothing
    #[arg(long)]
    preview: bool,
    /// What the values are called, where there is one column or series of them; its own name where not said
    #[arg(long)]
    title: Option<String>,
    /// What one of the values is, such as s, bytes or jobs
    #[arg(long)]
    unit: Option<String>,
    #[command(flatten)]
    columns: Columns,
    #[command(flatten)]
    asked: Asked,
    #[command(flatten)]
    servers: PrometheusFile,
    #[command(flatten)]
    data: DataFolder,
}

/// How a file is read.
#[derive(Debug, clap::Args)]
struct Columns {
    /// Of a file: the column of times
    #[arg(long, value_name = "COLUMN")]
    time: Option<String>,
    /// Of a file: a column of values; every other one that holds numbers unless said
    #[arg(long, value_name = "COLUMN")]
    value: Vec<String>,
    /// Of a file: how times are written: `written`, `epoch_seconds` or `epoch_millis`; decided from the column unless said
    #[arg(long, value_name = "FORMAT")]
    time_format: Option<TimeFormat>,
    /// Of a file: the zone of times that name none: an offset such as +02:00, or a region such as Europe/Berlin
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    zone: Option<String>,
}

/// What a Prometheus server is asked.
#[derive(Debug, clap::Args)]
struct Asked {
    /// The Prometheus server: its name in prometheus.toml, or its address
    #[arg(long, value_name = "NAME|ADDRESS", requires = "query")]
    prometheus: Option<String>,
    /// The query, in `PromQL`
    #[arg(long, requires = "prometheus")]
    query: Option<String>,
    /// The first instant asked for; half an hour before the incident's window unless said
    #[arg(long, value_name = "TIME", requires = "prometheus", value_parser = checked)]
    from: Option<DateTime<Utc>>,
    /// The last instant asked for; half an hour after the incident's window unless said
    #[arg(long, value_name = "TIME", requires = "prometheus", value_parser = checked)]
    until: Option<DateTime<Utc>>,
    /// How many seconds lie between two instants asked for; a few hundred steps unless said
    #[arg(long, value_name = "SECONDS", requires = "prometheus")]
    step: Option<u32>,
}

impl Signals {
    /// Imports and reports.
    pub async fn run(self) -> anyhow::Result<()> {
        let opened = self.data.open_existing().await?;
        let incident = opened.incident(&self.incident).await?;
        let by = By { actor: super::user::ACTOR, now: clock::now() };
        let Some(file) = &self.file else {
            let (servers, query) = self.question(&opened, &incident).await?;
            let answer = servers.range(&query).await?;
            let report = if self.preview {
                preview_answer(&answer, &query)?
            } else {
                import_answer(&opened.store, &opened.objects, &incident, answer, &query, by).await?
            };
            return told(&report);
        };
        let mapping = ValueMapping {
            time: self.columns.time.clone(),
            values: self.columns.value.clone(),
            time_format: self.columns.time_format,
            zone: self.columns.zone.clone(),
            title: self.title.clone(),
            unit: self.unit.clone(),
        };
        let failed = || format!("{} was not imported", file.display());
        let mut source = File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
        let name = file_name(file);
        let report = if self.preview {
            let mut head = Vec::new();
            source.by_ref().take(HEAD).read_to_end(&mut head).with_context(failed)?;
            preview_csv(&head, &name, &mapping)
        } else {
            import_csv(&opened.store, &opened.objects, &incident, source, (&name, &mapping), by).await
        };
        told(&report.with_context(failed)?)
    }

    /// The server, and what it is asked.
    async fn question(
        &self,
        opened: &Opened,
        incident: &domain::IncidentId,
    ) -> anyhow::Result<(crate::prometheus::Servers, PrometheusQuery)> {
        let asked = &self.asked;
        let wanted = asked.prometheus.as_deref().unwrap_or_default();
        let (servers, server) = self.servers.find(&self.data.folder, wanted)?;
        let stored = opened.store.load_incident(incident).await?.context("the incident is gone")?;
        let view = first_view(Window::of(stored.started_at, stored.ended_at), None);
        let from = asked.from.or(view.map(|view| view.from));
        let until = asked.until.or(view.map(|view| view.until));
        let (Some(from), Some(until)) = (from, until) else {
            bail!("the incident has no window yet; say --from and --until");
        };
        let fitting = ((until - from).num_seconds() / STEPS).clamp(1, i64::from(u32::MAX));
        let query = PrometheusQuery {
            server,
            query: asked.query.clone().unwrap_or_default(),
            from,
            until,
            step_seconds: asked.step.unwrap_or_else(|| u32::try_from(fitting).unwrap_or(u32::MAX)),
            title: self.title.clone(),
            unit: self.unit.clone(),
        };
        if let Some(fault) = query.faults().into_iter().next() {
            bail!("{}", fault.message);
        }
        Ok((servers, query))
    }
}

fn told(report: &SignalsReport) -> anyhow::Result<()> {
    match &report.trouble {
        Some(trouble) => bail!("{} cannot be imported so: {trouble}", report.file_name),
        None => super::print(&format!("{report}\n")),
    }
}
