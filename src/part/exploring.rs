//! What a chart has besides its drawing: its table, its legend, and what it is taken away as.

use leptos::prelude::*;

use super::{Here, Part};
use crate::chart::{Legend, Plotted, Table, Take, take};
use crate::components::Asking;
use crate::view::view;

/// The part.
pub struct Exploring;

impl Part for Exploring {
    const NAME: &'static str = "exploring";
}

/// The chart's numbers.
#[inline(never)]
pub fn table(_: Here<Exploring>, plotted: Plotted) -> AnyView {
    view! { <Table plotted/> }
}

/// What the chart shows, each to be switched off.
#[inline(never)]
pub fn legend(_: Here<Exploring>, plotted: Plotted) -> AnyView {
    view! { <Legend plotted/> }
}

/// Gives the chart, as it is shown, as a file; says so where it cannot.
#[inline(never)]
pub fn take_away(_: Here<Exploring>, plotted: Plotted, as_what: Take, asking: Asking) {
    if let Err(why) = take(plotted, as_what, asking) {
        asking.fail(why);
    }
}
