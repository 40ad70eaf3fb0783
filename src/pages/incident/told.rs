//! A change in words: what somebody did, from what to what.

use chrono::{DateTime, NaiveDate, Utc};
use domain::action::{ActionStatus, ActionType, Priority};
use domain::wire::history::{ChangeKind, FieldChange, HistoryEntry};

use crate::format;
use crate::state::zone::Zone;

/// What somebody did, after their name: "changed “Add a runbook”: moved due 14 Jul 2026 → 20 Jul 2026".
pub fn deed(entry: &HistoryEntry, zone: &Zone) -> String {
    let subject = entry.subject.as_str();
    if let Some(proof) = (subject == "verification").then(|| proof(&entry.fields)) {
        return format!("accepted the verification{}{proof}", of(entry));
    }
    let verb = match (entry.kind, subject) {
        (ChangeKind::Made, "note") => "added a note",
        (ChangeKind::Made, "share") => "shared it",
        (ChangeKind::Removed, "share") => "stopped sharing it",
        (_, "access") => "changed who may see it",
        (_, "signal") => "imported events",
        (_, "flags") => "imported flag changes",
        (ChangeKind::Made, "claim") => "bound a figure to the events",
        (ChangeKind::Removed, "claim") => "unbound a figure from the events",
        (_, "cohort") => "computed the cohort anew",
        (_, "contacts") => "marked customers as written to",
        (_, "cohort_export") => "exported the cohort",
        (_, "message") => "wrote the message to the cohort",
        (ChangeKind::Made, "incident") => "imported it",
        (ChangeKind::Made, "evidence") => "added evidence",
        (ChangeKind::Removed, "evidence") => "removed evidence",
        (ChangeKind::Changed, "evidence") => "changed evidence",
        (ChangeKind::Made, _) => "added",
        (ChangeKind::Changed, _) => "changed",
        (ChangeKind::Removed, _) => "removed",
    };
    let number = if subject == "evidence" { format!(" {}", entry.subject_id) } else { String::new() };
    let told: Vec<String> = match subject {
        // What was imported stands on the page.
        "signal" | "flags" | "message" => Vec::new(),
        _ => entry.fields.iter().filter_map(|field| change(field, entry.kind, zone)).collect(),
    };
    let colon = if told.is_empty() { "" } else { ": " };
    [verb, &number, &of(entry), colon, &told.join("; ")].concat()
}

fn of(entry: &HistoryEntry) -> String {
    entry.title.as_ref().map(|title| format!(" “{title}”")).unwrap_or_default()
}

/// The value or the words that a proof rests on.
fn proof(fields: &[FieldChange]) -> String {
    let after = |name: &str| fields.iter().find(|field| field.field == name)?.after.clone();
    if let Some(statement) = after("accepted.statement") {
        return format!(": {statement}");
    }
    match (after("accepted.value.value"), after("accepted.value.unit")) {
        (Some(value), Some(unit)) => format!(": {value} {}", word(&unit)),
        _ => String::new(),
    }
}

/// One field, from what to what; none where that says nothing to a reader.
fn change(field: &FieldChange, kind: ChangeKind, zone: &Zone) -> Option<String> {
    let name = field.field.as_str();
    // The title is named already; who shared what until when stands in the list of shares.
    let is_named = kind != ChangeKind::Changed && matches!(name, "change" | "title" | "audience");
    if is_named || matches!(name, "author" | "recorded_at" | "incident_name" | "created_by" | "number") {
        return None;
    }
    // A withdrawn proof is told by the status.
    if name.starts_with("accepted") {
        return None;
    }
    let (before, after) = (shown(name, field.before.as_deref(), zone), shown(name, field.after.as_deref(), zone));
    let label = label(name);
    Some(match (before, after) {
        (Some(before), Some(after)) if name == "due" => format!("moved due {before} → {after}"),
        (Some(before), None) if name == "due" => format!("took the due date away, which was {before}"),
        (Some(before), Some(after)) if name == "status" && is_reopening(field) => {
            format!("opened it again: {before} → {after}")
        }
        (Some(before), Some(after)) => format!("{label} {before} → {after}"),
        (None, Some(after)) if name == "text" => after,
        (None, Some(after)) => format!("{label} {after}"),
        (Some(before), None) => format!("{label} cleared, which was {before}"),
        (None, None) => return None,
    })
}

fn is_reopening(field: &FieldChange) -> bool {
    let is_open = |word: &Option<String>| {
        word.as_ref().and_then(|word| word.parse::<ActionStatus>().ok()).is_some_and(ActionStatus::is_open)
    };
    !is_open(&field.before) && is_open(&field.after)
}

/// A field's name for people.
fn label(name: &str) -> String {
    match name {
        "type" => "type".to_owned(),
        "change" => "wording".to_owned(),
        "verification.criterion" => "verification".to_owned(),
        "captured_at" => "captured".to_owned(),
        "expires_at" => "until".to_owned(),
        "due" => "due".to_owned(),
        // "verification.kind.measured.threshold.value": the last part says it.
        _ => word(name.strip_suffix(".value").unwrap_or(name).rsplit('.').next().unwrap_or(name)),
    }
}

/// A value for people.
fn shown(name: &str, value: Option<&str>, zone: &Zone) -> Option<String> {
    let value = value?;
    let labelled = match name {
        "status" => value.parse::<ActionStatus>().ok().map(ActionStatus::label),
        "type" => value.parse::<ActionType>().ok().map(ActionType::label),
        "priority" => value.parse::<Priority>().ok().map(Priority::label),
        "due" => return Some(value.parse::<NaiveDate>().map_or_else(|_| value.to_owned(), format::due)),
        _ if name.ends_with("_at") => {
            let at = value.parse::<DateTime<Utc>>();
            return Some(at.map_or_else(|_| value.to_owned(), |at| format::date_time(at, zone)));
        }
        "kind" | "visibility" | "review_state" | "severity" => return Some(word(value)),
        _ => None,
    };
    Some(labelled.unwrap_or(value).to_owned())
}

/// `in_review` as "in review".
fn word(text: &str) -> String {
    text.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(subject: &str, kind: ChangeKind, fields: &[(&str, &str, &str)]) -> HistoryEntry {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        HistoryEntry {
            seq: 1,
            at: DateTime::UNIX_EPOCH,
            actor: "Ada".into(),
            subject: subject.into(),
            subject_id: "5".into(),
            title: matches!(subject, "action" | "verification").then(|| "Queue".into()),
            kind,
            fields: fields
                .iter()
                .map(|(field, before, after)| FieldChange {
                    field: (*field).into(),
                    before: given(before),
                    after: given(after),
                })
                .collect(),
        }
    }

    #[test]
    fn a_change_is_told_in_words() {
        use ChangeKind::{Changed, Made, Removed};
        for (entry, words) in [
            (
                entry("action", Changed, &[("due", "2026-07-14", "2026-07-20"), ("owner", "Payments", "Checkout")]),
                "changed “Queue”: moved due 14 Jul 2026 → 20 Jul 2026; owner Payments → Checkout",
            ),
            (
                entry("action", Changed, &[("due", "", "2026-07-14"), ("priority", "", "high")]),
                "changed “Queue”: due 14 Jul 2026; priority High",
            ),
            (
                entry("action", Changed, &[("due", "2026-07-14", "")]),
                "changed “Queue”: took the due date away, which was 14 Jul 2026",
            ),
            (
                entry("action", Changed, &[("reason", "", "waits"), ("status", "in_progress", "blocked")]),
                "changed “Queue”: reason waits; status In progress → Blocked",
            ),
            (
                entry("action", Changed, &[("accepted.statement", "done", ""), ("status", "verified", "open")]),
                "changed “Queue”: opened it again: Verified → Open",
            ),
            (
                entry("action", Changed, &[("verification.kind.measured.threshold.value", "2", "3")]),
                "changed “Queue”: threshold 2 → 3",
            ),
            (
                entry(
                    "verification",
                    Changed,
                    &[
                        ("accepted.value.unit", "", "s"),
                        ("accepted.value.value", "", "1.8"),
                        ("status", "to_verify", "verified"),
                    ],
                ),
                "accepted the verification “Queue”: 1.8 s",
            ),
            (
                entry("verification", Changed, &[("accepted.statement", "", "The drill went well")]),
                "accepted the verification “Queue”: The drill went well",
            ),
            (entry("note", Made, &[("author", "", "Ada"), ("text", "", "begun")]), "added a note: begun"),
            (
                entry("evidence", Removed, &[("kind", "load_test", "")]),
                "removed evidence 5: kind cleared, which was load test",
            ),
            (
                entry("access", Changed, &[("visibility", "open", "restricted"), ("people", "", "Bo")]),
                "changed who may see it: visibility open → restricted; people Bo",
            ),
            (entry("flags", Changed, &[("count", "", "2")]), "imported flag changes"),
            (
                entry("cohort", Changed, &[("cohort", "2", "3"), ("joined", "", "1")]),
                "computed the cohort anew: cohort 2 → 3; joined 1",
            ),
            (entry("cohort_export", Made, &[("customers", "", "508")]), "exported the cohort: customers 508"),
            (entry("message", Changed, &[("text", "a", "b")]), "wrote the message to the cohort"),
            (entry("incident", Made, &[]), "imported it"),
        ] {
            assert_eq!(deed(&entry, &Zone::Utc), words);
        }
    }
}
