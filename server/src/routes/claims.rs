//! `/incidents/{id}/claims`: figures bound to computations over the imported attempts.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::claim::Claim;
use domain::wire::claims::{ClaimPatch, NewClaim};
use domain::wire::page::Page;
use domain::wire::problem::{FieldError, Problem};
use domain::{ClaimId, IncidentId};

use super::answer::{hashed, to_json, versioned};
use super::error::ApiError;
use super::extract::{ApiBody, ApiPath, required_version, shaped};
use super::once::{earlier, once};
use super::refusals::{Json, Signed, Versioned};
use super::who::{Who, no_incident};
use crate::access::policy::Act;
use crate::app::App;
use crate::claims::Texts;
use crate::store::{ClaimChange, StoreError, StoredClaim};

/// Lists an incident's claims with what checking each came to, in the order in which they were made.
#[utoipa::path(
    get, path = "/incidents/{id}/claims", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)")),
    responses(
        (status = 200, body = Page<Claim>),
        (status = 304, description = "Not changed"),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn list(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::ReadIncident).await?.id;
    let dashboard = app.dashboards.load(&app, &incident).await?.ok_or_else(no_incident)?;
    hashed(&headers, &Page { items: dashboard.claims, next: None })
}

/// Binds a figure to a computation.
#[utoipa::path(
    post, path = "/incidents/{id}/claims", tag = "incidents", request_body = NewClaim,
    params(
        ("id" = String, Path, description = "The incident's id, or its short name (INC-1)"),
        ("Idempotency-Key" = Option<String>, Header, description = "Any text that the client makes up once for this request"),
    ),
    responses(
        (status = 201, body = Claim, headers(("ETag" = String, description = "The version in quotes"))),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        Signed, Json,
    )
)]
pub async fn create(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
    ApiBody(body): ApiBody,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::EditIncident).await?.id;
    let new: NewClaim = shaped(&body).map_err(|error| ApiError::invalid(vec![error]))?;
    let faults = new.computation.faults();
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    let stored = app.store.load_incident(&incident).await?.ok_or_else(no_incident)?;
    let texts = Texts::of(&stored);
    let Some(stated) = texts.written(&stored).stated(&new.target) else {
        return Err(not_written());
    };
    let once = once(&who, &headers, (&format!("POST /incidents/{incident}/claims"), &body))?;
    let made = app.store.create_claim(&incident, &new.target, &new.computation, stated, who.by(), once.as_ref()).await;
    let id = match made {
        Ok(ClaimChange::Done(claim)) => claim.id,
        Ok(ClaimChange::Bound) => {
            let bound = "this figure is bound already; change what is computed for it, or take the binding back first";
            return Err(ApiError::invalid(vec![FieldError::new("/target", bound)]));
        }
        Ok(ClaimChange::Missing | ClaimChange::Stale(_)) => return Err(no_incident()),
        Err(StoreError::Repeated(repeated)) => ClaimId::new(earlier::<String>(&repeated)?),
        Err(error) => return Err(error.into()),
    };
    let mut response = answer(&app, &incident, &id).await?;
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

/// Computes something else for a figure.
#[utoipa::path(
    patch, path = "/incidents/{id}/claims/{claim}", tag = "incidents", request_body = ClaimPatch,
    params(
        ("id" = String, Path, description = "The incident's id, or its short name (INC-1)"),
        ("claim" = String, Path, description = "The claim's id"),
        ("If-Match" = String, Header, description = "The version the edit was made on, in quotes"),
    ),
    responses((status = 200, body = Claim), Signed, Json, Versioned)
)]
pub async fn patch(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath((id, claim)): ApiPath<(String, String)>,
    ApiBody(body): ApiBody,
) -> Result<Response, ApiError> {
    let (incident, claim, version) = asked(&app, &who, &headers, (&id, claim)).await?;
    let patch: ClaimPatch = shaped(&body).map_err(|error| ApiError::invalid(vec![error]))?;
    let faults = patch.computation.faults();
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    let changed = app.store.update_claim(&incident, &claim.id, version, &patch.computation, who.by()).await?;
    match changed {
        ClaimChange::Done(claim) => answer(&app, &incident, &claim.id).await,
        ClaimChange::Stale(claim) => Err(stale(&app, &incident, &claim).await?),
        ClaimChange::Missing | ClaimChange::Bound => Err(no_claim()),
    }
}

/// Takes a binding back.
#[utoipa::path(
    delete, path = "/incidents/{id}/claims/{claim}", tag = "incidents",
    params(
        ("id" = String, Path, description = "The incident's id, or its short name (INC-1)"),
        ("claim" = String, Path, description = "The claim's id"),
        ("If-Match" = String, Header, description = "The version that was seen, in quotes"),
    ),
    responses((status = 204, description = "Taken back"), Signed, Versioned)
)]
pub async fn remove(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath((id, claim)): ApiPath<(String, String)>,
) -> Result<Response, ApiError> {
    let (incident, claim, version) = asked(&app, &who, &headers, (&id, claim)).await?;
    match app.store.delete_claim(&incident, &claim.id, version, who.by()).await? {
        ClaimChange::Done(_) => Ok(StatusCode::NO_CONTENT.into_response()),
        ClaimChange::Stale(claim) => Err(stale(&app, &incident, &claim).await?),
        ClaimChange::Missing | ClaimChange::Bound => Err(no_claim()),
    }
}

/// The claim that is to be changed, on the version that the request names.
async fn asked(
    app: &App,
    who: &Who,
    headers: &HeaderMap,
    (id, claim): (&str, String),
) -> Result<(IncidentId, StoredClaim, i64), ApiError> {
    let incident = who.incident(app, id, Act::EditIncident).await?.id;
    let claim = app.store.load_claim(&incident, &ClaimId::new(claim)).await?.ok_or_else(no_claim)?;
    let version = required_version(headers)?;
    if version != claim.version {
        return Err(stale(app, &incident, &claim).await?);
    }
    Ok((incident, claim, version))
}

async fn stale(app: &App, incident: &IncidentId, claim: &StoredClaim) -> Result<ApiError, ApiError> {
    let current = checked(app, incident, &claim.id).await?;
    Ok(ApiError::stale_thing("current_claim", current.version, &current))
}

async fn answer(app: &App, incident: &IncidentId, id: &ClaimId) -> Result<Response, ApiError> {
    let claim = checked(app, incident, id).await?;
    Ok(versioned(&HeaderMap::new(), claim.version, to_json(&claim)?))
}

async fn checked(app: &App, incident: &IncidentId, id: &ClaimId) -> Result<Claim, ApiError> {
    let dashboard = app.dashboards.load(app, incident).await?.ok_or_else(no_incident)?;
    dashboard.claims.into_iter().find(|claim| claim.id == *id).ok_or_else(no_claim)
}

fn no_claim() -> ApiError {
    ApiError::not_found("there is no such claim")
}

fn not_written() -> ApiError {
    ApiError::invalid(vec![FieldError::new(
        "/target",
        "name an impact measure by its id, or a field of prose (summary, key_points/0, …) with the figure as it is written \
         there",
    )])
}
