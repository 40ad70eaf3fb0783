//! Attempts, each counted once, however often the files repeat it.

use std::collections::hash_map::{Entry, RandomState};
use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;

use chrono::DateTime;
use domain::signal::Bin;

use super::rows::Row;

/// The length of a bin in seconds.
pub(super) const BIN_SECONDS: u32 = 60;

/// What a row is to the attempts known before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joined {
    /// A new attempt.
    New,
    /// A known attempt with the same content.
    Repeated,
    /// A known attempt with other content.
    Conflicting,
}

/// The attempts known, and their counts by minute.
///
/// Ids are kept as 128-bit hashes under random keys, so that ten million of them fit in memory.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    keys: [RandomState; 2],
    known: HashMap<u128, u64>,
    minutes: BTreeMap<i64, (u64, u64)>,
}

impl Attempts {
    /// Counts a row unless its attempt is known.
    pub(super) fn join(&mut self, row: &Row<'_>) -> Joined {
        let [first, second] = &self.keys;
        let id = u128::from(first.hash_one(row.attempt_id)) << 64 | u128::from(second.hash_one(row.attempt_id));
        let content = first.hash_one((row.at, row.customer_id, row.failed, row.latency));
        match self.known.entry(id) {
            Entry::Occupied(known) if *known.get() == content => return Joined::Repeated,
            Entry::Occupied(_) => return Joined::Conflicting,
            Entry::Vacant(free) => free.insert(content),
        };
        let minute = self.minutes.entry(row.at.div_euclid(i64::from(BIN_SECONDS) * 1000)).or_default();
        minute.0 += u64::from(row.failed);
        minute.1 += 1;
        Joined::New
    }

    /// The bins that hold an attempt, in order of time.
    pub(super) fn bins(&self) -> Vec<Bin> {
        let minutes = self.minutes.iter();
        minutes
            .filter_map(|(&minute, &(numerator, denominator))| {
                let at = DateTime::from_timestamp(minute * i64::from(BIN_SECONDS), 0)?;
                Some(Bin { at, numerator, denominator })
            })
            .collect()
    }
}
