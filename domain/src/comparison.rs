//! What the flag did: the error rate before and after a flag change inside the incident, pooled.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::derived::{Computed, Duration};
use crate::flag::{FlagChange, spans};
use crate::incident::Window;
use crate::signal::{Bin, Ratio};

/// One side of the comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Phase {
    /// The flag's state; null before the first change that is known.
    pub state: Option<String>,
    /// The first instant.
    pub from: DateTime<Utc>,
    /// The first instant after.
    pub until: DateTime<Utc>,
    /// All whole bins inside, pooled.
    pub ratio: Ratio,
}

/// When the error rate was back under the recovery threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Recovery {
    /// The threshold, a share from 0 to 1.
    pub below: f64,
    /// The first bin after the change with enough attempts and a rate below it.
    pub at: DateTime<Utc>,
    /// The time from the change to then.
    pub after: Duration,
}

/// The comparison across the first change of a flag inside the incident's window.
///
/// It says what went together, not what caused what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FlagComparison {
    /// The flag's key, and its environment where it has one.
    pub flag: String,
    /// When the change took effect.
    pub changed_at: DateTime<Utc>,
    /// Inside the window, before the change.
    pub before: Phase,
    /// From the change to the window's end, or to the flag's next change if that comes first.
    pub after: Phase,
    /// When the rate recovered, or why that cannot be said.
    pub recovery: Computed<Recovery>,
}

/// What a comparison is made from.
#[derive(Debug, Clone, Copy)]
pub struct Basis<'a> {
    /// The incident's window, if it has one.
    pub window: Option<Window>,
    /// The flag changes known, in any order.
    pub changes: &'a [FlagChange],
    /// The signal's bins in order of time, reaching beyond the window.
    pub bins: &'a [Bin],
    /// The length of a bin.
    pub bin: TimeDelta,
    /// Bins with fewer attempts prove no recovery.
    pub floor: u64,
    /// The share below which the service counts as recovered, if one was stated.
    pub recovered_below: Option<f64>,
}

/// Compares the rate before and after the first flag change inside the window.
pub fn compare(basis: Basis<'_>) -> Computed<FlagComparison> {
    let Some(window) = basis.window else {
        return Computed::unavailable("the incident has no start and end to compare within");
    };
    if basis.changes.is_empty() {
        return Computed::unavailable("no flag changes have been imported");
    }
    if basis.bins.is_empty() {
        return Computed::unavailable("no events have been imported");
    }
    let inside = basis.changes.iter().filter(|change| window.from < change.at() && change.at() < window.until);
    // A change to the state that already held switched nothing.
    let switched = inside.filter(|change| spans(basis.changes, &change.name(), window.from, window.until).len() > 1);
    let Some(first) = switched.min_by_key(|change| (change.at(), change.name())) else {
        return Computed::unavailable("no flag was switched inside the incident");
    };
    let spans = spans(basis.changes, &first.name(), window.from, window.until);
    let (before, after) = (&spans[0], &spans[1]);
    let phase = |span: &crate::flag::FlagSpan<'_>| Phase {
        state: span.state.map(str::to_owned),
        from: span.from,
        until: span.until,
        ratio: Ratio::pooled(basis.bins.iter().filter(|bin| span.from <= bin.at && bin.at + basis.bin <= span.until)),
    };
    let changed_at = after.from;
    Computed::Value(FlagComparison {
        flag: first.name().into_owned(),
        changed_at,
        before: phase(before),
        after: phase(after),
        recovery: recovery(basis, changed_at),
    })
}

fn recovery(basis: Basis<'_>, changed_at: DateTime<Utc>) -> Computed<Recovery> {
    let Some(below) = basis.recovered_below else {
        return Computed::unavailable("nobody stated the rate that counts as recovered");
    };
    let recovered = basis.bins.iter().find(|bin| {
        bin.at >= changed_at && bin.denominator >= basis.floor && bin.ratio().share().is_some_and(|share| share < below)
    });
    match recovered {
        Some(bin) => Computed::Value(Recovery {
            below,
            at: bin.at,
            after: Duration { seconds: (bin.at - changed_at).num_seconds() },
        }),
        None => Computed::unavailable("the events end before the rate recovered"),
    }
}
