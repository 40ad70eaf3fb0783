//! `/tokens`: what programs sign in with.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use chrono::TimeDelta;
use domain::TokenId;
use domain::person::Person;
use domain::wire::access::{NewToken, Token, TokenMade};
use domain::wire::page::Page;
use domain::wire::problem::{FieldError, Problem};

use super::answer::{hashed, told};
use super::error::ApiError;
use super::extract::{ApiBody, ApiPath, shaped};
use super::once::once;
use super::refusals::{Json, Keyed, Signed};
use super::session::own_or_all;
use super::users::checked_name;
use super::who::Who;
use crate::access::policy::Act;
use crate::access::secret;
use crate::app::App;
use crate::clock;
use crate::store::NewApiToken;

/// The most days a token or a share may hold.
pub(super) const MAX_DAYS: u16 = 366;

/// Lists tokens, the newest first: one's own, or all for administrators.
#[utoipa::path(
    get, path = "/tokens", tag = "access",
    responses((status = 200, body = Page<Token>), (status = 304, description = "Not changed"), Signed)
)]
pub async fn list(State(app): State<App>, who: Who, headers: HeaderMap) -> Result<Response, ApiError> {
    hashed(&headers, &Page { items: app.store.list_tokens(own_or_all(&who)?).await?, next: None })
}

/// Makes a token that acts for whoever makes it; its secret is shown this once.
#[utoipa::path(
    post, path = "/tokens", tag = "access", request_body = NewToken,
    params(("Idempotency-Key" = Option<String>, Header, description = "Any text that the client makes up once for this request")),
    responses((status = 201, body = TokenMade), Signed, Json, Keyed)
)]
pub async fn create(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiBody(body): ApiBody,
) -> Result<Response, ApiError> {
    who.may_generally(Act::ManageOwn)?;
    let new: NewToken = shaped(&body).map_err(|error| ApiError::invalid(vec![error]))?;
    let mut errors = Vec::new();
    let name = checked_name("/name", &new.name, &mut errors);
    check_days(new.days, &mut errors);
    if new.role > who.0.role {
        errors.push(FieldError::new("/role", format!("a token can be at most what you are: {}", who.0.role)));
    }
    if new.support && !who.0.support {
        errors.push(FieldError::new("/support", "you may not see customers, so your token cannot either"));
    }
    if !errors.is_empty() {
        return Err(ApiError::invalid(errors));
    }
    let user = who.0.user.clone().map(|id| Person { id, name: who.0.name.clone() });
    let made = secret::new_secret("dbt_");
    let token = NewApiToken {
        digest: &secret::digest(&made),
        name: &name,
        user: user.as_ref(),
        role: new.role,
        support: new.support,
        expires_at: Some(clock::now() + TimeDelta::days(new.days.into())),
    };
    let once = once(&who, &headers, ("POST /tokens", &body))?;
    let token =
        app.store.create_token(&token, who.by(), once.as_ref()).await?.ok_or_else(ApiError::sign_in_required)?;
    told(StatusCode::CREATED, &TokenMade { token, secret: made })
}

/// Ends a token at once.
#[utoipa::path(
    delete, path = "/tokens/{id}", tag = "access", params(("id" = String, Path, description = "The token's id")),
    responses(
        (status = 204, description = "Ended"),
        (status = 404, description = "No such token of yours", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn end(State(app): State<App>, who: Who, ApiPath(id): ApiPath<String>) -> Result<StatusCode, ApiError> {
    let of = own_or_all(&who)?;
    if app.store.end_token(&TokenId::new(id), of, who.by()).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::not_found("there is no such token of yours"))
    }
}

/// Checks for how many days a token or a share is to hold.
pub(super) fn check_days(days: u16, errors: &mut Vec<FieldError>) {
    if !(1..=MAX_DAYS).contains(&days) {
        errors.push(FieldError::new("/days", format!("from 1 to {MAX_DAYS} days")));
    }
}
