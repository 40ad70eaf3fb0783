//! Imported files, kept as they came and compressed, under a key made from their SHA-256: in a folder, or in a bucket of
//! a store that speaks S3.

use std::io::{self, Read, Write};
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{ObjectStore, ObjectStoreExt as _, WriteMultipart};
use sha2::{Digest as _, Sha256};
use tokio::runtime::Handle;

use super::disk;
use super::id::new_id;
use crate::digest::hex;

/// Zstandard's own default: most of the gain at little cost.
const LEVEL: i32 = 3;

/// How many parts may be on their way while more is written.
const IN_FLIGHT: usize = 4;

/// How a bucket's address begins.
pub const BUCKET: &str = "s3://";

/// Where imported files are kept. Clones share it.
#[derive(Debug, Clone)]
pub struct Objects {
    store: Arc<dyn ObjectStore>,
    /// The folder that the files are in; none where they are in a bucket.
    folder: Option<PathBuf>,
    scratch: PathBuf,
}

/// Where a file's bytes were put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredObject {
    /// The key that [`Objects::get`] takes.
    pub key: String,
    /// SHA-256 of the bytes, in hexadecimal.
    pub sha256: String,
}

/// Why a file could not be kept or found.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// The folder could not be made or opened.
    #[error("the place of imported files cannot be used: {0}")]
    Folder(#[from] io::Error),
    /// The object store refused.
    #[error("the place of imported files failed: {0}")]
    Store(#[from] object_store::Error),
    /// The key is none that this program made.
    #[error("no file can have the key '{0}'")]
    Key(String),
}

impl Objects {
    /// Opens the folder, making it if need be.
    pub fn open(folder: &FilePath) -> Result<Self, ObjectError> {
        disk::make_folder(folder)?;
        let store = LocalFileSystem::new_with_prefix(folder)?;
        Ok(Self { store: Arc::new(store), folder: Some(folder.to_owned()), scratch: folder.to_owned() })
    }

    /// Opens the bucket of an address such as `s3://bucket/prefix`. Who may enter it and where it is stands in the
    /// environment (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_ENDPOINT`, …) and nowhere else. What is kept only for
    /// a while lies in `scratch`, a folder on this machine.
    pub fn open_bucket(address: &str, scratch: &FilePath) -> Result<Self, ObjectError> {
        disk::make_folder(scratch)?;
        let prefix =
            address.strip_prefix(BUCKET).and_then(|path| path.split_once('/')).map_or("", |(_, prefix)| prefix);
        let store = AmazonS3Builder::from_env().with_url(address).build()?;
        let store = PrefixStore::new(store, Path::from(prefix));
        Ok(Self { store: Arc::new(store), folder: None, scratch: scratch.to_owned() })
    }

    /// A folder for files without names, where rows wait while a file is imported.
    pub fn scratch(&self) -> &FilePath {
        &self.scratch
    }

    /// Clears what imports that were cut short left behind, a day after it; answers how many files that were. Safe
    /// beside other processes that import into the same folder.
    pub async fn sweep(&self, now: DateTime<Utc>) -> Result<usize, ObjectError> {
        if let Some(folder) = self.folder.clone() {
            return Ok(blocking(move || disk::sweep(&folder, now.into())).await?);
        }
        let (mut listed, mut swept) = (self.store.list(Some(&Path::from(disk::INCOMING))), 0);
        while let Some(found) = listed.next().await {
            let found = found?;
            if found.last_modified + disk::ABANDONED < now {
                self.store.delete(&found.location).await?;
                swept += 1;
            }
        }
        Ok(swept)
    }

    /// Keeps these bytes. They are on the disk when this returns, so that the database may name them.
    pub async fn put(&self, bytes: &[u8]) -> Result<StoredObject, ObjectError> {
        let sha256 = hex(&Sha256::digest(bytes));
        let key = key_of(&sha256);
        let compressed = zstd::encode_all(bytes, LEVEL)?;
        self.store.put(&Path::from(key.as_str()), compressed.into()).await?;
        if let Some(folder) = self.folder.clone() {
            let name = key.clone();
            blocking(move || disk::settle(&folder, &name)).await?;
        }
        Ok(StoredObject { key, sha256 })
    }

    /// The bytes under a key, as they came.
    pub async fn get(&self, key: &str) -> Result<Vec<u8>, ObjectError> {
        let path = Path::parse(key).map_err(|_| ObjectError::Key(key.to_owned()))?;
        let compressed = self.store.get(&path).await?.bytes().await?;
        Ok(zstd::decode_all(&compressed[..])?)
    }

    /// Deletes the bytes under a key, if they are there.
    pub(super) async fn delete(&self, key: &str) -> Result<(), ObjectError> {
        let path = Path::parse(key).map_err(|_| ObjectError::Key(key.to_owned()))?;
        match self.store.delete(&path).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads the bytes under a key little by little. The reader is for a blocking thread.
    pub(crate) async fn read(&self, key: &str) -> Result<impl Read + Send + use<>, ObjectError> {
        let path = Path::parse(key).map_err(|_| ObjectError::Key(key.to_owned()))?;
        let stream = self.store.get(&path).await?.into_stream();
        let chunks = Chunks { handle: Handle::current(), stream, chunk: Bytes::new() };
        Ok(zstd::Decoder::new(chunks)?)
    }

    /// Begins to keep a file whose bytes come little by little.
    pub(crate) async fn begin(&self) -> Result<Incoming, ObjectError> {
        let path = Path::from(format!("{}/{}", disk::INCOMING, new_id("file_")));
        let upload = WriteMultipart::new(self.store.put_multipart(&path).await?);
        let parts = Parts { handle: Handle::current(), upload };
        Ok(Incoming {
            store: self.store.clone(),
            folder: self.folder.clone(),
            path,
            hash: Sha256::new(),
            out: zstd::Encoder::new(parts, LEVEL)?,
        })
    }
}

/// A file on its way into the store. It is written on a blocking thread and gets its key when it is complete.
pub struct Incoming {
    store: Arc<dyn ObjectStore>,
    folder: Option<PathBuf>,
    path: Path,
    hash: Sha256,
    out: zstd::Encoder<'static, Parts>,
}

impl Incoming {
    /// Takes the next bytes.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.out.write_all(bytes)
    }

    /// Completes the file and gives it its key; it is on the disk when this returns. Blocks, as every write before it
    /// does.
    pub(crate) fn finish(self) -> Result<StoredObject, ObjectError> {
        let sha256 = hex(&self.hash.finalize());
        let key = key_of(&sha256);
        let Parts { handle, upload } = self.out.finish()?;
        handle.block_on(upload.finish())?;
        handle.block_on(self.store.rename(&self.path, &Path::from(key.as_str())))?;
        if let Some(folder) = &self.folder {
            disk::settle(folder, &key)?;
        }
        Ok(StoredObject { key, sha256 })
    }

    /// Forgets the file. Blocks.
    pub(crate) fn abandon(self) -> Result<(), ObjectError> {
        let Parts { handle, upload } = self.out.finish()?;
        Ok(handle.block_on(upload.abort())?)
    }
}

/// The writing end of an upload, for a blocking thread.
struct Parts {
    handle: Handle,
    upload: WriteMultipart,
}

impl Write for Parts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.handle.block_on(self.upload.wait_for_capacity(IN_FLIGHT)).map_err(io::Error::other)?;
        let _runtime = self.handle.enter();
        self.upload.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The reading end of a download, for a blocking thread.
struct Chunks {
    handle: Handle,
    stream: BoxStream<'static, object_store::Result<Bytes>>,
    chunk: Bytes,
}

impl Read for Chunks {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.chunk.is_empty() {
            match self.handle.block_on(self.stream.next()) {
                Some(chunk) => self.chunk = chunk.map_err(io::Error::other)?,
                None => return Ok(0),
            }
        }
        let length = self.chunk.len().min(into.len());
        into[..length].copy_from_slice(&self.chunk.split_to(length));
        Ok(length)
    }
}

/// Does what waits for the disk on a thread that may wait.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

fn key_of(sha256: &str) -> String {
    format!("{}/{sha256}.zst", &sha256[..2])
}
