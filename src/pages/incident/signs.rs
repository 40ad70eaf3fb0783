//! Signs that an item slips: its date moved, it was opened again, nobody said anything for long.

use domain::action::Action;
use leptos::prelude::*;

use super::Shown;
use crate::format;
use crate::state::clock;
use crate::view::view;

/// The signs of an item, below its due date.
#[component]
pub fn Signs(shown: Shown, action: RwSignal<Action>) -> impl IntoView {
    move || {
        // What day it is changes with the page's reading of the incident.
        shown.today.track();
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
    use super::*;

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
