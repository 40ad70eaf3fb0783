//! Signing in at an identity provider: what is configured, and what the provider's claims make of somebody. Pure.

use domain::person::Role;
use openidconnect::url::{Host, Url};
use serde_json::{Map, Value};

use super::names::MAX_NAME;
use crate::unseen::{is_seen, is_unseen};

/// The most bytes of a path that one is led back to.
const MAX_PATH: usize = 2000;

/// What is configured of the identity provider.
#[derive(Clone)]
pub struct OidcConfig {
    /// The provider's address: what its tokens name as their issuer.
    pub issuer: String,
    /// What this server is called there.
    pub client_id: String,
    /// What this server proves itself with there.
    pub client_secret: String,
    /// What people call the provider.
    pub name: String,
    /// The scopes asked for, beside `openid`.
    pub scopes: Vec<String>,
    /// Where the provider sends people back to.
    pub redirect: String,
    /// Who may do what.
    pub rules: Rules,
}

/// What a group at the provider gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// A role.
    Role(Role),
    /// Seeing customers.
    Support,
}

/// Which groups at the provider give what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// The claim that lists the groups: a name, or names parted by dots.
    pub groups_claim: String,
    /// What each group gives.
    pub grants: Vec<(Grant, String)>,
    /// The role of whoever is in none of the groups that give one.
    pub default_role: Option<Role>,
}

/// What the rules make of somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admission {
    /// The role; none where an account that is there already is let in as it is, and no new one is made.
    pub role: Option<Role>,
    /// Whether the role is given anew at each sign-in.
    pub is_role_kept_in_step: bool,
    /// Whether customers may be seen; none where that is not the provider's to say.
    pub support: Option<bool>,
}

/// What the provider vouches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    /// Who this is at the provider, for ever.
    pub subject: String,
    /// The address.
    pub email: Option<String>,
    /// Whether the provider knows that the address is theirs.
    pub is_email_verified: bool,
    /// What to call them.
    pub name: String,
    /// The groups at the provider.
    pub groups: Vec<String>,
}

impl Grant {
    /// Reads `ROLE=GROUP` or `support=GROUP`.
    pub fn parse(text: &str) -> Result<(Self, String), String> {
        let wanted = "write it as ROLE=GROUP, with viewer, member, editor, admin or support for the role";
        let (role, group) = text.split_once('=').ok_or_else(|| wanted.to_owned())?;
        let (role, group) = (role.trim(), group.trim());
        if group.is_empty() {
            return Err(format!("the group is missing; {wanted}"));
        }
        let grant = match role.parse() {
            Ok(role) => Self::Role(role),
            Err(_) if role == "support" => Self::Support,
            Err(_) => return Err(format!("there is no role '{role}'; {wanted}")),
        };
        Ok((grant, group.to_owned()))
    }
}

impl Rules {
    /// What becomes of somebody in these groups; none where they are not let in.
    pub fn admit(&self, groups: &[String]) -> Option<Admission> {
        let given = || self.grants.iter().filter(|(_, group)| groups.contains(group)).map(|(grant, _)| *grant);
        let by_group = given().filter_map(|grant| if let Grant::Role(role) = grant { Some(role) } else { None }).max();
        let is_role_kept_in_step = self.grants.iter().any(|(grant, _)| *grant != Grant::Support);
        let role = by_group.or(self.default_role);
        if is_role_kept_in_step && role.is_none() {
            return None;
        }
        let says_support = self.grants.iter().any(|(grant, _)| *grant == Grant::Support);
        let support = says_support.then(|| given().any(|grant| grant == Grant::Support));
        Some(Admission { role, is_role_kept_in_step, support })
    }
}

/// The groups that a claim lists: an array of texts, or one text. The claim's name is looked for as it is, then as names
/// parted by dots. None where there is no such claim.
pub fn groups(claims: &Map<String, Value>, claim: &str) -> Option<Vec<String>> {
    let found = claims.get(claim).or_else(|| {
        let (first, rest) = claim.split_once('.')?;
        rest.split('.').try_fold(claims.get(first)?, |value, name| value.get(name))
    })?;
    Some(match found {
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Value::String(one) => vec![one.clone()],
        _ => Vec::new(),
    })
}

/// What to call somebody: the first of these that says something, its white space folded.
pub fn shown_name<'a>(candidates: impl IntoIterator<Item = Option<&'a str>>) -> String {
    let folded = |text: &str| {
        let text: String = text.chars().filter(|letter| letter.is_whitespace() || !is_unseen(*letter)).collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let name = candidates.into_iter().flatten().map(folded).find(|name| is_seen(name));
    name.unwrap_or_default().chars().take(MAX_NAME).collect()
}

/// The path on this site that somebody is led back to; `/` for anything that could lead elsewhere.
pub fn local_path(wanted: &str) -> String {
    // Read as a browser reads it, which takes `/\host` and `//host` for another site's address.
    let path = Url::parse("http://here.invalid").ok().and_then(|base| {
        let led = base.join(wanted).ok().filter(|led| led.origin() == base.origin() && wanted.starts_with('/'))?;
        Some(led[openidconnect::url::Position::BeforePath..].to_owned())
    });
    path.filter(|path| !path.starts_with("//") && path.len() <= MAX_PATH).unwrap_or_else(|| "/".to_owned())
}

/// Whether an address can be trusted to be the one it names: TLS, or this machine.
pub fn check_address(address: &str) -> Result<(), String> {
    let url = Url::parse(address).map_err(|error| format!("'{address}' is no address ({error})"))?;
    if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() {
        return Err(format!("'{address}' may hold nothing but scheme, host, port and path"));
    }
    let is_this_machine = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    match url.scheme() {
        "https" => Ok(()),
        "http" if is_this_machine => Ok(()),
        _ => Err(format!("'{address}' must begin with https://; http is for this machine alone")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rules(grants: &[&str], default_role: Option<Role>) -> Rules {
        let grants = grants.iter().map(|grant| Grant::parse(grant).expect("a grant")).collect();
        Rules { groups_claim: "groups".to_owned(), grants, default_role }
    }

    #[test]
    fn groups_give_roles_the_highest_first() {
        use Role::{Admin, Editor, Member, Viewer};
        let mapped = &["admin=ops", "editor=sre", "viewer=staff"][..];
        let with_support = &["editor=sre", "support=desk"][..];
        // Configured grants and default; somebody's groups; role, whether it is kept in step, and support.
        for (grants, default_role, groups, expected) in [
            (mapped, None, &["sre"][..], Some((Some(Editor), true, None))),
            (mapped, None, &["staff", "ops", "sre"], Some((Some(Admin), true, None))),
            (mapped, None, &["elsewhere"], None),
            (mapped, None, &[], None),
            (mapped, None, &["OPS"], None),
            (mapped, Some(Viewer), &[], Some((Some(Viewer), true, None))),
            (mapped, Some(Admin), &["staff"], Some((Some(Viewer), true, None))),
            (with_support, None, &["desk"], None),
            (with_support, None, &["sre"], Some((Some(Editor), true, Some(false)))),
            (with_support, None, &["sre", "desk"], Some((Some(Editor), true, Some(true)))),
            (&["support=desk"], None, &["desk"], Some((None, false, Some(true)))),
            (&["support=desk"], Some(Member), &[], Some((Some(Member), false, Some(false)))),
            (&[], None, &["ops"], Some((None, false, None))),
            (&[], Some(Member), &["ops"], Some((Some(Member), false, None))),
        ] {
            let groups: Vec<String> = groups.iter().map(|&group| group.to_owned()).collect();
            let admitted = rules(grants, default_role)
                .admit(&groups)
                .map(|admitted| (admitted.role, admitted.is_role_kept_in_step, admitted.support));
            assert_eq!(admitted, expected, "{grants:?} {default_role:?} {groups:?}");
        }
    }

    #[test]
    fn a_grant_names_a_role_and_a_group() {
        assert_eq!(Grant::parse("admin=cn=ops,dc=example"), Ok((Grant::Role(Role::Admin), "cn=ops,dc=example".into())));
        assert_eq!(Grant::parse(" support = desk "), Ok((Grant::Support, "desk".into())));
        for wrong in ["admin", "owner=x", "admin=", "=x", "Admin=x"] {
            assert!(Grant::parse(wrong).is_err_and(|error| error.contains("ROLE=GROUP")), "{wrong}");
        }
    }

    #[test]
    fn groups_are_found_wherever_the_claim_puts_them() {
        let claims = json!({
            "groups": ["a", 1, "b"], "role": "one", "https://example.org/groups": ["x"],
            "realm_access": {"roles": ["r"]}, "number": 3
        });
        let claims = claims.as_object().expect("an object");
        for (claim, expected) in [
            ("groups", Some(vec!["a", "b"])),
            ("role", Some(vec!["one"])),
            ("https://example.org/groups", Some(vec!["x"])),
            ("realm_access.roles", Some(vec!["r"])),
            ("number", Some(vec![])),
            ("realm_access.nothing", None),
            ("nothing", None),
        ] {
            let expected = expected.map(|groups| groups.into_iter().map(str::to_owned).collect());
            assert_eq!(groups(claims, claim), expected, "{claim}");
        }
    }

    #[test]
    fn one_is_led_back_to_this_site_alone() {
        for (wanted, path) in [
            ("/incidents/INC-1?zone=utc#top", "/incidents/INC-1?zone=utc#top"),
            ("/", "/"),
            ("/a b/ü", "/a%20b/%C3%BC"),
            ("/x/../y", "/y"),
            ("//evil.example", "/"),
            ("///evil.example", "/"),
            ("/\\evil.example", "/"),
            ("/\t/evil.example", "/"),
            ("/.//evil.example", "/"),
            ("/x/..//evil.example", "/"),
            ("/\n/evil.example", "/"),
            ("https://evil.example/", "/"),
            ("javascript:alert(1)", "/"),
            ("incidents", "/"),
            ("", "/"),
        ] {
            assert_eq!(local_path(wanted), path, "{wanted:?}");
        }
        assert_eq!(local_path(&format!("/{}", "x".repeat(MAX_PATH))), "/");
    }

    #[test]
    fn an_address_is_tls_or_this_machine() {
        for good in ["https://id.example.org", "https://id.example.org/realms/a/", "http://127.0.0.1:9", "http://[::1]"]
        {
            assert_eq!(check_address(good), Ok(()), "{good}");
        }
        for bad in
            ["http://id.example.org", "id.example.org", "", "ftp://x", "https://a?b=c", "https://a#b", "https://u:p@a"]
        {
            assert!(check_address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_name_is_the_first_that_says_something() {
        assert_eq!(shown_name([None, Some("  "), Some(" Ada \n Ferris ")]), "Ada Ferris");
        assert_eq!(shown_name([Some("x".repeat(300).as_str())]).len(), MAX_NAME);
        assert_eq!(shown_name([]), "");
    }
}
