//! Leaving out what a chart of some width could not show.

use chrono::{DateTime, Utc};

use super::{Bin, Point};
use crate::incident::Window;

/// What has a place on the time axis, and a height where something is known.
pub trait Sample: Copy {
    /// Where it is on the time axis.
    fn at(&self) -> DateTime<Utc>;
    /// How high it is; none where nothing is known.
    fn height(&self) -> Option<f64>;
}

impl Sample for Point {
    fn at(&self) -> DateTime<Utc> {
        self.at
    }

    fn height(&self) -> Option<f64> {
        self.value
    }
}

impl Sample for Bin {
    fn at(&self) -> DateTime<Utc> {
        self.at
    }

    fn height(&self) -> Option<f64> {
        self.ratio().share()
    }
}

/// How many samples of one pixel's stretch are kept where there are no gaps.
pub const KEPT: usize = 4;

/// The samples, which are in order of time, without those that `width` pixels over `view` cannot show.
///
/// Of each pixel's stretch the first and the last sample, the lowest, the highest, and the first that is a gap are kept as
/// they are: nothing is averaged, so a peak of one sample stays. What lies before the view is a stretch of its own, and so is
/// what lies after it. Few samples come back whole.
pub fn thin<S: Sample>(samples: &[S], view: Window, width: u32) -> Vec<S> {
    let width = i64::from(width.max(1));
    if samples.len() as u64 <= width.unsigned_abs() * KEPT as u64 {
        return samples.to_vec();
    }
    let from = view.from.timestamp_millis();
    let length = (view.until.timestamp_millis() - from).max(1);
    let pixel = |sample: &S| {
        let offset = i128::from(sample.at().timestamp_millis()) - i128::from(from);
        (offset * i128::from(width)).div_euclid(i128::from(length)).clamp(-1, i128::from(width))
    };
    let mut kept = Vec::new();
    for stretch in samples.chunk_by(|one, next| pixel(one) == pixel(next)) {
        keep(stretch, &mut kept);
    }
    kept
}

fn keep<S: Sample>(stretch: &[S], kept: &mut Vec<S>) {
    if stretch.len() <= KEPT {
        kept.extend_from_slice(stretch);
        return;
    }
    let heights = || stretch.iter().enumerate().filter_map(|(i, sample)| Some((i, sample.height()?)));
    let lowest = heights().min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(i, _)| i);
    let highest = heights().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(i, _)| i);
    let gap = stretch.iter().position(|sample| sample.height().is_none());
    let mut places = [Some(0), lowest, highest, gap, Some(stretch.len() - 1)];
    places.sort_unstable();
    let mut last = None;
    for place in places.into_iter().flatten() {
        if last != Some(place) {
            kept.push(stretch[place]);
            last = Some(place);
        }
    }
}
