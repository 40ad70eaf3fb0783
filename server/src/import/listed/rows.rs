//! The rows of a list: the elements of a JSON array, or the lines of a table.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};

use super::super::events::layout::quoted_names;
use super::super::events::rows::quoted;
use super::super::{ImportError, Refused};

/// The most characters of a field.
const MAX_FIELD: usize = 500;

/// The most kinds of what is passed over that are told apart.
const MOST_KINDS: usize = 50;

/// What stands for all others.
const OTHERS: &str = "others";

/// How lists of one kind are written.
#[derive(Debug, Clone, Copy)]
pub(in crate::import) struct Shape {
    /// What they are lists of, in the plural.
    pub things: &'static str,
    /// One of them, with its article.
    pub a_thing: &'static str,
    /// The members of a JSON object that may hold the list.
    pub members: &'static [&'static str],
    /// What JSON looks like, for whoever wrote something else.
    pub json: &'static str,
    /// The columns of a table, which are also the members of a JSON element.
    pub columns: &'static [Column],
}

/// A column that a list may have.
#[derive(Debug, Clone, Copy)]
pub(in crate::import) struct Column {
    /// Its names, the first of them its own.
    pub names: &'static [&'static str],
    /// Whether no row says anything without it.
    pub is_needed: bool,
}

/// The fields of a row, or why it could not be read.
type Row = Result<Map<String, Value>, String>;

/// The rows of a file, each with its place.
pub(in crate::import) struct Rows {
    /// The fields of each row under the names that the file gives them, or why it could not be read.
    pub rows: Vec<(u64, Row)>,
    /// What a place counts: `element`, from 0, or `line`, from 1.
    pub place: &'static str,
}

/// What one row of a file is.
pub(in crate::import) enum Element<T> {
    /// One of the things that the list is of.
    Thing(T),
    /// Something else of this kind, such as a change of a flag's description.
    Other(String),
}

/// What a file holds.
#[derive(Debug)]
pub(in crate::import) struct Found<T> {
    /// The things, in the file's order.
    pub things: Vec<T>,
    /// What could not be understood, by its place.
    pub refused: Refused,
    /// What is something else, counted by its kind.
    pub passed_over: BTreeMap<String, u64>,
    /// How many rows there were.
    pub read: u64,
    /// What `refused` counts by.
    pub place: &'static str,
}

impl Rows {
    /// Reads a file in whatever form it is: JSON begins with a bracket or a brace, all else is a table.
    pub(in crate::import) fn of(bytes: &[u8], shape: &Shape) -> Result<Self, ImportError> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let rows = match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
            None => return Err(refused("the file is empty")),
            Some(b'[' | b'{') => json(bytes, shape)?,
            Some(_) => table(bytes, shape)?,
        };
        if rows.rows.is_empty() {
            return Err(refused(&format!("the file holds no {}", shape.things)));
        }
        Ok(rows)
    }
}

impl<T> Found<T> {
    /// Reads each row by itself; a file of which nothing can be read is refused.
    pub(in crate::import) fn of(
        Rows { rows, place }: Rows,
        shape: &Shape,
        read: impl Fn(&Map<String, Value>) -> Result<Element<T>, String>,
    ) -> Result<Self, ImportError> {
        let mut found = Self {
            things: Vec::new(),
            refused: Refused::default(),
            passed_over: BTreeMap::new(),
            read: rows.len() as u64,
            place,
        };
        for (place, row) in rows {
            match row.and_then(|fields| read(&fields)) {
                Ok(Element::Thing(thing)) => found.things.push(thing),
                Ok(Element::Other(kind)) => {
                    let kind = quoted(kind.as_bytes());
                    let is_listed = found.passed_over.len() < MOST_KINDS || found.passed_over.contains_key(&kind);
                    *found.passed_over.entry(if is_listed { kind } else { OTHERS.to_owned() }).or_default() += 1;
                }
                Err(reason) => found.refused.add(place, reason),
            }
        }
        if found.things.is_empty() {
            let first = found.refused.rows.first();
            let first = first.map(|row| format!("; {place} {}: {}", row.place, row.reason)).unwrap_or_default();
            return Err(refused(&format!(
                "not one of the {} {place}s is {} that could be read{first}",
                found.read, shape.a_thing
            )));
        }
        Ok(found)
    }
}

fn json(bytes: &[u8], shape: &Shape) -> Result<Rows, ImportError> {
    let document: Value = serde_json::from_slice(bytes).map_err(|error| {
        refused(&format!(
            "line {}, column {}: not JSON ({error}); it must be {}",
            error.line(),
            error.column(),
            shape.json
        ))
    })?;
    let elements = match document {
        Value::Array(elements) => elements,
        Value::Object(mut fields) => {
            let held = shape.members.iter().find_map(|member| match fields.remove(*member) {
                Some(Value::Array(elements)) => Some(elements),
                _ => None,
            });
            let names = shape.members.join("’ or ‘");
            held.ok_or_else(|| refused(&format!("an object without the list ‘{names}’; it must be {}", shape.json)))?
        }
        _ => return Err(refused(&format!("not a list of {}", shape.things))),
    };
    let rows = (0..).zip(elements).map(|(index, element)| match element {
        Value::Object(fields) => (index, Ok(fields)),
        _ => (index, Err("not an object".to_owned())),
    });
    Ok(Rows { rows: rows.collect(), place: "element" })
}

fn table(bytes: &[u8], shape: &Shape) -> Result<Rows, ImportError> {
    let head = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let times = |delimiter: u8| head.split(|&byte| byte == delimiter).count();
    let delimiter = [b',', b';', b'\t'].into_iter().max_by_key(|&delimiter| times(delimiter)).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(bytes);
    let unreadable = |error: csv::Error| refused(&format!("not a table that could be read: {error}"));
    let header = reader.headers().map_err(unreadable)?.clone();
    let names: Vec<String> = header.iter().map(|name| name.trim().to_lowercase()).collect();
    let is_known = |name: &&String| shape.columns.iter().any(|column| column.names.contains(&name.as_str()));
    let known: Vec<Option<&String>> = names.iter().map(|name| Some(name).filter(is_known)).collect();
    let mut seen = HashSet::new();
    if let Some(twice) = known.iter().flatten().find(|name| !seen.insert(**name)) {
        return Err(refused(&format!("line 1: the column ‘{twice}’ stands twice")));
    }
    for needed in shape.columns.iter().filter(|column| column.is_needed) {
        if !names.iter().any(|name| needed.names.contains(&name.as_str())) {
            let own = |needed: bool| {
                let columns = shape.columns.iter().filter(|column| column.is_needed == needed);
                columns.filter_map(|column| column.names.first().copied()).collect::<Vec<_>>().join(", ")
            };
            return Err(refused(&format!(
                "line 1: no column ‘{}’ among ‘{}’; a table has {}, and may have {}",
                needed.names.join("’ or ‘"),
                quoted_names(&names),
                own(true),
                own(false)
            )));
        }
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        rows.push(match record {
            Ok(record) => {
                let line = record.position().map_or(0, csv::Position::line);
                if record.len() == names.len() {
                    let fields = known.iter().zip(record.iter());
                    (line, Ok(fields.filter_map(|(name, text)| Some(((*name)?.clone(), text.into()))).collect()))
                } else {
                    (line, Err(format!("{} fields under a header of {}", record.len(), names.len())))
                }
            }
            Err(error) => (error.position().map_or(0, csv::Position::line), Err(error.to_string())),
        });
    }
    Ok(Rows { rows, place: "line" })
}

/// A row's fields under their columns' own names; whatever else it has is left out. Of two names of one column the earlier in
/// the column's list goes before.
pub(in crate::import) fn fields(row: &Map<String, Value>, columns: &[Column]) -> Map<String, Value> {
    let named = |name: &str| row.iter().find(|(key, _)| key.trim().eq_ignore_ascii_case(name)).map(|(_, value)| value);
    let is_said = |value: &&Value| !value.is_null() && value.as_str().is_none_or(|text| !text.trim().is_empty());
    let own = columns.iter().filter_map(|column| {
        let value = column.names.iter().find_map(|name| named(name).filter(is_said))?;
        Some(((*column.names.first()?).to_owned(), value.clone()))
    });
    own.collect()
}

/// A member that must be there.
pub(in crate::import) fn needed(fields: &Map<String, Value>, name: &str) -> Result<String, String> {
    optional(fields, name)?.ok_or_else(|| format!("‘{name}’ is missing"))
}

/// A member that may be absent, null or blank, on one line.
pub(in crate::import) fn optional(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    optional_up_to(fields, name, MAX_FIELD)
}

/// The same of so many characters at most.
pub(in crate::import) fn optional_up_to(
    fields: &Map<String, Value>,
    name: &str,
    most: usize,
) -> Result<Option<String>, String> {
    let text = match fields.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Some(_) => return Err(format!("‘{name}’ is not a text")),
    };
    if text.chars().count() > most {
        return Err(format!("‘{name}’ has more than {most} characters"));
    }
    Ok(Some(text).filter(|text| !text.is_empty()))
}

fn refused(why: &str) -> ImportError {
    ImportError::Refused(why.to_owned())
}
