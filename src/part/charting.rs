//! The chart of an incident, loaded beside its facts.

use leptos::prelude::*;

use super::{Here, Part};
use crate::chart::{Charted, Figure};
use crate::view::view;

/// The part.
pub struct Charting;

impl Part for Charting {
    const NAME: &'static str = "charting";
}

/// The chart, its buttons and its caption.
#[inline(never)]
pub fn figure(_: Here<Charting>, charted: Charted) -> AnyView {
    view! { <Figure charted/> }
}
