//! Attempts, each counted once, however often the files repeat it.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::wire::imports::{LISTED, Refused, RefusedRow};
use hashbrown::{DefaultHashBuilder, HashTable};

use super::super::ImportError;
use super::rows::quoted;
use super::spill::{Entry, PARTS, Spilled};

/// What the rows of the last file are to the attempts known before them.
#[derive(Debug, Default)]
pub(super) struct Joined {
    /// New attempts.
    pub new: u64,
    /// Rows that repeat a known attempt.
    pub repeated: u64,
    /// Rows that give a known attempt other content.
    pub conflicting: Conflicts,
}

/// The first conflicts by line, and how many there were.
#[derive(Debug, Default)]
pub(super) struct Conflicts {
    total: u64,
    first: Vec<(u64, String)>,
}

impl Conflicts {
    fn add(&mut self, line: u64, id: &[u8]) {
        self.total += 1;
        self.first.push((line, quoted(id)));
        if self.first.len() >= 2 * LISTED {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.first.sort_unstable();
        self.first.truncate(LISTED);
    }

    fn merge(&mut self, other: Self) {
        self.total += other.total;
        self.first.extend(other.first);
        self.cut();
    }

    /// The conflicts as a report has them.
    pub(super) fn told(self) -> Refused {
        let told = |(place, id)| RefusedRow {
            place,
            reason: format!("attempt ‘{id}’ is known with other content; the first is kept"),
        };
        Refused { total: self.total, rows: self.first.into_iter().map(told).collect() }
    }
}

/// Joins files by attempt id, in their order: the first row of an attempt is kept and handed over with the number of its
/// file. Each thread keeps what it is handed in a state of its own; the order is that of no file.
pub(super) fn join<S: Send>(
    files: &[Spilled],
    new_state: impl Fn() -> S + Sync,
    each: impl Fn(&mut S, usize, &Entry<'_>) + Sync,
) -> Result<(Joined, Vec<S>), ImportError> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<(Joined, S), ImportError> {
        let (mut joined, mut state, mut room) = (Joined::default(), new_state(), Room::default());
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= PARTS {
                return Ok((joined, state));
            }
            room.join(files, part, &mut joined, |file, entry| each(&mut state, file, entry))?;
        }
    };
    let done: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..super::threads()).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
    });
    let (mut all, mut states) = (Joined::default(), Vec::new());
    for done in done {
        let (joined, state) = done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        all.new += joined.new;
        all.repeated += joined.repeated;
        all.conflicting.merge(joined.conflicting);
        states.push(state);
    }
    Ok((all, states))
}

/// What a thread uses again for each part.
#[derive(Default)]
struct Room {
    bytes: Vec<u8>,
    known: HashTable<usize>,
    hasher: DefaultHashBuilder,
}

impl Room {
    fn join(
        &mut self,
        files: &[Spilled],
        part: usize,
        joined: &mut Joined,
        mut each: impl FnMut(usize, &Entry<'_>),
    ) -> Result<(), ImportError> {
        let Self { bytes, known, hasher } = self;
        bytes.clear();
        known.clear();
        let mut ends = Vec::with_capacity(files.len());
        for file in files {
            file.read(part, bytes).map_err(ImportError::Scratch)?;
            ends.push(bytes.len());
        }
        let id = |at: usize| Entry::at(&bytes[at..]).map_or(&[][..], |(entry, _)| entry.row.attempt_id);
        let (mut at, mut file) = (0, 0);
        while let Some((entry, length)) = Entry::at(&bytes[at..]) {
            while ends.get(file).is_some_and(|&end| at >= end) {
                file += 1;
            }
            let is_last = file + 1 == files.len();
            let hash = hasher.hash_one(entry.row.attempt_id);
            match known.find(hash, |&other| id(other) == entry.row.attempt_id) {
                None => {
                    known.insert_unique(hash, at, |&other| hasher.hash_one(id(other)));
                    joined.new += u64::from(is_last);
                    each(file, &entry);
                }
                Some(&first) if is_last => match Entry::at(&bytes[first..]) {
                    Some((first, _)) if is_alike(&first, &entry) => joined.repeated += 1,
                    _ => joined.conflicting.add(entry.line, entry.row.attempt_id),
                },
                Some(_) => {}
            }
            at += length;
        }
        Ok(())
    }
}

/// Whether two rows say the same of an attempt. Labels are left out: one export has more of them than another.
fn is_alike(one: &Entry<'_>, other: &Entry<'_>) -> bool {
    let (one, other) = (&one.row, &other.row);
    (one.at, one.customer_id, one.failed) == (other.at, other.customer_id, other.failed)
        && one.latency.total_cmp(&other.latency).is_eq()
}
