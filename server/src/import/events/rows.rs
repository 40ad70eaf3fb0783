//! One row of a log of attempts, read or refused with its reason.

use super::objects::Picked;
use super::records::Record;
use super::times::Times;

/// The most characters of a faulty value that a reason quotes.
const QUOTED: usize = 60;

/// The most bytes that an id or a label may have.
const LONGEST_VALUE: usize = 1024;

/// What a column is to an attempt: its place among the values that are picked out of a row. Labels come behind.
pub(super) mod slot {
    pub const TIME: usize = 0;
    pub const ATTEMPT: usize = 1;
    pub const CUSTOMER: usize = 2;
    pub const OUTCOME: usize = 3;
    pub const LATENCY: usize = 4;
    pub const LABELS: usize = 5;
}

/// One attempt.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    /// Milliseconds since 1970.
    pub at: i64,
    /// The attempt's id.
    pub attempt_id: &'a [u8],
    /// Who tried.
    pub customer_id: &'a [u8],
    /// Whether it failed; it completed otherwise.
    pub failed: bool,
    /// How long it took in milliseconds; not a number where that is not said.
    pub latency: f32,
}

/// The values of a row, by slot.
#[derive(Debug, Clone, Copy)]
pub(super) enum Values<'a> {
    /// A record of CSV, and where in it each slot stands.
    Record(Record<'a>, &'a [Option<usize>]),
    /// What was picked out of a JSON object.
    Object(&'a Picked),
}

impl<'a> Values<'a> {
    /// A value without the blanks around it; empty where there is none.
    pub(super) fn get(self, slot: usize) -> &'a [u8] {
        match self {
            Self::Record(record, at) => at[slot].and_then(|at| record.get(at)).unwrap_or_default().trim_ascii(),
            Self::Object(picked) => picked.get(slot),
        }
    }
}

/// How the values of a row are read.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    /// The name of each slot's column; empty where there is none.
    pub names: Vec<String>,
    /// How times are written.
    pub times: Times,
    /// Words that mean that an attempt completed.
    pub completed: Vec<String>,
    /// Words that mean that it failed.
    pub failed: Vec<String>,
}

impl Reading {
    /// How many labels there are.
    pub(super) fn labels(&self) -> usize {
        self.names.len() - slot::LABELS
    }

    /// Reads a row from the values of its slots.
    pub(super) fn row<'a>(&self, values: Values<'a>) -> Result<Row<'a>, String> {
        let value = |slot: usize| values.get(slot);
        let (attempt_id, customer_id) = (value(slot::ATTEMPT), value(slot::CUSTOMER));
        for (at, text) in [(slot::ATTEMPT, attempt_id), (slot::CUSTOMER, customer_id)] {
            if text.is_empty() {
                return Err(format!("{} is empty", self.names[at]));
            }
        }
        let ids = [slot::ATTEMPT, slot::CUSTOMER].into_iter();
        for at in ids.chain(slot::LABELS..self.names.len()) {
            if value(at).len() > LONGEST_VALUE {
                return Err(format!("{} has more than {LONGEST_VALUE} bytes", self.names[at]));
            }
        }
        let outcome = value(slot::OUTCOME);
        let is_one_of = |words: &[String]| words.iter().any(|word| word.as_bytes() == outcome);
        let failed = match (is_one_of(&self.failed), is_one_of(&self.completed)) {
            (true, _) => true,
            (_, true) => false,
            _ => {
                return Err(format!(
                    "{} ‘{}’ is neither {} nor {}",
                    self.names[slot::OUTCOME],
                    quoted(outcome),
                    listed(&self.completed),
                    listed(&self.failed)
                ));
            }
        };
        let latency = self.latency(value(slot::LATENCY))?;
        Ok(Row { at: self.times.millis(value(slot::TIME))?, attempt_id, customer_id, failed, latency })
    }

    fn latency(&self, text: &[u8]) -> Result<f32, String> {
        if text.is_empty() {
            return Ok(f32::NAN);
        }
        let ms = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f32>().ok());
        ms.filter(|ms| ms.is_finite() && *ms >= 0.0)
            .ok_or_else(|| format!("{} ‘{}’ is not a number of milliseconds", self.names[slot::LATENCY], quoted(text)))
    }
}

/// Words that would have been understood.
fn listed(words: &[String]) -> String {
    words.iter().map(|word| format!("‘{word}’")).collect::<Vec<_>>().join(", ")
}

/// A faulty value for a person to read, cut where it is long.
pub(in crate::import) fn quoted(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    let mut quoted: String = text.chars().take(QUOTED).collect();
    if quoted.len() < text.len() {
        quoted.push('…');
    }
    quoted
}
