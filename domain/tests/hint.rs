//! Hints: what is missing, where it is mended, and that a well-written item gets none.

use chrono::NaiveDate;
use domain::action::{Action, ActionStatus, Priority};
use domain::hint::{HintKind, Writing, hint_on_priorities, hints};
use domain::quantity::{Number, Unit};
use domain::verification::{Comparator, Measured, Verification, VerificationKind};
use domain::{ActionId, IncidentId};
use proptest::prelude::*;

fn action(status: ActionStatus, priority: Option<Priority>) -> Action {
    let now = "2026-07-09T10:00:00Z".parse().expect("a time");
    Action {
        change: "Move retries to the background queue".into(),
        owner: "Payments".into(),
        priority,
        due: NaiveDate::from_ymd_opt(2026, 7, 14),
        verification: Verification::in_words("Load test holds p95 below 2s"),
        status,
        ..Action::blank(ActionId::new("act_1"), IncidentId::new("inc_1"), now)
    }
}

fn kinds(action: &Action) -> Vec<(HintKind, String)> {
    hints(Writing::from(action)).into_iter().map(|hint| (hint.kind, hint.pointer)).collect()
}

#[test]
fn a_well_written_item_gets_no_hint() {
    assert_eq!(kinds(&action(ActionStatus::Open, None)), []);
}

#[test]
fn each_thing_missing_is_hinted_at_its_field() {
    let bare = Action {
        owner: " ".into(),
        due: None,
        verification: Verification::default(),
        ..action(ActionStatus::Open, None)
    };
    let expected = [
        (HintKind::NoOwner, "/owner".to_owned()),
        (HintKind::NoDueDate, "/due".to_owned()),
        (HintKind::NoEndState, "/verification/criterion".to_owned()),
    ];
    assert_eq!(kinds(&bare), expected);
    let in_charge = Action { assignee: Some("Ada".into()), ..bare };
    assert_eq!(kinds(&in_charge), expected[1..], "somebody is in charge");
}

#[test]
fn an_end_state_is_missed_where_nobody_could_check_it() {
    // The change, the criterion, and the words that the hint quotes; none where there is to be no hint.
    let table: &[(&str, &str, Option<&str>)] = &[
        ("Move retries to the queue", "", Some("Nothing tells when this is done")),
        ("Improve monitoring", "", Some("‘Improve’ has no end")),
        ("Be more careful with deploys", "", Some("‘Be more’ has no end")),
        ("Ensure that alerts fire", "", Some("‘Ensure’ has no end")),
        ("Make sure it is documented", "", Some("‘Make sure’ has no end")),
        ("investigate the timeout", "", Some("‘investigate’ has no end")),
        ("Look into retries", "", Some("‘Look into’ has no end")),
        ("Improvements to the runbook", "", Some("Nothing tells when this is done")),
        ("Improve monitoring", "Alert fires within 5 minutes", None),
        ("Improve monitoring", "Dashboard shows retries by provider", None),
        ("Improve monitoring", "Monitoring is improved", Some("Nobody could check ‘improved’")),
        ("Move retries", "Improve the queue.", Some("Nobody could check ‘Improve’")),
        ("Move retries", "Everyone is more careful", Some("Nobody could check ‘more careful’")),
        ("Move retries", "It works", Some("Nobody could check ‘It works’")),
        ("Move retries", "Done.", Some("Nobody could check ‘Done’")),
        ("Move retries", "TBD", Some("Nobody could check ‘TBD’")),
        ("Move retries", "Retries, überall, are better", Some("Nobody could check ‘better’")),
        ("Improve p95", "p95 is 2 s or less", None),
        // A number gives something to check, read or not.
        ("Improve coverage", "Coverage improved to 80 in each crate", None),
        // The worked example's criteria.
        ("Move retries to the background queue", "Load test holds p95 below 2s during injected timeouts", None),
        ("Add provider-specific circuit breaker", "Breaker opens before worker utilization reaches 75%", None),
        ("Add failed-checkout recovery cohort", "Support can identify and contact affected customers", None),
        ("Add retry-amplification runbook", "Game day completed by a non-author", None),
    ];
    for (change, criterion, expected) in table {
        let item = Action {
            change: (*change).into(),
            verification: Verification::in_words(*criterion),
            ..action(ActionStatus::Open, None)
        };
        let found = hints(Writing::from(&item));
        let message = found.first().map(|hint| hint.message.as_str());
        match expected {
            None => assert_eq!(message, None, "{change} / {criterion}"),
            Some(begin) => {
                let message = message.unwrap_or_else(|| panic!("no hint on {change} / {criterion}"));
                assert!(message.starts_with(begin), "{change} / {criterion}: {message}");
                assert!(message.contains("say what will hold"), "it tells what would mend it: {message}");
            }
        }
    }
}

#[test]
fn a_settled_kind_is_an_end_state_whatever_the_words() {
    let measured = Measured {
        metric: "p95".into(),
        comparator: Comparator::Below,
        threshold: Number::from(2),
        unit: Unit::Seconds,
    };
    let verification =
        Verification { criterion: "Improve it".into(), kind: Some(VerificationKind::Measured(measured)) };
    assert_eq!(kinds(&Action { verification, ..action(ActionStatus::Open, None) }), []);
}

#[test]
fn everything_at_the_highest_priority_is_hinted_over_the_list() {
    use ActionStatus::{Open, Verified};
    use Priority::{High, Medium};
    type Items = &'static [(ActionStatus, Option<Priority>)];
    let table: &[(Items, bool)] = &[
        (&[], false),
        (&[(Open, Some(High))], false),
        (&[(Open, Some(High)), (Open, Some(High))], true),
        (&[(Open, Some(High)), (Open, Some(Medium))], false),
        (&[(Open, Some(High)), (Open, None)], false),
        // A closed item counts no longer, either way.
        (&[(Open, Some(High)), (Open, Some(High)), (Verified, Some(Medium))], true),
        (&[(Open, Some(High)), (Verified, Some(High))], false),
    ];
    for (items, expected) in table {
        let items: Vec<_> = items.iter().map(|(status, priority)| action(*status, *priority)).collect();
        let open = items.iter().filter(|item| item.status.is_open()).map(|item| item.priority);
        let hint = hint_on_priorities(open);
        assert_eq!(hint.as_ref().map(|hint| hint.kind), expected.then_some(HintKind::AllHighest));
        assert!(hint.is_none_or(|hint| hint.pointer == "/priority" && hint.message.contains("All 2 open items")));
    }
}

proptest! {
    #[test]
    fn any_text_is_looked_at_without_a_panic(
        change in "\\PC{0,80}",
        criterion in "\\PC{0,80}|(İ|ß|é| ){0,3}(better|tbd|improve)(é| )?",
    ) {
        let item = Action { change, verification: Verification::in_words(criterion), ..action(ActionStatus::Open, None) };
        for hint in hints(Writing::from(&item)) {
            prop_assert!(!hint.message.is_empty());
        }
    }
}
