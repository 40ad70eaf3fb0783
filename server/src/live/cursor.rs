//! How far somebody has followed the changes.
//!
//! PostgreSQL numbers a change when it is written and shows it when its transaction ends, so 18 can be seen before 17.
//! A cursor therefore holds the highest number told and the lower ones that may still come: `18` or `18-17`. It is the
//! `id` of each event; whoever resumes with it is told everything else once.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// The most numbers that are waited for.
pub const MAX_MISSING: usize = 64;

/// How far somebody has followed the changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The highest number.
    pub high: i64,
    /// Lower numbers that have not been seen and may still come.
    pub missing: BTreeSet<i64>,
}

/// A text that is no cursor.
#[derive(Debug, PartialEq, Eq)]
pub struct NoCursor;

impl Cursor {
    /// Whether this change lies behind.
    pub fn has(&self, seq: i64) -> bool {
        seq <= self.high && !self.missing.contains(&seq)
    }

    /// The number after which everything that does not lie behind is found.
    pub fn low(&self) -> i64 {
        self.missing.first().map_or(self.high, |lowest| (lowest - 1).min(self.high))
    }

    /// Takes a change in: numbers that were passed over may still come.
    pub fn take(&mut self, seq: i64) {
        if seq <= self.high {
            self.missing.remove(&seq);
            return;
        }
        self.missing.extend((self.high + 1..seq).rev().take(MAX_MISSING));
        self.high = seq;
        while self.missing.len() > MAX_MISSING {
            self.missing.pop_first();
        }
    }

    /// Where somebody stands who resumed from `self`, has been told everything up to `seq`, and goes on with what comes
    /// after `joined`.
    #[must_use]
    pub fn resumed(&self, seq: i64, joined: &Self) -> Self {
        let high = self.high.max(seq);
        let untold = self.missing.iter().filter(|missing| **missing > seq);
        let missing = untold.chain(&joined.missing).filter(|missing| **missing <= high && !self.has(**missing));
        Self { high, missing: missing.copied().collect() }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.high)?;
        for (i, missing) in self.missing.iter().enumerate() {
            write!(f, "{}{missing}", if i == 0 { '-' } else { '.' })?;
        }
        Ok(())
    }
}

impl FromStr for Cursor {
    type Err = NoCursor;

    fn from_str(text: &str) -> Result<Self, NoCursor> {
        let number = |digits: &str| {
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<i64>().ok().filter(|_| is_number).ok_or(NoCursor)
        };
        let (high, rest) = text.split_once('-').map_or((text, None), |(high, rest)| (high, Some(rest)));
        let high = number(high)?;
        let missing = match rest {
            Some(rest) => rest.split('.').map(number).collect::<Result<BTreeSet<_>, _>>()?,
            None => BTreeSet::new(),
        };
        let holds = missing.len() <= MAX_MISSING && missing.iter().all(|missing| (1..high).contains(missing));
        holds.then_some(Self { high, missing }).ok_or(NoCursor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(text: &str) -> Cursor {
        text.parse().expect("a cursor")
    }

    #[test]
    fn a_cursor_reads_back_as_it_was_written_and_nothing_else_is_one() {
        for text in ["0", "17", "18-17", "20-3.4.19"] {
            assert_eq!(cursor(text).to_string(), text);
        }
        for text in ["", "-1", "+1", "1-", "1-1", "5-7", "5-0", "5-1.", "5-a", "1 ", "99999999999999999999"] {
            assert_eq!(text.parse::<Cursor>(), Err(NoCursor), "{text}");
        }
        let many = (1..=65).map(|n| n.to_string()).collect::<Vec<_>>().join(".");
        assert_eq!(format!("99-{many}").parse::<Cursor>(), Err(NoCursor));
    }

    #[test]
    fn what_is_passed_over_may_still_come_and_comes_once() {
        let mut seen = cursor("10");
        seen.take(13);
        assert_eq!((seen.to_string().as_str(), seen.low()), ("13-11.12", 10));
        assert!(seen.has(9) && seen.has(13) && !seen.has(11) && !seen.has(14));
        seen.take(11);
        assert_eq!(seen.to_string(), "13-12");
        seen.take(1000);
        assert_eq!((seen.missing.len(), seen.has(13), seen.has(999)), (MAX_MISSING, true, false));
    }

    #[test]
    fn somebody_who_resumes_is_told_each_change_once() {
        // 15 and 18 were under way when they left; the server has seen up to 22 meanwhile, except 18 and 21.
        let (left, joined) = (cursor("19-15.18"), cursor("22-18.21"));
        let told: Vec<i64> = (1..=30).filter(|seq| !left.has(*seq) && joined.has(*seq)).collect();
        assert_eq!(told, [15, 20, 22]);
        assert_eq!(left.resumed(15, &joined).to_string(), "19-18");
        assert_eq!(left.resumed(20, &joined).to_string(), "20-18");
        assert_eq!(left.resumed(22, &joined).to_string(), "22-18.21");
        // Another replica was ahead of this one.
        assert_eq!(cursor("30").resumed(22, &joined).to_string(), "30");
        assert_eq!(cursor("30-25").resumed(22, &joined).to_string(), "30-25");
    }
}
