//! What the page's own scripts leave for the program: functions that promise something.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The function of this name, where there is one.
pub fn function(name: &str) -> Option<Function> {
    Reflect::get(&js_sys::global(), &name.into()).ok()?.dyn_into().ok()
}

/// What a function promises for this word.
pub async fn promised(function: &Function, word: &str) -> Result<JsValue, JsValue> {
    let promise = function.call1(&JsValue::NULL, &word.into()).and_then(JsCast::dyn_into::<Promise>);
    JsFuture::from(promise.unwrap_or_else(|error| Promise::reject(&error))).await
}
