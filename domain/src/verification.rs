//! Verification: how it is known that an action item works.

use serde::{Deserialize, Serialize};

/// The proof that an action item asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Verification {
    /// What must hold, in words; empty where nobody has said.
    pub criterion: String,
}
