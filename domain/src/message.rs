//! The message to the cohort: wording that would say what is not known, or reach whom it should not.
//!
//! Nobody in the cohort bought anything, as far as the events tell. So no text may imply that they were charged, and none
//! may speak to everybody who had trouble, since most of these have bought.

use serde::{Deserialize, Serialize};

use crate::words::words;

words!(
    /// What a message is held against.
    ObjectionKind {
        /// The wording implies that money was taken.
        ImpliesCharge = "implies_charge", "Implies a charge";
        /// The wording speaks to people who are not in the cohort.
        SpeaksToOthers = "speaks_to_others", "Speaks to customers who recovered";
        /// A recipient recovered, bought, or was never affected.
        ReachesOthers = "reaches_others", "Would reach somebody it should not";
        /// A recipient has been written to before.
        WrittenBefore = "written_before", "Was written to before";
    }
);

/// Something in a message that should be put otherwise, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Objection {
    /// What it is held against.
    pub kind: ObjectionKind,
    /// The words at fault; null where it is about recipients.
    pub words: Option<String>,
    /// How many characters of the text come before them.
    pub offset: Option<u32>,
    /// Why, and what mends it.
    pub reason: String,
}

/// Words that say that money moved. Each is looked for at the beginning of a word.
const CHARGE: &[&str] = &[
    "charge",
    "charged",
    "charges",
    "overcharge",
    "overcharged",
    "billed",
    "debited",
    "deducted",
    "refund",
    "refunds",
    "refunded",
    "reimburse",
    "reimbursed",
    "reimbursement",
    "chargeback",
    "your payment",
    "your money",
    "your transaction",
    "your receipt",
    "payment went through",
    "payment was taken",
    "payment was received",
    "paid for",
    "you paid",
    "you were paid",
    "duplicate payment",
    "pending payment",
    "pending authorisation",
    "pending authorization",
    "reversal",
    "reversed",
    "bank statement",
    "your order is confirmed",
    "your order has been placed",
];

/// Phrases with such a word that say nothing about money taken.
const HARMLESS: &[&str] = &["free of charge", "in charge", "no extra charge", "at no charge", "without charge"];

/// Words that turn what follows into its opposite.
const NEGATING: &[&str] = &["no", "not", "never", "nothing", "without", "neither", "nor", "n’t", "n't"];

/// Words that leave it open, so that a denial behind them is none: "if you were not charged …".
const OPEN: &[&str] = &["if", "whether", "unless", "in case", "may", "might", "could", "should you"];

/// How many words a denial reaches over.
const REACH: usize = 4;

/// Wording that speaks to people outside the cohort.
const TO_OTHERS: &[&str] = &[
    "all customers",
    "all our customers",
    "all affected customers",
    "every customer",
    "all users",
    "everyone who",
    "everybody who",
    "anyone who",
    "anybody who",
    "whether or not",
    "you may have completed",
    "you may already have",
    "if you have already bought",
    "if you already bought",
    "if you already completed",
    "if your retry",
    "after retrying",
    "you retried successfully",
    "even if your purchase",
    "even if your order",
    "if your order went through",
    "if your purchase went through",
];

/// What is held against a message's wording, in the order of its text.
pub fn objections(text: &str) -> Vec<Objection> {
    // Every character stays one character, so that places in the one are places in the other.
    let lower: String = text.chars().map(|c| c.to_lowercase().next().unwrap_or(c)).collect();
    let mut found: Vec<(usize, Objection)> = Vec::new();
    for (at, words) in occurrences(&lower, CHARGE) {
        if is_harmless(&lower, at) || is_denied(&lower, at) {
            continue;
        }
        found.push((at, objection(text, &lower, at, words, ObjectionKind::ImpliesCharge)));
    }
    for (at, words) in occurrences(&lower, TO_OTHERS) {
        found.push((at, objection(text, &lower, at, words, ObjectionKind::SpeaksToOthers)));
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, objection)| objection).collect()
}

fn objection(text: &str, lower: &str, at: usize, words: &str, kind: ObjectionKind) -> Objection {
    let before = lower[..at].chars().count();
    let written: String = text.chars().skip(before).take(words.chars().count()).collect();
    let reason = match kind {
        ObjectionKind::ImpliesCharge => format!(
            "‘{written}’ can be read as saying that money was taken. Nothing in the events shows that; say only that the \
             purchase was not completed, or leave it out."
        ),
        _ => format!(
            "‘{written}’ speaks to customers who recovered on retry or bought later. The message is only for those whose \
             last attempt failed; write to them alone."
        ),
    };
    Objection { kind, words: Some(written), offset: u32::try_from(before).ok(), reason }
}

/// Where phrases stand as whole words, the longest at each place; none inside another.
fn occurrences<'a>(lower: &str, phrases: &[&'a str]) -> Vec<(usize, &'a str)> {
    let is_word = |c: char| c.is_alphanumeric();
    let mut found: Vec<(usize, &str)> = Vec::new();
    for phrase in phrases {
        for (at, _) in lower.match_indices(phrase) {
            let begins = !lower[..at].ends_with(is_word);
            let ends = !lower[at + phrase.len()..].starts_with(is_word);
            if begins && ends {
                found.push((at, phrase));
            }
        }
    }
    found.sort_by_key(|(at, phrase)| (*at, std::cmp::Reverse(phrase.len())));
    let mut end = 0;
    found.retain(|(at, phrase)| {
        let is_apart = *at >= end;
        if is_apart {
            end = at + phrase.len();
        }
        is_apart
    });
    found
}

fn is_harmless(lower: &str, at: usize) -> bool {
    HARMLESS.iter().any(|phrase| lower.match_indices(phrase).any(|(from, _)| from <= at && at < from + phrase.len()))
}

/// Whether the words before, in the same sentence, say that it did not happen.
fn is_denied(lower: &str, at: usize) -> bool {
    let sentence = lower[..at].rsplit(['.', '!', '?', ';', '\n']).next().unwrap_or_default();
    let words: Vec<&str> = sentence.split_whitespace().map(|word| word.trim_matches([',', ':', '(', ')'])).collect();
    let near = &words[words.len().saturating_sub(REACH)..];
    let denies = |word: &str| NEGATING.contains(&word) || word.ends_with("n't") || word.ends_with("n’t");
    let is_open = !occurrences(sentence, OPEN).is_empty();
    !is_open && near.iter().any(|word| denies(word))
}

/// A text to begin with, which nothing is held against.
pub const PROPOSAL: &str = "Hello,\n\nyour last attempt to check out did not go through because of a fault on our side. \
    It was not completed, and your basket is still there: you can try again whenever you like.\n\nWe are sorry for the \
    trouble.";
