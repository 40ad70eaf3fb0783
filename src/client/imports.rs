//! Bringing files in: looked at first, then sent with what is on its way told.

use domain::evidence::EvidenceKind;
use domain::mapping::Mapping;
use domain::wire::evidence::EvidenceReport;
use domain::wire::imports::{EventsPreview, EventsReport, ImportRemoval, ListReport};
use domain::wire::page::Page;
use domain::wire::paths::{self, segment};
use domain::wire::problem::Problem;
use domain::wire::signals::{NewSignals, PrometheusServer, SignalsReport, ValueMapping};
use gloo_net::http::Request;
use leptos::prelude::{Callable, Callback};
use serde::de::DeserializeOwned;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{File, ProgressEvent, XmlHttpRequest};

use super::{Call, Failure, Nothing, SIGNED_OUT, get, json, read, send, signed_in};

/// How many bytes of a file are sent to be looked at.
const HEAD: i32 = 1 << 20;

/// What the head of a file of attempts looks like, if it is read so.
pub async fn preview(id: &str, file: &File, mapping: &Mapping) -> Result<EventsPreview, Failure> {
    let head = file.slice_with_i32_and_i32(0, HEAD).map_err(|_| Failure::Unreadable(None))?;
    let address = format!("{}?preview=true&mapping={}", paths::events(id), said(mapping)?);
    read(&signed_in(Request::post(&address), Some(head.into()), true).await?)
}

/// Forgets the mapping that is saved under this name.
pub async fn forget_mapping(name: &str) -> Result<(), Failure> {
    super::send_only(Request::delete(&paths::mapping(name)), None).await
}

/// Takes an import back.
pub fn remove_import(id: &str, import: &str) -> Call<ImportRemoval> {
    Call::act(Request::delete(&paths::import(id, import)))
}

/// What a list is of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// Changes of feature flags.
    Flags,
    /// Deploys.
    Deploys,
}

/// How a list is read, as far as it is said.
#[derive(Clone, Default)]
pub struct ReadAs {
    /// The zone of times that name none.
    pub zone: String,
    /// The service of deploys that name none.
    pub service: String,
}

/// What a list would bring in, if it is read so.
pub async fn look_at_list(id: &str, list: List, file: &File, how: &ReadAs) -> Result<ListReport, Failure> {
    send_list(&format!("{}&preview=true", list_address(id, list, file, how)), file).await
}

/// Brings a list in.
pub async fn import_list(id: &str, list: List, file: &File, how: &ReadAs) -> Result<ListReport, Failure> {
    send_list(&list_address(id, list, file, how), file).await
}

async fn send_list(address: &str, file: &File) -> Result<ListReport, Failure> {
    read(&signed_in(Request::post(address), Some(file.into()), true).await?)
}

fn list_address(id: &str, list: List, file: &File, how: &ReadAs) -> String {
    let name = segment(&file.name());
    match list {
        List::Flags => format!("{}?name={name}", paths::flags_import(id)),
        List::Deploys => {
            let (zone, service) = (segment(&how.zone), segment(&how.service));
            format!("{}?name={name}&zone={zone}&service={service}", paths::deploys_import(id))
        }
    }
}

fn said<T: serde::Serialize>(mapping: &T) -> Result<String, Failure> {
    json::written(mapping).map(|text| segment(&text)).ok_or(Failure::Unreadable(None))
}

/// A file that is on its way.
pub struct Upload(XmlHttpRequest);

impl Upload {
    /// Gives it up; nobody hears of it any more.
    pub fn cancel(&self) {
        self.0.set_onload(None);
        self.0.set_onerror(None);
        let _ = self.0.abort();
    }
}

/// Sends a file of attempts. `fetch` does not tell how much of a body has been sent, so this is the older way.
pub fn import_events(
    id: &str,
    file: &File,
    (mapping, save_as): (&Mapping, &str),
    sent: Callback<u32>,
    done: Callback<Result<EventsReport, Failure>>,
) -> Result<Upload, Failure> {
    let address = format!(
        "{}?name={}&mapping={}&save_as={}",
        paths::events(id),
        segment(&file.name()),
        said(mapping)?,
        segment(save_as)
    );
    upload(&address, file, sent, done)
}

/// What is said of a file that is to be evidence.
#[derive(Clone)]
pub struct About {
    /// What the evidence is called.
    pub title: String,
    /// What a picture shows.
    pub description: String,
    /// What sort of source it is.
    pub kind: EvidenceKind,
}

impl Default for About {
    fn default() -> Self {
        Self { title: String::new(), description: String::new(), kind: EvidenceKind::Document }
    }
}

/// Sends a file that is to be evidence.
pub fn attach(
    id: &str,
    file: &File,
    about: &About,
    sent: Callback<u32>,
    done: Callback<Result<EvidenceReport, Failure>>,
) -> Result<Upload, Failure> {
    let address = format!(
        "{}?name={}&title={}&kind={}&description={}",
        paths::evidence_files(id),
        segment(&file.name()),
        segment(&about.title),
        about.kind,
        segment(&about.description)
    );
    upload(&address, file, sent, done)
}

/// Sends a file, and tells how much of it is sent.
fn upload<T: DeserializeOwned + 'static>(
    address: &str,
    file: &File,
    sent: Callback<u32>,
    done: Callback<Result<T, Failure>>,
) -> Result<Upload, Failure> {
    let begin = || {
        let request = XmlHttpRequest::new()?;
        request.open("POST", address)?;
        request.set_request_header("content-type", "application/octet-stream")?;
        let progress = Closure::<dyn Fn(ProgressEvent)>::new(move |event: ProgressEvent| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a percentage is small")]
            sent.run((event.loaded() * 100.0 / event.total().max(1.0)) as u32);
        });
        request.upload()?.set_onprogress(Some(progress.into_js_value().unchecked_ref()));
        let answered = request.clone();
        let loaded = Closure::once_into_js(move || done.run(outcome(&answered)));
        request.set_onload(Some(loaded.unchecked_ref()));
        let failed = Closure::once_into_js(move || done.run(Err(Failure::Unreachable)));
        request.set_onerror(Some(failed.unchecked_ref()));
        request.send_with_opt_blob(Some(file))?;
        Ok(Upload(request))
    };
    begin().map_err(|_: wasm_bindgen::JsValue| Failure::Unreadable(None))
}

fn outcome<T: DeserializeOwned>(request: &XmlHttpRequest) -> Result<T, Failure> {
    let status = request.status().unwrap_or_default();
    let text = request.response_text().ok().flatten().unwrap_or_default();
    if (200..300).contains(&status) {
        return read(&(status, text));
    }
    let failure = json::parsed::<Problem>(&text)
        .map_or(Failure::Unreadable(Some(status)), |problem| Failure::Refused(Box::new(problem)));
    if failure.is_signed_out()
        && let Some(callback) = SIGNED_OUT.get()
    {
        callback.run(true);
    }
    Err(failure)
}

/// The Prometheus servers that can be asked.
pub async fn prometheus_servers() -> Result<Page<PrometheusServer>, Failure> {
    get(&paths::prometheus_servers()).await
}

/// What a Prometheus server answers to a question; nothing is kept.
pub async fn look_at_answer(id: &str, question: &NewSignals) -> Result<SignalsReport, Failure> {
    send(Request::post(&format!("{}?preview=true", paths::values(id))), question).await
}

/// Brings in what a Prometheus server answers to a question.
pub async fn import_answer(id: &str, question: &NewSignals) -> Result<SignalsReport, Failure> {
    send(Request::post(&paths::values(id)), question).await
}

/// What a file of values would bring in, told from its head, if it is read so.
pub async fn look_at_values(id: &str, file: &File, mapping: &ValueMapping) -> Result<SignalsReport, Failure> {
    let head = file.slice_with_i32_and_i32(0, HEAD).map_err(|_| Failure::Unreadable(None))?;
    let address = format!("{}&preview=true", values_address(id, file, mapping)?);
    read(&signed_in(Request::post(&address), Some(head.into()), true).await?)
}

/// Brings in a file of values.
pub async fn import_values(id: &str, file: &File, mapping: &ValueMapping) -> Result<SignalsReport, Failure> {
    let address = values_address(id, file, mapping)?;
    read(&signed_in(Request::post(&address), Some(file.into()), true).await?)
}

/// Takes a plain value away.
pub fn remove_value(id: &str, signal: &str) -> Call<Nothing> {
    Call::act(Request::delete(&paths::signal(id, signal)))
}

fn values_address(id: &str, file: &File, mapping: &ValueMapping) -> Result<String, Failure> {
    Ok(format!("{}?name={}&mapping={}", paths::values(id), segment(&file.name()), said(mapping)?))
}
