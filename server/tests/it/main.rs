//! The server's tests against a real store, a real PostgreSQL, a real server and the real program.

mod actions;
mod changes;
mod cli;
mod incidents;
mod pages;
mod postgres;
mod proofs;
mod server;
mod store;
