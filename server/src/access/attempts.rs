//! How often a password may be tried: a guesser waits, whoever mistypes does not.
//!
//! Counted in this process: with several replicas a guesser has as many tries on each.

use std::num::NonZeroU32;

use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};

const FOR_ONE: NonZeroU32 = NonZeroU32::new(10).expect("not zero");
const FOR_ALL: NonZeroU32 = NonZeroU32::new(300).expect("not zero");

/// Tries so far.
pub struct Attempts {
    each: DefaultKeyedRateLimiter<String>,
    all: DefaultDirectRateLimiter,
}

impl Default for Attempts {
    fn default() -> Self {
        Self {
            each: RateLimiter::keyed(Quota::per_minute(FOR_ONE)),
            all: RateLimiter::direct(Quota::per_minute(FOR_ALL)),
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
}

#[cfg(test)]
mod tests {
    use super::*;

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
