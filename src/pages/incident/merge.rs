//! An edit of an action item: what was typed, what of it changes the item, and how it meets somebody else's edit.

use chrono::NaiveDate;
use domain::action::{Action, ActionStatus};
use domain::verification::Verification;
use domain::wire::actions::{ActionPatch, NewAction};

/// How many fields the form has.
const FIELDS: usize = 10;

/// The fields of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Where the item stands.
    Status,
    /// Why.
    Reason,
    /// The owning team.
    Owner,
    /// The person in charge.
    Assignee,
    /// When it is due.
    Due,
    /// What is to change.
    Change,
    /// How it is to be proved, in words.
    Criterion,
    /// What it is for.
    Kind,
    /// How urgent it is.
    Priority,
    /// Its page in an outside tracker.
    Link,
}

impl Field {
    /// Every field, in the order of their declaration.
    pub const ALL: [Self; FIELDS] = [
        Self::Status,
        Self::Reason,
        Self::Owner,
        Self::Assignee,
        Self::Due,
        Self::Change,
        Self::Criterion,
        Self::Kind,
        Self::Priority,
        Self::Link,
    ];

    /// The spelling for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Status => "Status",
            Self::Reason => "Reason",
            Self::Owner => "Owner",
            Self::Assignee => "Assignee",
            Self::Due => "Due",
            Self::Change => "What is to change",
            Self::Criterion => "What must hold when it is done",
            Self::Kind => "Type",
            Self::Priority => "Priority",
            Self::Link => "Link to a tracker",
        }
    }

    /// Where the server's errors point to it.
    pub const fn pointer(self) -> &'static str {
        match self {
            Self::Status => "/status",
            Self::Reason => "/reason",
            Self::Owner => "/owner",
            Self::Assignee => "/assignee",
            Self::Due => "/due",
            Self::Change => "/change",
            Self::Criterion => "/verification/criterion",
            Self::Kind => "/type",
            Self::Priority => "/priority",
            Self::Link => "/link",
        }
    }
}

/// What stands in the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    values: [String; FIELDS],
}

/// A field that two people changed, each to something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Which field.
    pub field: Field,
    /// What it now is.
    pub theirs: String,
    /// What was typed.
    pub yours: String,
    /// Whether what was typed can still be: from where somebody else has put an item not every status can be reached.
    pub is_possible: bool,
}

impl Form {
    /// The form of an item.
    pub fn of(action: &Action) -> Self {
        Self {
            values: [
                action.status.as_str().to_owned(),
                action.reason.clone().unwrap_or_default(),
                action.owner.clone(),
                action.assignee.clone().unwrap_or_default(),
                action.due.map(|due| due.to_string()).unwrap_or_default(),
                action.change.clone(),
                action.verification.criterion.clone(),
                action.kind.map(|kind| kind.as_str().to_owned()).unwrap_or_default(),
                action.priority.map(|priority| priority.as_str().to_owned()).unwrap_or_default(),
                action.link.clone().unwrap_or_default(),
            ],
        }
    }

    /// What stands in a field.
    pub fn get(&self, field: Field) -> &str {
        &self.values[field as usize]
    }

    /// Puts something into a field.
    pub fn set(&mut self, field: Field, value: String) {
        self.values[field as usize] = value;
    }

    /// Chooses a status; the reason of the one that the item has is no reason for another.
    pub fn choose(&mut self, base: &Action, status: String) {
        let is_changed = status != base.status.as_str();
        let reason = base.reason.clone().unwrap_or_default();
        if is_changed && self.get(Field::Reason) == reason {
            self.set(Field::Reason, String::new());
        } else if !is_changed && self.get(Field::Reason).is_empty() {
            self.set(Field::Reason, reason);
        }
        self.set(Field::Status, status);
    }

    /// The status chosen.
    pub fn status(&self) -> Option<ActionStatus> {
        self.get(Field::Status).parse().ok()
    }

    /// The patch that makes the item what the form says; it names only what differs.
    pub fn patch(&self, action: &Action) -> ActionPatch {
        let base = Self::of(action);
        let changed = |field| (self.get(field) != base.get(field)).then(|| self.get(field).trim().to_owned());
        let filled = |text: String| (!text.is_empty()).then_some(text);
        let needs_reason = self.status().is_some_and(ActionStatus::needs_reason);
        ActionPatch {
            status: changed(Field::Status).and_then(|word| word.parse().ok()),
            reason: changed(Field::Reason)
                .or_else(|| changed(Field::Status).map(|_| self.get(Field::Reason).trim().to_owned()))
                .filter(|_| needs_reason)
                .map(filled),
            owner: changed(Field::Owner),
            assignee: changed(Field::Assignee).map(filled),
            due: changed(Field::Due).map(|text| text.parse::<NaiveDate>().ok()),
            change: changed(Field::Change),
            // Other words are to be settled anew.
            verification: changed(Field::Criterion).map(Verification::in_words),
            kind: changed(Field::Kind).map(|word| word.parse().ok()),
            priority: changed(Field::Priority).map(|word| word.parse().ok()),
            link: changed(Field::Link).map(filled),
        }
    }

    /// What hints are about, as it stands in the form.
    pub fn written(&self, action: &Action) -> NewAction {
        let get = |field| self.get(field).trim().to_owned();
        let criterion = get(Field::Criterion);
        NewAction {
            change: get(Field::Change),
            owner: get(Field::Owner),
            assignee: Some(get(Field::Assignee)).filter(|name| !name.is_empty()),
            due: get(Field::Due).parse().ok(),
            verification: if criterion == action.verification.criterion {
                action.verification.clone()
            } else {
                Verification::in_words(criterion)
            },
            ..NewAction::default()
        }
    }

    /// Meets an item that was changed since the form was opened on `base`: what only they changed is taken over,
    /// what both changed differently is answered as a conflict and keeps what was typed, as long as it is possible.
    pub fn meet(&mut self, base: &Action, current: &Action) -> Vec<Conflict> {
        let (before, now) = (Self::of(base), Self::of(current));
        let mut conflicts = Vec::new();
        for field in Field::ALL {
            let (was, theirs, yours) = (before.get(field), now.get(field), self.get(field).to_owned());
            if theirs == was || theirs == yours {
                continue;
            }
            if yours == was {
                self.set(field, theirs.to_owned());
            } else {
                let is_possible = field != Field::Status
                    || yours.parse().is_ok_and(|status| offered(current.status).any(|each| each == status));
                if !is_possible {
                    self.set(field, theirs.to_owned());
                }
                conflicts.push(Conflict { field, theirs: theirs.to_owned(), yours, is_possible });
            }
        }
        conflicts
    }
}

/// The statuses that the form offers for an item: the one it has, and those that follow. Verified is not among them,
/// since it takes an accepted verification.
pub fn offered(now: ActionStatus) -> impl Iterator<Item = ActionStatus> {
    let next = now.next().iter().copied().filter(|status| *status != ActionStatus::Verified);
    std::iter::once(now).chain(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action() -> Action {
        let mut action: Action =
            serde_json::from_str(include_str!("../../../domain/tests/golden/action.json")).expect("the golden item");
        (action.status, action.reason) = (ActionStatus::Open, None);
        action
    }

    #[test]
    fn an_untouched_form_changes_nothing() {
        assert_eq!(Form::of(&action()).patch(&action()), ActionPatch::default());
    }

    #[test]
    fn what_is_advised_on_stands_in_the_form() {
        let mut form = Form::of(&action());
        form.set(Field::Due, String::new());
        form.set(Field::Criterion, "Improve it".into());
        let written = form.written(&action());
        assert_eq!((written.due, written.owner.as_str()), (None, "Payments"));
        assert_eq!(written.verification, Verification::in_words("Improve it"));
        form.set(Field::Status, "blocked".into());
        assert_eq!(form.written(&action()), written, "a status is nothing to be advised on");
    }

    #[test]
    fn a_patch_names_only_what_differs() {
        let mut form = Form::of(&action());
        form.set(Field::Due, String::new());
        form.set(Field::Owner, " Checkout ".into());
        let patch = form.patch(&action());
        assert_eq!(patch, ActionPatch { due: Some(None), owner: Some("Checkout".into()), ..Default::default() });
    }

    #[test]
    fn a_reason_goes_with_a_status_that_needs_one_and_with_no_other() {
        let mut form = Form::of(&action());
        form.set(Field::Reason, "waiting".into());
        form.set(Field::Status, "in_progress".into());
        assert_eq!(form.patch(&action()).reason, None);
        form.set(Field::Status, "blocked".into());
        assert_eq!(form.patch(&action()).reason, Some(Some("waiting".into())));
    }

    #[test]
    fn a_reason_is_asked_for_anew_with_another_status() {
        let base = Action { status: ActionStatus::Blocked, reason: Some("waiting".into()), ..action() };
        let mut form = Form::of(&base);
        form.choose(&base, "wont_do".into());
        assert_eq!(form.get(Field::Reason), "");
        form.set(Field::Reason, "no need".into());
        form.choose(&base, "in_progress".into());
        assert_eq!(form.get(Field::Reason), "no need", "what was typed stays");
        let mut form = Form::of(&base);
        form.choose(&base, "open".into());
        form.choose(&base, "blocked".into());
        assert_eq!(form, Form::of(&base));
    }

    #[test]
    fn what_only_they_changed_is_taken_and_what_both_changed_is_asked() {
        let base = action();
        let current = Action {
            owner: "Checkout".into(),
            assignee: Some("Grace".into()),
            status: ActionStatus::InProgress,
            ..action()
        };
        let mut form = Form::of(&base);
        form.set(Field::Assignee, "Linus".into());
        form.set(Field::Status, "in_progress".into());
        let conflicts = form.meet(&base, &current);
        assert_eq!(
            conflicts,
            [Conflict { field: Field::Assignee, theirs: "Grace".into(), yours: "Linus".into(), is_possible: true }]
        );
        assert_eq!((form.get(Field::Owner), form.get(Field::Assignee)), ("Checkout", "Linus"));
        assert_eq!(form.patch(&current), ActionPatch { assignee: Some(Some("Linus".into())), ..Default::default() });
    }
    #[test]
    fn a_status_that_no_longer_follows_gives_way_to_theirs() {
        let base = action();
        let mut form = Form::of(&base);
        form.set(Field::Status, "in_progress".into());
        let current = Action { status: ActionStatus::WontDo, reason: Some("No need".into()), ..action() };
        let conflicts = form.meet(&base, &current);
        assert_eq!((conflicts.len(), conflicts[0].field, conflicts[0].is_possible), (1, Field::Status, false));
        assert_eq!(form.get(Field::Status), "wont_do");
        let mut form = Form::of(&base);
        form.set(Field::Status, "in_progress".into());
        let current = Action { status: ActionStatus::ToVerify, ..action() };
        assert!(form.meet(&base, &current)[0].is_possible);
        assert_eq!(form.get(Field::Status), "in_progress");
    }
}
