//! The server's tests against a real store and a real PostgreSQL.

mod postgres;
mod store;
