//! Importing a list, of flag changes or of deploys: a file is chosen or dropped, looked at, and imported.

use domain::wire::imports::ListReport;
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::{File, SubmitEvent};

use super::{Shown, choose, refused};
use crate::client::Failure;
use crate::client::imports::{List, ReadAs, import_list, look_at_list};
use crate::format;
use crate::view::view;

/// What is going on with a list.
#[derive(Clone, Copy)]
struct Work {
    shown: Shown,
    list: List,
    file: RwSignal<Option<File>, LocalStorage>,
    read: RwSignal<ReadAs>,
    /// Counts what was asked, so that an old answer is told from that to the last question.
    asked: StoredValue<u32>,
    look: RwSignal<Option<ListReport>>,
    report: RwSignal<Option<ListReport>>,
    is_busy: RwSignal<bool>,
    said: RwSignal<String>,
}

/// The form for changes of feature flags.
pub fn flags(shown: Shown) -> AnyView {
    form(shown, List::Flags, "Choose a file or drop it here: JSON, CSV, or Unleash’s event log")
}

/// The form for deploys.
pub fn deploys(shown: Shown) -> AnyView {
    form(shown, List::Deploys, "Choose a file or drop it here: JSON or CSV with a time, a service and a version")
}

fn form(shown: Shown, list: List, label: &'static str) -> AnyView {
    let work = Work {
        shown,
        list,
        file: RwSignal::new_local(None),
        read: RwSignal::new(ReadAs::default()),
        asked: StoredValue::new(0),
        look: RwSignal::new(None),
        report: RwSignal::new(None),
        is_busy: RwSignal::new(false),
        said: RwSignal::new(String::new()),
    };
    let chosen = Callback::new(move |file| {
        work.report.set(None);
        work.file.set(Some(file));
        work.look();
    });
    view! {
        {choose::file(label, work.is_busy.into(), chosen)}
        {move || work.file.with(Option::is_some).then(|| looked_at(&work))}
        <p class="meta" role="status">{work.said}</p>
        {move || work.report.with(|report| report.as_ref().and_then(of))}
    }
}

impl Work {
    /// Has the file looked at, as it would be read now.
    fn look(self) {
        let Some(file) = self.file.get_untracked() else { return };
        let (id, read) = (self.id(), self.read.get_untracked());
        self.asked.update_value(|asked| *asked += 1);
        let asked = self.asked.get_value();
        self.said.set(format!("Looking at {}…", file.name()));
        spawn_local(async move {
            let answer = look_at_list(&id, self.list, &file, &read).await;
            if self.asked.try_get_value() != Some(asked) {
                return;
            }
            self.said.set(answer.as_ref().err().map(Failure::message).unwrap_or_default());
            self.look.set(answer.ok());
        });
    }

    fn change(self, edit: impl FnOnce(&mut ReadAs)) {
        self.read.update(edit);
        self.look();
    }

    fn send(self) {
        let Some(file) = self.file.get_untracked() else { return };
        let (id, read) = (self.id(), self.read.get_untracked());
        self.is_busy.set(true);
        self.said.set(format!("Importing {}…", file.name()));
        spawn_local(async move {
            let answer = import_list(&id, self.list, &file, &read).await;
            self.is_busy.set(false);
            match answer {
                Ok(report) => {
                    self.said.set(sentence(&report));
                    self.clear();
                    self.report.set(Some(report));
                    self.shown.refresh.run(());
                }
                Err(failure) => self.said.set(failure.message()),
            }
        });
    }

    fn clear(self) {
        self.file.set(None);
        self.look.set(None);
    }

    fn id(self) -> String {
        self.shown.incident.read_untracked().id.to_string()
    }
}

/// What the file holds, and how it is read. Drawn once for a file: a choice leaves the focus where it is.
fn looked_at(work: &Work) -> AnyView {
    let work = *work;
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        work.send();
    };
    let cancel = move |_| {
        work.clear();
        work.said.set(String::new());
    };
    let set_zone = move |event| work.change(|read| read.zone = event_target_value(&event));
    let set_service = move |event| work.change(|read| read.service = event_target_value(&event));
    let fields = (work.list == List::Deploys).then(|| {
        view! {
            <p class="row">
                <label>
                    "Zone where none is written "
                    <input size="14" placeholder="Europe/Berlin" prop:value=move || work.read.get().zone on:change=set_zone/>
                </label>
                <label>
                    "Service where none is named "
                    <input size="14" prop:value=move || work.read.get().service on:change=set_service/>
                </label>
            </p>
        }
    });
    let what = move || {
        let look = work.look.get()?;
        let zone = work.shown.zone.read();
        let first = look.first.iter().map(|thing| {
            view! { <li><time>{format::date_time(thing.at, &zone)}</time>" "{thing.what.clone()}</li> }
        });
        let first = first.collect_view();
        let more = look.added + look.repeated - (look.first.len() as u64).min(look.added + look.repeated);
        let more = (more > 0).then(|| view! { <li>{format!("and {} more", format::count(more))}</li> });
        Some(view! {
            <p>{counted(&look)}</p>
            <ul class="hints" aria-label="What the file holds">{first}{more}</ul>
            {of(&look)}
        })
    };
    view! {
        <form on:submit=submit>
            {fields}
            {what}
            <p class="row">
                <button class="primary" type="submit" disabled=move || work.look.read().is_none() || work.is_busy.get()>"Import"</button>
                <button class="ghost" type="button" disabled=work.is_busy on:click=cancel>"Cancel"</button>
            </p>
        </form>
    }
}

fn counted(report: &ListReport) -> String {
    format!(
        "{}: {} read, {} new, {} repeated, {} refused.",
        report.file_name,
        format::count(report.read),
        format::count(report.added),
        format::count(report.repeated),
        format::count(report.refused.total),
    )
}

/// What became of a file, in a sentence.
fn sentence(report: &ListReport) -> String {
    if report.already_imported {
        return format!("{} was imported before; nothing was changed.", report.file_name);
    }
    format!("✓ {}", counted(report))
}

/// What was not taken.
fn of(report: &ListReport) -> Option<AnyView> {
    let others: u64 = report.passed_over.values().sum();
    let others = (others > 0)
        .then(|| view! { <p class="meta">{format!("{} events change no flag’s state.", format::count(others))}</p> });
    let place = if report.place == "line" { "Line" } else { "Element" };
    let rows = refused::rows(place, &report.refused);
    (others.is_some() || rows.is_some()).then(|| view! { {others}{rows} })
}
