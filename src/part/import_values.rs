//! Importing plain values from a CSV file.

use leptos::prelude::*;

use super::{Here, Part};
use crate::pages::incident::{self, Shown};

/// The part.
pub struct ImportValues;

impl Part for ImportValues {
    const NAME: &'static str = "import_values";
}

/// The form.
#[inline(never)]
pub fn form(_: Here<ImportValues>, shown: Shown) -> AnyView {
    incident::import_values(shown)
}
