//! The customer follow-up cohort: who is to be written to after an incident, and why nobody else is.
//!
//! Of the customers with a failed attempt inside the incident's window, each one's last attempt inside the window
//! decides: if it completed, they recovered. Otherwise a purchase after it, and no more than 24 hours after it, means that
//! they bought. The others are the cohort. All of it goes by instants, so neither midnight nor a change of the clocks
//! matters.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::incident::Window;
use crate::words::words;

/// How long after the last failed attempt a purchase still counts; the mark itself is included.
pub const BOUGHT_WITHIN: TimeDelta = TimeDelta::hours(24);

/// One attempt to buy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// When, in milliseconds since 1970: there may be millions of them.
    pub at: i64,
    /// Who tried: customers are numbered from 0 without gaps.
    pub customer: u32,
    /// Whether it failed; it completed otherwise.
    pub failed: bool,
}

words!(
    /// What became of a customer who had a failed attempt.
    Standing {
        /// The last attempt inside the window completed.
        Recovered = "recovered", "Recovered on retry";
        /// A purchase followed within 24 hours.
        Bought = "bought", "Bought within 24 hours";
        /// Neither: to be written to.
        Cohort = "cohort", "To be written to";
        /// No failed attempt inside the window: of somebody who was affected before the events or the window changed.
        Unaffected = "unaffected", "No longer affected";
    }
);

/// A customer with a failed attempt inside the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Affected {
    /// The customer's number.
    pub customer: u32,
    /// What became of them.
    pub standing: Standing,
    /// Their last attempt inside the window: the one that completed, where they recovered.
    pub last_at: DateTime<Utc>,
    /// The first purchase within 24 hours of it, where they bought.
    pub bought_at: Option<DateTime<Utc>>,
}

/// Everybody affected, in order of their numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cohort {
    /// The customers.
    pub affected: Vec<Affected>,
}

/// How many customers went which way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Funnel {
    /// Customers with a failed attempt inside the window: the sum of the other three.
    pub affected_customers: u64,
    /// Of these, those whose last attempt inside the window completed.
    pub recovered_inside_window: u64,
    /// Of the rest, those who bought later, within 24 hours of their last attempt.
    pub bought_within_24h: u64,
    /// The others: those to be written to.
    pub cohort: u64,
}

/// What is known of a customer's last attempt while attempts are gone through.
#[derive(Clone, Copy)]
struct Last {
    at: i64,
    completed: bool,
    ever_failed: bool,
    bought: Option<i64>,
}

/// Finds what became of each affected customer. The attempts may come in any order; they are gone through twice.
pub fn follow_up(attempts: impl Iterator<Item = Attempt> + Clone, window: Window) -> Cohort {
    let (from, until) = (window.from.timestamp_millis(), window.until.timestamp_millis());
    let mut lasts: Vec<Option<Last>> = Vec::new();
    for attempt in attempts.clone().filter(|attempt| from <= attempt.at && attempt.at < until) {
        let place = attempt.customer as usize;
        if place >= lasts.len() {
            lasts.resize(place + 1, None);
        }
        let seen = Last { at: attempt.at, completed: !attempt.failed, ever_failed: attempt.failed, bought: None };
        let last = lasts[place].get_or_insert(seen);
        last.ever_failed |= attempt.failed;
        // At equal times a completed attempt counts as the later.
        if (seen.at, seen.completed) > (last.at, last.completed) {
            (last.at, last.completed) = (seen.at, seen.completed);
        }
    }
    for purchase in attempts.filter(|attempt| !attempt.failed) {
        let Some(Some(last)) = lasts.get_mut(purchase.customer as usize) else { continue };
        let after = purchase.at.saturating_sub(last.at);
        if 0 < after && after <= BOUGHT_WITHIN.num_milliseconds() && last.bought.is_none_or(|at| purchase.at < at) {
            last.bought = Some(purchase.at);
        }
    }
    let affected = (0..).zip(lasts).filter_map(|(customer, last)| affected(customer, last?)).collect();
    Cohort { affected }
}

fn affected(customer: u32, last: Last) -> Option<Affected> {
    let (standing, bought) = match (last.completed, last.bought) {
        _ if !last.ever_failed => return None,
        (true, _) => (Standing::Recovered, None),
        (false, Some(bought)) => (Standing::Bought, Some(bought)),
        (false, None) => (Standing::Cohort, None),
    };
    let last_at = DateTime::from_timestamp_millis(last.at)?;
    Some(Affected { customer, standing, last_at, bought_at: bought.and_then(DateTime::from_timestamp_millis) })
}

impl Cohort {
    /// How many went which way.
    pub fn funnel(&self) -> Funnel {
        let count = |standing| self.affected.iter().filter(|customer| customer.standing == standing).count() as u64;
        Funnel {
            affected_customers: self.affected.len() as u64,
            recovered_inside_window: count(Standing::Recovered),
            bought_within_24h: count(Standing::Bought),
            cohort: count(Standing::Cohort),
        }
    }

    /// When the last of the cohort could still have bought; none where nobody is in it.
    pub fn settles_at(&self) -> Option<DateTime<Utc>> {
        let cohort = self.affected.iter().filter(|customer| customer.standing == Standing::Cohort);
        cohort.map(|customer| customer.last_at).max().map(|last| last + BOUGHT_WITHIN)
    }
}

/// Until when a cohort is provisional: while the log ends, or the clock stands, before the last of its customers could
/// have bought; inside the window also until whoever fails in the rest of it could have. None where it is final.
pub fn provisional_until(
    settles_at: Option<DateTime<Utc>>,
    window: Window,
    log_ends_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Option<DateTime<Utc>> {
    let known = log_ends_at.min(now);
    let settles_at = if known < window.until { Some(window.until + BOUGHT_WITHIN) } else { settles_at };
    settles_at.filter(|settles_at| known < *settles_at)
}
