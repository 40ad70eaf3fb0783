//! Customers: who was affected, and the message to the cohort.

use leptos::prelude::*;

use super::{Here, Part};
use crate::pages::incident::{Customers, MessageForm, Shown};
use crate::view::view;

/// The part.
pub struct OfCustomers;

impl Part for OfCustomers {
    const NAME: &'static str = "customers";
}

/// The customers and the message, for those who may see them.
#[inline(never)]
pub fn list(_: Here<OfCustomers>, shown: Shown) -> AnyView {
    view! { <Customers shown/><MessageForm shown/> }
}
