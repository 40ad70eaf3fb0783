//! Adding a file or a picture as evidence: it is said what it is.

use std::sync::Arc;

use domain::evidence::EvidenceKind;
use domain::wire::evidence::EvidenceReport;
use leptos::prelude::*;
use web_sys::File;

use super::Shown;
use super::upload::{Kind, Work, brought};
use crate::client::imports::{About, Destination, attach};
use crate::client::{Answer, Failure};
use crate::view::view;

/// A file that is to be evidence.
#[derive(Clone, Copy)]
struct Attached {
    is_open: RwSignal<bool>,
    name: RwSignal<String>,
    is_picture: RwSignal<bool>,
    is_pdf: RwSignal<bool>,
    about: RwSignal<About>,
}

/// Where a file is chosen or dropped. `outcome` says what became of it once the form is closed.
pub fn form(shown: Shown, is_open: RwSignal<bool>, outcome: RwSignal<String>) -> AnyView {
    let attached = Attached {
        is_open,
        name: RwSignal::new(String::new()),
        is_picture: RwSignal::new(false),
        is_pdf: RwSignal::new(false),
        about: RwSignal::new(About::default()),
    };
    outcome.set(String::new());
    let work = Work::new(shown, Arc::new(attached), outcome);
    view! {
        <div class="import">
            {brought(work)}
            {move || work.is_idle().then(|| view! {
                <p><button class="ghost" type="button" on:click=move |_| work.cancel()>"Cancel"</button></p>
            })}
        </div>
    }
}

/// Whether the browser takes it for a picture; the server looks for itself.
fn is_picture(file: &File) -> bool {
    file.type_().starts_with("image/")
}

impl Kind for Attached {
    fn label(&self) -> &'static str {
        "Choose a file or drop it here: a picture, a piece of a log, CSV, JSON or PDF"
    }

    fn submit(&self) -> &'static str {
        "Add it"
    }

    fn begin(&self, file: &File) {
        let is_picture = is_picture(file);
        let kind = if is_picture { EvidenceKind::Metric } else { EvidenceKind::Log };
        self.about.set(About { title: file.name(), description: String::new(), kind });
        self.is_picture.set(is_picture);
        self.is_pdf.set(file.type_() == "application/pdf");
        self.name.set(file.name());
    }

    fn look(&self, _: &str, _: &str) -> Option<Result<Destination, Failure>> {
        None
    }

    fn looked(&self, _: Option<&str>) -> bool {
        true
    }

    fn asked(&self, _: Work) -> AnyView {
        asked(*self)
    }

    fn is_ready(&self) -> bool {
        true
    }

    fn send(&self, incident: &str, name: &str) -> Result<Destination, Failure> {
        Ok(attach(incident, name, &self.about.read_untracked()))
    }

    fn sent(&self, answer: &str) -> Option<String> {
        let report = EvidenceReport::parsed(answer)?;
        let number = report.evidence.number;
        Some(if report.added {
            format!("✓ Added as evidence {number}.")
        } else {
            format!("This very file is evidence {number} already; nothing was changed.")
        })
    }

    fn end(&self) {
        self.is_open.set(false);
    }
}

/// What is to be said of the file.
fn asked(attached: Attached) -> AnyView {
    let about = attached.about;
    let kinds = EvidenceKind::ALL.iter().filter(|kind| !matches!(kind, EvidenceKind::LoadTest | EvidenceKind::Link));
    let kinds = kinds.map(|&kind| {
        view! { <option value=kind.as_str() selected=move || about.read().kind == kind>{kind.label()}</option> }
    });
    let kinds = kinds.collect_view();
    let set_title = move |event| about.update(|about| about.title = event_target_value(&event));
    let set_description = move |event| about.update(|about| about.description = event_target_value(&event));
    let set_kind = move |event| {
        if let Ok(kind) = event_target_value(&event).parse() {
            about.update(|about| about.kind = kind);
        }
    };
    let description = move || {
        attached.is_picture.get().then(|| {
            view! {
                <label>
                    "What the picture shows, for whoever does not see it "
                    <input size="40" required prop:value=move || about.get().description on:input=set_description/>
                </label>
            }
        })
    };
    // The server takes out what a camera wrote into a picture, and nothing of a PDF.
    let unseen = move || {
        attached.is_pdf.get().then(|| {
            view! { <p class="meta">"A PDF is kept as it is, with its author’s name and whatever else one does not see in it."</p> }
        })
    };
    view! {
        <p>{attached.name}</p>
        <label>"Title " <input size="40" prop:value=move || about.get().title on:input=set_title/></label>
        {description}
        {unseen}
        <label>"Kind " <select on:change=set_kind>{kinds}</select></label>
    }
}
