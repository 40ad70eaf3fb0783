//! Teams: who belongs to each.

use std::collections::BTreeSet;

use domain::person::{Person, name_key};
use domain::wire::access::{Team, TeamPatch};
use domain::{TeamId, UserId};

use super::accounts::{By, record};
use super::column::text;
use super::db::{Tx, db, statements};
use super::id::new_id;
use super::once::{Once, claim, keep_answer};
use super::users::{Changed, is_taken};
use super::{Store, StoreError, owners};

statements! {
    LIST = "SELECT id, version, name FROM teams ORDER BY key";
    BY_ID = "SELECT id, version, name FROM teams WHERE id = $1";
    MEMBERS = "SELECT m.team_id, u.id, u.name FROM team_members m JOIN users u ON u.id = m.user_id ORDER BY u.name, u.id";
    MEMBERS_OF = "SELECT m.team_id, u.id, u.name FROM team_members m JOIN users u ON u.id = m.user_id
        WHERE m.team_id = $1 ORDER BY u.name, u.id";
    INSERT = "INSERT INTO teams (id, version, name, key, created_at) VALUES ($1, 1, $2, $3, $4)";
    /// Written, so that whoever else changes, names or removes the team waits on PostgreSQL too.
    HOLD = "UPDATE teams SET version = version WHERE id = $1";
    WRITE = "UPDATE teams SET version = version + 1, name = $3, key = $4 WHERE id = $1 AND version = $2";
    CLEAR = "DELETE FROM team_members WHERE team_id = $1";
    JOIN = "INSERT INTO team_members (team_id, user_id) SELECT $1, id FROM users WHERE id = $2
        ON CONFLICT DO NOTHING";
    REMOVE = "DELETE FROM teams WHERE id = $1";
}

impl Store {
    /// Every team with its members, by name.
    pub async fn list_teams(&self) -> Result<Vec<Team>, StoreError> {
        let mut tx = self.db.begin_read().await?;
        let rows = db!(tx &mut tx, LIST, [], fetch_all as (String, i64, String))?;
        let members = db!(tx &mut tx, MEMBERS, [], fetch_all as (String, String, String))?;
        let mut teams: Vec<Team> = rows.into_iter().map(|row| team(row, Vec::new())).collect();
        for (of, id, name) in members {
            if let Some(team) = teams.iter_mut().find(|team| team.id.as_str() == of) {
                team.members.push(Person { id: UserId::new(id), name });
            }
        }
        Ok(teams)
    }

    /// One team.
    pub async fn load_team(&self, id: &TeamId) -> Result<Option<Team>, StoreError> {
        let mut tx = self.db.begin_read().await?;
        in_tx(&mut tx, id).await
    }

    /// Makes a team.
    pub async fn create_team(
        &self,
        name: &str,
        members: &[UserId],
        by: By<'_>,
        once: Option<&Once>,
    ) -> Result<Changed<Team>, StoreError> {
        let (id, name) = (TeamId::new(new_id("team_")), text(name));
        let mut tx = self.db.begin_write().await?;
        claim(&mut tx, once, by.now).await?;
        let made = db!(tx &mut tx, INSERT, [
            id.as_str(), name.as_str(), name_key(&name), by.now.timestamp_millis()
        ], execute);
        match made {
            Err(error) if is_taken(&error) => {
                tx.rollback().await?;
                return Ok(Changed::Taken);
            }
            made => made?,
        };
        set_members(&mut tx, &id, members).await?;
        let made = in_tx(&mut tx, &id).await?.ok_or_else(|| StoreError::Corrupt(format!("{id} vanished")))?;
        record(&mut tx, ("team", id.as_str()), by, None, Some(&made)).await?;
        keep_answer(&mut tx, once, &made).await?;
        tx.commit().await?;
        Ok(Changed::Done(made))
    }

    /// Changes a team that is still at `version`, which stays where nothing changes.
    pub async fn update_team(
        &self,
        id: &TeamId,
        version: i64,
        patch: &TeamPatch,
        by: By<'_>,
    ) -> Result<Changed<Team>, StoreError> {
        let mut tx = self.db.begin_write().await?;
        hold(&mut tx, id).await?;
        let Some(before) = in_tx(&mut tx, id).await? else {
            tx.rollback().await?;
            return Ok(Changed::Missing);
        };
        if before.version != version {
            tx.rollback().await?;
            return Ok(Changed::Stale(before));
        }
        let name = text(patch.name.as_deref().unwrap_or(&before.name));
        let so_far: BTreeSet<&UserId> = before.members.iter().map(|member| &member.id).collect();
        let keeps_members = patch.members.as_ref().is_none_or(|all| all.iter().collect::<BTreeSet<_>>() == so_far);
        if name == before.name && keeps_members {
            tx.rollback().await?;
            return Ok(Changed::Done(before));
        }
        let is_renamed = name_key(&name) != name_key(&before.name);
        let stays = |member: &UserId| !is_renamed && patch.members.as_ref().is_none_or(|all| all.contains(member));
        let leaving = before.members.iter().map(|member| &member.id).filter(|member| !stays(member));
        owners::remember_leaving(&mut tx, id, leaving).await?;
        let written = db!(tx &mut tx, WRITE, [id.as_str(), version, name.as_str(), name_key(&name)], execute);
        match written {
            Err(error) if is_taken(&error) => {
                tx.rollback().await?;
                return Ok(Changed::Taken);
            }
            Ok(1) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return Err(StoreError::Corrupt(format!("{id} changed while it was locked"))),
        }
        if let Some(members) = &patch.members {
            set_members(&mut tx, id, members).await?;
        }
        let after = in_tx(&mut tx, id).await?.ok_or_else(|| StoreError::Corrupt(format!("{id} vanished")))?;
        record(&mut tx, ("team", id.as_str()), by, Some(&before), Some(&after)).await?;
        tx.commit().await?;
        Ok(Changed::Done(after))
    }

    /// Removes a team that is still at `version`; action items keep its name. The team as it was.
    pub async fn delete_team(&self, id: &TeamId, version: i64, by: By<'_>) -> Result<Changed<Team>, StoreError> {
        let mut tx = self.db.begin_write().await?;
        hold(&mut tx, id).await?;
        let Some(before) = in_tx(&mut tx, id).await? else {
            tx.rollback().await?;
            return Ok(Changed::Missing);
        };
        if before.version != version {
            tx.rollback().await?;
            return Ok(Changed::Stale(before));
        }
        owners::remember_leaving(&mut tx, id, before.members.iter().map(|member| &member.id)).await?;
        db!(tx &mut tx, REMOVE, [id.as_str()], execute)?;
        record(&mut tx, ("team", id.as_str()), by, Some(&before), None).await?;
        tx.commit().await?;
        Ok(Changed::Done(before))
    }
}

/// Keeps a team from being changed or removed until the transaction ends; false if it is not there.
///
/// Whoever holds several holds them in the order of their ids.
pub(super) async fn hold(tx: &mut Tx, id: &TeamId) -> Result<bool, StoreError> {
    Ok(db!(tx tx, HOLD, [text(id.as_str())], execute)? == 1)
}

async fn set_members(tx: &mut Tx, id: &TeamId, members: &[UserId]) -> Result<(), StoreError> {
    db!(tx tx, CLEAR, [id.as_str()], execute)?;
    for member in members {
        db!(tx tx, JOIN, [id.as_str(), text(member.as_str())], execute)?;
    }
    Ok(())
}

async fn in_tx(tx: &mut Tx, id: &TeamId) -> Result<Option<Team>, StoreError> {
    let id = text(id.as_str());
    let Some(row) = db!(tx tx, BY_ID, [id.as_str()], fetch_optional as (String, i64, String))? else {
        return Ok(None);
    };
    let members = db!(tx tx, MEMBERS_OF, [id.as_str()], fetch_all as (String, String, String))?;
    let members = members.into_iter().map(|(_, id, name)| Person { id: UserId::new(id), name }).collect();
    Ok(Some(team(row, members)))
}

fn team((id, version, name): (String, i64, String), members: Vec<Person>) -> Team {
    Team { id: TeamId::new(id), version, name, members }
}
