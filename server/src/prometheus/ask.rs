//! Asking a Prometheus server for series over a range of time. The answer is bounded in size and time, and no redirect
//! is followed, which could lead what the server is entered with elsewhere.

use std::error::Error as _;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use domain::wire::signals::PrometheusQuery;
use reqwest::{Client, Response, StatusCode};
use serde::Deserialize;

use super::{Access, Known, Servers};

/// How long an answer may take in all.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long the server itself may work on it, so that its own words say that it took too long.
const WORK: &str = "25s";

/// The most bytes that an answer may have.
const MOST_BYTES: usize = 64 << 20;

/// The most characters of what a server says that are handed on.
const MAX_WORDS: usize = 500;

/// Why there is no answer that can be used. No address and no secret is in the words.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// No server is known under this name.
    #[error("no Prometheus server is known as ‘{0}’; whoever runs Debrief makes one known in prometheus.toml")]
    Unknown(String),
    /// The query is at fault, in Prometheus' words.
    #[error("Prometheus refuses the query: {0}")]
    Query(String),
    /// It could not be reached.
    #[error(
        "the Prometheus server ‘{0}’ cannot be reached ({1}); check that it runs, and its address in prometheus.toml"
    )]
    Unreachable(String, String),
    /// It did not answer in time.
    #[error(
        "the Prometheus server ‘{0}’ did not answer within 30 seconds; ask for a shorter time or a longer step, or try again"
    )]
    Slow(String),
    /// It does not take what this program proves itself with.
    #[error(
        "the Prometheus server ‘{0}’ does not let Debrief in (status {1}); check the token, or the user and password, in prometheus.toml"
    )]
    Denied(String, u16),
    /// It sends elsewhere.
    #[error(
        "the Prometheus server ‘{0}’ sends to another address (status {1}), and no redirect is followed; name that address in prometheus.toml"
    )]
    Redirected(String, u16),
    /// It answered too much.
    #[error(
        "the Prometheus server ‘{0}’ answers more than 64 MiB; ask for a longer step, a shorter time or fewer series"
    )]
    TooLarge(String),
    /// It is there, and no Prometheus.
    #[error(
        "what answers as ‘{0}’ is no Prometheus server (status {1}, and not its JSON); check its address in prometheus.toml"
    )]
    Foreign(String, u16),
    /// It failed, in its own words.
    #[error("the Prometheus server ‘{0}’ failed (status {1}): {2}")]
    Failed(String, u16, String),
}

/// What stands around every answer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    status: String,
    error_type: Option<String>,
    error: Option<String>,
}

/// What asks.
pub(super) fn client() -> Result<Client, String> {
    let builder = Client::builder().redirect(reqwest::redirect::Policy::none()).timeout(PATIENCE);
    builder.build().map_err(|error| format!("no client for HTTPS: {error}"))
}

impl Servers {
    /// What the server that the question names answers to it: the bytes of a success.
    pub async fn range(&self, query: &PrometheusQuery) -> Result<Vec<u8>, AskError> {
        let known = self.named(&query.server).ok_or_else(|| AskError::Unknown(query.server.clone()))?;
        let address = format!("{}/api/v1/query_range", known.address.as_str().trim_end_matches('/'));
        let instant = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Millis, true);
        let request = self.http.post(address).form(&[
            ("query", query.query.trim()),
            ("start", &instant(query.from)),
            ("end", &instant(query.until)),
            ("step", &query.step_seconds.to_string()),
            ("timeout", WORK),
        ]);
        let request = match &known.access {
            Access::Open => request,
            Access::Bearer(token) => request.bearer_auth(token),
            Access::Basic(user, password) => request.basic_auth(user, Some(password)),
        };
        let mut response = request.send().await.map_err(|error| failed(known, &error))?;
        let status = response.status();
        let name = || known.name.clone();
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => return Err(AskError::Denied(name(), status.as_u16())),
            status if status.is_redirection() => return Err(AskError::Redirected(name(), status.as_u16())),
            _ => {}
        }
        let bytes = whole(known, &mut response).await?;
        let Ok(envelope) = serde_json::from_slice::<Envelope>(&bytes) else {
            return Err(AskError::Foreign(name(), status.as_u16()));
        };
        if status.is_success() && envelope.status == "success" {
            return Ok(bytes);
        }
        let said: String = envelope.error.unwrap_or_default().chars().take(MAX_WORDS).collect();
        Err(match envelope.error_type.as_deref() {
            Some("bad_data" | "execution") => AskError::Query(said),
            _ => AskError::Failed(name(), status.as_u16(), said),
        })
    }
}

async fn whole(known: &Known, response: &mut Response) -> Result<Vec<u8>, AskError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| failed(known, &error))? {
        if bytes.len() + chunk.len() > MOST_BYTES {
            return Err(AskError::TooLarge(known.name.clone()));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// The innermost cause: what stands around it names the address.
fn failed(known: &Known, error: &reqwest::Error) -> AskError {
    if error.is_timeout() {
        return AskError::Slow(known.name.clone());
    }
    let mut cause = error.source();
    while let Some(deeper) = cause.and_then(std::error::Error::source) {
        cause = Some(deeper);
    }
    let cause = cause.map_or_else(|| "the connection failed".to_owned(), ToString::to_string);
    AskError::Unreachable(known.name.clone(), cause)
}
