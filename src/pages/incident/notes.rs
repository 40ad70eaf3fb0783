//! Progress notes: what was written, and a place to write the next.

use domain::action::Action;
use domain::wire::actions::NewNote;
use leptos::ev::SubmitEvent;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::Around;
use crate::client::{self, Failure};
use crate::components::Html;
use crate::format;
use crate::state::{clock, place, typed};
use crate::view::view;

/// The notes of an item, oldest first, and the form for another.
#[component]
pub fn Notes(
    /// The item's number on the page, for the names of its parts.
    number: usize,
    around: Around,
    action: RwSignal<Action>,
    /// What is said to those who hear the page.
    said: RwSignal<String>,
    /// Whether the reader may write one.
    may_add: Memo<bool>,
) -> impl IntoView {
    let place = NodeRef::<html::Form>::new();
    let error = format!("error-{number}-note");
    let text = RwSignal::new(String::new());
    let failure = RwSignal::new(None::<Failure>);
    let busy = RwSignal::new(false);
    // One key for one note: a request repeated after a broken connection adds it once.
    let key = RwSignal::new(clock::unique());
    let last_text = RwSignal::new(String::new());
    let send = move |event: SubmitEvent| {
        event.prevent_default();
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        said.set(String::new());
        // The server may have taken the text sent before; another text is another note.
        if last_text.get_untracked() != text.get_untracked() {
            key.set(clock::unique());
            last_text.set(text.get_untracked());
        }
        let (id, note) = (action.with_untracked(|action| action.id.clone()), NewNote { text: text.get_untracked() });
        spawn_local(async move {
            let answer = client::actions::add_note(id.as_str(), &note, &key.get_untracked()).await;
            if busy.try_set(false).is_some() {
                return;
            }
            match answer {
                Ok(note) => {
                    action.update(|action| {
                        let notes = action.notes.get_or_insert_default();
                        if notes.iter().all(|known| known.id != note.id) {
                            notes.push(note);
                        }
                    });
                    text.set(String::new());
                    last_text.set(String::new());
                    failure.set(None);
                    said.set("Note added".to_owned());
                    around.refresh.run(());
                }
                Err(refused) => {
                    failure.set(Some(refused));
                    place::focus_fault(place);
                }
            }
        });
    };
    // What the server says of the text is heard with its field, which gets the focus.
    let in_text = move || failure.read().as_ref().and_then(|failure| failure.at("/text"));
    let list = move || {
        let zone = around.zone.get();
        let action = action.read();
        action
            .notes
            .iter()
            .flatten()
            .map(|note| {
                view! {
                    <li>
                        <p class="meta">{note.author.clone()}" · "{format::minute(note.recorded_at, &zone)}</p>
                        <Html html=note.html.clone()/>
                    </li>
                }
            })
            .collect_view()
    };
    view! {
        <div class="notes">
            <h3>"Progress notes"</h3>
            <ul>{move || list()}</ul>
            <form node_ref=place on:submit=send aria-label="Add a progress note" data-typed=move || typed::mark(!text.read().trim().is_empty()) hidden=move || !may_add.get()>
                <label>
                    "New note"
                    <textarea
                        rows="3"
                        aria-invalid=move || in_text().map(|_| "true")
                        aria-describedby=error.clone()
                        prop:value=move || text.get()
                        on:input=move |event| text.set(event_target_value(&event))
                    ></textarea>
                </label>
                <p class="error" id=error>{in_text}</p>
                {move || failure.get().filter(|_| in_text().is_none()).map(|failure| view! {
                    <p class="error" role="alert">{failure.unsaved()}</p>
                })}
                <p class="row">
                    <button class="primary" aria-disabled=move || busy.get().then_some("true")>
                        {move || if busy.get() { "Adding…" } else { "Add note" }}
                    </button>
                </p>
            </form>
        </div>
    }
}
