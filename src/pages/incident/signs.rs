//! Signs that an item slips: its date moved, it was opened again, nobody said anything for long.

use domain::action::Action;
use leptos::prelude::*;

use super::Around;
use crate::format;
use crate::state::clock;
use crate::view::view;

/// The signs of an item, below its due date.
#[component]
pub fn Signs(around: Around, action: RwSignal<Action>) -> impl IntoView {
    move || {
        // What day it is changes with the page's reading of the incident.
        around.today.track();
        let signs = action.with(|action| signs(action, action.days_silent(clock::now())));
        signs.into_iter().map(|sign| view! { <small class="sign">{sign}</small> }).collect_view()
    }
}

fn signs(action: &Action, silent: Option<i64>) -> Vec<String> {
    let times = |count: u32, what: &str| match count {
        0 => None,
        1 => Some(format!("{what} once")),
        2 => Some(format!("{what} twice")),
        more => Some(format!("{what} {more} times")),
    };
    let days = silent.and_then(|days| usize::try_from(days).ok());
    let silence = days.map(|days| format!("no news for {}", format::counted(days, "day", "days")));
    [times(action.due_moves, "date moved"), times(action.reopenings, "reopened"), silence]
        .into_iter()
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use domain::action::{ActionStatus, Note};

    use super::*;

    #[test]
    fn an_open_item_is_silent_after_a_week_without_a_change_or_a_note() {
        let golden = include_str!("../../../domain/tests/golden/action.json");
        let mut action: Action = serde_json::from_str(golden).expect("the golden item");
        (action.status, action.notes) = (ActionStatus::Open, None);
        let after = |days| action.updated_at + chrono::TimeDelta::days(days);
        assert_eq!((action.days_silent(after(6)), action.days_silent(after(7))), (None, Some(7)));
        let now = after(12);
        let note = include_str!("../../../domain/tests/golden/note.json");
        let note = Note { recorded_at: after(10), ..serde_json::from_str(note).expect("the golden note") };
        assert_eq!(Action { notes: Some(vec![note]), ..action.clone() }.days_silent(now), None);
        assert_eq!(Action { status: ActionStatus::Verified, ..action }.days_silent(now), None);
    }

    #[test]
    fn each_sign_is_told_only_where_there_is_one() {
        let golden = include_str!("../../../domain/tests/golden/action.json");
        let mut action: Action = serde_json::from_str(golden).expect("the golden item");
        (action.due_moves, action.reopenings) = (0, 0);
        assert!(signs(&action, None).is_empty());
        (action.due_moves, action.reopenings) = (3, 1);
        assert_eq!(signs(&action, Some(12)), ["date moved 3 times", "reopened once", "no news for 12 days"]);
    }
}
