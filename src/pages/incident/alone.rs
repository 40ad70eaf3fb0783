//! One action item by itself: all that an owner has of it who may not see its incident.

use std::sync::Arc;

use domain::filter::{ActionFilter, ActionQuery};
use domain::person::Role;
use domain::wire::page::MAX_LIMIT;
use domain::wire::tracker::TrackerItem;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::Around;
use super::editor::Editor;
use super::history::History;
use super::notes::Notes;
use super::proof::Proof;
use super::proved::shown_by;
use super::signs::Signs;
use crate::client::history::Of;
use crate::client::{self, Failure};
use crate::components::{ActionBadge, Fetched, Line, Loaded};
use crate::state::place::Title;
use crate::state::session::Session;
use crate::state::zone::{self, Choice};
use crate::state::{clock, live};
use crate::view::view;
use crate::{format, route};

const NONE: &str =
    "There is no such action item, or it is not yours. Actions, in the bar, lists those that you may see.";

/// The page of one action item.
#[component]
pub fn ItemPage(
    /// The incident's short name, and the item's number there.
    place: Memo<(String, String)>,
) -> impl IntoView {
    let title = Title::get();
    let fetched = RwSignal::new(Fetched::<TrackerItem>::Loading);
    let again = RwSignal::new(0);
    let fetch = move || {
        let asked = place.get_untracked();
        spawn_local(async move {
            let answer = read(&asked.0, &asked.1).await;
            // The page may be gone, or show another.
            if fetched.is_disposed() || place.try_get_untracked().is_none_or(|now| now != asked) {
                return;
            }
            match answer {
                Ok(Some(item)) => {
                    title.set(&item.action.change);
                    fetched.set(Fetched::There(item.into()));
                }
                Ok(None) => {
                    title.set("Action item");
                    fetched.set(Fetched::Failed(NONE.to_owned()));
                }
                // What is on screen stays there; the next refresh may succeed.
                Err(failure) if fetched.with_untracked(|fetched| fetched.value().is_some()) => {
                    live::try_later(again, &failure);
                }
                Err(failure) => fetched.set(Fetched::Failed(failure.message())),
            }
        });
    };
    let concerns = move |action: &domain::wire::changes::Change| {
        fetched.with_untracked(|fetched| {
            fetched.value().is_none_or(|shown| action.action_id.as_ref() == Some(&shown.action.id))
        })
    };
    live::follow(concerns, fetch);
    Effect::new(move |before: Option<(String, String)>| {
        again.track();
        let now = place.get();
        if before.is_some_and(|before| before != now) {
            fetched.set(Fetched::Loading);
        }
        fetch();
        now
    });
    view! {
        <Loaded fetched retry=fetch what="action item" content=move || view! { <Alone fetched refresh=fetch/> }/>
    }
}

/// The item of this number, with its notes; none where it is not there for whoever asks.
async fn read(incident: &str, number: &str) -> Result<Option<TrackerItem>, Failure> {
    let filter = ActionFilter { incident: Some(incident.to_owned()), ..ActionFilter::default() };
    let query = ActionQuery { filter, ..ActionQuery::default() };
    let mut cursor = None;
    loop {
        let page = client::tracker::list(&query, MAX_LIMIT, cursor.as_deref()).await?;
        if let Some(mut item) = page.items.into_iter().find(|item| item.number.to_string() == number) {
            item.action.notes = Some(client::actions::notes(item.action.id.as_str()).await?.items);
            return Ok(Some(item));
        }
        cursor = page.next;
        if cursor.is_none() {
            return Ok(None);
        }
    }
}

#[component]
fn Alone(fetched: RwSignal<Fetched<TrackerItem>>, refresh: impl Fn() + Send + Sync + 'static) -> impl IntoView {
    let first = fetched.with_untracked(Fetched::value)?;
    let action = RwSignal::new(first.action.clone());
    let item = Memo::new_with_compare(
        move |_| fetched.read().value().unwrap_or_else(|| first.clone()),
        |before, now| before.map(Arc::as_ptr) != now.map(Arc::as_ptr),
    );
    Effect::new(move || {
        let now = item.get();
        if action.with_untracked(|shown| shown.id != now.action.id || shown.version <= now.action.version) {
            action.set(now.action.clone());
        }
    });
    let choice = zone::choice();
    let around = Around {
        zone: Memo::new(move |_| choice.get().zone(&item.read().incident.home_zone)),
        today: Memo::new(move |_| format::day(clock::now(), &Choice::Incident.zone(&item.read().incident.home_zone))),
        refresh: Callback::new(move |()| refresh()),
        shared: false,
        incident: None,
    };
    let (session, said) = (Session::get(), RwSignal::new(String::new()));
    let may_update = Memo::new(move |_| session.is(Role::Editor) || session.owns(&action.read()));
    let may_note = Memo::new(move |_| may_update.get() || session.is(Role::Member));
    let others = Memo::new(|_| Vec::new());
    let late = move || action.read().days_late(around.today.get());
    let kept = zone::kept();
    let place = move || {
        let item = item.read();
        match &item.incident.title {
            Some(title) => {
                let page = route::item(&item.incident.name, item.number, kept.get().as_deref());
                view! { <a href=page>{item.incident.name.clone()}" "{title.clone()}</a> }
            }
            None => view! {
                {item.incident.name.clone()}" · restricted; you see this item alone, since it is yours"
            }
            .into_any(),
        }
    };
    let due = move || {
        let due = action.read().due.map_or_else(|| "no date".to_owned(), format::due);
        let late = late().and_then(|days| usize::try_from(days).ok());
        [due, late.map(|days| [" · ", &format::counted(days, "day", "days"), " late"].concat()).unwrap_or_default()]
            .concat()
    };
    Some(view! {
        <article class="incident alone">
            <header class="headline">
                <p class="meta">{place}</p>
                <h1>{move || { let action = action.read(); view! { <Line text=&action.change html=&action.html field="change"/> } }}</h1>
                <p class="badges">
                    {move || view! { <ActionBadge status=action.read().status/> }}
                    <span class="badge quiet">{move || { let owner = action.read().owner.clone(); if owner.is_empty() { "nobody yet".to_owned() } else { owner } }}</span>
                    <span class="badge quiet" class:late=move || late().is_some()>{due}</span>
                    <Signs around action/>
                </p>
                <p class="lede">{move || { let action = action.read(); view! { <Line text=&action.verification.criterion html=&action.html field="criterion"/> } }}</p>
                {move || { let action = action.read(); action.accepted.as_ref().map(|accepted| shown_by(accepted, &around.zone.read())) }}
            </header>
            <p class="vh" role="status" aria-live="polite">{said}</p>
            <h2 class="vh">"What you can do"</h2>
            <Proof around action may_update/>
            <div class="two">
                {move || may_update.get().then(|| view! { <Editor number=1 action others said refresh=around.refresh/> })}
                <Notes number=1 around action said may_add=may_note/>
            </div>
            <History around of=Of::Action(action.read_untracked().id.to_string())/>
        </article>
    })
}
