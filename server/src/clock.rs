//! The only reader of the time; everything else is told it.

use chrono::{DateTime, SubsecRound, Utc};

/// The time now, to the millisecond that is stored.
pub fn now() -> DateTime<Utc> {
    Utc::now().trunc_subsecs(3)
}
