//! `/incidents/{id}/cohort`: numbers for every reader; customers, and what is done with them, for support and
//! administrators alone.
//!
//! What names a customer is never kept by a cache, and no refusal quotes an id.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use domain::IncidentId;
use domain::cohort::Standing;
use domain::derived::Computed;
use domain::message::{PROPOSAL, objections};
use domain::wire::actions::MAX_TEXT;
use domain::wire::cohort::{
    CohortCustomer, CohortSummary, Contacted, ContactedReport, Message, MessageCheck, MessageReport, NewMessage,
};
use domain::wire::page::Page;
use domain::wire::problem::{FieldError, Problem, ProblemKind};
use serde::{Deserialize, Serialize};

use super::answer::{attach, hashed, to_json, told, versioned};
use super::error::ApiError;
use super::extract::{ApiBody, ApiPath, ApiQuery, Count, page_size, required_version, shaped};
use super::refusals::{Json, Signed, Versioned};
use super::who::Who;
use crate::access::policy::Act;
use crate::app::App;
use crate::store::{Marked, StoredCohort};
use crate::{clock, cohort, export};

/// How many customers an export reads at a time.
const EXPORT_PAGE: u32 = 1000;

/// The most places that a refusal points to; all are counted.
const POINTED: usize = 20;

/// Reads how many customers were affected, recovered, bought, and are to be written to.
#[utoipa::path(
    get, path = "/incidents/{id}/cohort", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)")),
    responses(
        (status = 200, description = "The numbers, or why there are none", body = Computed<CohortSummary>),
        (status = 304, description = "Not changed"),
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
    let incident = who.incident(&app, &id, Act::ReadIncident).await?.id;
    let now = clock::now();
    let summary = match up_to_date(&app, &incident, now).await? {
        Computed::Value(known) => {
            Computed::Value(cohort::summary(&app.store, &incident, &known, now).await.map_err(unreadable)?)
        }
        Computed::Unavailable { unavailable } => Computed::Unavailable { unavailable },
    };
    hashed(&headers, &summary)
}

/// Which customers, and which page of them.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CustomersQuery {
    /// Only those with this standing.
    standing: Option<Standing>,
    /// How many to answer: 50 unless told, at most 200.
    #[param(value_type = Option<u32>, minimum = 1)]
    limit: Option<Count>,
    /// The `next` of the page before.
    cursor: Option<String>,
}

/// Lists the affected customers, each with the reason for their standing.
#[utoipa::path(
    get, path = "/incidents/{id}/cohort/customers", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)"), CustomersQuery),
    responses(
        (status = 200, body = Page<CohortCustomer>),
        (status = 400, description = "A parameter could not be read", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn customers(
    State(app): State<App>,
    who: Who,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<CustomersQuery>,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::ReadCustomers).await?.id;
    if let Computed::Unavailable { .. } = up_to_date(&app, &incident, clock::now()).await? {
        return private(&Page::<CohortCustomer> { items: Vec::new(), next: None });
    }
    let limit = page_size(query.limit);
    let page = app.store.list_cohort(&incident, query.standing, limit, query.cursor.as_deref()).await?;
    private(&Page { items: page.items.into_iter().map(cohort::reasoned).collect(), next: page.next })
}

/// Exports the customers who are to be written to. That it was done is kept in the history.
#[utoipa::path(
    get, path = "/incidents/{id}/cohort.csv", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)")),
    responses(
        (status = 200, description = "The file, as an attachment", content_type = "text/csv", body = String),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn csv(State(app): State<App>, who: Who, ApiPath(id): ApiPath<String>) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::ReadCustomers).await?.id;
    let mut customers = Vec::new();
    if let Computed::Value(_) = up_to_date(&app, &incident, clock::now()).await? {
        let mut cursor = None;
        loop {
            let asked = app.store.list_cohort(&incident, Some(Standing::Cohort), EXPORT_PAGE, cursor.as_deref());
            let page = asked.await?;
            customers.extend(page.items.into_iter().map(cohort::reasoned));
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
    }
    app.store.record_cohort_export(&incident, customers.len(), who.by()).await?;
    let mut response = kept_nowhere(export::cohort::write(&customers).into_response());
    let media = HeaderValue::from_static(export::Format::Csv.media_type());
    response.headers_mut().insert(header::CONTENT_TYPE, media);
    attach(&mut response, "cohort.csv");
    Ok(response)
}

/// Marks customers as written to, so that no later cohort writes to them twice.
#[utoipa::path(
    post, path = "/incidents/{id}/cohort/contacted", tag = "incidents", request_body = Contacted,
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)")),
    responses(
        (status = 200, body = ContactedReport),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        Signed, Json,
    )
)]
pub async fn contacted(
    State(app): State<App>,
    who: Who,
    ApiPath(id): ApiPath<String>,
    ApiBody(body): ApiBody,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::ContactCustomers).await?.id;
    let asked: Contacted = shaped(&body).map_err(unquoted)?;
    let marked = match (&asked.customers[..], asked.all) {
        ([], true) => Marked::All,
        (customers @ [_, ..], false) => Marked::Some(customers),
        _ => {
            let message = "name customers, or say \"all\": true for the whole cohort; not both";
            return Err(ApiError::invalid(vec![FieldError::new("/customers", message)]));
        }
    };
    if let Computed::Unavailable { unavailable } = up_to_date(&app, &incident, clock::now()).await? {
        return Err(ApiError::invalid(vec![FieldError::new("", format!("there is no cohort: {unavailable}"))]));
    }
    match app.store.mark_contacted(&incident, marked, who.by()).await? {
        Ok(report) => private(&report),
        Err(outside) => {
            let not_in = |place: &usize| {
                FieldError::new(format!("/customers/{place}"), "this customer is not in the cohort; nobody was marked")
            };
            Err(ApiError::invalid(outside.iter().take(POINTED).map(not_in).collect()))
        }
    }
}

/// Reads the text that the cohort is written to with; a proposal, where nobody has written one.
#[utoipa::path(
    get, path = "/incidents/{id}/cohort/message", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)")),
    responses(
        (status = 200, body = Message, headers(("ETag" = String, description = "The version in quotes"))),
        (status = 304, description = "Not changed"),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn message(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::ReadIncident).await?.id;
    let message = current(&app, &incident).await?;
    Ok(versioned(&headers, message.version, to_json(&message)?))
}

/// Writes the text. What is held against its wording stands in the answer; saving it is not refused.
#[utoipa::path(
    put, path = "/incidents/{id}/cohort/message", tag = "incidents", request_body = NewMessage,
    params(
        ("id" = String, Path, description = "The incident's id, or its short name (INC-1)"),
        ("If-Match" = String, Header, description = "The version the edit was made on, in quotes; \"0\" for the first"),
    ),
    responses((status = 200, body = Message), Signed, Json, Versioned)
)]
pub async fn set_message(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
    ApiBody(body): ApiBody,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::ContactCustomers).await?.id;
    let version = required_version(&headers)?;
    let before = current(&app, &incident).await?;
    if version != before.version {
        return Err(ApiError::stale_thing("current_message", before.version, &before));
    }
    let new: NewMessage = shaped(&body).map_err(unquoted)?;
    let text = checked_text(&new.text)?;
    let wrote = app.store.write_message(&incident, version, text, who.by()).await?;
    let now = current(&app, &incident).await?;
    if !wrote {
        return Err(ApiError::stale_thing("current_message", now.version, &now));
    }
    Ok(versioned(&HeaderMap::new(), now.version, to_json(&now)?))
}

/// Checks a text, and whom it would go to, before anybody is written to.
#[utoipa::path(
    post, path = "/incidents/{id}/cohort/message/check", tag = "incidents", request_body = MessageCheck,
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)")),
    responses(
        (status = 200, body = MessageReport),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        Signed, Json,
    )
)]
pub async fn check_message(
    State(app): State<App>,
    who: Who,
    ApiPath(id): ApiPath<String>,
    ApiBody(body): ApiBody,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::ContactCustomers).await?.id;
    let asked: MessageCheck = shaped(&body).map_err(unquoted)?;
    let mut found = objections(checked_text(&asked.text)?);
    if !asked.recipients.is_empty() {
        if let Computed::Unavailable { unavailable } = up_to_date(&app, &incident, clock::now()).await? {
            let message = format!("nobody can be checked against a cohort: {unavailable}");
            return Err(ApiError::invalid(vec![FieldError::new("/recipients", message)]));
        }
        let known = app.store.cohort_standings(&incident).await?;
        found.extend(cohort::unsuitable(&asked.recipients, &known));
    }
    private(&MessageReport { objections: found })
}

/// A refusal of what has not the right shape, without the words at fault: they may name a customer.
#[expect(clippy::needless_pass_by_value, reason = "map_err hands the error over")]
fn unquoted(error: FieldError) -> ApiError {
    let fields = ["/customers", "/all", "/text", "/recipients"];
    let field = fields.into_iter().find(|field| error.pointer.starts_with(field)).unwrap_or_default();
    ApiError::invalid(vec![FieldError::new(field, "this has not the shape that /openapi.json describes")])
}

fn checked_text(text: &str) -> Result<&str, ApiError> {
    let length = text.chars().count();
    if text.trim().is_empty() || length > MAX_TEXT {
        let message = format!("a message has 1 to {MAX_TEXT} characters");
        return Err(ApiError::invalid(vec![FieldError::new("/text", message)]));
    }
    Ok(text)
}

async fn current(app: &App, incident: &IncidentId) -> Result<Message, ApiError> {
    let (version, text) = app.store.load_message(incident).await?.unwrap_or_else(|| (0, PROPOSAL.to_owned()));
    let objections = objections(&text);
    Ok(Message { version, text, objections })
}

async fn up_to_date(app: &App, incident: &IncidentId, now: DateTime<Utc>) -> Result<Computed<StoredCohort>, ApiError> {
    cohort::up_to_date(&app.store, &app.objects, &app.computing, incident, now).await.map_err(unreadable)
}

#[expect(clippy::needless_pass_by_value, reason = "map_err hands the error over")]
fn unreadable(error: crate::import::ImportError) -> ApiError {
    tracing::error!(%error, "a cohort cannot be computed");
    ApiError::of(ProblemKind::Internal, "the imported events cannot be read back; the server's log says why")
}

/// JSON that names customers, or was made of what does.
fn private<T: Serialize>(value: &T) -> Result<Response, ApiError> {
    Ok(kept_nowhere(told(StatusCode::OK, value)?))
}

/// Lets no cache keep an answer.
fn kept_nowhere(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
