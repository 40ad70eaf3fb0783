//! The form in a dialog.

use leptos::prelude::*;

use super::{Here, Part};
use crate::components::{Ask, Asking, Beside, Open};
use crate::view::view;

/// The part.
pub struct Form;

impl Part for Form {
    const NAME: &'static str = "asking";
}

/// The dialog that asks.
#[inline(never)]
pub fn dialog(_: Here<Form>, ask: Ask, beside: Option<Beside>, asking: Asking) -> AnyView {
    view! { <Open ask beside asking/> }
}
