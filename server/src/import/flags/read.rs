//! The forms that a flag's history comes in: a neutral list as JSON or CSV, and the event log of Unleash.

use std::collections::BTreeMap;

use chrono::{DateTime, SubsecRound, Utc};
use serde_json::{Map, Value};

use super::super::{ImportError, Refused};
use super::unleash;
use crate::store::NewFlagChange;

/// The columns of the neutral forms, which are also the names of a JSON element's members.
const COLUMNS: [&str; 7] = ["flag", "environment", "state", "changed_at", "effective_at", "by", "comment"];

/// What one element of a file is.
pub(super) enum Element {
    /// A change of a flag's state.
    Change(NewFlagChange),
    /// Something else of this kind, such as a change of a flag's description.
    Other(String),
}

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The changes, in order of time.
    pub changes: Vec<NewFlagChange>,
    /// What could not be understood, by element or line.
    pub refused: Refused,
    /// What is no change of a state, counted by its kind.
    pub passed_over: BTreeMap<String, u64>,
    /// How many elements there were.
    pub read: u64,
    /// What `refused` counts by.
    pub place: &'static str,
}

/// Reads a file in whatever form it is: JSON begins with a bracket or a brace, all else is CSV.
pub(super) fn read(bytes: &[u8]) -> Result<Found, ImportError> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut found = match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => return Err(refused("the file is empty")),
        Some(b'[' | b'{') => json(bytes)?,
        Some(_) => csv(bytes)?,
    };
    if found.read == 0 {
        return Err(refused("the file holds no changes"));
    }
    if found.changes.is_empty() {
        let first = found.refused.rows.first();
        let first = first.map(|row| format!("; {} {}: {}", found.place, row.place, row.reason)).unwrap_or_default();
        return Err(refused(&format!("not one of the {} elements is a change that could be read{first}", found.read)));
    }
    found.changes.sort_by_key(|change| change.changed_at);
    Ok(found)
}

fn json(bytes: &[u8]) -> Result<Found, ImportError> {
    let document: Value = serde_json::from_slice(bytes).map_err(|error| {
        refused(&format!(
            "line {}, column {}: not JSON ({error}); it must be [{{\"flag\": …, \"state\": …, \"changed_at\": …}}, …], \
             or Unleash's {{\"events\": […]}}",
            error.line(),
            error.column()
        ))
    })?;
    let elements = match &document {
        Value::Array(elements) => elements,
        Value::Object(fields) => fields.get("events").and_then(Value::as_array).ok_or_else(|| {
            refused("an object without the list ‘events’; it must be a list of changes, or Unleash's {\"events\": […]}")
        })?,
        _ => return Err(refused("not a list of changes")),
    };
    let mut found = Found { place: "element", ..Found::default() };
    for (index, element) in (0..).zip(elements) {
        let read = match element.as_object() {
            None => Err("not an object".to_owned()),
            Some(fields) if unleash::is_event(fields) => unleash::element(fields),
            Some(fields) => change(fields).map(Element::Change),
        };
        found.add(index, read);
    }
    Ok(found)
}

fn csv(bytes: &[u8]) -> Result<Found, ImportError> {
    let head = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let times = |delimiter: u8| head.split(|&byte| byte == delimiter).count();
    let delimiter = [b',', b';', b'\t'].into_iter().max_by_key(|&delimiter| times(delimiter)).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(bytes);
    let unreadable = |error: csv::Error| refused(&format!("not a table that could be read: {error}"));
    let header = reader.headers().map_err(unreadable)?.clone();
    let names: Vec<String> = header.iter().map(|name| name.trim().to_lowercase()).collect();
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) && COLUMNS.contains(&name.as_str()) {
            return Err(refused(&format!("line 1: the column ‘{name}’ stands twice")));
        }
    }
    for needed in ["flag", "state", "changed_at"] {
        if !names.iter().any(|name| name == needed) {
            return Err(refused(&format!(
                "line 1: no column ‘{needed}’ among {}; a table has flag, state, changed_at, and may have \
                 environment, effective_at, by, comment",
                names.iter().map(|name| format!("‘{name}’")).collect::<Vec<_>>().join(", ")
            )));
        }
    }
    let mut found = Found { place: "line", ..Found::default() };
    for record in reader.records() {
        let (line, read) = match record {
            Ok(record) => {
                let line = record.position().map_or(0, csv::Position::line);
                let fields = names.iter().cloned().zip(record.iter().map(Value::from)).collect();
                let read = if record.len() == names.len() {
                    change(&fields).map(Element::Change)
                } else {
                    Err(format!("{} fields under a header of {}", record.len(), names.len()))
                };
                (line, read)
            }
            Err(error) => (error.position().map_or(0, csv::Position::line), Err(error.to_string())),
        };
        found.add(line, read);
    }
    Ok(found)
}

impl Found {
    fn add(&mut self, place: u64, read: Result<Element, String>) {
        self.read += 1;
        match read {
            Ok(Element::Change(change)) => self.changes.push(change),
            Ok(Element::Other(kind)) => *self.passed_over.entry(kind).or_default() += 1,
            Err(reason) => self.refused.add(place, reason),
        }
    }
}

fn change(fields: &Map<String, Value>) -> Result<NewFlagChange, String> {
    Ok(NewFlagChange {
        flag: needed(fields, "flag")?,
        environment: optional(fields, "environment")?,
        state: needed(fields, "state")?,
        changed_at: instant(&needed(fields, "changed_at")?, "changed_at")?,
        effective_at: optional(fields, "effective_at")?.map(|at| instant(&at, "effective_at")).transpose()?,
        by: optional(fields, "by")?,
        comment: optional(fields, "comment")?,
    })
}

/// A member that must be there.
pub(super) fn needed(fields: &Map<String, Value>, name: &str) -> Result<String, String> {
    optional(fields, name)?.ok_or_else(|| format!("‘{name}’ is missing"))
}

/// A member that may be absent, null or blank.
pub(super) fn optional(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim().to_owned())),
        Some(_) => Err(format!("‘{name}’ is not a text")),
    }
}

/// A time with its zone.
pub(super) fn instant(text: &str, name: &str) -> Result<DateTime<Utc>, String> {
    let parsed = DateTime::parse_from_rfc3339(text).map(|at| at.to_utc().trunc_subsecs(3));
    parsed.map_err(|_| format!("‘{name}’ is ‘{text}’, not a time with date and zone, such as 2026-07-09T10:11:00Z"))
}

fn refused(why: &str) -> ImportError {
    ImportError::Refused(why.to_owned())
}
