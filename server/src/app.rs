//! The running application: what every request handler shares, and how it is served.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::Listener;
use domain::wire::access::SignInOptions;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::access::attempts::Attempts;
use crate::access::provider::Provider;
use crate::dashboard::Dashboards;
use crate::live::Live;
use crate::prometheus::Servers;
use crate::routes;
use crate::store::Objects;
use crate::store::Store;
use crate::turn::Turn;

/// The most bytes that a file may have which somebody sends, unless told otherwise: 4 GiB.
pub const UPLOAD_LIMIT: u64 = 4 << 30;

/// The most bytes that a file may have which is to be evidence, unless told otherwise: 10 MiB.
pub const EVIDENCE_LIMIT: usize = 10 << 20;

/// How long a connection may send nothing that is waited for, unless told otherwise.
const PATIENCE: Duration = Duration::from_mins(1);

/// How many files are imported at once.
const IMPORTS_AT_ONCE: usize = 2;

/// The running application. Clones are one and the same: each request takes many.
#[derive(Clone)]
pub struct App(Arc<Shared>);

/// What every handler shares. Nothing here is state that another replica would need.
pub struct Shared {
    /// The database.
    pub store: Store,
    /// The imported files.
    pub objects: Objects,
    /// Dashboards as they were last answered.
    pub dashboards: Dashboards,
    /// Changes, told to open pages.
    pub live: Arc<Live>,
    /// Whose turn it is to compute from the imported files.
    pub computing: Arc<Turn>,
    /// The address that people reach this server under, without a slash at its end.
    pub url: Box<str>,
    /// How often somebody may try a password.
    pub attempts: Attempts,
    /// Lets one long answer be written at a time.
    pub long_answers: Semaphore,
    /// The most bytes that a file may have which somebody sends.
    pub upload_limit: u64,
    /// The most bytes that a file may have which is to be evidence.
    pub evidence_limit: usize,
    /// How long a connection may send nothing that is waited for.
    pub patience: Duration,
    /// Turns at importing files.
    pub imports: Arc<Semaphore>,
    /// Where people may sign in instead, if such a place is configured.
    pub oidc: Option<Provider>,
    /// The Prometheus servers that are known; none where there is none.
    pub prometheus: Option<Servers>,
}

/// What can be set.
pub struct Settings {
    /// Where people may sign in instead.
    pub oidc: Option<Provider>,
    /// The most bytes that a file may have which somebody sends.
    pub upload_limit: u64,
    /// The most bytes that a file may have which is to be evidence.
    pub evidence_limit: usize,
    /// How long a connection may send nothing that is waited for.
    pub patience: Duration,
    /// The Prometheus servers that are known.
    pub prometheus: Option<Servers>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            oidc: None,
            upload_limit: UPLOAD_LIMIT,
            evidence_limit: EVIDENCE_LIMIT,
            patience: PATIENCE,
            prometheus: None,
        }
    }
}

impl Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl App {
    /// An application on this store and these objects, reached under this address, where people may also sign in at this
    /// provider.
    pub fn new(store: Store, objects: Objects, url: &str, provider: Option<Provider>) -> Self {
        Self::with(store, objects, url, Settings { oidc: provider, ..Settings::default() })
    }

    /// An application on this store and these objects, reached under this address, with these settings.
    pub fn with(store: Store, objects: Objects, url: &str, settings: Settings) -> Self {
        let Settings { oidc, upload_limit, evidence_limit, patience, prometheus } = settings;
        Self(Arc::new(Shared {
            store,
            objects,
            dashboards: Dashboards::default(),
            live: Arc::default(),
            computing: Arc::default(),
            url: url.trim_end_matches('/').into(),
            attempts: Attempts::default(),
            long_answers: Semaphore::new(1),
            upload_limit,
            evidence_limit,
            patience,
            imports: Arc::new(Semaphore::new(IMPORTS_AT_ONCE)),
            oidc,
            prometheus,
        }))
    }

    /// How one can sign in here.
    pub fn sign_in_options(&self) -> SignInOptions {
        SignInOptions { oidc: self.oidc.as_ref().map(|provider| provider.config().name.clone()) }
    }

    /// Whether people reach this server over TLS, so that cookies may be for TLS alone.
    pub fn is_secure(&self) -> bool {
        self.url.starts_with("https://")
    }
}

/// Serves until `stop` resolves, then ends the open streams and lets other requests under way finish.
///
/// A connection that does not send its next request in time is closed, whether nothing of it came or a half; a body that stops
/// arriving is answered with 408.
pub async fn serve(
    mut listener: TcpListener,
    app: App,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    app.live.begin(&app.store).await.map_err(std::io::Error::other)?;
    let (live, patience) = (app.live.clone(), app.patience);
    // Made ready once: otherwise all of its routes are copied for each connection, megabytes for every open page.
    let router = routes::router(app).with_state::<()>(());
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(patience);
    let (graceful, mut stop) = (GracefulShutdown::new(), std::pin::pin!(stop));
    loop {
        let (stream, _) = tokio::select! {
            accepted = Listener::accept(&mut listener) => accepted,
            () = &mut stop => break,
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended before its time");
            }
        });
    }
    drop(listener);
    live.stop();
    graceful.shutdown().await;
    Ok(())
}
