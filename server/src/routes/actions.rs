//! `/actions/{id}`: one action item and its progress notes.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::ActionId;
use domain::action::{Action, ActionStatus, Note};
use domain::criterion::propose;
use domain::hint::{Writing, hints};
use domain::verification::{Verification, VerificationKind};
use domain::wire::actions::{ActionPatch, Advice, NewAction, NewNote};
use domain::wire::page::Page;
use domain::wire::problem::{FieldError, Problem};
use serde::Deserialize;
use serde_json::Value;

use super::answer::{hashed, to_json, told, versioned};
use super::error::ApiError;
use super::extract::{ApiBody, ApiPath, required_version, shaped};
use super::once;
use super::refusals::{Json, Signed};
use super::who::{Who, no_action, no_incident};
use crate::access::policy::{Act, Facts};
use crate::app::App;
use crate::store::{Added, Named, StoreError, Update};
use crate::{item, text};

/// The most people who are told apart where several have a name.
const MAX_NAMESAKES: usize = 10;

/// Reads one action item.
#[utoipa::path(
    get, path = "/actions/{id}", tag = "actions",
    params(("id" = String, Path, description = "The item's id")),
    responses(
        (status = 200, body = Action, headers(("ETag" = String, description = "The version in quotes"))),
        (status = 304, description = "Not changed since the tag in If-None-Match"),
        (status = 404, description = "No such item", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn read(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
) -> Result<Response, ApiError> {
    let (action, _) = who.item(&app, &ActionId::new(id), Act::ReadItem).await?;
    Ok(versioned(&headers, action.version, to_json(&item::answered(action))?))
}

/// Lists an incident's action items, in the document's order.
#[utoipa::path(
    get, path = "/incidents/{id}/actions", tag = "actions",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)")),
    responses(
        (status = 200, body = Page<Action>),
        (status = 304, description = "Not changed since the tag in If-None-Match"),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn list_of_incident(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::ReadIncident).await?;
    let items = item::all_answered(app.store.list_actions(&incident.id).await?);
    hashed(&headers, &Page { items, next: None })
}

/// Adds an action item to an incident.
#[utoipa::path(
    post, path = "/incidents/{id}/actions", tag = "actions", request_body = NewAction,
    params(
        ("id" = String, Path, description = "The incident's id, or its short name (INC-1)"),
        ("Idempotency-Key" = Option<String>, Header, description = "Any text that the client makes up once for this request"),
    ),
    responses(
        (status = 201, body = Action, headers(("ETag" = String, description = "The version in quotes"))),
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
    let incident = who.incident(&app, &id, Act::EditIncident).await?;
    let new: NewAction = shaped(&body).map_err(|error| ApiError::invalid(vec![error]))?;
    let assignee = named_assignee(&app, &body).await?;
    let fill = |blank: &Action| new.written_into(blank).and_then(|next| assigned(blank, next, &assignee));
    let once = once::once(&who, &headers, (&format!("POST /incidents/{}/actions", incident.id), &body))?;
    let made = match app.store.create_action(&incident.id, who.by(), once.as_ref(), fill).await {
        Err(StoreError::Repeated(earlier)) => Update::Done(once::earlier(&earlier)?),
        made => made?,
    };
    match made {
        Update::Refused(errors) => Err(ApiError::invalid(errors)),
        Update::Missing => Err(no_incident()),
        Update::Done(action) | Update::Unchanged(action) | Update::Stale(action) => {
            let body = to_json(&item::answered(action))?;
            let mut response = versioned(&HeaderMap::new(), 1, body);
            *response.status_mut() = StatusCode::CREATED;
            Ok(response)
        }
    }
}

/// Advises whoever writes an item: what will be missed later, and how the criterion's words may be told. Stores nothing.
#[utoipa::path(
    post, path = "/actions/advice", tag = "actions", request_body = NewAction,
    responses((status = 200, body = Advice), Signed, Json)
)]
pub async fn advise(ApiBody(body): ApiBody) -> Result<Response, ApiError> {
    let new: NewAction = shaped(&body).map_err(|error| ApiError::invalid(vec![error]))?;
    let writing = Writing {
        change: &new.change,
        owner: &new.owner,
        assignee: new.assignee.as_deref(),
        due: new.due,
        verification: &new.verification,
    };
    let proposal = propose(&new.verification.criterion).filter(|_| new.verification.kind.is_none());
    told(StatusCode::OK, &Advice { hints: hints(writing), proposal })
}

/// The item as an edit leaves it, with the account of its assignee where one is meant.
fn assigned(before: &Action, mut next: Action, named: &Named) -> Result<Action, Vec<FieldError>> {
    if next.assignee_id.is_some() || next.assignee.is_none() {
        return Ok(next);
    }
    match named {
        Named::One(person) => {
            (next.assignee, next.assignee_id) = (Some(person.name.clone()), Some(person.id.clone()));
        }
        Named::Several(people) if next.assignee != before.assignee => {
            let people: Vec<String> =
                people.iter().take(MAX_NAMESAKES).map(|person| format!("{} ({})", person.name, person.id)).collect();
            let message = format!("several people have this name; say which one by the id: {}", people.join(", "));
            return Err(vec![FieldError::new("/assignee", message)]);
        }
        Named::Several(_) | Named::Nobody => {}
    }
    Ok(next)
}

/// Changes an action item: its status, owner, due date, and more.
#[utoipa::path(
    patch, path = "/actions/{id}", tag = "actions",
    params(
        ("id" = String, Path, description = "The item's id"),
        ("If-Match" = String, Header, description = "The version the edit was made on, in quotes"),
    ),
    request_body = ActionPatch,
    responses(
        (status = 200, description = "The item as it now is", body = Action, headers(("ETag" = String, description = "The new version in quotes"))),
        (status = 400, description = "The body is not JSON", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such item", body = Problem, content_type = "application/problem+json"),
        (status = 412, description = "Changed since that version; `current` is the item as it now is", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "The body is not declared as JSON", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A rule does not allow this; `errors` names the fields", body = Problem, content_type = "application/problem+json"),
        (status = 428, description = "If-Match is missing", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn patch(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
    ApiBody(body): ApiBody,
) -> Result<Response, ApiError> {
    let assignee = named_assignee(&app, &body).await?;
    match edit(&app, &who, &ActionId::new(id), || required_version(&headers), &body, &assignee).await? {
        Update::Done(action) | Update::Unchanged(action) => {
            // An answer to a PATCH is never 304: the request's own conditions concern the edit.
            Ok(versioned(&HeaderMap::new(), action.version, to_json(&item::answered(action))?))
        }
        Update::Stale(current) => Err(ApiError::stale(item::answered(current))),
        Update::Refused(errors) => Err(ApiError::invalid(errors)),
        Update::Missing => Err(no_action()),
    }
}

/// Whom a patch puts in charge, as far as accounts are known by what it says.
pub(super) async fn named_assignee(app: &App, patch: &Value) -> Result<Named, ApiError> {
    match patch.get("assignee").and_then(Value::as_str) {
        Some(name) => Ok(app.store.person_named(name).await?),
        None => Ok(Named::Nobody),
    }
}

/// Changes one item with a patch, where the policy allows it; `version` is asked for only then.
pub(super) async fn edit(
    app: &App,
    who: &Who,
    id: &ActionId,
    version: impl FnOnce() -> Result<i64, ApiError>,
    patch: &Value,
    assignee: &Named,
) -> Result<Update, ApiError> {
    let (action, facts) = who.item(app, id, Act::UpdateItem).await?;
    if !action.status.is_open() && patch.get("status").is_some_and(|status| status == ActionStatus::Open.as_str()) {
        who.may(Act::ReopenItem, facts, no_action)?;
    }
    if rewrites_attested(&action, patch) {
        let owned = match &who.0.user {
            Some(user) => app.store.was_owner(id, user).await?,
            None => false,
        };
        who.may(Act::RewriteAttested, Facts { owner: facts.owner || owned, ..facts }, no_action)?;
    }
    let version = version()?;
    // The policy was asked about this version, and about no other.
    if version != action.version {
        return Ok(Update::Stale(action));
    }
    let apply = |action: &Action| {
        let patch: ActionPatch = shaped(patch).map_err(|error| vec![error])?;
        patch.applied_to(action).and_then(|next| assigned(action, next, assignee))
    };
    Ok(app.store.update_action(id, version, who.by(), apply).await?)
}

/// Whether a patch changes a criterion that is told by somebody's word.
fn rewrites_attested(action: &Action, patch: &Value) -> bool {
    let is_attested = matches!(action.verification.kind, Some(VerificationKind::Attested(_)));
    is_attested
        && patch.get("verification").is_some_and(|wanted| {
            Verification::deserialize(wanted).ok().is_none_or(|wanted| wanted != action.verification)
        })
}

/// Lists an item's progress notes, oldest first.
#[utoipa::path(
    get, path = "/actions/{id}/notes", tag = "actions",
    params(("id" = String, Path, description = "The item's id")),
    responses(
        (status = 200, body = Page<Note>),
        (status = 304, description = "Not changed since the tag in If-None-Match"),
        (status = 404, description = "No such item", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn list_notes(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
) -> Result<Response, ApiError> {
    let id = ActionId::new(id);
    who.item(&app, &id, Act::ReadItem).await?;
    let notes = app.store.list_notes(&id).await?.ok_or_else(no_action)?;
    let items: Vec<Note> = notes.into_iter().map(text::render_note_html).collect();
    hashed(&headers, &Page { items, next: None })
}

/// Appends a progress note. The same `Idempotency-Key` with the same text creates one note, however often it is sent.
#[utoipa::path(
    post, path = "/actions/{id}/notes", tag = "actions",
    params(
        ("id" = String, Path, description = "The item's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Any text that the client makes up once for this note"),
    ),
    request_body = NewNote,
    responses(
        (status = 201, body = Note),
        (status = 400, description = "The body is not JSON", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such item", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "The body is not declared as JSON", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The text is empty or too long, or the key was used for another text", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn add_note(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
    ApiBody(body): ApiBody,
) -> Result<Response, ApiError> {
    let id = ActionId::new(id);
    who.item(&app, &id, Act::AddNote).await?;
    let refused = |error: FieldError| ApiError::invalid(vec![error]);
    let key = once::key(&headers).map_err(refused)?.map(|key| format!("{} {key}", once::sender(&who)));
    let note: NewNote = shaped(&body).map_err(refused)?;
    let text = note.checked().map_err(refused)?;
    match app.store.add_note(&id, text, key.as_deref(), who.by()).await? {
        Added::New(note) | Added::Existing(note) => {
            let body = to_json(&text::render_note_html(note))?;
            let mut response = versioned(&HeaderMap::new(), 1, body);
            *response.status_mut() = StatusCode::CREATED;
            response.headers_mut().remove(axum::http::header::ETAG);
            Ok(response.into_response())
        }
        Added::KeyReused => Err(refused(FieldError::new(
            "Idempotency-Key",
            "this key was used for a note with another text; make up a new key for a new note",
        ))),
        Added::Missing => Err(no_action()),
    }
}
