//! Who owns an action item, and who owned it once and so cannot attest it: the latter is written when an ownership ends.
//!
//! Whatever ends an ownership comes here first: an item that gets another owner, a team that loses a member, its name or
//! itself, an account that loses the name or address that an item gives. Each writes in the order of the table's key, so that
//! two of them never wait for each other.

use domain::action::Action;
use domain::person::name_key;
use domain::wire::access::User;
use domain::{ActionId, TeamId, UserId};

use super::column::text;
use super::db::{Tx, db, statements};
use super::tracker::key;
use super::{Store, StoreError};

statements! {
    ASSIGNEE = "INSERT INTO former_owners (action_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    TEAM = "INSERT INTO former_owners (action_id, user_id)
        SELECT $1, m.user_id FROM team_members m JOIN teams t ON t.id = m.team_id
        WHERE t.key = $2 ORDER BY m.user_id ON CONFLICT DO NOTHING";
    LEAVING = "INSERT INTO former_owners (action_id, user_id)
        SELECT a.id, $2 FROM actions a JOIN teams t ON t.key = a.owner_key
        WHERE t.id = $1 AND a.assignee_key = '' ORDER BY a.id ON CONFLICT DO NOTHING";
    RENAMED = "INSERT INTO former_owners (action_id, user_id)
        SELECT id, $1 FROM actions WHERE assignee_key IN ($2, $3) AND assignee_key <> '' AND assignee_id IS NULL
        ORDER BY id ON CONFLICT DO NOTHING";
    WAS = "SELECT action_id FROM former_owners WHERE action_id = $1 AND user_id = $2";
    MEMBERS = "SELECT m.user_id FROM team_members m JOIN teams t ON t.id = m.team_id WHERE t.key = $1";
    NAMES = "SELECT id, name, email FROM users ORDER BY id";
}

/// How somebody stands to an action item whose proof they offer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// They own it.
    pub owns: bool,
    /// They owned it once.
    pub owned: bool,
    /// Some account owns it: a person in charge who has one, or a team that has members.
    pub is_owned: bool,
}

impl Store {
    /// Whether somebody owned an item once.
    pub async fn was_owner(&self, id: &ActionId, user: &UserId) -> Result<bool, StoreError> {
        let found = db!(read & self.db, WAS, [id.as_str(), user.as_str()], fetch_optional as (String,))?;
        Ok(found.is_some())
    }
}

/// How somebody stands to an item, inside a transaction; a service, which is no account, owns nothing.
pub(super) async fn standing(tx: &mut Tx, item: &Action, user: Option<&UserId>) -> Result<Standing, StoreError> {
    let owners = match (&item.assignee_id, &item.assignee) {
        (Some(id), _) => vec![id.clone()],
        (None, Some(_)) => Vec::new(),
        (None, None) => {
            let rows = db!(tx tx, MEMBERS, [text(&name_key(&item.owner))], fetch_all as (String,))?;
            rows.into_iter().map(|(id,)| UserId::new(id)).collect()
        }
    };
    let owned = match user {
        Some(user) => db!(tx tx, WAS, [item.id.as_str(), user.as_str()], fetch_optional as (String,))?.is_some(),
        None => false,
    };
    let owns = user.is_some_and(|user| owners.contains(user));
    Ok(Standing { owns, owned, is_owned: !owners.is_empty() })
}

/// Remembers the owners of an item that is about to become what `next` is, if it gets other ones.
pub(super) async fn remember(tx: &mut Tx, current: &Action, next: &Action) -> Result<(), StoreError> {
    let in_charge = |item: &Action| (item.assignee_id.clone(), item.assignee.clone(), name_key(&item.owner));
    if in_charge(current) == in_charge(next) {
        return Ok(());
    }
    match (&current.assignee_id, &current.assignee) {
        (Some(user), _) => remember_person(tx, &current.id, user.as_str()).await,
        // Whoever is called so may be who was meant.
        (None, Some(name)) => {
            let meant = name_key(name);
            for (user, name, email) in db!(tx tx, NAMES, [], fetch_all as (String, String, Option<String>))? {
                if name_key(&name) == meant || email.is_some_and(|email| email == meant) {
                    remember_person(tx, &current.id, &user).await?;
                }
            }
            Ok(())
        }
        (None, None) => {
            db!(tx tx, TEAM, [current.id.as_str(), text(&name_key(&current.owner))], execute)?;
            Ok(())
        }
    }
}

async fn remember_person(tx: &mut Tx, item: &ActionId, user: &str) -> Result<(), StoreError> {
    db!(tx tx, ASSIGNEE, [item.as_str(), user], execute)?;
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

/// Remembers, for every item that is in the charge of somebody without an account, the account of that name or address,
/// which is about to get another.
pub(super) async fn remember_renamed(tx: &mut Tx, before: &User) -> Result<(), StoreError> {
    let email = before.email.as_deref().map(key).unwrap_or_default();
    db!(tx tx, RENAMED, [before.id.as_str(), key(&before.name), email], execute)?;
    Ok(())
}
