//! `/actions`: reading one, changing one, and its progress notes.

use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Deserializer, Serialize};

use crate::action::{Action, ActionStatus, ActionType, Priority};
use crate::hint::Hint;
use crate::person::name_key;
use crate::verification::{Attested, Attester, Measured, Verification, VerificationKind};
use crate::wire::instant::{given_day, maybe_day};
use crate::wire::problem::FieldError;

/// The most characters a single line of text may have.
pub const MAX_LINE: usize = 500;

/// The years that a date may be of; beyond, somebody mistyped.
pub const YEARS: std::ops::RangeInclusive<i32> = 1970..=2200;

/// The years in words.
pub fn years() -> String {
    format!("{} to {}", YEARS.start(), YEARS.end())
}

/// The most characters a progress note or a reason may have.
pub const MAX_TEXT: usize = 20_000;

/// A change to an action item: what is absent stays as it is, and null clears.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ActionPatch {
    /// The new status; its flow is checked.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub status: Option<ActionStatus>,
    /// Why it is blocked or will not be done; needed with those statuses, and cleared by any other.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub reason: Option<Option<String>>,
    /// What is to change.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub change: Option<String>,
    /// The owning team.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "emptied")]
    pub owner: Option<String>,
    /// The person in charge.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub assignee: Option<Option<String>>,
    /// What it is for.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub kind: Option<Option<ActionType>>,
    /// How urgent it is.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub priority: Option<Option<Priority>>,
    /// When it is due.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given_day")]
    pub due: Option<Option<NaiveDate>>,
    /// How it is to be proved. An item that waits for its proof goes back to work where this makes it another criterion.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub verification: Option<Verification>,
    /// Its page in an outside tracker.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub link: Option<Option<String>>,
}

/// A new action item, or one as far as it has been written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NewAction {
    /// What is to change.
    pub change: String,
    /// The owning team.
    pub owner: String,
    /// The person in charge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// What it is for.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<ActionType>,
    /// How urgent it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// When it is due.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "maybe_day")]
    pub due: Option<NaiveDate>,
    /// How it is to be proved.
    pub verification: Verification,
    /// Its page in an outside tracker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

impl NewAction {
    /// Fills a blank item, or says which fields are at fault; the rules are those of an edit.
    pub fn written_into(self, blank: &Action) -> Result<Action, Vec<FieldError>> {
        let patch = ActionPatch {
            change: Some(self.change),
            owner: Some(self.owner),
            assignee: Some(self.assignee),
            kind: Some(self.kind),
            priority: Some(self.priority),
            due: Some(self.due),
            verification: Some(self.verification),
            link: Some(self.link),
            ..ActionPatch::default()
        };
        patch.applied_to(blank)
    }
}

/// What would help whoever writes an item.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Advice {
    /// What will be missed later.
    pub hints: Vec<Hint>,
    /// How the criterion's words may be told.
    pub proposal: Option<VerificationKind>,
}

/// Tells a field that is null from one that is absent.
#[expect(clippy::option_option, reason = "absent, null and a value are three things in a patch")]
pub(super) fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Refuses null for a field that can be left out and cannot be emptied.
pub(super) fn some<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads null as an empty text, for a text that may be empty.
pub(super) fn emptied<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Option::<String>::deserialize(deserializer).map(|text| Some(text.unwrap_or_default()))
}

/// A new progress note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewNote {
    /// The text, as Markdown.
    pub text: String,
}

impl NewNote {
    /// The text without surrounding space, or what is the matter with it.
    pub fn checked(&self) -> Result<&str, FieldError> {
        let text = self.text.trim();
        let length = text.chars().count();
        match length {
            0 => Err(FieldError::new("/text", "a note needs some text")),
            _ if length > MAX_TEXT => {
                Err(FieldError::new("/text", format!("a note may have {MAX_TEXT} characters; this one has {length}")))
            }
            _ => Ok(text),
        }
    }
}

impl ActionPatch {
    /// The item as the patch would leave it, or every field that breaks a rule. Version and times are untouched.
    pub fn applied_to(&self, action: &Action) -> Result<Action, Vec<FieldError>> {
        let (mut next, mut errors) = (action.clone(), Vec::new());
        if let Some(change) = &self.change {
            next.change = line("/change", change, &mut errors);
            if next.change.is_empty() {
                errors.push(FieldError::new("/change", "say what is to change"));
            }
            if action.status == ActionStatus::Verified && next.change != action.change {
                errors
                    .push(FieldError::new("/change", "this change was verified as it is; open it again to reword it"));
            }
        }
        if let Some(owner) = &self.owner {
            next.owner = line("/owner", owner, &mut errors);
        }
        if let Some(assignee) = &self.assignee {
            let named =
                assignee.as_deref().map(|name| line("/assignee", name, &mut errors)).filter(|name| !name.is_empty());
            // The same name is the same person, even where others have it too.
            if named.as_deref().map(name_key) != action.assignee.as_deref().map(name_key) {
                // Whose account it is, is for the server to find.
                (next.assignee, next.assignee_id) = (named, None);
            } else if action.assignee_id.is_none() {
                next.assignee = named;
            }
        }
        if let Some(verification) = &self.verification {
            // The kind belongs to the words that it was settled for, so the two are replaced together.
            if action.status == ActionStatus::Verified && *verification != action.verification {
                errors.push(FieldError::new(
                    "/verification",
                    "this item was verified by the criterion it has; open it again to change that",
                ));
            }
            next.verification = Verification {
                criterion: line("/verification/criterion", &verification.criterion, &mut errors),
                kind: verification.kind.as_ref().map(|kind| settled(kind, &mut errors)),
            };
        }
        next.kind = self.kind.unwrap_or(next.kind);
        next.priority = self.priority.unwrap_or(next.priority);
        next.due = self.due.unwrap_or(next.due);
        if let Some(due) = self.due.flatten()
            && !YEARS.contains(&due.year())
        {
            errors.push(FieldError::new("/due", format!("{due} is no day of the years {}", years())));
        }
        // A first date moves nothing; losing one does.
        if action.due.is_some() && next.due != action.due {
            next.due_moves += 1;
        }
        if let Some(link) = &self.link {
            let link = link.as_deref().map(|link| line("/link", link, &mut errors)).filter(|link| !link.is_empty());
            if link.as_deref().is_some_and(|link| !is_web_address(link)) {
                errors.push(FieldError::new("/link", "a link begins with http:// or https://"));
            }
            next.link = link;
        }
        self.move_status(action, &mut next, &mut errors);
        if errors.is_empty() { Ok(next) } else { Err(errors) }
    }

    fn move_status(&self, action: &Action, next: &mut Action, errors: &mut Vec<FieldError>) {
        let is_unready =
            action.status == ActionStatus::ToVerify && is_rewritten(&action.verification, &next.verification);
        let status = self.status.unwrap_or(if is_unready { ActionStatus::InProgress } else { action.status });
        if is_unready && status == ActionStatus::ToVerify {
            errors.push(FieldError::new(
                "/status",
                "what must hold is another now, so the item goes back to ‘in_progress’; move it to ‘to_verify’ after that",
            ));
        }
        if status != action.status {
            let allowed = action.status.next();
            if status == ActionStatus::Verified {
                errors.push(FieldError::new(
                    "/status",
                    "an item becomes ‘verified’ only by an accepted verification, never by setting its status",
                ));
            } else if !allowed.contains(&status) {
                let words: Vec<_> = allowed.iter().map(|s| s.as_str()).filter(|s| *s != "verified").collect();
                errors.push(FieldError::new(
                    "/status",
                    format!("‘{}’ cannot become ‘{status}’; it can become: {}", action.status, words.join(", ")),
                ));
            }
        }
        if !action.status.is_open() && status.is_open() {
            next.reopenings += 1;
        }
        next.status = status;
        let reason = match &self.reason {
            Some(reason) => reason.as_deref().map(str::trim).filter(|text| !text.is_empty()),
            // A reason belongs to the status that it was given for.
            None if status == action.status => action.reason.as_deref(),
            None => None,
        };
        match (status.needs_reason(), reason) {
            (true, None) => {
                errors.push(FieldError::new("/reason", format!("‘{status}’ needs a reason")));
            }
            (true, Some(text)) if text.chars().count() > MAX_TEXT => {
                errors.push(FieldError::new("/reason", format!("a reason may have {MAX_TEXT} characters")));
            }
            (true, Some(text)) => next.reason = Some(text.to_owned()),
            (false, Some(_)) if self.reason.is_some() => {
                errors.push(FieldError::new(
                    "/reason",
                    format!("‘{status}’ takes no reason; ‘blocked’ and ‘wont_do’ do"),
                ));
            }
            (false, _) => next.reason = None,
        }
    }
}

/// Whether a criterion is another one than it was; settling how the same words are told makes it none.
fn is_rewritten(before: &Verification, next: &Verification) -> bool {
    before != next && (before.kind.is_some() || before.criterion != next.criterion)
}

/// Whether a text is an address that a browser may be led to.
pub fn is_web_address(text: &str) -> bool {
    let rest = ["http://", "https://"].iter().find_map(|scheme| {
        let (start, rest) = text.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then_some(rest)
    });
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/') && !text.contains(char::is_whitespace))
}

/// How a criterion is told, its words folded to lines; what decides nothing is at fault.
fn settled(kind: &VerificationKind, errors: &mut Vec<FieldError>) -> VerificationKind {
    match kind {
        VerificationKind::Measured(measured) => {
            let metric = words("/verification/kind/measured/metric", &measured.metric, "say what is measured", errors);
            if let Some(flaw) = measured.flaw() {
                errors.push(FieldError::new("/verification/kind/measured/threshold", flaw));
            }
            VerificationKind::Measured(Measured { metric, ..measured.clone() })
        }
        VerificationKind::Attested(attested) => VerificationKind::Attested(Attested {
            by: match &attested.by {
                Attester::NotOwner => Attester::NotOwner,
                Attester::Named(name) => Attester::Named(words(
                    "/verification/kind/attested/by/named",
                    name,
                    "name the role or the team, or say ‘not_owner’ for anybody but the owner",
                    errors,
                )),
            },
            excludes: attested.excludes.as_ref().map(|excluded| {
                words(
                    "/verification/kind/attested/excludes",
                    excluded,
                    "say who is excluded, or leave this out",
                    errors,
                )
            }),
        }),
    }
}

/// One line of text that must say something.
fn words(pointer: &str, text: &str, wanted: &str, errors: &mut Vec<FieldError>) -> String {
    let text = line(pointer, text, errors);
    if text.is_empty() {
        errors.push(FieldError::new(pointer, wanted));
    }
    text
}

/// One line of text: surrounding space off, white space folded, its length checked.
fn line(pointer: &str, text: &str, errors: &mut Vec<FieldError>) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let length = text.chars().count();
    if length > MAX_LINE {
        errors.push(FieldError::new(pointer, format!("may have {MAX_LINE} characters; this has {length}")));
    }
    text
}
