//! `/users` and `/people`: accounts, and the links that lead into them.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::UserId;
use domain::person::Person;
use domain::wire::access::{NewUser, SignInLink, User, UserMade, UserPatch};
use domain::wire::page::Page;
use domain::wire::problem::{FieldError, Problem};

use super::answer::{hashed, to_json, told, versioned};
use super::error::ApiError;
use super::extract::{ApiBody, ApiPath, required_version, shaped};
use super::once::once;
use super::refusals::{Json, Keyed, Signed, Versioned};
use super::who::Who;
use crate::access::policy::Act;
use crate::access::{LINK_LASTS, names, secret};
use crate::app::App;
use crate::clock;
use crate::store::{Changed, NewAccount};

/// Lists everybody whose account is on, by name alone.
#[utoipa::path(
    get, path = "/people", tag = "access",
    responses((status = 200, body = Page<Person>), (status = 304, description = "Not changed"), Signed)
)]
pub async fn people(State(app): State<App>, who: Who, headers: HeaderMap) -> Result<Response, ApiError> {
    who.may_generally(Act::ReadPeople)?;
    hashed(&headers, &Page { items: app.store.list_people().await?, next: None })
}

/// Lists the accounts.
#[utoipa::path(
    get, path = "/users", tag = "access",
    responses((status = 200, body = Page<User>), (status = 304, description = "Not changed"), Signed)
)]
pub async fn list(State(app): State<App>, who: Who, headers: HeaderMap) -> Result<Response, ApiError> {
    who.may_generally(Act::ManagePeople)?;
    hashed(&headers, &Page { items: app.store.list_users().await?, next: None })
}

/// Reads one account.
#[utoipa::path(
    get, path = "/users/{id}", tag = "access", params(("id" = String, Path, description = "The account's id")),
    responses(
        (status = 200, body = User, headers(("ETag" = String, description = "The version in quotes"))),
        (status = 304, description = "Not changed"),
        (status = 404, description = "No such account", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn read(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
) -> Result<Response, ApiError> {
    who.may_generally(Act::ManagePeople)?;
    let user = app.store.load_user(&UserId::new(id)).await?.ok_or_else(no_user)?;
    Ok(versioned(&headers, user.version, to_json(&user)?))
}

/// Makes an account; the answer holds the link that leads into it.
#[utoipa::path(
    post, path = "/users", tag = "access", request_body = NewUser,
    params(("Idempotency-Key" = Option<String>, Header, description = "Any text that the client makes up once for this request")),
    responses((status = 201, body = UserMade), Signed, Json, Keyed)
)]
pub async fn create(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiBody(body): ApiBody,
) -> Result<Response, ApiError> {
    who.may_generally(Act::ManagePeople)?;
    let new: NewUser = shaped(&body).map_err(|error| ApiError::invalid(vec![error]))?;
    let mut errors = Vec::new();
    let name = checked_name("/name", &new.name, &mut errors);
    let email = new.email.as_deref().and_then(|email| checked_email(email, &mut errors));
    if !errors.is_empty() {
        return Err(ApiError::invalid(errors));
    }
    let account = NewAccount { name: &name, email: email.as_deref(), role: new.role, support: new.support };
    let once = once(&who, &headers, ("POST /users", &body))?;
    let (made, by) = (secret::new_secret("dbl_"), who.by());
    let expires_at = by.now + LINK_LASTS;
    let link = (&*secret::digest(&made), expires_at);
    let Changed::Done(user) = app.store.create_user(&account, Some(link), by, once.as_ref()).await? else {
        return Err(ApiError::invalid(vec![taken("/email")]));
    };
    let sign_in = sign_in_link(&app, &made, expires_at);
    told(StatusCode::CREATED, &UserMade { user, sign_in })
}

/// Changes an account; switching it off ends its sessions and tokens at once.
#[utoipa::path(
    patch, path = "/users/{id}", tag = "access", request_body = UserPatch,
    params(
        ("id" = String, Path, description = "The account's id"),
        ("If-Match" = String, Header, description = "The version the edit was made on, in quotes"),
    ),
    responses((status = 200, body = User), Signed, Json, Versioned)
)]
pub async fn patch(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
    ApiBody(body): ApiBody,
) -> Result<Response, ApiError> {
    who.may_generally(Act::ManagePeople)?;
    let id = UserId::new(id);
    let current = app.store.load_user(&id).await?.ok_or_else(no_user)?;
    let version = required_version(&headers)?;
    if version != current.version {
        return Err(ApiError::stale_thing("current_user", current.version, &current));
    }
    let mut patch: UserPatch = shaped(&body).map_err(|error| ApiError::invalid(vec![error]))?;
    let mut errors = Vec::new();
    patch.name = patch.name.map(|name| checked_name("/name", &name, &mut errors));
    patch.email = patch.email.map(|email| checked_email(&email, &mut errors).unwrap_or_default());
    if !errors.is_empty() {
        return Err(ApiError::invalid(errors));
    }
    match app.store.update_user(&id, version, &patch, who.by()).await? {
        Changed::Done(user) => Ok(versioned(&HeaderMap::new(), user.version, to_json(&user)?)),
        Changed::Stale(user) => Err(ApiError::stale_thing("current_user", user.version, &user)),
        Changed::Taken => Err(ApiError::invalid(vec![taken("/email")])),
        Changed::LastAdmin => Err(ApiError::invalid(vec![FieldError::new(
            if patch.disabled == Some(true) { "/disabled" } else { "/role" },
            "this is the last administrator; make another one first",
        )])),
        Changed::Missing => Err(no_user()),
    }
}

/// Makes a link that signs somebody in, once.
#[utoipa::path(
    post, path = "/users/{id}/sign-in-link", tag = "access",
    params(
        ("id" = String, Path, description = "The account's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Any text that the client makes up once for this request"),
    ),
    responses(
        (status = 201, body = SignInLink),
        (status = 404, description = "No such account", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The account is switched off", body = Problem, content_type = "application/problem+json"),
        Signed, Keyed,
    )
)]
pub async fn link(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
) -> Result<Response, ApiError> {
    who.may_generally(Act::ManagePeople)?;
    let user = app.store.load_user(&UserId::new(id)).await?.ok_or_else(no_user)?;
    let off = || ApiError::invalid(vec![FieldError::new("/id", "this account is switched off; switch it on first")]);
    if user.disabled {
        return Err(off());
    }
    let path = format!("POST /users/{}/sign-in-link", user.id);
    let once = once(&who, &headers, (&path, &serde_json::Value::Null))?;
    let (made, now) = (secret::new_secret("dbl_"), clock::now());
    let expires_at = now + LINK_LASTS;
    if !app.store.add_sign_in_link(&secret::digest(&made), &user.id, (now, expires_at), once.as_ref()).await? {
        return Err(off());
    }
    let made = sign_in_link(&app, &made, expires_at);
    told(StatusCode::CREATED, &made)
}

/// The link that a secret makes; only its digest is kept.
fn sign_in_link(app: &App, made: &str, expires_at: DateTime<Utc>) -> SignInLink {
    SignInLink { url: format!("{}/sign-in#{made}", app.url), expires_at }
}

/// A name as [`names::checked_name`] has it; what is the matter with it is an error at this field.
pub(super) fn checked_name(pointer: &str, name: &str, errors: &mut Vec<FieldError>) -> String {
    names::checked_name(name).unwrap_or_else(|message| {
        errors.push(FieldError::new(pointer, message));
        String::new()
    })
}

/// An address in lower case; none where it is empty.
fn checked_email(email: &str, errors: &mut Vec<FieldError>) -> Option<String> {
    names::checked_email(email).unwrap_or_else(|message| {
        errors.push(FieldError::new("/email", message));
        None
    })
}

fn taken(pointer: &str) -> FieldError {
    FieldError::new(pointer, "another account has this address")
}

fn no_user() -> ApiError {
    ApiError::not_found("there is no such account")
}
