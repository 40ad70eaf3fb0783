//! Bringing a load test's summary in as evidence. The file is not kept, since it may hold a script with secrets; its
//! hash is.

use domain::IncidentId;
use domain::evidence::EvidenceKind;
use domain::wire::evidence::EvidenceReport;
use sha2::{Digest, Sha256};

use super::load_test::parse;
use super::{ImportError, shown_name};
use crate::digest::hex;
use crate::store::{AddedEvidence, By, ReadLoadTest, Store};

/// Imports a load test's summary. The same file a second time changes nothing.
pub async fn import_load_test(
    store: &Store,
    incident: &IncidentId,
    bytes: &[u8],
    file_name: &str,
    by: By<'_>,
) -> Result<EvidenceReport, ImportError> {
    let name = shown_name(file_name, "load test");
    let test = parse(bytes, &name)?;
    let title = format!("{} load test: {name}", test.tool.label());
    let evidence =
        AddedEvidence { title: Some(&title), kind: EvidenceKind::LoadTest, link: None, captured_at: test.captured_at };
    let sha256 = hex(&Sha256::digest(bytes));
    let read = ReadLoadTest { sha256: &sha256, file_name: &name, test: &test };
    match store.add_load_test(incident, &evidence, &read, by).await? {
        Some((added, evidence)) => Ok(EvidenceReport { added, evidence }),
        None => Err(ImportError::Refused(format!("there is no incident {incident}"))),
    }
}
