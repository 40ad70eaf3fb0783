//! Sweeping: what imports that were cut short left behind, and kept bytes that nothing names any more.

use std::time::Duration;

use crate::clock;
use crate::store::{Objects, Store};

/// How long between two sweeps.
const PAUSE: Duration = Duration::from_mins(10);

/// Sweeps at once and then again and again, beside whatever else the server does.
pub async fn sweep_regularly(store: Store, objects: Objects) {
    loop {
        sweep(&store, &objects).await;
        tokio::time::sleep(PAUSE).await;
    }
}

async fn sweep(store: &Store, objects: &Objects) {
    let now = clock::now();
    match objects.sweep(now).await {
        Ok(0) => {}
        Ok(swept) => tracing::info!(swept, "removed what imports that were cut short had left"),
        Err(error) => tracing::warn!(%error, "what earlier imports left behind could not be removed"),
    }
    match store.sweep_objects(objects, now).await {
        Ok(0) => {}
        Ok(swept) => tracing::info!(swept, "removed files that nothing names any more"),
        Err(error) => tracing::warn!(%error, "files that nothing names any more could not be removed"),
    }
    match store.sweep_bins(now).await {
        Ok(0) => {}
        Ok(swept) => tracing::info!(swept, "removed bins that no signal has"),
        Err(error) => tracing::warn!(%error, "bins that no signal has could not be removed"),
    }
}
