//! The rows of a CSV file of attempts, each read or refused with its reason.

use std::io::Read;

use chrono::DateTime;

use super::super::ImportError;
use super::records::{Next, Record, Records};

const REQUIRED: [&str; 4] = ["ts", "attempt_id", "customer_id", "outcome"];

/// The most characters of a faulty value that a reason quotes.
const QUOTED: usize = 60;

const UNCLOSED: &str = "a quote opens on this line and is not closed where its field ends, so the line was not read; \
                        close it, or write it twice inside quotes where it belongs to the text";

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
    /// How long it took, as written; empty where that is not said.
    pub latency: &'a [u8],
}

/// Where the columns stand.
#[derive(Debug, Clone, Copy)]
struct Columns {
    required: [usize; 4],
    latency: Option<usize>,
    count: usize,
}

/// Reads every row and hands each over with its line. Fails where the whole file is of no use.
pub(super) fn read(source: impl Read, mut each: impl FnMut(u64, Result<Row<'_>, String>)) -> Result<(), ImportError> {
    let mut records = Records::new(source);
    let columns = match records.advance()? {
        None => {
            return Err(ImportError::Refused(format!(
                "the file is empty; its first line must name the columns {}",
                REQUIRED.join(", ")
            )));
        }
        Some(Next::Unclosed { line }) => return Err(ImportError::Refused(format!("line {line}: {UNCLOSED}"))),
        Some(Next::Record { line, .. }) => columns(records.record(), line)?,
    };
    while let Some(next) = records.advance()? {
        match next {
            Next::Record { line, more_lines } if more_lines > 0 && is_swallowed(records.record(), columns) => {
                records.give_back(line);
                each(line, Err(UNCLOSED.to_owned()));
            }
            Next::Record { line, more_lines } => {
                each(line, row(records.record(), columns).map_err(|reason| told(reason, more_lines)));
            }
            Next::Unclosed { line } => each(line, Err(UNCLOSED.to_owned())),
        }
    }
    Ok(())
}

/// Whether a record over several lines is none: it has not the header's fields, or a line ends inside one that never
/// holds a line's end.
fn is_swallowed(record: Record<'_>, columns: Columns) -> bool {
    let ends_inside = |at: &usize| record.get(*at).unwrap_or_default().trim_ascii().contains(&b'\n');
    record.len() != columns.count || columns.required.iter().chain(&columns.latency).any(ends_inside)
}

/// A reason, with how far the row runs.
fn told(reason: String, more_lines: usize) -> String {
    match more_lines {
        0 => reason,
        _ => format!("{reason} (the row runs over {} lines)", more_lines + 1),
    }
}

fn columns(header: Record<'_>, line: u64) -> Result<Columns, ImportError> {
    let names: Vec<String> = header
        .fields()
        .map(|name| String::from_utf8_lossy(name).trim().trim_start_matches('\u{FEFF}').to_owned())
        .collect();
    let find = |wanted: &str| -> Result<Option<usize>, ImportError> {
        let mut found =
            names.iter().enumerate().filter(|(_, name)| name.eq_ignore_ascii_case(wanted)).map(|(at, _)| at);
        match (found.next(), found.next()) {
            (_, Some(_)) => {
                Err(ImportError::Refused(format!("line {line}: two columns are named ‘{wanted}’; keep one")))
            }
            (at, None) => Ok(at),
        }
    };
    let (mut required, mut missing) = ([0; 4], Vec::new());
    for (at, wanted) in required.iter_mut().zip(REQUIRED) {
        match find(wanted)? {
            Some(found) => *at = found,
            None => missing.push(wanted),
        }
    }
    if missing.is_empty() {
        return Ok(Columns { required, latency: find("latency_ms")?, count: names.len() });
    }
    Err(ImportError::Refused(format!(
        "line {line}: no column is named {}; it must be CSV whose first line names {} (and latency_ms if known). It has: {}",
        missing.join(" or "),
        REQUIRED.join(", "),
        quoted(names.join(", ").as_bytes())
    )))
}

fn row(record: Record<'_>, columns: Columns) -> Result<Row<'_>, String> {
    if record.len() != columns.count {
        return Err(format!("{} fields where the header has {}", record.len(), columns.count));
    }
    let field = |at: usize| record.get(at).unwrap_or_default().trim_ascii();
    let [ts, attempt_id, customer_id, outcome] = columns.required.map(field);
    let latency = columns.latency.map(field).unwrap_or_default();
    for (value, name) in [(attempt_id, "attempt_id"), (customer_id, "customer_id")] {
        if value.is_empty() {
            return Err(format!("{name} is empty"));
        }
    }
    let failed = match outcome {
        b"failed" => true,
        b"completed" => false,
        other => return Err(format!("outcome ‘{}’ is neither ‘completed’ nor ‘failed’", quoted(other))),
    };
    let whole =
        std::str::from_utf8(latency).is_ok_and(|text| text.parse::<f64>().is_ok_and(|ms| ms.is_finite() && ms >= 0.0));
    if !latency.is_empty() && !whole {
        return Err(format!("latency_ms ‘{}’ is not a number of milliseconds", quoted(latency)));
    }
    Ok(Row { at: time(ts)?, attempt_id, customer_id, failed, latency })
}

fn time(ts: &[u8]) -> Result<i64, String> {
    let parsed = std::str::from_utf8(ts).ok().and_then(|text| DateTime::parse_from_rfc3339(text).ok());
    parsed.map(|at| at.timestamp_millis()).ok_or_else(|| {
        format!("ts ‘{}’ is not a time with date and zone, such as 2026-07-09T09:46:00Z or …+02:00", quoted(ts))
    })
}

/// A faulty value for a person to read, cut where it is long.
fn quoted(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    let mut quoted: String = text.chars().take(QUOTED).collect();
    if quoted.len() < text.len() {
        quoted.push('…');
    }
    quoted
}
