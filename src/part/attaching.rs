//! Adding a file or a picture as evidence.

use leptos::prelude::*;

use super::{Here, Part};
use crate::pages::incident::{self, Shown};

/// The part.
pub struct Attaching;

impl Part for Attaching {
    const NAME: &'static str = "attaching";
}

/// The form.
#[inline(never)]
pub fn form(_: Here<Attaching>, shown: Shown, is_open: RwSignal<bool>, outcome: RwSignal<String>) -> AnyView {
    incident::attach(shown, is_open, outcome)
}
