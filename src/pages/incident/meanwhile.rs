//! Says that somebody else changed an item while its form is being typed in, and shows what.

use domain::action::Action;
use leptos::prelude::*;

use super::merge::{Conflict, Form};
use crate::state::live;
use crate::state::place::Focused;
use crate::view::view;

/// The mark above a form whose item has moved on; nothing in the form changes until somebody asks for it.
#[component]
pub fn Meanwhile(
    /// The item as it was last read.
    action: RwSignal<Action>,
    /// The item that the form was opened on.
    base: RwSignal<Action>,
    form: RwSignal<Form>,
    conflicts: RwSignal<Vec<Conflict>>,
    /// Whether an edit is on its way, which may be the very change.
    busy: RwSignal<bool>,
) -> impl IntoView {
    let who = RwSignal::new(None::<String>);
    live::on_change(move |change| {
        let Some(change) = change.filter(|change| change.subject != "note") else { return };
        if action.with_untracked(|action| change.action_id.as_ref() == Some(&action.id)) {
            who.set(Some(change.actor));
        }
    });
    let is_behind = Memo::new(move |_| !busy.get() && action.read().version > base.read().version);
    let show = move |_| {
        let now = action.get_untracked();
        let mut met = form.get_untracked();
        conflicts.set(base.with_untracked(|base| met.meet(base, &now)));
        form.set(met);
        let focused = Focused::now();
        base.set(now);
        // The button goes with what it is about.
        if let Some(focused) = focused {
            request_animation_frame(move || focused.give_back());
        }
    };
    move || {
        is_behind.get().then(|| {
            view! {
                <p class="meanwhile" role="status">
                    <span aria-hidden="true">"⚠ "</span>
                    {move || who.get().unwrap_or_else(|| "Somebody".to_owned())}" changed this item meanwhile. What you typed is untouched. "
                    <button type="button" class="ghost" on:click=show>"Show what changed"</button>
                </p>
            }
        })
    }
}
