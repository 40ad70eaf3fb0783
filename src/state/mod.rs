//! What outlives a page: the address, who is signed in, what changes, the zone, the theme, today's date.

pub mod address;
pub mod clock;
pub mod live;
pub mod session;
pub mod theme;
pub mod zone;
