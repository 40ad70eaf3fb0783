//! Where an incident's page has its chart: what can be said before the part that draws it is here.

use std::sync::Arc;

use domain::person::Role;
use domain::wire::incidents::Dashboard;
use leptos::prelude::*;

use super::marks::Marked;
use super::scene;
use crate::part;
use crate::state::session::Session;
use crate::state::zone::Zone;
use crate::view::view;

/// What the chart and its parts share.
#[derive(Clone, Copy)]
pub struct Charted {
    /// The incident.
    pub dashboard: Memo<Arc<Dashboard>>,
    /// The zone that times are shown in.
    pub zone: Memo<Zone>,
    /// The timeline entry that is pointed at, here or in the list.
    pub marked: Marked,
    /// The share link that the incident is read under, if it is.
    pub link: Option<Memo<String>>,
    /// Becomes true once the chart is drawn, or will not be: what may come after it begins then.
    pub settled: RwSignal<bool>,
}

/// The error rate against the flags' states, and whatever else there is on the same axis, tied to the timeline.
#[component]
pub fn IncidentChart(
    /// What it shares with its parts.
    charted: Charted,
) -> impl IntoView {
    let session = Session::get();
    let dashboard = charted.dashboard;
    let is_empty = Memo::new(move |_| scene::is_empty(&dashboard.read()));
    view! {
        <section class="chart" aria-labelledby="chart">
            {move || if is_empty.get() {
                charted.settled.set(true);
                let may_import = charted.link.is_none() && session.is(Role::Editor);
                let command = may_import.then(|| view! { ": "<code>{["debrief import events ", &dashboard.read().name, " FILE"].concat()}</code> });
                view! {
                    <h2 id="chart">"Error rate against the flag"</h2>
                    <p class="empty">"No events have been imported"{command}</p>
                }
                .into_any()
            } else {
                part::apart("chart", move |here| part::charting::figure(here, charted))
            }}
        </section>
    }
}
