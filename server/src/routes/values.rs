//! `/incidents/{id}/imports/signals`: plain values brought in from files and Prometheus servers, and taken away.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::wire::page::Page;
use domain::wire::problem::{FieldError, Problem, ProblemKind};
use domain::wire::signals::{NewSignals, PrometheusQuery, PrometheusServer, SignalsReport, ValueMapping};
use domain::{IncidentId, SignalId};
use serde::Deserialize;

use super::BODY_LIMIT;
use super::answer::{hashed, made_or_known};
use super::error::ApiError;
use super::extract::{ApiPath, ApiQuery, read_body, shaped};
use super::imports::{head_of, mapping, received};
use super::refusals::{Json, Signed};
use super::who::Who;
use crate::access::policy::Act;
use crate::app::App;
use crate::import::ImportError;
use crate::import::signals::{import_answer, import_csv, preview_answer, preview_csv};
use crate::prometheus::AskError;
use crate::store::By;

/// How a file is to be read.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ImportQuery {
    /// The file's name, for people.
    #[serde(default)]
    name: String,
    /// Which column holds what, a `ValueMapping` as JSON: `time`, `time_format`, `zone`, `unit`, `title`, and in `values` the
    /// columns that become signals, all that hold numbers where it names none. What is not said is told from the file.
    #[serde(default)]
    mapping: String,
    /// Only say what would be read, with a picture of it, and store nothing. Of a file the head is enough, cut anywhere.
    #[serde(default)]
    preview: bool,
}

/// Brings in plain values over time: a CSV file of a time and one or more values, plain or compressed with gzip or zstd;
/// or, where the body is JSON, what one of the known Prometheus servers answers to a query (`NewSignals`). The same file or
/// answer a second time changes nothing.
#[utoipa::path(
    post, path = "/incidents/{id}/imports/signals", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)"), ImportQuery),
    request_body(content((NewSignals = "application/json"), (String = "application/octet-stream"))),
    responses(
        (status = 201, description = "Imported", body = SignalsReport),
        (status = 200, description = "Imported before, or a preview: nothing was changed", body = SignalsReport),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        (status = 502, description = "The Prometheus server failed or cannot be reached", body = Problem, content_type = "application/problem+json"),
        Signed, Json,
    )
)]
pub async fn import(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<ImportQuery>,
    body: Body,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::EditIncident).await?.id;
    let media = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let report = if media.split(';').next().is_some_and(|media| media.trim().eq_ignore_ascii_case("application/json")) {
        from_prometheus(&app, &who, &incident, &read_body(body, BODY_LIMIT).await?, query.preview).await?
    } else if query.preview {
        let (head, mapping) = (head_of(body).await?, mapping::<ValueMapping>(&query.mapping)?);
        let look = move || preview_csv(&head, &query.name, &mapping);
        tokio::task::spawn_blocking(look).await.map_err(ImportError::from)??
    } else {
        let mapping: ValueMapping = mapping(&query.mapping)?;
        let (store, objects, by) = (app.store.clone(), app.objects.clone(), (who.0.name.clone(), who.by().now));
        received(&app, &headers, body, |source| async move {
            let by = By { actor: &by.0, now: by.1 };
            import_csv(&store, &objects, &incident, source, (&query.name, &mapping), by).await
        })
        .await?
    };
    // Only what was stored has evidence.
    let is_new = report.evidence.is_some() && !report.already_imported;
    made_or_known(is_new, &report)
}

async fn from_prometheus(
    app: &App,
    who: &Who,
    incident: &IncidentId,
    body: &Bytes,
    preview: bool,
) -> Result<SignalsReport, ApiError> {
    let body = serde_json::from_slice(body)
        .map_err(|error| ApiError::of(ProblemKind::Malformed, format!("the body is not JSON: {error}")))?;
    let NewSignals { prometheus: query } = shaped(&body).map_err(|error| ApiError::invalid(vec![error]))?;
    let faults = query.faults();
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    let _turn = app.imports.clone().acquire_owned().await;
    let answer = asked(app, &query).await?;
    if preview {
        let look = move || preview_answer(&answer, &query);
        return Ok(tokio::task::spawn_blocking(look).await.map_err(ImportError::from)??);
    }
    Ok(import_answer(&app.store, &app.objects, incident, answer, &query, who.by()).await?)
}

async fn asked(app: &App, query: &PrometheusQuery) -> Result<Vec<u8>, ApiError> {
    let unknown = || AskError::Unknown(query.server.clone());
    let answer = match &app.prometheus {
        Some(servers) => servers.range(query).await,
        None => Err(unknown()),
    };
    answer.map_err(|error| match error {
        AskError::Unknown(_) => ApiError::invalid(vec![FieldError::new("/prometheus/server", error.to_string())]),
        AskError::Query(_) => ApiError::invalid(vec![FieldError::new("/prometheus/query", error.to_string())]),
        other => {
            tracing::warn!(error = %other, "Prometheus was asked in vain");
            ApiError::of(ProblemKind::UpstreamFailed, other.to_string())
        }
    })
}

/// The Prometheus servers that whoever runs this program made known.
#[utoipa::path(
    get, path = "/prometheus-servers", tag = "incidents",
    responses((status = 200, body = Page<PrometheusServer>), (status = 304, description = "Not changed"), Signed)
)]
pub async fn servers(State(app): State<App>, who: Who, headers: HeaderMap) -> Result<Response, ApiError> {
    who.may_generally(Act::UseMappings)?;
    let items = app.prometheus.as_ref().map(crate::prometheus::Servers::told).unwrap_or_default();
    hashed(&headers, &Page { items, next: None })
}

/// Takes a plain value away; with the last one of a file, the file.
#[utoipa::path(
    delete, path = "/incidents/{id}/signals/{signal}", tag = "incidents",
    params(
        ("id" = String, Path, description = "The incident's id, or its short name (INC-1)"),
        ("signal" = String, Path, description = "The signal's id"),
    ),
    responses(
        (status = 204, description = "Taken away"),
        (status = 404, description = "No such plain value", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn remove(
    State(app): State<App>,
    who: Who,
    ApiPath((id, signal)): ApiPath<(String, String)>,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::EditIncident).await?.id;
    if app.store.remove_value(&incident, &SignalId::new(signal), who.by()).await? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Err(ApiError::not_found("there is no such value; what is computed from events goes by itself when these change"))
}
