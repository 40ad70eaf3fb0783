//! History in words: what differs between a thing before and after a change.

use std::collections::BTreeMap;

use domain::wire::history::{ChangeKind, FieldChange, HistoryEntry};
use serde_json::Value;

use crate::store::StoredChange;

/// Fields that say nothing to a reader: identity, bookkeeping, and what is derived.
const SILENT: [&str; 12] = [
    "id",
    "incident_id",
    "version",
    "created_at",
    "updated_at",
    "html",
    "notes",
    "assignee_id",
    "due_moves",
    "reopenings",
    "proposal",
    "hints",
];

/// The most characters of a text that are shown.
const SHOWN: usize = 500;

/// A change as a reader sees it. `names` are the names of the people and teams whose ids may stand in it.
pub fn entry(change: StoredChange, names: &BTreeMap<String, String>) -> HistoryEntry {
    let value = |json: &Option<String>| json.as_deref().and_then(|json| serde_json::from_str::<Value>(json).ok());
    let (before, after) = (value(&change.before), value(&change.after));
    let kind = match (&before, &after) {
        (None, _) => ChangeKind::Made,
        (_, None) => ChangeKind::Removed,
        _ => ChangeKind::Changed,
    };
    let whole = after.as_ref().or(before.as_ref());
    let title = ["change", "title", "audience"].iter().find_map(|field| whole?.get(field)?.as_str().map(shortened));
    // A draft that was imported is the document itself; its fields stand on the page.
    let fields = if change.subject == "incident" && kind == ChangeKind::Made {
        Vec::new()
    } else {
        differences(before.as_ref(), after.as_ref(), names)
    };
    HistoryEntry {
        seq: change.seq,
        at: change.at,
        actor: change.actor,
        subject: change.subject,
        subject_id: change.subject_id,
        title,
        kind,
        fields,
    }
}

fn differences(before: Option<&Value>, after: Option<&Value>, names: &BTreeMap<String, String>) -> Vec<FieldChange> {
    let (mut old, mut new) = (BTreeMap::new(), BTreeMap::new());
    flatten("", before, names, &mut old);
    flatten("", after, names, &mut new);
    let fields: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    fields
        .into_iter()
        .filter(|field| old.get(*field) != new.get(*field))
        .map(|field| FieldChange {
            field: field.clone(),
            before: old.get(field).cloned(),
            after: new.get(field).cloned(),
        })
        .collect()
}

/// Writes every leaf under its dotted name; empty ones are left out.
fn flatten(name: &str, value: Option<&Value>, names: &BTreeMap<String, String>, into: &mut BTreeMap<String, String>) {
    match value {
        None | Some(Value::Null) => {}
        Some(Value::Object(members)) => {
            for (member, value) in members {
                if !SILENT.contains(&member.as_str()) {
                    let dotted = if name.is_empty() { member.clone() } else { format!("{name}.{member}") };
                    flatten(&dotted, Some(value), names, into);
                }
            }
        }
        Some(Value::Array(items)) => {
            let words: Vec<String> = items.iter().map(|item| word(item, names)).collect();
            if !words.is_empty() {
                into.insert(name.to_owned(), shortened(&words.join(", ")));
            }
        }
        Some(leaf) => {
            let word = word(leaf, names);
            if !word.is_empty() {
                into.insert(name.to_owned(), word);
            }
        }
    }
}

fn word(leaf: &Value, names: &BTreeMap<String, String>) -> String {
    match leaf {
        Value::String(text) => names.get(text).cloned().unwrap_or_else(|| shortened(text)),
        other => shortened(&other.to_string()),
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    text.chars().take(SHOWN).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: Option<Value>, after: Option<Value>) -> HistoryEntry {
        let stored = StoredChange {
            seq: 7,
            subject: "action".into(),
            subject_id: "act_1".into(),
            at: chrono::DateTime::UNIX_EPOCH,
            actor: "Ada".into(),
            before: before.map(|value| value.to_string()),
            after: after.map(|value| value.to_string()),
        };
        entry(stored, &BTreeMap::from([("usr_1".to_owned(), "Bo".to_owned())]))
    }

    #[test]
    fn only_what_differs_is_told_and_an_id_by_its_name() {
        let told = change(
            Some(serde_json::json!({"change": "Queue", "version": 1, "status": "open", "due": null, "people": []})),
            Some(
                serde_json::json!({"change": "Queue", "version": 2, "status": "blocked", "due": "2026-07-14", "people": ["usr_1"]}),
            ),
        );
        assert_eq!((told.kind, told.title.as_deref()), (ChangeKind::Changed, Some("Queue")));
        let fields: Vec<_> =
            told.fields.iter().map(|f| (f.field.as_str(), f.before.as_deref(), f.after.as_deref())).collect();
        assert_eq!(
            fields,
            [
                ("due", None, Some("2026-07-14")),
                ("people", None, Some("Bo")),
                ("status", Some("open"), Some("blocked"))
            ]
        );
    }

    #[test]
    fn what_was_made_and_what_was_removed_is_told_whole() {
        let made = change(None, Some(serde_json::json!({"text": "begun", "verification": {"criterion": "p95"}})));
        assert_eq!((made.kind, made.fields.len()), (ChangeKind::Made, 2));
        assert_eq!(made.fields[1].field, "verification.criterion");
        assert_eq!(change(Some(serde_json::json!({"text": "x"})), None).kind, ChangeKind::Removed);
    }
}
