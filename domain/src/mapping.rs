//! Mappings: which column of a log of attempts holds what, and how its values are written.

use serde::{Deserialize, Serialize};

use crate::words::words;

words!(
    /// How the times of a column are written. One answer holds for the whole column.
    TimeFormat {
        /// Date and time; an offset that is written holds.
        Written = "written", "Date and time";
        /// Seconds since 1970.
        EpochSeconds = "epoch_seconds", "Seconds since 1970";
        /// Milliseconds since 1970.
        EpochMillis = "epoch_millis", "Milliseconds since 1970";
    }
);

/// The word that says of an attempt that it completed, where a mapping names no others.
pub const COMPLETED: &str = "completed";

/// The word that says of an attempt that it failed, where a mapping names no others.
pub const FAILED: &str = "failed";

/// Which column holds what. A column that is not said is looked for by the names that it usually has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Mapping {
    /// When the attempt was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The attempt's id: an attempt counts once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<String>,
    /// Who tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub customer: Option<String>,
    /// Whether it completed or failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<String>,
    /// Further columns to keep, such as a region.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The words that mean that it completed, besides `completed`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub completed: Vec<String>,
    /// The words that mean that it failed, besides `failed`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// How the times are written; decided from the column where it is not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_format: Option<TimeFormat>,
    /// The zone of times that name none: an offset, or a region such as Europe/Berlin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}

impl Mapping {
    /// Sets a column by what it holds (`time`, `attempt`, `customer`, `outcome`, `latency`); false where nothing is
    /// called so.
    pub fn set(&mut self, part: &str, column: String) -> bool {
        let place = match part {
            "time" => &mut self.time,
            "attempt" => &mut self.attempt,
            "customer" => &mut self.customer,
            "outcome" => &mut self.outcome,
            "latency" => &mut self.latency,
            _ => return false,
        };
        *place = Some(column).filter(|column| !column.is_empty());
        true
    }

    /// What a column is: `time`, `attempt`, `customer`, `outcome`, `latency` or `label`; none where nothing is said of it.
    pub fn part_of(&self, column: &str) -> Option<&'static str> {
        let parts = [
            ("time", &self.time),
            ("attempt", &self.attempt),
            ("customer", &self.customer),
            ("outcome", &self.outcome),
            ("latency", &self.latency),
        ];
        let is_it = |name: &String| name.eq_ignore_ascii_case(column);
        let part = parts.into_iter().find(|(_, name)| name.as_ref().is_some_and(is_it)).map(|(part, _)| part);
        part.or_else(|| self.labels.iter().any(is_it).then_some("label"))
    }

    /// Makes a column one thing, or nothing, where `part` is none of these.
    pub fn put(&mut self, column: &str, part: &str) {
        match self.part_of(column) {
            Some("label") => self.labels.retain(|label| !label.eq_ignore_ascii_case(column)),
            Some(before) => {
                self.set(before, String::new());
            }
            None => {}
        }
        if part == "label" {
            self.labels.push(column.to_owned());
        } else if self.set(part, column.to_owned()) && part == "time" {
            // Another column may be written in another way.
            self.time_format = None;
        }
    }

    /// Says what a word means: `completed`, `failed`, or nothing.
    pub fn mean(&mut self, word: &str, meaning: &str) {
        self.completed.retain(|other| other != word);
        self.failed.retain(|other| other != word);
        match meaning {
            "completed" => self.completed.push(word.to_owned()),
            "failed" => self.failed.push(word.to_owned()),
            _ => {}
        }
    }

    /// Whether nothing is said, so that everything is looked for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_one_thing_and_a_word_means_one() {
        let mut mapping = Mapping { time_format: Some(TimeFormat::EpochMillis), ..Mapping::default() };
        mapping.put("ts", "time");
        assert_eq!((mapping.part_of("TS"), mapping.time_format), (Some("time"), None));
        mapping.put("ts", "label");
        assert_eq!((mapping.part_of("ts"), &mapping.time), (Some("label"), &None));
        mapping.put("when", "time");
        mapping.put("at", "time");
        assert_eq!((mapping.part_of("when"), mapping.part_of("at")), (None, Some("time")));
        mapping.put("ts", "");
        mapping.put("at", "");
        assert!(mapping.is_empty());
        for (meaning, completed, failed) in [("failed", 0, 1), ("completed", 1, 0), ("", 0, 0)] {
            mapping.mean("ok", meaning);
            assert_eq!((mapping.completed.len(), mapping.failed.len()), (completed, failed), "{meaning}");
        }
    }
}
