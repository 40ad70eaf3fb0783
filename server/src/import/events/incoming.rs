//! A file of attempts on its way in: kept as it comes while it is read, from a disk or from somebody's browser.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use domain::mapping::Mapping;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::super::{ImportError, Progress};
use super::scan::{Pieces, Scanned, scan};
use super::spill::Spool;
use crate::store::{self, Objects, StoredObject};

/// How many pieces of a request's body wait to be read; whoever sends more waits with it.
const WAITING: usize = 8;

/// Reads a file while it is kept. What could not be read to its end is not kept.
pub(super) async fn keep(
    objects: &Objects,
    source: impl Read + Send + 'static,
    bytes_total: u64,
    mapping: &Mapping,
    spool: &Spool,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<(Scanned, StoredObject), ImportError> {
    let kept = objects.begin().await?;
    let (tell, mut told) = channel(16);
    let (mapping, spool) = (mapping.clone(), spool.clone());
    let work = tokio::task::spawn_blocking(move || {
        let mut tee = Tee { source, kept, done: Arc::default() };
        let done = tee.done.clone();
        let tell = |rows| {
            // Whoever looks on may be slower than the file is read.
            let _ = tell.try_send(Progress { bytes_done: done.load(Ordering::Relaxed), bytes_total, rows });
        };
        let scanned = Pieces::new(&mut tee).and_then(|pieces| scan(pieces, &mapping, &spool, tell));
        // Behind the end of an archive there may be more, which is kept as well.
        let scanned = scanned.and_then(|scanned| {
            io::copy(&mut tee, &mut io::sink())
                .map_err(|error| ImportError::Refused(format!("the file cannot be read to its end: {error}")))?;
            Ok(scanned)
        });
        match scanned {
            Ok(scanned) => Ok((scanned, tee.kept.finish()?)),
            Err(error) => {
                // The refusal is what the person must see, whatever becomes of the half-kept file.
                let _ = tee.kept.abandon();
                Err(error)
            }
        }
    });
    while let Some(now) = told.recv().await {
        progress(now);
    }
    work.await?
}

/// A file that is kept while it is read.
struct Tee<R> {
    source: R,
    kept: store::Incoming,
    done: Arc<AtomicU64>,
}

impl<R: Read> Read for Tee<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.source.read(into)?;
        self.kept.take(&into[..length])?;
        self.done.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

/// The sending end of a file that comes little by little. Dropped before [`Upload::finish`], it cuts the file short.
#[derive(Debug)]
pub struct Upload(Sender<Option<Bytes>>);

/// A file that comes little by little: where its bytes go, and where they are read on a thread that may wait.
pub fn upload() -> (Upload, impl Read + Send + 'static) {
    let (give, given) = channel(WAITING);
    (Upload(give), Given { pieces: given, rest: Bytes::new(), is_over: false })
}

impl Upload {
    /// Hands over the next bytes; false where nobody reads on.
    pub async fn send(&self, bytes: Bytes) -> bool {
        self.0.send(Some(bytes)).await.is_ok()
    }

    /// Says that the file is whole.
    pub async fn finish(self) {
        // Nobody may be there who would want to know.
        let _ = self.0.send(None).await;
    }
}

struct Given {
    pieces: Receiver<Option<Bytes>>,
    rest: Bytes,
    is_over: bool,
}

impl Read for Given {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.rest.is_empty() && !self.is_over {
            match self.pieces.blocking_recv() {
                Some(Some(bytes)) => self.rest = bytes,
                Some(None) => self.is_over = true,
                None => {
                    return Err(io::Error::new(io::ErrorKind::ConnectionAborted, "it was cut short on its way here"));
                }
            }
        }
        let length = self.rest.len().min(into.len());
        into[..length].copy_from_slice(&self.rest.split_to(length));
        Ok(length)
    }
}
