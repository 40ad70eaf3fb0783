//! Identifiers. They are opaque: nothing may read a meaning out of one.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps a text that is already known to be an id of this kind.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The id as it stands in a URL.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// An incident. Its short name (`INC-1`) is accepted in its place wherever an id is.
    IncidentId
);
id!(
    /// An impact measure.
    ImpactId
);
id!(
    /// A timeline entry.
    TimelineEntryId
);
id!(
    /// An action item.
    ActionId
);
id!(
    /// A claim: a figure bound to a computation.
    ClaimId
);
id!(
    /// A progress note of an action item.
    NoteId
);
id!(
    /// A signal.
    SignalId
);
id!(
    /// One change of a feature flag.
    FlagChangeId
);
id!(
    /// One deploy of a service.
    DeployId
);
id!(
    /// A file that was imported into an incident.
    ImportId
);

id!(
    /// An accepted verification.
    VerificationId
);
id!(
    /// A person's account.
    UserId
);
id!(
    /// A team.
    TeamId
);
id!(
    /// A browser that somebody signed in with.
    SessionId
);
id!(
    /// An API token; the token itself is shown once and is not this.
    TokenId
);
id!(
    /// A share link; the link itself is shown once and is not this.
    ShareId
);

/// The number under which an incident's text cites a piece of evidence, from 1.
pub type EvidenceNumber = u32;
