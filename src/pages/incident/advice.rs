//! What will be missed later, while an action item is written. It is said beside the form, and never in its way.

use std::time::Duration;

use domain::action::Priority;
use domain::hint::hint_on_priorities;
use domain::wire::actions::{Advice, NewAction};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::client::{Answer, actions};
use crate::view::view;

/// How long a pause in writing is before somebody is advised.
const PAUSE: Duration = Duration::from_millis(600);

/// What is said of an item of this priority together with the others on which work remains.
pub fn said_of_all(others: &[Option<Priority>], priority: Option<Priority>) -> Option<String> {
    if priority != Some(Priority::High) {
        return None;
    }
    hint_on_priorities(others.iter().copied().chain([priority])).map(|hint| hint.message)
}

/// The hints on an item as far as it has been written.
#[component]
pub fn Hints(
    /// The item; none as long as nothing was written.
    writing: Memo<Option<NewAction>>,
    /// What is said of the item together with the incident's others.
    over_all: Memo<Option<String>>,
    /// What is said elsewhere on the page already.
    known: Memo<Vec<String>>,
) -> impl IntoView {
    let hints = RwSignal::new(Vec::<String>::new());
    // Counts what was written; advice on anything but the last comes too late.
    let turn = StoredValue::new(0_u32);
    Effect::new(move || {
        let written = writing.get();
        let Some(this) = turn.try_update_value(|turn| {
            *turn += 1;
            *turn
        }) else {
            return;
        };
        let Some(written) = written else {
            hints.set(Vec::new());
            return;
        };
        let is_last = move || turn.try_get_value() == Some(this);
        let ask = move || {
            if !is_last() {
                return;
            }
            spawn_local(async move {
                // Where the server cannot be reached, nothing is missed that saving would not tell.
                let answer = actions::advise(&written).untyped().text().await;
                if let (Some(advice), true) = (answer.ok().and_then(|text| Advice::parsed(&text)), is_last()) {
                    hints.set(advice.hints.into_iter().map(|hint| hint.message).collect());
                }
            });
        };
        set_timeout(ask, PAUSE);
    });
    let list = move || {
        let (hints, known) = (hints.read(), known.read());
        let said = hints.iter().filter(|hint| !known.contains(hint)).cloned().chain(over_all.get());
        let said: Vec<_> = said.map(|hint| view! { <li>{hint}</li> }).collect();
        (!said.is_empty()).then(|| view! { <ul class="hints" aria-label="Hints">{said}</ul> })
    };
    view! { <div role="group" aria-live="polite" aria-label="Hints">{list}</div> }
}
