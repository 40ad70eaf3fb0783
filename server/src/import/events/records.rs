//! The records of a CSV file, one after another with their lines, such that a quote that nobody closed costs its own
//! line and not the rest of the file.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};

use csv_core::{ReadRecordResult, Reader, ReaderBuilder, Terminator};

use super::super::ImportError;

/// The most bytes that a record may have, over however many lines it runs.
const LONGEST: usize = 1 << 20;

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// A record, to be had from [`Records::record`].
    Record {
        /// The line that it begins on, from 1.
        line: u64,
        /// How many lines it runs over beyond that one.
        more_lines: usize,
    },
    /// A line on which a quote opens that is closed nowhere, or not where a field ends.
    Unclosed {
        /// The line, from 1.
        line: u64,
    },
}

/// The fields of the record read last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    bytes: &'a [u8],
    ends: &'a [usize],
}

impl<'a> Record<'a> {
    /// How many fields there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A field, from 0.
    pub(super) fn get(&self, at: usize) -> Option<&'a [u8]> {
        let begin = if at == 0 { 0 } else { *self.ends.get(at - 1)? };
        self.bytes.get(begin..*self.ends.get(at)?)
    }

    /// Every field.
    pub(super) fn fields(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let record = *self;
        (0..record.len()).filter_map(move |at| record.get(at))
    }
}

/// A CSV file being read. A line ends where an editor ends it, so that the lines told are the lines seen.
pub(super) struct Records<R> {
    source: BufReader<R>,
    parser: Reader,
    /// The first line of the record.
    first: Vec<u8>,
    /// Its other lines.
    others: Vec<Vec<u8>>,
    /// Lines given back, to be read anew.
    waiting: VecDeque<Vec<u8>>,
    /// How many lines were taken.
    lines: u64,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    filled: (usize, usize),
}

impl<R: Read> Records<R> {
    pub(super) fn new(source: R) -> Self {
        Self {
            source: BufReader::with_capacity(1 << 16, source),
            parser: ReaderBuilder::new().terminator(Terminator::Any(b'\n')).build(),
            first: Vec::new(),
            others: Vec::new(),
            waiting: VecDeque::new(),
            lines: 0,
            bytes: vec![0; 1024],
            ends: vec![0; 16],
            filled: (0, 0),
        }
    }

    /// Reads on; none at the end. Blank lines between records are passed over.
    pub(super) fn advance(&mut self) -> Result<Option<Next>, ImportError> {
        self.others.clear();
        let mut first = std::mem::take(&mut self.first);
        loop {
            if !self.take_line(&mut first)? {
                return Ok(None);
            }
            if !first.trim_ascii().is_empty() {
                break;
            }
        }
        self.first = first;
        let line = self.lines;
        self.filled = (0, 0);
        let mut length = self.first.len();
        let first = std::mem::take(&mut self.first);
        let mut whole = self.feed(&first);
        self.first = first;
        while !whole {
            let mut next = Vec::new();
            if length > LONGEST || !self.take_line(&mut next)? {
                return Ok(Some(self.give_back(line)));
            }
            length += next.len();
            whole = self.feed(&next);
            self.others.push(next);
        }
        if !self.others.is_empty() && !self.closes_where_fields_end() {
            return Ok(Some(self.give_back(line)));
        }
        Ok(Some(Next::Record { line, more_lines: self.others.len() }))
    }

    /// The record read last.
    pub(super) fn record(&self) -> Record<'_> {
        Record { bytes: &self.bytes[..self.filled.0], ends: &self.ends[..self.filled.1] }
    }

    /// Takes only the first line of the record for faulty: its other lines are read anew, as records of their own.
    pub(super) fn give_back(&mut self, line: u64) -> Next {
        self.lines -= self.others.len() as u64;
        for other in self.others.drain(..).rev() {
            self.waiting.push_front(other);
        }
        self.parser.reset();
        Next::Unclosed { line }
    }

    /// Takes the next line, with its end; false where there is none.
    fn take_line(&mut self, into: &mut Vec<u8>) -> Result<bool, ImportError> {
        if let Some(line) = self.waiting.pop_front() {
            *into = line;
        } else {
            into.clear();
            let number = self.lines + 1;
            let read = (&mut self.source).take(LONGEST as u64).read_until(b'\n', into);
            let read = read.map_err(|error| {
                ImportError::Refused(format!("line {number}: the file cannot be read further: {error}"))
            })?;
            if read == 0 {
                return Ok(false);
            }
            if !into.ends_with(b"\n") {
                if read == LONGEST {
                    return Err(ImportError::Refused(format!(
                        "line {number} has more than {LONGEST} bytes, which no row has; is the file CSV?"
                    )));
                }
                into.push(b'\n');
            }
        }
        self.lines += 1;
        Ok(true)
    }

    /// Reads a line into the record; whether the record ends with it.
    fn feed(&mut self, line: &[u8]) -> bool {
        let mut rest = line;
        loop {
            let (bytes, ends) = (&mut self.bytes[self.filled.0..], &mut self.ends[self.filled.1..]);
            let (result, read, wrote, ended) = self.parser.read_record(rest, bytes, ends);
            rest = &rest[read..];
            self.filled = (self.filled.0 + wrote, self.filled.1 + ended);
            match result {
                ReadRecordResult::OutputFull => self.bytes.resize(self.bytes.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::Record => return true,
                ReadRecordResult::InputEmpty | ReadRecordResult::End => return false,
            }
        }
    }

    /// Whether each quoted field of the record closes where the field ends. Where a quote was left open, the next
    /// quote of the file closes it, and what follows that one is a field's beginning.
    fn closes_where_fields_end(&self) -> bool {
        let lines = std::iter::once(&self.first).chain(&self.others);
        let mut bytes = lines.flatten().copied().peekable();
        let (mut begins, mut quoted) = (true, false);
        while let Some(byte) = bytes.next() {
            match (byte, quoted) {
                (b'"', true) if bytes.peek() == Some(&b'"') => drop(bytes.next()),
                (b'"', true) => {
                    quoted = false;
                    if !matches!(bytes.peek(), None | Some(b',' | b'\r' | b'\n')) {
                        return false;
                    }
                }
                (b'"', false) if begins => quoted = true,
                _ => {}
            }
            begins = !quoted && matches!(byte, b',' | b'\n');
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each record as its line, its further lines and its fields, or the line of an open quote.
    fn read(text: &str) -> Vec<String> {
        let mut records = Records::new(text.as_bytes());
        let mut told = Vec::new();
        while let Some(next) = records.advance().expect("readable") {
            told.push(match next {
                Next::Unclosed { line } => format!("{line} open"),
                Next::Record { line, more_lines } => {
                    let fields = records.record().fields().map(|field| String::from_utf8_lossy(field).into_owned());
                    format!("{line}+{more_lines} {}", fields.collect::<Vec<_>>().join("|").replace('\n', "/"))
                }
            });
        }
        told
    }

    #[test]
    fn a_quote_that_stays_open_costs_its_own_line() {
        for (text, expected) in [
            ("a,b\nc,d", vec!["1+0 a|b", "2+0 c|d"]),
            ("\n\na,\"b, c\"\r\n \nd,e\n", vec!["3+0 a|b, c\r", "5+0 d|e"]),
            ("a,\"b\n\nc\"\nd,e\n", vec!["1+2 a|b//c", "4+0 d|e"]),
            ("a,\"say \"\"b\"\"\n\"\nd,e\n", vec!["1+1 a|say \"b\"/", "3+0 d|e"]),
            ("a,\"b\nc,d\ne,f\n", vec!["1 open", "2+0 c|d", "3+0 e|f"]),
            ("a,\"b\nc,d\ne,\"f\"\ng,h\n", vec!["1 open", "2+0 c|d", "3+0 e|f", "4+0 g|h"]),
            ("a,\"b\nc,\"d\ne,f", vec!["1 open", "2 open", "3+0 e|f"]),
            ("a,b\"\nc,5\"\n", vec!["1+0 a|b\"", "2+0 c|5\""]),
            ("", vec![]),
        ] {
            assert_eq!(read(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_quote_that_stays_open_in_a_long_file_is_given_up_in_time() {
        let rows = 200_000;
        let text = format!("\"a,b\n{}", "c,d,e,f\n".repeat(rows));
        let told = read(&text);
        assert_eq!((told.len(), told[0].as_str(), told[rows].as_str()), (rows + 1, "1 open", "200001+0 c|d|e|f"));
    }

    #[test]
    fn a_line_without_an_end_is_refused() {
        let mut records = Records::new(std::io::repeat(b'a'));
        assert!(matches!(records.advance(), Err(ImportError::Refused(reason)) if reason.starts_with("line 1 ")));
    }
}
