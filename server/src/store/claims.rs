//! Claims: which figure is bound to which computation, and what was found when it was last computed.

use domain::claim::{Computation, Found, Target};
use domain::derived::Computed;
use domain::{ClaimId, IncidentId};
use serde::Serialize;

use super::column::{from_json, text, to_json};
use super::db::{Tx, db, statements};
use super::history::{Change, append, bump};
use super::id::new_id;
use super::once::{Once, claim, keep_answer};
use super::{By, Store, StoreError};

statements! {
    OF_INCIDENT = "SELECT id, version, target, computation, basis, found FROM claims WHERE incident_id = $1 ORDER BY seq";
    ONE = "SELECT id, version, target, computation, basis, found FROM claims WHERE incident_id = $1 AND id = $2";
    INSERT = "INSERT INTO claims (id, incident_id, version, target, computation) VALUES ($1, $2, 1, $3, $4)
        ON CONFLICT (incident_id, target) DO NOTHING";
    WRITE = "UPDATE claims SET version = version + 1, computation = $4, basis = NULL, found = NULL
        WHERE incident_id = $1 AND id = $2 AND version = $3";
    REMOVE = "DELETE FROM claims WHERE incident_id = $1 AND id = $2 AND version = $3";
    /// A binding that was changed meanwhile is computed anew.
    KEEP = "UPDATE claims SET basis = $3, found = $4 WHERE id = $1 AND version = $2";
}

/// A claim as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredClaim {
    /// The claim's id.
    pub id: ClaimId,
    /// Counts the changes of the binding.
    pub version: i64,
    /// Which figure.
    pub target: Target,
    /// What is computed.
    pub computation: Computation,
    /// What was found, with a digest of what it was computed from.
    pub kept: Option<(String, Computed<Found>)>,
}

/// What became of a change to a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum ClaimChange {
    /// It was made.
    Done(StoredClaim),
    /// It was made on another version than the one that is there.
    Stale(StoredClaim),
    /// There is no such claim, or no such incident.
    Missing,
    /// The figure is bound already.
    Bound,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    version: i64,
    target: String,
    computation: String,
    basis: Option<String>,
    found: Option<String>,
}

/// A binding as the history tells it.
#[derive(Serialize)]
struct Told<'a> {
    title: Option<&'a str>,
    field: Option<&'a str>,
    computation: &'a Computation,
}

impl Store {
    /// Binds a figure; `stated` is the figure as it is written.
    pub async fn create_claim(
        &self,
        incident: &IncidentId,
        target: &Target,
        computation: &Computation,
        stated: &str,
        by: By<'_>,
        once: Option<&Once>,
    ) -> Result<ClaimChange, StoreError> {
        let mut tx = self.db.begin_write().await?;
        claim(&mut tx, once, by.now).await?;
        if !bump(&mut tx, incident, by.now).await? {
            tx.rollback().await?;
            return Ok(ClaimChange::Missing);
        }
        let id = new_id("clm_");
        let (asked, computed) = (text(&to_json(target)?), text(&to_json(computation)?));
        let inserted =
            db!(tx &mut tx, INSERT, [id.as_str(), incident.as_str(), asked.as_str(), computed.as_str()], execute)?;
        if inserted == 0 {
            tx.rollback().await?;
            return Ok(ClaimChange::Bound);
        }
        let made = in_tx(&mut tx, incident, &ClaimId::new(id)).await?;
        let made = made.ok_or_else(|| StoreError::Corrupt("a claim vanished while it was made".to_owned()))?;
        record(&mut tx, incident, by, (None, Some(&made)), Some(stated)).await?;
        keep_answer(&mut tx, once, &made.id).await?;
        tx.commit().await?;
        Ok(ClaimChange::Done(made))
    }

    /// Gives a claim another computation.
    pub async fn update_claim(
        &self,
        incident: &IncidentId,
        id: &ClaimId,
        version: i64,
        computation: &Computation,
        by: By<'_>,
    ) -> Result<ClaimChange, StoreError> {
        let mut tx = self.db.begin_write().await?;
        bump(&mut tx, incident, by.now).await?;
        let Some(before) = in_tx(&mut tx, incident, id).await? else {
            tx.rollback().await?;
            return Ok(ClaimChange::Missing);
        };
        let computed = text(&to_json(computation)?);
        let wrote = db!(tx &mut tx, WRITE, [incident.as_str(), id.as_str(), version, computed.as_str()], execute)?;
        if wrote == 0 {
            tx.rollback().await?;
            return Ok(ClaimChange::Stale(before));
        }
        let after =
            StoredClaim { version: version + 1, computation: computation.clone(), kept: None, ..before.clone() };
        record(&mut tx, incident, by, (Some(&before), Some(&after)), None).await?;
        tx.commit().await?;
        Ok(ClaimChange::Done(after))
    }

    /// Takes a binding back.
    pub async fn delete_claim(
        &self,
        incident: &IncidentId,
        id: &ClaimId,
        version: i64,
        by: By<'_>,
    ) -> Result<ClaimChange, StoreError> {
        let mut tx = self.db.begin_write().await?;
        bump(&mut tx, incident, by.now).await?;
        let Some(before) = in_tx(&mut tx, incident, id).await? else {
            tx.rollback().await?;
            return Ok(ClaimChange::Missing);
        };
        if db!(tx &mut tx, REMOVE, [incident.as_str(), id.as_str(), version], execute)? == 0 {
            tx.rollback().await?;
            return Ok(ClaimChange::Stale(before));
        }
        record(&mut tx, incident, by, (Some(&before), None), None).await?;
        tx.commit().await?;
        Ok(ClaimChange::Done(before))
    }

    /// The claims of an incident, in the order in which they were made.
    pub async fn list_claims(&self, incident: &IncidentId) -> Result<Vec<StoredClaim>, StoreError> {
        let rows = db!(read & self.db, OF_INCIDENT, [incident.as_str()], fetch_all as Row)?;
        rows.into_iter().map(stored).collect()
    }

    /// One claim.
    pub async fn load_claim(&self, incident: &IncidentId, id: &ClaimId) -> Result<Option<StoredClaim>, StoreError> {
        let row = db!(read & self.db, ONE, [incident.as_str(), text(id.as_str())], fetch_optional as Row)?;
        row.map(stored).transpose()
    }

    /// Keeps what was found, which is no change of the claim.
    pub async fn keep_found(&self, claim: &StoredClaim) -> Result<(), StoreError> {
        let Some((basis, found)) = &claim.kept else { return Ok(()) };
        let mut tx = self.db.begin_write().await?;
        let found = text(&to_json(found)?);
        db!(tx &mut tx, KEEP, [claim.id.as_str(), claim.version, basis.as_str(), found.as_str()], execute)?;
        tx.commit().await
    }
}

async fn record(
    tx: &mut Tx,
    incident: &IncidentId,
    by: By<'_>,
    (before, after): (Option<&StoredClaim>, Option<&StoredClaim>),
    stated: Option<&str>,
) -> Result<(), StoreError> {
    let told = |claim: &StoredClaim| {
        let title = stated.or(claim.target.figure.as_deref());
        to_json(&Told { title, field: claim.target.field.as_deref(), computation: &claim.computation })
    };
    let Some(id) = before.or(after).map(|claim| claim.id.clone()) else { return Ok(()) };
    let change = Change {
        subject: "claim",
        subject_id: id.as_str(),
        actor: by.actor,
        before: before.map(told).transpose()?,
        after: after.map(told).transpose()?,
    };
    append(tx, incident, change, by.now).await
}

/// The claims of an incident, in the order in which they were made.
pub(super) async fn of_incident(tx: &mut Tx, incident: &IncidentId) -> Result<Vec<StoredClaim>, StoreError> {
    let rows = db!(tx tx, OF_INCIDENT, [incident.as_str()], fetch_all as Row)?;
    rows.into_iter().map(stored).collect()
}

async fn in_tx(tx: &mut Tx, incident: &IncidentId, id: &ClaimId) -> Result<Option<StoredClaim>, StoreError> {
    let row = db!(tx tx, ONE, [incident.as_str(), text(id.as_str())], fetch_optional as Row)?;
    row.map(stored).transpose()
}

fn stored(row: Row) -> Result<StoredClaim, StoreError> {
    let kept = match (row.basis, row.found) {
        (Some(basis), Some(found)) => Some((basis, from_json(&found)?)),
        _ => None,
    };
    Ok(StoredClaim {
        id: ClaimId::new(row.id),
        version: row.version,
        target: from_json(&row.target)?,
        computation: from_json(&row.computation)?,
        kept,
    })
}
