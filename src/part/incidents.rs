//! The list of incidents.

use leptos::prelude::*;

use super::{Here, Part};
use crate::pages::incidents::IncidentsPage;
use crate::view::view;

/// The part.
pub struct Incidents;

impl Part for Incidents {
    const NAME: &'static str = "incidents";
}

/// The page.
#[inline(never)]
pub fn page(_: Here<Incidents>) -> AnyView {
    view! { <IncidentsPage/> }
}
