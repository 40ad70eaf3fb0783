//! `/incidents/{id}/signals`: everything on the time axis, as far as the asked stretch and its width can show it.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::IncidentId;
use domain::import::{ImportKind, ImportedFile};
use domain::incident::Window;
use domain::signal::{Signal, Stretch, ValueSignal, WIDEST};
use domain::wire::problem::{FieldError, Problem, ProblemKind};
use domain::wire::signals::Signals;
use serde::Deserialize;

use super::answer::{attach, hashed, hashed_bytes};
use super::error::ApiError;
use super::extract::{ApiPath, ApiQuery};
use super::refusals::Signed;
use super::shares;
use super::who::{Who, no_incident};
use crate::access::policy::Act;
use crate::app::App;
use crate::export;

/// Which stretch of the time axis, and how many pixels show it.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct StretchQuery {
    /// The first instant, in RFC 3339; all that is earlier where absent.
    #[param(value_type = Option<DateTime<Utc>>)]
    from: Option<String>,
    /// The first instant after it, in RFC 3339; all that is later where absent.
    #[param(value_type = Option<DateTime<Utc>>)]
    until: Option<String>,
    /// How many pixels show the stretch: what they could not show is left out, and no peak is. Everything where absent.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 10_000)]
    width: Option<String>,
}

impl StretchQuery {
    /// The stretch, or what is the matter with it.
    pub(super) fn checked(self) -> Result<Stretch, ApiError> {
        let mut errors = Vec::new();
        let mut instant = |name: &str, text: Option<String>| {
            let read = domain::wire::instant::read(text.as_deref()?);
            if read.is_none() {
                errors.push(FieldError::new(name, format!("`{name}` is an instant, such as 2026-07-09T09:46:00Z")));
            }
            read
        };
        let (from, until) = (instant("from", self.from), instant("until", self.until));
        if from.zip(until).is_some_and(|(from, until)| from >= until) {
            errors.push(FieldError::new("until", "`until` is later than `from`"));
        }
        let width = self.width.map(|text| text.parse().ok().filter(|width| (1..=WIDEST).contains(width)));
        if width == Some(None) {
            errors.push(FieldError::new("width", format!("`width` is a whole number from 1 to {WIDEST}")));
        }
        if errors.is_empty() {
            Ok(Stretch { from, until, width: width.flatten() })
        } else {
            Err(ApiError::invalid(errors))
        }
    }
}

/// Reads an incident's signals.
#[utoipa::path(
    get, path = "/incidents/{id}/signals", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)"), StretchQuery),
    responses(
        (status = 200, body = Signals),
        (status = 304, description = "Not changed since the tag in If-None-Match"),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "No such stretch; `errors` names the parameters", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn read(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<StretchQuery>,
) -> Result<Response, ApiError> {
    let id = who.incident(&app, &id, Act::ReadIncident).await?.id;
    answer(&app, headers, &id, (query.checked()?, Reader::SignedIn)).await
}

/// Reads a shared incident's signals.
#[utoipa::path(
    get, path = "/shared/{link}/signals", tag = "access", security(()),
    params(("link" = String, Path, description = "The last part of the link"), StretchQuery),
    responses(
        (status = 200, body = Signals),
        (status = 304, description = "Not changed"),
        (status = 404, description = "The link does not hold, or no longer", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "No such stretch; `errors` names the parameters", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn shared(
    State(app): State<App>,
    headers: HeaderMap,
    ApiPath(link): ApiPath<String>,
    ApiQuery(query): ApiQuery<StretchQuery>,
) -> Result<Response, ApiError> {
    let (incident, _) = shares::opened(&app, &link).await?;
    answer(&app, headers, &incident, (query.checked()?, Reader::Shared)).await
}

/// Who reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// Somebody who is signed in.
    SignedIn,
    /// Whoever has a share link.
    Shared,
}

/// What an answer is called for those who are not told which server gave it.
const SOME_ANSWER: &str = "prometheus.json";

/// Takes away what only those who are signed in are told: which servers were asked.
pub(super) fn without_servers(values: &mut [ValueSignal], imports: &mut [ImportedFile]) {
    for source in values.iter_mut().map(|value| &mut value.source) {
        if let Some(prometheus) = &mut source.prometheus {
            prometheus.server = None;
            SOME_ANSWER.clone_into(&mut source.file_name);
        }
    }
    for import in imports.iter_mut().filter(|import| import.kind == ImportKind::Prometheus) {
        SOME_ANSWER.clone_into(&mut import.file_name);
    }
}

/// What there is in the stretch. All of a long one is megabytes, so one is written at a time, and on a thread of its own.
async fn answer(
    app: &App,
    headers: HeaderMap,
    id: &IncidentId,
    (stretch, reader): (Stretch, Reader),
) -> Result<Response, ApiError> {
    let _turn = app.long_answers.acquire().await;
    let series = series(app, id, (stretch, reader)).await?;
    written(move || {
        let thinned = |signal: Signal| {
            let view = stretch.view(signal.span);
            signal.thinned(view, stretch.width)
        };
        let items = series.items.into_iter().map(thinned).collect();
        hashed(&headers, &Signals { items, ..series })
    })
    .await
}

/// Every bin of the stretch, and its points.
async fn series(app: &App, id: &IncidentId, (stretch, reader): (Stretch, Reader)) -> Result<Signals, ApiError> {
    let items = app.store.signals(id, stretch).await?;
    let mut values = app.store.values(id, stretch).await?;
    if reader == Reader::Shared {
        without_servers(&mut values, &mut []);
    }
    Ok(Signals { items, values, next: None })
}

async fn written(write: impl FnOnce() -> Result<Response, ApiError> + Send + 'static) -> Result<Response, ApiError> {
    tokio::task::spawn_blocking(write).await.map_err(|error| {
        tracing::error!(%error, "signals could not be written");
        ApiError::of(ProblemKind::Internal, "the signals could not be written; the server's log says why")
    })?
}

/// Which stretch of the time axis, and what of it is left out.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FileQuery {
    /// The first instant, in RFC 3339; all that is earlier where absent.
    #[param(value_type = Option<DateTime<Utc>>)]
    from: Option<String>,
    /// The first instant after it, in RFC 3339; all that is later where absent.
    #[param(value_type = Option<DateTime<Utc>>)]
    until: Option<String>,
    /// What is left out, one a line: ids of signals, `flag:` with a flag's name, `deploys`.
    hide: Option<String>,
}

/// Reads everything on an incident's time axis as CSV: a row for each sample, flag change, deploy and timeline entry.
#[utoipa::path(
    get, path = "/incidents/{id}/signals.csv", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)"), FileQuery),
    responses(
        (status = 200, description = "The file, as an attachment", content_type = "text/csv", body = String),
        (status = 304, description = "Not changed since the tag in If-None-Match"),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "No such stretch; `errors` names the parameters", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn csv(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<FileQuery>,
) -> Result<Response, ApiError> {
    let id = who.incident(&app, &id, Act::ReadIncident).await?.id;
    file(&app, headers, &id, (query, Reader::SignedIn)).await
}

/// Reads the same of a shared incident.
#[utoipa::path(
    get, path = "/shared/{link}/signals.csv", tag = "access", security(()),
    params(("link" = String, Path, description = "The last part of the link"), FileQuery),
    responses(
        (status = 200, description = "The file, as an attachment", content_type = "text/csv", body = String),
        (status = 304, description = "Not changed"),
        (status = 404, description = "The link does not hold, or no longer", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "No such stretch; `errors` names the parameters", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn shared_csv(
    State(app): State<App>,
    headers: HeaderMap,
    ApiPath(link): ApiPath<String>,
    ApiQuery(query): ApiQuery<FileQuery>,
) -> Result<Response, ApiError> {
    let (incident, _) = shares::opened(&app, &link).await?;
    file(&app, headers, &incident, (query, Reader::Shared)).await
}

async fn file(
    app: &App,
    headers: HeaderMap,
    id: &IncidentId,
    (query, reader): (FileQuery, Reader),
) -> Result<Response, ApiError> {
    let stretch = StretchQuery { from: query.from, until: query.until, width: None }.checked()?;
    let hidden = query.hide.unwrap_or_default().lines().map(str::to_owned).collect();
    let _turn = app.long_answers.acquire().await;
    let dashboard = app.dashboards.load(app, id).await?.ok_or_else(no_incident)?;
    let series = series(app, id, (stretch, reader)).await?;
    let view = (stretch.from.is_some() || stretch.until.is_some()).then(|| Window {
        from: stretch.from.unwrap_or(DateTime::<Utc>::MIN_UTC),
        until: stretch.until.unwrap_or(DateTime::<Utc>::MAX_UTC),
    });
    written(move || {
        let name = dashboard.name.to_lowercase();
        let bytes = export::signals::write(&dashboard, &series, &export::signals::Shown { view, hidden });
        let mut response = hashed_bytes(&headers, "text/csv; charset=utf-8", bytes);
        attach(&mut response, &format!("{name}-signals.csv"));
        Ok(response)
    })
    .await
}
