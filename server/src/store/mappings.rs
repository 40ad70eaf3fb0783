//! Mappings of columns, saved under a name for the whole installation.

use domain::mapping::Mapping;
use domain::wire::imports::SavedMapping;

use super::column::{from_json, text, to_json};
use super::db::{db, statements};
use super::{By, Store, StoreError};

statements! {
    LIST = "SELECT name, columns, mapping FROM mappings ORDER BY name";
    SAVE = "INSERT INTO mappings (name, columns, mapping, saved_at, saved_by) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (name) DO UPDATE SET columns = excluded.columns, mapping = excluded.mapping,
            saved_at = excluded.saved_at, saved_by = excluded.saved_by";
    REMOVE = "DELETE FROM mappings WHERE name = $1";
}

#[derive(sqlx::FromRow)]
struct Row {
    name: String,
    columns: String,
    mapping: String,
}

impl Store {
    /// The mappings that were saved, by name.
    pub async fn list_mappings(&self) -> Result<Vec<SavedMapping>, StoreError> {
        let rows = db!(read & self.db, LIST, [], fetch_all as Row)?;
        let saved = rows.into_iter().map(|row| {
            Ok(SavedMapping { name: row.name, columns: from_json(&row.columns)?, mapping: from_json(&row.mapping)? })
        });
        saved.collect()
    }

    /// Saves a mapping for files with these columns, in the place of one with the same name.
    pub async fn save_mapping(
        &self,
        name: &str,
        columns: &[String],
        mapping: &Mapping,
        by: By<'_>,
    ) -> Result<(), StoreError> {
        let mut tx = self.db.begin_write().await?;
        db!(tx &mut tx, SAVE, [
            text(name), to_json(columns)?, to_json(mapping)?, by.now.timestamp_millis(), by.actor
        ], execute)?;
        tx.commit().await
    }

    /// Removes the mapping that was saved under this name, if there is one. Files that were imported by it stay as they are.
    pub async fn remove_mapping(&self, name: &str) -> Result<bool, StoreError> {
        let mut tx = self.db.begin_write().await?;
        let removed = db!(tx &mut tx, REMOVE, [text(name)], execute)?;
        tx.commit().await?;
        Ok(removed == 1)
    }
}
