//! Prometheus servers that the operator made known, and asking one of them. Nobody can have any other address asked over
//! HTTP, and nothing that a server is entered with leaves this module.

mod ask;
mod config;

pub use ask::AskError;
pub use config::{FILE_NAME, read_file};

use domain::wire::signals::PrometheusServer;
use openidconnect::url::Url;

/// What this program proves itself with.
enum Access {
    /// Nothing.
    Open,
    /// A token.
    Bearer(String),
    /// A name and a password.
    Basic(String, String),
}

/// A Prometheus server.
pub struct Known {
    name: String,
    address: Url,
    access: Access,
}

/// The Prometheus servers that are known, and what asks them.
pub struct Servers {
    known: Vec<Known>,
    http: reqwest::Client,
}

impl Servers {
    /// These servers; none is asked yet.
    pub fn new(known: Vec<Known>) -> Result<Self, String> {
        Ok(Self { known, http: ask::client()? })
    }

    /// What each is called and where it is.
    pub fn told(&self) -> Vec<PrometheusServer> {
        let told = |known: &Known| PrometheusServer {
            name: known.name.clone(),
            address: known.address.as_str().trim_end_matches('/').to_owned(),
        };
        self.known.iter().map(told).collect()
    }

    /// The server of this name.
    fn named(&self, name: &str) -> Option<&Known> {
        self.known.iter().find(|known| known.name == name)
    }
}
