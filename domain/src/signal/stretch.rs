//! What a chart asks for: a stretch of the time axis, and how many pixels show it.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Bin, Sample, Signal, thin};
use crate::incident::Window;

/// How many pixels a chart's first view is thinned to: a screen asks for more once it knows its width.
pub const FIRST_WIDTH: u32 = 500;

/// The most pixels that a chart may ask for.
pub const WIDEST: u32 = 10_000;

/// A stretch of the time axis, open at an end that is not given, and how many pixels it is shown on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stretch {
    /// The first instant; none for all that is earlier.
    pub from: Option<DateTime<Utc>>,
    /// The first instant after; none for all that is later.
    pub until: Option<DateTime<Utc>>,
    /// How many pixels show it; none for every sample there is.
    pub width: Option<u32>,
}

impl Stretch {
    /// The stretch of a signal that spans so much; none for all of it.
    pub fn view(self, span: Option<Window>) -> Option<Window> {
        match (self.from, self.until) {
            (Some(from), Some(until)) => Some(Window { from, until }),
            (None, None) => span,
            (from, until) => {
                let span = span?;
                let (from, until) = (from.unwrap_or(span.from), until.unwrap_or(span.until));
                Some(Window { from, until: until.max(from) })
            }
        }
    }
}

/// A bin as the line of its ratio has it: nothing is known where too few attempts prove it.
#[derive(Clone, Copy)]
struct Proved {
    bin: Bin,
    floor: u64,
}

impl Sample for Proved {
    fn at(&self) -> DateTime<Utc> {
        self.bin.at
    }

    fn height(&self) -> Option<f64> {
        self.bin.ratio().share().filter(|_| self.bin.denominator >= self.floor)
    }
}

impl Signal {
    /// The same with those bins alone that `width` pixels over `view` can show, and with `thinned` set if any went.
    ///
    /// Bins are picked and never joined. Those that prove something and those that prove little are picked apart, so that
    /// neither hides a peak of the other. Where bins are missing after one that stays, the first of them stands there with
    /// nothing of nothing: told by the distance between bins alone, a gap would look like a bin that was left out.
    #[must_use]
    pub fn thinned(mut self, view: Option<Window>, width: Option<u32>) -> Self {
        let Some((view, width)) = view.or(self.span).zip(width) else { return self };
        let step = TimeDelta::seconds(i64::from(self.bin_seconds.max(1)));
        let mut all: Vec<Proved> = Vec::with_capacity(self.bins.len());
        for (i, &bin) in self.bins.iter().enumerate() {
            all.push(Proved { bin, floor: self.floor });
            let after = bin.at + step;
            if self.bins.get(i + 1).is_some_and(|next| next.at > after) {
                all.push(Proved { bin: Bin { at: after, numerator: 0, denominator: 0 }, floor: self.floor });
            }
        }
        let solid = thin(&all, view, width);
        if solid.len() == all.len() {
            return self;
        }
        let faint: Vec<Bin> =
            self.bins.iter().copied().filter(|bin| bin.denominator < self.floor && bin.denominator > 0).collect();
        let mut kept: Vec<Bin> = solid.into_iter().map(|proved| proved.bin).collect();
        kept.extend(thin(&faint, view, width));
        kept.sort_unstable_by_key(|bin| bin.at);
        kept.dedup_by_key(|bin| bin.at);
        self.bins = kept;
        self.thinned = true;
        self
    }
}
