//! The server's tests against a real store, a real PostgreSQL, a real server and the real program.

mod access;
mod actions;
mod attested;
mod bucket;
mod changes;
mod claims;
mod cli;
mod cohort;
mod events;
mod files;
mod identities;
mod imports;
mod incidents;
mod leaks;
mod once;
mod pages;
mod people;
mod postgres;
mod prometheus;
mod proofs;
mod schema;
mod secrets;
mod server;
mod sessions;
mod signals;
#[macro_use]
mod store;
mod tracker;
mod tracker_store;
mod turns;
mod values;
mod verified;
mod versions;
mod world;
