//! Accounts, and the links that lead into them.

use chrono::{DateTime, Utc};
use domain::person::{Person, Role, name_key};
use domain::wire::access::{User, UserPatch};
use domain::{SessionId, UserId};

use super::accounts::{By, Turn, record, take_turn};
use super::column::{maybe_text, maybe_time, text, time, word};
use super::db::{Tx, db, statements};
use super::id::new_id;
use super::once::{Once, claim};
use super::principals::{UNIT, names};
use super::{Store, StoreError, owners};

statements! {
    ANY = "SELECT id FROM users LIMIT 1";
    LIST = "SELECT id, version, name, email, role, support, disabled_at, created_at, last_seen_at,
            (SELECT string_agg(REPLACE(t.name, $1, ' '), $1) FROM teams t JOIN team_members m ON m.team_id = t.id
                WHERE m.user_id = users.id) AS teams
        FROM users ORDER BY name, id";
    BY_ID = "SELECT id, version, name, email, role, support, disabled_at, created_at, last_seen_at,
            (SELECT string_agg(REPLACE(t.name, $1, ' '), $1) FROM teams t JOIN team_members m ON m.team_id = t.id
                WHERE m.user_id = users.id) AS teams
        FROM users WHERE id = $2";
    BY_EMAIL = "SELECT id FROM users WHERE email = $1";
    PEOPLE = "SELECT id, name FROM users WHERE disabled_at IS NULL ORDER BY name, id";
    KNOWN = "SELECT id, name FROM users WHERE (id = $1 OR email = $2) AND disabled_at IS NULL
        ORDER BY CASE WHEN id = $1 THEN 0 ELSE 1 END LIMIT 1";
    INSERT = "INSERT INTO users (id, version, name, email, role, support, created_at)
        VALUES ($1, 1, $2, $3, $4, $5, $6)";
    WRITE = "UPDATE users SET version = version + 1, name = $3, email = $4, role = $5, support = $6, disabled_at = $7
        WHERE id = $1 AND version = $2";
    ADMINS = "SELECT id FROM users WHERE role = 'admin' AND disabled_at IS NULL";
    /// Written, so that whoever else changes the account waits on PostgreSQL too.
    HOLD = "UPDATE users SET version = version WHERE id = $1 AND disabled_at IS NULL";
    END_SESSIONS = "DELETE FROM sessions WHERE user_id = $1";
    END_TOKENS = "DELETE FROM tokens WHERE user_id = $1";
    END_LINKS = "DELETE FROM sign_in_links WHERE user_id = $1";
    PASSWORD = "SELECT id, password_hash FROM users WHERE email = $1 AND disabled_at IS NULL";
    OWN_PASSWORD = "SELECT id, password_hash FROM users WHERE id = $1";
    SET_PASSWORD = "UPDATE users SET password_hash = $2 WHERE id = $1 AND disabled_at IS NULL
        AND COALESCE(password_hash, '') = $3";
    END_OTHER_SESSIONS = "DELETE FROM sessions WHERE user_id = $1 AND id <> $2 RETURNING id";
    ADD_LINK = "INSERT INTO sign_in_links (digest, user_id, expires_at) VALUES ($1, $2, $3)";
    LINK_OF = "SELECT u.id, u.name FROM sign_in_links l JOIN users u ON u.id = l.user_id
        WHERE l.digest = $1 AND l.expires_at > $2 AND u.disabled_at IS NULL";
    TAKE_LINK = "DELETE FROM sign_in_links WHERE digest = $1 RETURNING user_id, expires_at";
    IS_ON = "SELECT id FROM users WHERE id = $1 AND disabled_at IS NULL";
    NEVER_IN = "SELECT id FROM users WHERE role = 'admin' AND disabled_at IS NULL AND last_seen_at IS NOT NULL LIMIT 1";
    FIRST_ADMIN = "SELECT id FROM users WHERE role = 'admin' AND disabled_at IS NULL ORDER BY created_at, id LIMIT 1";
}

/// What became of a change to an account or a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed<T> {
    /// It was made; the thing as it now is.
    Done(T),
    /// It was made on another version; the thing as it now is.
    Stale(T),
    /// The name or address is taken.
    Taken,
    /// It would leave no administrator.
    LastAdmin,
    /// There is no such thing.
    Missing,
}

/// Who is meant by what somebody wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// Nobody whose account is on.
    Nobody,
    /// One person.
    One(Person),
    /// Several have this name.
    Several(Vec<Person>),
}

impl Named {
    /// The person, where it is one.
    pub fn one(self) -> Option<Person> {
        match self {
            Self::One(person) => Some(person),
            Self::Nobody | Self::Several(_) => None,
        }
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    version: i64,
    name: String,
    email: Option<String>,
    role: String,
    support: i64,
    disabled_at: Option<i64>,
    created_at: i64,
    last_seen_at: Option<i64>,
    teams: Option<String>,
}

/// An account to be made.
#[derive(Debug, Clone)]
pub struct NewAccount<'a> {
    /// The name that is shown.
    pub name: &'a str,
    /// The address, in lower case.
    pub email: Option<&'a str>,
    /// The role.
    pub role: Role,
    /// Whether customers may be seen.
    pub support: bool,
}

impl Store {
    /// The administrator to lead in at the start: the first one, as long as none has ever signed in.
    pub async fn admin_to_lead_in(&self) -> Result<Option<UserId>, StoreError> {
        if db!(read & self.db, NEVER_IN, [], fetch_optional as (String,))?.is_some() {
            return Ok(None);
        }
        let found = db!(read & self.db, FIRST_ADMIN, [], fetch_optional as (String,))?;
        Ok(found.map(|(id,)| UserId::new(id)))
    }

    /// Every account, by name.
    pub async fn list_users(&self) -> Result<Vec<User>, StoreError> {
        db!(read & self.db, LIST, [UNIT], fetch_all as Row)?.into_iter().map(user).collect()
    }

    /// Everybody whose account is on, by name.
    pub async fn list_people(&self) -> Result<Vec<Person>, StoreError> {
        let rows = db!(read & self.db, PEOPLE, [], fetch_all as (String, String))?;
        Ok(rows.into_iter().map(|(id, name)| Person { id: UserId::new(id), name }).collect())
    }

    /// Who is meant by an id, an address or a name, as [`name_key`] compares it.
    pub async fn person_named(&self, name: &str) -> Result<Named, StoreError> {
        let wanted = text(name.trim());
        let lower = wanted.to_lowercase();
        let known = db!(read & self.db, KNOWN, [wanted.as_str(), lower.as_str()], fetch_optional as (String, String))?;
        if let Some((id, name)) = known {
            return Ok(Named::One(Person { id: UserId::new(id), name }));
        }
        let meant = name_key(&wanted);
        let mut people = self.list_people().await?;
        people.retain(|person| name_key(&person.name) == meant);
        Ok(match people.len() {
            0 => Named::Nobody,
            1 => Named::One(people.swap_remove(0)),
            _ => Named::Several(people),
        })
    }

    /// One account.
    pub async fn load_user(&self, id: &UserId) -> Result<Option<User>, StoreError> {
        db!(read & self.db, BY_ID, [UNIT, text(id.as_str())], fetch_optional as Row)?.map(user).transpose()
    }

    /// The account with this address.
    pub async fn user_with_email(&self, email: &str) -> Result<Option<UserId>, StoreError> {
        let email = text(&email.trim().to_lowercase());
        Ok(db!(read & self.db, BY_EMAIL, [email.as_str()], fetch_optional as (String,))?.map(|(id,)| UserId::new(id)))
    }

    /// Makes an account, and with it the link that leads into it, where there is to be one: its digest, and until when it
    /// holds.
    pub async fn create_user(
        &self,
        new: &NewAccount<'_>,
        link: Option<(&str, DateTime<Utc>)>,
        by: By<'_>,
        once: Option<&Once>,
    ) -> Result<Changed<User>, StoreError> {
        let mut tx = self.db.begin_write().await?;
        claim(&mut tx, once, by.now).await?;
        match insert(&mut tx, new, by).await {
            Err(StoreError::Database(error)) if is_taken(&error) => {
                tx.rollback().await?;
                Ok(Changed::Taken)
            }
            made => {
                let user = made?;
                if let Some((digest, until)) = link {
                    db!(tx &mut tx, ADD_LINK, [digest, user.id.as_str(), until.timestamp_millis()], execute)?;
                }
                tx.commit().await?;
                Ok(Changed::Done(user))
            }
        }
    }

    /// Makes the first account of all; none where there is one.
    pub async fn create_first_user(&self, new: &NewAccount<'_>, by: By<'_>) -> Result<Option<User>, StoreError> {
        let mut tx = self.db.begin_write().await?;
        take_turn(&mut tx, Turn::Accounts).await?;
        if db!(tx &mut tx, ANY, [], fetch_optional as (String,))?.is_some() {
            tx.rollback().await?;
            return Ok(None);
        }
        let user = insert(&mut tx, new, by).await?;
        tx.commit().await?;
        Ok(Some(user))
    }

    /// Changes an account that is still at `version`, which stays where nothing changes. Switching it off ends its sessions, tokens and links at once.
    pub async fn update_user(
        &self,
        id: &UserId,
        version: i64,
        patch: &UserPatch,
        by: By<'_>,
    ) -> Result<Changed<User>, StoreError> {
        let mut tx = self.db.begin_write().await?;
        take_turn(&mut tx, Turn::Accounts).await?;
        let admins = admins(&mut tx).await?;
        let Some(before) = in_tx(&mut tx, id).await? else {
            tx.rollback().await?;
            return Ok(Changed::Missing);
        };
        if before.version != version {
            tx.rollback().await?;
            return Ok(Changed::Stale(before));
        }
        let role = patch.role.unwrap_or(before.role);
        let disabled = patch.disabled.unwrap_or(before.disabled);
        let is_last = admins == [id.clone()];
        if is_last && (disabled || role != Role::Admin) {
            tx.rollback().await?;
            return Ok(Changed::LastAdmin);
        }
        let name = text(patch.name.as_deref().unwrap_or(&before.name));
        let email = maybe_text(patch.email.as_deref().or(before.email.as_deref())).filter(|email| !email.is_empty());
        let support = i64::from(patch.support.unwrap_or(before.support));
        let disabled_at = disabled.then(|| by.now.timestamp_millis());
        let is_named_anew = name != before.name || email != before.email;
        if !is_named_anew && (role, support != 0, disabled) == (before.role, before.support, before.disabled) {
            tx.rollback().await?;
            return Ok(Changed::Done(before));
        }
        if is_named_anew {
            owners::remember_renamed(&mut tx, &before).await?;
        }
        let written = db!(tx &mut tx, WRITE, [
            id.as_str(), version, name.as_str(), email.as_deref(), role.as_str(), support, disabled_at
        ], execute);
        match written {
            Err(error) if is_taken(&error) => {
                tx.rollback().await?;
                return Ok(Changed::Taken);
            }
            Ok(1) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return Err(StoreError::Corrupt(format!("{id} changed while the accounts were locked"))),
        }
        if disabled {
            for sql in [END_SESSIONS, END_TOKENS, END_LINKS] {
                db!(tx &mut tx, sql, [id.as_str()], execute)?;
            }
        }
        let after = in_tx(&mut tx, id).await?.ok_or_else(|| StoreError::Corrupt(format!("{id} vanished")))?;
        record(&mut tx, ("user", id.as_str()), by, Some(&before), Some(&after)).await?;
        tx.commit().await?;
        Ok(Changed::Done(after))
    }

    /// Keeps a link's digest; it leads into the account once, until it expires. False if the account is not there or
    /// switched off.
    pub async fn add_sign_in_link(
        &self,
        digest: &str,
        user: &UserId,
        (now, until): (DateTime<Utc>, DateTime<Utc>),
        once: Option<&Once>,
    ) -> Result<bool, StoreError> {
        let mut tx = self.db.begin_write().await?;
        claim(&mut tx, once, now).await?;
        if !hold(&mut tx, user).await? {
            tx.rollback().await?;
            return Ok(false);
        }
        db!(tx &mut tx, ADD_LINK, [digest, user.as_str(), until.timestamp_millis()], execute)?;
        tx.commit().await?;
        Ok(true)
    }

    /// Whom a link leads in, without using it up.
    pub async fn sign_in_link_of(&self, digest: &str, now: DateTime<Utc>) -> Result<Option<Person>, StoreError> {
        let row = db!(read & self.db, LINK_OF, [digest, now.timestamp_millis()], fetch_optional as (String, String))?;
        Ok(row.map(|(id, name)| Person { id: UserId::new(id), name }))
    }

    /// Uses a link up; the account it leads into, if it still did.
    pub async fn take_sign_in_link(&self, digest: &str, now: DateTime<Utc>) -> Result<Option<UserId>, StoreError> {
        let mut tx = self.db.begin_write().await?;
        let taken = db!(tx &mut tx, TAKE_LINK, [digest], fetch_optional as (String, i64))?;
        let user = match taken {
            Some((user, until)) if until > now.timestamp_millis() => {
                db!(tx &mut tx, IS_ON, [user.as_str()], fetch_optional as (String,))?
            }
            _ => None,
        };
        tx.commit().await?;
        Ok(user.map(|(id,)| UserId::new(id)))
    }

    /// The account with this address, and the hash of its password if one is set.
    pub async fn password_of(&self, email: &str) -> Result<Option<(UserId, Option<String>)>, StoreError> {
        let email = text(&email.trim().to_lowercase());
        let row = db!(read & self.db, PASSWORD, [email.as_str()], fetch_optional as (String, Option<String>))?;
        Ok(row.map(|(id, hash)| (UserId::new(id), hash)))
    }

    /// The hash of an account's password, if one is set.
    pub async fn own_password(&self, id: &UserId) -> Result<Option<String>, StoreError> {
        let row = db!(read & self.db, OWN_PASSWORD, [id.as_str()], fetch_optional as (String, Option<String>))?;
        Ok(row.and_then(|(_, hash)| hash))
    }

    /// Sets the hash of a password in place of the one so far, and ends every session of the account but this one. False
    /// if the password is another one by now, or the account is switched off.
    pub async fn set_password(
        &self,
        id: &UserId,
        (so_far, hash): (Option<&str>, &str),
        but: &SessionId,
        by: By<'_>,
    ) -> Result<bool, StoreError> {
        let mut tx = self.db.begin_write().await?;
        if db!(tx &mut tx, SET_PASSWORD, [id.as_str(), hash, so_far.unwrap_or_default()], execute)? == 0 {
            tx.rollback().await?;
            return Ok(false);
        }
        let ended = db!(tx &mut tx, END_OTHER_SESSIONS, [id.as_str(), but.as_str()], fetch_all as (String,))?;
        for (session,) in ended {
            record(&mut tx, ("session", &session), by, Some(&session), None).await?;
        }
        tx.commit().await?;
        Ok(true)
    }
}

/// Makes an account inside a transaction.
async fn insert(tx: &mut Tx, new: &NewAccount<'_>, by: By<'_>) -> Result<User, StoreError> {
    let id = UserId::new(new_id("usr_"));
    let email = maybe_text(new.email);
    db!(tx tx, INSERT, [
        id.as_str(), text(new.name), email.as_deref(), new.role.as_str(), i64::from(new.support),
        by.now.timestamp_millis()
    ], execute)?;
    let user = in_tx(tx, &id).await?.ok_or_else(|| StoreError::Corrupt(format!("{id} vanished")))?;
    record(tx, ("user", id.as_str()), by, None, Some(&user)).await?;
    Ok(user)
}

/// Keeps an account from being changed until the transaction ends; false if it is not there or switched off.
///
/// What is made for an account holds it first: what switches the account off then ends this too.
pub(super) async fn hold(tx: &mut Tx, id: &UserId) -> Result<bool, StoreError> {
    Ok(db!(tx tx, HOLD, [id.as_str()], execute)? == 1)
}

/// Every administrator whose account is on.
pub(super) async fn admins(tx: &mut Tx) -> Result<Vec<UserId>, StoreError> {
    let rows = db!(tx tx, ADMINS, [], fetch_all as (String,))?;
    Ok(rows.into_iter().map(|(id,)| UserId::new(id)).collect())
}

/// One account, as it stands inside a transaction.
pub(super) async fn in_tx(tx: &mut Tx, id: &UserId) -> Result<Option<User>, StoreError> {
    db!(tx tx, BY_ID, [UNIT, text(id.as_str())], fetch_optional as Row)?.map(user).transpose()
}

/// Whether a statement failed because something that must be unique is there already.
pub(super) fn is_taken(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(sqlx::error::DatabaseError::is_unique_violation)
}

fn user(row: Row) -> Result<User, StoreError> {
    Ok(User {
        id: UserId::new(row.id),
        version: row.version,
        name: row.name,
        email: row.email,
        role: word(&row.role)?,
        support: row.support != 0,
        teams: names(row.teams),
        disabled: row.disabled_at.is_some(),
        created_at: time(row.created_at)?,
        last_seen_at: maybe_time(row.last_seen_at)?,
    })
}
