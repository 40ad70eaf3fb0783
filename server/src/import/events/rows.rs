//! The rows of a CSV file of attempts, each read or refused with its reason.

use std::io::Read;

use chrono::DateTime;
use csv::ByteRecord;

use super::super::ImportError;

const REQUIRED: [&str; 4] = ["ts", "attempt_id", "customer_id", "outcome"];

/// The most characters of a faulty value that a reason quotes.
const QUOTED: usize = 60;

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
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        // A line ends where an editor ends it, so that the lines told are the lines seen; a CR is trimmed as space.
        .terminator(csv::Terminator::Any(b'\n'))
        .flexible(true)
        .from_reader(source.chain(&b"\n"[..]));
    let mut record = ByteRecord::new();
    if !next(&mut reader, &mut record)? {
        return Err(ImportError::Refused(format!(
            "the file is empty; its first line must name the columns {}",
            REQUIRED.join(", ")
        )));
    }
    let columns = columns(&record)?;
    while next(&mut reader, &mut record)? {
        let end = reader.position().line();
        let begun = record.position().map_or(end, csv::Position::line);
        let inside = record.iter().flatten().filter(|byte| **byte == b'\n').count() as u64;
        // The row ended on the line before the reader's; its own start would count empty lines before it.
        let line = (end - 1).saturating_sub(inside).max(begun);
        if record.len() == 1 && record[0].trim_ascii().is_empty() {
            continue;
        }
        each(line, row(&record, columns).map_err(|reason| told(reason, inside)));
    }
    Ok(())
}

fn next(reader: &mut csv::Reader<impl Read>, record: &mut ByteRecord) -> Result<bool, ImportError> {
    let line = reader.position().line();
    reader
        .read_byte_record(record)
        .map_err(|error| ImportError::Refused(format!("line {line}: the file cannot be read further: {error}")))
}

/// A reason, with what its being spread over lines suggests.
fn told(reason: String, inside: u64) -> String {
    match inside {
        0 => reason,
        _ => format!("{reason} (the row runs over {} lines; is the other half of a quote missing?)", inside + 1),
    }
}

fn columns(header: &ByteRecord) -> Result<Columns, ImportError> {
    let names: Vec<String> = header
        .iter()
        .map(|name| String::from_utf8_lossy(name).trim().trim_start_matches('\u{FEFF}').to_owned())
        .collect();
    let find = |wanted: &str| -> Result<Option<usize>, ImportError> {
        let mut found =
            names.iter().enumerate().filter(|(_, name)| name.eq_ignore_ascii_case(wanted)).map(|(at, _)| at);
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(ImportError::Refused(format!("line 1: two columns are named ‘{wanted}’; keep one"))),
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
        "line 1: no column is named {}; it must be CSV whose first line names {} (and latency_ms if known). It has: {}",
        missing.join(" or "),
        REQUIRED.join(", "),
        quoted(names.join(", ").as_bytes())
    )))
}

fn row(record: &ByteRecord, columns: Columns) -> Result<Row<'_>, String> {
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
