//! Importing plain values from a Prometheus server: it is asked, what it answers is looked at, and imported.

use chrono::{DateTime, Utc};
use domain::incident::Window;
use domain::signal::first_view;
use domain::wire::problem::FieldError;
use domain::wire::signals::{NewSignals, PrometheusQuery, PrometheusServer, SignalsReport};
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::SubmitEvent;

use super::{Shown, read};
use crate::client::imports::{import_answer, look_at_answer, prometheus_servers};
use crate::client::{Answer, Call, Failure, sentence};
use crate::components::{Fetched, Loaded};
use crate::view::view;

/// How many steps the first view is asked for in.
const STEPS: i64 = 360;

const NONE: &str = "No Prometheus server is known here. Whoever runs Debrief names one in prometheus.toml, in the data folder; \
                    the manual’s part on running the server says how.";

/// What stands in the fields.
#[derive(Clone, Default, PartialEq)]
struct Fields {
    server: String,
    query: String,
    from: String,
    until: String,
    step: String,
    title: String,
    unit: String,
}

/// What is going on with a question.
#[derive(Clone, Copy)]
struct Work {
    shown: Shown,
    fields: RwSignal<Fields>,
    /// What was looked at last, and what stood in the fields then.
    look: RwSignal<Option<(Fields, SignalsReport)>>,
    report: RwSignal<Option<SignalsReport>>,
    faults: RwSignal<Vec<FieldError>>,
    is_busy: RwSignal<bool>,
    said: RwSignal<String>,
}

/// The form, once it is known which servers can be asked.
pub fn form(shown: Shown) -> AnyView {
    let servers = RwSignal::new(Fetched::<Vec<PrometheusServer>>::Loading);
    let fetch = move || {
        spawn_local(async move {
            let answer = prometheus_servers().await;
            let _ = servers.try_set(match answer {
                Ok(page) => Fetched::There(page.items.into()),
                Err(failure) => Fetched::Failed(failure.message()),
            });
        });
    };
    fetch();
    let work = Work {
        shown,
        fields: RwSignal::new(Fields::default()),
        look: RwSignal::new(None),
        report: RwSignal::new(None),
        faults: RwSignal::new(Vec::new()),
        is_busy: RwSignal::new(false),
        said: RwSignal::new(String::new()),
    };
    let content = move || {
        let Fetched::There(known) = servers.get() else { return ().into_any() };
        match known.first() {
            None => view! { <p class="empty">{NONE}</p> }.into_any(),
            Some(first) => {
                work.fields.set(work.first_fields(first.name.clone()));
                asked(&work, &known)
            }
        }
    };
    view! { <Loaded fetched=servers retry=fetch what="list of Prometheus servers" content/> }.into_any()
}

impl Work {
    /// The chart's first view, in steps of whole seconds.
    fn first_fields(self, server: String) -> Fields {
        let incident = self.shown.incident.read_untracked();
        let window = Window::of(incident.started_at, incident.ended_at);
        let view = first_view(window, incident.signals.first().and_then(|signal| signal.span));
        let written = |at: DateTime<Utc>| at.to_rfc3339().get(..19).unwrap_or_default().to_owned();
        let step = view.map_or(60, |view| ((view.until - view.from).num_seconds() / STEPS).max(1));
        Fields {
            server,
            from: view.map(|view| written(view.from)).unwrap_or_default(),
            until: view.map(|view| written(view.until)).unwrap_or_default(),
            step: step.to_string(),
            ..Fields::default()
        }
    }

    /// The question in the fields; none, and which field is at fault, where it cannot be asked.
    fn question(self) -> Option<NewSignals> {
        let fields = self.fields.get_untracked();
        let mut faults = Vec::new();
        let mut instant = |field: &str, text: &str| {
            let seconds = if text.len() == 16 { ":00" } else { "" };
            let read = format!("{text}{seconds}Z").parse::<DateTime<Utc>>();
            if read.is_err() {
                faults.push(FieldError::new(format!("/prometheus/{field}"), "Say the day and the time, in UTC."));
            }
            read.unwrap_or_default()
        };
        let said = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let query = PrometheusQuery {
            from: instant("from", &fields.from),
            until: instant("until", &fields.until),
            // What is no number is asked as a step that there is not, so that the fault is told.
            step_seconds: fields.step.trim().parse().unwrap_or(0),
            title: said(&fields.title),
            unit: said(&fields.unit),
            server: fields.server,
            query: fields.query,
        };
        if faults.is_empty() {
            faults = query.faults();
        }
        let is_fine = faults.is_empty();
        self.faults.set(faults);
        is_fine.then_some(NewSignals { prometheus: query })
    }

    fn refused(self, failure: &Failure) {
        if let Failure::Refused(problem) = failure {
            self.faults.set(problem.errors.clone());
        }
        self.said.set(failure.message());
    }

    fn look(self) {
        self.report.set(None);
        self.look.set(None);
        let Some(question) = self.question() else {
            self.said.set("This cannot be asked; see the fields.".to_owned());
            return;
        };
        let fields = self.fields.get_untracked();
        self.ask(look_at_answer(&self.id(), &question), "Asking…", move |look| {
            self.said.set(String::new());
            self.look.set(Some((fields, look)));
        });
    }

    fn import(self) {
        let Some(question) = self.question() else { return };
        self.ask(import_answer(&self.id(), &question), "Importing…", move |report| {
            self.look.set(None);
            self.said.set(read::sentence(&report));
            self.report.set(Some(report));
            self.shown.refresh.run(());
        });
    }

    fn ask(self, call: Call<SignalsReport>, meanwhile: &str, then: impl FnOnce(SignalsReport) + 'static) {
        self.is_busy.set(true);
        self.said.set(meanwhile.to_owned());
        let (call, then): (_, Box<dyn FnOnce(SignalsReport)>) = (call.untyped(), Box::new(then));
        spawn_local(async move {
            let answer = call.text().await;
            self.is_busy.set(false);
            match answer.and_then(|text| SignalsReport::parsed(&text).ok_or(Failure::Unreadable(None))) {
                Ok(report) => then(report),
                Err(failure) => self.refused(&failure),
            }
        });
    }

    fn id(self) -> String {
        self.shown.incident.read_untracked().id.to_string()
    }
}

/// What is asked, and what it brought.
fn asked(work: &Work, servers: &[PrometheusServer]) -> AnyView {
    let work = *work;
    let options = servers.iter().map(|server| {
        view! { <option value=server.name.clone()>{format!("{} ({})", server.name, server.address)}</option> }
    });
    let options = options.collect_view();
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        work.look();
    };
    // What was looked at is what is imported.
    let is_ready = Memo::new(move |_| {
        let fields = work.fields.read();
        let look = work.look.read();
        look.as_ref().is_some_and(|(of, look)| *of == *fields && look.trouble.is_none())
    });
    let told = move || {
        let look = work.look.read();
        let report = work.report.read();
        let report = report.as_ref().or(look.as_ref().map(|(_, look)| look))?;
        Some(read::told(report, &work.shown.zone.read()))
    };
    view! {
        <form class="ask" on:submit=submit novalidate>
            <label>
                "Server"
                <select on:change=move |event| work.fields.update(|fields| fields.server = event_target_value(&event))>{options}</select>
            </label>
            {line(&work, "Query", "query", "text", |fields| &mut fields.query)}
            {line(&work, "From (UTC)", "from", "datetime-local", |fields| &mut fields.from)}
            {line(&work, "Until (UTC)", "until", "datetime-local", |fields| &mut fields.until)}
            {line(&work, "Step in seconds", "step_seconds", "number", |fields| &mut fields.step)}
            {line(&work, "Title (the metric’s name unless given)", "title", "text", |fields| &mut fields.title)}
            {line(&work, "Unit", "unit", "text", |fields| &mut fields.unit)}
            <p class="row">
                <button class="ghost" type="submit" disabled=work.is_busy>"Preview"</button>
                <button class="primary" type="button" disabled=move || !is_ready.get() || work.is_busy.get() on:click=move |_| work.import()>"Import"</button>
            </p>
        </form>
        <p class="meta" role="status">{work.said}</p>
        {told}
    }
    .into_any()
}

/// One field, with what is wrong with it.
fn line(
    work: &Work,
    label: &'static str,
    field: &'static str,
    kind: &'static str,
    of: fn(&mut Fields) -> &mut String,
) -> AnyView {
    let work = *work;
    let id = format!("prometheus-{field}");
    let pointer = format!("/prometheus/{field}");
    let fault = Memo::new(move |_| {
        let faults = work.faults.read();
        faults.iter().find(|fault| fault.pointer == pointer).map(|fault| sentence(&fault.message))
    });
    let first = work.fields.try_update_untracked(|fields| of(fields).clone()).unwrap_or_default();
    let step = (kind == "datetime-local").then_some("1");
    view! {
        <label>
            {label}
            <input type=kind step=step autocomplete="off" value=first aria-invalid=move || fault.read().as_ref().map(|_| "true")
                aria-describedby=id.clone() on:input=move |event| work.fields.update(|fields| *of(fields) = event_target_value(&event))/>
        </label>
        <p class="error" id=id>{fault}</p>
    }
    .into_any()
}
