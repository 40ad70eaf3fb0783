//! `debrief evidence`.

use std::path::PathBuf;

use anyhow::Context;
use chrono::{DateTime, Utc};
use domain::evidence::EvidenceKind;
use domain::wire::instant::checked;

use super::{DataFolder, file_name, read_file};
use crate::app::EVIDENCE_LIMIT;
use crate::clock;
use crate::import::file::{About, add_file};
use crate::store::By;

/// Add files and pictures as evidence.
#[derive(Debug, clap::Subcommand)]
pub enum Evidence {
    /// Add a file or a picture; prints its number
    Add(Add),
}

/// Add a file or a picture as evidence: a still picture (PNG, JPEG, WebP, GIF), text in UTF-8 (a log, CSV, JSON), or a PDF document.
///
/// What it is, is told from its content. What a camera wrote into a picture is taken out; a PDF keeps what it says of its author.
/// The same file a second time changes nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: debrief evidence add INC-1 p95.png --description 'p95 falls at 10:11'")]
pub struct Add {
    /// The incident's id, or its short name (INC-1)
    incident: String,
    /// The file
    file: PathBuf,
    /// What it is called; the file's name unless said
    #[arg(long)]
    title: Option<String>,
    /// What a picture shows, for whoever does not see it; a picture needs it
    #[arg(long)]
    description: Option<String>,
    /// What sort of source it is: log, events, metric, ledger or document; the usual one for such a file unless said
    #[arg(long)]
    kind: Option<EvidenceKind>,
    /// When it was taken, such as 2026-07-09T10:20:00Z
    #[arg(long, value_name = "TIME", value_parser = checked)]
    captured_at: Option<DateTime<Utc>>,
    #[command(flatten)]
    data: DataFolder,
}

impl Evidence {
    /// Does what is asked, and reports.
    pub async fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Add(command) => command.run().await,
        }
    }
}

impl Add {
    async fn run(self) -> anyhow::Result<()> {
        let opened = self.data.open_existing().await?;
        let incident = opened.incident(&self.incident).await?;
        let (bytes, name) = (read_file(&self.file)?, file_name(&self.file));
        anyhow::ensure!(
            bytes.len() <= EVIDENCE_LIMIT,
            "{name} has {} bytes; a file that is evidence may have {EVIDENCE_LIMIT}",
            bytes.len()
        );
        let about = About {
            name: &name,
            title: self.title.as_deref(),
            description: self.description.as_deref(),
            kind: self.kind,
            captured_at: self.captured_at,
        };
        let by = By { actor: super::user::ACTOR, now: clock::now() };
        let report = add_file(&opened.store, &opened.objects, &incident, bytes.into(), &about, by)
            .await
            .with_context(|| format!("{name} was not added"))?;
        let number = report.evidence.number;
        let said = if report.added { "added as" } else { "added before; nothing was changed. It is" };
        super::print(&format!("{name}: {said} evidence {number}\n"))
    }
}
