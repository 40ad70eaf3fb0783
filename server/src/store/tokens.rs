//! API tokens: what programs sign in with.

use chrono::{DateTime, Utc};
use domain::person::{Person, Role};
use domain::wire::access::Token;
use domain::{TokenId, UserId};

use super::accounts::{By, record};
use super::column::{maybe_millis, maybe_time, text, time, word};
use super::db::{db, statements};
use super::id::new_id;
use super::once::{Once, claim};
use super::users::hold;
use super::{Store, StoreError};

statements! {
    INSERT = "INSERT INTO tokens (id, digest, name, user_id, role, support, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    LIST = "SELECT k.id, k.name, k.user_id, u.name AS user_name, k.role, k.support, k.created_at, k.last_used_at,
            k.expires_at
        FROM tokens k LEFT JOIN users u ON u.id = k.user_id
        WHERE (CAST($1 AS TEXT) IS NULL OR k.user_id = $1)
        ORDER BY k.created_at DESC, k.id";
    END = "DELETE FROM tokens WHERE id = $1 AND (CAST($2 AS TEXT) IS NULL OR user_id = $2)";
}

/// A token to be made.
#[derive(Debug, Clone)]
pub struct NewApiToken<'a> {
    /// The digest of its secret.
    pub digest: &'a str,
    /// What it is for.
    pub name: &'a str,
    /// Whom it acts for; none for a service.
    pub user: Option<&'a Person>,
    /// The most it may do.
    pub role: Role,
    /// Whether it may see customers.
    pub support: bool,
    /// When it ends by itself.
    pub expires_at: Option<DateTime<Utc>>,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    name: String,
    user_id: Option<String>,
    user_name: Option<String>,
    role: String,
    support: i64,
    created_at: i64,
    last_used_at: Option<i64>,
    expires_at: Option<i64>,
}

impl Store {
    /// Keeps a new token; none if the account that it is to act for was switched off.
    pub async fn create_token(
        &self,
        new: &NewApiToken<'_>,
        by: By<'_>,
        once: Option<&Once>,
    ) -> Result<Option<Token>, StoreError> {
        let token = Token {
            id: TokenId::new(new_id("tok_")),
            name: text(new.name),
            user: new.user.cloned(),
            role: new.role,
            support: new.support,
            created_at: by.now,
            last_used_at: None,
            expires_at: new.expires_at,
        };
        let mut tx = self.db.begin_write().await?;
        claim(&mut tx, once, by.now).await?;
        if let Some(user) = new.user
            && !hold(&mut tx, &user.id).await?
        {
            tx.rollback().await?;
            return Ok(None);
        }
        db!(tx &mut tx, INSERT, [
            token.id.as_str(), new.digest, token.name.as_str(), new.user.map(|user| user.id.as_str()),
            new.role.as_str(), i64::from(new.support), by.now.timestamp_millis(), maybe_millis(new.expires_at)
        ], execute)?;
        record(&mut tx, ("token", token.id.as_str()), by, None, Some(&token)).await?;
        tx.commit().await?;
        Ok(Some(token))
    }

    /// The tokens of one account, or all, the newest first.
    pub async fn list_tokens(&self, of: Option<&UserId>) -> Result<Vec<Token>, StoreError> {
        let of = of.map(UserId::as_str);
        db!(read & self.db, LIST, [of], fetch_all as Row)?.into_iter().map(token).collect()
    }

    /// Ends a token, of one account alone where that is given; false if there is no such token.
    pub async fn end_token(&self, id: &TokenId, of: Option<&UserId>, by: By<'_>) -> Result<bool, StoreError> {
        let mut tx = self.db.begin_write().await?;
        let ended = db!(tx &mut tx, END, [text(id.as_str()), of.map(UserId::as_str)], execute)? == 1;
        if ended {
            record(&mut tx, ("token", id.as_str()), by, Some(id), None).await?;
        }
        tx.commit().await?;
        Ok(ended)
    }
}

fn token(row: Row) -> Result<Token, StoreError> {
    let user = row.user_id.zip(row.user_name).map(|(id, name)| Person { id: UserId::new(id), name });
    Ok(Token {
        id: TokenId::new(row.id),
        name: row.name,
        user,
        role: word(&row.role)?,
        support: row.support != 0,
        created_at: time(row.created_at)?,
        last_used_at: maybe_time(row.last_used_at)?,
        expires_at: maybe_time(row.expires_at)?,
    })
}
