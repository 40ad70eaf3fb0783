//! The evidence, each source with the places that cite it, and what the importer could not understand.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use domain::EvidenceNumber;
use domain::evidence::{Evidence, EvidenceKind, ImportedLoadTest};
use domain::person::Role;
use domain::verification::Acceptance;
use domain::wire::evidence::{EvidencePatch, NewEvidence};
use domain::wire::incidents::Dashboard;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::Shown;
use super::attached::attached;
use super::imported::ImportedFiles;
use super::proved::measured;
use super::values::ValueList;
use crate::client::{self, Nothing};
use crate::components::{Ask, Asking, Field, Kind, Outcome};
use crate::pages::{Edited, deliver_edit};
use crate::state::place;
use crate::state::session::Session;
use crate::view::view;
use crate::{format, part};

/// The numbered sources.
#[component]
pub fn EvidenceList(shown: Shown) -> impl IntoView {
    let (session, asking) = (Session::get(), Asking::get());
    let said = RwSignal::new(String::new());
    let may_edit = Memo::new(move |_| !shown.shared && session.is(Role::Editor));
    let owns = Memo::new(move |_| shown.incident.read().actions.iter().any(|action| session.owns(action)));
    let items = move || {
        let (incident, zone) = (shown.incident.read(), shown.zone.read());
        incident
            .evidence
            .iter()
            .map(|evidence| {
                let number = evidence.number;
                let places = cited_in(&incident, number);
                let title = evidence.title.clone().unwrap_or_else(|| "Untitled source".to_owned());
                let is_removed = evidence.removed_at.is_some();
                let removed = evidence
                    .removed_at
                    .map(|at| view! { <small>{format!("✕ removed on {}", format::minute(at, &zone))}</small> });
                let deeds = (!is_removed).then(|| deeds(shown, evidence, may_edit));
                let test = evidence.load_test.as_ref().map(|imported| load_test(imported));
                let file = evidence.file.as_ref().map(|file| attached(&incident, number, file)).or_else(|| {
                    evidence.withheld.then(|| view! { <small>"A file, which is not shown under a share link."</small> })
                });
                let title = match evidence
                    .link
                    .clone()
                    .filter(|link| link.starts_with("https://") || link.starts_with("http://"))
                {
                    Some(link) => view! { <a href=link rel="external noopener noreferrer">{title}</a> }.into_any(),
                    None => title.into_any(),
                };
                let places = places
                    .into_iter()
                    .map(|(anchor, label)| view! { <a rel="external" href=format!("#{anchor}")>{label}</a> })
                    .collect::<Vec<_>>();
                let captured = evidence.captured_at.map(|at| format!("captured {}", format::date_time(at, &zone)));
                view! {
                    <li id=format!("evidence-{number}") value=number tabindex="-1">
                        {title}" "<span class="badge quiet">{evidence.kind.label()}</span>
                        {captured.map(|captured| view! { <small>" "{captured}</small> })}
                        {removed}
                        {deeds}
                        {test}
                        {file}
                        {(!places.is_empty()).then(|| view! { <small class="cited">"Cited in "{places}</small> })}
                    </li>
                }
            })
            .collect_view()
    };
    let add = move |_| part::with(asking, move |here| asking.ask(part::changing::add_evidence(here, shown)));
    let import = move |event| {
        part::with(asking, move |here| part::changing::import_load_test(here, shown, said, &event));
    };
    let is_attaching = RwSignal::new(false);
    let attach = move || {
        is_attaching
            .get()
            .then(|| part::apart("form", move |here| part::attaching::form(here, shown, is_attaching, said)))
    };
    // Where the address names a source, it named nothing until now.
    if place::fragment().starts_with("evidence") {
        place::follow_fragment();
    }
    let may_add = move || !shown.shared && (may_edit.get() || owns.get());
    let is_empty = Memo::new(move |_| shown.incident.read().evidence.is_empty());
    view! {
        <section aria-labelledby="evidence">
            <h2 id="evidence">"Evidence"</h2>
            {move || is_empty.get().then(|| view! { <p class="empty">"No sources are cited."</p> })}
            <ol class="evidence">{move || items()}</ol>
            <p class="row do add" hidden=move || !may_add()>
                <button class="ghost" type="button" data-part=part::CHANGING on:click=add>"Add a source"</button>
                <button class="ghost" type="button" data-part=part::ATTACHING on:click=move |_| is_attaching.set(true)>"Add a file or picture"</button>
                <label class="ghost" data-part=part::CHANGING>
                    "Import a load test (k6, vegeta, oha, Locust)"
                    <input type="file" class="vh" accept=".json,.csv" on:change=import/>
                </label>
            </p>
            {attach}
            <p class="meta" role="status">{said}</p>
            <ImportedFiles shown/>
            <ValueList shown/>
            <Diagnostics shown/>
        </section>
    }
}

/// What an editor can do to a source.
fn deeds(shown: Shown, evidence: &Evidence, may_edit: Memo<bool>) -> AnyView {
    let (asking, evidence) = (Asking::get(), Arc::new(evidence.clone()));
    let what = evidence.title.clone().unwrap_or_else(|| format!("source {}", evidence.number));
    let (rename_label, remove_label) = (format!("Edit {what}"), format!("Remove {what}"));
    let to_rename = evidence.clone();
    let rename = move |_| {
        let evidence = to_rename.clone();
        part::with(asking, move |here| asking.ask(part::changing::rename_evidence(here, shown, &evidence)));
    };
    let remove = move |_| {
        let evidence = evidence.clone();
        part::with(asking, move |here| asking.ask(part::changing::remove_evidence(here, shown, &evidence)));
    };
    view! {
        <span class="row deeds do" data-part=part::CHANGING hidden=move || !may_edit.get()>
            <button class="link" type="button" aria-label=rename_label on:click=rename>"Edit"</button>
            <button class="link" type="button" aria-label=remove_label on:click=remove>"Remove"</button>
        </span>
    }
}

fn line(label: &'static str, pointer: &'static str, value: String) -> Field {
    Field { label, pointer, kind: Kind::Line("text", "off"), value }
}

/// Asks for a new source.
pub fn add(shown: Shown) -> Ask {
    let kinds = EvidenceKind::ALL.iter().map(|kind| (kind.as_str().to_owned(), kind.label().to_owned())).collect();
    let kind = Field { label: "Kind", pointer: "/kind", kind: Kind::One(kinds), value: "link".to_owned() };
    Ask {
        title: "Add a source".to_owned(),
        text: String::new(),
        fields: vec![line("Title", "/title", String::new()), kind, line("Link", "/link", String::new())],
        submit: "Add it",
        is_danger: false,
        send: Arc::new(move |values, key| {
            let get = |i: usize| values.get(i).cloned().unwrap_or_default();
            let new = NewEvidence {
                title: get(0),
                kind: get(1).parse().unwrap_or(EvidenceKind::Link),
                link: Some(get(2)).filter(|link| !link.trim().is_empty()),
                captured_at: None,
            };
            let incident = shown.incident.read_untracked().id.clone();
            Box::pin(async move {
                let added = client::incidents::add_evidence(incident.as_str(), &new, &key).await;
                let added = added.map_err(|failure| failure.refusal())?;
                shown.refresh.run(());
                Ok(Outcome::Done(format!("Added as evidence {}.", added.number)))
            })
        }),
    }
}

/// Asks for a source's title and link.
pub fn rename(shown: Shown, evidence: &Evidence) -> Ask {
    let (number, version) = (evidence.number, Arc::new(AtomicI64::new(evidence.version)));
    Ask {
        title: format!("Evidence {number}"),
        text: String::new(),
        fields: vec![
            line("Title", "/title", evidence.title.clone().unwrap_or_default()),
            line("Link", "/link", evidence.link.clone().unwrap_or_default()),
        ]
        .into_iter()
        .chain(shows(evidence).map(|shows| line("What the picture shows", "/description", shows)))
        .collect(),
        submit: "Save",
        is_danger: false,
        send: Arc::new(move |values, _| {
            let get = |i: usize| values.get(i).cloned().unwrap_or_default();
            let patch = EvidencePatch {
                title: Some(Some(get(0))),
                link: Some(Some(get(1))),
                kind: None,
                description: values.get(2).cloned().map(Some),
            };
            let id = shown.incident.read_untracked().id.to_string();
            let call = client::incidents::change_evidence(&id, number, version.load(Ordering::Relaxed), &patch);
            let read = client::incidents::evidence(&id, number);
            let fields = |now: &Evidence| {
                let named = [now.title.clone().unwrap_or_default(), now.link.clone().unwrap_or_default()];
                (now.version, named.into_iter().chain(shows(now)).collect())
            };
            let edited = Edited { version: version.clone(), read, fields };
            deliver_edit(call, shown.refresh, edited, |_: Nothing| Outcome::Done("Saved.".to_owned()))
        }),
    }
}

/// What a picture shows; none where the source is no picture.
fn shows(evidence: &Evidence) -> Option<String> {
    let file = evidence.file.as_ref().filter(|file| file.media.is_picture())?;
    Some(file.description.clone().unwrap_or_default())
}

/// Asks whether to remove a source.
pub fn remove(shown: Shown, evidence: &Evidence) -> Ask {
    let (number, version) = (evidence.number, Arc::new(AtomicI64::new(evidence.version)));
    Ask {
        title: format!("Remove evidence {number}?"),
        text: "Its number stays, since the text may cite it. Items that were verified by it are opened again."
            .to_owned(),
        fields: Vec::new(),
        submit: "Remove it",
        is_danger: true,
        send: Arc::new(move |_, _| {
            let id = shown.incident.read_untracked().id.to_string();
            let call = client::incidents::remove_evidence(&id, number, version.load(Ordering::Relaxed));
            let read = client::incidents::evidence(&id, number);
            let edited = Edited { version: version.clone(), read, fields: |now| (now.version, Vec::new()) };
            deliver_edit(call, shown.refresh, edited, move |_: Nothing| {
                Outcome::Done(format!("Evidence {number} was removed."))
            })
        }),
    }
}

/// Sends the file that was chosen.
pub fn import(shown: Shown, said: RwSignal<String>, event: &web_sys::Event) {
    let input: web_sys::HtmlInputElement = event_target(event);
    let Some(file) = input.files().and_then(|files| files.get(0)) else { return };
    let incident = shown.incident.read_untracked().id.clone();
    said.set(format!("Reading {}…", file.name()));
    spawn_local(async move {
        let answer = client::incidents::import_load_test(incident.as_str(), &file).await;
        // The same file can be chosen again.
        input.set_value("");
        said.set(match answer {
            Ok(report) if report.added => format!("✓ Added as evidence {}.", report.evidence.number),
            Ok(report) => format!("This file was imported before; it is evidence {}.", report.evidence.number),
            Err(failure) => failure.message(),
        });
        shown.refresh.run(());
    });
}

/// What a load test said.
fn load_test(imported: &ImportedLoadTest) -> AnyView {
    let test = &imported.test;
    let metrics = test
        .metrics
        .iter()
        .map(|metric| view! { <li>{metric.name.clone()}": "{measured(metric.quantity())}</li> })
        .collect_view();
    let notes = [&test.percentile_basis, &test.error_basis]
        .into_iter()
        .chain(&test.notes)
        .map(|note| view! { <li>{note.replace('`', "")}</li> })
        .collect_view();
    let summary = format!(
        "{} · {} · SHA-256 {}…",
        test.tool.label(),
        imported.file_name,
        imported.sha256.get(..12).unwrap_or("")
    );
    view! {
        <details>
            <summary>{summary}</summary>
            <ul class="metrics">{metrics}</ul>
            <ul class="hints">{notes}</ul>
        </details>
    }
}

/// The places that cite a source, each with its anchor on the page.
fn cited_in(incident: &Dashboard, number: EvidenceNumber) -> Vec<(String, String)> {
    let prose =
        incident.citations.iter().filter(|citation| citation.evidence.contains(&number)).filter_map(|citation| {
            Some(match citation.field.as_str() {
                "/summary" => ("summary".to_owned(), "Headline".to_owned()),
                "/root_cause" => ("root-cause".to_owned(), "Root cause".to_owned()),
                "/follow_up" => ("follow-up".to_owned(), "Customer follow-up".to_owned()),
                field => {
                    let point = field.strip_prefix("/key_points/")?.parse::<usize>().ok()? + 1;
                    (format!("key-point-{point}"), format!("Key point {point}"))
                }
            })
        });
    let rows = |area: &'static str, label: &'static str, cited: Vec<bool>| {
        cited
            .into_iter()
            .enumerate()
            .filter(|(_, cited)| *cited)
            .map(move |(i, _)| (format!("{area}-{}", i + 1), format!("{label} {}", i + 1)))
    };
    let cites = |numbers: &[EvidenceNumber]| numbers.contains(&number);
    let mut places: Vec<_> = prose.collect();
    places.extend(
        incident
            .impact
            .iter()
            .enumerate()
            .filter(|(_, measure)| cites(&measure.evidence))
            .map(|(i, measure)| (format!("impact-{}", i + 1), measure.label.clone())),
    );
    places.extend(rows("timeline", "Timeline", incident.timeline.iter().map(|entry| cites(&entry.evidence)).collect()));
    places.extend(rows(
        "action",
        "Action item",
        incident.actions.iter().map(|action| cites(&action.evidence)).collect(),
    ));
    let proves = |accepted: &Acceptance| accepted.evidence == Some(number);
    places.extend(rows(
        "action",
        "Proof of action item",
        incident.actions.iter().map(|action| action.accepted.as_ref().is_some_and(proves)).collect(),
    ));
    places.dedup();
    places
}

/// What the importer wants a person to know.
#[component]
pub fn Diagnostics(shown: Shown) -> impl IntoView {
    move || {
        let incident = shown.incident.read();
        let count = incident.diagnostics.len();
        (count > 0).then(|| {
            view! {
                <details class="diagnostics">
                    <summary>{format::counted(count, "remark", "remarks")}" on the imported document"</summary>
                    <ul>
                        {incident
                            .diagnostics
                            .iter()
                            .map(|diagnostic| view! {
                                <li>{diagnostic.to_string()}{diagnostic.text.clone().map(|text| view! { <q>{text}</q> })}</li>
                            })
                            .collect_view()}
                    </ul>
                </details>
            }
        })
    }
}
