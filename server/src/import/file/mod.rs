//! Files that are evidence: what a file is, told from its content and never from its name or from whoever sends it.

mod gif;
mod jpeg;
mod picture;
#[cfg(test)]
mod tests;
mod text;

use bytes::Bytes;
use domain::IncidentId;
use domain::evidence::{EvidenceFile, EvidenceKind, MediaType};
use domain::wire::evidence::EvidenceReport;
use sha2::{Digest as _, Sha256};

use super::{ImportError, shown_name};
use crate::digest::hex;
use crate::store::{AddedEvidence, AddedFile, By, Objects, Store};

/// The most pixels that a picture may have on a side.
pub const MAX_SIDE: u32 = 20_000;

/// The most pixels that a picture may have in all: a browser takes four bytes for each.
pub const MAX_PIXELS: u64 = 50_000_000;

/// What is taken, for whoever sent something else.
const TAKEN: &str = "a picture (PNG, JPEG, WebP, GIF), text in UTF-8 (a log, CSV, JSON), or a PDF document";

/// A file that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// What it is.
    pub media: MediaType,
    /// A picture's width and height.
    pub size: Option<(u32, u32)>,
    /// What is kept of it: a picture without what tells where and by whom it was taken; all else as it came.
    pub bytes: Bytes,
}

/// What is said of a file that is to be evidence.
#[derive(Debug, Clone, Default)]
pub struct About<'a> {
    /// The file's name.
    pub name: &'a str,
    /// What the evidence is called; the file's name where nothing is said.
    pub title: Option<&'a str>,
    /// What a picture shows.
    pub description: Option<&'a str>,
    /// What sort of source it is; the usual one for such a file where nothing is said.
    pub kind: Option<EvidenceKind>,
    /// When it was taken.
    pub captured_at: Option<chrono::DateTime<chrono::Utc>>,
}

/// Tells what a file is; a sentence where it is nothing that is taken.
pub fn look(bytes: &Bytes) -> Result<Seen, String> {
    if bytes.is_empty() {
        return Err("the file is empty".to_owned());
    }
    if bytes.starts_with(b"%PDF-") {
        return Ok(Seen { media: MediaType::Pdf, size: None, bytes: bytes.clone() });
    }
    if let Some(media) = picture::media(bytes) {
        let (size, kept) = picture::read(media, bytes)?;
        let (width, height) = size;
        if width.max(height) > MAX_SIDE || u64::from(width) * u64::from(height) > MAX_PIXELS {
            return Err(format!(
                "the picture has {width} × {height} pixels; it may have {MAX_SIDE} on a side and {} million in all",
                MAX_PIXELS / 1_000_000
            ));
        }
        return Ok(Seen { media, size: Some(size), bytes: kept });
    }
    let media = text::media(bytes).map_err(|why| format!("{why}; evidence may be {TAKEN}"))?;
    Ok(Seen { media, size: None, bytes: bytes.clone() })
}

/// Adds a file as evidence, and keeps it. The same file a second time changes nothing.
pub async fn add_file(
    store: &Store,
    objects: &Objects,
    incident: &IncidentId,
    bytes: Bytes,
    about: &About<'_>,
    by: By<'_>,
) -> Result<EvidenceReport, ImportError> {
    let given = bytes.clone();
    let seen = tokio::task::spawn_blocking(move || look(&given)).await?.map_err(ImportError::Refused)?;
    let description = about.description.map(str::trim).filter(|text| !text.is_empty());
    if seen.media.is_picture() && description.is_none() {
        return Err(ImportError::Refused(
            "a picture needs a description: say what it shows, for whoever does not see it".to_owned(),
        ));
    }
    let name = shown_name(about.name, "file");
    let file = EvidenceFile {
        file_name: name.clone(),
        media: seen.media,
        bytes: seen.bytes.len() as u64,
        width: seen.size.map(|(width, _)| width),
        height: seen.size.map(|(_, height)| height),
        description: description.map(str::to_owned),
        stripped: seen.bytes != bytes,
        sha256: hex(&Sha256::digest(&seen.bytes)),
        added_at: by.now,
    };
    let kept = objects.put(&seen.bytes).await?;
    let evidence = AddedEvidence {
        title: Some(about.title.unwrap_or(&name)),
        kind: about.kind.unwrap_or(seen.media.usual_kind()),
        link: None,
        captured_at: about.captured_at,
    };
    let added = AddedFile { file: &file, object_key: &kept.key };
    match store.add_file(incident, &evidence, &added, by).await? {
        Some((added, evidence)) => Ok(EvidenceReport { added, evidence }),
        None => Err(ImportError::Refused(format!("there is no incident {incident}"))),
    }
}
