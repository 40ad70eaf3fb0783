//! Importing telemetry: what can be brought in, one entry a kind, and the form of each.

mod attach;
mod events;
mod lists;
mod prometheus;
mod read;
mod refused;
mod upload;
mod values;

pub use attach::form as attach;
use domain::person::Role;
pub use events::form as import_events;
use leptos::prelude::*;
pub use lists::form as import_list;
pub use prometheus::form as import_answer;
pub use values::form as import_values;

use super::Shown;
use crate::client::imports::List;
use crate::part::import_events::ImportEvents;
use crate::part::import_lists::ImportLists;
use crate::part::import_prometheus::ImportPrometheus;
use crate::part::import_values::ImportValues;
use crate::part::{self, Part};
use crate::state::session::Session;
use crate::view::view;

/// What can be imported. Its form is in a part of its own.
struct Kind {
    /// Its name in the form.
    value: &'static str,
    /// What people call it.
    label: &'static str,
    /// Begins to load what its form is in.
    prepare: fn(),
    /// Draws its form.
    form: fn(Shown) -> AnyView,
}

/// Each kind, in the order in which they are offered.
const KINDS: [Kind; 5] = [
    Kind::of::<ImportEvents>("events", "A log of attempts", |shown| {
        part::apart("form", move |here| part::import_events::form(here, shown))
    }),
    Kind::of::<ImportPrometheus>("prometheus", "Values from Prometheus", |shown| {
        part::apart("form", move |here| part::import_prometheus::form(here, shown))
    }),
    Kind::of::<ImportValues>("values", "Values from a CSV file", |shown| {
        part::apart("form", move |here| part::import_values::form(here, shown))
    }),
    Kind::of::<ImportLists>("flags", "Changes of feature flags", |shown| {
        part::apart("form", move |here| part::import_lists::form(here, shown, List::Flags))
    }),
    Kind::of::<ImportLists>("deploys", "Deploys", |shown| {
        part::apart("form", move |here| part::import_lists::form(here, shown, List::Deploys))
    }),
];

impl Kind {
    const fn of<P: Part>(value: &'static str, label: &'static str, form: fn(Shown) -> AnyView) -> Self {
        Self { value, label, prepare: part::prepare::<P>, form }
    }
}

/// Where an editor brings telemetry in; the form comes when it is asked for.
#[component]
pub fn Import(shown: Shown) -> impl IntoView {
    let session = Session::get();
    let is_open = RwSignal::new(false);
    let may = Memo::new(move |_| !shown.shared && session.is(Role::Editor));
    let form = move || {
        if is_open.get() {
            return part::apart("form", move |here| part::importing::form(here, shown));
        }
        let open = move |_| is_open.set(true);
        view! { <p><button class="ghost" type="button" data-part=part::IMPORTING on:click=open>"Import a file…"</button></p> }
    };
    move || {
        may.get().then(|| {
            view! {
                <section class="import" aria-labelledby="import">
                    <h2 id="import">"Import"</h2>
                    {form}
                </section>
            }
        })
    }
}

/// Where it is chosen what is imported, with the form of that.
#[component]
pub fn ImportForm(shown: Shown) -> impl IntoView {
    let chosen = RwSignal::new(0);
    let kinds = KINDS.iter().enumerate().map(|(at, kind)| {
        view! {
            <label on:pointerenter=move |_| (kind.prepare)()>
                <input type="radio" name="import-kind" value=kind.value prop:checked=move || chosen.get() == at on:change=move |_| chosen.set(at)/>
                " "{kind.label}
            </label>
        }
    });
    let kinds = kinds.collect_view();
    view! {
        <fieldset class="row">
            <legend class="meta">"What to import"</legend>
            {kinds}
        </fieldset>
        {move || KINDS.get(chosen.get()).map(|kind| (kind.form)(shown))}
    }
}
