//! What was read of the database, kept for as long as nobody has written to it.
//!
//! Each request asks who makes it and what the policy has to know of an incident. `SQLite` tells its readers of a commit, by
//! whatever process, through the header of the index of its log (`-shm`, <https://www.sqlite.org/walformat.html>, 2.2): two
//! equal copies of 48 bytes that differ after each commit. Reading them takes a hundredth of the time of a statement.
//! `PostgreSQL` has nothing like it, so there everything is read each time.

use std::fs::File;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;

use super::StoreError;

/// How many answers of a kind are kept.
const KEPT: NonZeroUsize = NonZeroUsize::new(4096).expect("not zero");

/// The length of one copy of the header.
const HEADER: usize = 48;

/// Where in the header the mark stands that it has been written.
const IS_WRITTEN: usize = 12;

/// What the database was when something was read of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State([u8; HEADER]);

/// Tells whether somebody has written to a `SQLite` database, as long as this process has it open.
#[derive(Debug)]
pub(super) struct Witness(File);

impl Witness {
    /// Watches the database in this file, which a connection has open; none where that cannot be done.
    pub(super) fn of(database: &Path) -> Option<Self> {
        let mut index = database.as_os_str().to_owned();
        index.push("-shm");
        let witness = Self(File::open(index).ok()?);
        witness.state().map(|_| witness)
    }

    /// None while somebody writes, and where the file is no longer the database's.
    #[cfg(unix)]
    fn state(&self) -> Option<State> {
        use std::os::unix::fs::{FileExt, MetadataExt};
        let mut both = [0; 2 * HEADER];
        self.0.read_exact_at(&mut both, 0).ok()?;
        let (first, second) = both.split_first_chunk::<HEADER>()?;
        let is_whole = first.as_slice() == second && first[IS_WRITTEN] == 1;
        (is_whole && self.0.metadata().ok()?.nlink() > 0).then_some(State(*first))
    }

    #[cfg(not(unix))]
    fn state(&self) -> Option<State> {
        None
    }
}

/// Answers of one kind, all of one state of the database.
#[derive(Debug)]
pub(super) struct Kept<K: Hash + Eq, V> {
    witness: Option<Arc<Witness>>,
    answers: Mutex<(Option<State>, LruCache<K, V>)>,
}

impl<K: Hash + Eq, V: Clone> Kept<K, V> {
    /// Keeps nothing where there is no witness.
    pub(super) fn new(witness: Option<Arc<Witness>>) -> Self {
        Self { witness, answers: Mutex::new((None, LruCache::new(KEPT))) }
    }

    /// The answer that is kept, if the database is as it was and the answer still `holds`, or what `read` finds. That
    /// nothing was found is not kept.
    pub(super) async fn get_or(
        &self,
        key: K,
        holds: impl FnOnce(&V) -> bool,
        read: impl Future<Output = Result<Option<V>, StoreError>>,
    ) -> Result<Option<V>, StoreError> {
        let state = self.witness.as_ref().and_then(|witness| witness.state());
        if state.is_some() {
            let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            if answers.0 == state
                && let Some(answer) = answers.1.get(&key)
                && holds(answer)
            {
                return Ok(Some(answer.clone()));
            }
        }
        let answer = read.await?;
        // An answer that was read while somebody wrote belongs to neither state.
        if let (Some(witness), Some(found), Some(_)) = (&self.witness, &answer, state)
            && witness.state() == state
        {
            let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            if answers.0 != state {
                answers.0 = state;
                answers.1.clear();
            }
            answers.1.put(key, found.clone());
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::{Connection, SqliteConnection};

    async fn opened(path: &Path) -> SqliteConnection {
        use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
        let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
        SqliteConnection::connect_with(&options.journal_mode(SqliteJournalMode::Wal)).await.expect("a database")
    }

    async fn run(connection: &mut SqliteConnection, sql: &'static str) {
        sqlx::query(sql).execute(connection).await.expect("it runs");
    }

    #[tokio::test]
    async fn each_commit_of_anybody_makes_another_state_and_reading_makes_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.db");
        let mut ours = opened(&path).await;
        run(&mut ours, "CREATE TABLE t (x)").await;
        let witness = Witness::of(&path).expect("a witness");
        let mut states = vec![witness.state().expect("a state").0];
        let mut theirs = opened(&path).await;
        for _ in 0..50 {
            for connection in [&mut ours, &mut theirs] {
                run(connection, "INSERT INTO t VALUES (1)").await;
                let state = witness.state().expect("a state").0;
                assert!(!states.contains(&state), "after {} commits", states.len());
                states.push(state);
                run(connection, "SELECT count(*) FROM t").await;
                assert_eq!(witness.state().expect("a state").0, state);
            }
        }
        run(&mut theirs, "PRAGMA wal_checkpoint(TRUNCATE)").await;
        run(&mut theirs, "UPDATE t SET x = 2").await;
        assert!(!states.contains(&witness.state().expect("a state").0), "after the log began anew");
    }

    #[tokio::test]
    async fn an_answer_is_kept_until_somebody_writes_or_it_no_longer_holds() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.db");
        let mut writer = opened(&path).await;
        run(&mut writer, "CREATE TABLE t (x)").await;
        let kept = Kept::new(Witness::of(&path).map(Arc::new));
        let ask = async |answer: u8| kept.get_or("k", |_| true, async { Ok(Some(answer)) }).await.expect("an answer");
        assert_eq!(ask(1).await, Some(1));
        assert_eq!(ask(2).await, Some(1), "nobody wrote");
        run(&mut writer, "INSERT INTO t VALUES (1)").await;
        assert_eq!(ask(3).await, Some(3), "somebody wrote");
        let expired = kept.get_or("k", |_| false, async { Ok(Some(4)) }).await.expect("an answer");
        assert_eq!(expired, Some(4));
        let nothing = Kept::<_, u8>::new(None);
        for answer in [1, 2] {
            let got = nothing.get_or("k", |_| true, async { Ok(Some(answer)) }).await.expect("an answer");
            assert_eq!(got, Some(answer), "nothing is kept without a witness");
        }
    }
}
