//! Sets of bins: written and deleted little by little, so that nobody waits for a million of them.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::signal::Bin;

use super::column::whole;
use super::db::{Tx, db, statements};
use super::id::new_id;
use super::{Store, StoreError, insert_rows};

/// How many bins an INSERT takes: four columns each, 2,000 parameters.
const BATCH: usize = 500;

/// How many bins are written or deleted in one transaction: a tenth of a second or two.
const AT_ONCE: i64 = 20_000;

/// How long others are let in between two transactions: SQLite has another process ask again every tenth of a second.
const PAUSE: Duration = Duration::from_millis(110);

/// How long a set without a signal may be one that is being written.
const ABANDONED: TimeDelta = TimeDelta::days(1);

statements! {
    BEGIN = "INSERT INTO bin_sets (id, begun_at) VALUES ($1, $2)";
    /// Where the next piece to be deleted ends; none where no more than a piece is left.
    PIECE = "SELECT at FROM signal_bins WHERE signal_id = $1 ORDER BY at LIMIT 1 OFFSET $2";
    DELETE_BEFORE = "DELETE FROM signal_bins WHERE signal_id = $1 AND at < $2";
    END = "DELETE FROM bin_sets WHERE id = $1";
    LEFT_OVER = "SELECT id FROM bin_sets WHERE begun_at < $1 AND id NOT IN (SELECT id FROM signals)";
}

impl Store {
    /// Writes a set of bins that no signal has yet; its id, which is to be the signal's.
    pub(super) async fn write_bins(&self, bins: &[Bin], now: DateTime<Utc>) -> Result<String, StoreError> {
        let id = new_id("sig_");
        let mut tx = self.db.begin_write().await?;
        db!(tx & mut tx, BEGIN, [id.as_str(), now.timestamp_millis()], execute)?;
        let mut pieces = bins.chunks(usize::try_from(AT_ONCE).unwrap_or(BATCH)).peekable();
        while let Some(piece) = pieces.next() {
            for batch in piece.chunks(BATCH) {
                insert_batch(&mut tx, &id, batch).await?;
            }
            if pieces.peek().is_some() {
                tx.commit().await?;
                tokio::time::sleep(PAUSE).await;
                tx = self.db.begin_write().await?;
            }
        }
        tx.commit().await?;
        Ok(id)
    }

    /// Deletes a set that is not in use, if there is one. Where that fails, it is swept away another day.
    pub(super) async fn drop_bins(&self, set: Option<String>) {
        if let Some(set) = set
            && let Err(error) = self.delete_bins(&set).await
        {
            tracing::warn!(%error, "bins that are not in use could not be deleted; they are swept away in a day");
        }
    }

    async fn delete_bins(&self, set: &str) -> Result<(), StoreError> {
        loop {
            let mut tx = self.db.begin_write().await?;
            let piece = db!(tx & mut tx, PIECE, [set, AT_ONCE], fetch_optional as (i64,))?;
            let Some((before,)) = piece else {
                db!(tx & mut tx, END, [set], execute)?;
                return tx.commit().await;
            };
            db!(tx & mut tx, DELETE_BEFORE, [set, before], execute)?;
            tx.commit().await?;
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Deletes the sets that imports which were cut short left behind; how many there were.
    pub async fn sweep_bins(&self, now: DateTime<Utc>) -> Result<usize, StoreError> {
        let before = (now - ABANDONED).timestamp_millis();
        let left = db!(read & self.db, LEFT_OVER, [before], fetch_all as (String,))?;
        for (set,) in &left {
            self.delete_bins(set).await?;
        }
        Ok(left.len())
    }
}

/// An INSERT of several bins.
pub(super) fn insert(rows: usize) -> String {
    insert_rows("INSERT INTO signal_bins (signal_id, at, numerator, denominator)", 4, rows, "")
}

async fn insert_batch(tx: &mut Tx, set: &str, batch: &[Bin]) -> Result<(), StoreError> {
    macro_rules! bound {
        ($tx:expr) => {{
            let mut query = sqlx::query(sqlx::AssertSqlSafe(insert(batch.len())));
            for bin in batch {
                query = query
                    .bind(set)
                    .bind(bin.at.timestamp_millis())
                    .bind(whole(bin.numerator))
                    .bind(whole(bin.denominator));
            }
            query.execute(&mut **$tx).await?;
        }};
    }
    match tx {
        Tx::Sqlite(tx) => bound!(tx),
        Tx::Pg(tx) => bound!(tx),
    }
    Ok(())
}
