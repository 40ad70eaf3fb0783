//! The list of incidents; its filters are in the address.

mod filters;
mod row;

use domain::filter::IncidentFilter;
use domain::wire::incidents::IncidentSummary;
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::filters::Filters;
use self::row::IncidentRow;
use crate::components::{Fetched, Loaded};
use crate::state::place::Title;
use crate::state::{address, live};
use crate::view::view;
use crate::{client, format};

/// What has been fetched of the list.
struct Listed {
    items: RwSignal<Vec<IncidentSummary>>,
    next: RwSignal<Option<String>>,
}

/// The list of incidents.
#[component]
pub fn IncidentsPage() -> impl IntoView {
    Title::get().set("Incidents");
    let (words, status, severity) = (address::query("q"), address::query("status"), address::query("severity"));
    let filter = Memo::new(move |_| IncidentFilter {
        q: words.get().filter(|words| !words.is_empty()),
        status: status.get().and_then(|word| word.parse().ok()),
        severity: severity.get().and_then(|word| word.parse().ok()),
    });
    let fetched = RwSignal::<Fetched<Listed>>::new(Fetched::Loading);
    let busy = RwSignal::new(false);
    let fetch = move || {
        let asked = filter.get_untracked();
        busy.set(true);
        spawn_local(async move {
            let answer = client::incidents::list(&asked, None).await;
            // An answer to a filter that has changed meanwhile comes too late.
            if filter.try_get_untracked().is_none_or(|now| now != asked) {
                return;
            }
            busy.set(false);
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
    let found = move || {
        let listed = fetched.read().value()?;
        if busy.get() {
            return Some("Searching…".to_owned());
        }
        let more = if listed.next.read().is_some() { " or more" } else { "" };
        Some(format!("{}{more}", format::counted(listed.items.read().len(), "incident", "incidents")))
    };
    live::follow(|_| true, move || reread(fetched, filter));
    view! {
        <section class="stack" aria-busy=move || busy.get().then_some("true")>
            <h1>"Incidents"</h1>
            <Filters filter/>
            <p class="meta" role="status">{move || found()}</p>
            <Loaded below=true fetched retry=fetch what="list of incidents" content=move || view! { <List fetched filter/> }/>
        </section>
    }
}

/// Reads the first page again, and leaves on screen what was loaded beyond it.
fn reread(fetched: RwSignal<Fetched<Listed>>, filter: Memo<IncidentFilter>) {
    let asked = filter.get_untracked();
    spawn_local(async move {
        let Ok(page) = client::incidents::list(&asked, None).await else { return };
        let Some(listed) = fetched.try_get_untracked().and_then(|fetched| fetched.value()) else { return };
        if filter.try_get_untracked() != Some(asked) {
            return;
        }
        let shown = listed.items.get_untracked();
        let mut items = page.items;
        if shown.len() > items.len() && page.next.is_some() {
            let beyond = shown.into_iter().filter(|known| items.iter().all(|item| item.id != known.id));
            items.extend(beyond.collect::<Vec<_>>());
        } else {
            listed.next.set(page.next);
        }
        listed.items.set(items);
    });
}

#[component]
fn List(fetched: RwSignal<Fetched<Listed>>, filter: Memo<IncidentFilter>) -> impl IntoView {
    let failed = RwSignal::new(None::<String>);
    let more = move |cursor: String| {
        let asked = filter.get_untracked();
        spawn_local(async move {
            let answer = client::incidents::list(&asked, Some(&cursor)).await;
            let Some(listed) = fetched.try_get_untracked().and_then(|fetched| fetched.value()) else { return };
            if listed.next.get_untracked().as_ref() != Some(&cursor) {
                return;
            }
            match answer {
                Ok(page) => {
                    listed.items.update(|items| items.extend(page.items));
                    listed.next.set(page.next);
                    failed.set(None);
                }
                Err(failure) => failed.set(Some(failure.message())),
            }
        });
    };
    move || {
        let listed = fetched.get().value()?;
        if listed.items.read().is_empty() {
            return Some(view! { <Empty unfiltered=filter.get() == IncidentFilter::default()/> }.into_any());
        }
        let items = listed.items;
        let view = view! {
            <ul class="incidents">
                {move || items.get().into_iter().map(|incident| view! { <IncidentRow incident/> }).collect_view()}
            </ul>
            {move || failed.get().map(|reason| view! { <p class="error" role="alert">{reason}</p> })}
            {move || listed.next.get().map(|cursor| view! {
                <button class="ghost" on:click=move |_| more(cursor.clone())>"Load more"</button>
            })}
        };
        Some(view.into_any())
    }
}

#[component]
fn Empty(unfiltered: bool) -> impl IntoView {
    if unfiltered {
        view! {
            <div class="empty">
                <h2>"No incidents yet"</h2>
                <p>"Bring in a post-mortem, as text or Markdown:"</p>
                <pre><code>"debrief import postmortem FILE --date YYYY-MM-DD"</code></pre>
                <p>"It appears here by itself."</p>
            </div>
        }
        .into_any()
    } else {
        view! {
            <div class="empty">
                <h2>"No incident matches"</h2>
                <p>"Search for other words, or choose another status or severity."</p>
            </div>
        }
        .into_any()
    }
}
