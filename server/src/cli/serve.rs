//! `debrief serve`.

use std::net::SocketAddr;

use anyhow::Context;
use domain::person::Role;
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

use super::DataFolder;
use crate::app::{App, EVIDENCE_LIMIT, Settings, UPLOAD_LIMIT, serve};
use crate::store::{By, NewAccount, Store};
use crate::sweep::sweep_regularly;
use crate::{clock, demo};

/// Serve the pages and the API.
///
/// The first start makes an administrator and prints a link that signs one in, once; so does each later start until
/// an administrator has signed in. The log goes to standard error; `DEBRIEF_LOG` sets its detail (such as `debug`).
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: debrief serve --listen 127.0.0.1:8080 --demo")]
pub struct Serve {
    /// The address and port to listen on; port 0 takes a free one, which is printed
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The address that people reach the server under, where that is another: it stands in links, and one that begins
    /// with https makes cookies secure
    #[arg(long, value_name = "ADDRESS", env = "DEBRIEF_URL", value_parser = super::web_address)]
    url: Option<String>,
    /// Load the worked example first, where the data folder holds no incident yet
    #[arg(long)]
    demo: bool,
    /// The most MiB that a file may have which somebody sends to be imported
    #[arg(long, value_name = "MIB", env = "DEBRIEF_UPLOAD_LIMIT", default_value_t = UPLOAD_LIMIT >> 20)]
    upload_limit: u64,
    /// The most MiB that a file may have which is to be evidence, such as a picture or a piece of a log
    #[arg(long, value_name = "MIB", env = "DEBRIEF_EVIDENCE_LIMIT", default_value_t = EVIDENCE_LIMIT >> 20)]
    evidence_limit: usize,
    #[command(flatten)]
    data: DataFolder,
    #[command(flatten)]
    prometheus: super::prometheus::PrometheusFile,
    #[command(flatten)]
    oidc: super::oidc::Oidc,
}

impl Serve {
    /// Runs until interrupted.
    pub async fn run(self) -> anyhow::Result<()> {
        let filter = EnvFilter::try_from_env("DEBRIEF_LOG").unwrap_or_else(|_| EnvFilter::new("info,tower_http=warn"));
        // One level further it tells paths, and so the secrets of share links.
        let filter = match "tower_http::csrf=debug".parse() {
            Ok(silence) => filter.add_directive(silence),
            Err(_) => filter,
        };
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
        let address = self.listen;
        let provider = self.oidc.provider(self.url.as_deref())?;
        let prometheus = self.prometheus.servers(&self.data.folder)?;
        let opened = self.data.open().await?;
        tokio::spawn(sweep_regularly(opened.store.clone(), opened.objects.clone()));
        if self.demo {
            demo::load_where_empty(&opened.store, &opened.objects).await.context("cannot load the worked example")?;
        }
        allow_many_connections();
        let listener = TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
        let local = reachable(listener.local_addr()?);
        let url = self.url.unwrap_or_else(|| local.clone());
        super::print(&format!("listening on {local}\n"))?;
        match first_link(&opened.store, &url).await {
            Ok(Some(link)) => super::print(&format!("sign in, once, with {link}\n"))?,
            Ok(None) => {}
            // Whoever has a session can read all the same.
            Err(error) => tracing::error!("no link to sign in with could be made: {error:#}"),
        }
        let store = opened.store.clone();
        let upload_limit = self.upload_limit.saturating_mul(1 << 20);
        let evidence_limit = self.evidence_limit.saturating_mul(1 << 20);
        let settings = Settings {
            oidc: provider,
            upload_limit,
            evidence_limit,
            prometheus: Some(prometheus),
            ..Settings::default()
        };
        let app = App::with(opened.store, opened.objects, &url, settings);
        serve(listener, app, interrupted()).await?;
        store.close().await;
        Ok(())
    }
}

/// Takes as many open files as the system grants: each page that is open for live updates is one, and 1,024 is a usual
/// start.
fn allow_many_connections() {
    if let Err(error) = rlimit::increase_nofile_limit(u64::MAX) {
        tracing::warn!(%error, "the limit of open files stays as it is; it bounds how many pages can be open");
    }
}

/// The address that a browser on this machine reaches the server under.
fn reachable(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        format!("http://localhost:{}", address.port())
    } else {
        format!("http://{address}")
    }
}

/// The link that leads the first administrator in, made as long as no administrator has signed in.
async fn first_link(store: &Store, url: &str) -> anyhow::Result<Option<String>> {
    let first = NewAccount { name: "Administrator", email: None, role: Role::Admin, support: false };
    store.create_first_user(&first, By { actor: "first start", now: clock::now() }).await?;
    match store.admin_to_lead_in().await? {
        Some(user) => Ok(Some(super::user::link(store, &user, url).await?)),
        None => Ok(None),
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
