//! Importing lists, of flag changes or of deploys.

use leptos::prelude::*;

use super::{Here, Part};
use crate::client::imports::List;
use crate::pages::incident::{self, Shown};

/// The part.
pub struct ImportLists;

impl Part for ImportLists {
    const NAME: &'static str = "import_lists";
}

/// The form for a list of these.
#[inline(never)]
pub fn form(_: Here<ImportLists>, shown: Shown, list: List) -> AnyView {
    incident::import_list(shown, list)
}
