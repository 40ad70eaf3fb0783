//! What outlives a page: the address, the title, the zone, the theme, the time.

pub mod address;
pub mod clock;
pub mod place;
pub mod theme;
pub mod zone;
