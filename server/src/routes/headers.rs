//! What holds for every request and answer: where it may come from, and what a browser may do with it.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::wire::problem::{MEDIA_TYPE, ProblemKind};

use super::error::ApiError;

/// Turns a layer's bare refusal into problem details.
pub async fn speak_problems(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let is_bare = response.headers().get(header::CONTENT_TYPE).is_none_or(|value| value != MEDIA_TYPE);
    match response.status() {
        StatusCode::FORBIDDEN if is_bare => {
            ApiError::of(ProblemKind::CrossSite, "the browser says that this request was made by another site")
                .into_response()
        }
        StatusCode::PAYLOAD_TOO_LARGE if is_bare => {
            let limit = super::LOAD_TEST_LIMIT / 1024;
            ApiError::of(ProblemKind::TooLarge, format!("a body may have {limit} KiB")).into_response()
        }
        _ => response,
    }
}

/// Tells the browser to guess nothing, embed nothing and tell nobody.
pub async fn secure(request: Request, next: Next) -> Response {
    const ALWAYS: [(HeaderName, &str); 4] = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    response
}
