//! Exports: an incident, or the tracker, as a file. What is on screen, in its order; no HTTP and no SQL here.

pub mod cohort;
mod csv;
mod markdown;
pub mod signals;
pub mod tracker;

use domain::wire::incidents::Dashboard;

/// The formats an incident is exported in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Markdown, which imports again.
    Md,
    /// The dashboard as the API answers it, less who may see it.
    Json,
    /// One row for each measure, timeline entry, action item, note and source.
    Csv,
}

impl Format {
    /// The media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Md => "text/markdown; charset=utf-8",
            Self::Json => "application/json",
            Self::Csv => "text/csv; charset=utf-8",
        }
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Md => "md",
            Self::Json => "json",
            Self::Csv => "csv",
        })
    }
}

impl std::str::FromStr for Format {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [Self::Md, Self::Json, Self::Csv].into_iter().find(|format| format.to_string() == text).ok_or(())
    }
}

/// Writes an incident in a format.
pub fn write(dashboard: &Dashboard, format: Format) -> String {
    match format {
        Format::Md => markdown::write(dashboard),
        Format::Csv => csv::write(dashboard),
        Format::Json => {
            let dashboard = Dashboard { access: None, claim_proposals: Vec::new(), ..dashboard.clone() };
            let mut json = serde_json::to_string_pretty(&dashboard).unwrap_or_default();
            json.push('\n');
            json
        }
    }
}

/// An instant as both exports write it.
fn instant(at: Option<chrono::DateTime<chrono::Utc>>) -> String {
    at.map(|at| at.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
