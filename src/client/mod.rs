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
    /// The server could not be reached.
    Unreachable,
    /// An answer came that is none of this server's, or of another version; with its HTTP status, if it had one.
    Unreadable(Option<u16>),
}

impl Failure {
    /// A sentence for people.
    pub fn message(&self) -> String {
        match self {
            Self::Refused(problem) => problem.detail.clone(),
            Self::Unreachable => {
                "The server cannot be reached. What you typed is still here: check the connection, then \
                                  try again."
                    .to_owned()
            }
            Self::Unreadable(status) => {
                let status = status.map_or_else(String::new, |status| format!(" (HTTP status {status})"));
                format!(
                    "The answer{status} is not one that this page understands. Try again in a minute; if that does not \
                     help, copy what you typed and load the page again."
                )
            }
        }
    }

    /// What the server says of the field at this pointer.
    pub fn at(&self, pointer: &str) -> Option<String> {
        match self {
            Self::Refused(problem) => {
                problem.errors.iter().find(|error| error.pointer == pointer).map(|error| error.message.clone())
            }
            Self::Unreachable | Self::Unreadable(_) => None,
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
    let text = json::written(body).ok_or(Failure::Unreadable(None))?;
    let request =
        request.header("content-type", "application/json").body(text).map_err(|_| Failure::Unreadable(None))?;
    read(request.send().await.map_err(|_| Failure::Unreachable)?).await
}

async fn read<T: DeserializeOwned>(response: Response) -> Result<T, Failure> {
    let unreadable = Failure::Unreadable(Some(response.status()));
    let Ok(text) = response.text().await else { return Err(Failure::Unreachable) };
    if response.ok() {
        return json::parsed(&text).ok_or(unreadable);
    }
    Err(json::parsed::<Problem>(&text).map_or(unreadable, |problem| Failure::Refused(Box::new(problem))))
}
