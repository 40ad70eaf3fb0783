//! The one who looks for changes, for the whole server.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::sleep;

use super::tail::Tail;
use super::{Live, News};
use crate::store::{Store, StoreError};

/// How long between two looks.
const PACE: Duration = Duration::from_millis(250);

/// How long after a look that failed.
const PACE_AFTER_FAILURE: Duration = Duration::from_secs(1);

/// How far back numbers that are not there may still come, when the looking begins.
const LOOKED_BACK: i64 = 64;

/// The most that one look takes in.
const MOST_AT_ONCE: i64 = 2000;

/// Looks at the tables and tells what is new.
pub struct Poller {
    live: Arc<Live>,
    store: Store,
    changes: Tail,
    accounts: Tail,
}

impl Poller {
    /// Begins behind what has been changed so far.
    pub async fn begin(live: Arc<Live>, store: Store) -> Result<Self, StoreError> {
        let changes = Tail::behind(&store.latest_changes(LOOKED_BACK).await?);
        let accounts = Tail::behind(&store.latest_account_changes(LOOKED_BACK).await?);
        live.stand_at(changes.cursor());
        Ok(Self { live, store, changes, accounts })
    }

    /// Looks until told to stop.
    pub async fn run(mut self) {
        let mut stopping = self.live.stopping.subscribe();
        let (mut pace, mut is_well) = (PACE, true);
        loop {
            tokio::select! {
                _ = stopping.wait_for(|stopping| *stopping) => return,
                () = sleep(pace) => {}
                () = self.live.hurry.notified() => {}
            }
            let number = self.live.begun.fetch_add(1, Ordering::SeqCst) + 1;
            let looked = self.look().await;
            self.live.done.send_replace(number);
            match looked {
                Ok(()) => (pace, is_well) = (PACE, true),
                Err(error) => {
                    if is_well {
                        tracing::error!(%error, "changes cannot be read, so open pages are told none; trying on");
                    }
                    (pace, is_well) = (PACE_AFTER_FAILURE, false);
                }
            }
        }
    }

    /// Accounts first: whoever has just lost the right to see something is not told of it.
    async fn look(&mut self) -> Result<(), StoreError> {
        for change in self.store.account_changes_since(self.accounts.cursor().low(), MOST_AT_ONCE).await? {
            if !self.accounts.cursor().has(change.seq) {
                self.accounts.take(change.seq);
                self.live.send(News::Account(Arc::new(change)));
            }
        }
        self.accounts.rest();
        let mut new = self.store.changes_since(self.changes.cursor().low(), MOST_AT_ONCE).await?;
        new.retain(|seq| !self.changes.cursor().has(*seq));
        if let (Some(first), Some(last)) = (new.first(), new.last()) {
            for audible in self.store.audible_changes(first - 1, *last, MOST_AT_ONCE).await? {
                let seq = audible.change.seq;
                if !self.changes.cursor().has(seq) {
                    self.changes.take(seq);
                    self.live.tell(audible, self.changes.cursor().clone());
                }
            }
            // What was removed in between is gone; it is not waited for.
            for seq in new {
                self.changes.take(seq);
            }
        }
        self.changes.rest();
        self.live.stand_at(self.changes.cursor());
        Ok(())
    }
}
