//! The records of CSV, one after another with their lines, such that a quote that nobody closed costs its own line and
//! not the rest of the file.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder, Terminator};
use memchr::{memchr, memchr_iter};

use super::super::ImportError;

/// The most bytes that a record may have, over however many lines it runs.
pub(super) const LONGEST: usize = 1 << 20;

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::import) enum Next {
    /// A record, to be had from [`Records::record`].
    Record {
        /// The line that it begins on, from 1.
        line: u64,
        /// How many lines it runs over beyond that one.
        more_lines: u64,
    },
    /// A line on which a quote opens that is closed nowhere, or not where a field ends.
    Unclosed {
        /// The line, from 1.
        line: u64,
    },
    /// A record whose end does not lie in this piece of the file.
    Open {
        /// The line that it begins on, from 1.
        line: u64,
        /// Where in the piece it begins.
        at: usize,
    },
}

/// The fields of the record read last.
#[derive(Debug, Clone, Copy)]
pub(in crate::import) struct Record<'a> {
    bytes: &'a [u8],
    fields: &'a [(usize, usize)],
}

impl<'a> Record<'a> {
    /// How many fields there are.
    pub(in crate::import) fn len(&self) -> usize {
        self.fields.len()
    }

    /// A field, from 0.
    pub(in crate::import) fn get(&self, at: usize) -> Option<&'a [u8]> {
        let (begin, end) = *self.fields.get(at)?;
        self.bytes.get(begin..end)
    }

    /// Every field.
    pub(in crate::import) fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let record = *self;
        (0..record.len()).filter_map(move |at| record.get(at))
    }
}

/// A piece of CSV that begins where a record does. A line ends where an editor ends it, so that the lines told are the
/// lines seen.
pub(in crate::import) struct Records<'a> {
    text: &'a [u8],
    /// Whether the file goes on behind the piece.
    goes_on: bool,
    delimiter: u8,
    parser: Reader,
    /// Where the next line begins.
    at: usize,
    /// The number of the next line.
    line: u64,
    /// Where the record begins, where its first line ends, and that line's number.
    first: (usize, usize, u64),
    /// The fields of a record with quotes, taken out of these.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    is_unquoted: bool,
    fields: Vec<(usize, usize)>,
}

impl<'a> Records<'a> {
    /// A piece whose first line has this number.
    pub(in crate::import) fn new(text: &'a [u8], line: u64, delimiter: u8, goes_on: bool) -> Self {
        let parser = ReaderBuilder::new().delimiter(delimiter).terminator(Terminator::Any(b'\n')).build();
        Self {
            text,
            goes_on,
            delimiter,
            parser,
            at: 0,
            line,
            first: (0, 0, line),
            bytes: Vec::new(),
            ends: Vec::new(),
            is_unquoted: true,
            fields: Vec::new(),
        }
    }

    /// Where the next record begins.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The number of the line that comes next.
    pub(super) fn next_line(&self) -> u64 {
        self.line
    }

    /// Reads on; none at the end. Blank lines between records are passed over.
    pub(in crate::import) fn advance(&mut self) -> Result<Option<Next>, ImportError> {
        let line = loop {
            let (begin, number) = (self.at, self.line);
            let Some(line) = self.take_line()? else { return Ok(None) };
            if !line.trim_ascii().is_empty() {
                self.first = (begin, self.at, number);
                break line;
            }
        };
        let (begin, _, number) = self.first;
        self.fields.clear();
        if memchr(b'"', line).is_none() {
            self.is_unquoted = true;
            let mut from = begin;
            for at in memchr_iter(self.delimiter, line) {
                self.fields.push((from, begin + at));
                from = begin + at + 1;
            }
            self.fields.push((from, begin + line.len()));
            return Ok(Some(Next::Record { line: number, more_lines: 0 }));
        }
        self.is_unquoted = false;
        let mut filled = (0, 0);
        let mut whole = self.feed(line, &mut filled) || self.feed(b"\n", &mut filled);
        while !whole {
            if self.at - begin > LONGEST {
                return Ok(Some(self.give_back()));
            }
            match self.take_line()? {
                Some(next) => whole = self.feed(next, &mut filled) || self.feed(b"\n", &mut filled),
                None if self.goes_on => return Ok(Some(Next::Open { line: number, at: begin })),
                None => return Ok(Some(self.give_back())),
            }
        }
        let more_lines = self.line - number - 1;
        if more_lines > 0 && !self.closes_where_fields_end() {
            return Ok(Some(self.give_back()));
        }
        let mut from = 0;
        self.fields.extend(self.ends[..filled.1].iter().map(|&end| (std::mem::replace(&mut from, end), end)));
        Ok(Some(Next::Record { line: number, more_lines }))
    }

    /// The record read last.
    pub(in crate::import) fn record(&self) -> Record<'_> {
        Record { bytes: if self.is_unquoted { self.text } else { &self.bytes }, fields: &self.fields }
    }

    /// Takes only the first line of the record for faulty: its other lines are read anew, as records of their own.
    pub(in crate::import) fn give_back(&mut self) -> Next {
        let (_, end, line) = self.first;
        (self.at, self.line) = (end, line + 1);
        self.parser.reset();
        Next::Unclosed { line }
    }

    /// Takes the next line, without its end; none where there is none.
    fn take_line(&mut self) -> Result<Option<&'a [u8]>, ImportError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(None);
        }
        let end = memchr(b'\n', rest).unwrap_or(rest.len());
        if end > LONGEST {
            return Err(too_long(self.line));
        }
        self.at += (end + 1).min(rest.len());
        self.line += 1;
        Ok(Some(&rest[..end]))
    }

    /// Reads more of the record; whether it ends there.
    fn feed(&mut self, mut rest: &[u8], filled: &mut (usize, usize)) -> bool {
        // What is empty would tell the parser that the file ends.
        while !rest.is_empty() {
            let (bytes, ends) = (&mut self.bytes[filled.0..], &mut self.ends[filled.1..]);
            let (result, read, wrote, ended) = self.parser.read_record(rest, bytes, ends);
            rest = &rest[read..];
            *filled = (filled.0 + wrote, filled.1 + ended);
            match result {
                ReadRecordResult::OutputFull => self.bytes.resize((self.bytes.len() * 2).max(1024), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize((self.ends.len() * 2).max(16), 0),
                ReadRecordResult::Record => return true,
                ReadRecordResult::InputEmpty | ReadRecordResult::End => {}
            }
        }
        false
    }

    /// Whether each quoted field of the record closes where the field ends. Where a quote was left open, the next
    /// quote of the file closes it, and what follows that one is a field's beginning.
    fn closes_where_fields_end(&self) -> bool {
        let mut bytes = self.text[self.first.0..self.at].iter().copied().peekable();
        let (mut begins, mut quoted) = (true, false);
        while let Some(byte) = bytes.next() {
            match (byte, quoted) {
                (b'"', true) if bytes.peek() == Some(&b'"') => drop(bytes.next()),
                (b'"', true) => {
                    quoted = false;
                    if bytes.peek().is_some_and(|&next| next != self.delimiter && !matches!(next, b'\r' | b'\n')) {
                        return false;
                    }
                }
                (b'"', false) if begins => quoted = true,
                _ => {}
            }
            begins = !quoted && (byte == self.delimiter || byte == b'\n');
        }
        true
    }
}

/// A line that is none.
pub(super) fn too_long(line: u64) -> ImportError {
    ImportError::Refused(format!(
        "line {line} has more than {LONGEST} bytes, which no row has; is the file CSV, or JSON with one object a line?"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each record as its line, its further lines and its fields, or the line of an open quote.
    fn read(text: &str) -> Vec<String> {
        let mut records = Records::new(text.as_bytes(), 1, b',', false);
        let mut told = Vec::new();
        while let Some(next) = records.advance().expect("readable") {
            told.push(match next {
                Next::Unclosed { line } => format!("{line} open"),
                Next::Open { line, .. } => format!("{line} goes on"),
                Next::Record { line, more_lines } => {
                    let fields = records.record().iter().map(|field| String::from_utf8_lossy(field).into_owned());
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
            ("\"a\",\"\"", vec!["1+0 a|"]),
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
    fn a_record_that_the_piece_does_not_end_is_told_apart_from_an_open_quote() {
        let mut records = Records::new(b"a,b\n\nc,\"d\ne\n", 7, b',', true);
        assert_eq!(records.advance().expect("readable"), Some(Next::Record { line: 7, more_lines: 0 }));
        assert_eq!(records.advance().expect("readable"), Some(Next::Open { line: 9, at: 5 }));
    }

    #[test]
    fn a_line_without_an_end_is_refused() {
        let text = vec![b'a'; LONGEST + 1];
        let refused = Records::new(&text, 1, b',', false).advance();
        assert!(matches!(refused, Err(ImportError::Refused(reason)) if reason.starts_with("line 1 ")));
    }
}
