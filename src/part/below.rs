//! What stands far below on an incident's page, and comes when the reader comes near it.

use leptos::prelude::*;

use super::{Here, Part};
use crate::pages::incident::{CohortSection, Comparison, End, EvidenceList, Shown};
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

/// The numbered sources, the files that were imported, what of the document was not understood, and the history.
#[inline(never)]
pub fn evidence(_: Here<Below>, shown: Shown) -> AnyView {
    view! { <EvidenceList shown/><End shown/> }
}
