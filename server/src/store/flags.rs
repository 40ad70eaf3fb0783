//! Changes of feature flags.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use domain::flag::FlagChange;
use domain::{FlagChangeId, IncidentId};

use super::column::{maybe_millis, maybe_text, maybe_time, text, time};
use super::db::{Tx, db, statements};
use super::id::new_id;
use super::imports::{self, Batch, Listing, Mode, NewImport};
use super::{By, Store, StoreError, insert_rows};

statements! {
    OF_INCIDENT = "SELECT id, flag, environment, state, changed_at, effective_at, changed_by, comment FROM flag_changes
        WHERE incident_id = $1 ORDER BY changed_at, flag, environment, state";
    FORGET = "DELETE FROM flag_changes WHERE incident_id = $1 AND id = $2";
}

/// A flag change about to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFlagChange {
    /// The flag's key.
    pub flag: String,
    /// Where it was set, if the source says so.
    pub environment: Option<String>,
    /// What it was set to.
    pub state: String,
    /// When somebody changed it.
    pub changed_at: DateTime<Utc>,
    /// When the change reached the service, if that is known.
    pub effective_at: Option<DateTime<Utc>>,
    /// Who changed it.
    pub by: Option<String>,
    /// Why.
    pub comment: Option<String>,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    flag: String,
    environment: String,
    state: String,
    changed_at: i64,
    effective_at: Option<i64>,
    changed_by: Option<String>,
    comment: Option<String>,
}

impl Store {
    /// Adds the changes that are not known yet, and answers how many those were; `report` makes of that number what
    /// the import and the history keep. A file that was imported before changes nothing.
    pub async fn add_flag_changes(
        &self,
        incident: &IncidentId,
        changes: &[NewFlagChange],
        import: &NewImport<'_>,
        report: impl FnOnce(u64) -> serde_json::Value + Send,
        how: (By<'_>, Mode),
    ) -> Result<Listing, StoreError> {
        imports::add_list(&self.db, (incident, changes), import, report, how).await
    }
}

/// An INSERT of several changes that passes over those known.
pub(super) fn insert(rows: usize) -> String {
    insert_rows(
        "INSERT INTO flag_changes (id, incident_id, flag, environment, state, changed_at, effective_at, changed_by, comment)",
        9,
        rows,
        " ON CONFLICT (incident_id, flag, environment, changed_at, state) DO NOTHING",
    )
}

impl Batch for NewFlagChange {
    async fn insert(tx: &mut Tx, incident: &IncidentId, batch: &[Self]) -> Result<u64, StoreError> {
        macro_rules! bound {
            ($tx:expr) => {{
                let mut query = sqlx::query(sqlx::AssertSqlSafe(insert(batch.len())));
                for change in batch {
                    query = query
                        .bind(new_id("flag_"))
                        .bind(incident.as_str())
                        .bind(text(&change.flag))
                        // Empty rather than null, which would make no two changes the same.
                        .bind(text(change.environment.as_deref().unwrap_or_default()))
                        .bind(text(&change.state))
                        .bind(change.changed_at.timestamp_millis())
                        .bind(maybe_millis(change.effective_at))
                        .bind(maybe_text(change.by.as_deref()))
                        .bind(maybe_text(change.comment.as_deref()));
                }
                query.execute(&mut **$tx).await?.rows_affected()
            }};
        }
        Ok(match tx {
            Tx::Sqlite(tx) => bound!(tx),
            Tx::Pg(tx) => bound!(tx),
        })
    }
}

/// Every flag change of an incident, in order of time.
pub(super) async fn of_incident(tx: &mut Tx, incident: &IncidentId) -> Result<Vec<FlagChange>, StoreError> {
    let rows = db!(tx tx, OF_INCIDENT, [incident.as_str()], fetch_all as Row)?;
    rows.into_iter()
        .map(|row| {
            Ok(FlagChange {
                id: FlagChangeId::new(row.id),
                flag: row.flag,
                environment: Some(row.environment).filter(|environment| !environment.is_empty()),
                state: row.state,
                changed_at: time(row.changed_at)?,
                effective_at: maybe_time(row.effective_at)?,
                by: row.changed_by,
                comment: row.comment,
            })
        })
        .collect()
}

/// Forgets the changes that are none of these.
pub(super) async fn keep_only(tx: &mut Tx, incident: &IncidentId, kept: &[NewFlagChange]) -> Result<u64, StoreError> {
    let kept: HashSet<_> = kept
        .iter()
        .map(|change| {
            let environment = text(change.environment.as_deref().unwrap_or_default());
            (text(&change.flag), environment, change.changed_at.timestamp_millis(), text(&change.state))
        })
        .collect();
    let mut forgotten = 0;
    for row in db!(tx & mut *tx, OF_INCIDENT, [incident.as_str()], fetch_all as Row)? {
        if !kept.contains(&(row.flag, row.environment, row.changed_at, row.state)) {
            forgotten += db!(tx & mut *tx, FORGET, [incident.as_str(), row.id.as_str()], execute)?;
        }
    }
    Ok(forgotten)
}
