//! Hints while an action item is written: what will be missed later. A hint never blocks.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::action::{Action, Priority};
use crate::criterion::propose;
use crate::verification::Verification;
use crate::words::words;

words!(
    /// What a hint is about.
    HintKind {
        /// Nobody owns the item.
        NoOwner = "no_owner", "No owner";
        /// It has no due date.
        NoDueDate = "no_due_date", "No due date";
        /// Nobody could tell when it is done.
        NoEndState = "no_end_state", "No verifiable end state";
        /// Every open item of the incident has the highest priority.
        AllHighest = "all_highest", "Everything at the highest priority";
    }
);

/// A hint: what may be missed, where it is mended, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Hint {
    /// What it is about.
    pub kind: HintKind,
    /// The field that mends it, as a JSON pointer into the item.
    pub pointer: String,
    /// What would mend it, for people.
    pub message: String,
}

impl Hint {
    fn new(kind: HintKind, pointer: &str, message: impl Into<String>) -> Self {
        Self { kind, pointer: pointer.to_owned(), message: message.into() }
    }
}

/// An action item as far as it has been written.
#[derive(Debug, Clone, Copy)]
pub struct Writing<'a> {
    /// What is to change.
    pub change: &'a str,
    /// The owning team's name.
    pub owner: &'a str,
    /// The person in charge.
    pub assignee: Option<&'a str>,
    /// When it is due.
    pub due: Option<NaiveDate>,
    /// How it is to be proved.
    pub verification: &'a Verification,
}

impl<'a> From<&'a Action> for Writing<'a> {
    fn from(action: &'a Action) -> Self {
        Self {
            change: &action.change,
            owner: &action.owner,
            assignee: action.assignee.as_deref(),
            due: action.due,
            verification: &action.verification,
        }
    }
}

/// The hints on one item, in the order of its fields; none once it is closed is for the caller to see to.
pub fn hints(item: Writing<'_>) -> Vec<Hint> {
    let mut hints = Vec::new();
    if item.owner.trim().is_empty() && item.assignee.is_none_or(|name| name.trim().is_empty()) {
        hints.push(Hint::new(HintKind::NoOwner, "/owner", "Nobody owns this yet: name the team that will do it."));
    }
    if item.due.is_none() {
        hints.push(Hint::new(HintKind::NoDueDate, "/due", "Without a due date this is never late: pick a day."));
    }
    hints.extend(end_state(item));
    hints
}

/// The hint on an incident's items taken together, given the priority of each that is open: where all have the highest, none
/// has.
pub fn hint_on_priorities(open: impl Iterator<Item = Option<Priority>>) -> Option<Hint> {
    let (mut count, mut all) = (0, true);
    for priority in open {
        count += 1;
        all &= priority == Some(Priority::High);
    }
    (all && count > 1).then(|| {
        Hint::new(
            HintKind::AllHighest,
            "/priority",
            format!(
                "All {count} open items have the highest priority, so none comes first: lower those that can wait."
            ),
        )
    })
}

/// The hint on what will hold when the item is done.
fn end_state(item: Writing<'_>) -> Option<Hint> {
    const MEND: &str =
        "say what will hold when it is done, such as ‘p95 stays below 2 s’ or ‘completed by a non-author’";
    let criterion = item.verification.criterion.trim();
    if item.verification.kind.is_some() || propose(criterion).is_some() {
        return None;
    }
    let hint = |text: String| Some(Hint::new(HintKind::NoEndState, "/verification/criterion", text));
    if !criterion.is_empty() {
        // A number is something to check, though it proposes nothing.
        if criterion.contains(|letter: char| letter.is_ascii_digit()) {
            return None;
        }
        let word = vague(criterion)?;
        return hint(format!("Nobody could check ‘{word}’: {MEND}."));
    }
    match vague(item.change) {
        Some(word) => hint(format!("‘{word}’ has no end: {MEND}.")),
        None => hint(format!("Nothing tells when this is done: {MEND}.")),
    }
}

/// The words of a text that make it endless, as they stand there, if such words are all it says.
///
/// In a change such a word is harmless, since the criterion says where it ends; so this is looked at only where no
/// criterion does.
fn vague(text: &str) -> Option<&str> {
    /// What a text may begin with that never ends.
    const BEGINNING: &[&str] = &[
        "be more",
        "be careful",
        "be aware",
        "improve",
        "better",
        "enhance",
        "ensure",
        "make sure",
        "investigate",
        "look into",
        "consider",
        "explore",
        "review",
        "revisit",
        "think about",
        "discuss",
        "try",
        "monitor",
        "keep an eye",
        "watch",
        "pay attention",
        "raise awareness",
        "increase awareness",
        "remind",
        "educate",
        "encourage",
        "optimise",
        "optimize",
        "clean up",
        "take care",
        "strive",
        "aim",
        "evaluate",
        "research",
        "understand",
        "continue",
    ];
    /// What says nothing wherever it stands.
    const ANYWHERE: &[&str] = &[
        "more careful",
        "more carefully",
        "better",
        "improved",
        "improves",
        "as needed",
        "where possible",
        "if possible",
        "as appropriate",
        "best effort",
        "looks good",
        "works well",
        "more robust",
        "more reliable",
        "more resilient",
        "more attention",
        "tbd",
        "to be defined",
        "to be decided",
        "asap",
    ];
    /// What alone is no more than a wish that it be so.
    const ALONE: &[&str] =
        &["done", "works", "it works", "fixed", "tested", "yes", "ok", "verified", "resolved", "n/a", "none", "-"];
    let text = text.trim().trim_end_matches('.');
    // Byte by byte, so that the place in the text is the place in its lower case.
    let lower = text.to_ascii_lowercase();
    if ALONE.contains(&&*lower) {
        return Some(text);
    }
    let found = |phrase: &&&str| find_words(&lower, phrase);
    let begins = BEGINNING.iter().filter(|phrase| found(phrase) == Some(0)).max_by_key(|phrase| phrase.len());
    if let Some(phrase) = begins {
        return Some(&text[..phrase.len()]);
    }
    let (at, phrase) = ANYWHERE.iter().filter_map(|phrase| Some((found(&phrase)?, phrase))).min()?;
    Some(&text[at..at + phrase.len()])
}

/// Where a phrase stands in a text as whole words.
fn find_words(text: &str, phrase: &str) -> Option<usize> {
    text.match_indices(phrase).map(|(at, _)| at).find(|at| {
        let before = text[..*at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}
