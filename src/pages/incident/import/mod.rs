//! Importing telemetry: what can be brought in, one entry a kind, and the form of each.

mod attach;
mod choose;
mod events;
mod lists;
mod prometheus;
mod read;
mod refused;
mod values;

pub use attach::AttachForm;
use domain::person::Role;
use leptos::prelude::*;

use super::Shown;
use crate::part;
use crate::state::session::Session;
use crate::view::view;

/// What can be imported. Its form comes when it is chosen.
struct Kind {
    /// Its name in the form.
    value: &'static str,
    /// What people call it.
    label: &'static str,
    /// Draws its form.
    form: fn(Shown) -> AnyView,
}

/// Each kind, in the order in which they are offered.
const KINDS: [Kind; 5] = [
    Kind { value: "events", label: "A log of attempts", form: events::form },
    Kind { value: "prometheus", label: "Values from Prometheus", form: prometheus::form },
    Kind { value: "values", label: "Values from a CSV file", form: values::form },
    Kind { value: "flags", label: "Changes of feature flags", form: lists::flags },
    Kind { value: "deploys", label: "Deploys", form: lists::deploys },
];

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
            <label>
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
