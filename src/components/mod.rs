//! Widgets that know no page and make no request.

mod ask;
mod badge;
mod cite;
mod fetched;
mod meet;
mod menu;
mod text;

pub use ask::{Ask, AskDialog, Asking, Beside, Field, Kind, Open, Outcome, Refusal, Sending};
pub use badge::{ActionBadge, Badge, ConfidenceBadge, SeverityBadge, StatusBadge};
pub use cite::Cites;
pub use fetched::{Fetched, Loaded};
pub use menu::{PersonMenu, ThemeMenu, ZoneMenu, close_menus_elsewhere};
pub use text::{Html, Line};
