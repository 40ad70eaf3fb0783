//! Reading incidents.

use domain::filter::IncidentFilter;
use domain::signal::Signal;
use domain::wire::incidents::{Dashboard, IncidentSummary};
use domain::wire::page::Page;
use domain::wire::paths::{self, segment};

use super::{Failure, get};

/// A page of the list.
pub async fn list(filter: &IncidentFilter, cursor: Option<&str>) -> Result<Page<IncidentSummary>, Failure> {
    let parts = [
        ("q", filter.q.clone()),
        ("status", filter.status.map(|status| status.to_string())),
        ("severity", filter.severity.map(|severity| severity.to_string())),
        ("cursor", cursor.map(str::to_owned)),
    ];
    let query: Vec<_> =
        parts.into_iter().filter_map(|(key, value)| Some(format!("{key}={}", segment(&value?)))).collect();
    get(&format!("{}?{}", paths::incidents(), query.join("&"))).await
}

/// The whole dashboard of one incident.
pub async fn dashboard(id: &str) -> Result<Dashboard, Failure> {
    get(&paths::incident(id)).await
}

/// An incident's signals with all of their bins.
pub async fn signals(id: &str) -> Result<Page<Signal>, Failure> {
    get(&paths::signals(id)).await
}

/// The whole dashboard of a shared incident, for whoever has the link.
pub async fn shared(link: &str) -> Result<Dashboard, Failure> {
    get(&paths::shared(link)).await
}

/// A shared incident's signals with all of their bins.
pub async fn shared_signals(link: &str) -> Result<Page<Signal>, Failure> {
    get(&paths::shared_signals(link)).await
}
