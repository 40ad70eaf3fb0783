//! What Debrief knows about incidents: the nouns, their rules, and the JSON contract.
//!
//! Pure: serde and chrono only. No I/O, no clock, no framework may appear here, since the server and the browser
//! both compile it. Whoever needs "now" or "today" passes it in.

pub mod action;
pub mod claim;
pub mod cohort;
pub mod comparison;
pub mod criterion;
pub mod deploy;
pub mod derived;
pub mod draft;
pub mod evidence;
pub mod filter;
pub mod flag;
pub mod hint;
mod id;
pub mod impact;
pub mod import;
pub mod incident;
pub mod interval;
pub mod load_test;
pub mod mapping;
pub mod message;
pub mod person;
pub mod prose;
pub mod quantity;
pub mod signal;
pub mod timeline;
pub mod verification;
pub mod wire;
mod words;

pub use id::{
    ActionId, ClaimId, DeployId, EvidenceNumber, FlagChangeId, ImpactId, ImportId, IncidentId, NoteId, SessionId,
    ShareId, SignalId, TeamId, TimelineEntryId, TokenId, UserId, VerificationId,
};
pub use words::UnknownWord;
