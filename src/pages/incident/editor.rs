//! Changing an action item in place. What somebody types is never overwritten.

use domain::action::{Action, ActionStatus, ActionType, Priority};
use domain::person::Role;
use leptos::ev::SubmitEvent;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::advice::{Hints, said_of_all};
use super::meanwhile::Meanwhile;
use super::merge::{Conflict, Field, Form, offered};
use crate::client::{self, Failure};
use crate::format;
use crate::state::session::Session;
use crate::state::{place, typed};
use crate::view::view;

/// The form of an item.
#[component]
pub fn Editor(
    /// The item's number on the page, for the names of its parts.
    number: usize,
    action: RwSignal<Action>,
    /// The priorities of the incident's other items on which work remains.
    others: Memo<Vec<Option<Priority>>>,
    /// What is said to those who hear the page.
    said: RwSignal<String>,
    refresh: Callback<()>,
) -> impl IntoView {
    let place = NodeRef::<html::Form>::new();
    let base = RwSignal::new(action.get_untracked());
    let form = RwSignal::new(Form::of(&base.get_untracked()));
    let failure = RwSignal::new(None::<Failure>);
    let conflicts = RwSignal::new(Vec::<Conflict>::new());
    let busy = RwSignal::new(false);
    let saved = RwSignal::new(false);
    let is_typed = Memo::new(move |_| *form.read() != Form::of(&base.read()));
    // What was saved is no longer what stands there.
    Effect::new(move || {
        if is_typed.get() {
            saved.set(false);
        }
    });
    // A form that nobody has typed in follows the item; one that somebody has is left alone until it is saved.
    Effect::new(move || {
        let now = action.get();
        let untouched =
            base.with_untracked(|base| base.version < now.version && form.get_untracked() == Form::of(base));
        if untouched {
            form.set(Form::of(&now));
            base.set(now);
        }
    });
    // Only what hints are about, so that nobody is advised anew for a status.
    let writing = Memo::new(move |_| {
        let (form, base) = (form.read(), base.read());
        (base.status.is_open() && *form != Form::of(&base)).then(|| form.written(&base))
    });
    let over_all = Memo::new(move |_| {
        let chosen = form.read().get(Field::Priority).parse().ok();
        said_of_all(&others.read(), chosen.filter(|_| base.read().priority != chosen))
    });
    let known = Memo::new(move |_| action.read().hints.iter().map(|hint| hint.message.clone()).collect());
    let save = move |event: SubmitEvent| {
        event.prevent_default();
        if busy.get_untracked() {
            return;
        }
        let on = base.get_untracked();
        let patch = form.get_untracked().patch(&on);
        busy.set(true);
        saved.set(false);
        said.set(String::new());
        spawn_local(async move {
            let answer = client::actions::patch(on.id.as_str(), on.version, &patch).await;
            if busy.try_set(false).is_some() {
                return;
            }
            let done = move |mut item: Action| {
                item.notes = action.with_untracked(|action| action.notes.clone());
                said.set(format!("Saved: {} is {}", item.change, item.status.label()));
                base.set(item.clone());
                form.set(Form::of(&item));
                action.set(item);
                conflicts.set(Vec::new());
                saved.set(true);
            };
            failure.set(None);
            match answer {
                Ok(item) => done(item),
                Err(Failure::Refused(problem)) if problem.current.is_some() => {
                    let Some(current) = problem.current else { return };
                    let mut met = form.get_untracked();
                    let differing = met.meet(&on, &current);
                    if differing.is_empty() && met == Form::of(&current) {
                        // It is as it was meant to be: the answer to an earlier try was lost, or both meant the same.
                        done(*current);
                    } else {
                        if differing.is_empty() {
                            said.set("Somebody else changed other fields of this item. Save again.".to_owned());
                        }
                        conflicts.set(differing);
                        form.set(met);
                        base.set(*current);
                    }
                }
                Err(refused) => {
                    failure.set(Some(refused));
                    place::focus_fault(place);
                    return;
                }
            }
            refresh.run(());
        });
    };
    view! {
        <form class="editor" node_ref=place on:submit=save aria-label="Change this item" data-typed=move || typed::mark(is_typed.get())>
            <h3>"Change"</h3>
            <Meanwhile action base form conflicts busy/>
            <Conflicts conflicts form base/>
            <StatusField number form base failure/>
            <TextField number field=Field::Owner form failure/>
            <TextField number field=Field::Assignee form failure/>
            <TextField number field=Field::Due form failure/>
            <details open=move || MORE.iter().any(|field| is_wrong(failure, *field).is_some())>
                <summary>"More fields"</summary>
                <div class="editor">
                    <TextField number field=Field::Change form failure/>
                    <TextField number field=Field::Criterion form failure/>
                    {choice(number, Field::Kind, form, failure, ActionType::ALL.iter().map(|kind| (kind.as_str(), kind.label())).collect())}
                    {choice(number, Field::Priority, form, failure, Priority::ALL.iter().map(|level| (level.as_str(), level.label())).collect())}
                    <TextField number field=Field::Link form failure/>
                </div>
            </details>
            <Hints writing over_all known/>
            {move || failure.get().filter(|failure| Field::ALL.iter().all(|field| failure.at(field.pointer()).is_none())).map(|failure| view! {
                <p class="error" role="alert">{failure.unsaved()}</p>
            })}
            <p class="row">
                <button class="primary" aria-disabled=move || busy.get().then_some("true")>
                    {move || if busy.get() { "Saving…" } else if conflicts.read().is_empty() { "Save" } else { "Save what is chosen" }}
                </button>
                {move || saved.get().then(|| view! { <span class="saved">"✓ Saved"</span> })}
            </p>
        </form>
    }
}

/// What two people changed differently, and a choice for each.
#[component]
fn Conflicts(conflicts: RwSignal<Vec<Conflict>>, form: RwSignal<Form>, base: RwSignal<Action>) -> impl IntoView {
    move || {
        let all = conflicts.get();
        (!all.is_empty()).then(|| {
            let rows = all
                .into_iter()
                .map(|conflict| {
                    let field = conflict.field;
                    let name = format!("merge-{}", field.label());
                    let pick = move |whose: &'static str, value: String| {
                        let (shown, chosen) = (display(field, &value), value.clone());
                        view! {
                            <label>
                                <input
                                    type="radio"
                                    name=name.clone()
                                    prop:checked=move || form.read().get(field) == chosen
                                    on:change=move |_| form.update(|form| form.set(field, value.clone()))
                                />
                                {whose}": "<b>{shown}</b>
                            </label>
                        }
                    };
                    view! {
                        <fieldset>
                            <legend>{field.label()}</legend>
                            {pick.clone()("Theirs", conflict.theirs)}
                            {if conflict.is_possible {
                                pick("Yours", conflict.yours).into_any()
                            } else {
                                impossible(&conflict.yours, base.get_untracked().status).into_any()
                            }}
                        </fieldset>
                    }
                })
                .collect_view();
            view! {
                <div class="conflict" role="alert">
                    <p>"Somebody else changed this item meanwhile. Choose for each field, then save."</p>
                    {rows}
                </div>
            }
        })
    }
}

/// Says that a status cannot be had any more, and what can be instead.
fn impossible(yours: &str, now: ActionStatus) -> impl IntoView + use<> {
    let possible: Vec<_> = offered(now).skip(1).map(ActionStatus::label).collect();
    view! {
        <p>
            "Yours: "<b>{display(Field::Status, yours)}</b>
            {format!(" cannot follow {}. Under Status you can choose {}.", now.label(), possible.join(", "))}
        </p>
    }
}

fn display(field: Field, value: &str) -> String {
    match field {
        Field::Status => {
            value.parse::<ActionStatus>().map_or_else(|_| value.to_owned(), |status| status.label().to_owned())
        }
        Field::Due => value.parse().map_or_else(|_| value.to_owned(), format::due),
        Field::Owner | Field::Assignee if value.is_empty() => "nobody".to_owned(),
        _ if value.is_empty() => "nothing".to_owned(),
        _ => value.to_owned(),
    }
}

#[component]
fn StatusField(
    number: usize,
    form: RwSignal<Form>,
    base: RwSignal<Action>,
    failure: RwSignal<Option<Failure>>,
) -> impl IntoView {
    let session = Session::get();
    let choices = move || {
        let now = base.read().status;
        // Only an editor opens a closed item again.
        let may_change = now.is_open() || session.is(Role::Editor);
        offered(now)
            .filter(move |status| may_change || *status == now)
            .map(|status| {
                view! {
                    <option value=status.as_str() selected=move || form.read().get(Field::Status) == status.as_str()>
                        {status.label()}
                    </option>
                }
            })
            .collect_view()
    };
    let needs_reason = Memo::new(move |_| form.read().status().is_some_and(ActionStatus::needs_reason));
    view! {
        <label>
            "Status"
            <select
                aria-invalid=move || is_wrong(failure, Field::Status)
                aria-describedby=error_id(number, Field::Status)
                on:change=move |event| form.update(|form| form.choose(&base.read_untracked(), event_target_value(&event)))
            >
                {move || choices()}
            </select>
        </label>
        <FieldError number field=Field::Status failure/>
        {move || needs_reason.get().then(|| view! { <TextField number field=Field::Reason form failure/> })}
    }
}

/// The fields that stand behind "More fields".
const MORE: [Field; 5] = [Field::Change, Field::Criterion, Field::Kind, Field::Priority, Field::Link];

/// A field that takes one of some words, or none.
fn choice(
    number: usize,
    field: Field,
    form: RwSignal<Form>,
    failure: RwSignal<Option<Failure>>,
    words: Vec<(&'static str, &'static str)>,
) -> AnyView {
    let options = std::iter::once(("", "not said"))
        .chain(words)
        .map(|(word, label)| view! { <option value=word selected=move || form.read().get(field) == word>{label}</option> })
        .collect_view();
    view! {
        <label>
            {field.label()}
            <select
                aria-invalid=move || is_wrong(failure, field)
                aria-describedby=error_id(number, field)
                on:change=move |event| form.update(|form| form.set(field, event_target_value(&event)))
            >
                {options}
            </select>
        </label>
        <FieldError number field failure/>
    }
}

#[component]
fn TextField(number: usize, field: Field, form: RwSignal<Form>, failure: RwSignal<Option<Failure>>) -> impl IntoView {
    let kind = if field == Field::Due { "date" } else { "text" };
    view! {
        <label>
            {field.label()}
            <input
                type=kind
                autocomplete="off"
                aria-invalid=move || is_wrong(failure, field)
                aria-describedby=error_id(number, field)
                prop:value=move || form.read().get(field).to_owned()
                on:input=move |event| form.update(|form| form.set(field, event_target_value(&event)))
            />
        </label>
        <FieldError number field failure/>
    }
}

#[component]
fn FieldError(number: usize, field: Field, failure: RwSignal<Option<Failure>>) -> impl IntoView {
    // It is heard with its field, which gets the focus; an alert beside would say it twice.
    let message = move || failure.read().as_ref().and_then(|failure| failure.at(field.pointer()));
    view! { <p class="error" id=error_id(number, field)>{message}</p> }
}

fn error_id(number: usize, field: Field) -> String {
    format!("error-{number}{}", field.pointer().replace('/', "-"))
}

fn is_wrong(failure: RwSignal<Option<Failure>>, field: Field) -> Option<&'static str> {
    failure.read().as_ref()?.at(field.pointer()).map(|_| "true")
}
