//! What a chart has besides its drawing: its table, the tools below it, and what moves it.

use chrono::{DateTime, Utc};
use leptos::prelude::*;

use super::{Here, Part};
use crate::chart::{self, Hands, Plotted, Scene, Table, Tools};
use crate::state::zone::Zone;
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

/// Its legend, and what it can be saved as.
#[inline(never)]
pub fn tools(_: Here<Exploring>, plotted: Plotted) -> AnyView {
    view! { <Tools plotted/> }
}

/// What is known at an instant.
#[inline(never)]
pub fn tooltip(_: Here<Exploring>, scene: &Scene, at: DateTime<Utc>, zone: &Zone) -> String {
    chart::tooltip(scene, at, zone)
}

/// The timeline's marks, what moves it by hand and by keys, and what brings it to paper.
#[inline(never)]
pub fn hands(_: Here<Exploring>, plotted: Plotted) -> AnyView {
    view! { <Hands plotted/> }
}
