//! `/incidents/{id}/evidence`: adding a source, giving it a title, removing it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::evidence::{Evidence, EvidenceKind};
use crate::wire::actions::{MAX_LINE, given, is_web_address, some};
use crate::wire::instant::maybe_instant;
use crate::wire::problem::FieldError;

/// The most characters of a link.
pub const MAX_LINK: usize = 2_000;

/// A new source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewEvidence {
    /// What it is called.
    pub title: String,
    /// What sort of source it is.
    pub kind: EvidenceKind,
    /// Where it can be seen: an http or https address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// When it was taken.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_instant")]
    pub captured_at: Option<DateTime<Utc>>,
}

/// What became of a file that was to be evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EvidenceReport {
    /// Whether it was added; false where the same file had been imported before, so that nothing was changed.
    pub added: bool,
    /// The evidence that it is.
    pub evidence: Evidence,
}

/// A change to a source: what is absent stays as it is, and null clears.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EvidencePatch {
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub title: Option<Option<String>>,
    /// What sort of source it is.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub kind: Option<EvidenceKind>,
    /// Where it can be seen.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub link: Option<Option<String>>,
    /// What the picture shows, where it is one.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub description: Option<Option<String>>,
}

/// A title on one line, and a link; empty ones are none.
pub fn checked(title: Option<&str>, link: Option<&str>) -> Result<(Option<String>, Option<String>), Vec<FieldError>> {
    let mut errors = Vec::new();
    let title = title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|t| !t.is_empty());
    if title.as_ref().is_some_and(|title| title.chars().count() > MAX_LINE) {
        errors.push(FieldError::new("/title", format!("a title may have {MAX_LINE} characters")));
    }
    let link = link.map(str::trim).filter(|link| !link.is_empty());
    if link.is_some_and(|link| link.len() > MAX_LINK) {
        errors.push(FieldError::new("/link", format!("a link may have {MAX_LINK} characters")));
    } else if link.is_some_and(|link| !is_web_address(link)) {
        errors.push(FieldError::new("/link", "a link begins with http:// or https://"));
    }
    if errors.is_empty() { Ok((title, link.map(str::to_owned))) } else { Err(errors) }
}
