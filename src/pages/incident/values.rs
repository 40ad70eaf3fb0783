//! The plain values that were brought in, each with what it was read from, and taking one away.

use std::sync::Arc;

use domain::person::Role;
use domain::signal::ValueSignal;
use domain::wire::signals::written_labels;
use leptos::prelude::*;

use super::Shown;
use crate::client::{self, Nothing};
use crate::components::{Ask, Asking, Outcome};
use crate::pages::deliver;
use crate::state::session::Session;
use crate::view::view;
use crate::{format, part};

/// The values, in the order of their import.
#[component]
pub fn ValueList(shown: Shown) -> impl IntoView {
    let (session, asking) = (Session::get(), Asking::get());
    let may = Memo::new(move |_| !shown.shared && session.is(Role::Editor));
    let lines = move || {
        let (incident, zone) = (shown.incident.read(), shown.zone.read());
        let lines = incident.values.iter().map(|value| {
            let source = &value.source;
            let hash = source.sha256.get(..12).unwrap_or("");
            let read = format::date_time(source.imported_at, &zone);
            let from = match &source.prometheus {
                None => source.file_name.clone(),
                Some(asked) => {
                    let server = asked.server.as_deref().map(|server| format!(" ‘{server}’")).unwrap_or_default();
                    let range = format::range(asked.from, asked.until, &zone);
                    format!("Prometheus{server}: {}, {range}, every {} s", asked.query, asked.step_seconds)
                }
            };
            let warned = source.prometheus.iter().flat_map(|asked| &asked.warnings);
            let warned = warned.map(|warning| view! { <small>{format!(" ⚠ {warning}")}</small> }).collect_view();
            let counts = counted(value);
            let number = source.evidence;
            let (label, wanted) = (format!("Remove {}", named(value)), Arc::new(value.clone()));
            let remove = move |_| {
                let value = wanted.clone();
                part::with(asking, move |here| asking.ask(part::changing::remove_value(here, shown, &value)));
            };
            view! {
                <li>
                    {named(value)}": "{counts}
                    <small>{format!(" from {from}; read {read}, SHA-256 {hash}…, ")}
                        <a rel="external" href=format!("#evidence-{number}")>{format!("evidence {number}")}</a>
                    </small>
                    {warned}
                    <span class="row deeds do" data-part=part::CHANGING hidden=move || !may.get()>
                        <button class="link" type="button" aria-label=label on:click=remove>"Remove"</button>
                    </span>
                </li>
            }
        });
        lines.collect_view()
    };
    let is_empty = move || shown.incident.read().values.is_empty();
    view! {
        <div hidden=is_empty>
            <h3>"Values"</h3>
            <ul class="hints" aria-label="Values">{move || lines()}</ul>
        </div>
    }
}

/// What a value is called, with its labels and unit.
pub fn named(value: &ValueSignal) -> String {
    let unit = if value.unit.is_empty() { String::new() } else { format!(" ({})", value.unit) };
    format!("{}{}{unit}", value.title, written_labels(&value.labels))
}

fn counted(value: &ValueSignal) -> String {
    let points = format!("{} {}", format::count(value.count), if value.count == 1 { "point" } else { "points" });
    match value.gaps {
        0 => points,
        1 => format!("{points}, 1 gap"),
        gaps => format!("{points}, {} gaps", format::count(gaps)),
    }
}

/// Asks whether to take a value away.
pub fn remove(shown: Shown, value: &Arc<ValueSignal>) -> Ask {
    let (value, name) = (value.clone(), named(value));
    Ask {
        title: format!("Remove {name}?"),
        text: "With the last value of a file, the file and its evidence go too, unless a proof rests on that. The history keeps \
               that it was there."
            .to_owned(),
        fields: Vec::new(),
        submit: "Remove it",
        is_danger: true,
        send: Arc::new(move |_, _| {
            let id = shown.incident.read_untracked().id.to_string();
            let call = client::imports::remove_value(&id, value.id.as_str());
            let name = name.clone();
            deliver(call, shown.refresh, move |_: Nothing| Outcome::Done(format!("{name} was removed.")))
        }),
    }
}
