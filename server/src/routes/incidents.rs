//! `/incidents`: the list, the dashboard, and what hangs from one incident.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use domain::filter::IncidentFilter;
use domain::flag::FlagChange;
use domain::incident::{IncidentStatus, Severity};
use domain::wire::incidents::{Dashboard, IncidentSummary};
use domain::wire::page::Page;
use domain::wire::problem::{Problem, ProblemKind};
use serde::Deserialize;

use super::answer::{attach, hashed, hashed_bytes, versioned};
use super::error::ApiError;
use super::extract::{ApiPath, ApiQuery, Count, page_size};
use super::refusals::Signed;
use super::who::{Who, no_incident};
use crate::access::policy::Act;
use crate::app::App;
use crate::export;

/// Which incidents, and which page of them.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// Words that title, summary or short name contain.
    q: Option<String>,
    /// The status.
    status: Option<IncidentStatus>,
    /// The severity.
    severity: Option<Severity>,
    /// How many to answer: 50 unless told, at most 200.
    #[param(value_type = Option<u32>, minimum = 1)]
    limit: Option<Count>,
    /// The `next` of the page before.
    cursor: Option<String>,
}

/// Lists the incidents, latest start first.
#[utoipa::path(
    get, path = "/incidents", tag = "incidents", params(ListQuery),
    responses(
        (status = 200, body = Page<IncidentSummary>),
        (status = 304, description = "Not changed since the tag in If-None-Match"),
        (status = 400, description = "A parameter could not be read", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn list(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiQuery(query): ApiQuery<ListQuery>,
) -> Result<Response, ApiError> {
    let filter = IncidentFilter { q: query.q, status: query.status, severity: query.severity };
    let limit = page_size(query.limit);
    let page = app.store.list_incidents(&filter, limit, query.cursor.as_deref(), who.0.sees()).await?;
    hashed(&headers, &page)
}

/// Reads the whole dashboard of one incident.
#[utoipa::path(
    get, path = "/incidents/{id}", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)")),
    responses(
        (status = 200, body = Dashboard, headers(("ETag" = String, description = "The version in quotes"))),
        (status = 304, description = "Not changed since the tag in If-None-Match"),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn read(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
) -> Result<Response, ApiError> {
    let found = who.incident(&app, &id, Act::ReadIncident).await?;
    let (version, body) = app.dashboards.json(&app, &found.id, found.version).await?.ok_or_else(no_incident)?;
    Ok(versioned(&headers, version, body))
}

/// Reads every flag change of an incident, in order of time.
#[utoipa::path(
    get, path = "/incidents/{id}/flags", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)")),
    responses(
        (status = 200, body = Page<FlagChange>),
        (status = 304, description = "Not changed since the tag in If-None-Match"),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn flags(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
) -> Result<Response, ApiError> {
    let id = who.incident(&app, &id, Act::ReadIncident).await?.id;
    let dashboard = app.dashboards.load(&app, &id).await?.ok_or_else(no_incident)?;
    hashed(&headers, &Page { items: dashboard.flags, next: None })
}

/// Exports an incident as a file: `export.md`, `export.json` or `export.csv`.
#[utoipa::path(
    get, path = "/incidents/{id}/{file}", tag = "incidents",
    params(
        ("id" = String, Path, description = "The incident's id, or its short name (INC-1)"),
        ("file" = String, Path, description = "export.md, export.json or export.csv"),
    ),
    responses(
        (status = 200, description = "The file, as an attachment", content_type = "text/markdown", body = String),
        (status = 304, description = "Not changed since the tag in If-None-Match"),
        (status = 404, description = "No such incident or format", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn export(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath((id, file)): ApiPath<(String, String)>,
) -> Result<Response, ApiError> {
    let format: export::Format = file
        .strip_prefix("export.")
        .and_then(|extension| extension.parse().ok())
        .ok_or_else(|| ApiError::not_found("an incident is exported as export.md, export.json or export.csv"))?;
    let id = who.incident(&app, &id, Act::ReadIncident).await?.id;
    let dashboard = app.dashboards.load(&app, &id).await?.ok_or_else(no_incident)?;
    let text = export::write(&dashboard, format);
    let mut response = hashed_bytes(&headers, format.media_type(), text);
    attach(&mut response, &format!("{}.{format}", dashboard.name.to_lowercase()));
    Ok(response)
}

/// Reads the text that an incident was imported from, as it came.
#[utoipa::path(
    get, path = "/incidents/{id}/source", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)")),
    responses(
        (status = 200, description = "The document as it came", content_type = "text/plain", body = String),
        (status = 304, description = "Not changed since the tag in If-None-Match"),
        (status = 404, description = "No such incident, or it was not imported", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn source(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
) -> Result<Response, ApiError> {
    let id = who.incident(&app, &id, Act::ReadHistory).await?.id;
    let import = app
        .store
        .source_text(&id)
        .await?
        .ok_or_else(|| ApiError::not_found("this incident was not imported from a document"))?;
    let bytes = app.objects.get(&import.object_key).await.map_err(|error| {
        tracing::error!(%error, key = import.object_key, "an imported document cannot be read back");
        ApiError::of(ProblemKind::Internal, "the imported document cannot be read back")
    })?;
    Ok(hashed_bytes(&headers, "text/plain; charset=utf-8", bytes).into_response())
}
