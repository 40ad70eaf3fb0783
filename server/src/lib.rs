//! The debrief server: storage, importers, JSON API and the built front end.

pub mod clock;
pub mod import;
pub mod store;
