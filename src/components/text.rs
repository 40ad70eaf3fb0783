//! Text that people wrote.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::view::view;

/// One line: as the server rendered it where it carries Markdown, else as it is.
#[component]
pub fn Line<'a>(text: &'a str, html: &'a BTreeMap<String, String>, field: &'a str) -> impl IntoView + use<> {
    match html.get(field) {
        Some(html) => view! { <span inner_html=html.clone()></span> }.into_any(),
        None => text.to_owned().into_any(),
    }
}

/// Text that the server rendered and sanitised.
#[component]
pub fn Html(html: String) -> impl IntoView {
    view! { <div class="prose" inner_html=html></div> }
}
