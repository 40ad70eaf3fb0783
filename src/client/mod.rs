//! One function for each endpoint; the only maker of requests.

pub mod access;
pub mod actions;
pub mod changes;
pub mod cohort;
mod early;
pub mod history;
pub mod imports;
pub mod incidents;
mod json;
pub mod tracker;

use std::cell::Cell;
use std::marker::PhantomData;

use domain::wire::problem::{FieldError, Problem, ProblemKind};
use gloo_net::http::{Request, RequestBuilder};
use leptos::prelude::{Callable, Callback};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

use crate::components::Refusal;

/// Why a request brought no answer that can be used.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// The server refused, and says why.
    Refused(Box<Problem>),
    /// The server could not be reached.
    Unreachable,
    /// An answer came that is none of this server's, or of another version; with its HTTP status, if it had one.
    Unreadable(Option<u16>),
}

impl Failure {
    /// Whether nobody is signed in.
    pub fn is_signed_out(&self) -> bool {
        self.is(ProblemKind::SignInRequired)
    }

    /// Whether the server refused for this reason.
    pub fn is(&self, kind: ProblemKind) -> bool {
        matches!(self, Self::Refused(problem) if problem.kind == kind)
    }

    /// A sentence for people.
    pub fn message(&self) -> String {
        match self {
            Self::Refused(_) if self.is_signed_out() => {
                "You were signed out. Sign in again in another tab, then save.".to_owned()
            }
            Self::Refused(problem) => sentence(&problem.detail),
            Self::Unreachable => "The server cannot be reached. Check the connection, then try again.".to_owned(),
            Self::Unreadable(status) => {
                let status = status.map_or_else(String::new, |status| format!(" (HTTP status {status})"));
                format!(
                    "The answer{status} is not one that this page understands. Try again in a minute; if that does not \
                     help, load the page again."
                )
            }
        }
    }

    /// The same where something typed was to be saved.
    pub fn unsaved(&self) -> String {
        match self {
            Self::Unreachable | Self::Unreadable(_) => [&self.message(), " What you typed is still here."].concat(),
            Self::Refused(_) => self.message(),
        }
    }

    /// The same for a form that asks in a dialog.
    pub fn refusal(&self) -> Refusal {
        let errors = match self {
            Self::Refused(problem) => problem
                .errors
                .iter()
                .map(|error| FieldError::new(error.pointer.clone(), sentence(&error.message)))
                .collect(),
            Self::Unreachable | Self::Unreadable(_) => Vec::new(),
        };
        Refusal { message: self.unsaved(), errors, now: None }
    }

    /// What the server says of the field at this pointer.
    pub fn at(&self, pointer: &str) -> Option<String> {
        match self {
            Self::Refused(problem) => {
                problem.errors.iter().find(|error| error.pointer == pointer).map(|error| sentence(&error.message))
            }
            Self::Unreachable | Self::Unreadable(_) => None,
        }
    }
}

/// What the server says, as a sentence of its own.
pub fn sentence(detail: &str) -> String {
    let mut letters = detail.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    let end = (!detail.is_empty() && !detail.ends_with(['.', '?', '!', ':'])).then_some('.');
    first.into_iter().chain(letters).chain(end).collect()
}

thread_local! {
    static SIGNED_OUT: Cell<Option<Callback<bool>>> = const { Cell::new(None) };
}

/// Calls this whenever an answer says that nobody is signed in; with `true` where something was to be saved.
pub fn on_signed_out(callback: Callback<bool>) {
    SIGNED_OUT.set(Some(callback));
}

/// Names the version that an edit was made on.
fn on_version(request: RequestBuilder, version: i64) -> RequestBuilder {
    request.header("if-match", &format!("\"{version}\""))
}

async fn get<T: DeserializeOwned>(address: &str) -> Result<T, Failure> {
    read(&signed_in(Request::get(address), None, false).await?)
}

async fn send<T: DeserializeOwned, B: Serialize>(request: RequestBuilder, body: &B) -> Result<T, Failure> {
    let body = json::written(body).ok_or(Failure::Unreadable(None))?;
    read(&signed_in(request, Some(body.into()), true).await?)
}

/// Sends what brings no content back.
async fn send_only(request: RequestBuilder, body: Option<String>) -> Result<(), Failure> {
    signed_in(request, body.map(JsValue::from), true).await.map(|_| ())
}

/// An answer that came: its status and its text.
type Received = (u16, String);

fn read<T: DeserializeOwned>((status, text): &Received) -> Result<T, Failure> {
    json::parsed(text).ok_or(Failure::Unreadable(Some(*status)))
}

/// A request that is ready to be sent, and the type of its answer.
///
/// Forms and lists describe what they ask for with it, and share what sends it: a future for each endpoint would weigh
/// as much as the rest of a form.
pub struct Call<T> {
    request: RequestBuilder,
    body: Option<String>,
    saving: bool,
    answer: PhantomData<fn() -> T>,
}

/// What brings no content back.
pub struct Nothing;

impl<T> Call<T> {
    fn read(address: &str) -> Self {
        Self { request: Request::get(address), body: None, saving: false, answer: PhantomData }
    }

    fn act(request: RequestBuilder) -> Self {
        Self { request, body: None, saving: true, answer: PhantomData }
    }

    fn with<B: Serialize>(mut self, body: &B) -> Self {
        self.body = json::written(body);
        self
    }

    /// The same, for whoever sends it and hands the answer to [`parsed`].
    pub fn untyped(self) -> Call<()> {
        Call { request: self.request, body: self.body, saving: self.saving, answer: PhantomData }
    }
}

impl Call<()> {
    /// Sends it; the text of the answer.
    pub async fn text(self) -> Result<String, Failure> {
        signed_in(self.request, self.body.map(JsValue::from), self.saving).await.map(|(_, text)| text)
    }
}

/// Reads the text of an answer.
pub trait Answer: Sized {
    /// The answer in this text, if it holds one.
    fn parsed(text: &str) -> Option<Self>;
}

impl<T: DeserializeOwned> Answer for T {
    fn parsed(text: &str) -> Option<Self> {
        json::parsed(text)
    }
}

impl Answer for Nothing {
    fn parsed(_: &str) -> Option<Self> {
        Some(Self)
    }
}

/// What only somebody who is signed in can ask; tells where nobody is.
async fn signed_in(request: RequestBuilder, body: Option<JsValue>, saving: bool) -> Result<Received, Failure> {
    let answer = exchange(request, body).await;
    if answer.as_ref().is_err_and(Failure::is_signed_out)
        && let Some(callback) = SIGNED_OUT.get()
    {
        callback.run(saving);
    }
    answer
}

/// Sends a request, with JSON as text or with a file.
async fn exchange(request: RequestBuilder, body: Option<JsValue>) -> Result<Received, Failure> {
    let request = match body {
        Some(text) if text.is_string() => request.header("content-type", "application/json").body(text),
        Some(file) => request.body(file),
        None => request.build(),
    };
    let response = request.map_err(|_| Failure::Unreadable(None))?.send().await.map_err(|_| Failure::Unreachable)?;
    let text = response.text().await.map_err(|_| Failure::Unreachable)?;
    let status = response.status();
    if response.ok() {
        return Ok((status, text));
    }
    Err(json::parsed::<Problem>(&text)
        .map_or(Failure::Unreadable(Some(status)), |problem| Failure::Refused(Box::new(problem))))
}
