//! Importing a list, of flag changes or of deploys: how it is read, and what it holds.

use std::sync::Arc;

use domain::wire::imports::ListReport;
use leptos::prelude::*;
use web_sys::File;

use super::upload::{self, Kind, Work};
use super::{Shown, refused};
use crate::client::imports::{Destination, List, ReadAs, import_list, look_at_list};
use crate::client::{Answer, Failure};
use crate::format;
use crate::state::zone::Zone;
use crate::view::view;

/// A list.
#[derive(Clone, Copy)]
struct Listed {
    zone: Memo<Zone>,
    list: List,
    read: RwSignal<ReadAs>,
    look: RwSignal<Option<ListReport>>,
    report: RwSignal<Option<ListReport>>,
}

/// The form for a list of these.
pub fn form(shown: Shown, list: List) -> AnyView {
    let listed = Listed {
        zone: shown.zone,
        list,
        read: RwSignal::new(ReadAs::default()),
        look: RwSignal::new(None),
        report: RwSignal::new(None),
    };
    upload::form(shown, Arc::new(listed), move || listed.report.with(|report| report.as_ref().and_then(of)))
}

impl Kind for Listed {
    fn label(&self) -> &'static str {
        match self.list {
            List::Flags => "Choose a file or drop it here: JSON, CSV, or Unleash’s event log",
            List::Deploys => "Choose a file or drop it here: JSON or CSV with a time, a service and a version",
        }
    }

    fn begin(&self, _: &File) {
        self.report.set(None);
    }

    fn look(&self, incident: &str, name: &str) -> Option<Result<Destination, Failure>> {
        Some(Ok(look_at_list(incident, name, self.list, &self.read.read_untracked())))
    }

    fn looked(&self, answer: Option<&str>) -> bool {
        self.look.set(answer.and_then(ListReport::parsed));
        answer.is_none() || self.look.read_untracked().is_some()
    }

    fn asked(&self, work: Work) -> AnyView {
        asked(*self, work)
    }

    fn is_ready(&self) -> bool {
        self.look.read().is_some()
    }

    fn send(&self, incident: &str, name: &str) -> Result<Destination, Failure> {
        Ok(import_list(incident, name, self.list, &self.read.read_untracked()))
    }

    fn sent(&self, answer: &str) -> Option<String> {
        let report = ListReport::parsed(answer)?;
        let sentence = sentence(&report);
        self.report.set(Some(report));
        Some(sentence)
    }

    fn end(&self) {
        self.look.set(None);
    }
}

fn asked(listed: Listed, work: Work) -> AnyView {
    let change = move |edit: fn(&mut ReadAs, String), event: &web_sys::Event| {
        listed.read.update(|read| edit(read, event_target_value(event)));
        work.look();
    };
    let set_zone = move |event| change(|read, zone| read.zone = zone, &event);
    let set_service = move |event| change(|read, service| read.service = service, &event);
    let fields = (listed.list == List::Deploys).then(|| {
        view! {
            <p class="row">
                <label>
                    "Zone where none is written "
                    <input size="14" placeholder="Europe/Berlin" prop:value=move || listed.read.get().zone on:change=set_zone/>
                </label>
                <label>
                    "Service where none is named "
                    <input size="14" prop:value=move || listed.read.get().service on:change=set_service/>
                </label>
            </p>
        }
    });
    let what = move || {
        let look = listed.look.get()?;
        let zone = listed.zone.read();
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
    view! { {fields}{what} }
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
