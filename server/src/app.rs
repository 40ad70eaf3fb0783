//! The running application: what every request handler shares, and how it is served.

use std::sync::Arc;

use tokio::net::TcpListener;

use crate::dashboard::Dashboards;
use crate::routes;
use crate::store::Objects;
use crate::store::Store;

/// What every handler shares. Nothing here is state that another replica would need.
#[derive(Clone)]
pub struct App {
    /// The database.
    pub store: Store,
    /// The imported files.
    pub objects: Objects,
    /// Dashboards as they were last answered.
    pub dashboards: Arc<Dashboards>,
}

impl App {
    /// An application on this store and these objects.
    pub fn new(store: Store, objects: Objects) -> Self {
        Self { store, objects, dashboards: Arc::default() }
    }
}

/// Serves until `stop` resolves, then lets requests under way finish.
pub async fn serve(
    listener: TcpListener,
    app: App,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    axum::serve(listener, routes::router(app)).with_graceful_shutdown(stop).await
}
