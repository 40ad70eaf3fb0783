//! What stands far below on an incident's page, and comes after its chart.

use domain::EvidenceNumber;
use leptos::prelude::*;

use super::{Here, Part};
use crate::pages::incident::{self, CohortSection, Comparison, Diagnostics, ImportedFiles, Shown, ValueList};
use crate::view::view;

/// The part.
pub struct Below;

impl Part for Below {
    const NAME: &'static str = "below";
}

/// The rates before, during and after, with their intervals.
#[inline(never)]
pub fn comparison(_: Here<Below>, shown: Shown) -> AnyView {
    view! { <Comparison shown/> }
}

/// Whom the incident affected, and who is to be written to.
#[inline(never)]
pub fn cohort(_: Here<Below>, shown: Shown) -> AnyView {
    view! { <CohortSection shown/> }
}

/// The files that were imported, and what of the document was not understood.
#[inline(never)]
pub fn files(_: Here<Below>, shown: Shown) -> AnyView {
    view! { <ImportedFiles shown/><ValueList shown/><Diagnostics shown/> }
}

/// The file that a source is.
#[inline(never)]
pub fn attached(_: Here<Below>, shown: Shown, number: EvidenceNumber) -> AnyView {
    incident::attached(shown, number)
}
