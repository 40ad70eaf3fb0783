//! `/incidents/{id}/imports/{flags,deploys}`: lists of small things; `/incidents/{id}/imports`: what was imported, and taking it
//! back.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::import::ImportedFile;
use domain::wire::imports::{ImportRemoval, ListReport};
use domain::wire::page::Page;
use domain::wire::problem::Problem;
use domain::{ImportId, IncidentId};
use serde::Deserialize;
use tokio::sync::SemaphorePermit;

use super::answer::{hashed, made_or_known, told};
use super::error::ApiError;
use super::extract::{ApiPath, ApiQuery, read_body};
use super::refusals::{Json, Signed};
use super::who::Who;
use crate::access::policy::Act;
use crate::app::App;
use crate::import::deploys::{Reading, import_deploys};
use crate::import::flags::import_given_flags;
use crate::import::listed::{Given, MAX_BYTES};
use crate::import::{ImportError, Mode, remove_import};

/// What the file is, and whether it is only looked at.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FlagsQuery {
    /// The file's name, for people.
    #[serde(default)]
    name: String,
    /// Only say what would be imported, and store nothing.
    #[serde(default)]
    preview: bool,
}

/// What the file is, how it is to be read, and whether it is only looked at.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DeploysQuery {
    /// The file's name, for people.
    #[serde(default)]
    name: String,
    /// Only say what would be imported, and store nothing.
    #[serde(default)]
    preview: bool,
    /// The zone of times that name none: an offset such as +02:00, or a region such as Europe/Berlin.
    #[serde(default)]
    zone: String,
    /// The service of deploys that name none.
    #[serde(default)]
    service: String,
}

/// A list that was sent, while it has its turn.
struct Sent<'a> {
    incident: IncidentId,
    bytes: Bytes,
    name: &'a str,
    mode: Mode,
    _turn: Option<SemaphorePermit<'a>>,
}

impl<'a> Sent<'a> {
    /// Receives a list for an incident, where the policy lets one import into it.
    async fn receive(
        app: &'a App,
        who: &Who,
        (id, body): (&str, Body),
        (name, preview): (&'a str, bool),
    ) -> Result<Self, ApiError> {
        let incident = who.incident(app, id, Act::EditIncident).await?.id;
        // It is never closed, so each has its turn.
        let turn = app.imports.acquire().await.ok();
        let bytes = read_body(body, MAX_BYTES).await?;
        Ok(Self { incident, bytes, name, mode: if preview { Mode::Preview } else { Mode::Import }, _turn: turn })
    }

    fn given<'s>(&'s self, who: &'s Who) -> Given<'s> {
        Given { bytes: &self.bytes, name: self.name, by: who.by(), mode: self.mode }
    }

    fn answer(&self, report: &ListReport) -> Result<Response, ApiError> {
        made_or_known(self.mode == Mode::Import && !report.already_imported, report)
    }
}

/// Brings in changes of feature flags: a list as JSON or CSV, or the event log of Unleash. The same file a second time changes
/// nothing.
#[utoipa::path(
    post, path = "/incidents/{id}/imports/flags", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)"), FlagsQuery),
    request_body(content = String, description = "The file as it is", content_type = "application/octet-stream"),
    responses(
        (status = 201, description = "Imported", body = ListReport),
        (status = 200, description = "Imported before, or a preview: nothing was changed", body = ListReport),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        Signed, Json,
    )
)]
pub async fn import_flags(
    State(app): State<App>,
    who: Who,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<FlagsQuery>,
    body: Body,
) -> Result<Response, ApiError> {
    let sent = Sent::receive(&app, &who, (&id, body), (&query.name, query.preview)).await?;
    let report = import_given_flags(&app.store, &app.objects, &sent.incident, sent.given(&who)).await?;
    sent.answer(&report)
}

/// Brings in deploys: a list as JSON or CSV, its columns found by their usual names. The same file a second time changes
/// nothing.
#[utoipa::path(
    post, path = "/incidents/{id}/imports/deploys", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)"), DeploysQuery),
    request_body(content = String, description = "The file as it is", content_type = "application/octet-stream"),
    responses(
        (status = 201, description = "Imported", body = ListReport),
        (status = 200, description = "Imported before, or a preview: nothing was changed", body = ListReport),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        Signed, Json,
    )
)]
pub async fn import_deploys_of(
    State(app): State<App>,
    who: Who,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<DeploysQuery>,
    body: Body,
) -> Result<Response, ApiError> {
    let sent = Sent::receive(&app, &who, (&id, body), (&query.name, query.preview)).await?;
    let said = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let reading = Reading { zone: said(&query.zone), service: said(&query.service) };
    let report = import_deploys(&app.store, &app.objects, &sent.incident, sent.given(&who), &reading).await?;
    sent.answer(&report)
}

/// Lists every import of telemetry that can be taken back: files of attempts, flag changes, deploys and values, and
/// Prometheus servers' answers, in the order of their import. A load test is evidence, and is removed as that.
#[utoipa::path(
    get, path = "/incidents/{id}/imports", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)")),
    responses(
        (status = 200, body = Page<ImportedFile>),
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
    hashed(&headers, &Page { items: app.store.list_imported_files(&incident).await?, next: None })
}

/// Takes an import back: what stands in no other file of the incident is forgotten, and what is computed from the files is
/// computed anew. Of values all signals go, and their evidence unless a proof rests on it. The answer says how much that was.
#[utoipa::path(
    delete, path = "/incidents/{id}/imports/{import}", tag = "incidents",
    params(
        ("id" = String, Path, description = "The incident's id, or its short name (INC-1)"),
        ("import" = String, Path, description = "The import's id"),
    ),
    responses(
        (status = 200, body = ImportRemoval),
        (status = 404, description = "No such import", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "Others import into the incident", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The post-mortem, which stays", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn remove(
    State(app): State<App>,
    who: Who,
    ApiPath((id, import)): ApiPath<(String, String)>,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::EditIncident).await?.id;
    let (store, objects, turn) = (app.store.clone(), app.objects.clone(), app.imports.clone().acquire_owned().await);
    let by = (who.0.name.clone(), who.by().now);
    // It is ended whether or not anybody waits for the answer.
    let work = tokio::spawn(async move {
        let _turn = turn;
        let by = crate::store::By { actor: &by.0, now: by.1 };
        remove_import(&store, &objects, &incident, &ImportId::new(import), by).await
    });
    let removed = work.await.map_err(ImportError::from)??;
    let removed: ImportRemoval = removed.ok_or_else(|| ApiError::not_found("there is no such import"))?;
    told(StatusCode::OK, &removed)
}
