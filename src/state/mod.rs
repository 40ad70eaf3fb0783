//! What outlives a page: the address, the title, who is signed in, the zone, the theme, the time.

pub mod address;
pub mod clock;
pub mod place;
pub mod session;
pub mod theme;
pub mod zone;
