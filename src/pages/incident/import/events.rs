//! Importing a log of attempts: what its columns are, what its words mean, and what became of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::mapping::{Mapping, TimeFormat};
use domain::wire::imports::{EventsPreview, EventsReport};
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use super::upload::{self, Kind, Work};
use super::{Shown, refused};
use crate::client::imports::{Destination, forget_mapping, import_events, look_at_events};
use crate::client::{Answer, Failure};
use crate::format;
use crate::view::view;

/// What a column can be, and its label.
const PARTS: [(&str, &str); 7] = [
    ("", "Not used"),
    ("time", "Time"),
    ("attempt", "Attempt id"),
    ("customer", "Customer"),
    ("outcome", "Outcome"),
    ("latency", "Latency in ms"),
    ("label", "Label"),
];

/// What a word can mean.
const MEANINGS: [(&str, &str); 3] = [("", "Refuse such rows"), ("completed", "Completed"), ("failed", "Failed")];

/// A log of attempts.
#[derive(Clone, Copy)]
struct Log {
    name: RwSignal<String>,
    mapping: RwSignal<Mapping>,
    /// The name to save the mapping under.
    save_as: RwSignal<String>,
    look: RwSignal<Option<EventsPreview>>,
    report: RwSignal<Option<EventsReport>>,
}

/// The form.
pub fn form(shown: Shown) -> AnyView {
    let log = Log {
        name: RwSignal::new(String::new()),
        mapping: RwSignal::new(Mapping::default()),
        save_as: RwSignal::new(String::new()),
        look: RwSignal::new(None),
        report: RwSignal::new(None),
    };
    upload::form(shown, Arc::new(log), move || log.report.with(|report| report.as_ref().map(not_taken)))
}

impl Kind for Log {
    fn label(&self) -> &'static str {
        "Choose a file or drop it here: CSV or NDJSON, plain, gzip or zstd"
    }

    fn begin(&self, file: &File) {
        self.name.set(file.name());
        self.mapping.set(Mapping::default());
        self.save_as.set(String::new());
        self.report.set(None);
    }

    fn look(&self, incident: &str, _: &str) -> Option<Result<Destination, Failure>> {
        Some(look_at_events(incident, &self.mapping.read_untracked()))
    }

    fn looked(&self, answer: Option<&str>) -> bool {
        let look = answer.and_then(EventsPreview::parsed);
        if let Some(look) = &look {
            self.mapping.set(look.mapping.clone());
        }
        let is_read = answer.is_none() || look.is_some();
        self.look.set(look);
        is_read
    }

    fn asked(&self, work: Work) -> AnyView {
        let (log, has_look) = (
            *self,
            Memo::new({
                let look = self.look;
                move |_| look.read().is_some()
            }),
        );
        (move || has_look.get().then(|| asked(log, work))).into_any()
    }

    fn is_ready(&self) -> bool {
        self.look.read().as_ref().is_some_and(|look| look.trouble.is_none())
    }

    fn send(&self, incident: &str, name: &str) -> Result<Destination, Failure> {
        import_events(incident, name, &self.mapping.read_untracked(), &self.save_as.read_untracked())
    }

    fn sent(&self, answer: &str) -> Option<String> {
        let report = EventsReport::parsed(answer)?;
        let sentence = sentence(&report);
        self.report.set(Some(report));
        Some(sentence)
    }

    fn end(&self) {
        self.look.set(None);
    }
}

impl Log {
    fn change(self, work: Work, edit: impl FnOnce(&mut Mapping)) {
        self.mapping.update(edit);
        work.look();
    }

    /// Forgets the mapping that is saved under this name; the file is looked at by the names of its columns then.
    fn forget(self, work: Work, name: String) {
        spawn_local(async move {
            match forget_mapping(&name).await {
                Ok(()) => self.change(work, |mapping| *mapping = Mapping::default()),
                Err(failure) => work.say(failure.message()),
            }
        });
    }
}

/// What the file looks like, and what its columns are to be.
fn asked(log: Log, work: Work) -> AnyView {
    let title = move || {
        let (look, name) = (log.look.get()?, log.name.get());
        let saved = look.saved_as.map(|name| format!(" Mapped as saved under ‘{name}’.")).unwrap_or_default();
        Some(format!("{name}: {}.{saved}", look.shape))
    };
    let names = Memo::new(move |_| {
        let look = log.look.read();
        look.iter().flat_map(|look| &look.columns).map(|column| column.name.clone()).collect::<Vec<_>>()
    });
    let words = Memo::new(move |_| {
        let (look, mapping) = (log.look.read(), log.mapping.read());
        let unknown = look.iter().flat_map(|look| &look.unknown_outcomes);
        unknown.chain(&mapping.completed).chain(&mapping.failed).cloned().collect::<BTreeSet<_>>()
    });
    let formats: Vec<(&str, &str)> = [("", "Decided from the column")]
        .into_iter()
        .chain(TimeFormat::ALL.iter().map(|format| (format.as_str(), format.label())))
        .collect();
    let format = select(
        None,
        &formats,
        Signal::derive(move || log.mapping.read().time_format.map_or("", TimeFormat::as_str)),
        Callback::new(move |format: String| log.change(work, |mapping| mapping.time_format = format.parse().ok())),
    );
    let set_zone = move |event| {
        let zone = event_target_value(&event);
        log.change(work, |mapping| mapping.zone = Some(zone).filter(|zone| !zone.is_empty()));
    };
    let verdict = move || {
        let look = log.look.get()?;
        if let Some(trouble) = look.trouble {
            return Some(view! { <p class="error">{trouble}</p> });
        }
        let (rows, refused) = (format::count(look.rows_read), format::count(look.refused.total));
        let counted = format!("Of the first {rows} rows, {refused} would be refused.");
        Some(view! { <p>{counted}</p> {refused::rows("Line", &look.refused)} })
    };
    let known = Memo::new(move |_| log.look.read().as_ref().and_then(|look| look.saved_as.clone()));
    let forget = move || {
        let name = known.get()?;
        let forget = move |_| log.forget(work, name.clone());
        Some(view! { <button class="link" type="button" on:click=forget>"Forget this mapping"</button> })
    };
    view! {
        <p>{move || title()}" "{forget}</p>
        <table class="listing">
            <thead><tr><th scope="col">"Column"</th><th scope="col">"Begins with"</th><th scope="col">"Is"</th></tr></thead>
            <tbody>{move || names.get().into_iter().enumerate().map(|(at, name)| column(log, work, at, name)).collect_view()}</tbody>
        </table>
        <p class="row">
            {move || words.get().iter().map(|word| meaning(log, work, word)).collect_view()}
            <label>"Times are written as "{format}</label>
            <label>
                "Zone where none is written "
                <input size="14" placeholder="Europe/Berlin" prop:value=move || log.mapping.get().zone.unwrap_or_default() on:change=set_zone/>
            </label>
            <label>
                "Save this mapping as "
                <input size="14" prop:value=log.save_as on:input=move |event| log.save_as.set(event_target_value(&event))/>
            </label>
        </p>
        {move || verdict()}
    }
}

/// A column: what stands in it, and what it is.
fn column(log: Log, work: Work, at: usize, name: String) -> AnyView {
    let values =
        move || log.look.read().as_ref().and_then(|look| look.columns.get(at)).map(|column| column.values.join(", "));
    let (mapped, set) = (name.clone(), name.clone());
    let part = select(
        Some(format!("What ‘{name}’ is")),
        &PARTS,
        Signal::derive(move || log.mapping.read().part_of(&mapped).unwrap_or("")),
        Callback::new(move |part: String| log.change(work, |mapping| mapping.put(&set, &part))),
    );
    view! { <tr><th scope="row">{name}</th><td>{move || values()}</td><td>{part}</td></tr> }
}

/// What a word in the column of outcomes means.
fn meaning(log: Log, work: Work, outcome: &str) -> AnyView {
    let (meant, set) = (outcome.to_owned(), outcome.to_owned());
    let now = Signal::derive(move || {
        let mapping = log.mapping.read();
        match (mapping.completed.contains(&meant), mapping.failed.contains(&meant)) {
            (true, _) => "completed",
            (_, true) => "failed",
            _ => "",
        }
    });
    let set = Callback::new(move |meaning: String| log.change(work, |mapping| mapping.mean(&set, &meaning)));
    view! { <label>{format!("‘{outcome}’ means")}" "{select(None, &MEANINGS, now, set)}</label> }
}

fn select(
    label: Option<String>,
    choices: &[(&'static str, &'static str)],
    now: Signal<&'static str>,
    set: Callback<String>,
) -> AnyView {
    let options = choices.iter().map(|&(value, label)| {
        view! { <option value=value selected=move || now.get() == value>{label}</option> }
    });
    let options = options.collect_view();
    view! {
        <select aria-label=label prop:value=now on:change=move |event| set.run(event_target_value(&event))>
            {options}
        </select>
    }
}

/// What became of a file, in a sentence.
fn sentence(report: &EventsReport) -> String {
    if report.already_imported {
        return format!("{} was imported before; nothing was changed.", report.file_name);
    }
    format!(
        "✓ {}: {} rows read, {} new attempts, {} repeated, {} conflicting, {} refused.",
        report.file_name,
        format::count(report.rows_read),
        format::count(report.attempts),
        format::count(report.repeated),
        format::count(report.conflicting.total),
        format::count(report.refused.total),
    )
}

/// The rows that were not taken.
fn not_taken(report: &EventsReport) -> AnyView {
    view! { {refused::rows("Line", &report.conflicting)}{refused::rows("Line", &report.refused)} }.into_any()
}
