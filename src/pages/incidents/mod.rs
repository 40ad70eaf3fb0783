//! The list of incidents; its filters are in the address.

mod filters;
mod row;

use domain::filter::IncidentFilter;
use domain::person::Role;
use domain::wire::incidents::IncidentSummary;
use domain::wire::page::{DEFAULT_LIMIT, MAX_LIMIT, Page};
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::filters::Filters;
use self::row::IncidentRow;
use crate::client::Failure;
use crate::components::{Fetched, Loaded};
use crate::state::place::Title;
use crate::state::session::Session;
use crate::state::{address, live};
use crate::view::view;
use crate::{client, format, route};

/// The most incidents that are read at once for whoever comes back.
const MOST: u32 = 1000;

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
    // How much was on screen is in the address, so that whoever comes back finds it there.
    let (rows, keep_rows) = (address::query(route::ROWS), address::keeper(route::ROWS));
    let fetched = RwSignal::<Fetched<Listed>>::new(Fetched::Loading);
    let busy = RwSignal::new(false);
    let fetch = move || {
        let asked = filter.get_untracked();
        let wanted = rows.get_untracked().and_then(|rows| rows.parse().ok()).unwrap_or(DEFAULT_LIMIT).clamp(1, MOST);
        busy.set(true);
        spawn_local(async move {
            let answer = read(&asked, wanted).await;
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
    Effect::new(move |before: Option<IncidentFilter>| {
        let now = filter.get();
        if before.is_some_and(|before| before != now) {
            keep_rows(None);
        }
        fetch();
        now
    });
    let found = move || {
        let listed = fetched.read().value()?;
        if busy.get() {
            return Some("Searching…".to_owned());
        }
        let more = if listed.next.read().is_some() { " or more" } else { "" };
        Some(format!("{}{more}", format::counted(listed.items.read().len(), "incident", "incidents")))
    };
    let again = RwSignal::new(0);
    // What failed is fetched anew; what is on screen is read again where it stands.
    let refresh = move || {
        if fetched.with_untracked(|fetched| fetched.value().is_some()) {
            reread(fetched, filter, again);
        } else {
            fetch();
        }
    };
    live::follow(|_| true, refresh);
    Effect::new(move || {
        if again.get() > 0 {
            refresh();
        }
    });
    view! {
        <section class="stack" aria-busy=move || busy.get().then_some("true")>
            <h1>"Incidents"</h1>
            <Filters filter/>
            <p class="meta" role="status">{move || found()}</p>
            <Loaded below=true fetched retry=fetch what="list of incidents" content=move || view! { <List fetched filter/> }/>
        </section>
    }
}

/// Reads again what is on screen.
fn reread(fetched: RwSignal<Fetched<Listed>>, filter: Memo<IncidentFilter>, again: RwSignal<u32>) {
    let asked = filter.get_untracked();
    let there = fetched.with_untracked(Fetched::value).map_or(0, |listed| listed.items.read_untracked().len());
    let wanted = u32::try_from(there).unwrap_or(MOST).clamp(DEFAULT_LIMIT, MOST);
    spawn_local(async move {
        let page = match read(&asked, wanted).await {
            Ok(page) => page,
            Err(failure) => return live::try_later(again, &failure),
        };
        let Some(listed) = fetched.try_get_untracked().and_then(|fetched| fetched.value()) else { return };
        // What was loaded beyond it meanwhile is not taken away.
        if filter.try_get_untracked() != Some(asked) || listed.items.read_untracked().len() > there {
            return;
        }
        listed.next.set(page.next);
        listed.items.set(page.items);
    });
}

/// The first so many incidents that pass the filter, in as many requests as that takes.
async fn read(filter: &IncidentFilter, wanted: u32) -> Result<Page<IncidentSummary>, Failure> {
    let mut all = client::incidents::list(filter, wanted.min(MAX_LIMIT), None).await?;
    while let (Some(cursor), Some(missing)) =
        (&all.next, wanted.checked_sub(u32::try_from(all.items.len()).unwrap_or(wanted)))
        && missing > 0
    {
        let page = client::incidents::list(filter, missing.min(MAX_LIMIT), Some(cursor)).await?;
        all.items.extend(page.items);
        all.next = page.next;
    }
    Ok(all)
}

#[component]
fn List(fetched: RwSignal<Fetched<Listed>>, filter: Memo<IncidentFilter>) -> impl IntoView {
    let (failed, keep_rows) = (RwSignal::new(None::<String>), address::keeper(route::ROWS));
    let session = Session::get();
    let more = move |cursor: String| {
        let asked = filter.get_untracked();
        spawn_local(async move {
            let answer = client::incidents::list(&asked, DEFAULT_LIMIT, Some(&cursor)).await;
            let Some(listed) = fetched.try_get_untracked().and_then(|fetched| fetched.value()) else { return };
            if listed.next.get_untracked().as_ref() != Some(&cursor) {
                return;
            }
            match answer {
                Ok(page) => {
                    listed.items.update(|items| items.extend(page.items));
                    listed.next.set(page.next);
                    keep_rows(Some(listed.items.read_untracked().len().to_string()));
                    failed.set(None);
                }
                Err(failure) => failed.set(Some(failure.message())),
            }
        });
    };
    move || {
        let listed = fetched.get().value()?;
        if listed.items.read().is_empty() {
            return Some(view! { <Empty unfiltered=filter.get() == IncidentFilter::default() may_import=session.is(Role::Editor)/> }.into_any());
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
fn Empty(unfiltered: bool, may_import: bool) -> impl IntoView {
    if unfiltered {
        view! {
            <div class="empty">
                <h2>"No incidents yet"</h2>
                {if may_import {
                    view! {
                        <p>"Bring in a post-mortem, as text or Markdown:"</p>
                        <pre><code>"debrief import postmortem FILE --date YYYY-MM-DD"</code></pre>
                    }
                } else {
                    view! { <p>"There is none, or none that you may see."</p> }
                }}
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
