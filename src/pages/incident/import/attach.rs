//! Adding a file or a picture as evidence: it is chosen or dropped, said what it is, and sent.

use domain::evidence::EvidenceKind;
use domain::wire::evidence::EvidenceReport;
use leptos::prelude::*;
use web_sys::{File, SubmitEvent};

use super::{Shown, choose};
use crate::client::Failure;
use crate::client::imports::{About, Upload, attach};
use crate::view::view;

/// What is going on with a file.
#[derive(Clone, Copy)]
struct Work {
    shown: Shown,
    is_open: RwSignal<bool>,
    outcome: RwSignal<String>,
    file: RwSignal<Option<File>, LocalStorage>,
    about: RwSignal<About>,
    /// How much of it was sent, in hundredths, while it is sent.
    sent: RwSignal<Option<u32>>,
    upload: StoredValue<Option<Upload>, LocalStorage>,
    said: RwSignal<String>,
}

/// Where a file is chosen or dropped. `outcome` says what became of it once the form is closed.
#[component]
pub fn AttachForm(shown: Shown, is_open: RwSignal<bool>, outcome: RwSignal<String>) -> impl IntoView {
    let work = Work {
        shown,
        is_open,
        outcome,
        file: RwSignal::new_local(None),
        about: RwSignal::new(About::default()),
        sent: RwSignal::new(None),
        upload: StoredValue::new_local(None),
        said: RwSignal::new(String::new()),
    };
    outcome.set(String::new());
    let chosen = Callback::new(move |file: File| {
        let kind = if is_picture(&file) { EvidenceKind::Metric } else { EvidenceKind::Log };
        work.about.set(About { title: file.name(), description: String::new(), kind });
        work.said.set(String::new());
        work.file.set(Some(file));
    });
    let is_busy = Signal::derive(move || work.sent.get().is_some());
    view! {
        <div class="import">
            {choose::file("Choose a file or drop it here: a picture, a piece of a log, CSV, JSON or PDF", is_busy, chosen)}
            {move || work.file.with(|file| file.as_ref().map(is_picture)).map(|picture| asked(&work, picture))}
            <p class="meta" role="status">{work.said}</p>
            {move || work.file.with(Option::is_none).then(|| view! {
                <p><button class="ghost" type="button" on:click=move |_| work.cancel()>"Cancel"</button></p>
            })}
        </div>
    }
}

/// Whether the browser takes it for a picture; the server looks for itself.
fn is_picture(file: &File) -> bool {
    file.type_().starts_with("image/")
}

impl Work {
    fn send(self) {
        let Some(file) = self.file.get_untracked() else { return };
        let done = Callback::new(move |answer: Result<EvidenceReport, Failure>| {
            self.sent.set(None);
            self.upload.set_value(None);
            match answer {
                Ok(report) => {
                    let number = report.evidence.number;
                    self.outcome.set(if report.added {
                        format!("✓ Added as evidence {number}.")
                    } else {
                        format!("This very file is evidence {number} already; nothing was changed.")
                    });
                    self.shown.refresh.run(());
                    self.is_open.set(false);
                }
                Err(failure) => self.said.set(failure.unsaved()),
            }
        });
        let sent = Callback::new(move |sent| self.sent.set(Some(sent)));
        let id = self.shown.incident.read_untracked().id.to_string();
        match attach(&id, &file, &self.about.get_untracked(), sent, done) {
            Ok(upload) => {
                self.said.set(String::new());
                self.sent.set(Some(0));
                self.upload.set_value(Some(upload));
            }
            Err(failure) => self.said.set(failure.message()),
        }
    }

    fn cancel(self) {
        self.upload.update_value(|upload| {
            if let Some(upload) = upload.take() {
                upload.cancel();
                self.outcome.set("Cancelled; nothing was added.".to_owned());
            }
        });
        self.is_open.set(false);
    }
}

/// What is to be said of the file.
fn asked(work: &Work, picture: bool) -> AnyView {
    let work = *work;
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        work.send();
    };
    let kinds = EvidenceKind::ALL.iter().filter(|kind| !matches!(kind, EvidenceKind::LoadTest | EvidenceKind::Link));
    let kinds = kinds.map(|&kind| {
        view! { <option value=kind.as_str() selected=move || work.about.read().kind == kind>{kind.label()}</option> }
    });
    let kinds = kinds.collect_view();
    let set_title = move |event| work.about.update(|about| about.title = event_target_value(&event));
    let set_description = move |event| work.about.update(|about| about.description = event_target_value(&event));
    let set_kind = move |event| {
        if let Ok(kind) = event_target_value(&event).parse() {
            work.about.update(|about| about.kind = kind);
        }
    };
    let description = picture.then(|| {
        view! {
            <label>
                "What the picture shows, for whoever does not see it "
                <input size="40" required prop:value=move || work.about.get().description on:input=set_description/>
            </label>
        }
    });
    let name = move || work.file.with(|file| file.as_ref().map(File::name));
    // The server takes out what a camera wrote into a picture, and nothing of a PDF.
    let is_pdf = work.file.with_untracked(|file| file.as_ref().is_some_and(|file| file.type_() == "application/pdf"));
    let unseen = is_pdf.then(|| {
        view! { <p class="meta">"A PDF is kept as it is, with its author’s name and whatever else one does not see in it."</p> }
    });
    view! {
        <form on:submit=submit>
            <p>{name}</p>
            <label>"Title " <input size="40" prop:value=move || work.about.get().title on:input=set_title/></label>
            {description}
            {unseen}
            <label>"Kind " <select on:change=set_kind>{kinds}</select></label>
            <p class="row">
                <button class="primary" type="submit" disabled=move || work.sent.get().is_some()>"Add it"</button>
                <button class="ghost" type="button" on:click=move |_| work.cancel()>"Cancel"</button>
                {move || work.sent.get().map(|sent| view! {
                    <progress max="100" value=sent aria-label="Sent"></progress>
                    <span>{format!("{sent}% sent")}</span>
                })}
            </p>
        </form>
    }
    .into_any()
}
