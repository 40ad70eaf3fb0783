//! The chart: the error rate against the flags' states. Options and words are pure and tested; one component draws.

mod echarts;
mod incident;
mod option;
mod words;

pub use incident::IncidentChart;
