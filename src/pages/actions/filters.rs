//! What is shown and in which order: views, filters, and the table's head. All of it is in the address.

use domain::action::{ActionStatus, ActionType, Priority};
use domain::filter::{ActionFilter, ActionQuery, ActionSort, Direction, DueIn};
use domain::wire::tracker::TrackerCounts;
use leptos::prelude::*;

use super::{Tracker, words};
use crate::route;
use crate::state::zone;
use crate::view::view;

impl Tracker {
    /// Asks for something else, in place of what the address asks for now.
    fn ask(self, zone: Memo<Option<String>>, change: impl FnOnce(&mut ActionQuery)) {
        let mut query = self.query.get_untracked();
        change(&mut query);
        self.address.replace(&route::actions(&query.pairs(), zone.get_untracked().as_deref()));
    }
}

/// The lists that people come back to.
#[component]
pub fn Views(tracker: Tracker) -> impl IntoView {
    let zone = zone::kept();
    // The counts are of every status.
    let number = move |count: fn(&TrackerCounts) -> i64| {
        let counts = tracker.counts.read();
        let counts = counts.as_ref().filter(|_| tracker.query.read().filter.status.is_empty())?;
        Some(words::number(count(counts)))
    };
    let link = move |label: &'static str, of: ActionFilter, count: fn(&TrackerCounts) -> i64| {
        let leads = Memo::new(move |_| {
            let now = tracker.query.get();
            let filter = ActionFilter { mine: of.mine, due: of.due, stale: of.stale, ..now.filter.clone() };
            let is_now = filter == now.filter;
            (route::actions(&ActionQuery { filter, ..now }.pairs(), zone.get().as_deref()), is_now)
        });
        view! {
            <li>
                <a href=move || leads.get().0 aria-current=move || leads.get().1.then_some("true")>
                    {label}" "<small>{move || number(count)}</small>
                </a>
            </li>
        }
    };
    let none = ActionFilter::default;
    let due = |due| ActionFilter { due: Some(due), ..none() };
    view! {
        <nav aria-label="Views">
            <ul class="views">
                {link("All", none(), |counts| counts.total)}
                {link("Mine", ActionFilter { mine: true, ..none() }, |counts| counts.mine)}
                {link("Overdue", due(DueIn::Overdue), |counts| counts.overdue)}
                {link("This week", due(DueIn::Week), |counts| counts.week)}
                {link("Later", due(DueIn::Later), |counts| counts.later)}
                {link("No due date", due(DueIn::Undated), |counts| counts.undated)}
                {link("Stale", ActionFilter { stale: true, ..none() }, |counts| counts.stale)}
            </ul>
        </nav>
    }
}

/// A choice of one word; the first is none of them.
fn choice(
    label: &'static str,
    options: Vec<(String, String)>,
    chosen: Memo<String>,
    choose: Callback<String>,
) -> AnyView {
    let options: Vec<AnyView> = options
        .into_iter()
        .map(|(word, label)| {
            let value = word.clone();
            view! { <option value=value selected=move || *chosen.read() == word>{label}</option> }
        })
        .collect();
    view! {
        <label>
            {label}
            <select prop:value=move || chosen.get() on:change=move |event| choose.run(event_target_value(&event))>
                {options}
            </select>
        </label>
    }
}

/// The options of an enumeration.
fn options<T: Copy>(
    any: &str,
    all: &[T],
    word: fn(T) -> &'static str,
    label: fn(T) -> &'static str,
) -> Vec<(String, String)> {
    let words = all.iter().map(|each| (word(*each).to_owned(), label(*each).to_owned()));
    std::iter::once((String::new(), any.to_owned())).chain(words).collect()
}

/// The filters.
#[component]
pub fn Filters(tracker: Tracker) -> impl IntoView {
    let zone = zone::kept();
    let field = move |key: &'static str| {
        Memo::new(move |_| {
            let pairs = tracker.query.read().pairs();
            pairs.into_iter().find(|(each, _)| *each == key).map(|(_, value)| value).unwrap_or_default()
        })
    };
    // Every filter is set as the address spells it, so that it means there what it means here.
    let set = move |key: &'static str| {
        Callback::new(move |value: String| {
            tracker.ask(zone, |query| {
                let mut pairs = query.pairs();
                pairs.retain(|(each, _)| *each != key);
                pairs.push((key, value.trim().to_owned()));
                *query = ActionQuery::read(pairs.iter().map(|(key, value)| (*key, value.as_str()))).0;
            });
        })
    };
    let text = move |key: &'static str,
                     label: &'static str,
                     hint: &'static str,
                     kind: &'static str,
                     list: Option<&'static str>| {
        let (now, set) = (field(key), set(key));
        view! {
            <label>
                {label}
                <input type=kind placeholder=hint list=list prop:value=move || now.get() on:change=move |event| set.run(event_target_value(&event))/>
            </label>
        }
    };
    let open = ActionStatus::ALL.iter().filter(|status| status.is_open()).map(|status| status.as_str());
    let open = open.collect::<Vec<_>>().join(",");
    let mut statuses = options("Any", ActionStatus::ALL, ActionStatus::as_str, ActionStatus::label);
    statuses.insert(1, (open, "Not closed".to_owned()));
    let sorts = options("Mine first", &ActionSort::ALL[1..], ActionSort::as_str, ActionSort::label);
    let further = Memo::new(move |_| {
        let filter = &tracker.query.read().filter;
        filter.priority.is_some() || filter.kind.is_some() || filter.incident.is_some() || filter.assignee.is_some()
    });
    view! {
        <form class="filters" role="search" aria-label="Filter" on:submit=|event| event.prevent_default()>
            {text("q", "Search", "change, owner, incident", "search", None)}
            {text("owner", "Team", "any", "search", Some("owners"))}
            <datalist id="owners">
                {move || tracker.counts.read().as_ref().map(|counts| {
                    counts.owners.iter().map(|each| view! { <option value=each.owner.clone()></option> }).collect::<Vec<_>>()
                })}
            </datalist>
            {choice("Status", statuses, field("status"), set("status"))}
            {choice("Order", sorts, field("sort"), set("sort"))}
            <details class="more" open=move || further.get()>
                <summary class="ghost">"More filters"</summary>
                <div class="filters">
                    {text("assignee", "Person", "a name, or me", "search", None)}
                    {text("incident", "Incident", "INC-1", "search", None)}
                    {choice("Priority", options("Any", Priority::ALL, Priority::as_str, Priority::label), field("priority"), set("priority"))}
                    {choice("Type", options("Any", ActionType::ALL, ActionType::as_str, ActionType::label), field("type"), set("type"))}
                </div>
            </details>
        </form>
    }
}

/// The table's head: what a column is sorted by, and the choice of all that are shown.
#[component]
pub fn Head(tracker: Tracker) -> impl IntoView {
    let zone = zone::kept();
    let column = move |label: &'static str, sort: ActionSort| {
        let state = Memo::new(move |_| {
            let now = tracker.query.get();
            let (sorted, direction) = now.order();
            let is_now = sorted == sort;
            let turned = if direction == Direction::Asc { Direction::Desc } else { Direction::Asc };
            let direction = is_now.then_some(turned);
            let leads = ActionQuery { sort: Some(sort), direction, ..now };
            let word = match turned {
                _ if !is_now => "none",
                Direction::Desc => "ascending",
                Direction::Asc => "descending",
            };
            (route::actions(&leads.pairs(), zone.get().as_deref()), word)
        });
        let shape = move || match state.get().1 {
            "ascending" => " ▲",
            "descending" => " ▼",
            _ => "",
        };
        view! {
            <th scope="col" aria-sort=move || state.get().1>
                <a href=move || state.get().0>{label}<span aria-hidden="true">{shape}</span></a>
            </th>
        }
    };
    let all = Memo::new(move |_| {
        let (items, selected) = (tracker.items.read(), tracker.selected.read());
        !items.is_empty() && items.iter().all(|item| selected.contains(&item.action.id))
    });
    let choose_all = move |_| {
        let every = tracker.items.read_untracked().iter().map(|item| item.action.id.clone()).collect();
        tracker.selected.set(if all.get_untracked() { std::collections::BTreeSet::new() } else { every });
    };
    view! {
        <thead>
            <tr>
                <th scope="col" class="pick do">
                    <input type="checkbox" aria-label="Select all shown" prop:checked=move || all.get() on:change=choose_all/>
                </th>
                {column("Change", ActionSort::Incident)}
                {column("Owner", ActionSort::Owner)}
                {column("Due", ActionSort::Due)}
                {column("Status", ActionSort::Status)}
                {column("Last activity", ActionSort::Updated)}
            </tr>
        </thead>
    }
}
