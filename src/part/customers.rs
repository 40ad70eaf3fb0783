//! Customers: how many were affected, who they are, and the message to the cohort.

use leptos::prelude::*;

use super::{Here, Part};
use crate::pages::incident::{CohortSection, Shown};
use crate::view::view;

/// The part.
pub struct OfCustomers;

impl Part for OfCustomers {
    const NAME: &'static str = "customers";
}

/// The section of an incident's page.
#[inline(never)]
pub fn section(_: Here<OfCustomers>, shown: Shown) -> AnyView {
    view! { <CohortSection shown/> }
}
