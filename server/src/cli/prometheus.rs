//! Where the command line finds Prometheus servers.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::prometheus::{FILE_NAME, Known, Servers, read_file};

/// The file that makes Prometheus servers known.
#[derive(Debug, Clone, clap::Args)]
pub struct PrometheusFile {
    /// The file that makes Prometheus servers known, with what they are entered with; `prometheus.toml` in the data folder,
    /// if it is there
    #[arg(id = "prometheus_file", long = "prometheus-file", value_name = "FILE", env = "DEBRIEF_PROMETHEUS_FILE")]
    file: Option<PathBuf>,
}

impl PrometheusFile {
    /// The servers that are known.
    pub fn servers(&self, data: &Path) -> anyhow::Result<Servers> {
        servers(self.known(data)?)
    }

    /// A server by its name or its address, and what it is called.
    pub fn find(&self, data: &Path, wanted: &str) -> anyhow::Result<(Servers, String)> {
        if !wanted.contains("://") {
            return Ok((self.servers(data)?, wanted.to_owned()));
        }
        let known = Known::at(wanted).map_err(anyhow::Error::msg).context("--prometheus")?;
        let name = known.name().to_owned();
        Ok((servers(vec![known])?, name))
    }

    fn known(&self, data: &Path) -> anyhow::Result<Vec<Known>> {
        let file = match &self.file {
            Some(file) => file.clone(),
            None => Some(data.join(FILE_NAME)).filter(|file| file.exists()).unwrap_or_default(),
        };
        if file.as_os_str().is_empty() {
            return Ok(Vec::new());
        }
        read_file(&file).map_err(anyhow::Error::msg).context("Prometheus servers cannot be made known")
    }
}

fn servers(known: Vec<Known>) -> anyhow::Result<Servers> {
    Servers::new(known).map_err(anyhow::Error::msg)
}
