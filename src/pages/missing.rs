//! The page for an address that is none of ours.

use leptos::prelude::*;

use super::set_title;
use crate::route;
use crate::view::view;

/// Says that there is no such page, and leads on.
#[component]
pub fn MissingPage() -> impl IntoView {
    set_title("No such page");
    view! {
        <section class="failed">
            <h1>"There is no such page"</h1>
            <p>"The address may be mistyped, or what it named may have moved."</p>
            <p><a href=route::INCIDENTS>"See all incidents"</a></p>
        </section>
    }
}
