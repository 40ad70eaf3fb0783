//! Lists: a page of items, and where the next page begins.

use serde::{Deserialize, Serialize};

/// The items a list answers when the client asks for no number.
pub const DEFAULT_LIMIT: u32 = 50;

/// The most items a list answers; a larger `limit` is clamped.
pub const MAX_LIMIT: u32 = 200;

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Page<T> {
    /// The items, in the list's one stable order.
    pub items: Vec<T>,
    /// The `cursor` of the next page; null on the last.
    pub next: Option<String>,
}
