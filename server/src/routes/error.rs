//! The one error of the API, and its problem details.

use std::any::Any;

use axum::body::Body;
use axum::http::{HeaderValue, Response as HttpResponse, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::action::Action;
use domain::wire::problem::{FieldError, MEDIA_TYPE, Problem, ProblemKind};
use serde::Serialize;

use crate::store::StoreError;

/// A refusal or a failure, as the client sees it.
#[derive(Debug)]
pub struct ApiError(Box<Problem>, Option<(&'static str, serde_json::Value)>);

impl ApiError {
    /// An error of this kind. `detail` says what happened and what mends it; it reaches the client.
    pub fn of(kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self(Box::new(Problem::new(kind, detail)), None)
    }

    /// 404.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::of(ProblemKind::NotFound, detail)
    }

    /// 401.
    pub fn sign_in_required() -> Self {
        Self::of(
            ProblemKind::SignInRequired,
            "nobody is signed in, or no longer; sign in on the page, or send a token as Authorization: Bearer …",
        )
    }

    /// 403.
    pub fn forbidden(why: &str) -> Self {
        Self::of(ProblemKind::Forbidden, why)
    }

    /// 412 of something that is no action item: the thing as it now is stands under this member's name.
    pub fn stale_thing<T: Serialize>(member: &'static str, version: i64, current: &T) -> Self {
        let mut error = Self::of(ProblemKind::Stale, stale_words(version));
        error.0.current_version = Some(version);
        error.1 = serde_json::to_value(current).ok().map(|value| (member, value));
        error
    }

    /// 422, with the fields at fault.
    pub fn invalid(errors: Vec<FieldError>) -> Self {
        let detail = errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>().join("; ");
        let mut error = Self::of(ProblemKind::Invalid, detail);
        error.0.errors = errors;
        error
    }

    /// 400, with the parameters that could not be read.
    pub fn unread(errors: Vec<FieldError>) -> Self {
        let detail = errors
            .iter()
            .map(|error| match error.pointer.as_str() {
                "" => error.message.clone(),
                pointer => format!("{pointer}: {}", error.message),
            })
            .collect::<Vec<_>>();
        let mut error = Self::of(ProblemKind::Malformed, detail.join("; "));
        error.0.errors = errors;
        error
    }

    /// The error as the client sees it.
    pub fn problem(&self) -> &Problem {
        &self.0
    }

    /// 412, with the item as it now is.
    pub fn stale(current: Action) -> Self {
        let mut error = Self::of(ProblemKind::Stale, stale_words(current.version));
        error.0.current = Some(Box::new(current));
        error
    }
}

fn stale_words(version: i64) -> String {
    format!("version {version} is current; look at what changed, then send the edit again on it")
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        if let StoreError::Repeated(earlier) = &error {
            return super::once::refused(earlier);
        }
        if matches!(error, StoreError::BadCursor) {
            let mut refused = Self::of(ProblemKind::Malformed, "this cursor was not given out by this list");
            refused.0.errors.push(FieldError::new("cursor", "use the `next` of the page before"));
            return refused;
        }
        if error.is_passing() {
            tracing::warn!(%error, "the database is busy");
            return Self::of(
                ProblemKind::Unavailable,
                "something large is being written to the database; nothing was changed, so try again in a few seconds",
            );
        }
        tracing::error!(%error, "the store failed");
        Self::of(ProblemKind::Internal, "the server could not read or write its data; its log says why")
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = match self.1 {
            None => serde_json::to_vec(&self.0),
            Some((member, current)) => serde_json::to_value(&self.0).and_then(|mut problem| {
                if let Some(members) = problem.as_object_mut() {
                    members.insert(member.to_owned(), current);
                }
                serde_json::to_vec(&problem)
            }),
        }
        .unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// 405, for a path that takes other methods.
pub async fn method_not_allowed() -> ApiError {
    ApiError::of(
        ProblemKind::MethodNotAllowed,
        "this path does not take that method; /openapi.json lists those it takes",
    )
}

/// What a client sees of a bug.
#[expect(clippy::needless_pass_by_value, reason = "the layer hands the panic over")]
pub fn panicked(panic: Box<dyn Any + Send + 'static>) -> HttpResponse<Body> {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("(no message)");
    tracing::error!(message, "a request handler panicked");
    ApiError::of(ProblemKind::Internal, "the server met a fault of its own; its log says more").into_response()
}
