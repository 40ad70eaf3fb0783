//! Changes told to open pages, within a second of their being made, wherever they were made.
//!
//! One poller a server reads what is new from the database, since commands and other replicas write there too, and hands
//! it to every open stream; each stream asks the policy whether it may pass something on. No HTTP and no SQL here, and
//! nothing that could not be read again from the table.

pub mod cursor;
mod poller;
mod stream;
mod tail;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Notify, broadcast, watch};

use self::cursor::Cursor;
use crate::store::{AccountChange, AudibleChange, Store, StoreError};

pub use self::stream::{Begin, Frame, Listener};

/// How much a slow stream may fall behind before it goes back to the table.
const CAPACITY: usize = 1024;

/// The most changes that are told to somebody who resumes; after more they read everything again.
pub const MOST_RESUMED: i64 = 500;

/// Where the changes are handed out.
pub struct Live {
    news: broadcast::Sender<News>,
    /// How far the poller has told; locked while it tells, so that whoever joins knows exactly what is still to come.
    told: Mutex<Cursor>,
    /// Asks the poller to look now.
    hurry: Notify,
    /// The number of the look that is under way, or of the last one.
    begun: AtomicU64,
    /// The number of the last look that is done.
    done: watch::Sender<u64>,
    stopping: watch::Sender<bool>,
}

/// What the poller found.
#[derive(Debug, Clone)]
enum News {
    /// A change of an incident.
    Change(Arc<Told>),
    /// A change that concerns who may see what.
    Account(Arc<AccountChange>),
}

/// A change as it is told.
#[derive(Debug)]
struct Told {
    audible: AudibleChange,
    /// How far one has come with it.
    at: Cursor,
    /// The change as JSON.
    json: Arc<str>,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            news: broadcast::Sender::new(CAPACITY),
            told: Mutex::default(),
            hurry: Notify::new(),
            begun: AtomicU64::new(0),
            done: watch::Sender::new(0),
            stopping: watch::Sender::new(false),
        }
    }
}

impl Live {
    /// Begins to look for changes, until [`Live::stop`]; those made before are not told.
    pub async fn begin(self: &Arc<Self>, store: &Store) -> Result<(), StoreError> {
        let poller = poller::Poller::begin(self.clone(), store.clone()).await?;
        tokio::spawn(poller.run());
        Ok(())
    }

    /// Ends every stream, and the looking.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Waits until everything that has been made so far has been told.
    async fn catch_up(&self) {
        let mut done = self.done.subscribe();
        let mut stopping = self.stopping.subscribe();
        let under_way = self.begun.load(Ordering::SeqCst);
        self.hurry.notify_one();
        // The poller ends with the server, and nothing is told then.
        tokio::select! {
            _ = stopping.wait_for(|stopping| *stopping) => {}
            _ = done.wait_for(|done| *done > under_way) => {}
        }
    }

    /// Everything that will be told from now on, and what has been told so far.
    fn join(&self) -> (broadcast::Receiver<News>, Cursor) {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        (self.news.subscribe(), told.clone())
    }

    /// Tells everybody, and remembers that it did.
    fn tell(&self, change: AudibleChange, at: Cursor) {
        let told = Told::new(change, at);
        let mut so_far = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        so_far.clone_from(&told.at);
        self.send(News::Change(Arc::new(told)));
    }

    /// Sets how far has been told, where that moves without anything to tell.
    fn stand_at(&self, cursor: &Cursor) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone_from(cursor);
    }

    fn send(&self, news: News) {
        // Nobody listening is no failure.
        let _ = self.news.send(news);
    }
}

impl Told {
    fn new(audible: AudibleChange, at: Cursor) -> Self {
        // A struct of texts and numbers cannot fail to be written.
        let json = serde_json::to_string(&audible.change).unwrap_or_default();
        Self { audible, at, json: json.into() }
    }
}
