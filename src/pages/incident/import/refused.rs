//! The rows of a file that were not taken.

use domain::wire::imports::Refused;
use leptos::prelude::*;

use crate::format;
use crate::view::view;

/// How many of them are shown.
const SHOWN: usize = 50;

/// The rows that were not taken, each with its place (`Line`, `Element`) and the reason.
pub fn rows(place: &str, refused: &Refused) -> Option<AnyView> {
    let rows = refused.rows.iter().take(SHOWN);
    let rows = rows.map(|row| view! { <li>{format!("{place} {}: {}", row.place, row.reason)}</li> }).collect_view();
    let more = refused.total.saturating_sub(SHOWN as u64);
    let more = (more > 0).then(|| view! { <li>{format!("and {} more", format::count(more))}</li> });
    (refused.total > 0)
        .then(|| view! { <ul class="hints" aria-label="Rows that were not taken">{rows}{more}</ul> }.into_any())
}
