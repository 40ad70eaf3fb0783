//! Importing plain values from a CSV file: which columns become signals, how they are read, and what they hold.

use std::sync::Arc;

use domain::wire::imports::PreviewColumn;
use domain::wire::signals::{SignalsReport, ValueMapping};
use leptos::prelude::*;
use web_sys::File;

use super::upload::{self, Kind, Work};
use super::{Shown, read};
use crate::client::imports::{Destination, import_values, look_at_values};
use crate::client::{Answer, Failure};
use crate::state::zone::Zone;
use crate::view::view;

/// A file of values.
#[derive(Clone, Copy)]
struct Values {
    zone: Memo<Zone>,
    mapping: RwSignal<ValueMapping>,
    /// Whether every column was given up; an empty mapping takes all that hold numbers.
    is_empty: RwSignal<bool>,
    look: RwSignal<Option<SignalsReport>>,
    report: RwSignal<Option<SignalsReport>>,
}

/// The form.
pub fn form(shown: Shown) -> AnyView {
    let values = Values {
        zone: shown.zone,
        mapping: RwSignal::new(ValueMapping::default()),
        is_empty: RwSignal::new(false),
        look: RwSignal::new(None),
        report: RwSignal::new(None),
    };
    let told =
        move || values.report.with(|report| report.as_ref().map(|report| read::told(report, &values.zone.read())));
    upload::form(shown, Arc::new(values), told)
}

impl Kind for Values {
    fn label(&self) -> &'static str {
        "Choose a file or drop it here: CSV with a time and one or more values, plain, gzip or zstd"
    }

    fn begin(&self, _: &File) {
        self.mapping.set(ValueMapping::default());
        self.is_empty.set(false);
        self.report.set(None);
    }

    fn look(&self, incident: &str, name: &str) -> Option<Result<Destination, Failure>> {
        Some(look_at_values(incident, name, &self.mapping.read_untracked()))
    }

    fn looked(&self, answer: Option<&str>) -> bool {
        self.look.set(answer.and_then(SignalsReport::parsed));
        answer.is_none() || self.look.read_untracked().is_some()
    }

    fn asked(&self, work: Work) -> AnyView {
        asked(*self, work)
    }

    fn is_ready(&self) -> bool {
        self.look.read().as_ref().is_some_and(|look| look.trouble.is_none()) && !self.is_empty.get()
    }

    fn send(&self, incident: &str, name: &str) -> Result<Destination, Failure> {
        import_values(incident, name, &self.mapping.read_untracked())
    }

    fn sent(&self, answer: &str) -> Option<String> {
        let report = SignalsReport::parsed(answer)?;
        let sentence = read::sentence(&report);
        self.report.set(Some(report));
        Some(sentence)
    }

    fn end(&self) {
        self.look.set(None);
    }
}

impl Values {
    /// The columns that become signals, as they are chosen or else proposed.
    fn chosen(self) -> Vec<String> {
        if self.is_empty.get() {
            return Vec::new();
        }
        let said = self.mapping.read().values.clone();
        if said.is_empty() {
            return self.look.read().iter().flat_map(|look| look.mapping.values.clone()).collect();
        }
        said
    }

    fn choose(self, work: Work, column: &str, is_chosen: bool) {
        let mut chosen = untrack(|| self.chosen());
        chosen.retain(|name| name != column);
        if is_chosen {
            chosen.push(column.to_owned());
        }
        // In the order of the file, whatever the order of choosing.
        let names = self.names();
        let chosen: Vec<String> = names.into_iter().filter(|name| chosen.contains(name)).collect();
        self.is_empty.set(chosen.is_empty());
        self.mapping.update(|mapping| mapping.values = chosen);
        if !self.is_empty.get_untracked() {
            work.look();
        }
    }

    fn change(self, work: Work, edit: impl FnOnce(&mut ValueMapping)) {
        self.mapping.update(edit);
        work.look();
    }

    fn names(self) -> Vec<String> {
        let look = self.look.read_untracked();
        look.iter().flat_map(|look| &look.columns).map(|column| column.name.clone()).collect()
    }
}

fn asked(values: Values, work: Work) -> AnyView {
    let columns = Memo::new(move |before: Option<&Vec<PreviewColumn>>| {
        let look = values.look.read();
        match &*look {
            Some(look) => look.columns.clone(),
            // What is not seen for once is still there.
            None => before.cloned().unwrap_or_default(),
        }
    });
    let time =
        Memo::new(move |_| values.look.read().as_ref().and_then(|look| look.mapping.time.clone()).unwrap_or_default());
    let times = move || {
        let names = std::iter::once(String::new()).chain(columns.get().into_iter().map(|column| column.name));
        let options = names.map(|name| {
            let (label, own) = (if name.is_empty() { "Not known".to_owned() } else { name.clone() }, name.clone());
            view! { <option value=name selected=move || *time.read() == own>{label}</option> }
        });
        options.collect_view()
    };
    let boxes = move || {
        let others = columns.get().into_iter().filter(|column| column.name != *time.read());
        others.map(|column| value(values, work, column)).collect_view()
    };
    let said = |event: &web_sys::Event| Some(event_target_value(event)).filter(|text| !text.trim().is_empty());
    let set_time = move |event| {
        values.change(work, |mapping| {
            mapping.time = said(&event);
            mapping.values.retain(|name| Some(name) != mapping.time.as_ref());
        });
    };
    let set_zone = move |event| values.change(work, |mapping| mapping.zone = said(&event));
    let set_unit = move |event| values.change(work, |mapping| mapping.unit = said(&event));
    let what = move || {
        let look = values.look.get()?;
        let shape = format!("{}: {}.", look.file_name, look.shape);
        if values.is_empty.get() {
            return Some(view! { <p>{shape}</p> <p class="error">"Choose at least one column of values."</p> });
        }
        Some(view! { <p>{shape}</p> {read::told(&look, &values.zone.read())} })
    };
    view! {
        <p class="row">
            <label>"Column of times "<select on:change=set_time>{times}</select></label>
            <label>"Zone where none is written "<input size="14" placeholder="Europe/Berlin" on:change=set_zone/></label>
            <label>"Unit of the values "<input size="10" placeholder="ms" on:change=set_unit/></label>
        </p>
        <fieldset class="row">
            <legend class="meta">"Columns that become signals"</legend>
            {boxes}
        </fieldset>
        {what}
    }
}

/// A column that may become a signal, with what it begins with.
fn value(values: Values, work: Work, column: PreviewColumn) -> AnyView {
    let PreviewColumn { name, values: begins } = column;
    let (shown, own) = (name.clone(), name.clone());
    let begins = begins.into_iter().filter(|value| !value.is_empty()).collect::<Vec<_>>().join(", ");
    let choose = move |event| values.choose(work, &name, event_target_checked(&event));
    view! {
        <label>
            <input type="checkbox" prop:checked=move || values.chosen().contains(&own) on:change=choose/>
            " "{shown}" "<small>{begins}</small>
        </label>
    }
}
