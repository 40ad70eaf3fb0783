//! The chart: the error rate against the flags' states. Options and words are pure and tested; one component draws.

mod dress;
mod echarts;
mod incident;
mod marks;
mod option;
mod ticks;
mod words;

pub use incident::IncidentChart;
pub use marks::Marked;
