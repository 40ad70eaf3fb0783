//! Importing telemetry: what can be imported, and what the forms of its kinds share.

use leptos::prelude::*;

use super::{Here, Part};
use crate::pages::incident::{ImportForm, Shown};
use crate::view::view;

/// The part.
pub struct Importing;

impl Part for Importing {
    const NAME: &'static str = "importing";
}

/// Where it is chosen what is imported, with the form of that.
#[inline(never)]
pub fn form(_: Here<Importing>, shown: Shown) -> AnyView {
    view! { <ImportForm shown/> }
}
