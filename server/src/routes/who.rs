//! Who asks, and whether the policy lets them: asked by every handler before it does anything.

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;
use domain::ActionId;
use domain::action::Action;

use super::error::ApiError;
use crate::access::Principal;
use crate::access::policy::{Act, Facts, Verdict, decide};
use crate::access::secret::digest;
use crate::app::App;
use crate::clock;
use crate::store::{By, IncidentFacts};

/// The name of the session's cookie.
pub const COOKIE: &str = "debrief_session";

/// Whoever makes the request. Only routes behind [`require_sign_in`] can have it.
#[derive(Debug, Clone)]
pub struct Who(pub Principal);

impl<S: Send + Sync> FromRequestParts<S> for Who {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        parts.extensions.get::<Self>().cloned().ok_or_else(ApiError::sign_in_required)
    }
}

/// Lets nobody through who is not signed in.
pub async fn require_sign_in(State(app): State<App>, mut request: Request, next: Next) -> Result<Response, ApiError> {
    let who = identify(&app, request.headers()).await?.ok_or_else(ApiError::sign_in_required)?;
    request.extensions_mut().insert(Who(who));
    Ok(next.run(request).await)
}

/// Who sends these headers: a token where there is one, else a session.
async fn identify(app: &App, headers: &HeaderMap) -> Result<Option<Principal>, ApiError> {
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let secret = value.to_str().ok().and_then(|value| {
            let (scheme, secret) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
        });
        let Some(secret) = secret else {
            return Ok(None);
        };
        return Ok(app.store.known_token(&digest(secret), clock::now()).await?.map(Principal::from));
    }
    let Some(secret) = session_secret(headers) else {
        return Ok(None);
    };
    Ok(app.store.known_session(&digest(secret), clock::now()).await?.map(Principal::from))
}

/// The session's secret, from the cookie.
pub fn session_secret(headers: &HeaderMap) -> Option<&str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .find_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='))
        .filter(|secret| !secret.is_empty())
}

impl Who {
    /// Under whose name a change is recorded, now.
    pub fn by(&self) -> By<'_> {
        By { actor: &self.0.name, now: clock::now() }
    }

    /// Goes on only where the policy allows it. `hidden` is the answer for an object that is not there.
    pub fn may(&self, act: Act, facts: Facts, hidden: fn() -> ApiError) -> Result<(), ApiError> {
        match decide(&self.0, act, facts) {
            Verdict::Allowed => Ok(()),
            Verdict::Hidden => Err(hidden()),
            Verdict::Forbidden(why) => Err(ApiError::forbidden(why)),
        }
    }

    /// Goes on only where the policy allows something that concerns no incident.
    pub fn may_generally(&self, act: Act) -> Result<(), ApiError> {
        self.may(act, Facts::default(), no_incident)
    }

    /// Finds an incident by id or short name, where the policy allows this.
    pub async fn incident(&self, app: &App, id: &str, act: Act) -> Result<IncidentFacts, ApiError> {
        let found = app.store.incident_facts(id, self.0.user.as_ref()).await?.ok_or_else(no_incident)?;
        let facts = Facts { restricted: found.restricted, named: found.named, owner: false };
        self.may(act, facts, no_incident)?;
        Ok(found)
    }

    /// Finds an incident to add evidence to, where the policy allows it.
    pub async fn incident_to_prove(&self, app: &App, id: &str) -> Result<IncidentFacts, ApiError> {
        let found = self.incident(app, id, Act::ReadIncident).await?;
        let me = self.0.me();
        let owner = app.store.list_actions(&found.id).await?.iter().any(|action| me.owns(action));
        self.may(Act::AddEvidence, Facts { restricted: found.restricted, named: found.named, owner }, no_incident)?;
        Ok(found)
    }

    /// Finds an action item, where the policy allows this.
    pub async fn item(&self, app: &App, id: &ActionId, act: Act) -> Result<(Action, Facts), ApiError> {
        let action = app.store.load_action(id).await?.ok_or_else(no_action)?;
        let incident = app.store.incident_facts(action.incident_id.as_str(), self.0.user.as_ref()).await?;
        let incident = incident.ok_or_else(no_action)?;
        let owner = self.0.me().owns(&action);
        let facts = Facts { restricted: incident.restricted, named: incident.named, owner };
        self.may(Act::ReadItem, facts, no_action)?;
        self.may(act, facts, no_action)?;
        Ok((action, facts))
    }
}

/// What is answered for an incident that is not there, or not for whoever asks.
pub fn no_incident() -> ApiError {
    ApiError::not_found("there is no such incident")
}

/// What is answered for an action item that is not there, or not for whoever asks.
pub fn no_action() -> ApiError {
    ApiError::not_found("there is no such action item")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_is_found_among_other_cookies() {
        for (cookie, secret) in [
            ("debrief_session=abc", Some("abc")),
            ("a=b; debrief_session=abc; c=d", Some("abc")),
            ("debrief_session=", None),
            ("xdebrief_session=abc", None),
            ("debrief_sessions=abc", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, cookie.parse().expect("a header"));
            assert_eq!(session_secret(&headers), secret, "{cookie}");
        }
    }
}
