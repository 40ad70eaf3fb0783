//! People as an identity provider knows them: the attempts to sign in there, and the account that each leads into.

use chrono::{DateTime, Utc};
use domain::UserId;
use domain::person::Role;

use super::accounts::{By, Turn, record, take_turn};
use super::column::{maybe_text, text};
use super::db::{Tx, db, statements};
use super::id::new_id;
use super::users::{admins, in_tx, is_taken};
use super::{Store, StoreError};

statements! {
    SWEEP = "DELETE FROM oidc_attempts WHERE expires_at <= $1";
    BEGIN = "INSERT INTO oidc_attempts (digest, nonce, verifier, return_to, expires_at) VALUES ($1, $2, $3, $4, $5)";
    TAKE = "DELETE FROM oidc_attempts WHERE digest = $1 RETURNING nonce, verifier, return_to, expires_at";
    BY_SUBJECT = "SELECT id FROM users WHERE oidc_subject = $1";
    BY_EMAIL = "SELECT id, oidc_subject FROM users WHERE email = $1";
    TIE = "UPDATE users SET oidc_subject = $2 WHERE id = $1";
    INSERT = "INSERT INTO users (id, version, name, email, role, support, oidc_subject, created_at)
        VALUES ($1, 1, $2, $3, $4, $5, $6, $7)";
    GRANT = "UPDATE users SET version = version + 1, role = $2, support = $3 WHERE id = $1";
}

/// A sign-in at the identity provider that is under way.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct OidcAttempt {
    /// What the token must hold.
    pub nonce: String,
    /// What the code is redeemed with.
    pub verifier: String,
    /// Where to lead whoever signs in.
    pub return_to: String,
}

/// Somebody as the identity provider knows them, and what they may do here by its word.
#[derive(Debug, Clone)]
pub struct Identity<'a> {
    /// The provider.
    pub issuer: &'a str,
    /// Who this is at the provider.
    pub subject: &'a str,
    /// The name that is shown.
    pub name: &'a str,
    /// The address, in lower case.
    pub email: Option<&'a str>,
    /// Whether the provider knows that the address is theirs.
    pub is_email_verified: bool,
    /// The role; without one no account is made.
    pub role: Option<Role>,
    /// Whether an account that is there already gets that role too.
    pub is_role_kept_in_step: bool,
    /// Whether customers may be seen; an account keeps what it has where this is absent.
    pub support: Option<bool>,
}

/// What became of somebody who comes from the identity provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admitted {
    /// They have this account.
    In(UserId),
    /// They have this account, and keep the role of an administrator, since nobody else has it.
    LastAdmin(UserId),
    /// Their account is switched off.
    Disabled,
    /// They have no account, and get none.
    Unknown,
    /// Their address belongs to an account that is not known to be theirs.
    Taken,
}

#[derive(sqlx::FromRow)]
struct AttemptRow {
    #[sqlx(flatten)]
    attempt: OidcAttempt,
    expires_at: i64,
}

impl Store {
    /// Keeps an attempt until it expires; sweeps away those that have.
    pub async fn begin_oidc(
        &self,
        digest: &str,
        attempt: &OidcAttempt,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut tx = self.db.begin_write().await?;
        db!(tx &mut tx, SWEEP, [now.timestamp_millis()], execute)?;
        db!(tx &mut tx, BEGIN, [
            digest, attempt.nonce.as_str(), attempt.verifier.as_str(), text(&attempt.return_to), until.timestamp_millis()
        ], execute)?;
        tx.commit().await
    }

    /// Uses an attempt up; none if there is none, or no longer.
    pub async fn take_oidc(&self, digest: &str, now: DateTime<Utc>) -> Result<Option<OidcAttempt>, StoreError> {
        let mut tx = self.db.begin_write().await?;
        let taken = db!(tx &mut tx, TAKE, [digest], fetch_optional as AttemptRow)?;
        tx.commit().await?;
        Ok(taken.filter(|row| row.expires_at > now.timestamp_millis()).map(|row| row.attempt))
    }

    /// Finds or makes the account of somebody who signed in at the provider, and brings its role in step. By subject
    /// first, then by an address that the provider has verified.
    pub async fn admit(&self, identity: &Identity<'_>, by: By<'_>) -> Result<Admitted, StoreError> {
        match self.try_to_admit(identity, by).await {
            // An account with this address was made by hand at this moment, so now it is there.
            Err(StoreError::Database(error)) if is_taken(&error) => self.try_to_admit(identity, by).await,
            admitted => admitted,
        }
    }

    async fn try_to_admit(&self, identity: &Identity<'_>, by: By<'_>) -> Result<Admitted, StoreError> {
        let mut tx = self.db.begin_write().await?;
        take_turn(&mut tx, Turn::Accounts).await?;
        let admins = admins(&mut tx).await?;
        let id = match find(&mut tx, identity).await? {
            Found::Account(id) => id,
            Found::Taken => {
                tx.rollback().await?;
                return Ok(Admitted::Taken);
            }
            Found::Nobody => {
                let admitted = match identity.role {
                    Some(role) => Admitted::In(make(&mut tx, identity, role, by).await?),
                    None => Admitted::Unknown,
                };
                tx.commit().await?;
                return Ok(admitted);
            }
        };
        let before = in_tx(&mut tx, &id).await?.ok_or_else(|| StoreError::Corrupt(format!("{id} vanished")))?;
        if before.disabled {
            tx.rollback().await?;
            return Ok(Admitted::Disabled);
        }
        let wanted = identity.role.filter(|_| identity.is_role_kept_in_step).unwrap_or(before.role);
        let is_last = admins == [id.clone()] && wanted != Role::Admin;
        let role = if is_last { Role::Admin } else { wanted };
        let support = identity.support.unwrap_or(before.support);
        if (role, support) != (before.role, before.support) {
            db!(tx &mut tx, GRANT, [id.as_str(), role.as_str(), i64::from(support)], execute)?;
            let after = in_tx(&mut tx, &id).await?;
            record(&mut tx, ("user", id.as_str()), by, Some(&before), after.as_ref()).await?;
        }
        tx.commit().await?;
        Ok(if is_last { Admitted::LastAdmin(id) } else { Admitted::In(id) })
    }
}

enum Found {
    Account(UserId),
    Nobody,
    Taken,
}

/// The account of this person; one found by its address is tied to the person from now on.
async fn find(tx: &mut Tx, identity: &Identity<'_>) -> Result<Found, StoreError> {
    let key = key(identity);
    if let Some((id,)) = db!(tx tx, BY_SUBJECT, [key.as_str()], fetch_optional as (String,))? {
        return Ok(Found::Account(UserId::new(id)));
    }
    let Some(email) = maybe_text(identity.email) else {
        return Ok(Found::Nobody);
    };
    let same = db!(tx tx, BY_EMAIL, [email.as_str()], fetch_optional as (String, Option<String>))?;
    let Some((id, tied)) = same else {
        return Ok(Found::Nobody);
    };
    // Tied to somebody else at this provider: the address went from one person to another.
    let is_anothers =
        tied.is_some_and(|tied| tied.split_once(' ').is_some_and(|(issuer, _)| issuer == identity.issuer));
    if is_anothers || !identity.is_email_verified {
        return Ok(Found::Taken);
    }
    db!(tx tx, TIE, [id.as_str(), key.as_str()], execute)?;
    Ok(Found::Account(UserId::new(id)))
}

async fn make(tx: &mut Tx, identity: &Identity<'_>, role: Role, by: By<'_>) -> Result<UserId, StoreError> {
    let id = UserId::new(new_id("usr_"));
    // One can sign in with an address, so one that is not verified is not taken over.
    let email = maybe_text(identity.email.filter(|_| identity.is_email_verified));
    db!(tx tx, INSERT, [
        id.as_str(), text(identity.name), email.as_deref(), role.as_str(),
        i64::from(identity.support.unwrap_or(false)), key(identity), by.now.timestamp_millis()
    ], execute)?;
    let made = in_tx(tx, &id).await?;
    record(tx, ("user", id.as_str()), by, None, made.as_ref()).await?;
    Ok(id)
}

/// Issuer and subject as one column.
fn key(identity: &Identity<'_>) -> String {
    text(&format!("{} {}", identity.issuer, identity.subject))
}
