//! Progress notes: appended, never changed.

use std::collections::HashMap;

use domain::action::Note;
use domain::{ActionId, IncidentId, NoteId};

use super::column::{text as cleaned, time, to_json};
use super::db::{Tx, db, statements};
use super::history::{Change, append, bump};
use super::id::new_id;
use super::{By, Store, StoreError};

statements! {
    INCIDENT = "SELECT incident_id FROM actions WHERE id = $1";
    OF_ACTION = "SELECT action_id, id, author, text, recorded_at FROM action_notes WHERE action_id = $1 ORDER BY seq";
    OF_INCIDENT = "SELECT n.action_id, n.id, n.author, n.text, n.recorded_at FROM action_notes n
        JOIN actions a ON a.id = n.action_id WHERE a.incident_id = $1 ORDER BY n.seq";
    BY_KEY = "SELECT action_id, id, author, text, recorded_at FROM action_notes
        WHERE action_id = $1 AND idempotency_key = $2";
    INSERT = "INSERT INTO action_notes (id, action_id, author, text, recorded_at, idempotency_key)
        VALUES ($1, $2, $3, $4, $5, $6)";
    TOUCH = "UPDATE actions SET active_at = $2 WHERE id = $1";
}

/// What became of a new note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    /// It was added.
    New(Note),
    /// A request with the same key had added it; nothing was changed.
    Existing(Note),
    /// The key had been used for another text.
    KeyReused,
    /// There is no such action item.
    Missing,
}

#[derive(sqlx::FromRow)]
struct Row {
    action_id: String,
    id: String,
    author: String,
    text: String,
    recorded_at: i64,
}

impl Store {
    /// The item's notes, oldest first; none if there is no such item.
    pub async fn list_notes(&self, id: &ActionId) -> Result<Option<Vec<Note>>, StoreError> {
        if id.as_str().contains('\0') {
            return Ok(None);
        }
        if db!(read & self.db, INCIDENT, [id.as_str()], fetch_optional as (String,))?.is_none() {
            return Ok(None);
        }
        let rows = db!(read & self.db, OF_ACTION, [id.as_str()], fetch_all as Row)?;
        rows.into_iter().map(note).collect::<Result<_, _>>().map(Some)
    }

    /// Adds a note, once for each `key` that the sender chose.
    pub async fn add_note(
        &self,
        id: &ActionId,
        text: &str,
        key: Option<&str>,
        by: By<'_>,
    ) -> Result<Added, StoreError> {
        if id.as_str().contains('\0') {
            return Ok(Added::Missing);
        }
        let (author, text, key, now) = (cleaned(by.actor), cleaned(text), key.map(cleaned), by.now);
        let mut tx = self.db.begin_write().await?;
        let Some((incident,)) = db!(tx &mut tx, INCIDENT, [id.as_str()], fetch_optional as (String,))? else {
            tx.rollback().await?;
            return Ok(Added::Missing);
        };
        let incident = IncidentId::new(incident);
        bump(&mut tx, &incident, now).await?;
        if let Some(key) = &key {
            let earlier = db!(tx &mut tx, BY_KEY, [id.as_str(), key.as_str()], fetch_optional as Row)?;
            if let Some(earlier) = earlier {
                tx.rollback().await?;
                let same = earlier.text == text;
                return Ok(if same { Added::Existing(note(earlier)?) } else { Added::KeyReused });
            }
        }
        let added = Note { id: NoteId::new(new_id("note_")), author, recorded_at: now, text, html: String::new() };
        db!(tx &mut tx, INSERT, [
            added.id.as_str(), id.as_str(), added.author.as_str(), added.text.as_str(), now.timestamp_millis(),
            key.as_deref()
        ], execute)?;
        db!(tx &mut tx, TOUCH, [id.as_str(), now.timestamp_millis()], execute)?;
        let change = Change {
            subject: "note",
            subject_id: added.id.as_str(),
            actor: &added.author,
            before: None,
            after: Some(to_json(&added)?),
        };
        append(&mut tx, &incident, change, now).await?;
        tx.commit().await?;
        Ok(Added::New(added))
    }
}

/// The notes of every action item of an incident, by item.
pub(super) async fn of_incident(tx: &mut Tx, incident: &IncidentId) -> Result<HashMap<String, Vec<Note>>, StoreError> {
    let mut notes: HashMap<String, Vec<Note>> = HashMap::new();
    for mut row in db!(tx tx, OF_INCIDENT, [incident.as_str()], fetch_all as Row)? {
        notes.entry(std::mem::take(&mut row.action_id)).or_default().push(note(row)?);
    }
    Ok(notes)
}

fn note(row: Row) -> Result<Note, StoreError> {
    Ok(Note {
        id: NoteId::new(row.id),
        author: row.author,
        recorded_at: time(row.recorded_at)?,
        text: row.text,
        html: String::new(),
    })
}
