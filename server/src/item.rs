//! An action item as it is answered: its text rendered, with what is proposed and hinted while work remains.

use domain::action::Action;
use domain::criterion::propose;
use domain::hint::{hint_on_priorities, hints};
use domain::verification::VerificationKind;

use crate::text::{render_fields, render_note_html};

/// One item.
pub fn answered(mut action: Action) -> Action {
    action.html = render_fields([("change", action.change.as_str()), ("criterion", &action.verification.criterion)]);
    action.notes = action.notes.map(|notes| notes.into_iter().map(render_note_html).collect());
    action.proposal = proposal(&action);
    action.hints = if action.status.is_open() { hints((&action).into()) } else { Vec::new() };
    action
}

/// All items of an incident.
pub fn all_answered(actions: Vec<Action>) -> Vec<Action> {
    let over_all = hint_on_priorities(actions.iter().filter(|item| item.status.is_open()).map(|item| item.priority));
    actions
        .into_iter()
        .map(|action| {
            let mut action = answered(action);
            if action.status.is_open() {
                action.hints.extend(over_all.clone());
            }
            action
        })
        .collect()
}

/// What a criterion's words propose, as long as nobody has settled it.
fn proposal(action: &Action) -> Option<VerificationKind> {
    if action.verification.kind.is_some() || !action.status.is_open() {
        return None;
    }
    propose(&action.verification.criterion)
}
