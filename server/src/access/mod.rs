//! Who may do what. No SQL here, and no route.
//!
//! `policy` decides; `names` says what one may be called; `secret`, `password` and the identity provider are how somebody proves who they are. `provider` alone
//! speaks to another machine.

pub mod attempts;
pub mod names;
pub mod oidc;
pub mod password;
pub mod policy;
pub mod provider;
pub mod secret;

use chrono::{DateTime, TimeDelta, Utc};
use domain::person::Role;
use domain::wire::access::Me;
use domain::{SessionId, TokenId, UserId};

use crate::store::{KnownSession, KnownToken, Sees, Store, StoreError};

/// How long a sign-in link works.
pub const LINK_LASTS: TimeDelta = TimeDelta::days(3);

/// Whoever makes a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The account; none for a service.
    pub user: Option<UserId>,
    /// The name that changes are recorded under.
    pub name: String,
    /// The address that one signs in with.
    pub email: Option<String>,
    /// What may be done.
    pub role: Role,
    /// Whether customers may be seen.
    pub support: bool,
    /// The names of the teams.
    pub teams: Vec<String>,
    /// The session, where a browser asks.
    pub session: Option<SessionId>,
    /// The token, where a program asks.
    pub token: Option<Bearer>,
    /// Whether a password is set.
    pub has_password: bool,
}

/// The token that a program asks with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bearer {
    /// Which.
    pub id: TokenId,
    /// The most it may do, whatever its person may.
    pub role: Role,
}

/// What somebody proves with who they are: the digest of a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// A program's token.
    Token(String),
    /// A browser's session.
    Session(String),
}

/// Whoever a credential stands for, as long as it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Who.
    pub principal: Principal,
    /// When the credential ends by itself.
    pub until: Option<DateTime<Utc>>,
}

impl Credential {
    /// Whoever it stands for; none where it does not hold.
    pub async fn holder(&self, store: &Store, now: DateTime<Utc>) -> Result<Option<Holder>, StoreError> {
        Ok(match self {
            Self::Token(digest) => store
                .known_token(digest, now)
                .await?
                .map(|token| Holder { until: token.until, principal: token.into() }),
            Self::Session(digest) => store
                .known_session(digest, now)
                .await?
                .map(|session| Holder { until: Some(session.until), principal: session.into() }),
        })
    }
}

impl Principal {
    /// Whose list somebody sees.
    pub fn sees(&self) -> Sees<'_> {
        match &self.user {
            _ if self.role == Role::Admin => Sees::All,
            Some(user) => Sees::As(user),
            None => Sees::Open,
        }
    }

    /// The same, as the wire tells it.
    pub fn me(&self) -> Me {
        Me {
            user_id: self.user.clone(),
            name: self.name.clone(),
            email: self.email.clone(),
            role: self.role,
            support: self.support,
            teams: self.teams.clone(),
            session_id: self.session.clone(),
            has_password: self.has_password,
        }
    }
}

impl From<KnownSession> for Principal {
    fn from(session: KnownSession) -> Self {
        let user = session.user;
        Self {
            user: Some(user.id),
            name: user.name,
            email: user.email,
            role: user.role,
            support: user.support,
            teams: user.teams,
            session: Some(session.id),
            token: None,
            has_password: session.has_password,
        }
    }
}

impl From<KnownToken> for Principal {
    /// A token may do what both it and its person may.
    fn from(token: KnownToken) -> Self {
        let bearer = Some(Bearer { id: token.id, role: token.role });
        match token.user {
            Some(user) => Self {
                user: Some(user.id),
                name: user.name,
                email: user.email,
                role: user.role.min(token.role),
                support: user.support && token.support,
                teams: user.teams,
                session: None,
                token: bearer,
                has_password: false,
            },
            None => Self {
                user: None,
                name: token.name,
                email: None,
                role: token.role,
                support: token.support,
                teams: Vec::new(),
                session: None,
                token: bearer,
                has_password: false,
            },
        }
    }
}
