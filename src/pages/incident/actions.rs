//! The action items: a table on a wide screen, cards on a phone.

use std::sync::Arc;

use domain::ActionId;
use domain::action::{Action, Priority};
use domain::person::Role;
use domain::verification::Verification;
use domain::wire::actions::NewAction;
use domain::wire::incidents::Dashboard;
use leptos::prelude::*;

use super::Shown;
use super::advice::{Hints, said_of_all};
use super::editor::Editor;
use super::history::History;
use super::notes::Notes;
use super::proof::Proof;
use super::proved::{shown_by, words};
use super::signs::Signs;
use crate::client::history::Of;
use crate::components::{ActionBadge, Ask, Asking, Beside, Cites, Field, Kind, Line, Outcome};
use crate::state::address;
use crate::state::place::{self, Focused};
use crate::state::session::Session;
use crate::view::view;
use crate::{client, format, part, route};

/// An item on the page; it keeps its place and what is typed in it while others change.
#[derive(Clone, Copy)]
pub struct Item {
    /// Its number in the document, from 1.
    pub number: usize,
    /// The item as it was last read.
    pub action: RwSignal<Action>,
}

/// The section of action items.
#[component]
pub fn Actions(shown: Shown) -> impl IntoView {
    let items = RwSignal::new(Vec::<Item>::new());
    // Items keep their signals, so that a refresh changes what is shown and not what is being typed. The signals belong
    // to the section: those of an effect's run end with its next run.
    let owner = Owner::current().unwrap_or_default();
    Effect::new(move || {
        let incident = shown.incident.get();
        let known = items.get_untracked();
        let next: Vec<Item> = incident
            .actions
            .iter()
            .enumerate()
            .map(|(i, action)| match known.iter().find(|item| item.action.with_untracked(|a| a.id == action.id)) {
                Some(item) => {
                    if item.action.with_untracked(|shown| shown.version <= action.version) {
                        item.action.set(action.clone());
                    }
                    *item
                }
                None => Item { number: i + 1, action: owner.with(|| RwSignal::new(action.clone())) },
            })
            .collect();
        items.set(next);
    });
    let (open, set_open) = (address::query(route::ITEM), address::keeper(route::ITEM));
    let settled = StoredValue::new(Vec::<usize>::new());
    let sorted = move || {
        // Put in where they belong rather than sorted: there are a few, and a sort weighs kilobytes in the pages.
        let rank = |item: &Item| {
            item.action.with(|action| (!action.status.is_open(), action.due.is_none(), action.due, item.number))
        };
        let mut sorted: Vec<Item> = Vec::new();
        for item in items.get() {
            let place = sorted.partition_point(|known| rank(known) <= rank(&item));
            sorted.insert(place, item);
        }
        let before = settled.get_value();
        // Whoever has an item open is in the middle of it: all stay where they are, and new ones come last.
        if open.read().is_some() && !before.is_empty() {
            let place = |item: &Item| before.iter().position(|number| *number == item.number).unwrap_or(before.len());
            let mut kept: Vec<Item> = Vec::new();
            for item in sorted {
                let at = kept.partition_point(|known| place(known) <= place(&item));
                kept.insert(at, item);
            }
            sorted = kept;
        }
        let now: Vec<usize> = sorted.iter().map(|item| item.number).collect();
        if now != before {
            // What moves in the page loses the focus.
            if let Some(focused) = Focused::now() {
                focused.keep();
            }
            settled.set_value(now);
        }
        sorted
    };
    let summary = move || {
        let items = items.get();
        let verified =
            items.iter().filter(|item| item.action.with(|a| a.status == domain::action::ActionStatus::Verified));
        let today = shown.today.get();
        let late = items.iter().filter(|item| item.action.with(|a| a.days_late(today).is_some())).count();
        let late = if late == 0 { String::new() } else { format!(" · {late} overdue") };
        format!("{} · {} verified{late}", format::counted(items.len(), "item", "items"), verified.count())
    };
    let said = RwSignal::new(String::new());
    let (session, asking) = (Session::get(), Asking::get());
    let add = move |_| part::with(asking, move |here| part::changing::add_item(here, shown, asking));
    view! {
        <section aria-labelledby="actions">
            <h2 id="actions">"What changes "<small>{move || summary()}</small></h2>
            {move || items.read().is_empty().then(|| view! { <p class="empty">"No action items yet."</p> })}
            <table class="actions" hidden=move || items.read().is_empty()>
                <thead>
                    <tr>
                        <th scope="col">"Owner"</th><th scope="col">"Change"</th><th scope="col">"Due"</th>
                        <th scope="col">"Verification"</th><th scope="col">"Status"</th>
                        <th scope="col"><span class="vh">"Update"</span></th>
                    </tr>
                </thead>
                <For each=sorted key=|item| item.number let:item>
                    <Row shown item said open set_open/>
                </For>
            </table>
            <p class="vh" role="status" aria-live="polite">{said}</p>
            <p class="do add" hidden=move || shown.shared || !session.is(Role::Editor)>
                <button class="ghost" type="button" data-part=part::CHANGING on:click=add>"Add an item"</button>
            </p>
        </section>
    }
}

/// Asks for a new item, with hints while it is written.
pub fn add(shown: Shown, asking: Asking) {
    asking.ask_beside(blank(shown), hints(shown));
}

fn blank(shown: Shown) -> Ask {
    let line = |label, pointer, kind| Field { label, pointer, kind: Kind::Line(kind, "off"), value: String::new() };
    let priorities = Priority::ALL.iter().map(|level| (level.as_str().to_owned(), level.label().to_owned()));
    let priorities = std::iter::once((String::new(), "not said".to_owned())).chain(priorities);
    Ask {
        title: "Add an item".to_owned(),
        text: String::new(),
        fields: vec![
            line("What is to change", "/change", "text"),
            line("Owner (a team)", "/owner", "text"),
            line("Assignee", "/assignee", "text"),
            line("Due", "/due", "date"),
            line("What must hold when it is done", "/verification/criterion", "text"),
            Field {
                label: "Priority",
                pointer: "/priority",
                kind: Kind::One(priorities.collect()),
                value: String::new(),
            },
        ],
        submit: "Add it",
        is_danger: false,
        send: Arc::new(move |values, key| {
            let new = written(&values);
            let incident = shown.incident.read_untracked().id.clone();
            Box::pin(async move {
                let made = client::actions::create(incident.as_str(), &new, &key).await;
                let made = made.map_err(|failure| failure.refusal())?;
                shown.refresh.run(());
                let hints: Vec<_> = made.hints.into_iter().map(|hint| hint.message).collect();
                Ok(Outcome::Done(format!("The item was added. {}", hints.join(" "))))
            })
        }),
    }
}

/// The item that stands in the form of a new one.
fn written(values: &[String]) -> NewAction {
    let get = |i: usize| values.get(i).map(|value| value.trim().to_owned()).unwrap_or_default();
    NewAction {
        change: get(0),
        owner: get(1),
        assignee: Some(get(2)).filter(|name| !name.is_empty()),
        due: get(3).parse().ok(),
        verification: Verification::in_words(get(4)),
        priority: get(5).parse().ok(),
        ..NewAction::default()
    }
}

/// What is said below that form while it is filled in.
fn hints(shown: Shown) -> Beside {
    Arc::new(move |values| {
        let writing = Memo::new(move |_| Some(written(&values.read())).filter(|new| *new != NewAction::default()));
        let others = Memo::new(move |_| open_priorities(&shown.incident.read(), None));
        let over_all = Memo::new(move |_| {
            let priority = writing.read().as_ref().and_then(|new| new.priority);
            said_of_all(&others.read(), priority)
        });
        view! { <Hints writing over_all known=Memo::new(|_| Vec::new())/> }
    })
}

/// The priorities of the items on which work remains, but for one.
fn open_priorities(incident: &Dashboard, but: Option<&ActionId>) -> Vec<Option<Priority>> {
    let open = incident.actions.iter().filter(|action| action.status.is_open() && Some(&action.id) != but);
    open.map(|action| action.priority).collect()
}

#[component]
fn Row(
    shown: Shown,
    item: Item,
    said: RwSignal<String>,
    open: Memo<Option<String>>,
    set_open: impl Fn(Option<String>) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let action = item.action;
    let key = format!("{}", item.number);
    let is_open = {
        let key = key.clone();
        Memo::new(move |_| open.read().as_ref() == Some(&key))
    };
    // Whoever followed a link to the item is led to it; whoever comes back is led to where they were.
    if is_open.get_untracked() && address::left_at().is_none() {
        place::go_to(format!("action-{}", item.number));
    }
    // Once opened the form stays in the page, hidden while closed, so that closing loses nothing that was typed.
    let was_opened = Memo::new(move |before| before == Some(&true) || is_open.get());
    let late = move || action.read().days_late(shown.today.get());
    let due = move || action.read().due.map_or_else(|| "no date".to_owned(), format::due);
    let days_late = move || {
        let days = usize::try_from(late()?).unwrap_or(0);
        Some(view! { <small>{format::counted(days, "day", "days")}" late"</small> })
    };
    let link = move || {
        let link = action.read().link.clone().filter(|link| link.starts_with("http"))?;
        Some(view! { <small><a href=link rel="external noopener noreferrer">"In the tracker"</a></small> })
    };
    let notes = move || action.read().notes.as_ref().map_or(0, Vec::len);
    let session = Session::get();
    // The server decides; these keep what it would refuse out of sight.
    let owns = Memo::new(move |_| session.owns(&action.read()));
    let may_update = Memo::new(move |_| !shown.shared && (owns.get() || session.is(Role::Editor)));
    let may_note = Memo::new(move |_| !shown.shared && (owns.get() || session.is(Role::Member)));
    let opens = Memo::new(move |_| may_update.get() || may_note.get() || notes() > 0);
    let label = move || match (is_open.get(), may_update.get()) {
        (true, _) => "Close",
        (false, true) => "Update",
        (false, false) => "Notes",
    };
    let others = Memo::new(move |_| open_priorities(&shown.incident.read(), Some(&action.read().id)));
    let editor_id = format!("editor-{}", item.number);
    let controls = editor_id.clone();
    view! {
        <tbody id=format!("action-{}", item.number) tabindex="-1" class:open=move || is_open.get()>
            <tr>
                <td data-label="Owner">
                    {move || { let owner = action.read().owner.clone(); if owner.is_empty() { "nobody yet".to_owned() } else { owner } }}
                    {move || action.read().assignee.clone().map(|name| view! { <small>{name}</small> })}
                </td>
                <th scope="row" data-label="Change">
                    {move || { let action = action.read(); view! { <Line text=&action.change html=&action.html field="change"/> } }}
                    {move || link()}
                </th>
                <td data-label="Due" class:late=move || late().is_some()><span class="whole">{move || due()}</span>{move || days_late()}<Signs around=shown.around action/></td>
                <td data-label="Verification">
                    {move || { let action = action.read(); if action.verification.criterion.is_empty() {
                        "not stated".into_any()
                    } else {
                        view! { <Line text=&action.verification.criterion html=&action.html field="criterion"/> }.into_any()
                    } }}
                    {move || view! { <Cites numbers=action.read().evidence.clone()/> }}
                    {move || action.read().verification.kind.as_ref().map(|kind| view! { <small>{words(kind)}</small> })}
                    {move || { let action = action.read(); action.accepted.as_ref().map(|accepted| shown_by(accepted, &shown.zone.read())) }}
                </td>
                <td data-label="Status">
                    {move || view! { <ActionBadge status=action.read().status/> }}
                    {move || action.read().reason.clone().map(|reason| view! { <small>{reason}</small> })}
                    {move || (notes() > 0).then(|| view! { <small>{format::counted(notes(), "note", "notes")}</small> })}
                </td>
                <td class="do">
                    <button
                        class="ghost"
                        data-part=part::CHANGING
                        hidden=move || !opens.get()
                        aria-expanded=move || is_open.get().to_string()
                        aria-controls=controls
                        aria-label=move || format!("{}: {}", label(), action.read().change)
                        on:click=move |_| set_open((!is_open.get_untracked()).then(|| key.clone()))
                    >
                        {label}
                    </button>
                </td>
            </tr>
            <tr class="work" hidden=move || !(is_open.get() && opens.get())>
                <td colspan="6" id=editor_id>
                    {move || was_opened.get().then(|| part::apart("form", move |here| {
                        part::changing::work(here, shown, item, others, said, may_update, may_note)
                    }))}
                </td>
            </tr>
        </tbody>
    }
}

/// What opens below an item: its proof, its form, its notes, its history.
#[component]
pub fn Work(
    shown: Shown,
    item: Item,
    /// The priorities of the incident's other open items.
    others: Memo<Vec<Option<Priority>>>,
    /// What is said to those who hear the page.
    said: RwSignal<String>,
    may_update: Memo<bool>,
    may_note: Memo<bool>,
) -> impl IntoView {
    let Item { number, action } = item;
    view! {
        <Proof around=shown.around action may_update/>
        <div class="two">
            {move || may_update.get().then(|| view! { <Editor number action others said refresh=shown.refresh/> })}
            <Notes number around=shown.around action said may_add=may_note/>
        </div>
        {(!shown.shared).then(|| view! { <History around=shown.around of=Of::Action(action.read_untracked().id.to_string())/> })}
    }
}
