//! What outlives a page: the address, the title, who is signed in, what changes, what is typed, the zone, the theme, the time.

pub mod address;
pub mod clock;
pub mod live;
pub mod place;
pub mod session;
pub mod theme;
pub mod typed;
pub mod zone;
