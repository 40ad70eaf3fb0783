//! The chart: the error rate against the flags' states, with everything else that is on the same axis.
//!
//! A scene, the option made of it, and the words for it are pure and hold the tests; components draw. All but where the
//! chart stands on the page is reached through `src/part` alone.

mod axis;
mod brush;
mod canvas;
mod dress;
mod echarts;
mod explore;
mod figure;
mod finer;
mod incident;
mod json;
mod lanes;
mod legend;
mod marks;
mod option;
mod paper;
mod picture;
mod scene;
mod table;
mod ticks;
mod words;

pub use explore::{Hands, Tools};
pub use figure::{Figure, Plotted};
pub use incident::{Charted, IncidentChart};
pub use marks::Marked;
pub use scene::Scene;
pub use table::Table;
pub use words::tooltip;
