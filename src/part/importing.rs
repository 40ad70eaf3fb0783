//! Importing telemetry.

use leptos::prelude::*;

use super::{Here, Part};
use crate::pages::incident::{AttachForm, ImportForm, Shown};
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

/// Where a file or a picture is added as evidence.
#[inline(never)]
pub fn attach(_: Here<Importing>, shown: Shown, is_open: RwSignal<bool>, outcome: RwSignal<String>) -> AnyView {
    view! { <AttachForm shown is_open outcome/> }
}
