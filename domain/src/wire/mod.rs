//! The JSON contract: paths, requests and answers for each resource. Server and browser share these very types.

pub mod access;
pub mod actions;
pub mod changes;
pub mod claims;
pub mod cohort;
pub mod evidence;
pub mod history;
pub mod imports;
pub mod incidents;
pub mod instant;
pub mod page;
pub mod paths;
pub mod problem;
pub mod signals;
pub mod tracker;
pub mod verifications;
