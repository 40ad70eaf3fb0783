//! `debrief recompute`.

use super::DataFolder;
use crate::clock;
use crate::import::{events, signals};
use crate::store::By;

/// Compute what follows from an incident's imported files anew, from the files as they came.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: debrief recompute INC-1")]
pub struct Recompute {
    /// The incident's id, or its short name (INC-1)
    incident: String,
    #[command(flatten)]
    data: DataFolder,
}

impl Recompute {
    /// Computes and reports.
    pub async fn run(self) -> anyhow::Result<()> {
        let opened = self.data.open_existing().await?;
        let incident = opened.incident(&self.incident).await?;
        let by = By { actor: super::user::ACTOR, now: clock::now() };
        let values = signals::recompute(&opened.store, &opened.objects, &incident, by).await?;
        if values > 0 {
            super::print(&format!("read again: {values} imports of plain values\n"))?;
        }
        match events::recompute(&opened.store, &opened.objects, &incident, by).await? {
            Some(total) => super::print(&format!(
                "computed anew: {} of {} attempts failed in all\n",
                total.numerator, total.denominator
            )),
            None if values > 0 => Ok(()),
            None => super::print("nothing to compute: no log of attempts was imported\n"),
        }
    }
}
