//! How a file of attempts is laid out: told from its head and from what is asked, once, before any row is read.

use std::collections::BTreeSet;

use domain::mapping::{COMPLETED, FAILED, Mapping};
use domain::wire::actions::MAX_LINE;

use super::super::ImportError;
use super::objects::{Picked, flattened};
use super::records::{Next, Record, Records};
use super::rows::{Reading, Row, Values, quoted, slot};
use super::times::Times;
use super::unpack::Packing;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// How many rows of the head are looked at.
const LOOKED_AT: usize = 1000;

/// The most columns that a table may have: no spreadsheet has more.
const MOST_COLUMNS: usize = 16_384;

/// The most labels that are kept.
const MOST_LABELS: usize = 16;

pub(in crate::import) const UNCLOSED: &str = "a quote opens on this line and is not closed where its field ends, so the line was not read; \
                        close it, or write it twice inside quotes where it belongs to the text";

/// What part a column can have, and the names that it usually has, best first.
const USUAL: [(&str, &[&str]); 5] = [
    ("time", &["ts", "timestamp", "@timestamp", "time", "occurred_at", "event_time", "datetime", "date"]),
    (
        "attempt",
        &["attempt_id", "attempt", "event_id", "request_id", "checkout_id", "order_id", "transaction_id", "id"],
    ),
    ("customer", &["customer_id", "customer", "user_id", "account_id", "client_id", "user"]),
    ("outcome", &["outcome", "result", "status", "success", "state"]),
    ("latency", &["latency_ms", "duration_ms", "elapsed_ms", "response_time_ms"]),
];

/// How rows are parted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// CSV, with this byte between fields.
    Csv { delimiter: u8, columns: usize, at: Vec<Option<usize>> },
    /// JSON, one object a line.
    Ndjson,
}

/// How a file is laid out.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub form: Form,
    pub reading: Reading,
    /// What each column is read as, complete.
    pub mapping: Mapping,
}

/// The head of a file, as far as its form goes.
#[derive(Debug, Clone)]
pub(in crate::import) struct Head {
    /// The byte between fields; none for NDJSON.
    pub delimiter: Option<u8>,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The values of the first rows, by column.
    pub rows: Vec<Vec<Vec<u8>>>,
    /// Where the rows begin, and on which line.
    pub body: (usize, u64),
}

impl Head {
    /// Looks at the first piece of a file.
    pub(in crate::import) fn of(text: &[u8], goes_on: bool, asked: &Mapping) -> Result<Self, ImportError> {
        let skipped = if text.starts_with(BOM) { BOM.len() } else { 0 };
        let rest = &text[skipped..];
        if rest.starts_with(b"\xFF\xFE") || rest.starts_with(b"\xFE\xFF") {
            return Err(ImportError::Refused("the file is UTF-16; save it as UTF-8".to_owned()));
        }
        match rest.trim_ascii_start().first() {
            None => Err(ImportError::Refused(
                "the file is empty; its first line must name the columns (or it is JSON, one object a line)".to_owned(),
            )),
            Some(b'[') => Err(ImportError::Refused(
                "the file is one JSON list; write one object a line instead (jq -c '.[]' does it)".to_owned(),
            )),
            Some(b'{') => Ok(Self::ndjson(rest, skipped)),
            Some(_) => Self::csv(rest, skipped, goes_on, asked),
        }
    }

    fn csv(text: &[u8], skipped: usize, goes_on: bool, asked: &Mapping) -> Result<Self, ImportError> {
        let wanted = |name: &&str| asked.part_of(name).is_some() || USUAL.iter().any(|(_, usual)| usual.contains(name));
        let mut best: Option<(usize, usize, u8)> = None;
        for delimiter in *b",;\t|" {
            let mut records = Records::new(text, 1, delimiter, goes_on);
            if let Ok(Some(Next::Record { .. })) = records.advance() {
                let names = names(records.record());
                let known = names.iter().map(|name| name.to_ascii_lowercase()).filter(|n| wanted(&n.as_str())).count();
                if best.is_none_or(|(most, parts, _)| (known, names.len()) > (most, parts)) {
                    best = Some((known, names.len(), delimiter));
                }
            }
        }
        let delimiter = best.map_or(b',', |(_, _, delimiter)| delimiter);
        let mut records = Records::new(text, 1, delimiter, goes_on);
        let columns = match records.advance()? {
            Some(Next::Record { .. }) => names(records.record()),
            _ => return Err(ImportError::Refused(format!("line 1: {UNCLOSED}"))),
        };
        if columns.len() > MOST_COLUMNS {
            return Err(ImportError::Refused(format!(
                "the file has {} columns, and at most {MOST_COLUMNS} are looked at; export those that matter",
                columns.len()
            )));
        }
        if let Some(at) = columns.iter().position(|name| name.chars().count() > MAX_LINE) {
            return Err(ImportError::Refused(format!(
                "the name of column {} has more than {MAX_LINE} characters; the first line names the columns",
                at + 1
            )));
        }
        let (at, line) = (skipped + records.position(), records.next_line());
        let mut rows = Vec::new();
        while rows.len() < LOOKED_AT {
            match records.advance() {
                Ok(Some(Next::Record { .. })) => {
                    rows.push(records.record().iter().map(|value| value.trim_ascii().to_vec()).collect());
                }
                Ok(Some(Next::Unclosed { .. })) => {}
                _ => break,
            }
        }
        Ok(Self { delimiter: Some(delimiter), columns, rows, body: (at, line) })
    }

    fn ndjson(text: &[u8], skipped: usize) -> Self {
        let objects: Vec<_> = text.split(|&byte| byte == b'\n').filter_map(flattened).take(LOOKED_AT).collect();
        let columns: Vec<String> = {
            let names: BTreeSet<&String> = objects.iter().flatten().map(|(name, _)| name).collect();
            names.into_iter().cloned().collect()
        };
        let value = |object: &[(String, String)], column: &String| {
            object
                .iter()
                .find(|(name, _)| name == column)
                .map(|(_, v)| v.trim().as_bytes().to_vec())
                .unwrap_or_default()
        };
        let rows = objects.iter().map(|object| columns.iter().map(|column| value(object, column)).collect()).collect();
        Self { delimiter: None, columns, rows, body: (skipped, 1) }
    }

    /// How the file is written, for people.
    pub(in crate::import) fn shape(&self, packing: Packing) -> String {
        let form = match self.delimiter {
            None => "JSON, one object a line".to_owned(),
            Some(b'\t') => "CSV parted by tabs".to_owned(),
            Some(delimiter) => format!("CSV parted by ‘{}’", char::from(delimiter)),
        };
        match packing {
            Packing::None => form,
            Packing::Gzip => format!("{form}, compressed with gzip"),
            Packing::Zstd => format!("{form}, compressed with zstd"),
        }
    }

    /// What is asked, and for what is not, the columns that have a usual name.
    pub(in crate::import) fn proposed(&self, asked: &Mapping) -> Mapping {
        let mut mapping = asked.clone();
        for (part, usual) in USUAL {
            let given = match part {
                "time" => &asked.time,
                "attempt" => &asked.attempt,
                "customer" => &asked.customer,
                "outcome" => &asked.outcome,
                _ => &asked.latency,
            };
            let is_free = |column: &&String| asked.part_of(column).is_none();
            let found = usual
                .iter()
                .find_map(|usual| self.columns.iter().filter(is_free).find(|name| name.eq_ignore_ascii_case(usual)));
            if let (None, Some(found)) = (given, found) {
                mapping.set(part, found.clone());
            }
        }
        mapping
    }

    /// Where a column stands; refused where two have its name.
    pub(in crate::import) fn find(&self, wanted: &str) -> Result<Option<usize>, ImportError> {
        let exact = self.columns.iter().any(|name| name == wanted);
        let is_it = |name: &String| name == wanted || !exact && name.eq_ignore_ascii_case(wanted);
        let mut found = self.columns.iter().enumerate().filter(|(_, name)| is_it(name)).map(|(at, _)| at);
        match (found.next(), found.next()) {
            (_, Some(_)) => {
                let line = self.body.1 - 1;
                Err(ImportError::Refused(format!("line {line}: two columns are named ‘{wanted}’; keep one")))
            }
            (at, None) => Ok(at),
        }
    }

    /// The values of a column at the head.
    pub(in crate::import) fn values(&self, at: usize) -> impl Iterator<Item = &[u8]> {
        self.rows.iter().filter(|row| row.len() == self.columns.len()).map(move |row| row[at].as_slice())
    }
}

fn names(header: Record<'_>) -> Vec<String> {
    header.iter().map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect()
}

impl Layout {
    /// Settles which column is what, and how values are written. Fails where that cannot be told.
    pub(super) fn settle(head: &Head, asked: &Mapping) -> Result<Self, ImportError> {
        let mut mapping = head.proposed(asked);
        if mapping.labels.len() > MOST_LABELS {
            return Err(ImportError::Refused(format!("at most {MOST_LABELS} labels are kept")));
        }
        let parts = [&mapping.time, &mapping.attempt, &mapping.customer, &mapping.outcome];
        let missing: Vec<&str> =
            USUAL.iter().zip(parts).filter(|(_, column)| column.is_none()).map(|((part, _), _)| *part).collect();
        if !missing.is_empty() {
            return Err(ImportError::Refused(format!(
                "which column holds the {}? Say it (--map {}=COLUMN); without that it is looked for by a name such as \
                 {}. The columns are: {}",
                missing.join(", the "),
                missing[0],
                usual_names(&missing),
                quoted_names(&head.columns)
            )));
        }
        let wanted: Vec<String> = parts
            .into_iter()
            .map(|column| column.clone().unwrap_or_default())
            .chain([mapping.latency.clone().unwrap_or_default()])
            .chain(mapping.labels.iter().cloned())
            .collect();
        let mut at = Vec::with_capacity(wanted.len());
        for name in &wanted {
            let found = if name.is_empty() { None } else { head.find(name)? };
            // An object may have names that none of the first ones has.
            if found.is_none() && !name.is_empty() && head.delimiter.is_some() {
                return Err(ImportError::Refused(format!(
                    "no column is named ‘{name}’. The columns are: {}",
                    quoted_names(&head.columns)
                )));
            }
            if found.is_some() && at.contains(&found) {
                return Err(ImportError::Refused(format!("the column ‘{name}’ is taken twice; it can be one thing")));
            }
            at.push(found);
        }
        let mut names = wanted;
        for (name, at) in names.iter_mut().zip(&at) {
            if let Some(at) = at {
                name.clone_from(&head.columns[*at]);
            }
        }
        let times = at[slot::TIME].map(|at| head.values(at).collect::<Vec<_>>()).unwrap_or_default();
        let times = Times::decide(&names[slot::TIME], mapping.time_format, mapping.zone.as_deref(), times.into_iter())?;
        mapping.time_format = Some(times.format());
        let words =
            |usual: &str, more: &[String]| std::iter::once(usual.to_owned()).chain(more.iter().cloned()).collect();
        let (completed, failed): (Vec<String>, Vec<String>) =
            (words(COMPLETED, &mapping.completed), words(FAILED, &mapping.failed));
        if let Some(both) = completed.iter().find(|word| failed.contains(word)) {
            return Err(ImportError::Refused(format!(
                "‘{both}’ cannot mean both that an attempt completed and that it failed"
            )));
        }
        let form = match head.delimiter {
            Some(delimiter) => Form::Csv { delimiter, columns: head.columns.len(), at },
            None => Form::Ndjson,
        };
        Ok(Self { form, reading: Reading { names, times, completed, failed }, mapping })
    }

    /// Reads the rows of a piece of the file, and hands each over with its line. Answers where a row begins that the
    /// piece does not end, and on which line.
    pub(super) fn read(
        &self,
        text: &[u8],
        line: u64,
        goes_on: bool,
        mut each: impl FnMut(u64, Result<(Row<'_>, Values<'_>), String>),
    ) -> Result<Option<(usize, u64)>, ImportError> {
        match &self.form {
            Form::Ndjson => self.read_objects(text, line, each).map(|()| None),
            Form::Csv { delimiter, columns, at } => {
                let mut records = Records::new(text, line, *delimiter, goes_on);
                while let Some(next) = records.advance()? {
                    match next {
                        Next::Open { line, at } => return Ok(Some((at, line))),
                        Next::Unclosed { line } => each(line, Err(UNCLOSED.to_owned())),
                        Next::Record { line, more_lines } => {
                            let record = records.record();
                            if more_lines > 0 && is_swallowed(record, *columns, at) {
                                records.give_back();
                                each(line, Err(UNCLOSED.to_owned()));
                                continue;
                            }
                            if record.len() != *columns {
                                let reason = format!("{} fields where the header has {columns}", record.len());
                                each(line, Err(told(reason, more_lines)));
                                continue;
                            }
                            let values = Values::Record(record, at);
                            let row = self.reading.row(values).map_err(|reason| told(reason, more_lines));
                            each(line, row.map(|row| (row, values)));
                        }
                    }
                }
                Ok(None)
            }
        }
    }

    fn read_objects(
        &self,
        text: &[u8],
        first: u64,
        mut each: impl FnMut(u64, Result<(Row<'_>, Values<'_>), String>),
    ) -> Result<(), ImportError> {
        let mut picked = Picked::default();
        for (number, line) in (first..).zip(text.split(|&byte| byte == b'\n')) {
            if line.len() > super::records::LONGEST {
                return Err(super::records::too_long(number));
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            let read = picked.pick(line, &self.reading.names);
            let values = Values::Object(&picked);
            let row = read.and_then(|()| self.reading.row(values));
            each(number, row.map(|row| (row, values)));
        }
        Ok(())
    }
}

/// Whether a record over several lines is none: it has not the header's fields, or a line ends inside one that never
/// holds a line's end.
fn is_swallowed(record: Record<'_>, columns: usize, at: &[Option<usize>]) -> bool {
    let ends_inside = |at: &usize| record.get(*at).unwrap_or_default().trim_ascii().contains(&b'\n');
    record.len() != columns || at[..slot::LABELS].iter().flatten().any(ends_inside)
}

/// A reason, with how far the row runs.
pub(in crate::import) fn told(reason: String, more_lines: u64) -> String {
    match more_lines {
        0 => reason,
        _ => format!("{reason} (the row runs over {} lines)", more_lines + 1),
    }
}

fn usual_names(missing: &[&str]) -> String {
    let usual = USUAL.iter().filter(|(part, _)| missing.contains(part)).filter_map(|(_, usual)| usual.first().copied());
    usual.collect::<Vec<_>>().join(", ")
}

pub(in crate::import) fn quoted_names(columns: &[String]) -> String {
    quoted(columns.join(", ").as_bytes())
}
