//! Progress notes: what was written, and a place to write the next.

use domain::action::Action;
use domain::wire::actions::NewNote;
use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::Shown;
use crate::client::{self, Failure};
use crate::components::Html;
use crate::format;
use crate::state::clock;
use crate::view::view;

/// The notes of an item, oldest first, and the form for another.
#[component]
pub fn Notes(shown: Shown, action: RwSignal<Action>, said: RwSignal<String>) -> impl IntoView {
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
                    shown.refresh.run(());
                }
                Err(refused) => {
                    said.set(refused.message());
                    failure.set(Some(refused));
                }
            }
        });
    };
    let list = move || {
        let zone = shown.zone.get();
        let action = action.read();
        action
            .notes
            .iter()
            .flatten()
            .map(|note| {
                view! {
                    <li>
                        <p class="meta">{note.author.clone()}" · "{format::date_time(note.recorded_at, &zone)}</p>
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
            <form on:submit=send aria-label="Add a progress note">
                <label>
                    "New note"
                    <textarea
                        rows="3"
                        prop:value=move || text.get()
                        on:input=move |event| text.set(event_target_value(&event))
                    ></textarea>
                </label>
                {move || failure.get().map(|failure| view! { <p class="error" role="alert">{failure.message()}</p> })}
                <p class="row"><button class="primary" disabled=move || busy.get()>"Add note"</button></p>
            </form>
        </div>
    }
}
