//! `debrief parse`.

use std::path::PathBuf;

use chrono::NaiveDate;

use super::DataFolder;
use crate::import::postmortem::{Options, Zone, given_zone, parse};

/// Read a post-mortem and print what was understood of it; nothing is stored.
///
/// The exit status is 0 whenever the file could be read, however little was understood: see the diagnostics.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: debrief parse checkout.txt --date 2026-07-09 --json")]
pub struct Parse {
    /// The document
    file: PathBuf,
    /// The day that times without a date belong to
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = super::day)]
    date: Option<NaiveDate>,
    /// The zone of times where the document names none, or only an abbreviation that several zones have: an offset such as +02:00, or a region such as Europe/Berlin
    #[arg(long, value_name = "ZONE", value_parser = given_zone, allow_hyphen_values = true)]
    zone: Option<Zone>,
    /// Print JSON: {"incidents": […], "diagnostics": […]}
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataFolder,
}

impl Parse {
    /// Reads and prints.
    pub fn run(self) -> anyhow::Result<()> {
        let parsed = parse(&super::read_file(&self.file)?, &Options { date: self.date, zone: self.zone });
        if self.json {
            return super::write(&(serde_json::to_string_pretty(&parsed)? + "\n"));
        }
        let mut text = String::new();
        for incident in &parsed.incidents {
            text.push_str(&super::import::describe(incident));
        }
        if parsed.incidents.is_empty() {
            text.push_str("no incident was recognised\n");
        }
        for diagnostic in &parsed.diagnostics {
            let line = format!("{}: {diagnostic}\n", super::file_name(&self.file));
            text.push_str(&line);
        }
        super::print(&text)
    }
}
