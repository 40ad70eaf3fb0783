//! One function for each endpoint; the only maker of requests.

pub mod actions;
pub mod incidents;

use domain::wire::problem::Problem;
use gloo_net::http::{Request, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Why a request brought no answer that can be used.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// The server refused, and says why.
    Refused(Box<Problem>),
    /// The server could not be reached, or its answer could not be read.
    Unreachable,
}

impl Failure {
    /// A sentence for people.
    pub fn message(&self) -> String {
        match self {
            Self::Refused(problem) => problem.detail.clone(),
            Self::Unreachable => "The server cannot be reached. Nothing was lost; try again.".to_owned(),
        }
    }

    /// What the server says of the field at this pointer.
    pub fn at(&self, pointer: &str) -> Option<String> {
        match self {
            Self::Refused(problem) => {
                problem.errors.iter().find(|error| error.pointer == pointer).map(|error| error.message.clone())
            }
            Self::Unreachable => None,
        }
    }
}

async fn get<T: DeserializeOwned>(address: &str) -> Result<T, Failure> {
    read(Request::get(address).send().await.map_err(|_| Failure::Unreachable)?).await
}

async fn send<T: DeserializeOwned, B: Serialize>(
    request: gloo_net::http::RequestBuilder,
    body: &B,
) -> Result<T, Failure> {
    let text = written(body).ok_or(Failure::Unreachable)?;
    let request = request.header("content-type", "application/json").body(text).map_err(|_| Failure::Unreachable)?;
    read(request.send().await.map_err(|_| Failure::Unreachable)?).await
}

/// JSON by way of the browser's own writer: the chart's options take that road too, and a second one would weigh 16 KB.
fn written<B: Serialize>(body: &B) -> Option<String> {
    let value = body.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).ok()?;
    js_sys::JSON::stringify(&value).ok()?.as_string()
}

/// JSON by way of the browser's own reader.
async fn parsed<T: DeserializeOwned>(response: &Response) -> Option<T> {
    let value = js_sys::JSON::parse(&response.text().await.ok()?).ok()?;
    serde_wasm_bindgen::from_value(value).ok()
}

async fn read<T: DeserializeOwned>(response: Response) -> Result<T, Failure> {
    if response.ok() {
        return parsed(&response).await.ok_or(Failure::Unreachable);
    }
    match parsed::<Problem>(&response).await {
        Some(problem) => Err(Failure::Refused(Box::new(problem))),
        None => Err(Failure::Unreachable),
    }
}
