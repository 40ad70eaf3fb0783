//! What a chart has besides its drawing: its table, the tools below it, and what moves it.

use leptos::prelude::*;

use super::{Here, Part};
use crate::chart::{Hands, Plotted, Table, Tools};
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

/// Its legend, what it can be saved as, and what it says in words.
#[inline(never)]
pub fn tools(_: Here<Exploring>, plotted: Plotted) -> AnyView {
    view! { <Tools plotted/> }
}

/// What moves it by hand and by keys, and brings it to paper.
#[inline(never)]
pub fn hands(_: Here<Exploring>, plotted: Plotted) -> AnyView {
    view! { <Hands plotted/> }
}
