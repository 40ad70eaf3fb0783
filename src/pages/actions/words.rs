//! What the tracker says in words.

use domain::filter::{ActionFilter, ActionQuery, ActionSort, DueIn};
use domain::wire::tracker::{TrackerCounts, TrackerItem};

use crate::format;

fn whole(count: i64) -> usize {
    usize::try_from(count).unwrap_or(0)
}

/// "1,284" of a count.
pub fn number(count: i64) -> String {
    format::count(count.unsigned_abs())
}

/// "7 open · 2 overdue · 1 to verify"; where only some are asked for, of how many.
pub fn summary(counts: &TrackerCounts, filter: &ActionFilter) -> String {
    let is_part = filter.mine || filter.stale || filter.due.is_some() || !filter.status.is_empty();
    let of = [&format::counted(whole(counts.total), "action item", "action items"), " in all"].concat();
    if is_part {
        return of;
    }
    if counts.total == 0 {
        return String::new();
    }
    let to_verify = counts
        .by_status
        .iter()
        .find(|each| each.status == domain::action::ActionStatus::ToVerify)
        .map_or(0, |each| each.count);
    let parts = [(counts.overdue, "overdue"), (to_verify, "to verify"), (counts.stale, "stale")];
    let mut text = if counts.remaining == 0 {
        "Nothing is left to do".to_owned()
    } else {
        [&number(counts.remaining), " left to do"].concat()
    };
    for (count, what) in parts.into_iter().filter(|(count, _)| *count > 0) {
        text += &[" · ", &number(count), " ", what].concat();
    }
    text
}

/// What is said where nothing is found, and what can be done.
pub fn nothing(filter: &ActionFilter) -> (&'static str, &'static str) {
    let only_mine = ActionFilter { mine: true, ..ActionFilter::default() };
    if *filter == only_mine {
        return (
            "Nothing is yours",
            "An item is yours if you are its assignee, or if it has none and your team owns it.",
        );
    }
    ("No action item matches", "Search for other words, or take a filter away.")
}

/// "50 action items; there are more".
pub fn found(count: usize, more: bool) -> String {
    let there = format::counted(count, "action item", "action items");
    if more { there + "; there are more" } else { there }
}

/// "3 days late".
pub fn days(days: i64, what: &str) -> String {
    [&format::counted(whole(days), "day", "days"), what].concat()
}

/// "moved 2×, reopened 1×": what slips.
pub fn slips(item: &TrackerItem) -> String {
    let parts = [(item.action.due_moves, "moved"), (item.action.reopenings, "reopened")];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| [what, " ", &format::count(count.into()), "×"].concat())
        .collect();
    parts.join(", ")
}

/// The heading that an item stands under, in the order that is shown.
pub fn group(item: &TrackerItem, query: &ActionQuery) -> String {
    let action = &item.action;
    let by_due = || item.due_in.map_or("Closed", DueIn::label).to_owned();
    let or = |text: &str, nothing: &str| if text.is_empty() { nothing.to_owned() } else { text.to_owned() };
    match query.order().0 {
        ActionSort::Mine if item.mine && !query.filter.mine && item.due_in.is_some() => "Yours".to_owned(),
        ActionSort::Mine | ActionSort::Due => by_due(),
        _ if item.due_in.is_none() && query.order().0 != ActionSort::Updated => "Closed".to_owned(),
        ActionSort::Owner => or(&action.owner, "Nobody yet"),
        ActionSort::Status => action.status.label().to_owned(),
        ActionSort::Updated => String::new(),
        ActionSort::Priority => action.priority.map_or("No priority", domain::action::Priority::label).to_owned(),
        ActionSort::Incident => {
            [item.incident.name.as_str(), item.incident.title.as_deref().unwrap_or_default()].join(" ")
        }
    }
}
