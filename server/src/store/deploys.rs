//! Deploys of services.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use domain::deploy::Deploy;
use domain::{DeployId, IncidentId};

use super::column::{maybe_text, text, time};
use super::db::{Tx, db, statements};
use super::id::new_id;
use super::imports::{self, Batch, Listing, Mode, NewImport};
use super::{By, Store, StoreError, insert_rows};

statements! {
    OF_INCIDENT = "SELECT id, at, service, version, environment, deployed_by, link FROM deploys
        WHERE incident_id = $1 ORDER BY at, service, environment, version";
    FORGET = "DELETE FROM deploys WHERE incident_id = $1 AND id = $2";
}

/// A deploy about to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDeploy {
    /// When it went live.
    pub at: DateTime<Utc>,
    /// The service.
    pub service: String,
    /// The version that it is in since.
    pub version: String,
    /// Where, if the source says so.
    pub environment: Option<String>,
    /// Who deployed it.
    pub by: Option<String>,
    /// Where it can be seen.
    pub link: Option<String>,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    at: i64,
    service: String,
    version: String,
    environment: String,
    deployed_by: Option<String>,
    link: Option<String>,
}

impl Store {
    /// Adds the deploys that are not known yet, and answers how many those were; `report` makes of that number what
    /// the import and the history keep. A file that was imported before changes nothing.
    pub async fn add_deploys(
        &self,
        incident: &IncidentId,
        deploys: &[NewDeploy],
        import: &NewImport<'_>,
        report: impl FnOnce(u64) -> serde_json::Value + Send,
        how: (By<'_>, Mode),
    ) -> Result<Listing, StoreError> {
        imports::add_list(&self.db, (incident, deploys), import, report, how).await
    }
}

/// An INSERT of several deploys that passes over those known.
pub(super) fn insert(rows: usize) -> String {
    insert_rows(
        "INSERT INTO deploys (id, incident_id, at, service, version, environment, deployed_by, link)",
        8,
        rows,
        " ON CONFLICT (incident_id, at, service, version, environment) DO NOTHING",
    )
}

impl Batch for NewDeploy {
    async fn insert(tx: &mut Tx, incident: &IncidentId, batch: &[Self]) -> Result<u64, StoreError> {
        macro_rules! bound {
            ($tx:expr) => {{
                let mut query = sqlx::query(sqlx::AssertSqlSafe(insert(batch.len())));
                for deploy in batch {
                    query = query
                        .bind(new_id("dep_"))
                        .bind(incident.as_str())
                        .bind(deploy.at.timestamp_millis())
                        .bind(text(&deploy.service))
                        .bind(text(&deploy.version))
                        .bind(text(deploy.environment.as_deref().unwrap_or_default()))
                        .bind(maybe_text(deploy.by.as_deref()))
                        .bind(maybe_text(deploy.link.as_deref()));
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

/// Every deploy of an incident, in order of time.
pub(super) async fn of_incident(tx: &mut Tx, incident: &IncidentId) -> Result<Vec<Deploy>, StoreError> {
    let rows = db!(tx tx, OF_INCIDENT, [incident.as_str()], fetch_all as Row)?;
    rows.into_iter()
        .map(|row| {
            Ok(Deploy {
                id: DeployId::new(row.id),
                at: time(row.at)?,
                service: row.service,
                version: row.version,
                environment: Some(row.environment).filter(|environment| !environment.is_empty()),
                by: row.deployed_by,
                link: row.link,
            })
        })
        .collect()
}

/// Forgets the deploys that are none of these.
pub(super) async fn keep_only(tx: &mut Tx, incident: &IncidentId, kept: &[NewDeploy]) -> Result<u64, StoreError> {
    let kept: HashSet<_> = kept
        .iter()
        .map(|deploy| {
            let environment = text(deploy.environment.as_deref().unwrap_or_default());
            (deploy.at.timestamp_millis(), text(&deploy.service), text(&deploy.version), environment)
        })
        .collect();
    let mut forgotten = 0;
    for row in db!(tx &mut *tx, OF_INCIDENT, [incident.as_str()], fetch_all as Row)? {
        if !kept.contains(&(row.at, row.service, row.version, row.environment)) {
            forgotten += db!(tx &mut *tx, FORGET, [incident.as_str(), row.id.as_str()], execute)?;
        }
    }
    Ok(forgotten)
}
