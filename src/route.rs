//! The addresses of the pages. Nobody spells one elsewhere.

use domain::wire::paths::segment;

/// The list of incidents.
pub const INCIDENTS: &str = "/";

/// The name of the query key that keeps the zone.
pub const ZONE: &str = "zone";

/// The page of one incident.
pub fn incident(name: &str) -> String {
    format!("/incidents/{}", segment(name))
}

/// A page's address with the zone that the reader chose.
pub fn with_zone(path: &str, zone: Option<&str>) -> String {
    match zone {
        Some(zone) => format!("{path}?{ZONE}={}", segment(zone)),
        None => path.to_owned(),
    }
}
