//! `/teams`: who belongs to each, and so whose an action item is.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::TeamId;
use domain::wire::access::{NewTeam, Team, TeamPatch};
use domain::wire::page::Page;
use domain::wire::problem::{FieldError, Problem};

use super::answer::{hashed, to_json, told, versioned};
use super::error::ApiError;
use super::extract::{ApiBody, ApiPath, required_version, shaped};
use super::once::{earlier, once};
use super::refusals::{Json, Signed, Versioned};
use super::users::checked_name;
use super::who::Who;
use crate::access::policy::Act;
use crate::app::App;
use crate::store::{Changed, StoreError};

/// Lists the teams with their members.
#[utoipa::path(
    get, path = "/teams", tag = "access",
    responses((status = 200, body = Page<Team>), (status = 304, description = "Not changed"), Signed)
)]
pub async fn list(State(app): State<App>, who: Who, headers: HeaderMap) -> Result<Response, ApiError> {
    who.may_generally(Act::ReadPeople)?;
    hashed(&headers, &Page { items: app.store.list_teams().await?, next: None })
}

/// Makes a team.
#[utoipa::path(
    post, path = "/teams", tag = "access", request_body = NewTeam,
    params(("Idempotency-Key" = Option<String>, Header, description = "Any text that the client makes up once for this request")),
    responses((status = 201, body = Team), Signed, Json)
)]
pub async fn create(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiBody(body): ApiBody,
) -> Result<Response, ApiError> {
    who.may_generally(Act::ManagePeople)?;
    let new: NewTeam = shaped(&body).map_err(|error| ApiError::invalid(vec![error]))?;
    let mut errors = Vec::new();
    let name = checked_name("/name", &new.name, &mut errors);
    if !errors.is_empty() {
        return Err(ApiError::invalid(errors));
    }
    let once = once(&who, &headers, ("POST /teams", &body))?;
    let team = match app.store.create_team(&name, &new.members, who.by(), once.as_ref()).await {
        Ok(Changed::Done(team)) => team,
        Ok(_) => return Err(taken()),
        Err(StoreError::Repeated(repeated)) => earlier(&repeated)?,
        Err(error) => return Err(error.into()),
    };
    told(StatusCode::CREATED, &team)
}

/// Reads one team.
#[utoipa::path(
    get, path = "/teams/{id}", tag = "access", params(("id" = String, Path, description = "The team's id")),
    responses(
        (status = 200, body = Team, headers(("ETag" = String, description = "The version in quotes"))),
        (status = 304, description = "Not changed"),
        (status = 404, description = "No such team", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn read(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
) -> Result<Response, ApiError> {
    who.may_generally(Act::ReadPeople)?;
    let team = app.store.load_team(&TeamId::new(id)).await?.ok_or_else(no_team)?;
    Ok(versioned(&headers, team.version, to_json(&team)?))
}

/// Changes a team's name or members.
#[utoipa::path(
    patch, path = "/teams/{id}", tag = "access", request_body = TeamPatch,
    params(
        ("id" = String, Path, description = "The team's id"),
        ("If-Match" = String, Header, description = "The version the edit was made on, in quotes"),
    ),
    responses((status = 200, body = Team), Signed, Json, Versioned)
)]
pub async fn patch(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
    ApiBody(body): ApiBody,
) -> Result<Response, ApiError> {
    who.may_generally(Act::ManagePeople)?;
    let id = TeamId::new(id);
    let current = app.store.load_team(&id).await?.ok_or_else(no_team)?;
    let version = required_version(&headers)?;
    if version != current.version {
        return Err(ApiError::stale_thing("current_team", current.version, &current));
    }
    let mut patch: TeamPatch = shaped(&body).map_err(|error| ApiError::invalid(vec![error]))?;
    let mut errors = Vec::new();
    patch.name = patch.name.map(|name| checked_name("/name", &name, &mut errors));
    if !errors.is_empty() {
        return Err(ApiError::invalid(errors));
    }
    match app.store.update_team(&id, version, &patch, who.by()).await? {
        Changed::Done(team) => Ok(versioned(&HeaderMap::new(), team.version, to_json(&team)?)),
        Changed::Stale(team) => Err(ApiError::stale_thing("current_team", team.version, &team)),
        Changed::Taken | Changed::LastAdmin => Err(taken()),
        Changed::Missing => Err(no_team()),
    }
}

/// Removes a team; action items keep its name.
#[utoipa::path(
    delete, path = "/teams/{id}", tag = "access",
    params(
        ("id" = String, Path, description = "The team's id"),
        ("If-Match" = String, Header, description = "The version that was looked at, in quotes"),
    ),
    responses((status = 204, description = "Removed"), Signed, Versioned)
)]
pub async fn delete(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
) -> Result<StatusCode, ApiError> {
    who.may_generally(Act::ManagePeople)?;
    let id = TeamId::new(id);
    app.store.load_team(&id).await?.ok_or_else(no_team)?;
    match app.store.delete_team(&id, required_version(&headers)?, who.by()).await? {
        Changed::Done(_) => Ok(StatusCode::NO_CONTENT),
        Changed::Stale(team) => Err(ApiError::stale_thing("current_team", team.version, &team)),
        Changed::Missing | Changed::Taken | Changed::LastAdmin => Err(no_team()),
    }
}

fn taken() -> ApiError {
    ApiError::invalid(vec![FieldError::new("/name", "another team has this name")])
}

fn no_team() -> ApiError {
    ApiError::not_found("there is no such team")
}
