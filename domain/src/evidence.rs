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
    /// The file that it is, where it is one that is kept here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Box<EvidenceFile>>,
    /// Whether it is a file that is not shown under a share link, since it may tell of customers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withheld: bool,
}

impl Evidence {
    /// The source as a page, a share or an export tells it: of one that was removed, that it was there and until when.
    #[must_use]
    pub fn told(self) -> Self {
        if self.removed_at.is_none() {
            return self;
        }
        Self { title: None, link: None, captured_at: None, load_test: None, file: None, ..self }
    }

    /// The source as a share link shows it: without the file that it is.
    #[must_use]
    pub fn shared(self) -> Self {
        Self { withheld: self.file.is_some(), file: None, ..self }
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

words!(
    /// What a file is, told from its content.
    MediaType {
        /// A picture.
        Png = "image/png", "PNG picture";
        /// A picture.
        Jpeg = "image/jpeg", "JPEG picture";
        /// A picture.
        Webp = "image/webp", "WebP picture";
        /// A picture that does not move.
        Gif = "image/gif", "GIF picture";
        /// Text in UTF-8, such as a log.
        Text = "text/plain", "Text";
        /// A table.
        Csv = "text/csv", "CSV table";
        /// JSON.
        Json = "application/json", "JSON";
        /// A document.
        Pdf = "application/pdf", "PDF document";
    }
);

impl MediaType {
    /// Whether a browser shows it as a picture.
    #[must_use]
    pub const fn is_picture(self) -> bool {
        matches!(self, Self::Png | Self::Jpeg | Self::Webp | Self::Gif)
    }

    /// Whether it is text in UTF-8, whatever it says.
    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Csv | Self::Json)
    }

    /// What sort of source such a file usually is.
    #[must_use]
    pub const fn usual_kind(self) -> EvidenceKind {
        match self {
            Self::Png | Self::Jpeg | Self::Webp | Self::Gif => EvidenceKind::Metric,
            Self::Text => EvidenceKind::Log,
            Self::Csv | Self::Json | Self::Pdf => EvidenceKind::Document,
        }
    }
}

/// A file that is evidence, kept beside the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EvidenceFile {
    /// The file's name as it was given.
    pub file_name: String,
    /// What it is, told from its content.
    pub media: MediaType,
    /// How many bytes are kept.
    pub bytes: u64,
    /// A picture's width in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// A picture's height in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// What a picture shows, for whoever does not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether what a camera or a program had written into it (place, device, comments) was taken out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stripped: bool,
    /// SHA-256 of the bytes that are kept, in hexadecimal.
    pub sha256: String,
    /// When it was added.
    pub added_at: DateTime<Utc>,
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
