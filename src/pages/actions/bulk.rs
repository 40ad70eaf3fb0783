//! Changing the selected items at once, and what became of each.

use domain::action::ActionStatus;
use domain::wire::actions::ActionPatch;
use domain::wire::tracker::{BulkPatch, ItemOutcome, ItemVersion, MAX_BULK, Outcome};
use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::Tracker;
use crate::client;
use crate::format;
use crate::state::{place, typed};
use crate::view::view;

/// The name of the report in the page.
const REPORT: &str = "bulk-report";

/// What is to change in every selected item; an empty field changes nothing.
#[derive(Debug, Clone, Default, PartialEq)]
struct Form {
    status: String,
    reason: String,
    owner: String,
    assignee: String,
    nobody: bool,
    due: String,
    undated: bool,
}

impl Form {
    fn status(&self) -> Option<ActionStatus> {
        self.status.parse().ok()
    }

    fn patch(&self) -> ActionPatch {
        let filled = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        ActionPatch {
            status: self.status(),
            reason: self.status().filter(|status| status.needs_reason()).map(|_| filled(&self.reason)),
            owner: filled(&self.owner),
            assignee: if self.nobody { Some(None) } else { filled(&self.assignee).map(Some) },
            due: if self.undated { Some(None) } else { self.due.parse().ok().map(Some) },
            ..ActionPatch::default()
        }
    }
}

/// What was not changed, for people: the change, and why.
fn refusals(outcomes: &[ItemOutcome], named: impl Fn(&ItemOutcome) -> String) -> Vec<(String, String)> {
    outcomes
        .iter()
        .filter(|item| !matches!(item.outcome, Outcome::Updated | Outcome::Unchanged))
        .map(|item| {
            let why = match item.outcome {
                Outcome::Refused => item.detail.clone().unwrap_or_default(),
                Outcome::Stale => "somebody else changed it meanwhile; it is shown as it now is".to_owned(),
                outcome => outcome.label().to_lowercase(),
            };
            (named(item), why)
        })
        .collect()
}

/// The bar of the selected items.
#[component]
pub fn Bulk(tracker: Tracker) -> impl IntoView {
    let form = RwSignal::new(Form::default());
    let busy = RwSignal::new(false);
    let failure = RwSignal::new(None::<String>);
    let report = RwSignal::new(None::<(usize, Vec<(String, String)>)>);
    let count = Memo::new(move |_| tracker.selected.read().len());
    let is_typed = Memo::new(move |_| *form.read() != Form::default());
    // On a phone the fields would cover what they are about.
    let is_wide = window().match_media("(min-width: 40rem)").ok().flatten().is_none_or(|wide| wide.matches());
    let save = move |event: SubmitEvent| {
        event.prevent_default();
        let patch = form.read_untracked().patch();
        if busy.get_untracked() {
            return;
        }
        if patch == ActionPatch::default() {
            failure.set(Some("Nothing is to change yet: fill in at least one field.".to_owned()));
            return;
        }
        busy.set(true);
        spawn_local(async move {
            let answer = tracker.change(patch).await;
            if busy.try_set(false).is_some() {
                return;
            }
            match answer {
                Ok(outcomes) => {
                    let refused = refusals(&outcomes, |item| tracker.name(item));
                    let changed = outcomes.len() - refused.len();
                    if refused.is_empty() {
                        form.set(Form::default());
                    }
                    // What was not changed stays selected, so that it can be looked at.
                    tracker.selected.update(|selected| {
                        selected.retain(|id| {
                            outcomes.iter().any(|item| {
                                item.id == *id && !matches!(item.outcome, Outcome::Updated | Outcome::Unchanged)
                            })
                        });
                    });
                    failure.set(None);
                    let said = told(changed, refused.len());
                    report.set(Some((changed, refused)));
                    // The bar may be gone, and the keyboard with it.
                    request_animation_frame(|| super::focus(REPORT));
                    let there = tracker.items.read_untracked().len();
                    tracker.load(u32::try_from(there).unwrap_or(super::MOST)).await;
                    tracker.count().await;
                    let _ = tracker.said.try_set(said);
                }
                Err(why) => failure.set(Some(why)),
            }
        });
    };
    let input = move |label: &'static str,
                      kind: &'static str,
                      list: Option<&'static str>,
                      get: fn(&Form) -> &String,
                      set: fn(&mut Form) -> &mut String| {
        view! {
            <label>
                {label}
                <input
                    type=kind
                    list=list
                    placeholder=if label == "Reason" { "why" } else { "unchanged" }
                    prop:value=move || get(&form.read()).clone()
                    on:input=move |event| form.update(|form| *set(form) = event_target_value(&event))
                />
            </label>
        }
    };
    let tick = move |label: &'static str, get: fn(&Form) -> bool, set: fn(&mut Form, bool)| {
        view! {
            <label class="tick">
                <input
                    type="checkbox"
                    prop:checked=move || get(&form.read())
                    on:change=move |event| form.update(|form| set(form, event_target_checked(&event)))
                />
                {label}
            </label>
        }
    };
    let statuses = ActionStatus::ALL.iter().filter(|status| **status != ActionStatus::Verified).map(|status| {
        let word = status.as_str();
        view! { <option value=word selected=move || form.read().status == word>{status.label()}</option> }
    });
    let statuses: Vec<AnyView> = statuses.collect();
    let needs_reason = Memo::new(move |_| form.read().status().is_some_and(ActionStatus::needs_reason));
    view! {
        <form class="bulk do" aria-label="Change the selected items" data-typed=move || typed::mark(is_typed.get()) on:submit=save hidden=move || count.get() == 0>
            <p class="bar">
                <b>{move || format::counted(count.get(), "item", "items")}" selected"</b>
                <button class="ghost" type="button" on:click=move |_| tracker.selected.set(std::collections::BTreeSet::new())>
                    "Clear selection"
                </button>
            </p>
            {move || failure.get().map(|why| view! { <p class="error" role="alert">{why}</p> })}
            <details class="more" open=is_wide>
            <summary>"What is to change"</summary>
            <div class="filters">
                <label>
                    "Status"
                    <select
                        prop:value=move || form.read().status.clone()
                        on:change=move |event| form.update(|form| form.status = event_target_value(&event))
                    >
                        <option value="">"unchanged"</option>
                        {statuses}
                    </select>
                </label>
                {move || needs_reason.get().then(|| input("Reason", "text", None, |form| &form.reason, |form| &mut form.reason))}
                {input("Owner", "text", Some("owners"), |form| &form.owner, |form| &mut form.owner)}
                {input("Assignee", "text", None, |form| &form.assignee, |form| &mut form.assignee)}
                {tick("nobody", |form| form.nobody, |form, on| form.nobody = on)}
                {input("Due", "date", None, |form| &form.due, |form| &mut form.due)}
                {tick("no date", |form| form.undated, |form, on| form.undated = on)}
                <button class="primary" aria-disabled=move || busy.get().then_some("true")>
                    {move || if busy.get() { "Updating…".to_owned() } else { format!("Update {}", format::counted(count.get(), "item", "items")) }}
                </button>
            </div>
            </details>
        </form>
        {move || report.get().map(|(changed, refused)| {
            let rows: Vec<AnyView> = refused
                .iter()
                .map(|(name, why)| view! { <li><b>{name.clone()}</b>": "{why.clone()}</li> })
                .collect();
            view! {
                <div id=REPORT tabindex="-1" class="report do" class:refused=!refused.is_empty()>
                    <p>{told(changed, refused.len())}</p>
                    {(!rows.is_empty()).then(|| view! { <ul>{rows}</ul> })}
                    <button class="ghost" on:click=move |_| { report.set(None); place::focus_content(); }>"Dismiss"</button>
                </div>
            }
        })}
    }
}

fn told(changed: usize, refused: usize) -> String {
    let done = format::counted(changed, "item is", "items are") + " updated";
    if refused == 0 { done + "." } else { [&done, "; ", &format::counted(refused, "is", "are"), " not:"].concat() }
}

impl Tracker {
    /// Changes every selected item, as many at a time as one request may.
    async fn change(self, patch: ActionPatch) -> Result<Vec<ItemOutcome>, String> {
        let versions: Vec<ItemVersion> = {
            let selected = self.selected.read_untracked();
            let shown = self.items.read_untracked();
            shown
                .iter()
                .map(|item| &item.action)
                .filter(|action| selected.contains(&action.id))
                .map(|action| ItemVersion { id: action.id.clone(), version: action.version })
                .collect()
        };
        let mut outcomes = Vec::with_capacity(versions.len());
        for items in versions.chunks(MAX_BULK) {
            let asked = BulkPatch { items: items.to_vec(), patch: patch.clone() };
            let answer = client::tracker::patch(&asked).await.map_err(|failure| failure.unsaved())?;
            outcomes.extend(answer.items);
        }
        Ok(outcomes)
    }

    fn name(self, of: &ItemOutcome) -> String {
        let items = self.items.read_untracked();
        let item = items.iter().find(|item| item.action.id == of.id);
        item.map_or_else(|| of.id.to_string(), |item| item.action.change.clone())
    }
}
