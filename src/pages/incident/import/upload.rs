//! Bringing a file in, whatever it holds: it is chosen or dropped, looked at, sent with its progress told, and given up.

use std::sync::Arc;

use domain::wire::incidents::Dashboard;
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::{DragEvent, File, HtmlInputElement, SubmitEvent};

use super::Shown;
use crate::client::Failure;
use crate::client::imports::{Destination, Upload};
use crate::view::view;

/// How much of a file is all of it, in hundredths.
const ALL: u32 = 100;

/// A kind of file: where it goes, what is asked about it, and what is told of it.
pub trait Kind: Send + Sync + 'static {
    /// What stands where it is chosen.
    fn label(&self) -> &'static str;

    /// What the button says that sends it.
    fn submit(&self) -> &'static str {
        "Import"
    }

    /// Another file was chosen: what was said and told of the one before is forgotten.
    fn begin(&self, file: &File);

    /// Where it goes to be looked at, read as it is said now; none where there is nothing to look at.
    fn look(&self, incident: &str, name: &str) -> Option<Result<Destination, Failure>>;

    /// Takes the answer to that; false where it is not understood. None where there was none.
    fn looked(&self, answer: Option<&str>) -> bool;

    /// What is asked about it, and what was seen of it. Drawn once for a file: a choice leaves the focus where it is.
    fn asked(&self, work: Work) -> AnyView;

    /// Whether it may be sent as it is said now.
    fn is_ready(&self) -> bool;

    /// Where it goes.
    fn send(&self, incident: &str, name: &str) -> Result<Destination, Failure>;

    /// Takes what became of it; a sentence for people, or none where the answer is not understood.
    fn sent(&self, answer: &str) -> Option<String>;

    /// It is done with, whether it was sent or given up.
    fn end(&self) {}
}

/// What is going on with a file.
#[derive(Clone, Copy)]
pub struct Work {
    incident: Memo<Arc<Dashboard>>,
    /// Reads the incident again.
    refresh: Callback<()>,
    kind: StoredValue<Arc<dyn Kind>>,
    file: RwSignal<Option<File>, LocalStorage>,
    /// Counts what was asked, so that an old answer is told from that to the last question.
    asked: StoredValue<u32>,
    /// How much of it was sent, in hundredths, while it is sent.
    sent: RwSignal<Option<u32>>,
    upload: StoredValue<Option<Upload>, LocalStorage>,
    /// What is told of it, in a sentence.
    said: RwSignal<String>,
}

impl Work {
    /// Nothing yet. What is on its way is given up with the form.
    pub fn new(shown: Shown, kind: Arc<dyn Kind>, said: RwSignal<String>) -> Self {
        let work = Self {
            incident: shown.incident,
            refresh: shown.refresh,
            kind: StoredValue::new(kind),
            file: RwSignal::new_local(None),
            asked: StoredValue::new(0),
            sent: RwSignal::new(None),
            upload: StoredValue::new_local(None),
            said,
        };
        on_cleanup(move || {
            work.give_up();
        });
        work
    }

    /// Has the file looked at, as it would be read now.
    pub fn look(self) {
        let Some(file) = self.file.get_untracked() else { return };
        let kind = self.kind();
        let Some(destination) = kind.look(&self.id(), &file.name()) else { return };
        let asked = self.next_asked();
        self.said.set(format!("Looking at {}…", file.name()));
        spawn_local(async move {
            let answer = match destination {
                Ok(destination) => destination.look(&file).await,
                Err(failure) => Err(failure),
            };
            if self.asked.try_get_value() != Some(asked) {
                return;
            }
            let is_read = kind.looked(answer.as_ref().ok().map(String::as_str));
            let failure = answer.err().or((!is_read).then_some(Failure::Unreadable(None)));
            self.said.set(failure.as_ref().map(Failure::message).unwrap_or_default());
        });
    }

    /// Whether no file is chosen.
    pub fn is_idle(self) -> bool {
        self.file.with(Option::is_none)
    }

    /// Tells something of the file.
    pub fn say(self, what: String) {
        self.said.set(what);
    }

    /// Gives the file up.
    pub fn cancel(self) {
        self.said.set(match self.give_up() {
            None => String::new(),
            Some(ALL..) => {
                self.refresh.run(());
                "Cancelled, but all of it had been sent: look under Evidence whether it was taken.".to_owned()
            }
            Some(_) => "Cancelled; nothing of it was kept.".to_owned(),
        });
        self.clear();
    }

    fn choose(self, file: File) {
        self.kind().begin(&file);
        self.said.set(String::new());
        self.file.set(Some(file));
        self.look();
    }

    fn send(self) {
        let Some(file) = self.file.get_untracked() else { return };
        let kind = self.kind();
        let done = Callback::new(move |answer: Result<String, Failure>| {
            self.sent.set(None);
            self.upload.set_value(None);
            match answer.and_then(|text| self.kind().sent(&text).ok_or(Failure::Unreadable(None))) {
                Ok(sentence) => {
                    self.said.set(sentence);
                    self.refresh.run(());
                    self.clear();
                }
                Err(failure) => self.said.set(failure.unsaved()),
            }
        });
        let sent = Callback::new(move |sent| self.sent.set(Some(sent)));
        match kind.send(&self.id(), &file.name()).and_then(|destination| destination.send(&file, sent, done)) {
            Ok(upload) => {
                self.said.set(String::new());
                self.sent.set(Some(0));
                self.upload.set_value(Some(upload));
            }
            Err(failure) => self.said.set(failure.unsaved()),
        }
    }

    /// Stops what is on its way; how much of it was sent, if it was.
    fn give_up(self) -> Option<u32> {
        let upload = self.upload.try_update_value(Option::take).flatten()?;
        upload.cancel();
        let sent = self.sent.try_get_untracked().flatten();
        let _ = self.sent.try_set(None);
        sent
    }

    fn clear(self) {
        self.next_asked();
        self.file.set(None);
        self.kind().end();
    }

    fn next_asked(self) -> u32 {
        self.asked.update_value(|asked| *asked += 1);
        self.asked.get_value()
    }

    fn kind(self) -> Arc<dyn Kind> {
        self.kind.get_value()
    }

    fn id(self) -> String {
        self.incident.read_untracked().id.to_string()
    }
}

/// Where a file of this kind is chosen or dropped, looked at and sent; and below, what is told of it.
pub fn form(shown: Shown, kind: Arc<dyn Kind>, told: impl Fn() -> Option<AnyView> + Send + Sync + 'static) -> AnyView {
    let said = RwSignal::new(String::new());
    let work = Work::new(shown, kind, said);
    view! {
        {brought(work)}
        <p class="meta" role="status">{said}</p>
        {told}
    }
}

/// Where a file is chosen or dropped, looked at and sent.
pub fn brought(work: Work) -> AnyView {
    view! {
        {place(work)}
        {move || work.file.with(Option::is_some).then(|| chosen(work))}
    }
}

/// A place to choose a file or drop it.
fn place(work: Work) -> AnyView {
    let is_busy = move || work.sent.get().is_some();
    let choose = move |event: web_sys::Event| {
        let input: HtmlInputElement = event_target(&event);
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            work.choose(file);
        }
        // The same file can be chosen again.
        input.set_value("");
    };
    let drop = move |event: DragEvent| {
        event.prevent_default();
        let file = event.data_transfer().and_then(|data| data.files()).and_then(|files| files.get(0));
        if let Some(file) = file.filter(|_| work.sent.get_untracked().is_none()) {
            work.choose(file);
        }
    };
    view! {
        <label class="ghost drop" on:dragover=|event: DragEvent| event.prevent_default() on:drop=drop>
            {work.kind().label()}
            <input type="file" class="vh" disabled=is_busy on:change=choose/>
        </label>
    }
}

/// What is asked about the file that was chosen, and how far it is sent.
fn chosen(work: Work) -> AnyView {
    let kind = work.kind();
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        work.send();
    };
    // Whoever leaves the page while it is sent gives it up.
    let held = move || work.sent.get().map(|_| "yes");
    let (label, asked) = (kind.submit(), kind.asked(work));
    let progress = move || {
        let sent = work.sent.get()?;
        let told = if sent < ALL { format!("{sent}% sent") } else { "All sent; it is being read".to_owned() };
        Some(view! { <progress max=ALL value=sent aria-label="Sent"></progress><span>{told}</span> })
    };
    view! {
        <form data-typed=held on:submit=submit>
            {asked}
            <p class="row">
                <button class="primary" type="submit" disabled=move || !kind.is_ready() || work.sent.get().is_some()>{label}</button>
                <button class="ghost" type="button" on:click=move |_| work.cancel()>"Cancel"</button>
                {progress}
            </p>
        </form>
    }
}
