//! `/incidents/{id}/imports/events`: logs of attempts, read as they arrive; and the mappings that were saved.

use axum::body::{Body, BodyDataStream, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use domain::mapping::Mapping;
use domain::wire::imports::{EventsPreview, EventsReport, SavedMapping};
use domain::wire::page::Page;
use domain::wire::problem::{FieldError, Problem, ProblemKind};
use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::answer::{hashed, made_or_known, told};
use super::error::ApiError;
use super::extract::{ApiPath, ApiQuery, cut_short};
use super::refusals::{Json, Signed};
use super::who::Who;
use crate::access::names::checked_name;
use crate::access::policy::Act;
use crate::app::App;
use crate::import::ImportError;
use crate::import::events::{Sight, Upload, Wanted, import_stream, preview, upload};

/// How many bytes of a file a preview looks at.
const HEAD: usize = 1 << 20;

/// What is said of a file of which the end is missing.
const NOT_WHOLE: &str = "the file did not arrive whole; nothing of it was kept";

/// How many bytes of a body that is too large are let through.
const PASSED_OVER: usize = 64 << 20;

/// How the file is to be read.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// The file's name, for people.
    #[serde(default)]
    name: String,
    /// Which column holds what, as JSON; what is not said is looked for.
    #[serde(default)]
    mapping: String,
    /// The name to save the mapping under.
    #[serde(default)]
    save_as: String,
    /// Only look at the head of the file, and store nothing. The body may end anywhere.
    #[serde(default)]
    preview: bool,
}

/// Brings in a log of attempts: CSV or JSON with one object a line, plain or compressed with gzip or zstd. The same file a
/// second time changes nothing. With `preview`, the answer is an `EventsPreview`.
#[utoipa::path(
    post, path = "/incidents/{id}/imports/events", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)"), EventsQuery),
    request_body(content = String, description = "The file as it is", content_type = "application/octet-stream"),
    responses(
        (status = 201, description = "Imported", body = EventsReport),
        (status = 200, description = "Imported before, or a preview: nothing was changed", body = EventsAnswer),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "Others import into the incident", body = Problem, content_type = "application/problem+json"),
        Signed, Json,
    )
)]
pub async fn import_events(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<EventsQuery>,
    body: Body,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::EditIncident).await?;
    let mapping: Mapping = mapping(&query.mapping)?;
    let save_as = match query.save_as.trim() {
        "" => None,
        name => Some(checked_name(name).map_err(|error| ApiError::invalid(vec![FieldError::new("save_as", error)]))?),
    };
    if query.preview {
        let sees =
            crate::access::policy::Facts { restricted: incident.restricted, named: incident.named, owner: false };
        let sight = match who.may(Act::ReadCustomers, sees, super::who::no_incident) {
            Ok(()) => Sight::All,
            Err(_) => Sight::NoCustomers,
        };
        let (head, saved) = (head_of(body).await?, app.store.list_mappings().await?);
        let look = move || preview(&head[..], &mapping, &saved, sight);
        let looked_at = tokio::task::spawn_blocking(look).await.map_err(ImportError::from)??;
        return told(StatusCode::OK, &EventsAnswer::Preview(looked_at));
    }
    let (store, objects) = (app.store.clone(), app.objects.clone());
    let by = (who.0.name.clone(), who.by().now);
    let length = length(&headers).unwrap_or_default();
    let report = received(&app, &headers, body, |source| async move {
        let wanted = Wanted {
            file_name: &query.name,
            mapping: &mapping,
            save_as: save_as.as_deref(),
            by: crate::store::By { actor: &by.0, now: by.1 },
        };
        import_stream(&store, &objects, &incident.id, source, length, &wanted, &|_| {}).await
    })
    .await?;
    made_or_known(!report.already_imported, &EventsAnswer::Report(report))
}

fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok())
}

/// Has a file imported while it arrives. `import` reads it on a thread that may wait.
pub(super) async fn received<T, F>(
    app: &App,
    headers: &HeaderMap,
    body: Body,
    import: impl FnOnce(Box<dyn std::io::Read + Send>) -> F,
) -> Result<T, ApiError>
where
    T: Send + 'static,
    F: Future<Output = Result<T, ImportError>> + Send + 'static,
{
    let limit = app.upload_limit;
    if length(headers).is_some_and(|length| length > limit) {
        pass_over(&mut body.into_data_stream()).await;
        return Err(too_large(limit));
    }
    // Each takes its share of memory and cores; further ones wait, and whoever sends them with them.
    let turn = app.imports.clone().acquire_owned().await;
    let (upload, source) = upload();
    let work = import(Box::new(source));
    // It ends by itself: with the file when that is cut short, and otherwise whether or not anybody waits for the answer.
    let work = tokio::spawn(async move {
        let _turn = turn;
        work.await
    });
    let received = receive(body, upload, limit).await;
    let report = work.await.map_err(ImportError::from)?;
    received?;
    Ok(report?)
}

/// What is answered.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(untagged)]
enum EventsAnswer {
    Report(EventsReport),
    Preview(EventsPreview),
}

/// The mappings of columns that were saved, by name.
#[utoipa::path(
    get, path = "/imports/mappings", tag = "incidents",
    responses((status = 200, body = Page<SavedMapping>), (status = 304, description = "Not changed"), Signed)
)]
pub async fn mappings(State(app): State<App>, who: Who, headers: HeaderMap) -> Result<Response, ApiError> {
    who.may_generally(Act::UseMappings)?;
    hashed(&headers, &Page { items: app.store.list_mappings().await?, next: None })
}

/// Removes a mapping that was saved. Files that were imported by it stay as they are.
#[utoipa::path(
    delete, path = "/imports/mappings/{name}", tag = "incidents",
    params(("name" = String, Path, description = "The name that it was saved under")),
    responses(
        (status = 204, description = "Removed"),
        (status = 404, description = "No such mapping", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn remove_mapping(
    State(app): State<App>,
    who: Who,
    ApiPath(name): ApiPath<String>,
) -> Result<StatusCode, ApiError> {
    who.may_generally(Act::UseMappings)?;
    if app.store.remove_mapping(&name).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::not_found("no mapping is saved under this name"))
    }
}

/// Reads the mapping in a query; none said is none settled.
pub(super) fn mapping<T: Default + DeserializeOwned>(text: &str) -> Result<T, ApiError> {
    if text.is_empty() {
        return Ok(T::default());
    }
    serde_json::from_str(text)
        .map_err(|error| ApiError::unread(vec![FieldError::new("mapping", format!("not a mapping: {error}"))]))
}

/// The first bytes of a body; the rest of them is left where it is.
pub(super) async fn head_of(body: Body) -> Result<Vec<u8>, ApiError> {
    let (mut body, mut head) = (body.into_data_stream(), Vec::new());
    while head.len() < HEAD {
        match body.next().await {
            None => break,
            Some(bytes) => head.extend_from_slice(&bytes.map_err(|error| cut_short(&error, NOT_WHOLE))?),
        }
    }
    head.truncate(HEAD);
    Ok(head)
}

/// Hands a body over as it arrives, as fast as it is read. What nobody reads any more is let through to the limit, so that
/// whoever sends it hears why.
async fn receive(body: Body, upload: Upload, limit: u64) -> Result<(), ApiError> {
    let mut body = body.into_data_stream();
    let (mut length, mut is_read) = (0, true);
    while let Some(bytes) = body.next().await {
        let bytes: Bytes = bytes.map_err(|error| cut_short(&error, NOT_WHOLE))?;
        length += bytes.len() as u64;
        if length > limit {
            drop(upload);
            pass_over(&mut body).await;
            return Err(too_large(limit));
        }
        is_read = is_read && upload.send(bytes).await;
    }
    upload.finish().await;
    Ok(())
}

/// Lets more of a body through without reading it: a browser that is cut off while it sends never hears why. Whoever sends
/// even more is cut off.
async fn pass_over(body: &mut BodyDataStream) {
    let mut passed = 0;
    while let Some(Ok(bytes)) = body.next().await {
        passed += bytes.len();
        if passed > PASSED_OVER {
            return;
        }
    }
}

fn too_large(limit: u64) -> ApiError {
    ApiError::of(
        ProblemKind::TooLarge,
        format!(
            "a file may have {} MiB here; compress it with gzip or zstd, or import it on the command line",
            limit >> 20
        ),
    )
}

impl From<ImportError> for ApiError {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Store(error) => error.into(),
            ImportError::Refused(reason) => Self::invalid(vec![FieldError::new("", reason)]),
            busy @ ImportError::Busy => Self::of(ProblemKind::Conflict, busy.to_string()),
            other => {
                tracing::error!(error = %other, "an import failed");
                Self::of(ProblemKind::Internal, "the server could not keep or read the file; its log says why")
            }
        }
    }
}
