//! Creating an incident from a draft, whole or not at all.

use chrono::{DateTime, Utc};
use domain::IncidentId;
use domain::action::ActionStatus;
use domain::draft::{ActionDraft, EvidenceDraft, ImpactDraft, IncidentDraft, TimelineDraft};
use domain::incident::Severity;
use domain::prose::Prose;
use domain::timeline::Milestone;

use super::column::{maybe_millis, maybe_text, text, to_json, whole};
use super::db::{Tx, db, statements};
use super::history::{Change, append};
use super::id::new_id;
use super::imports::{self, NewImport};
use super::incidents::name;
use super::tracker::{key, search_text};
use super::{Store, StoreError};

statements! {
    NEXT_NUMBER = "UPDATE counters SET value = value + 1 WHERE name = 'incident' RETURNING value";
    SAME_SOURCE = "SELECT i.id, i.number FROM imports m JOIN incidents i ON i.id = m.incident_id
        WHERE m.kind = 'postmortem' AND m.sha256 = $1 AND m.options = $2";
    INCIDENT = "INSERT INTO incidents
            (id, number, version, title, summary, key_points, severity, status, review_state, started_at, ended_at,
            home_zone, services, tags, alert_threshold, recovered_threshold, root_cause, follow_up, created_at,
            updated_at, search_text)
        VALUES ($1, $2, 1, $3, $4, $5, $6, $7, 'draft', $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17, $18)";
    IMPACT = "INSERT INTO impact_measures
            (id, incident_id, position, label, result, quantity, unit, confidence, basis, evidence)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    ENTRY = "INSERT INTO timeline_entries
            (id, incident_id, position, occurred_at, occurred_until, recorded_at, written_time, event, decision,
            milestone, evidence)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    ACTION = "INSERT INTO actions
            (id, incident_id, incident_number, position, version, change, owner, owner_key, due, criterion, status,
            evidence, created_at, updated_at, active_at, search_text)
        VALUES ($1, $2, (SELECT number FROM incidents WHERE id = $2), $3, 1, $4, $5, $11, $6, $7, $8, $9, $10, $10, $10,
            $12)";
    EVIDENCE = "INSERT INTO evidence (incident_id, number, title, kind, link) VALUES ($1, $2, $3, $4, $5)";
}

/// What became of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Created {
    /// An incident was made from it.
    New {
        /// The incident's id.
        id: IncidentId,
        /// Its short name.
        name: String,
    },
    /// The same bytes had been imported with the same options; nothing was changed.
    Existing {
        /// The incident's id.
        id: IncidentId,
        /// Its short name.
        name: String,
    },
}

impl Store {
    /// Creates the incident of a draft, unless the same bytes were imported with the same options before.
    pub async fn create_incident(
        &self,
        draft: &IncidentDraft,
        source: &NewImport<'_>,
        now: DateTime<Utc>,
    ) -> Result<Created, StoreError> {
        let mut tx = self.db.begin_write().await?;
        // The counter's row is held until the end, so that two imports of one file take turns.
        let (number,) = db!(tx &mut tx, NEXT_NUMBER, [], fetch_one as (i64,))?;
        let same = db!(tx &mut tx, SAME_SOURCE, [source.sha256, source.options], fetch_optional as (String, i64))?;
        if let Some((id, number)) = same {
            tx.rollback().await?;
            return Ok(Created::Existing { id: IncidentId::new(id), name: name(number) });
        }
        let id = IncidentId::new(new_id("inc_"));
        insert_incident(&mut tx, &id, number, draft, now).await?;
        for (position, measure) in (0..).zip(&draft.impact) {
            insert_impact(&mut tx, &id, position, measure).await?;
        }
        for (position, entry) in (0..).zip(&draft.timeline) {
            insert_entry(&mut tx, &id, position, entry, now).await?;
        }
        for (position, action) in (0..).zip(&draft.actions) {
            insert_action(&mut tx, &id, position, action, now).await?;
        }
        for evidence in &draft.evidence {
            insert_evidence(&mut tx, &id, evidence).await?;
        }
        imports::insert(&mut tx, &id, source, now).await?;
        let change = Change {
            subject: "incident",
            subject_id: id.as_str(),
            actor: "import",
            before: None,
            after: Some(to_json(draft)?),
        };
        append(&mut tx, &id, change, now).await?;
        tx.commit().await?;
        Ok(Created::New { id, name: name(number) })
    }
}

async fn insert_incident(
    tx: &mut Tx,
    id: &IncidentId,
    number: i64,
    draft: &IncidentDraft,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let points: Vec<&str> = draft.key_points.iter().map(Prose::marked).collect();
    let search = format!("{}\n{}\n{}", draft.title, draft.summary.plain(), name(number)).to_lowercase();
    db!(tx tx, INCIDENT, [
        id.as_str(), number, text(&draft.title), text(draft.summary.marked()), to_json(&points)?,
        draft.severity.map(Severity::as_str), draft.status.as_str(), maybe_millis(draft.started_at),
        maybe_millis(draft.ended_at), text(&draft.home_zone), to_json(&draft.services)?, to_json(&draft.tags)?,
        draft.thresholds.alert, draft.thresholds.recovered, text(draft.root_cause.marked()),
        text(draft.follow_up.marked()), now.timestamp_millis(), text(&search)
    ], execute)?;
    Ok(())
}

async fn insert_impact(tx: &mut Tx, id: &IncidentId, position: i64, row: &ImpactDraft) -> Result<(), StoreError> {
    db!(tx tx, IMPACT, [
        new_id("imp_"), id.as_str(), position, text(&row.label), text(&row.result), row.quantity,
        maybe_text(row.unit.as_deref()), row.confidence.as_str(), maybe_text(row.basis.as_deref()),
        to_json(&row.evidence)?
    ], execute)?;
    Ok(())
}

async fn insert_entry(
    tx: &mut Tx,
    id: &IncidentId,
    position: i64,
    entry: &TimelineDraft,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    db!(tx tx, ENTRY, [
        new_id("tl_"), id.as_str(), position, maybe_millis(entry.occurred_at), maybe_millis(entry.occurred_until),
        now.timestamp_millis(), text(&entry.written_time), text(&entry.event), maybe_text(entry.decision.as_deref()),
        entry.milestone.map(Milestone::as_str), to_json(&entry.evidence)?
    ], execute)?;
    Ok(())
}

async fn insert_action(
    tx: &mut Tx,
    id: &IncidentId,
    position: i64,
    action: &ActionDraft,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let status = if action.done { ActionStatus::ToVerify } else { ActionStatus::Open };
    db!(tx tx, ACTION, [
        new_id("act_"), id.as_str(), position, text(&action.change), text(&action.owner),
        action.due.map(|due| due.to_string()), text(&action.verification.criterion), status.as_str(),
        to_json(&action.evidence)?, now.timestamp_millis(), key(&action.owner),
        search_text(&action.change, &action.owner, None, &action.verification.criterion)
    ], execute)?;
    Ok(())
}

async fn insert_evidence(tx: &mut Tx, id: &IncidentId, source: &EvidenceDraft) -> Result<(), StoreError> {
    db!(tx tx, EVIDENCE, [
        id.as_str(), whole(source.number), maybe_text(source.title.as_deref()), source.kind.as_str(),
        maybe_text(source.link.as_deref())
    ], execute)?;
    Ok(())
}
