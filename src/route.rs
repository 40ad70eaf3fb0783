//! The addresses of the pages. Nobody spells one elsewhere.

use domain::wire::paths::segment;

/// The list of incidents.
pub const INCIDENTS: &str = "/";

/// The action items of every incident.
pub const ACTIONS: &str = "/actions";

/// Where one signs in.
pub const SIGN_IN: &str = "/sign-in";

/// People, teams, tokens, shares, sessions, and one's own account.
pub const SETTINGS: &str = "/settings";

/// The name of the query key that says where to go after signing in.
pub const TO: &str = "to";

/// The name of the query key that says why the identity provider signed nobody in.
pub const PROBLEM: &str = "problem";

/// The name of the query key that names the action item of an incident whose form is open.
pub const ITEM: &str = "item";

/// The name of the query key that says how many items of a list were on screen.
pub const ROWS: &str = "rows";

/// The name of the query key that keeps the zone.
pub const ZONE: &str = "zone";

/// A page of the application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Page {
    /// The list of incidents.
    Incidents,
    /// One incident, by its id or short name as the address spells it: escaped.
    Incident(String),
    /// The action items of every incident.
    Actions,
    /// One action item by itself, by its incident's short name and its number there.
    Item(String, String),
    /// Signing in.
    SignIn,
    /// A section of the settings, by its name; without one, the first that the reader may see.
    Settings(String),
    /// A shared incident, by the link's last part as the address spells it.
    Shared(String),
    /// An address that is none of ours.
    Missing,
}

impl Page {
    /// Whether it is for everybody, signed in or not.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::SignIn | Self::Shared(_))
    }

    /// The page at a path; a slash at its end means nothing.
    pub fn at(path: &str) -> Self {
        let mut segments = path.trim_matches('/').split('/');
        match (segments.next(), segments.next(), segments.next()) {
            (Some(""), None, _) => Self::Incidents,
            (Some("incidents"), Some(name), None) => Self::Incident(name.to_owned()),
            (Some("actions"), None, _) => Self::Actions,
            (Some("actions"), Some(name), Some(number)) if segments.next().is_none() => {
                Self::Item(name.to_owned(), number.to_owned())
            }
            (Some("sign-in"), None, _) => Self::SignIn,
            (Some("settings"), section, None) => Self::Settings(section.unwrap_or_default().to_owned()),
            (Some("s"), Some(link), None) => Self::Shared(link.to_owned()),
            _ => Self::Missing,
        }
    }
}

/// The page of one incident.
pub fn incident(name: &str) -> String {
    format!("/incidents/{}", segment(name))
}

/// An incident's page with the form of one of its action items open.
pub fn item(name: &str, number: i64, zone: Option<&str>) -> String {
    let path = with_zone(&incident(name), zone);
    let mark = if zone.is_some() { '&' } else { '?' };
    format!("{path}{mark}{ITEM}={number}")
}

/// The tracker with what is asked of it, in the zone that the reader chose.
pub fn actions(query: &[(&'static str, String)], zone: Option<&str>) -> String {
    let mut path = with_zone(ACTIONS, zone);
    let mut mark = if zone.is_some() { '&' } else { '?' };
    for (key, value) in query {
        path.push(mark);
        path += &[*key, "=", &segment(value)].concat();
        mark = '&';
    }
    path
}

/// One action item by itself.
pub fn item_alone(name: &str, number: i64, zone: Option<&str>) -> String {
    with_zone(&format!("{ACTIONS}/{}/{number}", segment(name)), zone)
}

/// A section of the settings.
pub fn settings(section: &str) -> String {
    format!("{SETTINGS}/{section}")
}

/// Where one signs in to come back to an address.
pub fn sign_in(to: &str) -> String {
    if to == INCIDENTS { SIGN_IN.to_owned() } else { format!("{SIGN_IN}?{TO}={}", segment(to)) }
}

/// Where to go after signing in: only to a page of this application, whatever the address asks for.
pub fn after_sign_in(to: Option<String>) -> String {
    // A browser takes a backslash for a slash and drops tabs and line ends, so //elsewhere has many spellings.
    let is_local = |to: &String| {
        to.starts_with('/') && !to.starts_with("//") && !to.contains(|c: char| c == '\\' || c.is_control())
    };
    let path = |to: &String| to.split(['?', '#']).next().unwrap_or_default().to_owned();
    to.filter(|to| is_local(to) && !Page::at(&path(to)).is_open()).unwrap_or_else(|| INCIDENTS.to_owned())
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
    use domain::wire::paths;

    use super::*;

    #[test]
    fn signing_in_leads_to_pages_of_ours_alone() {
        for to in ["/", "/incidents/INC-1?item=2", "/settings/people", "/nowhere"] {
            assert_eq!(after_sign_in(Some(to.to_owned())), to);
        }
        for to in [
            "//evil.example",
            "/\\evil.example",
            "/\t/evil.example",
            "https://evil.example",
            "evil",
            "",
            "/sign-in?to=/",
        ] {
            assert_eq!(after_sign_in(Some(to.to_owned())), INCIDENTS, "{to}");
        }
        assert_eq!(after_sign_in(None), INCIDENTS);
        assert_eq!(sign_in("/incidents/INC-1?item=2"), "/sign-in?to=%2Fincidents%2FINC-1%3Fitem%3D2");
        assert_eq!(sign_in(INCIDENTS), "/sign-in");
    }

    #[test]
    fn a_path_is_one_page() {
        assert_eq!(Page::at("/sign-in"), Page::SignIn);
        assert_eq!(Page::at("/settings"), Page::Settings(String::new()));
        assert_eq!(Page::at(&settings("people")), Page::Settings("people".into()));
        assert_eq!(Page::at("/s/dbv_abc"), Page::Shared("dbv_abc".into()));
        assert_eq!(Page::at("/s"), Page::Missing);
        assert_eq!(Page::at(INCIDENTS), Page::Incidents);
        assert_eq!(Page::at(ACTIONS), Page::Actions);
        assert_eq!(item("INC-1", 2, Some("local")), "/incidents/INC-1?zone=local&item=2");
        assert_eq!(item("INC-1", 2, None), "/incidents/INC-1?item=2");
        let query = [("q", "a b".to_owned()), ("due", "week".to_owned())];
        assert_eq!(actions(&query, None), "/actions?q=a%20b&due=week");
        assert_eq!(actions(&query[1..], Some("local")), "/actions?zone=local&due=week");
        assert_eq!(actions(&[], None), ACTIONS);
        assert_eq!(Page::at(""), Page::Incidents);
        for path in ["/incidents/INC-1", "/incidents/INC-1/"] {
            assert_eq!(Page::at(path), Page::Incident("INC-1".into()));
        }
        assert_eq!(Page::at(&incident("a/b")), Page::Incident("a%2Fb".into()));
        assert_eq!(Page::at(&item_alone("INC-1", 2, None)), Page::Item("INC-1".into(), "2".into()));
        assert_eq!(item_alone("INC-1", 2, Some("local")), "/actions/INC-1/2?zone=local");
        for path in [
            "/actions/INC-1",
            "/actions/INC-1/2/3",
            "/incidents",
            "/incidents/",
            "/incidents/INC-1/more",
            "/nowhere",
            &paths::incident("INC-1"),
        ] {
            assert_eq!(Page::at(path), Page::Missing, "{path}");
        }
    }
}
