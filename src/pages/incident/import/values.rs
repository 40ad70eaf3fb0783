//! Importing plain values from a CSV file: it is chosen or dropped, looked at, and imported.

use domain::wire::signals::{SignalsReport, ValueMapping};
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::{File, SubmitEvent};

use super::{Shown, choose, read};
use crate::client::Failure;
use crate::client::imports::{import_values, look_at_values};
use crate::view::view;

/// What is going on with a file.
#[derive(Clone, Copy)]
struct Work {
    shown: Shown,
    file: RwSignal<Option<File>, LocalStorage>,
    mapping: RwSignal<ValueMapping>,
    /// Counts what was asked, so that an old answer is told from that to the last question.
    asked: StoredValue<u32>,
    look: RwSignal<Option<SignalsReport>>,
    report: RwSignal<Option<SignalsReport>>,
    is_busy: RwSignal<bool>,
    said: RwSignal<String>,
}

/// The form.
pub fn form(shown: Shown) -> AnyView {
    let work = Work {
        shown,
        file: RwSignal::new_local(None),
        mapping: RwSignal::new(ValueMapping::default()),
        asked: StoredValue::new(0),
        look: RwSignal::new(None),
        report: RwSignal::new(None),
        is_busy: RwSignal::new(false),
        said: RwSignal::new(String::new()),
    };
    let chosen = Callback::new(move |file| {
        work.report.set(None);
        work.mapping.set(ValueMapping::default());
        work.file.set(Some(file));
        work.look();
    });
    let label = "Choose a file or drop it here: CSV with a time and one or more values, plain, gzip or zstd";
    view! {
        {choose::file(label, work.is_busy.into(), chosen)}
        {move || work.file.with(Option::is_some).then(|| looked_at(&work))}
        <p class="meta" role="status">{work.said}</p>
        {move || work.report.with(|report| report.as_ref().map(|report| read::told(report, &shown.zone.read())))}
    }
    .into_any()
}

impl Work {
    /// Has the file looked at, as it would be read now.
    fn look(self) {
        let Some(file) = self.file.get_untracked() else { return };
        let (id, mapping) = (self.id(), self.mapping.get_untracked());
        self.asked.update_value(|asked| *asked += 1);
        let asked = self.asked.get_value();
        self.said.set(format!("Looking at {}…", file.name()));
        spawn_local(async move {
            let answer = look_at_values(&id, &file, &mapping).await;
            if self.asked.try_get_value() != Some(asked) {
                return;
            }
            self.said.set(answer.as_ref().err().map(Failure::message).unwrap_or_default());
            self.look.set(answer.ok());
        });
    }

    fn change(self, edit: impl FnOnce(&mut ValueMapping)) {
        self.mapping.update(edit);
        self.look();
    }

    fn send(self) {
        let Some(file) = self.file.get_untracked() else { return };
        let (id, mapping) = (self.id(), self.mapping.get_untracked());
        self.is_busy.set(true);
        self.said.set(format!("Importing {}…", file.name()));
        spawn_local(async move {
            let answer = import_values(&id, &file, &mapping).await;
            self.is_busy.set(false);
            match answer {
                Ok(report) => {
                    self.said.set(read::sentence(&report));
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
    let names = Memo::new(move |_| {
        let look = work.look.read();
        look.iter().flat_map(|look| &look.columns).map(|column| column.name.clone()).collect::<Vec<_>>()
    });
    let time = move || work.look.read().as_ref().and_then(|look| look.mapping.time.clone()).unwrap_or_default();
    let columns = move || {
        let names = std::iter::once(String::new()).chain(names.get());
        let options = names.map(|name| {
            let (label, own) = (if name.is_empty() { "Not known".to_owned() } else { name.clone() }, name.clone());
            view! { <option value=name selected=move || time() == own>{label}</option> }
        });
        options.collect_view()
    };
    let said = |event: &web_sys::Event| Some(event_target_value(event)).filter(|text| !text.trim().is_empty());
    let set_time = move |event| work.change(|mapping| mapping.time = said(&event));
    let set_zone = move |event| work.change(|mapping| mapping.zone = said(&event));
    let set_unit = move |event| work.change(|mapping| mapping.unit = said(&event));
    let what = move || {
        let look = work.look.get()?;
        let shape = format!("{}: {}.", look.file_name, look.shape);
        Some(view! { <p>{shape}</p> {read::told(&look, &work.shown.zone.read())} })
    };
    let is_ready = move || work.look.read().as_ref().is_some_and(|look| look.trouble.is_none()) && !work.is_busy.get();
    view! {
        <form on:submit=submit>
            <p class="row">
                <label>"Column of times "<select on:change=set_time>{columns}</select></label>
                <label>
                    "Zone where none is written "
                    <input size="14" placeholder="Europe/Berlin" on:change=set_zone/>
                </label>
                <label>"Unit of the values "<input size="10" placeholder="ms" on:change=set_unit/></label>
            </p>
            {what}
            <p class="row">
                <button class="primary" type="submit" disabled=move || !is_ready()>"Import"</button>
                <button class="ghost" type="button" disabled=work.is_busy on:click=cancel>"Cancel"</button>
            </p>
        </form>
    }
    .into_any()
}
