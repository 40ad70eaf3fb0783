//! The front end of Debrief: a leptos application that speaks to the JSON API. It uses the domain and nothing of the server.

mod app;
mod chart;
mod client;
mod components;
pub mod format;
mod pages;
mod part;
mod route;
mod script;
mod state;
mod view;

/// Puts the application into the page, in place of the note that it is loading.
pub fn start() {
    console_error_panic_hook::set_once();
    if let Some(boot) = leptos::prelude::document().get_element_by_id("boot") {
        boot.remove();
    }
    leptos::mount::mount_to_body(app::App);
}
