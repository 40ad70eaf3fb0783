//! The pages, a folder for each area. A page uses no other page.

pub mod actions;
pub mod incident;
pub mod incidents;
pub mod missing;
pub mod sign_in;

use leptos::prelude::*;

/// Names the page in the window's title.
fn set_title(title: &str) {
    document().set_title(&format!("{title} · Debrief"));
}
