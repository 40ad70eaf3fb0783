//! `/session/oidc`: signing in at the identity provider, there and back. For a browser's address bar: answers lead on.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::TimeDelta;
use domain::wire::access::SignInProblem;
use domain::wire::paths;
use serde::Deserialize;

use super::error::ApiError;
use super::session::begin;
use super::who::cookie_value;
use crate::access::oidc::local_path;
use crate::access::provider::{Attempt, Provider, ProviderError};
use crate::access::secret::{digest, new_secret};
use crate::app::App;
use crate::clock;
use crate::store::{Admitted, By, Identity, OidcAttempt, StoreError};

/// How long one may take at the provider.
const LASTS: TimeDelta = TimeDelta::minutes(10);

/// Ties an attempt to the browser that began it.
const COOKIE: &str = "debrief_oidc";

/// Where to go after signing in.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StartQuery {
    /// The path on this site to be led to; the front page where it is absent or leads elsewhere.
    to: Option<String>,
}

/// What the provider sends a browser back with. Other parameters are of no interest.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CallbackQuery {
    /// The attempt.
    state: Option<String>,
    /// What the provider is asked with who this is.
    code: Option<String>,
    /// Why the provider signs nobody in.
    error: Option<String>,
    /// The provider, where it says so.
    iss: Option<String>,
}

/// Begins signing in at the identity provider: leads the browser there.
#[utoipa::path(
    get, path = "/session/oidc", tag = "access", security(()), params(StartQuery),
    responses((status = 303, description = "To the provider; or to the sign-in page, with the problem in its address"))
)]
pub async fn start(
    State(app): State<App>,
    headers: HeaderMap,
    query: Result<Query<StartQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let wanted = query.ok().and_then(|Query(query)| query.to).unwrap_or_default();
    let Some(provider) = &app.oidc else {
        return lead(&problem_page(SignInProblem::NotOffered, &local_path(&wanted)), None);
    };
    if !app.attempts.set_out() {
        return lead(&problem_page(SignInProblem::Unavailable, &local_path(&wanted)), None);
    }
    // A second tab goes on with the secret of the first, so that each can finish.
    let known = cookie_value(&headers, COOKIE).filter(|value| is_ours(value));
    let browser = known.map_or_else(|| new_secret("dbo_"), str::to_owned);
    let (state, nonce, verifier) = (new_secret(""), new_secret(""), new_secret(""));
    let address = match provider.address(&Attempt { state: &state, nonce: &nonce, verifier: &verifier }).await {
        Ok(address) => address,
        Err(error) => {
            tracing::warn!(%error, "signing in could not begin");
            return lead(&problem_page(SignInProblem::Unavailable, &local_path(&wanted)), None);
        }
    };
    let attempt = OidcAttempt { nonce, verifier, return_to: local_path(&wanted) };
    let now = clock::now();
    app.store.begin_oidc(&attempt_digest(&state, &browser), &attempt, now, now + LASTS).await?;
    lead(address.as_str(), Some(&browser_cookie(&app, &browser)))
}

/// Finishes signing in: the provider sends the browser here. Leads on to where one wanted to go, signed in; or to the
/// sign-in page, with the problem in its address.
#[utoipa::path(
    get, path = "/session/oidc/callback", tag = "access", security(()), params(CallbackQuery),
    responses((status = 303, description = "Signed in, and on; or to the sign-in page, with the problem in its address"))
)]
pub async fn callback(
    State(app): State<App>,
    headers: HeaderMap,
    query: Result<Query<CallbackQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let finished = match (&app.oidc, query) {
        (Some(provider), Ok(Query(query))) => finish(&app, provider, &headers, query).await,
        (None, _) => Err(Unfinished::Problem(SignInProblem::NotOffered, String::new())),
        (Some(_), Err(_)) => Err(Unfinished::Problem(SignInProblem::NotBegun, String::new())),
    };
    match finished {
        Ok((cookie, to)) => {
            let mut response = lead(&to, None)?;
            response.headers_mut().append(header::SET_COOKIE, cookie);
            Ok(response)
        }
        Err(Unfinished::Problem(problem, to)) => lead(&problem_page(problem, &to), None),
        Err(Unfinished::Failed(error)) => Err(error),
    }
}

/// Why nobody was signed in.
enum Unfinished {
    /// What is told on the sign-in page, and where to lead whoever signs in after all; empty where that is not known.
    Problem(SignInProblem, String),
    Failed(ApiError),
}

impl From<StoreError> for Unfinished {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

async fn finish(
    app: &App,
    provider: &Provider,
    headers: &HeaderMap,
    query: CallbackQuery,
) -> Result<(HeaderValue, String), Unfinished> {
    let not_begun = || Unfinished::Problem(SignInProblem::NotBegun, String::new());
    let (Some(state), Some(browser)) = (&query.state, cookie_value(headers, COOKIE)) else {
        return Err(not_begun());
    };
    let attempt = app.store.take_oidc(&attempt_digest(state, browser), clock::now()).await?;
    let attempt = attempt.ok_or_else(not_begun)?;
    let problem = |problem| Unfinished::Problem(problem, attempt.return_to.clone());
    let config = provider.config();
    if query.iss.is_some_and(|issuer| issuer != config.issuer) {
        tracing::warn!("somebody was sent here by another provider than the one configured");
        return Err(problem(SignInProblem::Unverified));
    }
    let code = match (query.code, query.error) {
        (Some(code), None) => code,
        (_, error) => {
            // Its own words are the provider's to choose; only those of the standard are worth a line.
            let error: String = error.unwrap_or_default().chars().filter(char::is_ascii_graphic).take(60).collect();
            tracing::info!(error, "the identity provider signed nobody in");
            return Err(problem(SignInProblem::Declined));
        }
    };
    let claimed = provider.identify(&code, &attempt.nonce, &attempt.verifier).await.map_err(|error| {
        tracing::warn!(%error, "signing in could not be finished");
        problem(match error {
            ProviderError::Unreachable(_) => SignInProblem::Unavailable,
            ProviderError::Refused(_) | ProviderError::Unverified(_) => SignInProblem::Unverified,
        })
    })?;
    let admission = config.rules.admit(&claimed.groups).ok_or_else(|| problem(SignInProblem::NoRole))?;
    let identity = Identity {
        issuer: &config.issuer,
        subject: &claimed.subject,
        name: &claimed.name,
        email: claimed.email.as_deref(),
        is_email_verified: claimed.is_email_verified,
        role: admission.role,
        is_role_kept_in_step: admission.is_role_kept_in_step,
        support: admission.support,
    };
    let user = match app.store.admit(&identity, By { actor: &config.name, now: clock::now() }).await? {
        Admitted::In(user) => user,
        Admitted::LastAdmin(user) => {
            tracing::warn!(%user, "the groups of the last administrator give another role, which would leave none");
            user
        }
        Admitted::Disabled => return Err(problem(SignInProblem::Disabled)),
        Admitted::Unknown => return Err(problem(SignInProblem::NoRole)),
        Admitted::Taken => return Err(problem(SignInProblem::AddressTaken)),
    };
    let (cookie, _) = begin(app, headers, (&user, None)).await.map_err(Unfinished::Failed)?;
    Ok((cookie, attempt.return_to))
}

/// What an attempt is found by: only the browser that began it has both halves.
fn attempt_digest(state: &str, browser: &str) -> String {
    digest(&format!("{state} {browser}"))
}

/// Whether a cookie's value looks as this server makes them.
fn is_ours(value: &str) -> bool {
    value.starts_with("dbo_")
        && value.len() == new_secret("dbo_").len()
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// The sign-in page, which tells the problem and leads on to where one wanted to go.
fn problem_page(problem: SignInProblem, to: &str) -> String {
    let page = format!("/sign-in?problem={problem}");
    if matches!(to, "" | "/") { page } else { format!("{page}&to={}", paths::segment(to)) }
}

fn browser_cookie(app: &App, value: &str) -> String {
    let secure = if app.is_secure() { "; Secure" } else { "" };
    let (path, seconds) = (paths::oidc_start(), LASTS.num_seconds());
    format!("{COOKIE}={value}; Path={path}; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}")
}

fn lead(to: &str, cookie: Option<&str>) -> Result<Response, ApiError> {
    let unwritable =
        |_| ApiError::of(domain::wire::problem::ProblemKind::Internal, "the address to go on to could not be written");
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, HeaderValue::from_str(to).map_err(unwritable)?);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(cookie) = cookie {
        headers.insert(header::SET_COOKIE, HeaderValue::from_str(cookie).map_err(unwritable)?);
    }
    Ok(response)
}
