//! Rows on their way to being joined, parted by attempt id and, beyond a few megabytes, kept on the disk: however many
//! rows there are, all rows of one attempt are met together, in the order of their lines.

use std::hash::BuildHasher;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::DefaultHashBuilder;
use tempfile::{SpooledTempFile, spooled_tempfile_in};

use super::rows::Row;

/// Into how many parts attempts are parted. A part of ten million attempts has two megabytes.
pub(super) const PARTS: usize = 256;

/// How many bytes of a part are gathered before they are written.
const BLOCK: usize = 16 << 10;

/// How many bytes are kept in memory before the disk is used.
const IN_MEMORY: usize = 16 << 20;

/// The bytes of an entry before its texts: its length, its part, whether it failed, line, time, latency, and the lengths
/// of the two ids.
const FIXED: usize = 2 + 1 + 1 + 8 + 8 + 4 + 2 + 2;

/// Where entries lie until they are joined: a file without a name, so that nothing is left when the process ends.
#[derive(Debug, Clone)]
pub(super) struct Spool {
    file: Arc<Mutex<(SpooledTempFile, u64)>>,
    hasher: DefaultHashBuilder,
}

/// A row as it was written down.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    /// The line that it stood on.
    pub line: u64,
    /// What it says.
    pub row: Row<'a>,
    labels: &'a [u8],
}

/// The entries of one file that are still being written down.
#[derive(Debug)]
pub(super) struct Spilling {
    spool: Spool,
    parts: Vec<Part>,
}

#[derive(Debug, Default)]
struct Part {
    blocks: Vec<(u64, usize)>,
    gathered: Vec<u8>,
}

/// The entries of one file.
#[derive(Debug, Clone)]
pub(super) struct Spilled {
    spool: Spool,
    /// For each part, where its blocks lie and how long they are.
    parts: Arc<Vec<Vec<(u64, usize)>>>,
}

impl Spool {
    /// A spool that uses this folder once it grows.
    pub(super) fn new(folder: &Path) -> Self {
        let file = spooled_tempfile_in(IN_MEMORY, folder);
        Self { file: Arc::new(Mutex::new((file, 0))), hasher: DefaultHashBuilder::default() }
    }

    /// Begins to write down the entries of a file.
    pub(super) fn begin(&self) -> Spilling {
        Spilling { spool: self.clone(), parts: std::iter::repeat_with(Part::default).take(PARTS).collect() }
    }

    /// Writes a row and its labels as an entry, for [`Spilling::take`].
    pub(super) fn encode<'a>(
        &self,
        into: &mut Vec<u8>,
        line: u64,
        row: &Row<'_>,
        labels: impl Iterator<Item = &'a [u8]>,
    ) {
        let begin = into.len();
        // The part of an attempt is the same in each file, since it is told by its id alone.
        #[expect(clippy::cast_possible_truncation, reason = "a byte of the hash is what tells the part")]
        let part = (self.hasher.hash_one(row.attempt_id) >> 32) as u8;
        let mut fixed = [0; FIXED];
        (fixed[2], fixed[3]) = (part, u8::from(row.failed));
        fixed[4..12].copy_from_slice(&line.to_le_bytes());
        fixed[12..20].copy_from_slice(&row.at.to_le_bytes());
        fixed[20..24].copy_from_slice(&row.latency.to_le_bytes());
        fixed[24..26].copy_from_slice(&length_of(row.attempt_id));
        fixed[26..28].copy_from_slice(&length_of(row.customer_id));
        into.extend_from_slice(&fixed);
        into.extend_from_slice(row.attempt_id);
        into.extend_from_slice(row.customer_id);
        for label in labels {
            into.extend_from_slice(&length_of(label));
            into.extend_from_slice(label);
        }
        let length = length_of(&into[begin..]);
        into[begin..begin + 2].copy_from_slice(&length);
    }

    fn append(&self, bytes: &[u8]) -> io::Result<u64> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, end) = &mut *file;
        let at = *end;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytes)?;
        *end += bytes.len() as u64;
        Ok(at)
    }
}

/// A length in two bytes. Every text was found to be short, and there are few of them.
fn length_of(bytes: &[u8]) -> [u8; 2] {
    u16::try_from(bytes.len()).unwrap_or(u16::MAX).to_le_bytes()
}

impl Spilling {
    /// Takes entries that [`Spool::encode`] wrote.
    pub(super) fn take(&mut self, mut entries: &[u8]) -> io::Result<()> {
        while let Some((length, part)) = entries.first_chunk().map(|&[low, high, part]| ([low, high], part)) {
            let Some((entry, rest)) = entries.split_at_checked(u16::from_le_bytes(length).into()) else { break };
            entries = rest;
            let part = &mut self.parts[usize::from(part)];
            part.gathered.extend_from_slice(entry);
            if part.gathered.len() >= BLOCK {
                part.flush(&self.spool)?;
            }
        }
        Ok(())
    }

    /// All entries are written down.
    pub(super) fn finish(mut self) -> io::Result<Spilled> {
        for part in &mut self.parts {
            part.flush(&self.spool)?;
        }
        let parts = self.parts.into_iter().map(|part| part.blocks).collect();
        Ok(Spilled { spool: self.spool, parts: Arc::new(parts) })
    }
}

impl Part {
    fn flush(&mut self, spool: &Spool) -> io::Result<()> {
        if !self.gathered.is_empty() {
            self.blocks.push((spool.append(&self.gathered)?, self.gathered.len()));
            self.gathered.clear();
        }
        Ok(())
    }
}

impl Spilled {
    /// Appends the entries of a part, in the order of their lines.
    pub(super) fn read(&self, part: usize, into: &mut Vec<u8>) -> io::Result<()> {
        let mut file = self.spool.file.lock().unwrap_or_else(PoisonError::into_inner);
        for &(at, length) in self.parts.get(part).into_iter().flatten() {
            file.0.seek(SeekFrom::Start(at))?;
            if (&mut file.0).take(length as u64).read_to_end(into)? != length {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(())
    }
}

impl<'a> Entry<'a> {
    /// The entry that begins here, and its length; none at the end.
    pub(super) fn at(entries: &'a [u8]) -> Option<(Self, usize)> {
        let (fixed, _) = entries.split_first_chunk::<FIXED>()?;
        let number = |at: usize| usize::from(u16::from_le_bytes([fixed[at], fixed[at + 1]]));
        let (length, attempt, customer) = (number(0), number(24), number(26));
        let texts = entries.get(FIXED..length)?;
        let row = Row {
            at: i64::from_le_bytes(*fixed[12..].first_chunk()?),
            attempt_id: texts.get(..attempt)?,
            customer_id: texts.get(attempt..attempt + customer)?,
            failed: fixed[3] == 1,
            latency: f32::from_le_bytes(*fixed[20..].first_chunk()?),
        };
        let line = u64::from_le_bytes(*fixed[4..].first_chunk()?);
        Some((Self { line, row, labels: texts.get(attempt + customer..)? }, length))
    }

    /// The labels, in the order in which they were written.
    pub(super) fn labels(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut rest = self.labels;
        std::iter::from_fn(move || {
            let (length, after) = rest.split_first_chunk::<2>()?;
            let (label, after) = after.split_at_checked(u16::from_le_bytes(*length).into())?;
            rest = after;
            Some(label)
        })
    }
}
