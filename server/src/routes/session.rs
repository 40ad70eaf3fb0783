//! `/session`: signing in and out; `/sessions`: where one is signed in.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::TimeDelta;
use domain::wire::access::{Me, NewPassword, Session, SignIn, SignInByLink, SignInByPassword, SignInOptions};
use domain::wire::page::Page;
use domain::wire::problem::{FieldError, Problem, ProblemKind};
use domain::{SessionId, UserId};

use super::answer::{hashed, told};
use super::error::ApiError;
use super::extract::{ApiBody, ApiPath, shaped};
use super::who::{COOKIE, Who, session_secret};
use crate::access::policy::Act;
use crate::access::{Principal, password, secret};
use crate::app::App;
use crate::clock;
use crate::store::By;

/// How long one stays signed in.
const LASTS: TimeDelta = TimeDelta::days(14);

/// The most characters that are kept of what a browser calls itself.
const MAX_AGENT: usize = 300;

/// Reads who is signed in.
#[utoipa::path(
    get, path = "/session", tag = "access",
    responses(
        (status = 200, body = Me),
        (status = 304, description = "Not changed since the tag in If-None-Match"),
        (status = 401, description = "Nobody is", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn read(who: Who, headers: HeaderMap) -> Result<Response, ApiError> {
    hashed(&headers, &who.0.me())
}

/// Reads how one can sign in.
#[utoipa::path(
    get, path = "/session/options", tag = "access", security(()),
    responses((status = 200, body = SignInOptions), (status = 304, description = "Not changed"))
)]
pub async fn options(State(app): State<App>, headers: HeaderMap) -> Result<Response, ApiError> {
    hashed(&headers, &app.sign_in_options())
}

/// Signs in, with a link or with a password; the answer sets the session's cookie.
#[utoipa::path(
    post, path = "/session", tag = "access", security(()), request_body = SignIn,
    responses(
        (status = 201, body = Me),
        (status = 400, description = "The body is not JSON", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "The link or the password is not right", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "The link is somebody else's than whoever is signed in, and `instead` is not true", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "The body is not declared as JSON", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A field is missing", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "Tried too often", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn sign_in(State(app): State<App>, headers: HeaderMap, ApiBody(body): ApiBody) -> Result<Response, ApiError> {
    let refused = |error: FieldError| ApiError::invalid(vec![error]);
    let (user, proved) = if body.get("link").is_some() {
        let SignInByLink { link, instead } = shaped(&body).map_err(refused)?;
        let digest = secret::digest(link.trim());
        if !instead {
            refuse_to_replace(&app, &headers, &digest).await?;
        }
        let taken = app.store.take_sign_in_link(&digest, clock::now()).await?;
        let user = taken.ok_or_else(|| {
            ApiError::of(
                ProblemKind::SignInRequired,
                "this link was used before or has expired; ask an administrator for another, or run: debrief user link",
            )
        })?;
        (user, None)
    } else {
        let SignInByPassword { email, password } = shaped(&body).map_err(refused)?;
        if !app.attempts.count(&email) {
            return Err(ApiError::of(ProblemKind::TooMany, "too many tries; wait a minute, then try again"));
        }
        let (user, hash) = app.store.password_of(&email).await?.map_or((None, None), |(user, hash)| (Some(user), hash));
        let is_right = password::verify(password, hash.clone()).await;
        let user = user
            .filter(|_| is_right)
            .ok_or_else(|| ApiError::of(ProblemKind::SignInRequired, "the address or the password is not right"))?;
        (user, hash)
    };
    let (cookie, me) = begin(&app, &headers, (&user, proved.as_deref())).await?;
    let mut response = told(StatusCode::CREATED, &me)?;
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(response)
}

/// A link leads nobody out of their own account into somebody else's, unless they say so.
async fn refuse_to_replace(app: &App, headers: &HeaderMap, digest: &str) -> Result<(), ApiError> {
    let now = clock::now();
    let Some(secret) = session_secret(headers) else { return Ok(()) };
    let Some(session) = app.store.known_session(&secret::digest(secret), now).await? else { return Ok(()) };
    match app.store.sign_in_link_of(digest, now).await? {
        Some(theirs) if theirs.id != session.user.id => Err(ApiError::of(
            ProblemKind::Conflict,
            format!("this link signs in {}, and you are signed in as {}", theirs.name, session.user.name),
        )),
        _ => Ok(()),
    }
}

/// Begins a session: always a new one, and the one that the browser had ends. `proved` is the hash of the password that
/// was given, if one was.
pub(super) async fn begin(
    app: &App,
    headers: &HeaderMap,
    (user, proved): (&UserId, Option<&str>),
) -> Result<(HeaderValue, Me), ApiError> {
    let now = clock::now();
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let agent: String = agent.chars().take(MAX_AGENT).collect();
    if let Some(old) = session_secret(headers)
        && let Some(old) = app.store.known_session(&secret::digest(old), now).await?
    {
        app.store.end_session(&old.id, None, By { actor: &old.user.name, now }).await?;
    }
    let made = secret::new_secret("dbs_");
    let digest = secret::digest(&made);
    let name = app.store.load_user(user).await?.map(|user| user.name).unwrap_or_default();
    let begun = app.store.begin_session(&digest, (user, proved), &agent, By { actor: &name, now }, now + LASTS).await?;
    begun.ok_or_else(|| {
        ApiError::of(ProblemKind::SignInRequired, "the account or its password was changed at this moment; try again")
    })?;
    let known = app.store.known_session(&digest, now).await?.ok_or_else(ApiError::sign_in_required)?;
    Ok((cookie(app, &made, LASTS.num_seconds())?, Principal::from(known).me()))
}

/// Signs out: the session ends at once, in every tab.
#[utoipa::path(
    delete, path = "/session", tag = "access",
    responses(
        (status = 204, description = "Signed out"),
        (status = 401, description = "Nobody is signed in", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn sign_out(State(app): State<App>, who: Who) -> Result<Response, ApiError> {
    if let Some(session) = &who.0.session {
        app.store.end_session(session, None, who.by()).await?;
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    response.headers_mut().insert(header::SET_COOKIE, cookie(&app, "", 0)?);
    Ok(response)
}

/// Sets one's own password; every other session of the account ends.
#[utoipa::path(
    put, path = "/session/password", tag = "access", request_body = NewPassword,
    responses(
        (status = 204, description = "Set"),
        (status = 400, description = "The body is not JSON", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "Nobody is signed in", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "Not an account's own browser", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "The body is not declared as JSON", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "Too short, or the current one is not right", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "Tried too often", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn set_password(State(app): State<App>, who: Who, ApiBody(body): ApiBody) -> Result<Response, ApiError> {
    let refused = |error: FieldError| ApiError::invalid(vec![error]);
    let (Some(user), Some(session)) = (&who.0.user, &who.0.session) else {
        return Err(ApiError::forbidden("a password is set by its person, signed in with a browser"));
    };
    let NewPassword { current, password: wanted } = shaped(&body).map_err(refused)?;
    password::checked("/password", &wanted).map_err(refused)?;
    let so_far = app.store.own_password(user).await?;
    if let Some(hash) = so_far.clone() {
        if !app.attempts.count(user.as_str()) {
            return Err(ApiError::of(ProblemKind::TooMany, "too many tries; wait a minute, then try again"));
        }
        if !password::verify(current.unwrap_or_default(), Some(hash)).await {
            return Err(refused(FieldError::new("/current", "this is not the password so far")));
        }
    }
    let hash = password::hash(wanted)
        .await
        .ok_or_else(|| ApiError::of(ProblemKind::Internal, "the password could not be hashed"))?;
    if app.store.set_password(user, (so_far.as_deref(), &hash), session, who.by()).await? {
        Ok(StatusCode::NO_CONTENT.into_response())
    } else {
        Err(refused(FieldError::new("/current", "the password was set elsewhere at this moment; try again")))
    }
}

/// Lists sessions, the last used first: one's own, or everybody's for administrators.
#[utoipa::path(
    get, path = "/sessions", tag = "access",
    responses(
        (status = 200, body = Page<Session>),
        (status = 304, description = "Not changed since the tag in If-None-Match"),
        (status = 401, description = "Nobody is signed in", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "A service has none", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn list(State(app): State<App>, who: Who, headers: HeaderMap) -> Result<Response, ApiError> {
    let of = own_or_all(&who)?;
    let mut items = app.store.list_sessions(of, clock::now()).await?;
    for session in &mut items {
        session.current = Some(&session.id) == who.0.session.as_ref();
    }
    hashed(&headers, &Page { items, next: None })
}

/// Ends a session at once.
#[utoipa::path(
    delete, path = "/sessions/{id}", tag = "access",
    params(("id" = String, Path, description = "The session's id")),
    responses(
        (status = 204, description = "Ended"),
        (status = 401, description = "Nobody is signed in", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "A service has none", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such session of yours", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn end(State(app): State<App>, who: Who, ApiPath(id): ApiPath<String>) -> Result<StatusCode, ApiError> {
    let of = own_or_all(&who)?;
    if app.store.end_session(&SessionId::new(id), of, who.by()).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::not_found("there is no such session of yours"))
    }
}

/// Whose sessions or tokens somebody may see: all of them, or their own.
pub(super) fn own_or_all(who: &Who) -> Result<Option<&UserId>, ApiError> {
    if who.may_generally(Act::ManagePeople).is_ok() {
        return Ok(None);
    }
    who.may_generally(Act::ManageOwn)?;
    Ok(who.0.user.as_ref())
}

fn cookie(app: &App, value: &str, seconds: i64) -> Result<HeaderValue, ApiError> {
    let secure = if app.is_secure() { "; Secure" } else { "" };
    HeaderValue::from_str(&format!("{COOKIE}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}"))
        .map_err(|_| ApiError::of(ProblemKind::Internal, "the session's cookie could not be written"))
}
