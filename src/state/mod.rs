//! What outlives a page: the address, who is signed in, the zone, the theme, today's date.

pub mod address;
pub mod clock;
pub mod session;
pub mod theme;
pub mod zone;
