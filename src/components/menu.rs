//! The switches of the top bar.

use leptos::prelude::*;

use crate::state::theme::{Theme, ThemeState};
use crate::state::zone::{self, Choice};
use crate::view::view;

/// Which zone times are shown in.
#[component]
pub fn ZoneMenu() -> impl IntoView {
    let (choice, choose) = (zone::choice(), zone::chooser());
    view! {
        <label class="switch">
            <span>"Times in"</span>
            <select
                prop:value=move || choice.get().as_str()
                on:change=move |event| {
                    if let Some(choice) = Choice::parse(&event_target_value(&event)) {
                        choose(choice);
                    }
                }
            >
                {Choice::ALL
                    .map(|each| view! {
                        <option value=each.as_str() selected=move || choice.get() == each>{each.label()}</option>
                    })
                    .collect_view()}
            </select>
        </label>
    }
}

/// Light or dark.
#[component]
pub fn ThemeMenu() -> impl IntoView {
    let theme = expect_context::<ThemeState>();
    view! {
        <label class="switch">
            <span>"Theme"</span>
            <select
                prop:value=move || theme.chosen.get().as_str()
                on:change=move |event| theme.chosen.set(Theme::parse(&event_target_value(&event)))
            >
                {Theme::ALL
                    .map(|each| view! {
                        <option value=each.as_str() selected=move || theme.chosen.get() == each>{each.label()}</option>
                    })
                    .collect_view()}
            </select>
        </label>
    }
}
