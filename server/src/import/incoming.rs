//! A file on its way in: kept as it comes while it is read, from a disk or from somebody's browser.

use std::io::{self, Read};

use bytes::Bytes;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::ImportError;
use crate::store::{self, Objects, StoredObject};

/// How many pieces of a request's body wait to be read; whoever sends more waits with it.
const WAITING: usize = 8;

/// Reads a file while it is kept, on a thread that may wait. What could not be read to its end is not kept.
pub(super) async fn keep<T: Send + 'static>(
    objects: &Objects,
    source: impl Read + Send + 'static,
    read: impl FnOnce(&mut (dyn Read + Send)) -> Result<T, ImportError> + Send + 'static,
) -> Result<(T, StoredObject), ImportError> {
    let kept = objects.begin().await?;
    let work = tokio::task::spawn_blocking(move || {
        let mut tee = Tee { source, kept };
        let found = read(&mut tee);
        // Behind the end of an archive there may be more, which is kept as well.
        let found = found.and_then(|found| {
            io::copy(&mut tee, &mut io::sink())
                .map_err(|error| ImportError::Refused(format!("the file cannot be read to its end: {error}")))?;
            Ok(found)
        });
        match found {
            Ok(found) => Ok((found, tee.kept.finish()?)),
            Err(error) => {
                // The refusal is what the person must see, whatever becomes of the half-kept file.
                let _ = tee.kept.abandon();
                Err(error)
            }
        }
    });
    work.await?
}

/// A file that is kept while it is read.
struct Tee<R> {
    source: R,
    kept: store::Incoming,
}

impl<R: Read> Read for Tee<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.source.read(into)?;
        self.kept.take(&into[..length])?;
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
