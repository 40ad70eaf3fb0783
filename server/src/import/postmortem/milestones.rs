//! Milestones proposed from the words of the timeline; a person confirms them.

use domain::draft::TimelineDraft;
use domain::timeline::Milestone;

const WORDS: &[(Milestone, &[&str])] = &[
    (
        Milestone::ImpactStarted,
        &[
            "impact begins",
            "impact began",
            "impact starts",
            "impact started",
            "outage begins",
            "outage began",
            "outage starts",
            "outage started",
            "incident begins",
            "incident began",
            "incident starts",
            "incident started",
        ],
    ),
    (
        Milestone::Detected,
        &[
            "alert fires",
            "alert fired",
            "alerts fire",
            "alerts fired",
            "alert triggered",
            "alert triggers",
            "alerted",
            "paged",
            "pages on-call",
            "detected",
            "detects",
            "first report",
        ],
    ),
    (Milestone::Declared, &["declared", "declares"]),
    (
        Milestone::Mitigated,
        &[
            "disabled",
            "rolled back",
            "rolls back",
            "rollback completed",
            "rollback complete",
            "mitigated",
            "reverted",
            "failed over",
            "turned off",
            "switched off",
        ],
    ),
    (
        Milestone::Resolved,
        &[
            "resolved",
            "recovered",
            "returns below",
            "returned below",
            "returns to normal",
            "returned to normal",
            "back to normal",
            "all clear",
            "outage ends",
            "outage ended",
            "impact ends",
            "impact ended",
            "incident closed",
        ],
    ),
];

/// Words that turn the meaning of those after them.
const NOT: &[&str] = &["not ", "never ", "to be ", "nothing ", "before it is ", "isn't ", "wasn't "];

/// Proposes for each milestone the first entry, in order of time, whose words mark it.
pub fn propose(entries: &mut [TimelineDraft]) {
    let texts: Vec<String> = entries
        .iter()
        .map(|entry| format!("{} {}", entry.event, entry.decision.as_deref().unwrap_or_default()).to_lowercase())
        .collect();
    let mut order: Vec<usize> = (0..entries.len()).filter(|at| entries[*at].occurred_at.is_some()).collect();
    order.sort_by_key(|at| entries[*at].occurred_at);
    order.extend((0..entries.len()).filter(|at| entries[*at].occurred_at.is_none()));
    for (milestone, words) in WORDS {
        let marks =
            |at: &&usize| entries[**at].milestone.is_none() && words.iter().any(|word| says(&texts[**at], word));
        if let Some(at) = order.iter().find(marks) {
            entries[*at].milestone = Some(*milestone);
        }
    }
}

fn says(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + words.len()..]);
        !NOT.iter().any(|not| before.ends_with(not))
            && !before.ends_with(char::is_alphanumeric)
            && !after.starts_with(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mark_whole_words_and_no_denial() {
        for (text, marks) in [
            ("incident resolved", true),
            ("unresolved", false),
            ("not resolved", false),
            ("it was resolved.", true),
            ("the resolvedness", false),
        ] {
            assert_eq!(says(text, "resolved"), marks, "{text}");
        }
    }
}
