//! Importing a log of attempts.

use leptos::prelude::*;

use super::{Here, Part};
use crate::pages::incident::{ImportForm, Shown};
use crate::view::view;

/// The part.
pub struct Importing;

impl Part for Importing {
    const NAME: &'static str = "importing";
}

/// Where a file is chosen, looked at, mapped and sent.
#[inline(never)]
pub fn form(_: Here<Importing>, shown: Shown) -> AnyView {
    view! { <ImportForm shown/> }
}
