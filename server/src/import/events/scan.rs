//! Reading a file of attempts once, from its first byte to its last, on all cores: pieces that end where lines do are read
//! at the same time and taken in their order.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use domain::mapping::Mapping;
use domain::wire::imports::{LISTED, Refused};

use super::super::ImportError;
use super::layout::{Head, Layout};
use super::records::{LONGEST, too_long};
use super::rows::slot;
use super::spill::{Spilled, Spool};
use super::unpack::{Packing, Unpacked};

/// How many bytes a piece has.
const PIECE: usize = 2 << 20;

/// What was read of a file.
#[derive(Debug)]
pub(super) struct Scanned {
    /// The rows that could be read.
    pub rows: Spilled,
    /// How many there were, read or refused.
    pub rows_read: u64,
    /// Those that were refused.
    pub refused: Refused,
    /// What each column was read as.
    pub mapping: Mapping,
    /// The names of all columns.
    pub columns: Vec<String>,
}

/// A piece of a file that begins and ends where lines do.
pub(in crate::import) struct Piece {
    pub(in crate::import) text: Vec<u8>,
    /// The number of its first line.
    pub(in crate::import) line: u64,
    /// Whether the file goes on behind it.
    pub(in crate::import) goes_on: bool,
}

/// A file in pieces.
pub(in crate::import) struct Pieces<'a> {
    source: Unpacked<'a>,
    rest: Vec<u8>,
    line: u64,
    is_over: bool,
    size: usize,
}

impl<'a> Pieces<'a> {
    /// Begins to read a file.
    pub(in crate::import) fn new(source: impl Read + Send + 'a) -> Result<Self, ImportError> {
        Ok(Self { source: Unpacked::new(source)?, rest: Vec::new(), line: 1, is_over: false, size: PIECE })
    }

    /// The same in pieces of another size.
    #[cfg(test)]
    pub(super) fn of_size(self, size: usize) -> Self {
        Self { size, ..self }
    }

    /// How the file is compressed.
    pub(in crate::import) fn packing(&self) -> Packing {
        self.source.packing()
    }

    /// The first piece, to be looked at. It comes again as the first of the pieces.
    pub(in crate::import) fn head(&mut self) -> Result<(&[u8], bool), ImportError> {
        self.source.fill(&mut self.rest, PIECE, 1)?;
        self.is_over = self.rest.len() < PIECE;
        Ok((&self.rest, !self.is_over))
    }

    /// The first piece of what may be only the beginning of a file, so that it may end anywhere.
    pub(in crate::import) fn beginning(&mut self) -> Result<&[u8], ImportError> {
        match self.source.fill(&mut self.rest, PIECE, 1) {
            Err(error) if self.rest.is_empty() => Err(error),
            _ => Ok(&self.rest),
        }
    }

    /// Passes over the head's beginning, up to where the rows begin.
    pub(in crate::import) fn skip(&mut self, (at, line): (usize, u64)) {
        self.rest.drain(..at);
        self.line = line;
    }

    /// The next piece. It has its size, or as many bytes more as its last line needs.
    pub(in crate::import) fn next(&mut self) -> Result<Option<Piece>, ImportError> {
        let mut wanted = self.size;
        let end = loop {
            if self.rest.len() < wanted && !self.is_over {
                self.source.fill(&mut self.rest, wanted, self.line)?;
                self.is_over = self.rest.len() < wanted;
            }
            if self.is_over && self.rest.len() <= wanted {
                break self.rest.len();
            }
            match memchr::memrchr(b'\n', &self.rest[..wanted]) {
                Some(at) => break at + 1,
                None if wanted > LONGEST => return Err(too_long(self.line)),
                None => wanted += self.size,
            }
        };
        if end == 0 {
            return Ok(None);
        }
        let mut text = std::mem::replace(&mut self.rest, Vec::with_capacity(self.size));
        self.rest.extend_from_slice(&text[end..]);
        text.truncate(end);
        let line = self.line;
        self.line += memchr::memchr_iter(b'\n', &text).count() as u64;
        Ok(Some(Piece { text, line, goes_on: !(self.is_over && self.rest.is_empty()) }))
    }
}

/// What was read of a piece.
#[derive(Default)]
struct Taken {
    entries: Vec<u8>,
    rows: u64,
    refused: Refused,
    /// Where a row begins that the piece does not end, and on which line.
    open: Option<(usize, u64)>,
}

/// Reads a whole file and puts its rows down to be joined. `told` hears how many rows there were so far.
pub(super) fn scan(
    mut pieces: Pieces<'_>,
    asked: &Mapping,
    spool: &Spool,
    mut told: impl FnMut(u64),
) -> Result<Scanned, ImportError> {
    let (head, goes_on) = pieces.head()?;
    let head = Head::of(head, goes_on, asked)?;
    let layout = Layout::settle(&head, asked)?;
    pieces.skip(head.body);
    let columns = head.columns;
    let mut spilling = spool.begin();
    let (mut rows_read, mut refused) = (0, Refused::default());
    let mut take = |taken: Taken| -> Result<(), ImportError> {
        spilling.take(&taken.entries).map_err(ImportError::Scratch)?;
        rows_read += taken.rows;
        let room = LISTED - refused.rows.len();
        refused.total += taken.refused.total;
        refused.rows.extend(taken.refused.rows.into_iter().take(room));
        told(rows_read);
        Ok(())
    };
    let read = |piece: &Piece| read(piece, &layout, spool);
    let (give, given) = sync_channel::<(u64, Piece)>(super::threads());
    let (hand, handed) = sync_channel(super::threads());
    let given = Mutex::new(given);
    std::thread::scope(|scope| {
        for _ in 0..super::threads() {
            let (given, hand) = (&given, hand.clone());
            scope.spawn(move || work(given, &hand, read));
        }
        drop(hand);
        let feeder = scope.spawn(move || feed(pieces, &give));
        let done = in_order(&handed, read, &mut take);
        // Whoever still has something to hand over or to be given finds nobody, and ends.
        drop(handed);
        *given.lock().unwrap_or_else(PoisonError::into_inner) = sync_channel(0).1;
        done.and(feeder.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    let rows = spilling.finish().map_err(ImportError::Scratch)?;
    if rows_read == 0 {
        return Err(ImportError::Refused("the file has no rows; export it again with its rows".to_owned()));
    }
    if rows_read == refused.total {
        let first = refused.rows.first().map(|row| format!("line {}: {}", row.place, row.reason));
        return Err(ImportError::Refused(format!(
            "none of the {rows_read} rows could be read; {}",
            first.unwrap_or_default()
        )));
    }
    Ok(Scanned { rows, rows_read, refused, mapping: layout.mapping, columns })
}

/// Gives the pieces out, each with its number.
fn feed(mut pieces: Pieces<'_>, give: &SyncSender<(u64, Piece)>) -> Result<(), ImportError> {
    for number in 0.. {
        let Some(piece) = pieces.next()? else { break };
        if give.send((number, piece)).is_err() {
            break;
        }
    }
    Ok(())
}

fn work(
    given: &Mutex<Receiver<(u64, Piece)>>,
    hand: &SyncSender<(u64, Piece, Result<Taken, ImportError>)>,
    read: impl Fn(&Piece) -> Result<Taken, ImportError>,
) {
    loop {
        let next = given.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, piece)) = next else { return };
        let taken = read(&piece);
        if hand.send((number, piece, taken)).is_err() {
            return;
        }
    }
}

/// Takes what was read, piece after piece. A piece was read as if a row began where it begins; where the piece before it
/// ends inside a row, it is read once more, behind that row's beginning.
fn in_order(
    handed: &Receiver<(u64, Piece, Result<Taken, ImportError>)>,
    read: impl Fn(&Piece) -> Result<Taken, ImportError>,
    take: &mut impl FnMut(Taken) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let (mut wanted, mut early) = (0, BTreeMap::new());
    let mut before: Option<Piece> = None;
    for (number, piece, taken) in handed {
        early.insert(number, (piece, taken));
        while let Some((mut piece, mut taken)) = early.remove(&wanted) {
            wanted += 1;
            if let Some(mut open) = before.take() {
                open.text.append(&mut piece.text);
                piece = Piece { goes_on: piece.goes_on, ..open };
                taken = read(&piece);
            }
            let taken = taken?;
            if let Some((at, line)) = taken.open {
                before = Some(Piece { text: piece.text.split_off(at), line, goes_on: true });
            }
            take(taken)?;
        }
    }
    // The file ended exactly where a piece did.
    match before {
        Some(open) => take(read(&Piece { goes_on: false, ..open })?),
        None => Ok(()),
    }
}

fn read(piece: &Piece, layout: &Layout, spool: &Spool) -> Result<Taken, ImportError> {
    let labels = layout.reading.labels();
    let mut taken = Taken { entries: Vec::with_capacity(piece.text.len()), ..Taken::default() };
    let Taken { entries, rows, refused, open } = &mut taken;
    *open = layout.read(&piece.text, piece.line, piece.goes_on, |line, row| {
        *rows += 1;
        match row {
            Ok((row, values)) => {
                spool.encode(entries, line, &row, (0..labels).map(|label| values.get(slot::LABELS + label)));
            }
            Err(reason) => refused.add(line, reason),
        }
    })?;
    Ok(taken)
}
