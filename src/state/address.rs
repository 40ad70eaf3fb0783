//! The query of the address, where the page keeps what a reload must not lose.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_navigate, use_query_map};
use wasm_bindgen::JsValue;

/// Values for keys of the query; none takes the key out.
pub type Values = Vec<(&'static str, Option<String>)>;

/// A value of the query.
pub fn query(key: &'static str) -> Memo<Option<String>> {
    let query = use_query_map();
    Memo::new(move |_| query.read().get(key))
}

/// Puts values into the query where it stands: no new entry in the history, and the page does not move.
pub fn writer() -> Callback<Values> {
    let navigate = use_navigate();
    Callback::new(move |values: Values| {
        let Some(url) = window().location().href().ok().and_then(|href| web_sys::Url::new(&href).ok()) else { return };
        let query = url.search_params();
        for (key, value) in values {
            match value {
                Some(value) => query.set(key, &value),
                None => query.delete(key),
            }
        }
        // The router would scroll to the fragment again, so it does not get to see it.
        let whole = url.href();
        url.set_hash("");
        let options = NavigateOptions { replace: true, scroll: false, ..Default::default() };
        navigate(&format!("{}{}", url.pathname(), url.search()), options);
        if let Ok(history) = window().history() {
            let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&whole));
        }
    })
}
