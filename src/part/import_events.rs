//! Importing a log of attempts.

use leptos::prelude::*;

use super::{Here, Part};
use crate::pages::incident::{self, Shown};

/// The part.
pub struct ImportEvents;

impl Part for ImportEvents {
    const NAME: &'static str = "import_events";
}

/// The form.
#[inline(never)]
pub fn form(_: Here<ImportEvents>, shown: Shown) -> AnyView {
    incident::import_events(shown)
}
