//! Share links, and who may see an incident.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use domain::incident::Visibility;
use domain::wire::access::{IncidentAccess, Share};
use domain::wire::incidents::ShareMark;
use domain::{IncidentId, ShareId, TeamId, UserId};

use super::column::{text, time, to_json, word};
use super::db::{Tx, db, statements};
use super::history::{Change, append, bump};
use super::id::new_id;
use super::incidents::name;
use super::once::{Once, claim};
use super::teams::hold;
use super::users::Changed;
use super::{By, Store, StoreError};

statements! {
    INSERT = "INSERT INTO shares (id, digest, incident_id, audience, created_by, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    LIST = "SELECT s.id, s.incident_id, i.number, s.audience, s.created_by, s.created_at, s.expires_at
        FROM shares s JOIN incidents i ON i.id = s.incident_id
        WHERE (CAST($1 AS TEXT) IS NULL OR s.incident_id = $1) AND s.revoked_at IS NULL AND s.expires_at > $2
        ORDER BY s.created_at DESC, s.id";
    BY_ID = "SELECT s.id, s.incident_id, i.number, s.audience, s.created_by, s.created_at, s.expires_at
        FROM shares s JOIN incidents i ON i.id = s.incident_id WHERE s.id = $1 AND s.revoked_at IS NULL";
    REVOKE = "UPDATE shares SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";
    REVOKE_ALL = "UPDATE shares SET revoked_at = $2 WHERE incident_id = $1 AND revoked_at IS NULL";
    MARKS = "SELECT audience, expires_at FROM shares WHERE incident_id = $1 AND revoked_at IS NULL
        ORDER BY created_at, id";
    VISIBILITY = "SELECT visibility, access_version FROM incidents WHERE id = $1";
    PEOPLE = "SELECT user_id FROM incident_people WHERE incident_id = $1 ORDER BY user_id";
    TEAMS = "SELECT team_id FROM incident_teams WHERE incident_id = $1 ORDER BY team_id";
    SET_VISIBILITY = "UPDATE incidents SET visibility = $2, access_version = access_version + 1 WHERE id = $1";
    CLEAR_PEOPLE = "DELETE FROM incident_people WHERE incident_id = $1";
    CLEAR_TEAMS = "DELETE FROM incident_teams WHERE incident_id = $1";
    NAME_PERSON = "INSERT INTO incident_people (incident_id, user_id) SELECT $1, id FROM users WHERE id = $2
        ON CONFLICT DO NOTHING";
    NAME_TEAM = "INSERT INTO incident_teams (incident_id, team_id) SELECT $1, id FROM teams WHERE id = $2
        ON CONFLICT DO NOTHING";
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    incident_id: String,
    number: i64,
    audience: String,
    created_by: String,
    created_at: i64,
    expires_at: i64,
}

impl Store {
    /// Shares an incident; none if there is no such incident or it is restricted.
    pub async fn create_share(
        &self,
        digest: &str,
        incident: &IncidentId,
        audience: &str,
        until: DateTime<Utc>,
        by: By<'_>,
        once: Option<&Once>,
    ) -> Result<Option<Share>, StoreError> {
        let mut tx = self.db.begin_write().await?;
        claim(&mut tx, once, by.now).await?;
        let found = bump(&mut tx, incident, by.now).await?;
        if !found || access_in(&mut tx, incident).await?.visibility == Visibility::Restricted {
            tx.rollback().await?;
            return Ok(None);
        }
        let id = ShareId::new(new_id("shr_"));
        db!(tx &mut tx, INSERT, [
            id.as_str(), digest, incident.as_str(), text(audience), text(by.actor), by.now.timestamp_millis(),
            until.timestamp_millis()
        ], execute)?;
        let made = in_tx(&mut tx, &id).await?.ok_or_else(|| StoreError::Corrupt(format!("{id} vanished")))?;
        let change = Change {
            subject: "share",
            subject_id: id.as_str(),
            actor: by.actor,
            before: None,
            after: Some(to_json(&made)?),
        };
        append(&mut tx, incident, change, by.now).await?;
        tx.commit().await?;
        Ok(Some(made))
    }

    /// The share links that hold, of one incident or of all, the newest first.
    pub async fn list_shares(&self, of: Option<&IncidentId>, now: DateTime<Utc>) -> Result<Vec<Share>, StoreError> {
        let of = of.map(IncidentId::as_str);
        let rows = db!(read & self.db, LIST, [of, now.timestamp_millis()], fetch_all as Row)?;
        rows.into_iter().map(share).collect()
    }

    /// One share link that was not revoked.
    pub async fn load_share(&self, id: &ShareId) -> Result<Option<Share>, StoreError> {
        db!(read & self.db, BY_ID, [text(id.as_str())], fetch_optional as Row)?.map(share).transpose()
    }

    /// Revokes a share link; false if there is none that holds.
    pub async fn revoke_share(&self, share: &Share, by: By<'_>) -> Result<bool, StoreError> {
        let mut tx = self.db.begin_write().await?;
        bump(&mut tx, &share.incident_id, by.now).await?;
        if db!(tx &mut tx, REVOKE, [share.id.as_str(), by.now.timestamp_millis()], execute)? == 0 {
            tx.rollback().await?;
            return Ok(false);
        }
        let before = Some(to_json(share)?);
        let change = Change { subject: "share", subject_id: share.id.as_str(), actor: by.actor, before, after: None };
        append(&mut tx, &share.incident_id, change, by.now).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Who may see an incident.
    pub async fn incident_access(&self, incident: &IncidentId) -> Result<IncidentAccess, StoreError> {
        let mut tx = self.db.begin_read().await?;
        access_in(&mut tx, incident).await
    }

    /// Says who may see an incident, where that is still at `version`; restricting it revokes its share links. The access
    /// as it now is.
    pub async fn set_incident_access(
        &self,
        incident: &IncidentId,
        version: i64,
        access: &IncidentAccess,
        by: By<'_>,
    ) -> Result<Changed<IncidentAccess>, StoreError> {
        let mut tx = self.db.begin_write().await?;
        if !bump(&mut tx, incident, by.now).await? {
            tx.rollback().await?;
            return Ok(Changed::Missing);
        }
        let before = access_in(&mut tx, incident).await?;
        if before.version != version {
            tx.rollback().await?;
            return Ok(Changed::Stale(before));
        }
        // Held before anything of them is written here, since whoever removes one removes that too.
        let mut teams = BTreeSet::new();
        for team in access.teams.iter().collect::<BTreeSet<_>>() {
            if hold(&mut tx, team).await? {
                teams.insert(team);
            }
        }
        db!(tx &mut tx, SET_VISIBILITY, [incident.as_str(), access.visibility.as_str()], execute)?;
        db!(tx &mut tx, CLEAR_PEOPLE, [incident.as_str()], execute)?;
        db!(tx &mut tx, CLEAR_TEAMS, [incident.as_str()], execute)?;
        for person in &access.people {
            db!(tx &mut tx, NAME_PERSON, [incident.as_str(), text(person.as_str())], execute)?;
        }
        for team in teams {
            db!(tx &mut tx, NAME_TEAM, [incident.as_str(), text(team.as_str())], execute)?;
        }
        if access.visibility == Visibility::Restricted {
            db!(tx &mut tx, REVOKE_ALL, [incident.as_str(), by.now.timestamp_millis()], execute)?;
        }
        let after = access_in(&mut tx, incident).await?;
        let change = Change {
            subject: "access",
            subject_id: incident.as_str(),
            actor: by.actor,
            before: Some(to_json(&before)?),
            after: Some(to_json(&after)?),
        };
        append(&mut tx, incident, change, by.now).await?;
        tx.commit().await?;
        Ok(Changed::Done(after))
    }
}

/// With whom an incident is shared, the oldest share first.
pub(super) async fn marks(tx: &mut Tx, incident: &IncidentId) -> Result<Vec<ShareMark>, StoreError> {
    let rows = db!(tx tx, MARKS, [incident.as_str()], fetch_all as (String, i64))?;
    rows.into_iter().map(|(audience, until)| Ok(ShareMark { audience, until: time(until)? })).collect()
}

async fn access_in(tx: &mut Tx, incident: &IncidentId) -> Result<IncidentAccess, StoreError> {
    let row = db!(tx tx, VISIBILITY, [incident.as_str()], fetch_optional as (String, i64))?;
    let (visibility, version) = row.map_or((Ok(Visibility::Open), 0), |(text, version)| (word(&text), version));
    let people = db!(tx tx, PEOPLE, [incident.as_str()], fetch_all as (String,))?;
    let teams = db!(tx tx, TEAMS, [incident.as_str()], fetch_all as (String,))?;
    Ok(IncidentAccess {
        version,
        visibility: visibility?,
        people: people.into_iter().map(|(id,)| UserId::new(id)).collect(),
        teams: teams.into_iter().map(|(id,)| TeamId::new(id)).collect(),
    })
}

async fn in_tx(tx: &mut Tx, id: &ShareId) -> Result<Option<Share>, StoreError> {
    db!(tx tx, BY_ID, [id.as_str()], fetch_optional as Row)?.map(share).transpose()
}

fn share(row: Row) -> Result<Share, StoreError> {
    Ok(Share {
        id: ShareId::new(row.id),
        incident_id: IncidentId::new(row.incident_id),
        incident_name: name(row.number),
        audience: row.audience,
        created_by: row.created_by,
        created_at: time(row.created_at)?,
        expires_at: time(row.expires_at)?,
    })
}
