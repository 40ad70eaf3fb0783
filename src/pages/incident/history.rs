//! History: who changed what, when, from what to what. Read when it is opened.

use domain::wire::history::HistoryEntry;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;

use super::Around;
use super::told::deed;
use crate::client;
use crate::client::history::Of;
use crate::state::live;
use crate::view::view;
use crate::{format, part};

/// What has been read of a history.
#[derive(Clone, Copy)]
struct Pages {
    entries: RwSignal<Vec<HistoryEntry>>,
    /// Where the older ones follow; none where there are none.
    next: RwSignal<Option<String>>,
    failure: RwSignal<Option<String>>,
    is_read: RwSignal<bool>,
}

impl Pages {
    /// Reads the newest, and puts those before what is there that are not.
    fn newest(self, of: Of) {
        spawn_local(async move {
            let answer = client::history::page(&of, None).await;
            let Some(known) = self.entries.try_read_untracked().map(|known| known.first().map(|entry| entry.seq))
            else {
                return;
            };
            match answer {
                Ok(mut page) => {
                    let is_joined = known.is_none_or(|known| page.items.iter().any(|entry| entry.seq <= known));
                    if let (Some(known), true) = (known, is_joined) {
                        page.items.retain(|entry| entry.seq > known);
                        self.entries.update(|entries| {
                            entries.splice(0..0, page.items);
                        });
                    } else {
                        self.entries.set(page.items);
                        self.next.set(page.next);
                    }
                    self.failure.set(None);
                    self.is_read.set(true);
                }
                Err(failure) => self.failure.set(Some(failure.message())),
            }
        });
    }

    fn older(self, of: Of) {
        let Some(cursor) = self.next.get_untracked() else { return };
        spawn_local(async move {
            let answer = client::history::page(&of, Some(&cursor)).await;
            if self.next.try_get_untracked().flatten() != Some(cursor) {
                return;
            }
            match answer {
                Ok(page) => {
                    self.entries.update(|entries| entries.extend(page.items));
                    self.next.set(page.next);
                    self.failure.set(None);
                }
                Err(failure) => self.failure.set(Some(failure.message())),
            }
        });
    }
}

/// The history of an incident or of an action item, folded until somebody opens it.
#[component]
pub fn History(around: Around, of: Of) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let was_opened = Memo::new(move |before| before == Some(&true) || is_open.get());
    let toggle = move |event: leptos::ev::Event| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        is_open.set(target.is_some_and(|details| details.has_attribute("open")));
    };
    view! {
        <details class="history" on:toggle=toggle>
            <summary data-part=part::CHANGING>"History"</summary>
            {move || {
                let of = of.clone();
                was_opened.get().then(|| part::apart("history", move |here| part::changing::history(here, around, of.clone(), is_open)))
            }}
        </details>
    }
}

/// What a history holds; read whenever it is opened.
#[component]
pub fn Entries(around: Around, of: Of, is_open: RwSignal<bool>) -> impl IntoView {
    let read = Pages {
        entries: RwSignal::new(Vec::new()),
        next: RwSignal::new(None),
        failure: RwSignal::new(None),
        is_read: RwSignal::new(false),
    };
    let of = StoredValue::new(of);
    let newest = move || read.newest(of.get_value());
    live::follow(
        move |change| {
            is_open.get_untracked()
                && of.with_value(|of| match of {
                    Of::Incident(id) => change.incident_id.as_str() == id,
                    Of::Action(id) => change.action_id.as_ref().is_some_and(|action| action.as_str() == id),
                })
        },
        move || {
            if is_open.get_untracked() {
                newest();
            }
        },
    );
    Effect::new(move || {
        if is_open.get() {
            newest();
        }
    });
    let list = move || {
        let zone = around.zone.get();
        let entries = read.entries.read();
        let entries = entries.iter().map(|entry| {
            view! {
                <li>
                    <p class="meta">{format::minute(entry.at, &zone)}</p>
                    <p><b>{entry.actor.clone()}</b>" "{deed(entry, &zone)}</p>
                </li>
            }
        });
        entries.collect_view()
    };
    view! {
        {move || (read.is_read.get() && read.entries.read().is_empty()).then(|| view! { <p class="empty">"Nothing was changed yet."</p> })}
        {move || (!read.is_read.get() && is_open.get() && read.failure.read().is_none()).then(|| view! { <p role="status">"Loading the history…"</p> })}
        <ol>{move || list()}</ol>
        {move || read.failure.get().map(|failure| view! {
            <p class="error" role="alert">{failure}" "<button class="ghost" on:click=move |_| newest()>"Try again"</button></p>
        })}
        {move || read.next.get().map(|_| view! {
            <button class="ghost" on:click=move |_| read.older(of.get_value())>"Show older"</button>
        })}
    }
}
