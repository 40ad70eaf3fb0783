//! `/session`, `/sessions`, `/people`, `/users`, `/teams`, `/tokens`, `/shares`: who is who, and who may see what.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::action::Action;
use crate::id::{IncidentId, SessionId, ShareId, TeamId, TokenId, UserId};
use crate::incident::Visibility;
use crate::person::{Person, Role, name_key, owns};
use crate::wire::actions::{emptied, some};
use crate::words::words;

/// Whoever makes the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Me {
    /// The account; null for a service, which a token from the command line is.
    pub user_id: Option<UserId>,
    /// The name that changes are recorded under.
    pub name: String,
    /// The address that one signs in with.
    pub email: Option<String>,
    /// The role, as far as the token used allows it.
    pub role: Role,
    /// Whether customers may be seen.
    pub support: bool,
    /// The names of the teams.
    pub teams: Vec<String>,
    /// The session, where the request came from a browser.
    pub session_id: Option<SessionId>,
    /// Whether a password is set.
    pub has_password: bool,
}

impl Me {
    /// Whether an item is theirs.
    pub fn owns(&self, action: &Action) -> bool {
        let teams: Vec<String> = self.teams.iter().map(|team| name_key(team)).collect();
        self.user_id.as_ref().is_some_and(|user| {
            owns(user, &teams, &action.owner, action.assignee.as_deref(), action.assignee_id.as_ref())
        })
    }
}

/// Signing in: with the secret of a link, or with an address and a password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum SignIn {
    /// With a link, which works once.
    Link(SignInByLink),
    /// With a password.
    Password(SignInByPassword),
}

/// Signing in with a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SignInByLink {
    /// What follows the `#` in the link.
    pub link: String,
    /// Whether whoever else is signed in in this browser is to be signed out. Otherwise the link is refused with 409 and
    /// stays unused, so that nobody becomes somebody else by opening a link.
    #[serde(default)]
    pub instead: bool,
}

/// Signing in with a password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SignInByPassword {
    /// The account's address.
    pub email: String,
    /// Its password.
    pub password: String,
}

/// How one can sign in here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignInOptions {
    /// The name of the identity provider, where one is configured.
    pub oidc: Option<String>,
}

words!(
    /// Why signing in at the identity provider led nowhere: `problem` in the sign-in page's address.
    SignInProblem {
        /// Nothing of the kind is configured.
        NotOffered = "not_offered", "No identity provider is set up here. Sign in with a link or a password.";
        /// It did not answer.
        Unavailable = "unavailable", "The identity provider cannot be reached just now. Try again in a minute, or sign in with a link or a password.";
        /// The attempt is not known, or no longer, or another browser's.
        NotBegun = "not_begun", "This sign-in was not begun in this browser, was used already, or took longer than ten minutes. Begin it again.";
        /// The provider signed nobody in.
        Declined = "declined", "The identity provider did not sign you in. Begin again, or ask whoever looks after it.";
        /// Its answer does not hold.
        Unverified = "unverified", "What the identity provider answered could not be verified. Begin again; if that does not help, the server’s log says why.";
        /// No group gives them a role, and they have no account.
        NoRole = "no_role", "You are known to the identity provider, but nothing there lets you in here. Ask an administrator of Debrief.";
        /// Their account is switched off.
        Disabled = "disabled", "Your account is switched off. Ask an administrator of Debrief to switch it on.";
        /// Their address is another account's.
        AddressTaken = "address_taken", "Your address belongs to an account here that is not known to be yours. Ask an administrator of Debrief.";
    }
);

/// A new password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewPassword {
    /// The password so far; needed where one is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// The new one: 12 characters or more.
    pub password: String,
}

/// A browser that somebody is signed in with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Session {
    /// The session's id.
    pub id: SessionId,
    /// Whose it is.
    pub user: Person,
    /// What the browser calls itself.
    pub agent: String,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When it was last used, to some minutes.
    pub last_seen_at: DateTime<Utc>,
    /// When it ends by itself.
    pub expires_at: DateTime<Utc>,
    /// Whether this very request was made with it.
    pub current: bool,
}

/// An account, as administrators see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct User {
    /// The account's id.
    pub id: UserId,
    /// The version that an edit must name.
    pub version: i64,
    /// The name that is shown.
    pub name: String,
    /// The address that one signs in with, in lower case.
    pub email: Option<String>,
    /// What they may do.
    pub role: Role,
    /// Whether they may see customers.
    pub support: bool,
    /// The names of their teams.
    pub teams: Vec<String>,
    /// Whether the account is switched off.
    pub disabled: bool,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When they last signed in.
    pub last_seen_at: Option<DateTime<Utc>>,
}

/// A new account. The answer holds a link to sign in with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewUser {
    /// The name that is shown.
    pub name: String,
    /// The address to sign in with; without one, only links lead in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// What they may do.
    pub role: Role,
    /// Whether they may see customers.
    #[serde(default)]
    pub support: bool,
}

/// A change to an account: what is absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct UserPatch {
    /// The name that is shown.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub name: Option<String>,
    /// The address to sign in with; null takes it away.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "emptied")]
    pub email: Option<String>,
    /// What they may do.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub role: Option<Role>,
    /// Whether they may see customers.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub support: Option<bool>,
    /// Whether the account is switched off, which ends its sessions and tokens at once.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub disabled: Option<bool>,
}

/// A new account with the link that leads into it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UserMade {
    /// The account.
    pub user: User,
    /// The link, which is shown this once.
    pub sign_in: SignInLink,
}

/// A link that signs somebody in, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignInLink {
    /// The address to open.
    pub url: String,
    /// Until when it works.
    pub expires_at: DateTime<Utc>,
}

/// A team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Team {
    /// The team's id.
    pub id: TeamId,
    /// The version that an edit must name.
    pub version: i64,
    /// Its name, by which action items name their owner.
    pub name: String,
    /// Who belongs to it, by name.
    pub members: Vec<Person>,
}

/// A new team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewTeam {
    /// Its name.
    pub name: String,
    /// Who belongs to it.
    #[serde(default)]
    pub members: Vec<UserId>,
}

/// A change to a team: what is absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TeamPatch {
    /// Its name; action items that name the old one are left as they are.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub name: Option<String>,
    /// All who belong to it from now on.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub members: Option<Vec<UserId>>,
}

/// An API token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Token {
    /// The token's id.
    pub id: TokenId,
    /// What it is for.
    pub name: String,
    /// Whom it acts for; null for a service.
    pub user: Option<Person>,
    /// The most it may do, whatever its person may.
    pub role: Role,
    /// Whether it may see customers.
    pub support: bool,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was last used, to some minutes.
    pub last_used_at: Option<DateTime<Utc>>,
    /// When it ends by itself.
    pub expires_at: Option<DateTime<Utc>>,
}

/// A new token, which acts for whoever makes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// What it is for.
    pub name: String,
    /// The most it may do.
    pub role: Role,
    /// Whether it may see customers; only where its maker may.
    #[serde(default)]
    pub support: bool,
    /// For how many days it works: 1 to 366.
    pub days: u16,
}

/// A new token with its secret, which is shown this once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TokenMade {
    /// The token.
    pub token: Token,
    /// What a program sends as `Authorization: Bearer …`.
    pub secret: String,
}

/// A link under which one incident can be read by whoever has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Share {
    /// The share's id.
    pub id: ShareId,
    /// The incident.
    pub incident_id: IncidentId,
    /// Its short name.
    pub incident_name: String,
    /// With whom, in words.
    pub audience: String,
    /// Who shared it.
    pub created_by: String,
    /// When.
    pub created_at: DateTime<Utc>,
    /// Until when it works.
    pub expires_at: DateTime<Utc>,
}

/// A new share link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewShare {
    /// The incident's id or short name.
    pub incident_id: String,
    /// With whom, in words.
    pub audience: String,
    /// For how many days it works: 1 to 366.
    pub days: u16,
}

/// A new share with its link, which is shown this once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ShareMade {
    /// The share.
    pub share: Share,
    /// The address to open.
    pub url: String,
}

/// Who may see an incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct IncidentAccess {
    /// The version that an edit must name in `If-Match`; in a request it may be left out, and nothing is read from it.
    #[serde(default)]
    pub version: i64,
    /// Everybody, or those named.
    pub visibility: Visibility,
    /// The people named.
    #[serde(default)]
    pub people: Vec<UserId>,
    /// The teams named.
    #[serde(default)]
    pub teams: Vec<TeamId>,
}
