//! `debrief export`.

use anyhow::Context;

use super::DataFolder;
use crate::{dashboard, export};

/// Write an incident to standard output.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: debrief export INC-1 --format md > checkout.md")]
pub struct Export {
    /// The incident's id, or its short name (INC-1)
    incident: String,
    /// md: a document that imports again; json: the dashboard as the API answers it; csv: one table, safe in a spreadsheet
    #[arg(long, value_enum)]
    format: export::Format,
    #[command(flatten)]
    data: DataFolder,
}

impl Export {
    /// Writes the file.
    pub async fn run(self) -> anyhow::Result<()> {
        let opened = self.data.open().await?;
        let id = opened.incident(&self.incident).await?;
        let stored = opened.store.load_incident(&id).await?.context("the incident was deleted a moment ago")?;
        super::print(&export::write(&dashboard::assemble(stored), self.format))
    }
}
