//! Points as the database keeps them: some thousand to a row, so that a million are a few hundred rows.

use domain::signal::Point;

use super::super::StoreError;
use super::super::column::time;

/// How many points a row holds.
pub(super) const CHUNK: usize = 4096;

/// How many bytes an instant has, and a value.
const WIDTH: usize = 8;

/// Writes the instants, then the values; a value that is not known as one that is not a number.
pub(super) fn packed(points: &[Point]) -> Vec<u8> {
    let instants = points.iter().flat_map(|point| point.at.timestamp_millis().to_le_bytes());
    let values = points.iter().flat_map(|point| point.value.unwrap_or(f64::NAN).to_le_bytes());
    instants.chain(values).collect()
}

/// Reads what [`packed`] wrote, behind `into`.
pub(super) fn unpack(bytes: &[u8], into: &mut Vec<Point>) -> Result<(), StoreError> {
    let (instants, values) = bytes.split_at(bytes.len() / 2);
    let (instants, rest) = instants.as_chunks::<WIDTH>();
    let (values, more) = values.as_chunks::<WIDTH>();
    if !rest.is_empty() || !more.is_empty() {
        return Err(StoreError::Corrupt(format!("{} bytes are no points", bytes.len())));
    }
    into.reserve(instants.len());
    for (at, value) in instants.iter().zip(values) {
        let value = f64::from_le_bytes(*value);
        into.push(Point { at: time(i64::from_le_bytes(*at))?, value: value.is_finite().then_some(value) });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let at = |millis| DateTime::from_timestamp_millis(millis).expect("a time");
        let points = [(-5, Some(1.5)), (0, None), (1_783_590_360_123, Some(-0.1)), (1_783_590_361_000, Some(f64::MAX))]
            .map(|(millis, value)| Point { at: at(millis), value });
        let mut read = Vec::new();
        unpack(&packed(&points), &mut read).expect("readable");
        assert_eq!(read, points);
        unpack(&packed(&[]), &mut read).expect("readable");
        assert_eq!(read.len(), points.len());
        for faulty in [&[0_u8; 3][..], &[0; 24], &[0xFF; 9]] {
            assert!(unpack(faulty, &mut read).is_err(), "{faulty:?}");
        }
    }
}
