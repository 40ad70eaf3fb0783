//! `/incidents/{id}/evidence/files` and `/incidents/{id}/evidence/{number}/file`: files that are evidence, taken in and given out.
//! None is ever shown as a page.

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use domain::evidence::{EvidenceFile, EvidenceKind};
use domain::wire::evidence::{EvidenceReport, checked};
use domain::wire::instant::maybe_instant;
use domain::wire::paths::segment;
use domain::wire::problem::{FieldError, Problem};
use serde::Deserialize;

use super::answer::made_or_known;
use super::error::ApiError;
use super::evidence::no_evidence;
use super::extract::{ApiPath, ApiQuery, read_body};
use super::refusals::{Json, Signed};
use super::who::Who;
use crate::access::policy::Act;
use crate::app::App;
use crate::import::ImportError;
use crate::import::file::{About, add_file};

/// What a browser may do with a file, should it be opened: nothing.
const ALONE: &str = "sandbox; default-src 'none'; frame-ancestors 'none'";

/// What is said of the file.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FileQuery {
    /// The file's name, for people.
    #[serde(default)]
    name: String,
    /// What the evidence is called; the file's name unless said.
    title: Option<String>,
    /// What a picture shows, for whoever does not see it; a picture needs it.
    description: Option<String>,
    /// What sort of source it is; the usual one for such a file unless said.
    #[param(inline)]
    kind: Option<EvidenceKind>,
    /// When it was taken.
    #[serde(default, deserialize_with = "maybe_instant")]
    captured_at: Option<DateTime<Utc>>,
}

/// Adds a file as evidence: a still picture (PNG, JPEG, WebP, GIF), text in UTF-8 (a log, CSV, JSON) or a PDF document, which is
/// told from its content. What a camera wrote into a picture is taken out; a PDF document keeps what it
/// says of its author, and whatever else one does not see in it. The same file a second time changes nothing.
#[utoipa::path(
    post, path = "/incidents/{id}/evidence/files", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id, or its short name (INC-1)"), FileQuery),
    request_body(content = String, description = "The file as it is", content_type = "application/octet-stream"),
    responses(
        (status = 201, description = "Added", body = EvidenceReport),
        (status = 200, description = "It had been evidence before; nothing was changed", body = EvidenceReport),
        (status = 404, description = "No such incident", body = Problem, content_type = "application/problem+json"),
        Signed, Json,
    )
)]
pub async fn add(
    State(app): State<App>,
    who: Who,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<FileQuery>,
    body: Body,
) -> Result<Response, ApiError> {
    let incident = who.incident_to_prove(&app, &id).await?.id;
    let (title, _) = checked(query.title.as_deref(), None).map_err(ApiError::invalid)?;
    let description = described(query.description.as_deref()).map_err(ApiError::invalid)?;
    let bytes = read_body(body, app.evidence_limit).await?;
    let about = About {
        name: &query.name,
        title: title.as_deref(),
        description: description.as_deref(),
        kind: query.kind,
        captured_at: query.captured_at,
    };
    let report = add_file(&app.store, &app.objects, &incident, bytes, &about, who.by()).await?;
    made_or_known(report.added, &report)
}

/// A description on one line.
pub(super) fn described(text: Option<&str>) -> Result<Option<String>, Vec<FieldError>> {
    let (line, _) = checked(text, None).map_err(|errors| {
        errors.into_iter().map(|error| FieldError::new("/description", error.message)).collect::<Vec<_>>()
    })?;
    Ok(line)
}

/// Reads the file that a source is. A picture may be shown in a page of this server; all else is to be saved.
#[utoipa::path(
    get, path = "/incidents/{id}/evidence/{number}/file", tag = "incidents",
    params(
        ("id" = String, Path, description = "The incident's id, or its short name (INC-1)"),
        ("number" = u32, Path, description = "The number under which the text cites it"),
        ("Range" = Option<String>, Header, description = "A part of it, such as bytes=0-65535"),
    ),
    responses(
        (status = 200, description = "The file", body = String, content_type = "application/octet-stream"),
        (status = 206, description = "The part asked for", body = String, content_type = "application/octet-stream"),
        (status = 304, description = "Not changed"),
        (status = 404, description = "No such evidence, or it is no file", body = Problem, content_type = "application/problem+json"),
        (status = 416, description = "The part asked for is none of the file's"),
        Signed,
    )
)]
pub async fn read(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath((id, number)): ApiPath<(String, String)>,
) -> Result<Response, ApiError> {
    let incident = who.incident(&app, &id, Act::ReadIncident).await?.id;
    let number = number.parse().map_err(|_| no_evidence())?;
    let evidence = app.store.load_evidence(&incident, number).await?.ok_or_else(no_evidence)?;
    let key = app.store.evidence_file_key(&incident, number).await?;
    let (Some(file), Some(key)) = (evidence.file, key) else {
        return Err(ApiError::not_found("this evidence is no file that is kept here"));
    };
    let tag = format!("\"{}\"", &file.sha256[..24.min(file.sha256.len())]);
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if known.is_some_and(|known| known.split(',').any(|one| one.trim().trim_start_matches("W/") == tag)) {
        return Ok(dressed(StatusCode::NOT_MODIFIED.into_response(), &file, &tag));
    }
    let bytes = bytes::Bytes::from(app.objects.get(&key).await.map_err(ImportError::from)?);
    let response = match part(&headers, bytes.len()) {
        None => bytes.into_response(),
        Some(Ok((from, until))) => {
            let range = format!("bytes {from}-{}/{}", until - 1, bytes.len());
            (StatusCode::PARTIAL_CONTENT, [(header::CONTENT_RANGE, range)], bytes.slice(from..until)).into_response()
        }
        Some(Err(())) => {
            let range = format!("bytes */{}", bytes.len());
            (StatusCode::RANGE_NOT_SATISFIABLE, [(header::CONTENT_RANGE, range)]).into_response()
        }
    };
    Ok(dressed(response, &file, &tag))
}

/// The one part that is asked for, from and until; none where all is asked for, or what is not understood.
fn part(headers: &HeaderMap, length: usize) -> Option<Result<(usize, usize), ()>> {
    let asked = headers.get(header::RANGE)?.to_str().ok()?.strip_prefix("bytes=")?;
    let (first, last) = asked.split_once('-').filter(|_| !asked.contains(','))?;
    let (from, until) = match (first.parse::<usize>(), last.parse::<usize>()) {
        (Ok(from), Ok(last)) if from <= last => (from, last.saturating_add(1).min(length)),
        (Ok(from), Err(_)) if last.is_empty() => (from, length),
        (Err(_), Ok(count)) if first.is_empty() => (length.saturating_sub(count), length),
        _ => return None,
    };
    Some(if from < until { Ok((from, until)) } else { Err(()) })
}

/// Says what the file is, and that it is nothing to be run or shown as a page.
fn dressed(mut response: Response, file: &EvidenceFile, tag: &str) -> Response {
    let media = if file.media.is_text() { format!("{}; charset=utf-8", file.media) } else { file.media.to_string() };
    let shown = if file.media.is_picture() { "inline" } else { "attachment" };
    let ascii: String = file.file_name.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    let disposition = format!("{shown}; filename=\"{ascii}\"; filename*=UTF-8''{}", segment(&file.file_name));
    let said: [(HeaderName, &str); 7] = [
        (header::CONTENT_TYPE, &media),
        (header::CONTENT_DISPOSITION, &disposition),
        (header::CONTENT_SECURITY_POLICY, ALONE),
        (header::CACHE_CONTROL, "private, no-cache"),
        (header::ETAG, tag),
        (header::ACCEPT_RANGES, "bytes"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in said {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "-._ ()".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_part_is_given_and_what_is_not_understood_is_all_of_it() {
        for (asked, expected) in [
            ("bytes=0-3", Some(Ok((0, 4)))),
            ("bytes=4-", Some(Ok((4, 10)))),
            ("bytes=-3", Some(Ok((7, 10)))),
            ("bytes=-30", Some(Ok((0, 10)))),
            ("bytes=5-900", Some(Ok((5, 10)))),
            ("bytes=10-", Some(Err(()))),
            ("bytes=12-15", Some(Err(()))),
            ("bytes=-0", Some(Err(()))),
            ("bytes=5-4", None),
            ("bytes=0-1,3-4", None),
            ("bytes=-", None),
            ("lines=0-3", None),
            ("bytes=0-18446744073709551615", Some(Ok((0, 10)))),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::RANGE, asked.parse().expect("a header"));
            assert_eq!(part(&headers, 10), expected, "{asked}");
        }
        assert_eq!(part(&HeaderMap::new(), 10), None);
    }
}
