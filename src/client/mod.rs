//! One function for each endpoint; the only maker of requests.

pub mod actions;
pub mod incidents;
mod json;

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
    let text = json::written(body).ok_or(Failure::Unreachable)?;
    let request = request.header("content-type", "application/json").body(text).map_err(|_| Failure::Unreachable)?;
    read(request.send().await.map_err(|_| Failure::Unreachable)?).await
}

async fn read<T: DeserializeOwned>(response: Response) -> Result<T, Failure> {
    let text = response.text().await.map_err(|_| Failure::Unreachable)?;
    if response.ok() {
        return json::parsed(&text).ok_or(Failure::Unreachable);
    }
    Err(json::parsed::<Problem>(&text).map_or(Failure::Unreachable, |problem| Failure::Refused(Box::new(problem))))
}
