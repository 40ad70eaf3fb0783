//! The chart.
use crate::state::zone::Zone;
use domain::wire::incidents::Dashboard;
use leptos::prelude::*;
use std::sync::Arc;
/// The chart.
#[component]
pub fn IncidentChart(
    dashboard: Signal<Arc<Dashboard>>,
    zone: Signal<Zone>,
    marked: RwSignal<Option<usize>>,
) -> impl IntoView {
    let _ = (dashboard, zone, marked);
}
