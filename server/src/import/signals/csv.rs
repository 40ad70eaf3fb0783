//! A CSV file of a time and one or more values, each column a signal.

use std::collections::BTreeMap;
use std::io::Read;

use domain::mapping::Mapping;
use domain::wire::actions::MAX_LINE;
use domain::wire::imports::{PreviewColumn, Refused};
use domain::wire::signals::{SignalsReport, ValueMapping};

use super::super::ImportError;
use super::super::events::layout::{Head, UNCLOSED, quoted_names, told};
use super::super::events::records::{Next, Record, Records};
use super::super::events::rows::quoted;
use super::super::events::scan::Pieces;
use super::super::events::times::Times;
use super::series::{Cell, Series};
use super::{Parsed, empty_report};
use crate::store::NewValueSignal;

/// The most columns of values that a file may have.
const MOST_COLUMNS: usize = 100;

/// The most values that a file may have.
const MOST_VALUES: usize = 5_000_000;

/// A head shorter than this is taken for a whole file, so that its last line is a row.
const CUT: usize = 64 << 10;

/// How many values of a column a preview shows.
const SHOWN: usize = 3;

/// Which column is what, settled.
struct Layout {
    delimiter: u8,
    columns: usize,
    time: usize,
    times: Times,
    /// Where each column of values stands, and its name.
    values: Vec<(usize, String)>,
    passed_over: Vec<String>,
    mapping: ValueMapping,
}

/// Reads a whole file.
pub(super) fn read(source: impl Read + Send, asked: &ValueMapping, file_name: &str) -> Result<Parsed, ImportError> {
    let mut pieces = Pieces::new(source)?;
    let packing = pieces.packing();
    let (head, goes_on) = pieces.head()?;
    let head = head_of(head, goes_on, asked)?;
    let layout = Layout::settle(&head, asked)?;
    pieces.skip(head.body);
    let mut rows = Rows::new(&layout);
    let mut open: Option<(Vec<u8>, u64)> = None;
    while let Some(mut piece) = pieces.next()? {
        if let Some((mut text, line)) = open.take() {
            text.append(&mut piece.text);
            (piece.text, piece.line) = (text, line);
        }
        if let Some((at, line)) = rows.take(&piece.text, piece.line, piece.goes_on)? {
            open = Some((piece.text.split_off(at), line));
        }
    }
    if let Some((text, line)) = open {
        rows.take(&text, line, false)?;
    }
    let report = SignalsReport { shape: head.shape(packing), ..empty_report(file_name) };
    rows.finish(&layout, report)
}

/// Looks at the head of a file: `source` may end anywhere.
pub(super) fn preview(source: impl Read + Send, asked: &ValueMapping, file_name: &str) -> Result<Parsed, ImportError> {
    let mut pieces = Pieces::new(source)?;
    let packing = pieces.packing();
    let text = pieces.beginning()?;
    // A row that was cut off is none.
    let whole = match memchr::memrchr(b'\n', text) {
        Some(at) if text.len() >= CUT => &text[..=at],
        _ => text,
    };
    let head = head_of(whole, true, asked)?;
    let columns = head.columns.iter().enumerate().map(|(at, name)| PreviewColumn {
        name: name.clone(),
        values: head.values(at).map(quoted).take(SHOWN).collect(),
    });
    let report = SignalsReport { shape: head.shape(packing), columns: columns.collect(), ..empty_report(file_name) };
    let troubled = |trouble: String| {
        let mapping = ValueMapping { time: proposed_time(&head, asked), ..asked.clone() };
        let report = SignalsReport { trouble: Some(trouble), mapping, ..report.clone() };
        Ok(Parsed { report, signals: Vec::new() })
    };
    let layout = match Layout::settle(&head, asked) {
        Ok(layout) => layout,
        Err(ImportError::Refused(reason)) => return troubled(reason),
        Err(other) => return Err(other),
    };
    let mut rows = Rows::new(&layout);
    let (at, line) = head.body;
    rows.take(&whole[at..], line, true)?;
    match rows.finish(&layout, report.clone()) {
        Err(ImportError::Refused(reason)) => troubled(reason),
        parsed => parsed,
    }
}

fn head_of(text: &[u8], goes_on: bool, asked: &ValueMapping) -> Result<Head, ImportError> {
    let head = Head::of(text, goes_on, &events_mapping(asked))?;
    if head.delimiter.is_none() {
        return Err(ImportError::Refused(
            "the file is JSON; a file of values is CSV, whose first line names a column of times and at least one of values"
                .to_owned(),
        ));
    }
    Ok(head)
}

/// What is asked in the words of a log of attempts, whose reader finds columns of times by their usual names.
fn events_mapping(asked: &ValueMapping) -> Mapping {
    Mapping { time: asked.time.clone(), labels: asked.values.clone(), ..Mapping::default() }
}

fn proposed_time(head: &Head, asked: &ValueMapping) -> Option<String> {
    head.proposed(&events_mapping(asked)).time
}

impl Layout {
    fn settle(head: &Head, asked: &ValueMapping) -> Result<Self, ImportError> {
        let refused = |reason: String| Err(ImportError::Refused(reason));
        let names = quoted_names(&head.columns);
        let find = |name: &str| match head.find(name)? {
            Some(at) => Ok(at),
            None => Err(ImportError::Refused(format!("no column is named ‘{name}’. The columns are: {names}"))),
        };
        let Some(time) = proposed_time(head, asked) else {
            return refused(format!(
                "which column holds the time? Say it (--time COLUMN); without that it is looked for by a name such as time, \
                 timestamp or ts. The columns are: {names}"
            ));
        };
        let time = find(&time)?;
        let times = Times::decide(&head.columns[time], asked.time_format, asked.zone.as_deref(), head.values(time))?;
        let others = (0..head.columns.len()).filter(|at| *at != time);
        // A word here and there is refused with its line; a column of words is another thing.
        let is_number = |at: usize| {
            let cells = || head.values(at).map(Cell::read).filter(|cell| *cell != Some(Cell::Empty));
            let numbers = cells().flatten().count();
            numbers > 0 && 2 * numbers >= cells().count()
        };
        let (values, passed_over): (Vec<usize>, Vec<usize>) = if asked.values.is_empty() {
            others.partition(|at| is_number(*at))
        } else {
            let mut values = Vec::with_capacity(asked.values.len());
            for name in &asked.values {
                let at = find(name)?;
                if at == time || values.contains(&at) {
                    return refused(format!("the column ‘{name}’ is taken twice; it can be one thing"));
                }
                values.push(at);
            }
            let rest = others.filter(|at| !values.contains(at) && !is_number(*at)).collect();
            (values, rest)
        };
        if values.is_empty() {
            return refused(format!(
                "no column besides ‘{}’ holds numbers, written such as 12.5. The columns are: {names}",
                head.columns[time]
            ));
        }
        if values.len() > MOST_COLUMNS {
            return refused(format!(
                "the file has {} columns of values; at most {MOST_COLUMNS} are taken, so say which (--value COLUMN)",
                values.len()
            ));
        }
        for at in &values {
            // Read again, it is found by its name.
            find(&head.columns[*at])?;
        }
        for (what, said) in [("title", &asked.title), ("unit", &asked.unit)] {
            if said.as_ref().is_some_and(|said| said.chars().count() > MAX_LINE) {
                return refused(format!("the {what} may have {MAX_LINE} characters"));
            }
        }
        let column = |at: usize| head.columns[at].clone();
        let mapping = ValueMapping {
            time: Some(column(time)),
            values: values.iter().map(|at| column(*at)).collect(),
            time_format: Some(times.format()),
            ..asked.clone()
        };
        Ok(Self {
            delimiter: head.delimiter.unwrap_or(b','),
            columns: head.columns.len(),
            time,
            times,
            values: values.into_iter().map(|at| (at, column(at))).collect(),
            passed_over: passed_over.into_iter().map(column).collect(),
            mapping,
        })
    }

    /// Reads a row into its instant, and its values behind `cells`.
    fn row(&self, record: Record<'_>, cells: &mut Vec<Cell>) -> Result<i64, String> {
        if record.len() != self.columns {
            return Err(format!("{} fields where the header has {}", record.len(), self.columns));
        }
        let field = |at: usize| record.get(at).unwrap_or_default().trim_ascii();
        let at = self.times.millis(field(self.time))?;
        let before = cells.len();
        for (place, name) in &self.values {
            let Some(cell) = Cell::read(field(*place)) else {
                cells.truncate(before);
                return Err(format!("{name} ‘{}’ is not a number, written such as 12.5", quoted(field(*place))));
            };
            cells.push(cell);
        }
        Ok(at)
    }
}

/// Rows as they were read, in the order of the file.
struct Rows<'a> {
    layout: &'a Layout,
    /// The instant and the line of each.
    at: Vec<(i64, u64)>,
    /// Its values, as many as there are columns of them.
    cells: Vec<Cell>,
    read: u64,
    refused: Refused,
}

impl<'a> Rows<'a> {
    fn new(layout: &'a Layout) -> Self {
        Self { layout, at: Vec::new(), cells: Vec::new(), read: 0, refused: Refused::default() }
    }

    /// Takes the rows of a piece. Answers where a row begins that the piece does not end, and on which line.
    fn take(&mut self, text: &[u8], line: u64, goes_on: bool) -> Result<Option<(usize, u64)>, ImportError> {
        let mut records = Records::new(text, line, self.layout.delimiter, goes_on);
        while let Some(next) = records.advance()? {
            match next {
                Next::Open { line, at } => return Ok(Some((at, line))),
                Next::Unclosed { line } => self.refuse(line, UNCLOSED.to_owned()),
                Next::Record { line, more_lines } => {
                    if more_lines > 0 && records.record().len() != self.layout.columns {
                        records.give_back();
                        self.refuse(line, UNCLOSED.to_owned());
                        continue;
                    }
                    match self.layout.row(records.record(), &mut self.cells) {
                        Ok(at) => {
                            self.read += 1;
                            self.at.push((at, line));
                        }
                        Err(reason) => self.refuse(line, told(reason, more_lines)),
                    }
                    if self.cells.len() > MOST_VALUES {
                        return Err(ImportError::Refused(format!(
                            "line {line}: the file has more than {MOST_VALUES} values; import it in parts, or fewer columns \
                             of it (--value COLUMN)"
                        )));
                    }
                }
            }
        }
        Ok(None)
    }

    fn refuse(&mut self, line: u64, reason: String) {
        self.read += 1;
        self.refused.add(line, reason);
    }

    /// The signals: each instant once, in order of time.
    fn finish(mut self, layout: &Layout, report: SignalsReport) -> Result<Parsed, ImportError> {
        if self.read == 0 {
            return Err(ImportError::Refused("the file has no rows; export it again with its rows".to_owned()));
        }
        if self.at.is_empty() {
            let first = self.refused.rows.first().map(|row| format!("line {}: {}", row.place, row.reason));
            let first = first.unwrap_or_default();
            return Err(ImportError::Refused(format!("none of the {} rows could be read; {first}", self.read)));
        }
        let width = layout.values.len();
        let row = |at: usize| &self.cells[at * width..(at + 1) * width];
        let mut order: Vec<usize> = (0..self.at.len()).collect();
        order.sort_by_key(|&place| self.at[place].0);
        let mapping = &layout.mapping;
        let is_alone = width == 1;
        let mut series: Vec<Series> = layout
            .values
            .iter()
            .map(|(at, name)| {
                let name = if name.is_empty() { format!("column {}", at + 1) } else { name.clone() };
                let said = mapping.title.clone().filter(|title| is_alone && !title.trim().is_empty());
                Series::new(NewValueSignal {
                    title: said.unwrap_or(name),
                    unit: mapping.unit.clone().unwrap_or_default(),
                    labels: BTreeMap::new(),
                    points: Vec::new(),
                })
            })
            .collect();
        let mut kept: Option<usize> = None;
        let mut repeated = 0;
        for place in order {
            let (at, line) = self.at[place];
            match kept.filter(|&kept| self.at[kept].0 == at) {
                Some(kept) if row(kept) == row(place) => repeated += 1,
                Some(kept) => self.refused.add(
                    line,
                    format!(
                        "line {} gives this time, to the millisecond, another value; the first is kept",
                        self.at[kept].1
                    ),
                ),
                None => {
                    kept = Some(place);
                    for (series, cell) in series.iter_mut().zip(row(place)) {
                        series.add(at, *cell);
                    }
                }
            }
        }
        self.refused.rows.sort_by_key(|row| row.place);
        let (signals, reads) = series.into_iter().map(Series::finish).unzip();
        let report = SignalsReport {
            mapping: layout.mapping.clone(),
            passed_over: layout.passed_over.clone(),
            rows_read: self.read,
            repeated,
            refused: self.refused,
            signals: reads,
            ..report
        };
        Ok(Parsed { report, signals })
    }
}
