//! Bringing files in: looked at first, then sent with what is on its way told.

use domain::evidence::EvidenceKind;
use domain::mapping::Mapping;
use domain::wire::imports::ImportRemoval;
use domain::wire::page::Page;
use domain::wire::paths::{self, segment};
use domain::wire::problem::Problem;
use domain::wire::signals::{NewSignals, PrometheusServer, SignalsReport, ValueMapping};
use gloo_net::http::Request;
use leptos::prelude::{Callable, Callback};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{File, ProgressEvent, XmlHttpRequest};

use super::{Call, Failure, Nothing, SIGNED_OUT, get, json, signed_in};

/// How many bytes of a file are sent to be looked at.
const HEAD: i32 = 1 << 20;

/// Where a file goes; what the answer is says who names it.
pub struct Destination {
    address: String,
    /// Whether its beginning is enough.
    head: bool,
}

impl Destination {
    fn whole(address: String) -> Self {
        Self { address, head: false }
    }

    fn head(address: String) -> Self {
        Self { address, head: true }
    }

    /// Sends a file there to be looked at; the text of the answer.
    pub async fn look(self, file: &File) -> Result<String, Failure> {
        let body = if self.head {
            file.slice_with_i32_and_i32(0, HEAD).map_err(|_| Failure::Unreadable(None))?.into()
        } else {
            file.into()
        };
        signed_in(Request::post(&self.address), Some(body), true).await.map(|(_, text)| text)
    }

    /// Sends a file there, and tells how many hundredths of it are sent, and then the text of the answer. `fetch` does not
    /// tell how much of a body has been sent, so this is the older way.
    pub fn send(
        &self,
        file: &File,
        sent: Callback<u32>,
        done: Callback<Result<String, Failure>>,
    ) -> Result<Upload, Failure> {
        let begin = || {
            let request = XmlHttpRequest::new()?;
            request.open("POST", &self.address)?;
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

fn outcome(request: &XmlHttpRequest) -> Result<String, Failure> {
    let status = request.status().unwrap_or_default();
    let text = request.response_text().ok().flatten().unwrap_or_default();
    if (200..300).contains(&status) {
        return Ok(text);
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

/// Where a log of attempts is looked at; the answer is an `EventsPreview`.
pub fn look_at_events(id: &str, mapping: &Mapping) -> Result<Destination, Failure> {
    Ok(Destination::head(format!("{}?preview=true&mapping={}", paths::events(id), said(mapping)?)))
}

/// Where a log of attempts is brought in; the answer is an `EventsReport`.
pub fn import_events(id: &str, name: &str, mapping: &Mapping, save_as: &str) -> Result<Destination, Failure> {
    let (name, mapping, save_as) = (segment(name), said(mapping)?, segment(save_as));
    Ok(Destination::whole(format!("{}?name={name}&mapping={mapping}&save_as={save_as}", paths::events(id))))
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

/// Where a list is looked at; the answer is a `ListReport`.
pub fn look_at_list(id: &str, name: &str, list: List, how: &ReadAs) -> Destination {
    Destination::whole(format!("{}&preview=true", list_address(id, name, list, how)))
}

/// Where a list is brought in; the answer is a `ListReport`.
pub fn import_list(id: &str, name: &str, list: List, how: &ReadAs) -> Destination {
    Destination::whole(list_address(id, name, list, how))
}

fn list_address(id: &str, name: &str, list: List, how: &ReadAs) -> String {
    let name = segment(name);
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

/// Where a file is attached as evidence; the answer is an `EvidenceReport`.
pub fn attach(id: &str, name: &str, about: &About) -> Destination {
    Destination::whole(format!(
        "{}?name={}&title={}&kind={}&description={}",
        paths::evidence_files(id),
        segment(name),
        segment(&about.title),
        about.kind,
        segment(&about.description)
    ))
}

/// The Prometheus servers that can be asked.
pub async fn prometheus_servers() -> Result<Page<PrometheusServer>, Failure> {
    get(&paths::prometheus_servers()).await
}

/// What a Prometheus server answers to a question; nothing is kept.
pub fn look_at_answer(id: &str, question: &NewSignals) -> Call<SignalsReport> {
    Call::act(Request::post(&format!("{}?preview=true", paths::values(id)))).with(question)
}

/// Brings in what a Prometheus server answers to a question.
pub fn import_answer(id: &str, question: &NewSignals) -> Call<SignalsReport> {
    Call::act(Request::post(&paths::values(id))).with(question)
}

/// Where a file of values is looked at; the answer is a `SignalsReport`.
pub fn look_at_values(id: &str, name: &str, mapping: &ValueMapping) -> Result<Destination, Failure> {
    Ok(Destination::head(format!("{}&preview=true", values_address(id, name, mapping)?)))
}

/// Where a file of values is brought in; the answer is a `SignalsReport`.
pub fn import_values(id: &str, name: &str, mapping: &ValueMapping) -> Result<Destination, Failure> {
    Ok(Destination::whole(values_address(id, name, mapping)?))
}

/// Takes a plain value away.
pub fn remove_value(id: &str, signal: &str) -> Call<Nothing> {
    Call::act(Request::delete(&paths::signal(id, signal)))
}

fn values_address(id: &str, name: &str, mapping: &ValueMapping) -> Result<String, Failure> {
    Ok(format!("{}?name={}&mapping={}", paths::values(id), segment(name), said(mapping)?))
}
