//! Changing an incident: what opens below an action item, the forms in dialogs, and the history.

use std::sync::Arc;

use domain::action::Priority;
use domain::claim::{Claim, Computation, Target};
use domain::evidence::Evidence;
use domain::import::ImportedFile;
use domain::signal::ValueSignal;
use leptos::prelude::*;

use super::{Here, Part};
use crate::client::history::Of;
use crate::components::{Ask, Asking};
use crate::pages::incident::{self, Around, Entries, Item, ItemPage, Shown, Work};
use crate::state::session::Session;
use crate::view::view;

/// The part.
pub struct Changing;

impl Part for Changing {
    const NAME: &'static str = "changing";
}

/// What opens below an action item.
#[inline(never)]
pub fn work(
    _: Here<Changing>,
    shown: Shown,
    item: Item,
    others: Memo<Vec<Option<Priority>>>,
    said: RwSignal<String>,
    may_update: Memo<bool>,
    may_note: Memo<bool>,
) -> AnyView {
    view! { <Work shown item others said may_update may_note/> }
}

/// What a history holds.
#[inline(never)]
pub fn history(_: Here<Changing>, around: Around, of: Of, is_open: RwSignal<bool>) -> AnyView {
    view! { <Entries around of is_open/> }
}

/// Asks for a new action item.
#[inline(never)]
pub fn add_item(_: Here<Changing>, shown: Shown, asking: Asking) {
    incident::add_item(shown, asking);
}

/// The page of one action item by itself.
#[inline(never)]
pub fn item(_: Here<Changing>, place: Memo<(String, String)>) -> AnyView {
    view! { <ItemPage place/> }
}

/// Asks with whom to share the incident.
#[inline(never)]
pub fn share(_: Here<Changing>, shown: Shown) -> Ask {
    incident::share(shown)
}

/// Asks who may see the incident.
#[inline(never)]
pub fn restrict(_: Here<Changing>, shown: Shown, session: Session, asking: Asking, failure: RwSignal<Option<String>>) {
    incident::restrict(shown, session, asking, failure);
}

/// Asks for a new source.
#[inline(never)]
pub fn add_evidence(_: Here<Changing>, shown: Shown) -> Ask {
    incident::add_evidence(shown)
}

/// Asks for a source's title and link.
#[inline(never)]
pub fn rename_evidence(_: Here<Changing>, shown: Shown, evidence: &Evidence) -> Ask {
    incident::rename_evidence(shown, evidence)
}

/// Asks whether to remove a source.
#[inline(never)]
pub fn remove_evidence(_: Here<Changing>, shown: Shown, evidence: &Evidence) -> Ask {
    incident::remove_evidence(shown, evidence)
}

/// Asks whether to take an import back.
#[inline(never)]
pub fn remove_import(_: Here<Changing>, shown: Shown, file: &Arc<ImportedFile>) -> Ask {
    incident::remove_import(shown, file)
}

/// Asks what to compute for a figure.
#[inline(never)]
pub fn bind_figure(_: Here<Changing>, shown: Shown, target: Target, now: Option<Computation>) -> Ask {
    incident::bind_figure(shown, target, now)
}

/// Asks what else to compute for a figure.
#[inline(never)]
pub fn change_claim(_: Here<Changing>, shown: Shown, claim: &Arc<Claim>) -> Ask {
    incident::change_claim(shown, claim)
}

/// Asks whether to check a figure no longer.
#[inline(never)]
pub fn unbind_figure(_: Here<Changing>, shown: Shown, claim: &Arc<Claim>) -> Ask {
    incident::unbind_figure(shown, claim)
}

/// Sends the load test that was chosen.
#[inline(never)]
pub fn import_load_test(_: Here<Changing>, shown: Shown, said: RwSignal<String>, event: &web_sys::Event) {
    incident::import_load_test(shown, said, event);
}

/// Asks whether to take a plain value away.
#[inline(never)]
pub fn remove_value(_: Here<Changing>, shown: Shown, value: &Arc<ValueSignal>) -> Ask {
    incident::remove_value(shown, value)
}
