//! Changing an action item in place. What somebody types is never overwritten.

use domain::action::{Action, ActionStatus};
use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::merge::{Conflict, Field, Form};
use crate::client::{self, Failure};
use crate::format;
use crate::view::view;

/// The form of an item.
#[component]
pub fn Editor(action: RwSignal<Action>, said: RwSignal<String>, refresh: Callback<()>) -> impl IntoView {
    let base = RwSignal::new(action.get_untracked());
    let form = RwSignal::new(Form::of(&base.get_untracked()));
    let failure = RwSignal::new(None::<Failure>);
    let conflicts = RwSignal::new(Vec::<Conflict>::new());
    let busy = RwSignal::new(false);
    let saved = RwSignal::new(false);
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
    let save = move |event: SubmitEvent| {
        event.prevent_default();
        if busy.get_untracked() {
            return;
        }
        let on = base.get_untracked();
        let patch = form.get_untracked().patch(&on);
        busy.set(true);
        saved.set(false);
        spawn_local(async move {
            let answer = client::actions::patch(on.id.as_str(), on.version, &patch).await;
            if busy.try_set(false).is_some() {
                return;
            }
            match answer {
                Ok(mut item) => {
                    item.notes = action.with_untracked(|action| action.notes.clone());
                    said.set(format!("Saved: {} is {}", item.change, item.status.label()));
                    base.set(item.clone());
                    form.set(Form::of(&item));
                    action.set(item);
                    failure.set(None);
                    conflicts.set(Vec::new());
                    saved.set(true);
                    refresh.run(());
                }
                Err(Failure::Refused(problem)) if problem.current.is_some() => {
                    if let Some(current) = problem.current {
                        let mut met = form.get_untracked();
                        conflicts.set(met.meet(&on, &current));
                        form.set(met);
                        base.set(*current);
                        failure.set(None);
                        said.set("Somebody else changed this item. Look at what differs, then save again.".to_owned());
                        refresh.run(());
                    }
                }
                Err(refused) => {
                    said.set(refused.message());
                    failure.set(Some(refused));
                }
            }
        });
    };
    view! {
        <form class="editor" on:submit=save aria-label="Change this item">
            <h3>"Change"</h3>
            <Conflicts conflicts form/>
            <StatusField form base failure/>
            <TextField field=Field::Owner form failure/>
            <TextField field=Field::Assignee form failure/>
            <TextField field=Field::Due form failure/>
            {move || failure.get().filter(|failure| Field::ALL.iter().all(|field| failure.at(field.pointer()).is_none())).map(|failure| view! {
                <p class="error" role="alert">{failure.message()}</p>
            })}
            <p class="row">
                <button class="primary" disabled=move || busy.get()>
                    {move || if busy.get() { "Saving…" } else if conflicts.read().is_empty() { "Save" } else { "Save what is chosen" }}
                </button>
                {move || saved.get().then(|| view! { <span class="saved">"✓ Saved"</span> })}
            </p>
        </form>
    }
}

/// What two people changed differently, and a choice for each.
#[component]
fn Conflicts(conflicts: RwSignal<Vec<Conflict>>, form: RwSignal<Form>) -> impl IntoView {
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
                            {pick("Yours", conflict.yours)}
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

fn display(field: Field, value: &str) -> String {
    match field {
        Field::Status => {
            value.parse::<ActionStatus>().map_or_else(|_| value.to_owned(), |status| status.label().to_owned())
        }
        Field::Due => value.parse().map_or_else(|_| value.to_owned(), format::due),
        _ if value.is_empty() => "nobody".to_owned(),
        _ => value.to_owned(),
    }
}

#[component]
fn StatusField(form: RwSignal<Form>, base: RwSignal<Action>, failure: RwSignal<Option<Failure>>) -> impl IntoView {
    let choices = move || {
        let now = base.read().status;
        std::iter::once(now)
            .chain(now.next().iter().copied().filter(|status| *status != ActionStatus::Verified))
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
            <select on:change=move |event| form.update(|form| form.set(Field::Status, event_target_value(&event)))>
                {move || choices()}
            </select>
        </label>
        <FieldError field=Field::Status failure/>
        {move || needs_reason.get().then(|| view! { <TextField field=Field::Reason form failure/> })}
    }
}

#[component]
fn TextField(field: Field, form: RwSignal<Form>, failure: RwSignal<Option<Failure>>) -> impl IntoView {
    let kind = if field == Field::Due { "date" } else { "text" };
    let wrong =
        Memo::new(move |_| failure.read().as_ref().is_some_and(|failure| failure.at(field.pointer()).is_some()));
    view! {
        <label>
            {field.label()}
            <input
                type=kind
                autocomplete="off"
                aria-invalid=move || wrong.get().then_some("true")
                prop:value=move || form.read().get(field).to_owned()
                on:input=move |event| form.update(|form| form.set(field, event_target_value(&event)))
            />
        </label>
        <FieldError field failure/>
    }
}

#[component]
fn FieldError(field: Field, failure: RwSignal<Option<Failure>>) -> impl IntoView {
    move || {
        let message = failure.read().as_ref()?.at(field.pointer())?;
        Some(view! { <p class="error" role="alert">{message}</p> })
    }
}
