//! The message to the cohort: written, checked, saved on its version.

use domain::message::Objection;
use domain::wire::cohort::NewMessage;
use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::Shown;
use crate::client;
use crate::view::view;

/// The text with its check, folded until somebody opens it.
#[component]
pub fn MessageForm(shown: Shown) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let version = RwSignal::new(None::<i64>);
    let objections = RwSignal::new(Vec::<Objection>::new());
    let (said, failure) = (RwSignal::new(String::new()), RwSignal::new(None::<String>));
    let id = move || shown.incident.read_untracked().id.clone();
    let load = move |_| {
        // What is typed stays; it was begun on the version that was read.
        if version.get_untracked().is_some() {
            return;
        }
        let id = id();
        spawn_local(async move {
            match client::cohort::message(id.as_str()).await {
                Ok(message) => {
                    if text.try_set(message.text).is_none() {
                        objections.set(message.objections);
                        version.set(Some(message.version));
                        failure.set(None);
                    }
                }
                Err(why) => drop(failure.try_set(Some(why.message()))),
            }
        });
    };
    let tell = move |found: Vec<Objection>, done: &str| {
        said.set(match found.len() {
            0 => format!("{done} Nothing is held against it."),
            _ => format!("{done} See what is held against it."),
        });
        objections.set(found);
        failure.set(None);
    };
    let check = move |_| {
        let (id, new) = (id(), NewMessage { text: text.get_untracked() });
        spawn_local(async move {
            match client::cohort::check(id.as_str(), &new).await {
                Ok(report) => tell(report.objections, "Checked."),
                Err(why) => drop(failure.try_set(Some(why.message()))),
            }
        });
    };
    let save = move |event: SubmitEvent| {
        event.prevent_default();
        let Some(on) = version.get_untracked() else { return };
        let (id, new) = (id(), NewMessage { text: text.get_untracked() });
        spawn_local(async move {
            match client::cohort::set_message(id.as_str(), on, &new).await {
                Ok(saved) => {
                    let _ = version.try_set(Some(saved.version));
                    tell(saved.objections, "Saved.");
                }
                Err(why) => drop(failure.try_set(Some(why.message()))),
            }
        });
    };
    let list = move || {
        let found = objections.read();
        let items = found.iter().map(|one| {
            view! { <li><b>{one.kind.label()}</b>": "{one.reason.clone()}</li> }
        });
        (!found.is_empty())
            .then(|| view! { <ul class="objections" aria-label="Held against the message">{items.collect_view()}</ul> })
    };
    view! {
        <details class="message" on:toggle=load>
            <summary>"The message to them"</summary>
            <form class="notes" on:submit=save>
                <label>"Text"
                    <textarea rows="7" prop:value=text on:input=move |event| text.set(event_target_value(&event))></textarea>
                </label>
                {move || list()}
                {move || failure.get().map(|why| view! { <p class="error" role="alert">{why}</p> })}
                <p class="row">
                    <button class="primary">"Save"</button>
                    <button class="ghost" type="button" on:click=check>"Check the wording"</button>
                    <span class="saved" role="status">{said}</span>
                </p>
            </form>
        </details>
    }
}
