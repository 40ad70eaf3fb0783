//! The server's tests against a real store, a real PostgreSQL, a real server and the real program.

mod actions;
mod cli;
mod incidents;
mod pages;
mod postgres;
mod proofs;
mod server;
#[macro_use]
mod store;
mod tracker;
mod tracker_store;
