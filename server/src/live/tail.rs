//! The end of an ever growing table: which of its numbers are new.

use std::collections::BTreeMap;

use super::cursor::Cursor;

/// How many looks a number that was passed over is waited for: some five minutes.
const PATIENCE: u32 = 1200;

/// How far a table has been followed.
#[derive(Debug, Default)]
pub struct Tail {
    cursor: Cursor,
    /// How many looks each missing number has been missing for.
    waited: BTreeMap<i64, u32>,
}

impl Tail {
    /// Begins behind the latest numbers; one that is not among them may still come.
    pub fn behind(latest: &[i64]) -> Self {
        let mut tail = Self::default();
        tail.cursor.high = latest.first().map_or(0, |first| first - 1);
        for seq in latest {
            tail.cursor.take(*seq);
        }
        tail
    }

    /// How far it has been followed.
    pub fn cursor(&self) -> &Cursor {
        &self.cursor
    }

    /// Takes a new number in.
    pub fn take(&mut self, seq: i64) {
        self.cursor.take(seq);
    }

    /// Ends a look: what has been missing for too long was taken back, and is waited for no longer.
    pub fn rest(&mut self) {
        let missing = &mut self.cursor.missing;
        self.waited.retain(|seq, _| missing.contains(seq));
        missing.retain(|seq| {
            let looks = self.waited.entry(*seq).or_default();
            *looks += 1;
            *looks <= PATIENCE
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_at_the_end_is_waited_for_but_not_for_ever() {
        let mut tail = Tail::behind(&[7, 8, 10]);
        assert_eq!((tail.cursor().to_string().as_str(), tail.cursor().low()), ("10-9", 8));
        for _ in 0..PATIENCE {
            tail.rest();
        }
        assert_eq!(tail.cursor().to_string(), "10-9");
        tail.take(12);
        tail.rest();
        assert_eq!(tail.cursor().to_string(), "12-11");
        tail.take(11);
        tail.rest();
        assert_eq!((tail.cursor().to_string().as_str(), tail.waited.len()), ("12", 0));
        assert_eq!(Tail::behind(&[]).cursor().to_string(), "0");
    }
}
