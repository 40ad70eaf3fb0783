//! The pages, a folder for each area. A page uses no other page.

pub mod actions;
pub mod incident;
pub mod incidents;
pub mod missing;
pub mod settings;
pub mod sign_in;
