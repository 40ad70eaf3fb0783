//! One item of the tracker.

use domain::ActionId;
use domain::wire::tracker::TrackerItem;
use leptos::prelude::*;

use super::{Tracker, words};
use crate::components::ActionBadge;
use crate::state::clock;
use crate::view::view;
use crate::{format, route};

/// The name of an item's row in the page.
pub fn element(id: &ActionId) -> String {
    format!("item-{id}")
}

/// One item, as a row or, on a phone, a card. All but whether it is selected is drawn once: each part that could change by
/// itself would add to the page's weight.
pub fn row(tracker: Tracker, item: &TrackerItem, zone: Option<&str>) -> AnyView {
    let (id, element) = (item.action.id.clone(), element(&item.action.id));
    let is_selected = {
        let id = id.clone();
        Memo::new(move |_| tracker.selected.read().contains(&id))
    };
    let choose = move |_| {
        tracker.selected.update(|selected| {
            if !selected.remove(&id) {
                selected.insert(id.clone());
            }
        });
    };
    view! {
        <tr id=element tabindex="-1" class:selected=move || is_selected.get()>
            <td class="pick do">
                <input
                    type="checkbox"
                    aria-label=["Select: ", &item.action.change].concat()
                    prop:checked=move || is_selected.get()
                    on:change=choose
                />
            </td>
            <th scope="row" data-label="Change">{change(item, zone)}</th>
            <td data-label="Owner">{owner(item)}</td>
            <td data-label="Due" class=if item.days_late.is_some() { "late" } else { "" }>{due(item)}</td>
            <td data-label="Status">{status(item)}</td>
            <td data-label="Last activity">{activity(item)}</td>
        </tr>
    }
}

fn change(item: &TrackerItem, zone: Option<&str>) -> AnyView {
    let action = &item.action;
    let incident = &item.incident;
    let name = match &incident.title {
        Some(title) => {
            let page = route::item(&incident.name, item.number, zone);
            view! { <a class="title" href=page>{action.change.clone()}</a><small class="where">{incident.name.clone()}" "{title.clone()}</small> }
        }
        None => view! {
            <a class="title" href=route::item_alone(&incident.name, item.number, zone)>{action.change.clone()}</a>
            <small>{incident.name.clone()}" · restricted; you see this item alone, since it is yours"</small>
        },
    };
    let criterion = &action.verification.criterion;
    let criterion = (!criterion.is_empty()).then(|| view! { <small>"Done when: "{criterion.clone()}</small> });
    view! { {name}{criterion} }
}

fn owner(item: &TrackerItem) -> AnyView {
    let owner = if item.action.owner.is_empty() { "nobody yet".to_owned() } else { item.action.owner.clone() };
    view! { {owner}{item.action.assignee.clone().map(|name| view! { <small>{name}</small> })} }
}

fn due(item: &TrackerItem) -> AnyView {
    let date = item.action.due.map_or_else(|| "no date".to_owned(), format::due);
    let late = item.days_late.map(|days| view! { <span>{words::days(days, " late")}</span> });
    let slips = words::slips(item);
    view! { {date}{late}{(!slips.is_empty()).then(|| view! { <small>{slips}</small> })} }
}

fn status(item: &TrackerItem) -> AnyView {
    let action = &item.action;
    let priority = action.priority.map(|priority| [priority.label(), " priority"].concat());
    view! {
        <ActionBadge status=action.status/>
        {action.reason.clone().map(|reason| view! { <small>{reason}</small> })}
        {priority.map(|priority| view! { <small>{priority}</small> })}
    }
}

fn activity(item: &TrackerItem) -> AnyView {
    let quiet = match (item.stale_days, (clock::now() - item.active_at).num_days()) {
        (Some(days), _) => ["stale: nothing for ", &words::days(days, "")].concat(),
        (None, days) if days < 1 => "today".to_owned(),
        (None, days) => words::days(days, " ago"),
    };
    let notes = usize::try_from(item.note_count).unwrap_or(0);
    view! {
        <span class=if item.stale_days.is_some() { "stale" } else { "" }>{quiet}</span>
        {(notes > 0).then(|| view! { <small>{format::counted(notes, "note", "notes")}</small> })}
    }
}
