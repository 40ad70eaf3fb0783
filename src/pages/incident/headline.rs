//! What happened, in a breath: badges, title, headline, key points.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::{Shown, access};
use crate::components::{Html, SeverityBadge, StatusBadge};
use crate::format;
use crate::view::view;
use domain::wire::paths;

/// The top of the page.
#[component]
pub fn Headline(shown: Shown) -> impl IntoView {
    let incident = shown.incident;
    let when = move || incident.read().started_at.map(|at| format!(" · {}", format::date(at, &shown.zone.read())));
    view! {
        <header class="headline">
            <div class="badges">
                {move || { let incident = incident.read(); view! {
                    <SeverityBadge severity=incident.severity/>
                    <StatusBadge status=incident.status/>
                    <span class="badge quiet">{incident.name.clone()}{when()}</span>
                } }}
                <access::Restricted shown/>
                {(!shown.shared).then(|| view! { <Exports shown/><access::AccessMenu shown/> }.into_any())}
            </div>
            <h1>{move || incident.read().title.clone()}</h1>
            <access::Marks shown/>
            <div id="summary" class="lede" tabindex="-1">
                {move || incident.read().html.get("summary").cloned().map(|html| view! { <Html html/> })}
            </div>
            {move || { let incident = incident.read(); (!incident.key_points.is_empty()).then(|| view! {
                <ul class="points">
                    {(0..incident.key_points.len())
                        .map(|i| view! {
                            <li id=format!("key-point-{}", i + 1) tabindex="-1"
                                inner_html=incident.html.get(&format!("key_points/{i}")).cloned().unwrap_or_default()></li>
                        })
                        .collect_view()}
                </ul>
            }) }}
        </header>
    }
}

/// The incident as a file, and the document it came from.
#[component]
fn Exports(shown: Shown) -> impl IntoView {
    let name = Memo::new(move |_| shown.incident.read().name.clone());
    let place = NodeRef::<html::Details>::new();
    let close = move || {
        if let Some(menu) = place.get_untracked() {
            let _ = menu.remove_attribute("open");
        }
    };
    view! {
        <details
            class="menu"
            node_ref=place
            on:focusout=move |event| {
                let to = event.related_target().and_then(|to| to.dyn_into::<web_sys::Node>().ok());
                if to.is_some_and(|to| place.get_untracked().is_some_and(|menu| !menu.contains(Some(&to)))) {
                    close();
                }
            }
        >
            <summary class="ghost">"Export"</summary>
            <ul tabindex="-1">
                {[("md", "Markdown"), ("json", "JSON"), ("csv", "CSV")]
                    .map(|(format, label)| view! {
                        <li><a rel="external" download href=move || paths::export(&name.read(), format)>{label}</a></li>
                    })
                    .collect_view()}
                <li><a rel="external" download href=move || paths::source(&name.read())>"Imported document"</a></li>
            </ul>
        </details>
    }
}
