//! `debrief serve`.

use std::net::SocketAddr;

use anyhow::Context;
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

use super::DataFolder;
use crate::app::{App, serve};
use crate::{access, clock, demo};

/// Serve the pages and the API.
///
/// Until accounts exist, anybody who can reach the server may change everything, so only loopback addresses are
/// accepted. The log goes to standard error; `DEBRIEF_LOG` sets its detail (such as `debug`).
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: debrief serve --listen 127.0.0.1:8080 --demo")]
pub struct Serve {
    /// The address and port to listen on; port 0 takes a free one, which is printed
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Load the worked example first, where the data folder holds no incident yet
    #[arg(long)]
    demo: bool,
    #[command(flatten)]
    data: DataFolder,
}

impl Serve {
    /// Runs until interrupted.
    pub async fn run(self) -> anyhow::Result<()> {
        let filter = EnvFilter::try_from_env("DEBRIEF_LOG").unwrap_or_else(|_| EnvFilter::new("info,tower_http=warn"));
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
        let address = access::ensure_loopback(self.listen)?;
        let opened = self.data.open().await?;
        match opened.objects.sweep(clock::now()).await {
            Ok(0) => {}
            Ok(swept) => tracing::info!(swept, "removed what imports that were cut short had left"),
            Err(error) => tracing::warn!(%error, "what earlier imports left behind could not be removed"),
        }
        if self.demo {
            demo::load_where_empty(&opened.store, &opened.objects).await.context("cannot load the worked example")?;
        }
        let listener = TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
        super::print(&format!("listening on http://{}\n", listener.local_addr()?))?;
        let store = opened.store.clone();
        serve(listener, App::new(opened.store, opened.objects), interrupted()).await?;
        store.close().await;
        Ok(())
    }
}

/// Resolves when the process is asked to stop.
async fn interrupted() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending::<()>().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! { () = interrupt => {}, () = terminate => {} }
}
