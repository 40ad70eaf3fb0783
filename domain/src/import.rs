//! Imports: the files and answers that an incident's telemetry was brought in from.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::ImportId;
use crate::words::words;

words!(
    /// What an imported file holds.
    ImportKind {
        /// The written post-mortem.
        Postmortem = "postmortem", "Post-mortem";
        /// Attempts, each completed or failed.
        Events = "events", "Events";
        /// Changes of feature flags.
        Flags = "flags", "Flags";
        /// Deploys of services.
        Deploys = "deploys", "Deploys";
        /// Plain values over time.
        Values = "values", "Values";
        /// Plain values that a Prometheus server answered.
        Prometheus = "prometheus", "Values from Prometheus";
    }
);

/// A file, or a Prometheus server's answer, that was imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ImportedFile {
    /// The import's id.
    pub id: ImportId,
    /// What the file holds.
    pub kind: ImportKind,
    /// The file's name as it was given, or what the answer is called.
    pub file_name: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// When it was imported.
    pub imported_at: DateTime<Utc>,
}
