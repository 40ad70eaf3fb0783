//! Importing plain values from a Prometheus server.

use leptos::prelude::*;

use super::{Here, Part};
use crate::pages::incident::{self, Shown};

/// The part.
pub struct ImportPrometheus;

impl Part for ImportPrometheus {
    const NAME: &'static str = "import_prometheus";
}

/// The form.
#[inline(never)]
pub fn form(_: Here<ImportPrometheus>, shown: Shown) -> AnyView {
    incident::import_answer(shown)
}
