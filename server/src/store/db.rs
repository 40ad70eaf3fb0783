//! Two native pools behind one macro, so that one SQL text serves SQLite and PostgreSQL.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{PgPool, Postgres, Sqlite, SqlitePool, Transaction};

use super::StoreError;
use super::kept::Witness;

/// How long a statement waits for another process that writes the same SQLite file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// An open database.
#[derive(Debug, Clone)]
pub(super) enum Db {
    /// Readers beside one writer: SQLite has room for one at a time.
    Sqlite { read: SqlitePool, write: SqlitePool },
    /// PostgreSQL.
    Pg(PgPool),
}

/// An open transaction; dropped without `commit`, it leaves nothing behind.
pub(super) enum Tx {
    Sqlite(Transaction<'static, Sqlite>),
    Pg(Transaction<'static, Postgres>),
}

/// A statement whose text depends on what is asked for. Its text holds words of this program alone; whatever people gave
/// is bound.
#[derive(Debug, Clone, Default)]
pub(super) struct Built {
    /// The text.
    pub sql: String,
    /// The values of `$1`, `$2`, ….
    pub binds: Vec<Bind>,
}

/// A value in a [`Built`] statement.
#[derive(Debug, Clone)]
pub(super) enum Bind {
    Text(String),
    Whole(i64),
}

impl Built {
    /// Binds a text; the answer stands for it in the statement. PostgreSQL's text holds no NUL.
    pub(super) fn text(&mut self, text: &str) -> String {
        self.bind(Bind::Text(super::column::text(text)))
    }

    /// Binds a number; the answer stands for it in the statement.
    pub(super) fn whole(&mut self, number: i64) -> String {
        self.bind(Bind::Whole(number))
    }

    fn bind(&mut self, value: Bind) -> String {
        self.binds.push(value);
        format!("${}", self.binds.len())
    }
}

/// Runs one statement: `db!(read &db, SQL, [binds], fetch_one as Row)`, `db!(tx &mut tx, SQL, [binds], execute)` or
/// `db!(built &db, query, fetch_all as Row)`, which also takes `tx &mut tx`.
macro_rules! db {
    (@one $ex:expr, $sql:expr, [$($b:expr),*], execute) => {
        sqlx::query($sql)$(.bind($b))*.execute($ex).await.map(|done| done.rows_affected())
    };
    (@one $ex:expr, $sql:expr, [$($b:expr),*], $m:ident as $t:ty) => {
        sqlx::query_as::<_, $t>($sql)$(.bind($b))*.$m($ex).await
    };
    (@built $ex:expr, $database:ty, $query:expr, $m:ident as $t:ty) => {{
        let $crate::store::db::Built { sql, binds } = $query;
        let mut built = sqlx::query_as::<$database, $t>(sqlx::AssertSqlSafe(sql));
        for bind in binds {
            built = match bind {
                $crate::store::db::Bind::Text(text) => built.bind(text),
                $crate::store::db::Bind::Whole(number) => built.bind(number),
            };
        }
        built.$m($ex).await
    }};
    (built tx $tx:expr, $query:expr, $($r:tt)+) => {
        match $tx {
            $crate::store::db::Tx::Sqlite(tx) => db!(@built &mut **tx, sqlx::Sqlite, $query, $($r)+),
            $crate::store::db::Tx::Pg(tx) => db!(@built &mut **tx, sqlx::Postgres, $query, $($r)+),
        }
    };
    (built $db:expr, $query:expr, $($r:tt)+) => {
        match $db {
            $crate::store::db::Db::Sqlite { read, .. } => db!(@built read, sqlx::Sqlite, $query, $($r)+),
            $crate::store::db::Db::Pg(pool) => db!(@built pool, sqlx::Postgres, $query, $($r)+),
        }
    };
    (read $db:expr, $sql:expr, [$($b:expr),* $(,)?], $($r:tt)+) => {
        match $db {
            $crate::store::db::Db::Sqlite { read, .. } => db!(@one read, $sql, [$($b),*], $($r)+),
            $crate::store::db::Db::Pg(pool) => db!(@one pool, $sql, [$($b),*], $($r)+),
        }
    };
    (tx $tx:expr, $sql:expr, [$($b:expr),* $(,)?], $($r:tt)+) => {
        match $tx {
            $crate::store::db::Tx::Sqlite(tx) => db!(@one &mut **tx, $sql, [$($b),*], $($r)+),
            $crate::store::db::Tx::Pg(tx) => db!(@one &mut **tx, $sql, [$($b),*], $($r)+),
        }
    };
}
pub(super) use db;

/// Names a file's statements and collects them, so that a test can describe each on both databases.
macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $sql:expr;)+) => {
        $($(#[$doc])* const $name: &str = $sql;)+
        /// Every statement of this file.
        pub(super) const ALL: &[&str] = &[$($name),+];
    };
}
pub(super) use statements;

impl Db {
    /// Opens the database and brings its schema up to date; tells who witnesses its changes, if somebody can.
    pub(super) async fn open(url: &str) -> Result<(Self, Option<Witness>), StoreError> {
        if url.starts_with("sqlite:") {
            let options = SqliteConnectOptions::from_str(url)
                .map_err(|error| StoreError::Url(error.to_string()))?
                .foreign_keys(true)
                .busy_timeout(BUSY_TIMEOUT)
                .journal_mode(SqliteJournalMode::Wal)
                // NORMAL could lose a confirmed commit when the power fails.
                .synchronous(SqliteSynchronous::Full)
                .create_if_missing(true);
            // Never closed, so that the index of the log stays the file that the witness looks at.
            let write = SqlitePoolOptions::new()
                .max_connections(1)
                .min_connections(1)
                .idle_timeout(None)
                .max_lifetime(None)
                .connect_with(options.clone())
                .await?;
            sqlx::migrate!("migrations/sqlite").run(&write).await?;
            let witness = Witness::of(options.get_filename());
            let read = SqlitePoolOptions::new()
                .max_connections(4)
                .connect_with(options.create_if_missing(false).read_only(true))
                .await?;
            Ok((Self::Sqlite { read, write }, witness))
        } else if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            let pool = PgPoolOptions::new().max_connections(16).connect(url).await?;
            sqlx::migrate!("migrations/postgres").run(&pool).await?;
            Ok((Self::Pg(pool), None))
        } else {
            Err(StoreError::Url("it must begin with 'sqlite:' or 'postgres:'".to_owned()))
        }
    }

    /// Begins a transaction that will write.
    pub(super) async fn begin_write(&self) -> Result<Tx, StoreError> {
        Ok(match self {
            Self::Sqlite { write, .. } => Tx::Sqlite(write.begin_with("BEGIN IMMEDIATE").await?),
            Self::Pg(pool) => Tx::Pg(pool.begin().await?),
        })
    }

    /// Begins a transaction whose every statement sees one and the same state.
    pub(super) async fn begin_read(&self) -> Result<Tx, StoreError> {
        Ok(match self {
            Self::Sqlite { read, .. } => Tx::Sqlite(read.begin().await?),
            Self::Pg(pool) => Tx::Pg(pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?),
        })
    }

    /// Closes every connection.
    pub(super) async fn close(&self) {
        match self {
            Self::Sqlite { read, write } => {
                read.close().await;
                write.close().await;
            }
            Self::Pg(pool) => pool.close().await,
        }
    }
}

impl Tx {
    /// Makes what was written last.
    pub(super) async fn commit(self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(tx) => tx.commit().await?,
            Self::Pg(tx) => tx.commit().await?,
        }
        Ok(())
    }

    /// Takes back what was written.
    pub(super) async fn rollback(self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(tx) => tx.rollback().await?,
            Self::Pg(tx) => tx.rollback().await?,
        }
        Ok(())
    }
}
