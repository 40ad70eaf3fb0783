//! The API's paths. Nobody spells one elsewhere.

/// Where the API's version lives.
pub const API: &str = "/api/v1";

/// The incidents.
pub fn incidents() -> String {
    format!("{API}/incidents")
}

/// One incident: the whole dashboard.
pub fn incident(id: &str) -> String {
    format!("{API}/incidents/{}", segment(id))
}

/// An incident's signals, with all of their bins.
pub fn signals(id: &str) -> String {
    format!("{}/signals", incident(id))
}

/// An incident as a file: `md`, `json` or `csv`.
pub fn export(id: &str, format: &str) -> String {
    format!("{}/export.{format}", incident(id))
}

/// The text that an incident was imported from.
pub fn source(id: &str) -> String {
    format!("{}/source", incident(id))
}

/// One action item.
pub fn action(id: &str) -> String {
    format!("{API}/actions/{}", segment(id))
}

/// An action item's progress notes.
pub fn notes(id: &str) -> String {
    format!("{}/notes", action(id))
}

/// Escapes a text so that it is one segment of a path, or one value of a query.
pub fn segment(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push('%');
            for digit in [byte >> 4, byte & 15] {
                escaped.push(char::from_digit(digit.into(), 16).unwrap_or('0').to_ascii_uppercase());
            }
        }
    }
    escaped
}
