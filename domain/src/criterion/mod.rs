//! Reading a criterion: what its words propose to measure, or whose word they ask for.
//!
//! A person confirms every proposal, and none is better than a wrong one: whatever is ambiguous (two thresholds, a
//! missing unit, a condition rather than a demand) proposes nothing.

mod attester;
mod threshold;
mod token;
mod words;

use crate::verification::VerificationKind;
use threshold::Found;
pub(crate) use words::unit_of;

/// Longer texts are no criterion, and propose nothing.
const MAX_BYTES: usize = 4096;

/// Proposes how it may be told whether a criterion holds.
pub fn propose(criterion: &str) -> Option<VerificationKind> {
    if criterion.len() > MAX_BYTES {
        return None;
    }
    let tokens = token::read(criterion);
    match (threshold::find(&tokens), attester::find(&tokens)) {
        (Found::One(measured), None) => Some(VerificationKind::Measured(measured)),
        (Found::None, Some(attested)) => Some(VerificationKind::Attested(attested)),
        // Nothing, or more than one kind can say.
        _ => None,
    }
}
