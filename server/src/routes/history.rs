//! `/incidents/{id}/history` and `/actions/{id}/history`: who changed what.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::ActionId;
use domain::wire::history::HistoryEntry;
use domain::wire::page::Page;
use domain::wire::problem::Problem;
use serde::Deserialize;

use super::answer::hashed;
use super::error::ApiError;
use super::extract::{ApiPath, ApiQuery, Count, page_size};
use super::refusals::Signed;
use super::who::Who;
use crate::access::policy::Act;
use crate::app::App;
use crate::history::entry;
use crate::store::{StoreError, StoredChange};

/// Which page.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct HistoryQuery {
    /// How many to answer: 50 unless told, at most 200.
    #[param(value_type = Option<u32>, minimum = 1)]
    limit: Option<Count>,
    /// The `next` of the page before.
    cursor: Option<String>,
}

/// Lists the changes of an incident and of all that belongs to it, the newest first.
#[utoipa::path(
    get, path = "/incidents/{id}/history", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)"), HistoryQuery),
    responses(
        (status = 200, body = Page<HistoryEntry>),
        (status = 304, description = "Not changed"),
        (status = 400, description = "A parameter could not be read", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn of_incident(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<HistoryQuery>,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::ReadHistory).await?.id;
    let page = app.store.incident_changes(&incident, page_size(query.limit), query.cursor.as_deref()).await?;
    hashed(&headers, &told(&app, page).await?)
}

/// Lists the changes of an action item and of its proofs, the newest first.
#[utoipa::path(
    get, path = "/actions/{id}/history", tag = "actions",
    params(("id" = String, Path, description = "The item's id"), HistoryQuery),
    responses(
        (status = 200, body = Page<HistoryEntry>),
        (status = 304, description = "Not changed"),
        (status = 400, description = "A parameter could not be read", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such item", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn of_action(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<HistoryQuery>,
) -> Result<Response, ApiError> {
    let id = ActionId::new(id);
    who.item(&app, &id, Act::ReadItem).await?;
    let page = app.store.action_changes(&id, page_size(query.limit), query.cursor.as_deref()).await?;
    hashed(&headers, &told(&app, page).await?)
}

async fn told(app: &App, page: Page<StoredChange>) -> Result<Page<HistoryEntry>, StoreError> {
    let mut names = BTreeMap::new();
    if page.items.iter().any(|change| change.subject == "access") {
        names.extend(app.store.list_users().await?.into_iter().map(|user| (user.id.to_string(), user.name)));
        names.extend(app.store.list_teams().await?.into_iter().map(|team| (team.id.to_string(), team.name)));
    }
    Ok(Page { items: page.items.into_iter().map(|change| entry(change, &names)).collect(), next: page.next })
}
