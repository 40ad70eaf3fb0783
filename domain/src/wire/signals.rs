//! `/incidents/{id}/signals`: everything on the time axis; and what is read when plain values are brought in.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::actions::MAX_LINE;
use super::imports::{PreviewColumn, Refused};
use super::instant::instant;
use super::problem::FieldError;
use crate::EvidenceNumber;
use crate::incident::Window;
use crate::mapping::TimeFormat;
use crate::signal::{Point, PrometheusRead, Signal, ValueSignal};

/// The most instants that a Prometheus server answers for one series.
pub const MAX_INSTANTS: i64 = 11_000;

/// The most characters of a query.
pub const MAX_QUERY: usize = 4000;

/// Steps that people use, in seconds; above the last, whole days.
const STEPS: [i64; 15] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600];

/// The length of a day in seconds.
const DAY: i64 = 86_400;

/// All signals of an incident, in the stretch that was asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Signals {
    /// The ratios.
    pub items: Vec<Signal>,
    /// The plain values.
    #[serde(default)]
    pub values: Vec<ValueSignal>,
    /// Always null: there is one page.
    pub next: Option<String>,
}

/// A Prometheus server that the operator made known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PrometheusServer {
    /// What it is called.
    pub name: String,
    /// Where it is; never with a name or a password.
    pub address: String,
}

/// What is to be brought in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewSignals {
    /// What a Prometheus server is asked.
    pub prometheus: PrometheusQuery,
}

/// A question to a Prometheus server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PrometheusQuery {
    /// The name of the server.
    pub server: String,
    /// The query, in `PromQL`.
    pub query: String,
    /// The first instant asked for.
    #[serde(deserialize_with = "instant")]
    pub from: DateTime<Utc>,
    /// The last instant asked for.
    #[serde(deserialize_with = "instant")]
    pub until: DateTime<Utc>,
    /// How many seconds lie between two instants asked for.
    pub step_seconds: u32,
    /// What the values are called; the metric's name, or the query, where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What one of them is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

impl PrometheusQuery {
    /// What is the matter with a question that somebody sent; empty where it can be asked.
    pub fn faults(&self) -> Vec<FieldError> {
        let mut faults = Vec::new();
        let mut fault = |field: &str, message: String| {
            faults.push(FieldError::new(format!("/prometheus/{field}"), message));
        };
        if self.query.trim().is_empty() {
            fault("query", "write a query in PromQL, such as rate(http_requests_total[5m])".to_owned());
        } else if self.query.chars().count() > MAX_QUERY {
            fault("query", format!("a query may have {MAX_QUERY} characters"));
        }
        for (field, text) in [("title", &self.title), ("unit", &self.unit)] {
            if text.as_ref().is_some_and(|text| text.chars().count() > MAX_LINE) {
                fault(field, format!("this may have {MAX_LINE} characters"));
            }
        }
        let seconds = (self.until - self.from).num_seconds();
        if self.until <= self.from {
            fault("until", "the time ends before it begins".to_owned());
        } else if self.step_seconds == 0 {
            fault("step_seconds", "a step has at least one second".to_owned());
        } else if seconds / i64::from(self.step_seconds) + 1 > MAX_INSTANTS {
            fault(
                "step_seconds",
                format!(
                    "this asks for more than the {MAX_INSTANTS} values that Prometheus answers for one series; take a step \
                     of {} seconds, or a shorter time",
                    fitting_step(seconds)
                ),
            );
        }
        faults
    }
}

/// The smallest step in seconds, of those that people use, with which a Prometheus server answers for so many seconds.
pub fn fitting_step(seconds: i64) -> i64 {
    let least = (seconds + MAX_INSTANTS - 2) / (MAX_INSTANTS - 1);
    STEPS.into_iter().find(|step| *step >= least).unwrap_or((least + DAY - 1) / DAY * DAY)
}

/// Which columns of a CSV file hold what. What is not said is told from the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ValueMapping {
    /// The column of times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The columns of values, each a signal; all others that hold numbers where none is said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// How the times are written; decided from the column where it is not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_format: Option<TimeFormat>,
    /// The zone of times that name none: an offset, or a region such as Europe/Berlin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// What the values are called, where there is one column of them; its name where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What one of them is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// One signal as it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignalRead {
    /// What the value is, for people.
    pub title: String,
    /// What one of it is; empty where nobody said.
    pub unit: String,
    /// The labels of a Prometheus series; empty for a file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// How many points it has, those without a value among them.
    pub count: u64,
    /// Stretches without a value: missing, empty, not a number or infinite.
    pub gaps: u64,
    /// Values that are not a number.
    pub not_numbers: u64,
    /// Values that are infinite.
    pub infinite: u64,
    /// What it spans; null where it has no point.
    pub span: Option<Window>,
    /// A picture of it, thinned; in a preview alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<Point>,
}

/// What was read of a file of values, or of a Prometheus server's answer; or, in a preview, what would be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignalsReport {
    /// The file's name, or what the answer is called.
    pub file_name: String,
    /// SHA-256 of its bytes, in hexadecimal; null where only the head of a file was looked at.
    pub sha256: Option<String>,
    /// How it is written, for people ("CSV parted by ‘;’").
    pub shape: String,
    /// The columns of a file, in a preview alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<PreviewColumn>,
    /// Which of them is read as what.
    #[serde(default)]
    pub mapping: ValueMapping,
    /// Columns that are not read since they hold no values; others that were not asked for are not among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<String>,
    /// What keeps it from being imported in this way; null where nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// Rows of a file under its header.
    pub rows_read: u64,
    /// Rows that repeat a time with the same values.
    pub repeated: u64,
    /// Rows that could not be understood, or give a time another value than an earlier one.
    pub refused: Refused,
    /// The signals.
    pub signals: Vec<SignalRead>,
    /// What a Prometheus server was asked, and what it warned of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prometheus: Option<PrometheusRead>,
    /// The number of its evidence; null in a preview.
    pub evidence: Option<EvidenceNumber>,
    /// Whether the same bytes had been imported before in the same way, so that nothing was changed.
    pub already_imported: bool,
    /// Whether the same bytes had been imported before in another way, which this one replaces.
    pub replaced: bool,
}

impl Display for SignalsReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file_name)?;
        if self.already_imported {
            write!(f, "imported before; nothing was changed. It held ")?;
        } else if self.replaced {
            write!(f, "imported before in another way, which this one replaces. ")?;
        }
        let plural = if self.signals.len() == 1 { "signal" } else { "signals" };
        write!(f, "{} {plural}", self.signals.len())?;
        if self.prometheus.is_none() {
            let (rows, repeated, refused) = (self.rows_read, self.repeated, self.refused.total);
            write!(f, ", {rows} rows read, {repeated} repeated, {refused} refused")?;
        }
        if let Some(number) = self.evidence {
            write!(f, "; evidence {number}")?;
        }
        for signal in &self.signals {
            write!(f, "\n  {}", signal.named())?;
            write!(f, ": {}", signal.counted())?;
        }
        for warning in self.prometheus.iter().flat_map(|prometheus| &prometheus.warnings) {
            write!(f, "\n  Prometheus warns: {warning}")?;
        }
        for column in &self.passed_over {
            write!(f, "\n  column ‘{column}’ holds no values and was not read")?;
        }
        self.refused.write(f, "line")
    }
}

impl SignalRead {
    /// Its title, labels and unit: `Queue length {queue="retries"} (jobs)`.
    pub fn named(&self) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" ({})", self.unit) };
        format!("{}{}{unit}", self.title, written_labels(&self.labels))
    }

    /// How many points it has, and how many of them hold no value: `91 points, 1 gap, 2 not a number`.
    pub fn counted(&self) -> String {
        let counted = |count: u64, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
        let mut words = vec![counted(self.count, "point", "points")];
        for (count, one, more) in [
            (self.gaps, "gap", "gaps"),
            (self.not_numbers, "not a number", "not numbers"),
            (self.infinite, "infinite", "infinite"),
        ] {
            if count > 0 {
                words.push(counted(count, one, more));
            }
        }
        words.join(", ")
    }
}

/// The labels of a series as a query writes them, with a blank before; empty where there are none.
pub fn written_labels(labels: &BTreeMap<String, String>) -> String {
    if labels.is_empty() {
        return String::new();
    }
    let quoted = |word: &str| word.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let pairs: Vec<String> = labels.iter().map(|(name, word)| format!("{name}=\"{}\"", quoted(word))).collect();
    format!(" {{{}}}", pairs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_written_as_a_query_writes_them() {
        let labels = [("a".to_owned(), "say \"x\\y\"\n".to_owned()), ("b".to_owned(), "é".to_owned())].into();
        assert_eq!(written_labels(&labels), r#" {a="say \"x\\y\"\n", b="é"}"#);
        assert_eq!(written_labels(&BTreeMap::new()), "");
    }

    fn query(seconds: i64, step_seconds: u32) -> PrometheusQuery {
        let from: DateTime<Utc> = "2026-07-09T09:16:00Z".parse().expect("a time");
        PrometheusQuery {
            server: "main".into(),
            query: "up".into(),
            from,
            until: from + chrono::TimeDelta::seconds(seconds),
            step_seconds,
            title: None,
            unit: None,
        }
    }

    #[test]
    fn a_question_that_asks_for_too_much_is_told_the_step_that_fits() {
        for (seconds, step, told) in [
            (10_999, 1, None),
            (11_000, 1, Some("2 seconds")),
            (90 * 60, 15, None),
            (30 * DAY, 60, Some("300 seconds")),
            (900 * DAY, 60, Some("7200 seconds")),
            (100_000 * DAY, 60, Some("864000 seconds")),
            (60, 0, Some("at least one second")),
            (0, 60, Some("ends before it begins")),
        ] {
            let faults = query(seconds, step).faults();
            match told {
                None => assert_eq!(faults, [], "{seconds} by {step}"),
                Some(told) => assert!(faults[0].message.contains(told), "{seconds} by {step}: {faults:?}"),
            }
        }
        for seconds in [1, 10_999, 11_000, 30 * DAY, 12_345_678] {
            let step = u32::try_from(fitting_step(seconds)).expect("a step");
            assert_eq!(query(seconds, step).faults(), [], "{seconds} by {step}");
        }
    }
}
