//! Errors as RFC 9457 problem details.

use serde::{Deserialize, Serialize};

use crate::action::Action;
use crate::words::words;

/// The media type of every error.
pub const MEDIA_TYPE: &str = "application/problem+json";

words!(
    /// The kind of a problem; each has one `type`, and a program may branch on it.
    ProblemKind {
        /// 400: the request could not be read.
        Malformed = "urn:debrief:problem:malformed-request", "The request could not be read";
        /// 401: nobody is signed in, or no longer.
        SignInRequired = "urn:debrief:problem:sign-in-required", "Sign in first";
        /// 403: whoever asks may not do this.
        Forbidden = "urn:debrief:problem:forbidden", "You may not do this";
        /// 403: the request came from another site.
        CrossSite = "urn:debrief:problem:cross-site", "Refused: the request came from another site";
        /// 404: there is no such thing.
        NotFound = "urn:debrief:problem:not-found", "There is no such thing";
        /// 405: the resource does not take this method.
        MethodNotAllowed = "urn:debrief:problem:method-not-allowed", "Not a method of this resource";
        /// 408: the request took too long to arrive or to answer.
        Timeout = "urn:debrief:problem:timeout", "This took too long";
        /// 412: the thing was changed since it was read.
        Stale = "urn:debrief:problem:stale-version", "It was changed in the meantime";
        /// 409: something else stands in the way.
        Conflict = "urn:debrief:problem:conflict", "Something else stands in the way";
        /// 413: the body is larger than the limit.
        TooLarge = "urn:debrief:problem:too-large", "The request is too large";
        /// 415: the body is not JSON.
        MediaType = "urn:debrief:problem:unsupported-media-type", "The body must be JSON";
        /// 422: the request was read and breaks a rule.
        Invalid = "urn:debrief:problem:invalid", "A rule does not allow this";
        /// 428: an edit must name the version it was made on.
        PreconditionRequired = "urn:debrief:problem:precondition-required", "If-Match is missing";
        /// 429: too many attempts in too short a time.
        TooMany = "urn:debrief:problem:too-many-attempts", "Too many attempts";
        /// 500: a fault of the server.
        Internal = "urn:debrief:problem:internal", "Something went wrong on the server";
        /// 502: another server, which this one asked, failed or could not be reached.
        UpstreamFailed = "urn:debrief:problem:upstream-failed", "Another server failed";
        /// 503: the server cannot do this now; the same request may succeed in a while.
        Unavailable = "urn:debrief:problem:unavailable", "The server is busy";
    }
);

impl ProblemKind {
    /// The HTTP status that goes with the kind.
    pub const fn status(self) -> u16 {
        match self {
            Self::Malformed => 400,
            Self::SignInRequired => 401,
            Self::Forbidden | Self::CrossSite => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::Timeout => 408,
            Self::Stale => 412,
            Self::Conflict => 409,
            Self::TooLarge => 413,
            Self::MediaType => 415,
            Self::Invalid => 422,
            Self::PreconditionRequired => 428,
            Self::TooMany => 429,
            Self::Internal => 500,
            Self::UpstreamFailed => 502,
            Self::Unavailable => 503,
        }
    }
}

/// A field at fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FieldError {
    /// JSON pointer to the field in the body, or the parameter's name.
    pub pointer: String,
    /// What is the matter, and what mends it.
    pub message: String,
}

impl FieldError {
    /// A fault of the field at this pointer.
    pub fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into() }
    }
}

/// The body of every error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Problem {
    /// The kind of problem.
    #[serde(rename = "type")]
    pub kind: ProblemKind,
    /// The kind in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What happened here, and what mends it.
    pub detail: String,
    /// The fields at fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// The action item as it now is, where an edit of it was refused as stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<Box<Action>>,
    /// The version that is current, where an edit of something else was refused as stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_version: Option<i64>,
}

impl Problem {
    /// A problem of this kind.
    pub fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            title: kind.label().to_owned(),
            status: kind.status(),
            detail: detail.into(),
            errors: Vec::new(),
            current: None,
            current_version: None,
        }
    }
}
