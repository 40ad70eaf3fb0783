//! The store: every statement that reads or writes the database, and the folder of imported files.
//!
//! Nothing in here knows HTTP, reads the clock, or parses a file.

mod accounts;
mod actions;
mod bins;
mod changes;
mod claims;
mod cohort;
mod column;
mod create;
mod db;
mod deploys;
mod disk;
mod evidence;
mod files;
mod flags;
mod history;
mod id;
mod identities;
mod imports;
mod incidents;
mod kept;
mod load;
mod mappings;
mod notes;
mod objects;
mod once;
mod owners;
mod principals;
mod sessions;
mod shares;
mod signals;
mod teams;
mod tokens;
mod tracker;
mod users;
mod values;
mod verifications;

pub use accounts::By;
pub use actions::Update;
pub use changes::{AccountChange, AudibleChange, ItemOwner, Reach};
pub use claims::{ClaimChange, StoredClaim};
pub use cohort::{CohortCounts, KnownCustomer, Marked, NewCustomer, StoredCohort};
pub use create::Created;
pub use deploys::NewDeploy;
pub use evidence::{AddedEvidence, AddedFile, EvidenceEdit, ReadLoadTest};
pub use files::SweepError;
pub use flags::NewFlagChange;
pub use history::StoredChange;
pub use identities::{Admitted, Identity, OidcAttempt};
pub use imports::{ImportRecord, Listing, Mode, NewImport, Removed, Rest};
pub use incidents::{IncidentFacts, Sees};
pub use load::StoredIncident;
pub use notes::Added;
pub use objects::{BUCKET, Incoming, ObjectError, Objects, StoredObject};
pub use once::{Earlier, Once};
pub use owners::Standing;
pub use principals::{KnownSession, KnownToken, KnownUser};
pub use signals::{NewSignal, Replaced};
pub use tokens::NewApiToken;
pub use tracker::Viewer;
pub use users::{Changed, Named, NewAccount};
pub use values::{AddedValues, NewValueImport, NewValueSignal, ValueImport};

pub use domain::import::ImportKind;

use std::sync::Arc;

use db::{Db, db};

/// The database. Clones share its connections.
#[derive(Debug, Clone)]
pub struct Store {
    db: Db,
    principals: Arc<principals::Kept>,
    facts: Arc<incidents::KeptFacts>,
}

/// Why the store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The address names no database that can be opened.
    #[error("the database's address cannot be used: {0}")]
    Url(String),
    /// The cursor was not made by this list.
    #[error("the cursor is not one that this list gave out; leave it away to begin at the first page")]
    BadCursor,
    /// There is no incident with this id.
    #[error("there is no incident {0}")]
    NoIncident(domain::IncidentId),
    /// A request with the same key came before.
    #[error("a request with this key came before")]
    Repeated(Earlier),
    /// A column holds what no version of this program writes.
    #[error("the database holds something unreadable: {0}")]
    Corrupt(String),
    /// The database refused, or could not be reached.
    #[error("the database failed: {0}{mend}", mend = mend(.0))]
    Database(#[from] sqlx::Error),
    /// The schema could not be brought up to date.
    #[error("the database's schema cannot be brought up to date: {}", unmigrated(.0))]
    Migration(#[from] sqlx::migrate::MigrateError),
}

/// The kind of SQLite's error: the lower eight bits of its code, of which the others say more.
fn sqlite_kind(error: &sqlx::Error) -> Option<i32> {
    let error = error.as_database_error()?.try_downcast_ref::<sqlx::sqlite::SqliteError>()?;
    sqlx::error::DatabaseError::code(error)?.parse::<i32>().ok().map(|code| code & 0xff)
}

/// What mends an error of SQLite that has its cause outside the database.
fn mend(error: &sqlx::Error) -> &'static str {
    match sqlite_kind(error) {
        Some(8 | 14) => "; whoever runs this program must be able to write the file and its folder",
        Some(10) => "; the disk did not read or write: look at the system's log",
        Some(11 | 26) => "; the file is damaged, or no database: put a backup in its place",
        Some(13) => "; the disk is full: free some of it",
        _ => "",
    }
}

fn unmigrated(error: &sqlx::migrate::MigrateError) -> String {
    use sqlx::migrate::MigrateError::{Execute, ExecuteMigration, VersionMissing};
    match error {
        VersionMissing(step) => {
            format!("a newer version of this program wrote it (with step {step}); run that version, or one after it")
        }
        Execute(error) | ExecuteMigration(error, _) => format!("{error}{}", mend(error)),
        other => other.to_string(),
    }
}

impl StoreError {
    /// Whether the same may well succeed in a while: another connection writes, or none was free in time.
    pub fn is_passing(&self) -> bool {
        /// What SQLite answers while another connection writes.
        const BUSY: i32 = 5;
        match self {
            Self::Database(sqlx::Error::PoolTimedOut) => true,
            Self::Database(error) => sqlite_kind(error) == Some(BUSY),
            _ => false,
        }
    }
}

impl Store {
    /// Opens `sqlite:/path/debrief.db`, creating the file if need be, or `postgres://…`, and brings its schema up
    /// to date.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        let (db, witness) = Db::open(url).await?;
        tracker::fill(&db).await?;
        let witness = witness.map(Arc::new);
        let principals = Arc::new(principals::Kept::new(witness.as_ref()));
        Ok(Self { db, principals, facts: Arc::new(incidents::KeptFacts::new(witness)) })
    }

    /// Asks the database for an answer.
    pub async fn ping(&self) -> Result<(), StoreError> {
        db!(read & self.db, "SELECT 1", [], execute)?;
        Ok(())
    }

    /// Closes every connection.
    pub async fn close(&self) {
        self.db.close().await;
    }
}

/// Every statement that the store sends, so that a test can describe each on both databases.
pub fn statements() -> Vec<String> {
    let fixed = [
        accounts::ALL,
        actions::ALL,
        bins::ALL,
        changes::ALL,
        claims::ALL,
        cohort::ALL,
        create::ALL,
        deploys::ALL,
        evidence::ALL,
        files::ALL,
        flags::ALL,
        history::ALL,
        identities::ALL,
        imports::ALL,
        incidents::ALL,
        load::ALL,
        mappings::ALL,
        notes::ALL,
        once::ALL,
        owners::ALL,
        principals::ALL,
        sessions::ALL,
        shares::ALL,
        signals::ALL,
        teams::ALL,
        tokens::ALL,
        tracker::ALL,
        users::ALL,
        values::ALL,
        verifications::ALL,
    ];
    let built = [cohort::insert_customers(2), deploys::insert(2), flags::insert(2), bins::insert(2)];
    fixed.concat().into_iter().map(str::to_owned).chain(built).collect()
}

/// The statements that the tracker builds, in every shape, so that a test can see how each database runs them.
pub fn built_statements() -> Vec<String> {
    tracker::shapes()
}

/// An INSERT of several rows: `head VALUES ($1, $2), ($3, $4) tail`.
fn insert_rows(head: &str, columns: usize, rows: usize, tail: &str) -> String {
    use std::fmt::Write as _;
    let mut sql = format!("{head} VALUES ");
    for row in 0..rows {
        sql.push_str(if row == 0 { "(" } else { ", (" });
        for column in 0..columns {
            let comma = if column == 0 { "" } else { ", " };
            // Writing to a String cannot fail.
            let _ = write!(sql, "{comma}${}", row * columns + column + 1);
        }
        sql.push(')');
    }
    sql.push_str(tail);
    sql
}
