//! The refusals that many routes share, for the API's description.

use domain::wire::problem::Problem;
use utoipa::IntoResponses;

/// What every route behind signing in may answer.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "the description is derived from the variants; the answers themselves are ApiError's")]
pub enum Signed {
    /// Nobody is signed in, or no longer
    #[response(status = 401, content_type = "application/problem+json")]
    SignInRequired(Problem),
    /// Whoever asks may not do this
    #[response(status = 403, content_type = "application/problem+json")]
    Forbidden(Problem),
}

/// What every route that takes JSON may answer.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "the description is derived from the variants; the answers themselves are ApiError's")]
pub enum Json {
    /// The body is not JSON
    #[response(status = 400, content_type = "application/problem+json")]
    Malformed(Problem),
    /// The body is too large
    #[response(status = 413, content_type = "application/problem+json")]
    TooLarge(Problem),
    /// The body is not declared as JSON
    #[response(status = 415, content_type = "application/problem+json")]
    MediaType(Problem),
    /// A rule does not allow this; `errors` names the fields
    #[response(status = 422, content_type = "application/problem+json")]
    Invalid(Problem),
}

/// What every route that makes a thing once for a key may answer besides.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "the description is derived from the variants; the answers themselves are ApiError's")]
pub enum Keyed {
    /// The key was used for this before, and the answer's secret was shown then
    #[response(status = 409, content_type = "application/problem+json")]
    Conflict(Problem),
}

/// What every edit of a versioned thing may answer.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "the description is derived from the variants; the answers themselves are ApiError's")]
pub enum Versioned {
    /// There is no such thing
    #[response(status = 404, content_type = "application/problem+json")]
    Missing(Problem),
    /// Changed since that version; the thing as it now is stands in the answer
    #[response(status = 412, content_type = "application/problem+json")]
    Stale(Problem),
    /// If-Match is missing
    #[response(status = 428, content_type = "application/problem+json")]
    PreconditionRequired(Problem),
}
