//! Evidence: the numbered sources that figures and sentences rest on.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::EvidenceNumber;
use crate::load_test::LoadTest;
use crate::words::words;

words!(
    /// What sort of source a piece of evidence is.
    EvidenceKind {
        /// Log lines.
        Log = "log", "Log";
        /// Recorded events, such as checkout attempts.
        Events = "events", "Events";
        /// A metric over time.
        Metric = "metric", "Metric";
        /// A ledger of accounts.
        Ledger = "ledger", "Ledger";
        /// A text.
        Document = "document", "Document";
        /// The result of a load test.
        LoadTest = "load_test", "Load test";
        /// An address elsewhere.
        Link = "link", "Link";
    }
);

/// One numbered source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Evidence {
    /// The number under which the text cites it.
    pub number: EvidenceNumber,
    /// The version that an edit must name.
    pub version: i64,
    /// What it is called; null until somebody gives it a title.
    pub title: Option<String>,
    /// What sort of source it is.
    pub kind: EvidenceKind,
    /// Where it can be seen.
    pub link: Option<String>,
    /// When it was taken.
    pub captured_at: Option<DateTime<Utc>>,
    /// When it was removed. Its number stays, since the text may cite it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_at: Option<DateTime<Utc>>,
    /// What the file said, where it is an imported load test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_test: Option<Box<ImportedLoadTest>>,
}

impl Evidence {
    /// The source as a page, a share or an export tells it: of one that was removed, that it was there and until when.
    #[must_use]
    pub fn told(self) -> Self {
        if self.removed_at.is_none() {
            return self;
        }
        Self { title: None, link: None, captured_at: None, load_test: None, ..self }
    }
}

/// A load test's file that was imported. The file itself is not kept, since it may hold a script with secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ImportedLoadTest {
    /// The file's name.
    pub file_name: String,
    /// The file's SHA-256, in hexadecimal.
    pub sha256: String,
    /// When it was imported.
    pub imported_at: DateTime<Utc>,
    /// What it said.
    pub test: LoadTest,
}

/// A place in the prose that cites evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Citation {
    /// JSON pointer to the field ("/`key_points`/0").
    pub field: String,
    /// How many characters of the field's text come before the place.
    pub offset: u32,
    /// The numbers cited there, in order.
    pub evidence: Vec<EvidenceNumber>,
}
