//! What outlives a page: the zone, the theme, today's date.

pub mod clock;
pub mod theme;
pub mod zone;
