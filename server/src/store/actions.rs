//! Action items: read, and changed under a version.

use std::collections::BTreeMap;

use domain::action::{Action, ActionStatus, ActionType, Priority};
use domain::verification::Verification;
use domain::wire::problem::FieldError;
use domain::{ActionId, IncidentId, UserId};

use super::column::{count, from_json, maybe_text, maybe_word, text, time, to_json, whole, word};
use super::db::{Tx, db, statements};
use super::history::{Change, append, bump};
use super::id::new_id;
use super::once::{Once, claim, keep_answer};
use super::tracker::{key, search_text};
use super::{By, Store, StoreError, owners, verifications};

statements! {
    BY_ID = "SELECT id, incident_id, version, change, owner, assignee, assignee_id, kind, priority, due, criterion,
            criterion_kind, status, reason, evidence, link, due_moves, reopenings, created_at, updated_at,
            (SELECT v.record FROM verifications v WHERE v.action_id = actions.id AND v.withdrawn_at IS NULL
                ORDER BY v.accepted_at DESC, v.id DESC LIMIT 1) AS accepted
        FROM actions WHERE id = $1";
    OF_INCIDENT = "SELECT id, incident_id, version, change, owner, assignee, assignee_id, kind, priority, due, criterion,
            criterion_kind, status, reason, evidence, link, due_moves, reopenings, created_at, updated_at,
            (SELECT v.record FROM verifications v WHERE v.action_id = actions.id AND v.withdrawn_at IS NULL
                ORDER BY v.accepted_at DESC, v.id DESC LIMIT 1) AS accepted
        FROM actions WHERE incident_id = $1 ORDER BY position";
    INSERT = "INSERT INTO actions
            (id, incident_id, incident_number, position, version, change, owner, owner_key, assignee, assignee_id, kind,
            priority, due, criterion, criterion_kind, status, evidence, link, created_at, updated_at, active_at,
            assignee_key, search_text)
        SELECT $1, $2, (SELECT number FROM incidents WHERE id = $2), COALESCE(MAX(position), -1) + 1, 1, $3, $4, $5, $6,
            $7, $8, $9, $10, $11, $12, 'open', '[]', $13, CAST($14 AS BIGINT), CAST($14 AS BIGINT), CAST($14 AS BIGINT),
            $15, $16
        FROM actions WHERE incident_id = $2";
    WRITE = "UPDATE actions SET version = version + 1, change = $3, owner = $4, assignee = $5, kind = $6,
            priority = $7, due = $8, criterion = $9, status = $10, reason = $11, evidence = $12, updated_at = $13,
            active_at = $13, assignee_id = $14, owner_key = $15, link = $16, due_moves = $17, reopenings = $18,
            criterion_kind = $19, assignee_key = $20, search_text = $21
        WHERE id = $1 AND version = $2";
}

/// What became of an edit.
#[derive(Debug, Clone, PartialEq)]
pub enum Update {
    /// It was made; the item as it now is.
    Done(Action),
    /// It would have changed nothing.
    Unchanged(Action),
    /// It was made on another version; the item as it now is.
    Stale(Action),
    /// It breaks rules.
    Refused(Vec<FieldError>),
    /// There is no such item.
    Missing,
}

/// An action item as it is stored.
#[derive(sqlx::FromRow)]
pub(super) struct Row {
    pub id: String,
    incident_id: String,
    version: i64,
    change: String,
    pub owner: String,
    assignee: Option<String>,
    assignee_id: Option<String>,
    kind: Option<String>,
    priority: Option<String>,
    pub due: Option<String>,
    criterion: String,
    criterion_kind: Option<String>,
    status: String,
    reason: Option<String>,
    evidence: String,
    link: Option<String>,
    due_moves: i64,
    reopenings: i64,
    created_at: i64,
    updated_at: i64,
    accepted: Option<String>,
}

impl Store {
    /// The action item, without its notes.
    pub async fn load_action(&self, id: &ActionId) -> Result<Option<Action>, StoreError> {
        if id.as_str().contains('\0') {
            return Ok(None);
        }
        db!(read & self.db, BY_ID, [id.as_str()], fetch_optional as Row)?.map(action).transpose()
    }

    /// The action items of an incident in the document's order, without their notes.
    pub async fn list_actions(&self, incident: &IncidentId) -> Result<Vec<Action>, StoreError> {
        let mut tx = self.db.begin_read().await?;
        of_incident(&mut tx, incident).await
    }

    /// Adds an item to an incident, after the others. `fill` gives a blank item as it is to be, or what forbids it.
    pub async fn create_action(
        &self,
        incident: &IncidentId,
        by: By<'_>,
        once: Option<&Once>,
        fill: impl FnOnce(&Action) -> Result<Action, Vec<FieldError>> + Send,
    ) -> Result<Update, StoreError> {
        let blank = Action::blank(ActionId::new(new_id("act_")), incident.clone(), by.now);
        let next = match fill(&blank) {
            Ok(next) => cleaned(next, &blank),
            Err(errors) => return Ok(Update::Refused(errors)),
        };
        let mut tx = self.db.begin_write().await?;
        claim(&mut tx, once, by.now).await?;
        if !bump(&mut tx, incident, by.now).await? {
            tx.rollback().await?;
            return Ok(Update::Missing);
        }
        let told_by = next.verification.kind.as_ref().map(to_json).transpose()?;
        db!(tx &mut tx, INSERT, [
            next.id.as_str(), incident.as_str(), next.change.as_str(), next.owner.as_str(), key(&next.owner),
            next.assignee.as_deref(), next.assignee_id.as_ref().map(UserId::as_str),
            next.kind.map(ActionType::as_str), next.priority.map(Priority::as_str),
            next.due.map(|due| due.to_string()), next.verification.criterion.as_str(), told_by, next.link.as_deref(),
            by.now.timestamp_millis(), key(next.assignee.as_deref().unwrap_or_default()),
            search_text(&next.change, &next.owner, next.assignee.as_deref(), &next.verification.criterion)
        ], execute)?;
        let after = Some(to_json(&next)?);
        let change = Change { subject: "action", subject_id: next.id.as_str(), actor: by.actor, before: None, after };
        append(&mut tx, incident, change, by.now).await?;
        keep_answer(&mut tx, once, &next).await?;
        tx.commit().await?;
        Ok(Update::Done(next))
    }

    /// Changes an action item that is still at `version`. `apply` gives the item as it is to be, or what forbids it;
    /// ids, version and times are not its to change.
    pub async fn update_action(
        &self,
        id: &ActionId,
        version: i64,
        by: By<'_>,
        apply: impl FnOnce(&Action) -> Result<Action, Vec<FieldError>> + Send,
    ) -> Result<Update, StoreError> {
        // A first look without a lock: most refusals need no transaction.
        let Some(before) = self.load_action(id).await? else {
            return Ok(Update::Missing);
        };
        let mut tx = self.db.begin_write().await?;
        bump(&mut tx, &before.incident_id, by.now).await?;
        let Some(current) = in_tx(&mut tx, id).await? else {
            tx.rollback().await?;
            return Ok(Update::Missing);
        };
        if current.version != version {
            tx.rollback().await?;
            return Ok(Update::Stale(current));
        }
        let next = match apply(&current) {
            Ok(next) => cleaned(next, &current),
            Err(errors) => {
                tx.rollback().await?;
                return Ok(Update::Refused(errors));
            }
        };
        if next == current {
            tx.rollback().await?;
            return Ok(Update::Unchanged(current));
        }
        let next = Action { version: version + 1, updated_at: by.now, ..next };
        owners::remember(&mut tx, &current, &next).await?;
        if !write(&mut tx, version, &next).await? {
            return Err(StoreError::Corrupt(format!("{id} changed while its incident was locked")));
        }
        let change = Change {
            subject: "action",
            subject_id: id.as_str(),
            actor: by.actor,
            before: Some(to_json(&current)?),
            after: Some(to_json(&next)?),
        };
        append(&mut tx, &next.incident_id, change, by.now).await?;
        if current.status == ActionStatus::Verified && next.status != ActionStatus::Verified {
            verifications::withdraw(&mut tx, &next.id, by.now).await?;
        }
        tx.commit().await?;
        Ok(Update::Done(next))
    }
}

/// The item as it stands inside a transaction.
pub(super) async fn in_tx(tx: &mut Tx, id: &ActionId) -> Result<Option<Action>, StoreError> {
    db!(tx tx, BY_ID, [id.as_str()], fetch_optional as Row)?.map(action).transpose()
}

/// The action items of an incident in the document's order, without their notes.
pub(super) async fn of_incident(tx: &mut Tx, incident: &IncidentId) -> Result<Vec<Action>, StoreError> {
    let rows = db!(tx tx, OF_INCIDENT, [incident.as_str()], fetch_all as Row)?;
    rows.into_iter().map(action).collect()
}

/// The item as it will read back: its text as columns hold it, and what an edit may not touch untouched.
fn cleaned(next: Action, current: &Action) -> Action {
    Action {
        change: text(&next.change),
        owner: text(&next.owner),
        assignee: maybe_text(next.assignee.as_deref()),
        assignee_id: next.assignee_id,
        link: maybe_text(next.link.as_deref()),
        verification: Verification { criterion: text(&next.verification.criterion), kind: next.verification.kind },
        accepted: current.accepted.clone().filter(|_| next.status == ActionStatus::Verified),
        reason: maybe_text(next.reason.as_deref()),
        kind: next.kind,
        priority: next.priority,
        due: next.due,
        status: next.status,
        due_moves: next.due_moves,
        reopenings: next.reopenings,
        evidence: next.evidence,
        ..current.clone()
    }
}

/// Writes an item that is still at `version`; false if it is not.
pub(super) async fn write(tx: &mut Tx, version: i64, next: &Action) -> Result<bool, StoreError> {
    let kind = next.verification.kind.as_ref().map(to_json).transpose()?;
    let written = db!(tx tx, WRITE, [
        next.id.as_str(), version, next.change.as_str(), next.owner.as_str(), next.assignee.as_deref(),
        next.kind.map(ActionType::as_str), next.priority.map(Priority::as_str),
        next.due.map(|due| due.to_string()), next.verification.criterion.as_str(), next.status.as_str(),
        next.reason.as_deref(), to_json(&next.evidence)?, next.updated_at.timestamp_millis(),
        next.assignee_id.as_ref().map(UserId::as_str), key(&next.owner), next.link.as_deref(),
        whole(next.due_moves), whole(next.reopenings), kind,
        key(next.assignee.as_deref().unwrap_or_default()),
        search_text(&next.change, &next.owner, next.assignee.as_deref(), &next.verification.criterion)
    ], execute)?;
    Ok(written == 1)
}

/// The action item of a row.
pub(super) fn action(row: Row) -> Result<Action, StoreError> {
    Ok(Action {
        id: ActionId::new(row.id),
        incident_id: IncidentId::new(row.incident_id),
        version: row.version,
        change: row.change,
        owner: row.owner,
        assignee: row.assignee,
        assignee_id: row.assignee_id.map(UserId::new),
        kind: maybe_word(row.kind.as_deref())?,
        priority: maybe_word(row.priority.as_deref())?,
        due: maybe_word(row.due.as_deref())?,
        verification: Verification {
            criterion: row.criterion,
            kind: row.criterion_kind.as_deref().map(from_json).transpose()?,
        },
        status: word(&row.status)?,
        reason: row.reason,
        evidence: from_json(&row.evidence)?,
        link: row.link,
        accepted: row.accepted.as_deref().map(from_json).transpose()?,
        due_moves: count(row.due_moves)?,
        reopenings: count(row.reopenings)?,
        created_at: time(row.created_at)?,
        updated_at: time(row.updated_at)?,
        proposal: None,
        hints: Vec::new(),
        html: BTreeMap::default(),
        notes: None,
    })
}
