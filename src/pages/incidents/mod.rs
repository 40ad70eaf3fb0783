//! The list of incidents; its filters are in the address.

mod filters;
mod row;

use domain::filter::IncidentFilter;
use domain::wire::incidents::IncidentSummary;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::use_query_map;

use self::filters::Filters;
use self::row::IncidentRow;
use super::set_title;
use crate::client;
use crate::components::{Fetched, Loaded};

/// What has been fetched of the list.
struct Listed {
    items: RwSignal<Vec<IncidentSummary>>,
    next: RwSignal<Option<String>>,
}

/// The list of incidents.
#[component]
pub fn IncidentsPage() -> impl IntoView {
    set_title("Incidents");
    let query = use_query_map();
    let filter = Memo::new(move |_| {
        let query = query.read();
        IncidentFilter {
            q: query.get("q").filter(|q| !q.is_empty()),
            status: query.get("status").and_then(|word| word.parse().ok()),
            severity: query.get("severity").and_then(|word| word.parse().ok()),
        }
    });
    let fetched = RwSignal::new(Fetched::Loading);
    let fetch = move || {
        let filter = filter.get_untracked();
        spawn_local(async move {
            let answer = client::incidents::list(&filter, None).await;
            // What the filter has left behind meanwhile comes too late.
            if filter != filter_now(filter_signal(&fetched), filter.clone()) {
                return;
            }
            fetched.set(match answer {
                Ok(page) => {
                    Fetched::There(Listed { items: RwSignal::new(page.items), next: RwSignal::new(page.next) }.into())
                }
                Err(failure) => Fetched::Failed(failure.message()),
            });
        });
    };
    Effect::new(move || {
        filter.track();
        fetch();
    });
    view! {
        <section class="stack">
            <h1>"Incidents"</h1>
            <Filters filter/>
            <Loaded fetched retry=fetch what="the list of incidents" content=move || view! { <List fetched filter/> }/>
        </section>
    }
}
