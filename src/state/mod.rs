//! What outlives a page: the address, the zone, the theme, today's date.

pub mod address;
pub mod clock;
pub mod theme;
pub mod zone;
