//! The files that telemetry was imported from, and taking one of them back.

use std::sync::Arc;

use domain::import::ImportedFile;
use domain::person::Role;
use domain::wire::imports::ImportRemoval;
use leptos::prelude::*;

use super::Shown;
use crate::client;
use crate::components::{Ask, Asking, Outcome};
use crate::pages::deliver;
use crate::state::session::Session;
use crate::view::view;
use crate::{format, part};

/// The imported files. They have no numbers: those are the text's.
#[component]
pub fn ImportedFiles(shown: Shown) -> impl IntoView {
    let (session, asking) = (Session::get(), Asking::get());
    let may = Memo::new(move |_| !shown.shared && session.is(Role::Editor));
    let files = move || {
        let (incident, zone) = (shown.incident.read(), shown.zone.read());
        let lines = incident.imports.iter().map(|file| {
            let hash = file.sha256.get(..12).unwrap_or("");
            let at = format::date_time(file.imported_at, &zone);
            let (label, wanted) = (format!("Remove the import of {}", file.file_name), Arc::new(file.clone()));
            let remove = move |_| {
                let file = wanted.clone();
                part::with(asking, move |here| asking.ask(part::changing::remove_import(here, shown, &file)));
            };
            view! {
                <li>
                    {file.file_name.clone()}" "<span class="badge quiet">{file.kind.label()}</span>
                    <small>{format!(" imported {at}, SHA-256 {hash}…")}</small>
                    <span class="row deeds do" data-part=part::CHANGING hidden=move || !may.get()>
                        <button class="link" type="button" aria-label=label on:click=remove>"Remove"</button>
                    </span>
                </li>
            }
        });
        lines.collect_view()
    };
    let is_empty = move || shown.incident.read().imports.is_empty();
    view! {
        <div hidden=is_empty>
            <h3>"Imported files"</h3>
            <ul class="hints" aria-label="Imported files">{move || files()}</ul>
        </div>
    }
}

/// Asks whether to take an import back.
pub fn remove(shown: Shown, file: &Arc<ImportedFile>) -> Ask {
    let file = file.clone();
    Ask {
        title: format!("Remove the import of {}?", file.file_name),
        text: "What stands in no other file of the incident is forgotten, and what is computed from the files is computed \
               anew. The history keeps what the import had said."
            .to_owned(),
        fields: Vec::new(),
        submit: "Remove it",
        is_danger: true,
        send: Arc::new(move |_, _| {
            let id = shown.incident.read_untracked().id.to_string();
            let call = client::imports::remove_import(&id, file.id.as_str());
            deliver(call, shown.refresh, |removed: ImportRemoval| {
                let count = format::count(removed.forgotten);
                Outcome::Done(format!("{} was removed, and with it {count} entries.", removed.file.file_name))
            })
        }),
    }
}
