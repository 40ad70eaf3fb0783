//! The tracker: the action items of every incident.

use leptos::prelude::*;

use super::{Here, Part};
use crate::pages::actions::ActionsPage;
use crate::view::view;

/// The part.
pub struct Actions;

impl Part for Actions {
    const NAME: &'static str = "actions";
}

/// The page.
#[inline(never)]
pub fn page(_: Here<Actions>) -> AnyView {
    view! { <ActionsPage/> }
}
