//! Proofs of action items: accepted, and withdrawn when the item is opened again.

use chrono::{DateTime, Utc};
use domain::action::{Action, ActionStatus};
use domain::verification::Acceptance;
use domain::wire::problem::FieldError;
use domain::{ActionId, EvidenceNumber, UserId, VerificationId};

use super::actions::{self, Update};
use super::column::{from_json, to_json, whole};
use super::db::{Tx, db, statements};
use super::evidence::is_there;
use super::history::{Change, append, bump};
use super::id::new_id;
use super::owners::{self, Standing};
use super::{By, Store, StoreError};

statements! {
    INSERT = "INSERT INTO verifications (id, action_id, accepted_at, accepted_by, user_id, record, evidence_number)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    WITHDRAW = "UPDATE verifications SET withdrawn_at = $2 WHERE action_id = $1 AND withdrawn_at IS NULL";
    OF_ACTION = "SELECT record, withdrawn_at FROM verifications WHERE action_id = $1 ORDER BY accepted_at, id";
    BY_EVIDENCE = "SELECT v.action_id FROM verifications v JOIN actions a ON a.id = v.action_id
        WHERE a.incident_id = $1 AND v.evidence_number = $2 AND v.withdrawn_at IS NULL ORDER BY v.action_id";
}

impl Store {
    /// Accepts a proof of an item that is still at `version`, and so verifies it. `prove` is told the item and how the user
    /// stands to it, and gives the record without id, time and name, or what forbids it.
    pub async fn accept_verification(
        &self,
        id: &ActionId,
        version: i64,
        user: Option<&UserId>,
        by: By<'_>,
        prove: impl FnOnce(&Action, Standing) -> Result<Acceptance, Vec<FieldError>> + Send,
    ) -> Result<Update, StoreError> {
        let Some(before) = self.load_action(id).await? else {
            return Ok(Update::Missing);
        };
        let mut tx = self.db.begin_write().await?;
        bump(&mut tx, &before.incident_id, by.now).await?;
        let Some(current) = actions::in_tx(&mut tx, id).await? else {
            tx.rollback().await?;
            return Ok(Update::Missing);
        };
        if version != current.version {
            tx.rollback().await?;
            return Ok(Update::Stale(current));
        }
        let standing = owners::standing(&mut tx, &current, user).await?;
        let record = match prove(&current, standing) {
            Ok(record) => record,
            Err(errors) => {
                tx.rollback().await?;
                return Ok(Update::Refused(errors));
            }
        };
        // Looked at before, but it may have been removed since.
        if let Some(number) = record.evidence
            && !is_there(&mut tx, &current.incident_id, number).await?
        {
            tx.rollback().await?;
            return Ok(Update::Refused(vec![FieldError::new("/evidence", "this evidence was removed")]));
        }
        let record = Acceptance {
            id: VerificationId::new(new_id("ver_")),
            accepted_at: by.now,
            accepted_by: by.actor.to_owned(),
            ..record
        };
        db!(tx &mut tx, INSERT, [
            record.id.as_str(), id.as_str(), by.now.timestamp_millis(), by.actor, user.map(UserId::as_str),
            to_json(&record)?, record.evidence.map(whole)
        ], execute)?;
        let next = Action {
            version: current.version + 1,
            updated_at: by.now,
            status: ActionStatus::Verified,
            accepted: Some(record),
            ..current.clone()
        };
        if !actions::write(&mut tx, current.version, &next).await? {
            return Err(StoreError::Corrupt(format!("{id} changed while its incident was locked")));
        }
        let change = Change {
            subject: "verification",
            subject_id: id.as_str(),
            actor: by.actor,
            before: Some(to_json(&current)?),
            after: Some(to_json(&next)?),
        };
        append(&mut tx, &next.incident_id, change, by.now).await?;
        tx.commit().await?;
        Ok(Update::Done(next))
    }

    /// Every proof that was ever accepted of an item, in order, each with the time it was withdrawn if it was.
    pub async fn list_verifications(&self, id: &ActionId) -> Result<Vec<(Acceptance, Option<i64>)>, StoreError> {
        let rows = db!(read & self.db, OF_ACTION, [id.as_str()], fetch_all as (String, Option<i64>))?;
        rows.into_iter().map(|(record, withdrawn)| Ok((from_json(&record)?, withdrawn))).collect()
    }
}

/// Withdraws whatever proof an item has.
pub(super) async fn withdraw(tx: &mut Tx, id: &ActionId, now: DateTime<Utc>) -> Result<(), StoreError> {
    db!(tx tx, WITHDRAW, [id.as_str(), now.timestamp_millis()], execute)?;
    Ok(())
}

/// The verified items whose proof rests on a piece of evidence.
pub(super) async fn resting_on(
    tx: &mut Tx,
    incident: &domain::IncidentId,
    number: EvidenceNumber,
) -> Result<Vec<ActionId>, StoreError> {
    let rows = db!(tx tx, BY_EVIDENCE, [incident.as_str(), whole(number)], fetch_all as (String,))?;
    Ok(rows.into_iter().map(|(id,)| ActionId::new(id)).collect())
}
