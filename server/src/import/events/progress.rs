//! Keeping a file of attempts while its rows are read, with how far that has come.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::mapping::Mapping;
use tokio::sync::mpsc::channel;

use super::super::{ImportError, Progress, incoming};
use super::scan::{Pieces, Scanned, scan};
use super::spill::Spool;
use crate::store::{Objects, StoredObject};

/// Reads a file while it is kept. What could not be read to its end is not kept.
pub(super) async fn keep(
    objects: &Objects,
    source: impl Read + Send + 'static,
    bytes_total: u64,
    mapping: &Mapping,
    spool: &Spool,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<(Scanned, StoredObject), ImportError> {
    let (tell, mut told) = channel(16);
    let (mapping, spool) = (mapping.clone(), spool.clone());
    let done = Arc::new(AtomicU64::new(0));
    let source = Counted { source, done: done.clone() };
    let read = move |source: &mut (dyn Read + Send)| {
        let tell = |rows| {
            // Whoever looks on may be slower than the file is read.
            let _ = tell.try_send(Progress { bytes_done: done.load(Ordering::Relaxed), bytes_total, rows });
        };
        scan(Pieces::new(source)?, &mapping, &spool, tell)
    };
    let work = incoming::keep(objects, source, read);
    let tell = async {
        while let Some(now) = told.recv().await {
            progress(now);
        }
    };
    tokio::join!(work, tell).0
}

/// A file whose bytes are counted as they are read.
struct Counted<R> {
    source: R,
    done: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.source.read(into)?;
        self.done.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}
