//! The server's tests against a real store, a real PostgreSQL, a real server and the real program.

mod actions;
mod cli;
mod incidents;
mod once;
mod pages;
mod postgres;
mod proofs;
mod schema;
mod server;
mod sessions;
mod store;
