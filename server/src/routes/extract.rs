//! Reading requests and writing answers: every refusal is a problem, every answer has its `ETag`.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::wire::problem::{FieldError, ProblemKind};
use http_body_util::LengthLimitError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use tower_http::timeout::TimeoutError;

use super::error::ApiError;
use crate::digest::hex;

/// A query string read into `T`.
#[derive(Debug)]
pub struct ApiQuery<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for ApiQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        match Query::<T>::try_from_uri(&parts.uri) {
            Ok(Query(value)) => Ok(Self(value)),
            Err(rejection) => Err(ApiError::of(ProblemKind::Malformed, rejection.body_text())),
        }
    }
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
    serde_path_to_error::deserialize(value).map_err(|error| {
        let pointer: String = error
            .path()
            .iter()
            .filter_map(|segment| match segment {
                serde_path_to_error::Segment::Map { key } => Some(format!("/{key}")),
                serde_path_to_error::Segment::Seq { index } => Some(format!("/{index}")),
                _ => None,
            })
            .collect();
        FieldError::new(pointer, error.into_inner().to_string())
    })
}

/// The version that an edit was made on, from `If-Match`. A tag of another form is a version that nothing has.
pub fn required_version(headers: &HeaderMap) -> Result<i64, ApiError> {
    let missing = || {
        ApiError::of(
            ProblemKind::PreconditionRequired,
            "name the version the edit was made on, in quotes, such as If-Match: \"3\"",
        )
    };
    let value = headers.get(header::IF_MATCH).ok_or_else(missing)?.to_str().unwrap_or_default().trim();
    if value.is_empty() || value == "*" {
        return Err(missing());
    }
    Ok(value.trim_matches('"').parse().unwrap_or(-1))
}

/// The `ETag` of a versioned thing.
pub fn version_tag(version: i64) -> String {
    format!("\"{version}\"")
}

/// Answers JSON that is versioned, or 304 where the client has that version.
pub fn versioned(request: &HeaderMap, version: i64, body: impl Into<Bytes>) -> Response {
    tagged(request, &version_tag(version), "application/json", body.into())
}

/// Answers JSON whose tag is its content.
pub fn hashed<T: Serialize>(request: &HeaderMap, value: &T) -> Result<Response, ApiError> {
    Ok(hashed_bytes(request, "application/json", to_json(value)?))
}

/// Answers bytes whose tag is their content.
pub fn hashed_bytes(request: &HeaderMap, media: &str, body: impl Into<Bytes>) -> Response {
    let body = body.into();
    let digest = Sha256::digest(&body);
    tagged(request, &format!("\"{}\"", hex(&digest[..12])), media, body)
}

/// Makes an answer a file of this name.
pub fn attach(response: &mut Response, name: &str) {
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    }
}

/// Writes JSON.
pub fn to_json<T: Serialize>(value: &T) -> Result<Vec<u8>, ApiError> {
    serde_json::to_vec(value).map_err(|error| {
        tracing::error!(%error, "an answer could not be written as JSON");
        ApiError::of(ProblemKind::Internal, "the answer could not be written")
    })
}

fn tagged(request: &HeaderMap, tag: &str, media: &str, body: Bytes) -> Response {
    let known = request
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|known| known.trim().trim_start_matches("W/"))
        .any(|known| known == tag || known == "*");
    let mut response = if known { StatusCode::NOT_MODIFIED.into_response() } else { body.into_response() };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(header::ETAG, tag);
    }
    if let (false, Ok(media)) = (known, HeaderValue::from_str(media)) {
        headers.insert(header::CONTENT_TYPE, media);
    }
    response
}
