//! The one form in a dialog: asks for a few things, or for a yes, sends them once, and shows a secret once.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use domain::wire::problem::FieldError;
use leptos::ev::SubmitEvent;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;

use super::meet::meet;
use crate::state::place::Focused;
use crate::state::{clock, typed};
use crate::view::view;

/// What is asked for.
#[derive(Clone)]
pub struct Ask {
    /// What it is about.
    pub title: String,
    /// What will happen.
    pub text: String,
    /// The fields, in their order; none where only a yes is asked for.
    pub fields: Vec<Field>,
    /// What the button says.
    pub submit: &'static str,
    /// Whether it takes something away.
    pub is_danger: bool,
    /// Sends the fields' values, with a key that makes a repeated request one.
    pub send: Arc<dyn Fn(Vec<String>, String) -> Sending + Send + Sync>,
}

/// What is on its way.
pub type Sending = Pin<Box<dyn Future<Output = Result<Outcome, Refusal>>>>;

/// One field.
#[derive(Clone)]
pub struct Field {
    /// Its name for people.
    pub label: &'static str,
    /// Where the server's errors point to it.
    pub pointer: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What stands in it.
    pub value: String,
}

/// What a field takes.
#[derive(Clone)]
pub enum Kind {
    /// One line of this `type`, with this `autocomplete`.
    Line(&'static str, &'static str),
    /// One of these: value and label.
    One(Vec<(String, String)>),
    /// Yes (`"yes"`) or no (empty).
    Switch,
    /// Any of these: value and label; the values chosen, parted by blanks.
    Any(Vec<(String, String)>),
    /// What another kind takes, asked for only while the field of this place, from 0, has this value.
    Under(usize, &'static str, Box<Kind>),
}

impl Kind {
    /// The kind itself, whenever it is asked for.
    pub fn plain(&self) -> &Self {
        if let Self::Under(_, _, kind) = self { kind } else { self }
    }
}

/// What became of it.
pub enum Outcome {
    /// It is done; a sentence says so.
    Done(String),
    /// It is done, and brought a secret that is shown this once; what it is, and the secret.
    Once(String, String),
}

/// Why it was not done.
#[derive(Clone)]
pub struct Refusal {
    /// A sentence.
    pub message: String,
    /// The fields at fault.
    pub errors: Vec<FieldError>,
    /// What stands in the fields by now, where somebody else was faster.
    pub now: Option<Vec<String>>,
}

/// How long what is said stays: some seconds, and more for each letter.
const READING: Duration = Duration::from_secs(5);
const READING_A_LETTER: Duration = Duration::from_millis(60);

/// What is being asked, for the whole application.
#[derive(Clone, Copy)]
pub struct Asking {
    now: RwSignal<Option<(Ask, Option<Beside>)>>,
    said: RwSignal<String>,
    failure: RwSignal<Option<String>>,
    /// What had the focus when it was asked.
    opener: StoredValue<Option<Focused>, LocalStorage>,
}

/// What stands below the fields while they are filled in, given what stands in them.
pub type Beside = Arc<dyn Fn(Signal<Vec<String>>) -> AnyView + Send + Sync>;

impl Asking {
    /// Sets it up.
    pub fn provide() {
        provide_context(Self {
            now: RwSignal::new(None),
            said: RwSignal::default(),
            failure: RwSignal::new(None),
            opener: StoredValue::new_local(None),
        });
    }

    /// The application's.
    pub fn get() -> Self {
        expect_context()
    }

    /// Asks.
    pub fn ask(self, ask: Ask) {
        self.open(ask, None);
    }

    /// Asks, with this below the fields.
    pub fn ask_beside(self, ask: Ask, beside: Beside) {
        self.open(ask, Some(beside));
    }

    /// Asks, with this below the fields if there is something.
    pub fn open(self, ask: Ask, beside: Option<Beside>) {
        self.clear();
        self.opener.set_value(Focused::now());
        self.now.set(Some((ask, beside)));
    }

    /// Asks nothing any more, and says nothing: the page is another.
    pub fn clear(self) {
        self.now.set(None);
        self.said.set(String::new());
        self.failure.set(None);
    }

    /// Says what was done, for as long as it takes to read it.
    fn say(self, what: String) {
        let long = READING + READING_A_LETTER * u32::try_from(what.len()).unwrap_or(0);
        self.said.set(what.clone());
        let over = move || {
            if self.said.try_get_untracked() == Some(what) {
                self.said.set(String::new());
            }
        };
        set_timeout(over, long);
    }

    /// It is answered or given up; the focus goes back to where it came from.
    fn end(self) {
        self.now.set(None);
        if let Some(opener) = self.opener.try_update_value(Option::take).flatten() {
            // The dialog goes first.
            request_animation_frame(move || opener.give_back());
        }
    }

    /// Says why nothing can be asked.
    pub fn fail(self, why: String) {
        self.clear();
        self.failure.set(Some(why));
    }
}

/// The dialog, while something is asked, and what was last done.
#[component]
pub fn AskDialog(
    /// Draws the dialog.
    dialog: fn(Ask, Option<Beside>, Asking) -> AnyView,
) -> impl IntoView {
    let asking = Asking::get();
    view! {
        <p class="said" role="status">{asking.said}</p>
        {move || asking.failure.get().map(|why| view! { <p class="said error" role="alert">{why}</p> })}
        {move || asking.now.get().map(|(ask, beside)| dialog(ask, beside, asking))}
    }
}

/// The dialog that asks.
#[component]
pub fn Open(ask: Ask, beside: Option<Beside>, asking: Asking) -> impl IntoView {
    let Ask { title, text, fields, submit, is_danger, send } = ask;
    let place = NodeRef::<html::Dialog>::new();
    let values = RwSignal::new(fields.iter().map(|field| field.value.clone()).collect::<Vec<_>>());
    // As the form was opened, or as somebody else left it since.
    let asked = StoredValue::new(fields.clone());
    let refusal = RwSignal::new(None::<Refusal>);
    let busy = RwSignal::new(false);
    let secret = RwSignal::new(None::<(String, String)>);
    // One key for one wish: the same values sent again after a lost answer make one thing.
    let last = StoredValue::new((Vec::new(), clock::unique()));
    Effect::new(move || {
        if let Some(dialog) = place.get() {
            let _ = dialog.show_modal();
        }
    });
    let close = move || {
        if let Some(dialog) = place.get_untracked() {
            dialog.close();
        }
    };
    let go = move |event: SubmitEvent| {
        event.prevent_default();
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        let now = values.get_untracked();
        if last.with_value(|(values, _)| *values != now) {
            last.set_value((now.clone(), clock::unique()));
        }
        let answer = send(now, last.with_value(|(_, key)| key.clone()));
        spawn_local(async move {
            let answer = answer.await;
            if busy.try_set(false).is_some() {
                return;
            }
            refusal.set(None);
            match answer {
                Ok(Outcome::Done(what)) => {
                    asking.say(what);
                    close();
                }
                Ok(Outcome::Once(what, shown)) => secret.set(Some((what, shown))),
                Err(mut why) => {
                    if let Some(now) = why.now.take() {
                        let met = asked.try_update_value(|asked| values.try_update(|mine| meet(asked, mine, now)));
                        why.errors = met.flatten().unwrap_or_default();
                    }
                    refusal.set(Some(why));
                    request_animation_frame(move || focus_fault(place));
                }
            }
        });
    };
    let is_typed = Memo::new(move |_| {
        let values = values.read();
        secret.read().is_none()
            && asked.with_value(|fields| fields.iter().zip(&*values).any(|(field, value)| field.value != *value))
    });
    // A secret that is shown this once is closed by its button alone.
    let leave = move || {
        if secret.read_untracked().is_none() && (!is_typed.get_untracked() || typed::may_go()) {
            close();
        }
    };
    let pointers: Vec<_> = fields.iter().map(|field| field.pointer).collect();
    let general = move || {
        let why = refusal.get()?;
        let is_shown = why.errors.iter().any(|error| pointers.contains(&error.pointer.as_str()));
        (!is_shown).then(|| view! { <p class="error-box" role="alert">{why.message}</p> })
    };
    let fields = fields
        .into_iter()
        .enumerate()
        .map(|(i, field)| {
            let value = move || values.with(|values| values[i].clone());
            let put = Callback::new(move |value: String| values.update(|values| values[i] = value));
            let pointer = field.pointer;
            let error = Signal::derive(move || {
                let refusal = refusal.read();
                let error = refusal.as_ref()?.errors.iter().find(|error| error.pointer == pointer)?;
                Some(error.message.clone())
            });
            let asked_for = match &field.kind {
                Kind::Under(above, word, _) => Some((*above, *word)),
                _ => None,
            };
            let entry = entry(&field, i, Signal::derive(value), put, error);
            let is_hidden = move || asked_for.is_some_and(|(above, word)| values.with(|values| values[above] != word));
            view! { <div hidden=is_hidden>{entry}</div> }
        })
        .collect_view();
    view! {
        <dialog
            node_ref=place
            aria-labelledby="ask"
            on:close=move |_| asking.end()
            on:cancel=move |event: leptos::ev::Event| {
                event.prevent_default();
                leave();
            }
            on:keydown=move |event| if event.key() == "Escape" {
                event.prevent_default();
                leave();
            }
        >
            <h2 id="ask">{title}</h2>
            {move || match secret.get() {
                Some((what, shown)) => view! { <Once what shown close=Callback::new(move |()| close())/> },
                None => ().into_any(),
            }}
            <form class="ask" on:submit=go novalidate data-typed=move || typed::mark(is_typed.get()) hidden=move || secret.read().is_some()>
                {(!text.is_empty()).then(|| view! { <p>{text}</p> })}
                {fields}
                {beside.map(|beside| beside(values.into()))}
                {general}
                <p class="row">
                    <button class=if is_danger { "primary danger" } else { "primary" } aria-disabled=move || busy.get().then_some("true")>
                        {move || if busy.get() { "One moment…" } else { submit }}
                    </button>
                    <button class="ghost" type="button" autofocus=is_danger on:click=move |_| leave()>"Cancel"</button>
                </p>
            </form>
        </dialog>
    }
}

/// One field with its label and what is wrong with it.
fn entry(
    field: &Field,
    i: usize,
    value: Signal<String>,
    set: Callback<String>,
    error: Signal<Option<String>>,
) -> AnyView {
    let id = format!("ask-error-{i}");
    let wrong = move || error.get().map(|_| "true");
    let label = field.label;
    let control = match field.kind.plain().clone() {
        Kind::Line(kind, autocomplete) => view! {
            <label>
                {label}
                <input type=kind autocomplete=autocomplete aria-invalid=wrong aria-describedby=id.clone() prop:value=value
                    on:input=move |event| set.run(event_target_value(&event))/>
            </label>
        },
        Kind::One(choices) => view! {
            <label>
                {label}
                <select aria-invalid=wrong aria-describedby=id.clone() on:change=move |event| set.run(event_target_value(&event))>
                    {options(choices, value)}
                </select>
            </label>
        },
        Kind::Switch => view! {
            <label class="check">
                <input type="checkbox" aria-invalid=wrong aria-describedby=id.clone() prop:checked=move || !value.read().is_empty()
                    on:change=move |event| set.run(if event_target_checked(&event) { "yes".to_owned() } else { String::new() })/>
                {label}
            </label>
        },
        Kind::Any(choices) if choices.is_empty() => view! { <p class="meta">{label}": there are none yet"</p> },
        Kind::Any(choices) => view! {
            <fieldset aria-describedby=id.clone()>
                <legend>{label}</legend>
                <div class="checks">{checks(choices, value, set)}</div>
            </fieldset>
        },
        // One condition is enough.
        Kind::Under(..) => ().into_any(),
    };
    view! { {control}<p class="error" id=id>{error}</p> }
}

fn options(choices: Vec<(String, String)>, value: Signal<String>) -> Vec<AnyView> {
    choices
        .into_iter()
        .map(|(word, label)| {
            let own = word.clone();
            view! { <option value=word selected=move || *value.read() == own>{label}</option> }
        })
        .collect()
}

fn checks(choices: Vec<(String, String)>, value: Signal<String>, set: Callback<String>) -> Vec<AnyView> {
    choices
        .into_iter()
        .map(|(word, label)| {
            let own = word.clone();
            let toggle = move |_| {
                let now = value.get_untracked();
                let mut chosen: Vec<&str> = now.split_whitespace().filter(|each| *each != word).collect();
                if chosen.len() == now.split_whitespace().count() {
                    chosen.push(&word);
                }
                set.run(chosen.join(" "));
            };
            view! {
                <label class="check">
                    <input type="checkbox" prop:checked=move || value.read().split_whitespace().any(|each| each == own) on:change=toggle/>
                    {label}
                </label>
            }
        })
        .collect()
}

/// A secret, to be copied now.
#[component]
fn Once(what: String, shown: String, close: Callback<()>) -> impl IntoView {
    let place = NodeRef::<html::Input>::new();
    let said = RwSignal::new("");
    Effect::new(move || {
        if let Some(input) = place.get() {
            input.select();
            let _ = input.focus();
        }
    });
    // The newer way to copy is only there over TLS; this one is everywhere.
    let copy = move |_| {
        let Some(input) = place.get_untracked() else { return };
        input.select();
        let document: Option<web_sys::HtmlDocument> = document().dyn_into().ok();
        let copied = document.is_some_and(|document| document.exec_command("copy").unwrap_or(false));
        said.set(if copied { "✓ Copied" } else { "Press Ctrl+C to copy" });
    };
    view! {
        <div class="ask">
            <p>{what}" It is shown this once: copy it now."</p>
            <input class="secret" node_ref=place readonly aria-label="What to copy" prop:value=shown/>
            <p class="row">
                <button class="primary" on:click=copy>"Copy"</button>
                <button class="ghost" on:click=move |_| close.run(())>"Done"</button>
                <span class="saved" role="status">{said}</span>
            </p>
        </div>
    }
}

fn focus_fault(place: NodeRef<html::Dialog>) {
    let fault =
        place.try_get_untracked().flatten().and_then(|dialog| dialog.query_selector("[aria-invalid]").ok().flatten());
    if let Some(fault) = fault.as_ref().and_then(|fault| fault.dyn_ref::<web_sys::HtmlElement>()) {
        let _ = fault.focus();
    }
}
