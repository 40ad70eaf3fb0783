//! The impact table: each figure with what the events say of it, its author's confidence, and its evidence.

use domain::claim::Target;
use leptos::prelude::*;

use super::{Shown, claims};
use crate::components::{Cites, ConfidenceBadge, Line};
use crate::view::view;

/// The impact table.
#[component]
pub fn Impact(shown: Shown) -> impl IntoView {
    view! {
        <section aria-labelledby="impact">
            <h2 id="impact">"Impact"</h2>
            {move || { let incident = shown.incident.read(); if incident.impact.is_empty() {
                view! { <p class="empty">"No impact measures are written down yet."</p> }.into_any()
            } else {
                let rows = incident.impact.iter().enumerate().map(|(i, measure)| {
                    let target = Target { measure: Some(measure.id.clone()), field: None, figure: None };
                    let basis = measure.basis.clone().unwrap_or_default();
                    view! {
                        <tr id=format!("impact-{}", i + 1) tabindex="-1">
                            <th scope="row"><Line text=&measure.label html=&measure.html field="label"/></th>
                            <td data-label="Result"><b><Line text=&measure.result html=&measure.html field="result"/></b><div class="claim">{claims::beside(shown, &target)}</div></td>
                            <td data-label="Confidence">
                                <ConfidenceBadge confidence=measure.confidence/>
                                <small>
                                    <Line text=&basis html=&measure.html field="basis"/>
                                    <Cites numbers=measure.evidence.clone()/>
                                </small>
                            </td>
                        </tr>
                    }
                });
                view! {
                    <table class="impact">
                        <thead><tr><th scope="col">"Measure"</th><th scope="col">"Result, and what the events say"</th><th scope="col">"Confidence"</th></tr></thead>
                        <tbody>{rows.collect_view()}</tbody>
                    </table>
                }
                .into_any()
            } }}
            <claims::Figures shown/>
        </section>
    }
}
