//! What a column's value means: times, words, JSON lists.

use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::StoreError;

/// The instant of a column of milliseconds.
pub(super) fn time(millis: i64) -> Result<DateTime<Utc>, StoreError> {
    DateTime::from_timestamp_millis(millis).ok_or_else(|| StoreError::Corrupt(format!("no such time: {millis} ms")))
}

/// The instant of a column that may be null.
pub(super) fn maybe_time(millis: Option<i64>) -> Result<Option<DateTime<Utc>>, StoreError> {
    millis.map(time).transpose()
}

/// The milliseconds of an instant that may be unknown.
pub(super) fn maybe_millis(at: Option<DateTime<Utc>>) -> Option<i64> {
    at.map(|at| at.timestamp_millis())
}

/// A word of an enumeration, a date, or anything else with one spelling.
pub(super) fn word<T: FromStr>(text: &str) -> Result<T, StoreError>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|error: T::Err| StoreError::Corrupt(error.to_string()))
}

/// A word that may be null.
pub(super) fn maybe_word<T: FromStr>(text: Option<&str>) -> Result<Option<T>, StoreError>
where
    T::Err: std::fmt::Display,
{
    text.map(word).transpose()
}

/// What a column of JSON holds.
pub(super) fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Corrupt(error.to_string()))
}

/// JSON for a column. PostgreSQL's text holds no NUL, and JSON writes it as an escape.
pub(super) fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Corrupt(error.to_string()))
}

/// A count read from a column that a CHECK keeps from being negative.
pub(super) fn count<T: TryFrom<i64>>(value: i64) -> Result<T, StoreError> {
    T::try_from(value).map_err(|_| StoreError::Corrupt(format!("a count out of range: {value}")))
}

/// A count for a column.
pub(super) fn whole<T: TryInto<i64>>(value: T) -> i64 {
    value.try_into().unwrap_or(i64::MAX)
}

/// Text for a column: PostgreSQL's holds no NUL, so that both databases show the replacement character instead.
pub(super) fn text(text: &str) -> String {
    text.replace('\0', "\u{FFFD}")
}

/// Text for a column that may be null.
pub(super) fn maybe_text(value: Option<&str>) -> Option<String> {
    value.map(text)
}
