//! The page for an address that is none of ours.

use leptos::prelude::*;

use crate::route;
use crate::state::place::Title;
use crate::state::zone;
use crate::view::view;

/// Says that there is no such page, and leads on.
#[component]
pub fn MissingPage() -> impl IntoView {
    Title::get().set("No such page");
    let kept = zone::kept();
    view! {
        <section class="failed">
            <h1>"There is no such page"</h1>
            <p>"The address may be mistyped, or what it named may have moved."</p>
            <p><a href=move || route::with_zone(route::INCIDENTS, kept.get().as_deref())>"See all incidents"</a></p>
        </section>
    }
}
