//! The addresses of the pages. Nobody spells one elsewhere.

use domain::wire::paths::segment;

/// The list of incidents.
pub const INCIDENTS: &str = "/";

/// The name of the query key that keeps the zone.
pub const ZONE: &str = "zone";

/// A page of the application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Page {
    /// The list of incidents.
    Incidents,
    /// One incident, by its id or short name as the address spells it: escaped.
    Incident(String),
    /// An address that is none of ours.
    Missing,
}

impl Page {
    /// The page at a path; a slash at its end means nothing.
    pub fn at(path: &str) -> Self {
        let mut segments = path.trim_matches('/').split('/');
        match (segments.next(), segments.next(), segments.next()) {
            (Some(""), None, _) => Self::Incidents,
            (Some("incidents"), Some(name), None) => Self::Incident(name.to_owned()),
            _ => Self::Missing,
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_page() {
        assert_eq!(Page::at(INCIDENTS), Page::Incidents);
        assert_eq!(Page::at(""), Page::Incidents);
        for path in ["/incidents/INC-1", "/incidents/INC-1/"] {
            assert_eq!(Page::at(path), Page::Incident("INC-1".into()));
        }
        assert_eq!(Page::at(&incident("a/b")), Page::Incident("a%2Fb".into()));
        for path in ["/incidents", "/incidents/", "/incidents/INC-1/more", "/nowhere", "/api/v1/incidents/INC-1"] {
            assert_eq!(Page::at(path), Page::Missing, "{path}");
        }
    }
}
