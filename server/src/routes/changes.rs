//! `/changes`: that something changed, as it happens.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use domain::wire::changes::{BEAT, CHANGE, READY, RESET};
use domain::wire::problem::{Problem, ProblemKind};
use futures_util::stream;
use serde::Deserialize;

use super::error::ApiError;
use super::extract::{ApiQuery, Count};
use super::refusals::Signed;
use super::who::credential;
use crate::app::App;
use crate::live::cursor::Cursor;
use crate::live::{Begin, Frame, Listener};

/// How often a silent stream says that it is there, so that neither its reader nor anything in between takes it for dead.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// How many seconds back a new stream may begin.
const MOST_RECENT: u32 = 300;

/// The header that a browser resumes with.
const LAST_EVENT_ID: &str = "last-event-id";

/// Where to resume.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ChangesQuery {
    /// The `id` of the last event that was read; `Last-Event-ID` means the same and goes first.
    after: Option<String>,
    /// Without an event to resume after: also tell what was changed in the last so many seconds, 300 at most.
    #[param(value_type = Option<u32>, maximum = 300)]
    recent: Option<Count>,
}

/// Streams the changes of every incident that whoever asks may see, as Server-Sent Events, until the session or token
/// ends or the server stops.
///
/// `change` tells a change (`Change` as JSON). `ready` says that everything before it has been told; the first one comes
/// at once. `reset` says that changes were left out, because there were too many: read again whatever is shown. `beat`
/// comes every 15 seconds while there is nothing else to tell.
#[utoipa::path(
    get, path = "/changes", tag = "changes",
    params(
        ChangesQuery,
        ("Last-Event-ID" = Option<String>, Header, description = "The `id` of the last event that was read"),
    ),
    responses(
        (status = 200, description = "The events", content_type = "text/event-stream", body = String),
        (status = 400, description = "`after` is not an event’s id", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn listen(
    State(app): State<App>,
    headers: HeaderMap,
    ApiQuery(query): ApiQuery<ChangesQuery>,
) -> Result<Response, ApiError> {
    let last = headers.get(LAST_EVENT_ID).and_then(|value| value.to_str().ok()).filter(|id| !id.is_empty());
    let after = last.or(query.after.as_deref()).map(str::parse::<Cursor>).transpose().map_err(|_| {
        let detail = "‘after’ is not the id of an event of this stream; use the last one’s, or none to begin now";
        ApiError::of(ProblemKind::Malformed, detail)
    })?;
    let begin = match (after, query.recent) {
        (Some(after), _) => Begin::After(after),
        (None, Some(Count(seconds))) => Begin::Recent(seconds.min(MOST_RECENT)),
        (None, None) => Begin::Now,
    };
    let credential = credential(&headers).ok_or_else(ApiError::sign_in_required)?;
    let listener = Listener::begin(app.live.clone(), app.store.clone(), credential, begin).await?;
    let listener = listener.ok_or_else(ApiError::sign_in_required)?;
    let events = stream::unfold(listener, async |mut listener| {
        let frame = listener.next().await?;
        Some((Ok::<_, Infallible>(event(&frame)), listener))
    });
    let beat = Event::default().event(BEAT).data("{}");
    let mut response = Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT).event(beat)).into_response();
    // nginx holds answers back otherwise.
    response.headers_mut().insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(response)
}

fn event(frame: &Frame) -> Event {
    let (name, at, data) = match frame {
        Frame::Change(at, json) => (CHANGE, at, &**json),
        Frame::Ready(at) => (READY, at, "{}"),
        Frame::Reset(at) => (RESET, at, "{}"),
    };
    Event::default().id(at.to_string()).event(name).data(data)
}
