//! Who owned an action item once, and so cannot attest it: written when an ownership ends.
//!
//! Whatever ends an ownership comes here first: an item that gets another owner, a team that loses a member, its name or
//! itself. Each writes in the order of the table's key, so that two of them never wait for each other.

use domain::action::Action;
use domain::person::name_key;
use domain::{ActionId, TeamId, UserId};

use super::column::text;
use super::db::{Tx, db, statements};
use super::{Store, StoreError};

statements! {
    ASSIGNEE = "INSERT INTO former_owners (action_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    TEAM = "INSERT INTO former_owners (action_id, user_id)
        SELECT $1, m.user_id FROM team_members m JOIN teams t ON t.id = m.team_id
        WHERE t.key = $2 ORDER BY m.user_id ON CONFLICT DO NOTHING";
    LEAVING = "INSERT INTO former_owners (action_id, user_id)
        SELECT a.id, $2 FROM actions a JOIN teams t ON t.key = a.owner_key
        WHERE t.id = $1 AND a.assignee_key = '' ORDER BY a.id ON CONFLICT DO NOTHING";
    WAS = "SELECT action_id FROM former_owners WHERE action_id = $1 AND user_id = $2";
}

impl Store {
    /// Whether somebody owned an item once.
    pub async fn was_owner(&self, id: &ActionId, user: &UserId) -> Result<bool, StoreError> {
        let found = db!(read & self.db, WAS, [id.as_str(), user.as_str()], fetch_optional as (String,))?;
        Ok(found.is_some())
    }
}

/// The same, as it stands inside a transaction.
pub(super) async fn was_owner(tx: &mut Tx, id: &ActionId, user: &UserId) -> Result<bool, StoreError> {
    Ok(db!(tx tx, WAS, [id.as_str(), user.as_str()], fetch_optional as (String,))?.is_some())
}

/// Remembers the owners of an item that is about to become what `next` is, if it gets other ones.
pub(super) async fn remember(tx: &mut Tx, current: &Action, next: &Action) -> Result<(), StoreError> {
    let in_charge = |item: &Action| (item.assignee_id.clone(), item.assignee.is_some(), name_key(&item.owner));
    if in_charge(current) == in_charge(next) {
        return Ok(());
    }
    match (&current.assignee_id, &current.assignee) {
        (Some(user), _) => db!(tx tx, ASSIGNEE, [current.id.as_str(), user.as_str()], execute)?,
        (None, Some(_)) => return Ok(()),
        (None, None) => db!(tx tx, TEAM, [current.id.as_str(), text(&name_key(&current.owner))], execute)?,
    };
    Ok(())
}

/// Remembers, for every item that a team owns, the members that are about to leave it.
pub(super) async fn remember_leaving(
    tx: &mut Tx,
    team: &TeamId,
    leaving: impl Iterator<Item = &UserId>,
) -> Result<(), StoreError> {
    let leaving: std::collections::BTreeSet<&UserId> = leaving.collect();
    for user in leaving {
        db!(tx tx, LEAVING, [text(team.as_str()), user.as_str()], execute)?;
    }
    Ok(())
}
