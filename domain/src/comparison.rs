//! What the flag did: the error rate before and after a flag change inside the incident, pooled.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::derived::{Computed, Duration};
use crate::flag::{FlagChange, FlagSpan, spans};
use crate::incident::Window;
use crate::interval::{Difference, Interval};
use crate::signal::{Bin, FIRST_VIEW_MARGIN, Ratio};
use crate::words::words;

/// One side of the comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Where the share lies with 95% confidence; null where there were no attempts.
    #[serde(default)]
    pub interval: Option<Interval>,
}

words!(
    /// What the comparison comes to.
    Finding {
        /// The rate was lower after the change than before.
        Fell = "fell", "Lower after the change";
        /// It was higher.
        Rose = "rose", "Higher after the change";
        /// The attempts are too few to tell.
        TooLittle = "too_little", "Too little data to tell";
    }
);

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
    /// The flag's key.
    pub flag: String,
    /// When the change took effect.
    pub changed_at: DateTime<Utc>,
    /// Up to half an hour before the incident; null where the events do not reach back.
    #[serde(default)]
    pub baseline: Option<Phase>,
    /// Inside the window, before the change.
    pub before: Phase,
    /// From the change to the window's end, or to the flag's next change if that comes first.
    pub after: Phase,
    /// The share after the change less the one before; null where a side has no attempts.
    #[serde(default)]
    pub difference: Option<Difference>,
    /// What it comes to.
    pub finding: Finding,
    /// The same as a sentence for people.
    pub sentence: String,
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
    /// The signal's bins in order of time, reaching beyond the window on both sides.
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
    let switched = inside.filter(|change| spans(basis.changes, &change.flag, window.from, window.until).len() > 1);
    let Some(first) = switched.min_by_key(|change| (change.at(), change.flag.as_str())) else {
        return Computed::unavailable("no flag was switched inside the incident");
    };
    let spans = spans(basis.changes, &first.flag, window.from, window.until);
    let (before, after) = (&spans[0], &spans[1]);
    let (before, after) = (phase(basis, before), phase(basis, after));
    let difference = Difference::between(before.ratio, after.ratio);
    let least = before.ratio.denominator.min(after.ratio.denominator);
    let finding = match difference {
        Some(difference) if least >= basis.floor && !difference.is_unclear() => {
            if difference.value < 0.0 {
                Finding::Fell
            } else {
                Finding::Rose
            }
        }
        _ => Finding::TooLittle,
    };
    Computed::Value(FlagComparison {
        flag: first.flag.clone(),
        changed_at: after.from,
        baseline: baseline(basis, &first.flag, window.from),
        recovery: recovery(basis, after.from),
        sentence: sentence(finding, difference, least),
        before,
        after,
        difference,
        finding,
    })
}

fn phase(basis: Basis<'_>, span: &FlagSpan<'_>) -> Phase {
    let whole = basis.bins.iter().filter(|bin| span.from <= bin.at && bin.at + basis.bin <= span.until);
    let ratio = Ratio::pooled(whole);
    Phase {
        state: span.state.map(str::to_owned),
        from: span.from,
        until: span.until,
        ratio,
        interval: Interval::wilson(ratio),
    }
}

/// The time before the incident, with the flag's state as it was last.
fn baseline(basis: Basis<'_>, flag: &str, until: DateTime<Utc>) -> Option<Phase> {
    let earliest = basis.bins.first()?.at.max(until - FIRST_VIEW_MARGIN);
    let states = spans(basis.changes, flag, earliest, until);
    let state = states.last()?.state;
    let before = phase(basis, &FlagSpan { state, from: earliest, until });
    (before.ratio.denominator > 0).then_some(before)
}

/// What the numbers say, and what they do not.
fn sentence(finding: Finding, difference: Option<Difference>, least: u64) -> String {
    let points = |share: f64| format!("{:.1}", (share * 100.0).abs());
    let Some(Difference { value, interval }) = difference else {
        return "On one side of the change there were no attempts, so nothing can be compared.".to_owned();
    };
    // "Between 14.1 and 17.8 points lower": the nearer end first.
    let (near, far) = if value < 0.0 { (interval.high, interval.low) } else { (interval.low, interval.high) };
    let direction = if value < 0.0 { "lower" } else { "higher" };
    match finding {
        Finding::TooLittle if interval.low <= 0.0 && 0.0 <= interval.high => format!(
            "There is too little data to tell: after the change the share of failures was {} percentage points \
             {direction}, and with these numbers of attempts anything from {} lower to {} higher can be chance.",
            points(value),
            points(interval.low),
            points(interval.high),
        ),
        Finding::TooLittle => {
            format!("There is too little data to tell: one side of the change has only {least} attempts.")
        }
        Finding::Fell | Finding::Rose => format!(
            "After the change the share of failures was {} percentage points {direction} (95% interval {} to {}). \
             The two went together; that alone does not show that the change was the cause.",
            points(value),
            points(near),
            points(far),
        ),
    }
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
