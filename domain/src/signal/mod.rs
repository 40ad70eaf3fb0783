//! Signals: series on the time axis, ratios kept as numerator and denominator, and plain values.

mod reading;
mod stretch;
mod thin;
mod value;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::id::SignalId;
use crate::incident::Window;

pub use reading::{Misread, Reading, SignalProof, Statistic};
pub use stretch::{FIRST_WIDTH, Stretch, WIDEST};
pub use thin::{KEPT, Sample, thin};
pub use value::{Point, PrometheusRead, ValueSignal, ValueSource};

/// A bin proves little below this many attempts; charts fade it and threshold rules skip it.
pub const DEFAULT_FLOOR: u64 = 20;

/// How far the first view of a chart reaches beyond the incident's window, on each side.
pub const FIRST_VIEW_MARGIN: TimeDelta = TimeDelta::minutes(30);

/// One bin of a ratio: `numerator` of `denominator`, from `at` for the signal's bin length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Bin {
    /// The bin's first instant.
    pub at: DateTime<Utc>,
    /// How many failed.
    pub numerator: u64,
    /// Of how many.
    pub denominator: u64,
}

/// A pooled ratio.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Ratio {
    /// How many failed.
    pub numerator: u64,
    /// Of how many.
    pub denominator: u64,
}

impl Ratio {
    /// Pools bins: sums of both parts, never a mean of ratios.
    pub fn pooled<'a>(bins: impl IntoIterator<Item = &'a Bin>) -> Self {
        bins.into_iter().fold(Self::default(), |sum, bin| Self {
            numerator: sum.numerator + bin.numerator,
            denominator: sum.denominator + bin.denominator,
        })
    }

    /// The share from 0 to 1; none where there was nothing to divide by.
    #[expect(clippy::cast_precision_loss, reason = "counts of events stay far below 2^53")]
    pub fn share(self) -> Option<f64> {
        (self.denominator > 0).then(|| self.numerator as f64 / self.denominator as f64)
    }
}

impl Bin {
    /// The bin's own ratio.
    pub fn ratio(&self) -> Ratio {
        Ratio { numerator: self.numerator, denominator: self.denominator }
    }
}

/// A file that a signal was computed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignalSource {
    /// The file's name as it was given.
    pub file_name: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// When it was imported.
    pub imported_at: DateTime<Utc>,
}

/// A series on the time axis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Signal {
    /// The signal's id.
    pub id: SignalId,
    /// What the ratio is, for people ("Failed attempts").
    pub title: String,
    /// What the numerator counts ("failed attempts").
    pub numerator_unit: String,
    /// What the denominator counts ("attempts").
    pub denominator_unit: String,
    /// The length of a bin in seconds.
    pub bin_seconds: u32,
    /// Bins with a smaller denominator prove little.
    pub floor: u64,
    /// All of the signal, pooled.
    pub total: Ratio,
    /// What all of the signal spans, whatever part of it `bins` holds.
    pub span: Option<Window>,
    /// What it was computed from.
    pub sources: Vec<SignalSource>,
    /// Whether `bins` leaves some of the view's out. The first, the last, the least and the greatest share of what one
    /// pixel shows are kept as they are, and where bins are missing one of nothing of nothing stands.
    #[serde(default)]
    pub thinned: bool,
    /// Bins that hold at least one attempt, in order of time.
    pub bins: Vec<Bin>,
}

/// What a chart shows first: the window and half an hour on each side; all there is where there is no window.
pub fn first_view(window: Option<Window>, span: Option<Window>) -> Option<Window> {
    match window {
        Some(window) => Some(Window {
            from: window.from.checked_sub_signed(FIRST_VIEW_MARGIN).unwrap_or(window.from),
            until: window.until.checked_add_signed(FIRST_VIEW_MARGIN).unwrap_or(window.until),
        }),
        None => span,
    }
}
