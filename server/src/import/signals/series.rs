//! From what stands in a file to the points of a signal: in order of time, a stretch without values marked once.

use chrono::DateTime;
use domain::incident::Window;
use domain::signal::Point;
use domain::wire::signals::SignalRead;

use crate::store::NewValueSignal;

/// What stands in the place of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell {
    /// A finite number.
    Value(f64),
    /// Nothing.
    Empty,
    /// Something that says itself that it is no number.
    NotNumber,
    /// An infinite number.
    Infinite,
}

impl Cell {
    /// Reads a value as programs write it; none where it is none.
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        if text.is_empty() || text.eq_ignore_ascii_case("null") {
            return Some(Self::Empty);
        }
        let value: f64 = text.parse().ok()?;
        Some(match value {
            value if value.is_nan() => Self::NotNumber,
            value if value.is_infinite() => Self::Infinite,
            value => Self::Value(value),
        })
    }

    fn value(self) -> Option<f64> {
        match self {
            // Minus zero becomes zero, so that nobody reads "-0 s".
            Self::Value(value) => Some(value + 0.0),
            Self::Empty | Self::NotNumber | Self::Infinite => None,
        }
    }
}

/// A signal that grows cell by cell, in order of time.
#[derive(Debug)]
pub(super) struct Series {
    signal: NewValueSignal,
    not_numbers: u64,
    infinite: u64,
}

impl Series {
    /// A signal without any point.
    pub(super) fn new(signal: NewValueSignal) -> Self {
        Self { signal, not_numbers: 0, infinite: 0 }
    }

    /// Adds what stands at an instant, in milliseconds since 1970, behind everything that was added before.
    pub(super) fn add(&mut self, at: i64, cell: Cell) {
        self.not_numbers += u64::from(cell == Cell::NotNumber);
        self.infinite += u64::from(cell == Cell::Infinite);
        let Some(at) = DateTime::from_timestamp_millis(at) else { return };
        let value = cell.value();
        if value.is_none() && self.signal.points.last().is_some_and(|last| last.value.is_none()) {
            return;
        }
        self.signal.points.push(Point { at, value });
    }

    /// The signal, and how it is told.
    pub(super) fn finish(self) -> (NewValueSignal, SignalRead) {
        let Self { signal, not_numbers, infinite } = self;
        let points = &signal.points;
        let span = points.first().zip(points.last());
        let span =
            span.map(|(first, last)| Window { from: first.at, until: last.at + chrono::TimeDelta::milliseconds(1) });
        let read = SignalRead {
            title: signal.title.clone(),
            unit: signal.unit.clone(),
            labels: signal.labels.clone(),
            count: points.len() as u64,
            gaps: points.iter().filter(|point| point.value.is_none()).count() as u64,
            not_numbers,
            infinite,
            span,
            points: Vec::new(),
        };
        (signal, read)
    }
}
