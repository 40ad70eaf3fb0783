//! What is built of charming's types, as the text of JSON.

use serde::Serialize;

/// A part of an option as JSON.
#[cfg(target_arch = "wasm32")]
fn json(part: &impl Serialize) -> String {
    // The browser writes it: a writer of our own would weigh as much as the chart's component.
    let value = part.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).ok();
    value.and_then(|value| js_sys::JSON::stringify(&value).ok()).map_or_else(|| "{}".to_owned(), String::from)
}

/// A part of an option as JSON.
#[cfg(not(target_arch = "wasm32"))]
fn json(part: &impl Serialize) -> String {
    serde_json::to_string(part).unwrap_or_else(|_| "{}".to_owned())
}

/// The same with more fields, which are JSON already.
pub fn with(part: &impl Serialize, more: &str) -> String {
    let text = json(part);
    let (fields, _) = text.split_at(text.len() - 1);
    let comma = if fields.len() > 1 { "," } else { "" };
    [fields, comma, more, "}"].concat()
}
