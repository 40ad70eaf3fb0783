//! The running application: what every request handler shares, and how it is served.

use std::ops::Deref;
use std::sync::Arc;

use domain::wire::access::SignInOptions;
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
    /// The Prometheus servers that are known.
    pub prometheus: Option<Servers>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { oidc: None, upload_limit: UPLOAD_LIMIT, evidence_limit: EVIDENCE_LIMIT, prometheus: None }
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
        let Settings { oidc, upload_limit, evidence_limit, prometheus } = settings;
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
pub async fn serve(
    listener: TcpListener,
    app: App,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    app.live.begin(&app.store).await.map_err(std::io::Error::other)?;
    let live = app.live.clone();
    let stop = async move {
        stop.await;
        live.stop();
    };
    // Given the router itself, axum copies all of its routes for each connection: megabytes for every open page.
    let shared = routes::router(app).into_make_service();
    axum::serve(listener, shared).with_graceful_shutdown(stop).await
}
