//! Reading requests: every refusal is a problem that names the place.

use std::str::FromStr;

use axum::body::{Body, Bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use domain::wire::page::{DEFAULT_LIMIT, MAX_LIMIT};
use domain::wire::problem::{FieldError, ProblemKind};
use http_body_util::LengthLimitError;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_path_to_error::Segment;
use tower_http::timeout::TimeoutError;

use super::error::ApiError;

/// What the address names, such as an id, read into `T`.
#[derive(Debug)]
pub struct ApiPath<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for ApiPath<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        // Ids and names are text, so only what is no text cannot be read, and nothing has such a name.
        let read = Path::<T>::from_request_parts(parts, state).await;
        read.map(|Path(value)| Self(value))
            .map_err(|_| ApiError::not_found("nothing has such an address: it holds bytes that are no UTF-8"))
    }
}

/// How many are asked for: a whole number, and one that is too large for the server is as good as the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count(pub u32);

impl FromStr for Count {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            let text: String = text.chars().take(40).collect();
            return Err(format!("‘{text}’ is not a whole number, such as 50"));
        }
        Ok(Self(text.parse().unwrap_or(u32::MAX)))
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// How many items a page has for which so many were asked.
pub fn page_size(asked: Option<Count>) -> u32 {
    asked.map_or(DEFAULT_LIMIT, |Count(count)| count.clamp(1, MAX_LIMIT))
}

/// A query string read into `T`.
#[derive(Debug)]
pub struct ApiQuery<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for ApiQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Query::<T>::try_from_uri(&parts.uri)
            .map(|Query(value)| Self(value))
            .map_err(|rejection| ApiError::unread(vec![parameter_at_fault(&rejection)]))
    }
}

/// Which parameter could not be read, and why.
fn parameter_at_fault(rejection: &QueryRejection) -> FieldError {
    type Located = serde_path_to_error::Error<serde::de::value::Error>;
    let mut cause: Option<&dyn std::error::Error> = Some(rejection);
    while let Some(error) = cause {
        if let Some(located) = error.downcast_ref::<Located>() {
            let fault = field_error(located.path(), &located.inner().to_string());
            return FieldError { pointer: fault.pointer.trim_start_matches('/').to_owned(), ..fault };
        }
        cause = error.source();
    }
    FieldError::new("", rejection.body_text())
}

/// A body that is JSON of any shape; [`shaped`] gives it its shape, once the version is known to be right.
#[derive(Debug)]
pub struct ApiBody(pub serde_json::Value);

impl<S: Send + Sync> FromRequest<S> for ApiBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let media = request.headers().get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
        let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if media != "application/json" && !(media.starts_with("application/") && media.ends_with("+json")) {
            return Err(ApiError::of(ProblemKind::MediaType, "send JSON, with content-type: application/json"));
        }
        let bytes = read_body(request.into_body(), super::BODY_LIMIT).await?;
        serde_json::from_slice(&bytes)
            .map(Self)
            .map_err(|error| ApiError::of(ProblemKind::Malformed, format!("the body is not JSON: {error}")))
    }
}

/// Reads a body whole, up to so many bytes.
pub async fn read_body(body: Body, limit: usize) -> Result<Bytes, ApiError> {
    axum::body::to_bytes(body, limit).await.map_err(|error| {
        if is_caused_by::<LengthLimitError>(&error) {
            return ApiError::of(ProblemKind::TooLarge, format!("a body may have {} KiB here", limit / 1024));
        }
        cut_short(&error, "the body did not arrive whole")
    })
}

/// What is answered where a body ended too early, or stopped arriving.
pub fn cut_short(error: &axum::Error, what: &'static str) -> ApiError {
    if is_caused_by::<TimeoutError>(error) {
        return ApiError::of(ProblemKind::Timeout, "the body stopped arriving; send it again");
    }
    ApiError::of(ProblemKind::Malformed, what)
}

/// Whether an error, or whatever caused it, is of this type.
fn is_caused_by<T: std::error::Error + 'static>(error: &axum::Error) -> bool {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if error.is::<T>() {
            return true;
        }
        cause = error.source();
    }
    false
}

/// Reads JSON into `T`; an error names the field.
pub fn shaped<T: DeserializeOwned>(value: &serde_json::Value) -> Result<T, FieldError> {
    if !value.is_object() {
        return Err(FieldError::new("", "send a JSON object"));
    }
    serde_path_to_error::deserialize(value)
        .map_err(|error| field_error(&error.path().clone(), &error.into_inner().to_string()))
}

/// An error of serde at the field that it is about, in words for people.
fn field_error(path: &serde_path_to_error::Path, message: &str) -> FieldError {
    const KINDS: [(&str, &str); 3] = [
        ("expected f64", "expected a number"),
        ("expected a boolean", "expected true or false"),
        ("expected unit", "expected null"),
    ];
    let mut pointer: String = path
        .iter()
        .filter_map(|segment| match segment {
            Segment::Map { key } => Some(format!("/{key}")),
            Segment::Seq { index } => Some(format!("/{index}")),
            _ => None,
        })
        .collect();
    // The path leads to where a field is missing, not to it.
    if let Some(missing) = message.strip_prefix("missing field `") {
        pointer = format!("{pointer}/{}", missing.trim_end_matches('`'));
    }
    let mut message = message.to_owned();
    for (of_serde, of_people) in KINDS {
        message = message.replace(of_serde, of_people);
    }
    for whole in ["u8", "u16", "u32", "u64", "usize", "i64"] {
        message = message.replace(&format!("expected {whole}"), "expected a whole number");
    }
    FieldError::new(pointer, message)
}

/// The version that an edit was made on, from `If-Match`: one tag in quotes. A tag that is no version is one that nothing has;
/// what is no tag, several, or `*` does not say what the edit was made on.
pub fn required_version(headers: &HeaderMap) -> Result<i64, ApiError> {
    let missing = || {
        ApiError::of(
            ProblemKind::PreconditionRequired,
            "name the version the edit was made on, in quotes, such as If-Match: \"3\"",
        )
    };
    let mut values = headers.get_all(header::IF_MATCH).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return Err(missing()) };
    let value = value.to_str().unwrap_or_default().trim();
    let tag = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).filter(|tag| !tag.contains('"'));
    let tag = tag.ok_or_else(missing)?;
    // Written as the server writes it: no sign, no zeros before it.
    Ok(tag.parse().ok().filter(|version: &i64| version.to_string() == tag).unwrap_or(-1))
}
