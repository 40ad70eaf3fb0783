//! The settings.

use leptos::prelude::*;

use super::{Here, Part};
use crate::pages::settings::SettingsPage;
use crate::view::view;

/// The part.
pub struct Settings;

impl Part for Settings {
    const NAME: &'static str = "settings";
}

/// The page.
#[inline(never)]
pub fn page(_: Here<Settings>, section: Memo<String>) -> AnyView {
    view! { <SettingsPage section/> }
}
