//! How often a password may be tried: a guesser waits, whoever mistypes does not. And how often anybody may set out for the
//! identity provider, since each time is written down.
//!
//! Counted in this process: with several replicas a guesser has as many tries on each.

use std::num::NonZeroU32;

use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};

const FOR_ONE: NonZeroU32 = NonZeroU32::new(10).expect("not zero");
const FOR_ALL: NonZeroU32 = NonZeroU32::new(300).expect("not zero");

/// Enough for a large company on a Monday morning; in the ten minutes that each is kept, some ten thousand at most.
const SET_OUT: NonZeroU32 = NonZeroU32::new(1_000).expect("not zero");

/// Tries so far.
pub struct Attempts {
    each: DefaultKeyedRateLimiter<String>,
    all: DefaultDirectRateLimiter,
    set_out: DefaultDirectRateLimiter,
}

impl Default for Attempts {
    fn default() -> Self {
        Self {
            each: RateLimiter::keyed(Quota::per_minute(FOR_ONE)),
            all: RateLimiter::direct(Quota::per_minute(FOR_ALL)),
            set_out: RateLimiter::direct(Quota::per_minute(SET_OUT)),
        }
    }
}

impl Attempts {
    /// Counts a try for this address; false if it is one too many. One that the address' own limit refuses costs nobody
    /// else theirs.
    pub fn count(&self, email: &str) -> bool {
        self.each.retain_recent();
        self.each.check_key(&email.trim().to_lowercase()).is_ok() && self.all.check().is_ok()
    }

    /// Counts somebody who sets out for the identity provider; false if they are one too many.
    pub fn set_out(&self) -> bool {
        self.set_out.check().is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_set_out_at_once_and_no_more() {
        let attempts = Attempts::default();
        assert!((0..1_000).all(|_| attempts.set_out()));
        // In the meantime a few more may have been let in again.
        assert!((0..1_000).any(|_| !attempts.set_out()));
    }

    #[test]
    fn one_address_is_tried_ten_times_in_a_row_and_no_more() {
        let attempts = Attempts::default();
        for _ in 0..10 {
            assert!(attempts.count("ada@example.com"));
        }
        assert!(!attempts.count(" ADA@example.com"));
        for _ in 0..1000 {
            attempts.count("ada@example.com");
        }
        assert!(attempts.count("bo@example.com"), "who tries one address without end keeps nobody else out");
    }
}
