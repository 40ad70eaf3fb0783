//! What is kept in the place of imported files and of evidence, and what nothing names any more.

use chrono::{DateTime, TimeDelta, Utc};

use super::accounts::{Turn, take_turn};
use super::db::{Tx, db, statements};
use super::objects::{ObjectError, Objects};
use super::{Store, StoreError};

/// How long bytes that nothing names are left where they are: whoever imports the very same file meanwhile has put them
/// there before anything names them.
const GRACE: TimeDelta = TimeDelta::hours(1);

/// How many are deleted in one sweep.
const AT_ONCE: i64 = 500;

statements! {
    NAMED = "SELECT object_key FROM imports WHERE object_key = $1
        UNION SELECT object_key FROM evidence_files WHERE object_key = $1
        UNION SELECT object_key FROM value_imports WHERE object_key = $1";
    FORGET = "INSERT INTO forgotten_objects (object_key, forgotten_at) VALUES ($1, $2)
        ON CONFLICT (object_key) DO UPDATE SET forgotten_at = excluded.forgotten_at";
    FORGOTTEN = "SELECT object_key FROM forgotten_objects WHERE forgotten_at < $1 ORDER BY forgotten_at LIMIT $2";
    CLEAR = "DELETE FROM forgotten_objects WHERE object_key = $1";
}

/// Why what nothing names could not be deleted.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The place of imported files failed.
    #[error(transparent)]
    Objects(#[from] ObjectError),
}

impl Store {
    /// Deletes the kept bytes that nothing has named for an hour; how many files that were.
    pub async fn sweep_objects(&self, objects: &Objects, now: DateTime<Utc>) -> Result<usize, SweepError> {
        let before = (now - GRACE).timestamp_millis();
        let found = db!(read & self.db, FORGOTTEN, [before, AT_ONCE], fetch_all as (String,));
        let mut deleted = 0;
        for (key,) in found.map_err(StoreError::from)? {
            let mut tx = self.db.begin_write().await?;
            take_turn(&mut tx, Turn::Sweeps).await?;
            if !is_named(&mut tx, &key).await? {
                objects.delete(&key).await?;
                deleted += 1;
            }
            db!(tx & mut tx, CLEAR, [key.as_str()], execute).map_err(StoreError::from)?;
            tx.commit().await?;
        }
        Ok(deleted)
    }
}

async fn is_named(tx: &mut Tx, key: &str) -> Result<bool, StoreError> {
    Ok(db!(tx tx, NAMED, [key], fetch_optional as (String,))?.is_some())
}

/// Remembers that these bytes are to be deleted, where nothing names them any more.
pub(super) async fn forget(tx: &mut Tx, key: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    if !is_named(tx, key).await? {
        db!(tx tx, FORGET, [key, now.timestamp_millis()], execute)?;
    }
    Ok(())
}
