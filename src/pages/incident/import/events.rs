//! Importing a log of attempts: a file is chosen or dropped, looked at, mapped, sent, and what became of it is told.

use std::collections::BTreeSet;

use domain::mapping::{Mapping, TimeFormat};
use domain::wire::imports::{EventsPreview, EventsReport};
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::{File, SubmitEvent};

use super::{Shown, choose, refused};
use crate::client::imports::{Upload, forget_mapping, import_events, preview};
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

/// What is going on with a file.
#[derive(Clone, Copy)]
struct Work {
    shown: Shown,
    file: RwSignal<Option<File>, LocalStorage>,
    look: RwSignal<Option<EventsPreview>>,
    /// Counts what was asked, so that an old answer is told from that to the last question.
    asked: StoredValue<u32>,
    mapping: RwSignal<Mapping>,
    /// How much of it was sent, in hundredths, while it is sent.
    sent: RwSignal<Option<u32>>,
    upload: StoredValue<Option<Upload>, LocalStorage>,
    report: RwSignal<Option<EventsReport>>,
    said: RwSignal<String>,
}

impl Work {
    fn choose(self, file: File) {
        self.mapping.set(Mapping::default());
        self.report.set(None);
        self.file.set(Some(file));
        self.look();
    }

    /// Has the head of the file looked at, as it is mapped now.
    fn look(self) {
        let Some(file) = self.file.get_untracked() else { return };
        let (id, mapping) = (self.id(), self.mapping.get_untracked());
        self.asked.update_value(|asked| *asked += 1);
        let asked = self.asked.get_value();
        self.said.set(format!("Looking at {}…", file.name()));
        spawn_local(async move {
            let answer = preview(&id, &file, &mapping).await;
            if self.asked.try_get_value() != Some(asked) {
                return;
            }
            match answer {
                Ok(look) => {
                    self.mapping.set(look.mapping.clone());
                    self.said.set(String::new());
                    self.look.set(Some(look));
                }
                Err(failure) => {
                    self.said.set(failure.message());
                    self.look.set(None);
                }
            }
        });
    }

    fn change(self, edit: impl FnOnce(&mut Mapping)) {
        self.mapping.update(edit);
        self.look();
    }

    fn send(self, save_as: &str) {
        let Some(file) = self.file.get_untracked() else { return };
        let done = Callback::new(move |answer: Result<EventsReport, _>| {
            self.sent.set(None);
            self.upload.set_value(None);
            match answer {
                Ok(report) => {
                    self.said.set(sentence(&report));
                    self.report.set(Some(report));
                    self.clear();
                    self.shown.refresh.run(());
                }
                Err(failure) => self.said.set(crate::client::Failure::message(&failure)),
            }
        });
        let sent = Callback::new(move |sent| self.sent.set(Some(sent)));
        match import_events(&self.id(), &file, (&self.mapping.get_untracked(), save_as), sent, done) {
            Ok(upload) => {
                self.said.set(String::new());
                self.sent.set(Some(0));
                self.upload.set_value(Some(upload));
            }
            Err(failure) => self.said.set(failure.message()),
        }
    }

    /// Forgets the mapping that is saved under this name; the file is looked at by the names of its columns then.
    fn forget(self, name: String) {
        spawn_local(async move {
            match forget_mapping(&name).await {
                Ok(()) => {
                    self.mapping.set(Mapping::default());
                    self.look();
                }
                Err(failure) => self.said.set(failure.message()),
            }
        });
    }

    fn cancel(self) {
        self.upload.update_value(|upload| {
            if let Some(upload) = upload.take() {
                upload.cancel();
                self.sent.set(None);
                self.said.set("Cancelled; nothing was imported.".to_owned());
            }
        });
        self.clear();
    }

    fn clear(self) {
        self.file.set(None);
        self.look.set(None);
    }

    fn id(self) -> String {
        self.shown.incident.read_untracked().id.to_string()
    }
}

/// Where a log is chosen or dropped, looked at, mapped and sent.
pub fn form(shown: Shown) -> AnyView {
    let work = Work {
        shown,
        file: RwSignal::new_local(None),
        look: RwSignal::new(None),
        asked: StoredValue::new(0),
        mapping: RwSignal::new(Mapping::default()),
        sent: RwSignal::new(None),
        upload: StoredValue::new_local(None),
        report: RwSignal::new(None),
        said: RwSignal::new(String::new()),
    };
    let chosen = Callback::new(move |file| work.choose(file));
    let is_busy = Signal::derive(move || work.sent.get().is_some());
    let has_look = Memo::new(move |_| work.look.read().is_some());
    view! {
        {choose::file("Choose a file or drop it here: CSV or NDJSON, plain, gzip or zstd", is_busy, chosen)}
        {move || has_look.get().then(|| mapped(&work))}
        <p class="meta" role="status">{work.said}</p>
        {move || work.report.with(|report| report.as_ref().map(not_taken))}
    }
}

/// What the file looks like, and what its columns are to be. Drawn once for a file: a choice leaves the focus where it is.
fn mapped(&work: &Work) -> AnyView {
    let title = move || {
        let look = work.look.get()?;
        let name = work.file.with(|file| file.as_ref().map(File::name)).unwrap_or_default();
        let saved = look.saved_as.map(|name| format!(" Mapped as saved under ‘{name}’.")).unwrap_or_default();
        Some(format!("{name}: {}.{saved}", look.shape))
    };
    let names = Memo::new(move |_| {
        let look = work.look.read();
        look.iter().flat_map(|look| &look.columns).map(|column| column.name.clone()).collect::<Vec<_>>()
    });
    let words = Memo::new(move |_| {
        let (look, mapping) = (work.look.read(), work.mapping.read());
        let unknown = look.iter().flat_map(|look| &look.unknown_outcomes);
        unknown.chain(&mapping.completed).chain(&mapping.failed).cloned().collect::<BTreeSet<_>>()
    });
    let trouble = Memo::new(move |_| work.look.read().as_ref().and_then(|look| look.trouble.clone()));
    let formats: Vec<(&str, &str)> = [("", "Decided from the column")]
        .into_iter()
        .chain(TimeFormat::ALL.iter().map(|format| (format.as_str(), format.label())))
        .collect();
    let format = select(
        None,
        &formats,
        Signal::derive(move || work.mapping.read().time_format.map_or("", TimeFormat::as_str)),
        Callback::new(move |format: String| work.change(|mapping| mapping.time_format = format.parse().ok())),
    );
    let set_zone = move |event| {
        let zone = event_target_value(&event);
        work.change(|mapping| mapping.zone = Some(zone).filter(|zone| !zone.is_empty()));
    };
    let save_as = RwSignal::new(String::new());
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        work.send(&save_as.get_untracked());
    };
    let verdict = move || {
        let look = work.look.get()?;
        if let Some(trouble) = look.trouble {
            return Some(view! { <p class="error">{trouble}</p> });
        }
        let (rows, refused) = (format::count(look.rows_read), format::count(look.refused.total));
        let counted = format!("Of the first {rows} rows, {refused} would be refused.");
        Some(view! { <p>{counted}</p> {refused::rows("Line", &look.refused)} })
    };
    let known = Memo::new(move |_| work.look.read().as_ref().and_then(|look| look.saved_as.clone()));
    let forget = move || {
        let name = known.get()?;
        let forget = move |_| work.forget(name.clone());
        Some(view! { <button class="link" type="button" on:click=forget>"Forget this mapping"</button> })
    };
    view! {
        <form on:submit=submit>
            <p>{move || title()}" "{forget}</p>
            <table class="listing">
                <thead><tr><th scope="col">"Column"</th><th scope="col">"Begins with"</th><th scope="col">"Is"</th></tr></thead>
                <tbody>{move || names.get().into_iter().enumerate().map(|(at, name)| column(&work, at, name)).collect_view()}</tbody>
            </table>
            <p class="row">
                {move || words.get().iter().map(|word| meaning(&work, word)).collect_view()}
                <label>"Times are written as "{format}</label>
                <label>
                    "Zone where none is written "
                    <input size="14" placeholder="Europe/Berlin" prop:value=move || work.mapping.get().zone.unwrap_or_default() on:change=set_zone/>
                </label>
                <label>
                    "Save this mapping as "
                    <input size="14" prop:value=save_as on:input=move |event| save_as.set(event_target_value(&event))/>
                </label>
            </p>
            {move || verdict()}
            <p class="row">
                <button class="primary" type="submit" disabled=move || trouble.read().is_some() || work.sent.get().is_some()>"Import"</button>
                <button class="ghost" type="button" on:click=move |_| work.cancel()>"Cancel"</button>
                {move || work.sent.get().map(|sent| view! {
                    <progress max="100" value=sent aria-label="Sent"></progress>
                    <span>{if sent < 100 { format!("{sent}% sent") } else { "All sent; it is being read".to_owned() }}</span>
                })}
            </p>
        </form>
    }
    .into_any()
}

/// A column: what stands in it, and what it is.
fn column(&work: &Work, at: usize, name: String) -> AnyView {
    let values =
        move || work.look.read().as_ref().and_then(|look| look.columns.get(at)).map(|column| column.values.join(", "));
    let (mapped, set) = (name.clone(), name.clone());
    let part = select(
        Some(format!("What ‘{name}’ is")),
        &PARTS,
        Signal::derive(move || work.mapping.read().part_of(&mapped).unwrap_or("")),
        Callback::new(move |part: String| work.change(|mapping| mapping.put(&set, &part))),
    );
    view! { <tr><th scope="row">{name}</th><td>{move || values()}</td><td>{part}</td></tr> }
}

/// What a word in the column of outcomes means.
fn meaning(&about: &Work, word: &str) -> AnyView {
    let (meant, set) = (word.to_owned(), word.to_owned());
    let now = Signal::derive(move || {
        let mapping = about.mapping.read();
        match (mapping.completed.contains(&meant), mapping.failed.contains(&meant)) {
            (true, _) => "completed",
            (_, true) => "failed",
            _ => "",
        }
    });
    let set = Callback::new(move |meaning: String| about.change(|mapping| mapping.mean(&set, &meaning)));
    view! { <label>{format!("‘{word}’ means")}" "{select(None, &MEANINGS, now, set)}</label> }
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
