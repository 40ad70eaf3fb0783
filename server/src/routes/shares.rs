//! `/shares` and `/shared/{link}`: one incident, read-only, for whoever has the link; `/incidents/{id}/access`.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use chrono::{DateTime, TimeDelta, Utc};
use domain::evidence::Evidence;
use domain::wire::access::{IncidentAccess, NewShare, Share, ShareMade};
use domain::wire::incidents::Dashboard;
use domain::wire::page::Page;
use domain::wire::problem::{FieldError, Problem};
use domain::{IncidentId, ShareId};
use serde::Deserialize;

use super::answer::{hashed, to_json, told, versioned};
use super::error::ApiError;
use super::extract::{ApiBody, ApiPath, ApiQuery, required_version, shaped};
use super::once::once;
use super::refusals::{Json, Keyed, Signed, Versioned};
use super::tokens::check_days;
use super::users::checked_name;
use super::who::{Who, no_incident};
use crate::access::policy::Act;
use crate::access::secret;
use crate::app::App;
use crate::clock;
use crate::store::Changed;

/// Whose share links.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// The incident's id or short name; without it, of every incident that one may share.
    incident: Option<String>,
}

/// Lists the share links that hold, the newest first.
#[utoipa::path(
    get, path = "/shares", tag = "access", params(ListQuery),
    responses((status = 200, body = Page<Share>), (status = 304, description = "Not changed"), Signed)
)]
pub async fn list(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiQuery(query): ApiQuery<ListQuery>,
) -> Result<Response, ApiError> {
    let of = if let Some(incident) = &query.incident {
        Some(who.incident(&app, incident, Act::ShareIncident).await?.id)
    } else {
        who.may_generally(Act::ShareIncident)?;
        None
    };
    hashed(&headers, &Page { items: app.store.list_shares(of.as_ref(), clock::now()).await?, next: None })
}

/// Shares an incident under a link, which is shown this once. A restricted incident cannot be shared.
#[utoipa::path(
    post, path = "/shares", tag = "access", request_body = NewShare,
    params(("Idempotency-Key" = Option<String>, Header, description = "Any text that the client makes up once for this request")),
    responses(
        (status = 201, body = ShareMade),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        Signed, Json, Keyed,
    )
)]
pub async fn create(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiBody(body): ApiBody,
) -> Result<Response, ApiError> {
    who.may_generally(Act::ShareIncident)?;
    let new: NewShare = shaped(&body).map_err(|error| ApiError::invalid(vec![error]))?;
    let incident = who.incident(&app, &new.incident_id, Act::ShareIncident).await?;
    let mut errors = Vec::new();
    let audience = checked_name("/audience", &new.audience, &mut errors);
    check_days(new.days, &mut errors);
    if incident.restricted {
        errors.push(FieldError::new("/incident_id", "a restricted incident cannot be shared"));
    }
    if !errors.is_empty() {
        return Err(ApiError::invalid(errors));
    }
    let (made, until) = (secret::new_secret("dbv_"), clock::now() + TimeDelta::days(new.days.into()));
    let once = once(&who, &headers, ("POST /shares", &body))?;
    let digest = secret::digest(&made);
    let share = app.store.create_share(&digest, &incident.id, &audience, until, who.by(), once.as_ref()).await?;
    let share = share.ok_or_else(no_incident)?;
    let url = format!("{}/s/{made}", app.url);
    told(StatusCode::CREATED, &ShareMade { share, url })
}

/// Revokes a share link at once.
#[utoipa::path(
    delete, path = "/shares/{id}", tag = "access", params(("id" = String, Path, description = "The share's id")),
    responses(
        (status = 204, description = "Revoked"),
        (status = 404, description = "No such share", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn revoke(State(app): State<App>, who: Who, ApiPath(id): ApiPath<String>) -> Result<StatusCode, ApiError> {
    let no_share = || ApiError::not_found("there is no such share");
    who.may_generally(Act::ShareIncident)?;
    let share = app.store.load_share(&ShareId::new(id)).await?.ok_or_else(no_share)?;
    who.incident(&app, share.incident_id.as_str(), Act::ShareIncident).await.map_err(|_| no_share())?;
    if app.store.revoke_share(&share, who.by()).await? { Ok(StatusCode::NO_CONTENT) } else { Err(no_share()) }
}

/// Reads a shared incident, without progress notes, customers, history, and who accepted a proof with what words.
#[utoipa::path(
    get, path = "/shared/{link}", tag = "access", security(()),
    params(("link" = String, Path, description = "The last part of the link")),
    responses(
        (status = 200, body = Dashboard),
        (status = 304, description = "Not changed"),
        (status = 404, description = "The link does not hold, or no longer", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn shared(
    State(app): State<App>,
    headers: HeaderMap,
    ApiPath(link): ApiPath<String>,
) -> Result<Response, ApiError> {
    let (incident, until) = opened(&app, &link).await?;
    let mut dashboard = app.dashboards.load(&app, &incident).await?.ok_or_else(no_link)?;
    for action in &mut dashboard.actions {
        action.notes = Some(Vec::new());
        (action.assignee_id, action.proposal) = (None, None);
        if let Some(accepted) = &mut action.accepted {
            // Who put their name to it, and what they said, is said among colleagues.
            (accepted.accepted_by, accepted.statement) = ("the team".to_owned(), None);
        }
        action.hints.clear();
    }
    dashboard.evidence = std::mem::take(&mut dashboard.evidence).into_iter().map(Evidence::shared).collect();
    dashboard.diagnostics.clear();
    dashboard.claim_proposals.clear();
    super::signals::without_servers(&mut dashboard.values, &mut dashboard.imports);
    (dashboard.access, dashboard.shared_until) = (None, Some(until));
    hashed(&headers, &dashboard)
}

/// Reads who may see an incident.
#[utoipa::path(
    get, path = "/incidents/{id}/access", tag = "access",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)")),
    responses(
        (status = 200, body = IncidentAccess),
        (status = 304, description = "Not changed"),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn read_access(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::ReadIncident).await?;
    let access = app.store.incident_access(&incident.id).await?;
    Ok(versioned(&headers, access.version, to_json(&access)?))
}

/// Says who may see an incident. Restricting it revokes its share links.
#[utoipa::path(
    put, path = "/incidents/{id}/access", tag = "access", request_body = IncidentAccess,
    params(
        ("id" = String, Path, description = "The incident's id, or its short name (INC-1)"),
        ("If-Match" = String, Header, description = "The version the edit was made on, in quotes"),
    ),
    responses(
        (status = 200, body = IncidentAccess, headers(("ETag" = String, description = "The new version in quotes"))),
        Signed, Json, Versioned,
    )
)]
pub async fn set_access(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
    ApiBody(body): ApiBody,
) -> Result<Response, ApiError> {
    let stale = |now: IncidentAccess| ApiError::stale_thing("current_access", now.version, &now);
    let incident = who.incident(&app, &id, Act::ShareIncident).await?;
    let version = required_version(&headers)?;
    let now = app.store.incident_access(&incident.id).await?;
    if version != now.version {
        return Err(stale(now));
    }
    let access: IncidentAccess = shaped(&body).map_err(|error| ApiError::invalid(vec![error]))?;
    match app.store.set_incident_access(&incident.id, version, &access, who.by()).await? {
        Changed::Done(now) => Ok(versioned(&HeaderMap::new(), now.version, to_json(&now)?)),
        Changed::Stale(now) => Err(stale(now)),
        Changed::Missing | Changed::Taken | Changed::LastAdmin => Err(no_incident()),
    }
}

/// The incident that a share link opens, and until when.
pub(super) async fn opened(app: &App, link: &str) -> Result<(IncidentId, DateTime<Utc>), ApiError> {
    app.store.known_share(&secret::digest(link), clock::now()).await?.ok_or_else(no_link)
}

fn no_link() -> ApiError {
    ApiError::not_found("this link does not hold, or no longer; ask whoever gave it to you for another")
}
