//! Reading incidents.

use chrono::{DateTime, SecondsFormat, Utc};
use domain::evidence::Evidence;
use domain::filter::IncidentFilter;
use domain::incident::Window;
use domain::wire::evidence::{EvidencePatch, EvidenceReport, NewEvidence};
use domain::wire::incidents::{Dashboard, IncidentSummary};
use domain::wire::page::Page;
use domain::wire::paths::{self, segment};
use domain::wire::signals::Signals;
use gloo_net::http::Request;

use super::{Call, Failure, Nothing, early, get, on_version, read, send, signed_in};

/// A page of the list.
pub async fn list(filter: &IncidentFilter, limit: u32, cursor: Option<&str>) -> Result<Page<IncidentSummary>, Failure> {
    let parts = [
        ("q", filter.q.clone()),
        ("status", filter.status.map(|status| status.to_string())),
        ("severity", filter.severity.map(|severity| severity.to_string())),
        ("limit", Some(limit.to_string())),
        ("cursor", cursor.map(str::to_owned)),
    ];
    let query: Vec<_> =
        parts.into_iter().filter_map(|(key, value)| Some(format!("{key}={}", segment(&value?)))).collect();
    get(&format!("{}?{}", paths::incidents(), query.join("&"))).await
}

/// The whole dashboard of one incident.
pub async fn dashboard(id: &str) -> Result<Dashboard, Failure> {
    let address = paths::incident(id);
    let received = match early::text(&address).await {
        Some(text) => (200, text),
        None => signed_in(Request::get(&address), None, false).await?,
    };
    read(&received)
}

/// An incident's series in a stretch, or all of them, as finely as so many pixels can show.
pub async fn signals(id: &str, stretch: Option<Window>, width: i32) -> Result<Signals, Failure> {
    get(&[&paths::signals(id), "?", &stretched(stretch, width)].concat()).await
}

/// What names a stretch and its pixels in the query of an address.
fn stretched(stretch: Option<Window>, width: i32) -> String {
    let ends = stretch.map_or_else(String::new, |stretch| ["&", &ends(stretch)].concat());
    format!("width={}{ends}", width.clamp(1, 10_000))
}

/// What names a stretch in the query of an address.
pub fn ends(Window { from, until }: Window) -> String {
    let text = |at: DateTime<Utc>| segment(&at.to_rfc3339_opts(SecondsFormat::Millis, true));
    format!("from={}&until={}", text(from), text(until))
}

/// The whole dashboard of a shared incident, for whoever has the link.
pub async fn shared(link: &str) -> Result<Dashboard, Failure> {
    get(&paths::shared(link)).await
}

/// The same of a shared incident.
pub async fn shared_signals(link: &str, stretch: Option<Window>, width: i32) -> Result<Signals, Failure> {
    get(&[&paths::shared_signals(link), "?", &stretched(stretch, width)].concat()).await
}

/// Adds a source; the same key makes a repeated request one source.
pub async fn add_evidence(id: &str, new: &NewEvidence, key: &str) -> Result<Evidence, Failure> {
    send(Request::post(&paths::evidence(id)).header("idempotency-key", key), new).await
}

/// One source.
pub fn evidence(id: &str, number: u32) -> Call<Evidence> {
    Call::read(&paths::evidence_of(id, number))
}

/// Gives a source a title or a link, on the version that the edit was made on.
pub fn change_evidence(id: &str, number: u32, version: i64, patch: &EvidencePatch) -> Call<Nothing> {
    Call::act(on_version(Request::patch(&paths::evidence_of(id, number)), version)).with(patch)
}

/// The beginning of the text that a source is.
pub async fn evidence_text(id: &str, number: u32) -> Result<String, Failure> {
    /// How much of it is read.
    const PART: u32 = 64 * 1024;
    let request = Request::get(&paths::evidence_file(id, number)).header("range", &format!("bytes=0-{}", PART - 1));
    let (status, mut text) = signed_in(request, None, false).await?;
    if status == 206 && text.len() + 3 >= PART as usize {
        text.push_str("\n… the rest is in the file");
    }
    Ok(text)
}

/// Removes a source, as it was at this version; the items that were verified by it are opened again.
pub fn remove_evidence(id: &str, number: u32, version: i64) -> Call<Nothing> {
    Call::act(on_version(Request::delete(&paths::evidence_of(id, number)), version))
}

/// Brings a load test's summary in as evidence.
pub async fn import_load_test(id: &str, file: &web_sys::File) -> Result<EvidenceReport, Failure> {
    let address = format!("{}?name={}", paths::load_test(id), segment(&file.name()));
    read(&signed_in(Request::post(&address), Some(file.into()), true).await?)
}
