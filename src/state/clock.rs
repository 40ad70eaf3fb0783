//! The clock; nothing else in the front end reads it.

use chrono::{DateTime, Utc};

/// Now.
pub fn now() -> DateTime<Utc> {
    #[expect(clippy::cast_possible_truncation, reason = "milliseconds since 1970 are whole and far below 2^53")]
    let millis = js_sys::Date::now() as i64;
    DateTime::from_timestamp_millis(millis).unwrap_or_default()
}

/// A text that nothing else has: for the key that makes a repeated request one.
pub fn unique() -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to below 2^53, and whole enough"
    )]
    let random = (js_sys::Math::random() * 9_007_199_254_740_992.0) as u64;
    format!("{:x}-{random:x}", now().timestamp_millis())
}
