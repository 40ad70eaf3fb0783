//! `/incidents/{id}/evidence`: the sources that figures, sentences and proofs rest on.

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::action::Action;
use domain::evidence::{Evidence, EvidenceFile};
use domain::wire::evidence::{EvidencePatch, EvidenceReport, NewEvidence, checked};
use domain::wire::page::Page;
use domain::wire::problem::{FieldError, Problem};
use domain::{EvidenceNumber, IncidentId};
use serde::Deserialize;

use super::answer::{hashed, made_or_known, to_json, told, versioned};
use super::error::ApiError;
use super::extract::{ApiBody, ApiPath, ApiQuery, read_body, required_version, shaped};
use super::files::described;
use super::once::{earlier, once};
use super::refusals::{Json, Signed, Versioned};
use super::who::{Who, no_incident};
use crate::access::policy::Act;
use crate::app::App;
use crate::store::{AddedEvidence, EvidenceEdit, StoreError};
use crate::{import, item};

/// Lists an incident's evidence, in order of number.
#[utoipa::path(
    get, path = "/incidents/{id}/evidence", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)")),
    responses(
        (status = 200, body = Page<Evidence>),
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
    hashed(&headers, &Page { items: app.store.list_evidence(&incident).await?, next: None })
}

/// Adds a source under the next number.
#[utoipa::path(
    post, path = "/incidents/{id}/evidence", tag = "incidents", request_body = NewEvidence,
    params(
        ("id" = String, Path, description = "The incident's id, or its short name (INC-1)"),
        ("Idempotency-Key" = Option<String>, Header, description = "Any text that the client makes up once for this request"),
    ),
    responses(
        (status = 201, body = Evidence),
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
    let incident = who.incident_to_prove(&app, &id).await?.id;
    let new: NewEvidence = shaped(&body).map_err(|error| ApiError::invalid(vec![error]))?;
    let (title, link) = checked(Some(&new.title), new.link.as_deref()).map_err(ApiError::invalid)?;
    let added =
        AddedEvidence { title: title.as_deref(), kind: new.kind, link: link.as_deref(), captured_at: new.captured_at };
    let once = once(&who, &headers, (&format!("POST /incidents/{incident}/evidence"), &body))?;
    let added = match app.store.add_evidence(&incident, &added, who.by(), once.as_ref()).await {
        Err(StoreError::Repeated(repeated)) => earlier(&repeated)?,
        added => added?.ok_or_else(no_incident)?,
    };
    told(StatusCode::CREATED, &added)
}

/// Reads one source, also one that was removed.
#[utoipa::path(
    get, path = "/incidents/{id}/evidence/{number}", tag = "incidents",
    params(
        ("id" = String, Path, description = "The incident's id, or its short name (INC-1)"),
        ("number" = u32, Path, description = "The number under which the text cites it"),
    ),
    responses(
        (status = 200, body = Evidence, headers(("ETag" = String, description = "The version in quotes"))),
        (status = 304, description = "Not changed"),
        (status = 404, description = "No such evidence", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn read(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath((id, number)): ApiPath<(String, String)>,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::ReadIncident).await?.id;
    let number = number.parse().map_err(|_| no_evidence())?;
    let evidence = app.store.load_evidence(&incident, number).await?.ok_or_else(no_evidence)?;
    Ok(versioned(&headers, evidence.version, to_json(&evidence)?))
}

/// Gives a source a title, a kind or a link; a title alone where an accepted proof rests on it.
#[utoipa::path(
    patch, path = "/incidents/{id}/evidence/{number}", tag = "incidents", request_body = EvidencePatch,
    params(
        ("id" = String, Path, description = "The incident's id, or its short name (INC-1)"),
        ("number" = u32, Path, description = "The number under which the text cites it"),
        ("If-Match" = String, Header, description = "The version the edit was made on, in quotes"),
    ),
    responses(
        (status = 200, body = Evidence, headers(("ETag" = String, description = "The new version in quotes"))),
        Signed, Json, Versioned,
    )
)]
pub async fn patch(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath((id, number)): ApiPath<(String, String)>,
    ApiBody(body): ApiBody,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::EditIncident).await?.id;
    let now = on_version(&app, &incident, &number, &headers).await?;
    let patch: EvidencePatch = shaped(&body).map_err(|error| ApiError::invalid(vec![error]))?;
    let (title, link) =
        checked(patch.title.as_ref().and_then(Option::as_deref), patch.link.as_ref().and_then(Option::as_deref))
            .map_err(ApiError::invalid)?;
    let description = match &patch.description {
        None => None,
        Some(_) if !now.file.as_ref().is_some_and(|file| file.media.is_picture()) => {
            return Err(ApiError::invalid(vec![FieldError::new("/description", "only a picture has a description")]));
        }
        Some(description) => {
            let said = described(description.as_deref()).map_err(ApiError::invalid)?;
            Some(said.ok_or_else(|| ApiError::invalid(vec![FieldError::new("/description", "say what it shows")]))?)
        }
    };
    let apply = |before: &Evidence| Evidence {
        file: before.file.clone().map(|file| match description {
            Some(description) => Box::new(EvidenceFile { description: Some(description), ..*file }),
            None => file,
        }),
        title: if patch.title.is_some() { title } else { before.title.clone() },
        link: if patch.link.is_some() { link } else { before.link.clone() },
        kind: patch.kind.unwrap_or(before.kind),
        ..before.clone()
    };
    let now = done(app.store.update_evidence(&incident, (now.number, now.version), who.by(), apply).await?)?;
    Ok(versioned(&HeaderMap::new(), now.version, to_json(&now)?))
}

/// A source that is there, at the version that the request names, which is the current one.
async fn on_version(app: &App, incident: &IncidentId, number: &str, headers: &HeaderMap) -> Result<Evidence, ApiError> {
    let number: EvidenceNumber = number.parse().map_err(|_| no_evidence())?;
    let now = app.store.load_evidence(incident, number).await?.filter(|evidence| evidence.removed_at.is_none());
    let now = now.ok_or_else(no_evidence)?;
    let version = required_version(headers)?;
    if version == now.version { Ok(now) } else { Err(stale(&now)) }
}

/// What came of a change to a source, or why nothing did.
fn done<T>(edit: EvidenceEdit<T>) -> Result<T, ApiError> {
    match edit {
        EvidenceEdit::Done(what) => Ok(what),
        EvidenceEdit::Stale(now) => Err(stale(&now)),
        EvidenceEdit::Proves => Err(ApiError::invalid(vec![FieldError::new(
            "/link",
            "an accepted proof rests on this source, so it goes on showing what it shows: only its title may change; remove \
             it, which opens the item again, or add another source",
        )])),
        EvidenceEdit::Missing => Err(no_evidence()),
    }
}

fn stale(now: &Evidence) -> ApiError {
    ApiError::stale_thing("current_evidence", now.version, now)
}

/// Removes a source. Items whose proof rests on it are opened again; the answer holds these.
#[utoipa::path(
    delete, path = "/incidents/{id}/evidence/{number}", tag = "incidents",
    params(
        ("id" = String, Path, description = "The incident's id, or its short name (INC-1)"),
        ("number" = u32, Path, description = "The number under which the text cites it"),
        ("If-Match" = String, Header, description = "The version that was looked at, in quotes"),
    ),
    responses((status = 200, body = Page<Action>), Signed, Versioned)
)]
pub async fn remove(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath((id, number)): ApiPath<(String, String)>,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::EditIncident).await?.id;
    let now = on_version(&app, &incident, &number, &headers).await?;
    let opened = done(app.store.remove_evidence(&incident, (now.number, now.version), who.by()).await?)?;
    let items = opened.into_iter().map(item::answered).collect();
    told(StatusCode::OK, &Page::<Action> { items, next: None })
}

/// What the file is called.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FileQuery {
    /// The file's name, for people.
    #[serde(default)]
    name: String,
}

/// Brings in a load test's summary, as k6, vegeta, oha or Locust wrote it, as evidence. The same file a second time
/// changes nothing.
#[utoipa::path(
    post, path = "/incidents/{id}/imports/load-test", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)"), FileQuery),
    request_body(content = String, description = "The file as it is", content_type = "application/octet-stream"),
    responses(
        (status = 201, description = "Added", body = EvidenceReport),
        (status = 200, description = "It had been imported before; nothing was changed", body = EvidenceReport),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        Signed, Json,
    )
)]
pub async fn import_load_test(
    State(app): State<App>,
    who: Who,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<FileQuery>,
    body: Body,
) -> Result<Response, ApiError> {
    let incident = who.incident_to_prove(&app, &id).await?;
    let bytes = read_body(body, super::LOAD_TEST_LIMIT).await?;
    let report = import::import_load_test(&app.store, &incident.id, &bytes, &query.name, who.by()).await?;
    made_or_known(report.added, &report)
}

/// What is answered for a source that is not there.
pub(super) fn no_evidence() -> ApiError {
    ApiError::not_found("there is no such evidence")
}
