//! Footnote numbers that lead to their evidence.

use domain::EvidenceNumber;
use leptos::prelude::*;

use crate::view::view;

/// The numbers cited, as links to the list of evidence.
#[component]
pub fn Cites(numbers: Vec<EvidenceNumber>) -> impl IntoView {
    numbers
        .into_iter()
        .map(|number| {
            view! {
                <sup class="cite">
                    <a rel="external" href=format!("#evidence-{number}") aria-label=format!("Evidence {number}")>{number}</a>
                </sup>
            }
        })
        .collect_view()
}
