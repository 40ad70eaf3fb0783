//! What items are found and compared by: their texts in lower case, as the program folds them and not the database.

use domain::person::name_key;

use super::super::StoreError;
use super::super::column::text;
use super::super::db::{Db, db};
use super::{FOLD, UNFOLDED};

/// The most characters of a name that are compared; an index takes no more of one than a page of its own.
const KEY: usize = 255;

/// A team's or a person's name as it is compared.
pub(in super::super) fn key(name: &str) -> String {
    text(&name_key(name)).chars().take(KEY).collect()
}

/// What a search looks at.
pub(in super::super) fn search_text(change: &str, owner: &str, assignee: Option<&str>, criterion: &str) -> String {
    text(&[change, owner, assignee.unwrap_or_default(), criterion].join("\n").to_lowercase())
}

#[derive(sqlx::FromRow)]
struct Unfolded {
    id: String,
    change: String,
    owner: String,
    assignee: Option<String>,
    criterion: String,
}

/// Fills in what earlier versions of the program have not kept.
pub(in super::super) async fn fill(database: &Db) -> Result<(), StoreError> {
    loop {
        let rows = db!(read database, UNFOLDED, [], fetch_all as Unfolded)?;
        if rows.is_empty() {
            return Ok(());
        }
        let mut tx = database.begin_write().await?;
        for Unfolded { id, change, owner, assignee, criterion } in rows {
            let assignee = assignee.as_deref();
            let searched = search_text(&change, &owner, assignee, &criterion);
            db!(tx &mut tx, FOLD, [id, searched, key(&owner), key(assignee.unwrap_or_default())], execute)?;
        }
        tx.commit().await?;
    }
}
