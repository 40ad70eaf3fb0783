//! `/healthz` and `/readyz`, for whoever runs the server.

use axum::extract::State;
use axum::http::StatusCode;

use super::error::ApiError;
use crate::app::App;

/// The process answers.
#[utoipa::path(get, path = "/healthz", tag = "machine", responses((status = 204, description = "Alive")))]
pub async fn live() -> StatusCode {
    StatusCode::NO_CONTENT
}

/// The database answers too.
#[utoipa::path(
    get, path = "/readyz", tag = "machine",
    responses(
        (status = 204, description = "Ready to serve"),
        (status = 500, description = "The database does not answer", body = domain::wire::problem::Problem, content_type = "application/problem+json"),
    )
)]
pub async fn ready(State(app): State<App>) -> Result<StatusCode, ApiError> {
    app.store.ping().await?;
    Ok(StatusCode::NO_CONTENT)
}
