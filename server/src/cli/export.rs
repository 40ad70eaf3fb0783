//! `debrief export`.

use anyhow::Context;

use super::DataFolder;
use crate::turn::Turn;
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
        let opened = self.data.open_existing().await?;
        let id = opened.incident(&self.incident).await?;
        let dashboard = dashboard::load(&opened.store, &opened.objects, &Turn::default(), &id).await?;
        let dashboard = dashboard.context("the incident was deleted a moment ago")?;
        super::write(&export::write(&dashboard, self.format))
    }
}
