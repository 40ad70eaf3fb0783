//! Writing answers: each has its `ETag`, or is told this once and kept by no cache.

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::wire::problem::ProblemKind;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::error::ApiError;
use crate::digest::hex;

/// Answers JSON that is told this once, so that no cache keeps it.
pub fn told<T: Serialize>(status: StatusCode, value: &T) -> Result<Response, ApiError> {
    let mut response = (status, to_json(value)?).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// The same with 201 for what was made, and 200 for what was known already or only looked at.
pub fn made_or_known<T: Serialize>(is_made: bool, value: &T) -> Result<Response, ApiError> {
    told(if is_made { StatusCode::CREATED } else { StatusCode::OK }, value)
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
