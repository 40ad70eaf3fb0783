//! `/actions` without an id: the items of every incident, how many there are, as a table, and several changed at once.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::action::Action;
use domain::filter::ActionQuery;
use domain::person::name_key;
use domain::wire::page::{DEFAULT_LIMIT, Page};
use domain::wire::problem::{FieldError, Problem, ProblemKind};
use domain::wire::tracker::{
    BulkAnswer, BulkPatch, ItemOutcome, ItemVersion, MAX_BULK, Outcome, TrackerCounts, TrackerItem,
};

use super::actions::{edit, named_assignee};
use super::answer::{attach, hashed, hashed_bytes, told};
use super::error::ApiError;
use super::extract::{ApiBody, ApiQuery, page_size, shaped};
use super::refusals::{Json, Signed};
use super::who::Who;
use crate::app::App;
use crate::store::{Update, Viewer};
use crate::{clock, export, item};

/// The most rows of one read while an export is written.
const EXPORT_PAGE: u32 = 1000;

/// The parameters of the tracker, as the API's description has them; `ActionQuery` reads them.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "the description is derived from the fields; ActionQuery reads the query itself")]
pub struct TrackerParams {
    /// Words that change, owner, assignee, criterion, or the incident's title, summary or short name contain.
    q: Option<String>,
    /// Only items that belong to whoever asks.
    mine: Option<bool>,
    /// The owning team's name, in any case.
    owner: Option<String>,
    /// The person in charge: id or name; `me` for whoever asks.
    assignee: Option<String>,
    /// One status, or several parted by commas.
    status: Option<String>,
    /// When it is due; closed items are left out.
    due: Option<domain::filter::DueIn>,
    /// The incident's id or short name.
    incident: Option<String>,
    /// How urgent it is.
    priority: Option<domain::action::Priority>,
    /// What it is for.
    r#type: Option<domain::action::ActionType>,
    /// Only items on which work remains and nothing has happened for 14 days.
    stale: Option<bool>,
    /// The order: `mine` unless told.
    sort: Option<domain::filter::ActionSort>,
    /// Which way round.
    order: Option<domain::filter::Direction>,
}

/// Which page of the tracker.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "the description is derived from the fields; `asked` reads the query itself")]
pub struct PageParams {
    /// How many to answer: 50 unless told, at most 200.
    #[param(minimum = 1)]
    limit: Option<u32>,
    /// The `next` of the page before.
    cursor: Option<String>,
}

/// Lists action items across incidents: one's own first, then by due date, unless another order is asked for.
#[utoipa::path(
    get, path = "/actions", tag = "actions", params(TrackerParams, PageParams),
    responses(
        (status = 200, body = Page<TrackerItem>),
        (status = 304, description = "Not changed since the tag in If-None-Match"),
        (status = 400, description = "A parameter could not be read; `errors` names it", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn list(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiQuery(pairs): ApiQuery<Vec<(String, String)>>,
) -> Result<Response, ApiError> {
    let Asked { query, limit, cursor } = asked(&pairs, &["limit", "cursor"])?;
    let viewer = viewer(&who);
    let mut page = app.store.list_tracked(&query, limit, cursor.as_deref(), &viewer, clock::now()).await?;
    for item in &mut page.items {
        item.action = item::answered(item.action.clone());
    }
    hashed(&headers, &page)
}

/// Counts the action items that pass the filter, by status and by when they are due.
#[utoipa::path(
    get, path = "/actions/counts", tag = "actions", params(TrackerParams),
    responses(
        (status = 200, body = TrackerCounts),
        (status = 304, description = "Not changed since the tag in If-None-Match"),
        (status = 400, description = "A parameter could not be read; `errors` names it", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn counts(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiQuery(pairs): ApiQuery<Vec<(String, String)>>,
) -> Result<Response, ApiError> {
    let query = asked(&pairs, &[])?.query;
    hashed(&headers, &app.store.count_actions(&query.filter, &viewer(&who), clock::now()).await?)
}

/// Exports the list as a table for a spreadsheet: every item that passes the filter, in the list's order.
#[utoipa::path(
    get, path = "/actions.csv", tag = "actions", params(TrackerParams),
    responses(
        (status = 200, description = "The file, as an attachment", content_type = "text/csv", body = String),
        (status = 304, description = "Not changed since the tag in If-None-Match"),
        (status = 400, description = "A parameter could not be read; `errors` names it", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn csv(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiQuery(pairs): ApiQuery<Vec<(String, String)>>,
) -> Result<Response, ApiError> {
    let query = asked(&pairs, &[])?.query;
    let (viewer, now) = (viewer(&who), clock::now());
    let mut table = export::tracker::Table::begin();
    let mut cursor = None;
    loop {
        let page = app.store.list_tracked(&query, EXPORT_PAGE, cursor.as_deref(), &viewer, now).await?;
        table.add(&page.items);
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    let mut response = hashed_bytes(&headers, export::Format::Csv.media_type(), table.end());
    attach(&mut response, "actions.csv");
    Ok(response)
}

/// Changes several action items at once, each on the version that it was seen at. One that cannot be changed never
/// stops the others; the answer says what became of each.
#[utoipa::path(
    patch, path = "/actions", tag = "actions", request_body = BulkPatch,
    responses((status = 200, body = BulkAnswer), Signed, Json)
)]
pub async fn patch(State(app): State<App>, who: Who, ApiBody(body): ApiBody) -> Result<Response, ApiError> {
    let invalid = |error| ApiError::invalid(vec![error]);
    let bulk: BulkPatch = shaped(&body).map_err(invalid)?;
    if bulk.items.is_empty() || bulk.items.len() > MAX_BULK {
        return Err(invalid(FieldError::new("/items", format!("name 1 to {MAX_BULK} items"))));
    }
    for (i, item) in bulk.items.iter().enumerate() {
        if bulk.items[..i].iter().any(|earlier| earlier.id == item.id) {
            return Err(invalid(FieldError::new(format!("/items/{i}/id"), "this item is named twice")));
        }
    }
    let patch = &body["patch"];
    let assignee = named_assignee(&app, patch).await?;
    let mut items = Vec::with_capacity(bulk.items.len());
    for ItemVersion { id, version } in bulk.items {
        let became = match edit(&app, &who, &id, || Ok(version), patch, &assignee).await {
            Ok(update) => became(update),
            Err(error) => failed(error.problem()),
        };
        items.push(ItemOutcome { id, ..became });
    }
    told(StatusCode::OK, &BulkAnswer { items })
}

fn became(update: Update) -> ItemOutcome {
    let of = |outcome, current: Option<Action>, detail: Option<&str>| ItemOutcome {
        id: domain::ActionId::new(""),
        outcome,
        current: current.map(item::answered),
        detail: detail.map(str::to_owned),
        errors: Vec::new(),
    };
    match update {
        Update::Done(item) => of(Outcome::Updated, Some(item), None),
        Update::Unchanged(item) => of(Outcome::Unchanged, Some(item), None),
        Update::Stale(item) => {
            of(Outcome::Stale, Some(item), Some("it was changed since; look at what changed, then send the edit again"))
        }
        Update::Refused(errors) => {
            let detail = errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>().join("; ");
            let errors = errors
                .into_iter()
                .map(|error| FieldError::new(format!("/patch{}", error.pointer), error.message))
                .collect();
            ItemOutcome { errors, ..of(Outcome::Refused, None, Some(&detail)) }
        }
        Update::Missing => of(Outcome::Missing, None, Some("there is no such action item")),
    }
}

fn failed(problem: &Problem) -> ItemOutcome {
    let outcome = match problem.kind {
        ProblemKind::NotFound => Outcome::Missing,
        ProblemKind::Forbidden => Outcome::Forbidden,
        _ => Outcome::Failed,
    };
    let detail = Some(problem.detail.clone());
    ItemOutcome { id: domain::ActionId::new(""), outcome, current: None, detail, errors: Vec::new() }
}

/// What a request to the tracker asks for.
struct Asked {
    query: ActionQuery,
    limit: u32,
    cursor: Option<String>,
}

/// Reads the pairs of a query; `paging` names the parameters that the route takes beside those of the filter.
fn asked(pairs: &[(String, String)], paging: &[&str]) -> Result<Asked, ApiError> {
    let (paged, rest): (Vec<_>, Vec<_>) = pairs.iter().partition(|(key, _)| paging.contains(&key.as_str()));
    let (query, unread) = ActionQuery::read(rest.into_iter().map(|(key, value)| (key.as_str(), value.as_str())));
    let mut errors: Vec<FieldError> =
        unread.into_iter().map(|unread| FieldError::new(unread.key, unread.message)).collect();
    let (mut limit, mut cursor) = (DEFAULT_LIMIT, None);
    for (key, value) in paged {
        if key == "cursor" {
            cursor = Some(value.clone()).filter(|value| !value.is_empty());
        } else {
            match value.parse() {
                Ok(count) => limit = page_size(Some(count)),
                Err(message) => errors.push(FieldError::new("limit", message)),
            }
        }
    }
    if errors.is_empty() { Ok(Asked { query, limit, cursor }) } else { Err(ApiError::unread(errors)) }
}

/// Who looks: their incidents, and what is theirs.
fn viewer(who: &Who) -> Viewer<'_> {
    Viewer {
        sees: who.0.sees(),
        user: who.0.user.as_ref(),
        teams: who.0.teams.iter().map(|team| name_key(team)).collect(),
    }
}
