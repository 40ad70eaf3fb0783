//! The tracker: the action items of every incident. Filters, order and how far one has read are in the address.
//!
//! More items come with a button rather than by scrolling in a window of fixed rows: rows wrap on a phone, so that none has
//! a fixed height, and what was read stays there for the keyboard, for a screen reader, for the browser's own search and
//! for printing.

mod bulk;
mod filters;
mod row;
mod words;

use std::collections::BTreeSet;

use domain::ActionId;
use domain::filter::ActionQuery;
use domain::person::Role;
use domain::wire::page::{DEFAULT_LIMIT, MAX_LIMIT};
use domain::wire::tracker::{TrackerCounts, TrackerItem};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use self::bulk::Bulk;
use self::filters::{Filters, Head, Views};
use crate::client::{self, Failure};
use crate::components::{Fetched, Loaded};
use crate::state::address::{self, Address};
use crate::state::place::{Focused, Title};
use crate::state::session::Session;
use crate::state::{live, zone};
use crate::view::view;
use crate::{format, route};

/// The most items on one page; whoever needs more narrows the list, or takes the table.
const MOST: u32 = 1000;

/// What the parts of the page share.
#[derive(Clone, Copy)]
struct Tracker {
    /// What the address asks for.
    query: Memo<ActionQuery>,
    address: Address,
    /// How far the reading of the list has come.
    fetched: RwSignal<Fetched<()>>,
    items: RwSignal<Vec<TrackerItem>>,
    next: RwSignal<Option<String>>,
    counts: RwSignal<Option<TrackerCounts>>,
    selected: RwSignal<BTreeSet<ActionId>>,
    /// Whether the reader may change any of them.
    may_change: Memo<bool>,
    /// What a screen reader is told.
    said: RwSignal<String>,
}

/// The tracker.
#[component]
pub fn ActionsPage() -> impl IntoView {
    Title::get().set("Action items");
    let pairs = address::queries(&ActionQuery::KEYS);
    let query = Memo::new(move |_| ActionQuery::read(pairs.read().iter().map(|(key, value)| (*key, value.as_str()))).0);
    let rows = address::query(route::ROWS);
    let (session, counts) = (Session::get(), RwSignal::new(None::<TrackerCounts>));
    let tracker = Tracker {
        query,
        address: Address::get(),
        fetched: RwSignal::new(Fetched::Loading),
        items: RwSignal::new(Vec::new()),
        next: RwSignal::new(None),
        counts,
        selected: RwSignal::new(BTreeSet::new()),
        // Whoever may not edit incidents may still own an item.
        may_change: Memo::new(move |_| {
            session.is(Role::Editor) || counts.read().as_ref().is_some_and(|counts| counts.mine > 0)
        }),
        said: RwSignal::new(String::new()),
    };
    let fetch = move || {
        let wanted = rows.get_untracked().and_then(|rows| rows.parse().ok()).unwrap_or(DEFAULT_LIMIT);
        spawn_local(tracker.load(wanted.clamp(1, MOST)));
        spawn_local(tracker.count());
    };
    Effect::new(move || {
        query.track();
        fetch();
    });
    live::follow(
        |_| true,
        move || {
            spawn_local(tracker.reread());
            spawn_local(tracker.count());
        },
    );
    view! {
        <section class="stack tracker">
            <div class="bar">
                <div>
                    <h1>"Action items"</h1>
                    <p class="lede">{move || tracker.counts.read().as_ref().map(|counts| words::summary(counts, &tracker.query.read().filter))}</p>
                </div>
                <a class="ghost do" href=move || client::tracker::csv(&query.read()) download="">"Export CSV"</a>
            </div>
            <Views tracker/>
            <Filters tracker/>
            <Bulk tracker/>
            <p class="vh" role="status" aria-live="polite">{tracker.said}</p>
            <Loaded below=true fetched=tracker.fetched retry=fetch what="list of action items" content=move || view! { <List tracker/> }/>
        </section>
    }
}

impl Tracker {
    /// Reads the list from its beginning, as far as it was on screen.
    async fn load(self, wanted: u32) {
        let asked = self.query.get_untracked();
        let answer = read(&asked, wanted, None).await;
        // An answer to a query that has changed meanwhile comes too late.
        if self.query.try_get_untracked().is_none_or(|now| now != asked) {
            return;
        }
        match answer {
            Ok((items, next)) => {
                self.selected.update(|selected| selected.retain(|id| items.iter().any(|item| item.action.id == *id)));
                self.said.set(words::found(items.len(), next.is_some()));
                self.items.set(items);
                self.next.set(next);
                self.fetched.set(Fetched::There(().into()));
            }
            Err(failure) => self.fetched.set(Fetched::Failed(failure.message())),
        }
    }

    /// Reads again what is on screen, because it may have changed elsewhere. What cannot be read stays as it is.
    async fn reread(self) {
        let (asked, there) = (self.query.get_untracked(), self.items.read_untracked().len());
        let wanted = u32::try_from(there).unwrap_or(MOST).clamp(DEFAULT_LIMIT, MOST);
        let Ok((items, next)) = read(&asked, wanted, None).await else { return };
        let is_late = self.query.try_get_untracked().is_none_or(|now| now != asked)
            || self.items.read_untracked().len() != there
            || self.fetched.with_untracked(|fetched| fetched.value().is_none());
        if is_late || *self.items.read_untracked() == items {
            return;
        }
        self.selected.update(|selected| selected.retain(|id| items.iter().any(|item| item.action.id == *id)));
        if let Some(focused) = Focused::now() {
            focused.keep();
        }
        self.items.set(items);
        self.next.set(next);
    }

    /// Reads the next items, and leads the keyboard to the first of them.
    async fn more(self, cursor: String, failed: RwSignal<Option<String>>) {
        let asked = self.query.get_untracked();
        let answer = read(&asked, DEFAULT_LIMIT, Some(cursor.clone())).await;
        if self.next.try_get_untracked().flatten() != Some(cursor) {
            return;
        }
        match answer {
            Ok((items, next)) => {
                let first = items.first().map(|item| row::element(&item.action.id));
                self.items.update(|all| all.extend(items));
                self.next.set(next);
                failed.set(None);
                let there = self.items.read_untracked().len();
                self.said.set(words::found(there, self.next.read_untracked().is_some()));
                self.address.keep(route::ROWS, Some(&there.to_string()));
                request_animation_frame(move || focus(&first.unwrap_or_default()));
            }
            Err(failure) => failed.set(Some(failure.message())),
        }
    }

    /// Counts again.
    async fn count(self) {
        let asked = self.query.get_untracked();
        if let Ok(counts) = client::tracker::counts(&asked).await {
            let _ = self.counts.try_set(Some(counts));
        }
    }
}

/// Gives the focus to the element of this name.
fn focus(id: &str) {
    if let Some(element) = document().get_element_by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

async fn read(
    query: &ActionQuery,
    wanted: u32,
    mut cursor: Option<String>,
) -> Result<(Vec<TrackerItem>, Option<String>), Failure> {
    let mut items = Vec::new();
    let mut missing = wanted;
    loop {
        let page = client::tracker::list(query, missing.min(MAX_LIMIT), cursor.as_deref()).await?;
        missing = missing.saturating_sub(u32::try_from(page.items.len()).unwrap_or(wanted));
        items.extend(page.items);
        cursor = page.next;
        if missing == 0 || cursor.is_none() {
            return Ok((items, cursor));
        }
    }
}

#[component]
fn List(tracker: Tracker) -> impl IntoView {
    let (failed, zone) = (RwSignal::new(None::<String>), zone::kept());
    move || {
        if tracker.items.read().is_empty() {
            return view! { <Empty tracker/> };
        }
        let columns = move || if tracker.may_change.get() { "6" } else { "5" };
        let order = tracker.query.get_untracked();
        let mut before = String::new();
        let (items, zone) = (tracker.items.read(), zone.get());
        let mut rows: Vec<AnyView> = Vec::with_capacity(items.len());
        for item in items.iter() {
            let group = words::group(item, &order);
            if group != before {
                before.clone_from(&group);
                rows.push(view! { <tr class="group"><th colspan=columns scope="rowgroup">{group}</th></tr> });
            }
            rows.push(row::row(tracker, item, zone.as_deref()));
        }
        view! {
            <table class="actions track" class:fixed=move || !tracker.may_change.get()>
                <Head tracker/>
                <tbody>{rows}</tbody>
            </table>
            {move || failed.get().map(|reason| view! { <p class="error" role="alert">{reason}</p> })}
            {move || tracker.next.get().map(|cursor| {
                let there = tracker.items.read().len();
                if there < MOST as usize {
                    view! {
                        <p class="row do">
                            <button class="ghost" on:click=move |_| spawn_local(tracker.more(cursor.clone(), failed))>
                                "Show more"
                            </button>
                            <span class="meta">{format::counted(there, "item", "items")}" shown"</span>
                        </p>
                    }
                } else {
                    view! {
                        <p class="meta">
                            {format::counted(there, "item is", "items are")}
                            " shown. Narrow the list to see the others, or export it."
                        </p>
                    }
                }
            })}
        }
    }
}

#[component]
fn Empty(tracker: Tracker) -> impl IntoView {
    if tracker.query.read_untracked().filter == domain::filter::ActionFilter::default() {
        view! {
            <div class="empty">
                <h2>"No action items yet"</h2>
                <p>"They come with the post-mortem that an incident is imported from."</p>
            </div>
        }
    } else {
        let all = route::with_zone(route::ACTIONS, zone::kept().get_untracked().as_deref());
        let (heading, text) = words::nothing(&tracker.query.read_untracked().filter);
        view! {
            <div class="empty">
                <h2>{heading}</h2>
                <p>{text}</p>
                <p><a href=all>"Show all action items"</a></p>
            </div>
        }
    }
}
