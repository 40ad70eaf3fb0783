//! The server of Debrief: JSON API, storage, importers, exports, and the built front end.

pub mod access;
pub mod app;
pub mod claims;
pub mod cli;
pub mod clock;
pub mod cohort;
pub mod dashboard;
pub mod demo;
pub mod digest;
pub mod export;
pub mod history;
pub mod import;
pub mod item;
pub mod live;
pub mod prometheus;
pub mod routes;
pub mod store;
mod sweep;
pub mod text;
pub mod turn;
mod unseen;
pub mod web;
mod zone;
