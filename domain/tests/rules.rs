//! The rules of the domain as tables.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::action::{Action, ActionStatus};
use domain::comparison::{Basis, Finding, compare};
use domain::derived::{Computed, Duration, derive_times};
use domain::flag::{FlagChange, names, spans};
use domain::incident::Window;
use domain::prose::Prose;
use domain::quantity::{Quantity, Unit};
use domain::signal::{Bin, Ratio, first_view};
use domain::timeline::{Milestone, MilestoneAt, TimelineEntry, milestones};
use domain::verification::{Comparator, Measured, Verification, VerificationKind};
use domain::wire::access::{TeamPatch, UserPatch};
use domain::wire::actions::{ActionPatch, NewNote};
use domain::wire::evidence::EvidencePatch;
use domain::wire::verifications::{Cited, NewVerification};
use domain::{ActionId, FlagChangeId, IncidentId, TimelineEntryId, UserId};
use proptest::prelude::*;

fn at(time: &str) -> DateTime<Utc> {
    format!("2026-07-09T{time}:00Z").parse().expect("a time")
}

fn action(status: ActionStatus) -> Action {
    Action {
        id: ActionId::new("act_1"),
        incident_id: IncidentId::new("inc_1"),
        version: 1,
        change: "Move retries to the background queue".into(),
        owner: "Payments".into(),
        assignee: None,
        assignee_id: None,
        kind: None,
        priority: None,
        due: NaiveDate::from_ymd_opt(2026, 7, 14),
        verification: Verification::in_words("Load test holds p95 below 2s"),
        status,
        reason: status.needs_reason().then(|| "waiting for the provider".into()),
        evidence: vec![],
        accepted: None,
        link: None,
        due_moves: 0,
        reopenings: 0,
        created_at: at("10:00"),
        updated_at: at("10:00"),
        proposal: None,
        hints: Vec::new(),
        html: BTreeMap::new(),
        notes: None,
    }
}

#[test]
fn moves_of_the_due_date_and_reopenings_are_counted() {
    let patched = |action: &Action, patch: ActionPatch| patch.applied_to(action).expect("it is allowed");
    let due = |day: &str| ActionPatch { due: Some(day.parse().ok()), ..Default::default() };
    let open = action(ActionStatus::Open);
    assert_eq!(patched(&open, due("2026-07-14")).due_moves, 0, "the same date moves nothing");
    let moved = patched(&open, due("2026-07-20"));
    assert_eq!((moved.due_moves, patched(&moved, due("2026-07-21")).due_moves), (1, 2));
    assert_eq!(patched(&Action { due: None, ..open.clone() }, due("2026-07-14")).due_moves, 0, "a first date");
    assert_eq!(patched(&open, ActionPatch { due: Some(None), ..Default::default() }).due_moves, 1, "a date taken away");
    let again = ActionPatch { status: Some(ActionStatus::Open), ..Default::default() };
    for (status, reopenings) in [(ActionStatus::WontDo, 1), (ActionStatus::Verified, 1), (ActionStatus::Blocked, 0)] {
        assert_eq!(patched(&action(status), again.clone()).reopenings, reopenings, "{status}");
    }
}

#[test]
fn a_link_leads_to_the_web_and_nowhere_else() {
    let linked = |link: &str| {
        ActionPatch { link: Some(Some(link.into())), ..Default::default() }.applied_to(&action(ActionStatus::Open))
    };
    for link in ["https://tracker.example/PAY-7", "HTTP://tracker.example", " https://t.example/a "] {
        assert_eq!(linked(link).expect("a link").link.as_deref(), Some(link.trim()));
    }
    assert_eq!(linked(" ").expect("no link").link, None);
    for link in ["javascript:alert(1)", "tracker.example/7", "https://", "https:///x", "https://a b", "/actions"] {
        assert_eq!(linked(link).expect_err(link)[0].pointer, "/link");
    }
}

#[test]
fn each_status_is_followed_only_by_those_of_the_flow() {
    use ActionStatus::{Blocked, InProgress, Open, ToVerify, Verified, WontDo};
    let flow = [
        (Open, vec![InProgress, Blocked, ToVerify, WontDo]),
        (InProgress, vec![Open, Blocked, ToVerify, WontDo]),
        (Blocked, vec![Open, InProgress, ToVerify, WontDo]),
        (ToVerify, vec![InProgress, WontDo]),
        (Verified, vec![Open]),
        (WontDo, vec![Open]),
    ];
    for (from, reachable) in flow {
        for &to in ActionStatus::ALL.iter().filter(|to| **to != from) {
            let reason = to.needs_reason().then(|| Some("because".to_owned()));
            let patch = ActionPatch { status: Some(to), reason, ..Default::default() };
            let result = patch.applied_to(&action(from));
            assert_eq!(result.is_ok(), reachable.contains(&to), "{from} to {to}: {result:?}");
        }
    }
}

proptest! {
    #[test]
    fn no_sequence_of_patches_reaches_verified(steps in proptest::collection::vec((0..6_usize, any::<bool>()), 0..40)) {
        let mut item = action(ActionStatus::Open);
        for (step, with_reason) in steps {
            let reason = with_reason.then(|| Some("because".to_owned()));
            let patch = ActionPatch { status: Some(ActionStatus::ALL[step]), reason, ..Default::default() };
            if let Ok(next) = patch.applied_to(&item) {
                item = next;
            }
            prop_assert_ne!(item.status, ActionStatus::Verified);
            prop_assert_eq!(item.reason.is_some(), item.status.needs_reason());
        }
    }

    #[test]
    fn prose_parts_into_words_and_marks_and_back(text in "([a-z .\\[\\]^é]|\\[\\^[0-9]{1,5}\\]){0,40}") {
        let prose = Prose::new(text);
        let places = prose.places();
        let borrowed: Vec<_> = places.iter().map(|(offset, numbers)| (*offset, numbers.as_slice())).collect();
        prop_assert_eq!(Prose::mark(&prose.plain(), &borrowed), prose.clone());
    }
}

#[test]
fn the_refusal_of_a_status_names_those_allowed() {
    let patch = ActionPatch { status: Some(ActionStatus::Open), ..Default::default() };
    let errors = patch.applied_to(&action(ActionStatus::ToVerify)).expect_err("to_verify does not go back to open");
    assert_eq!(errors[0].pointer, "/status");
    assert!(errors[0].message.contains("in_progress, wont_do"), "{}", errors[0].message);
}

#[test]
fn a_blocked_item_says_why_and_forgets_it_when_it_moves_on() {
    let blocked = ActionPatch { status: Some(ActionStatus::Blocked), ..Default::default() };
    assert_eq!(blocked.applied_to(&action(ActionStatus::Open)).expect_err("no reason")[0].pointer, "/reason");
    let moved = ActionPatch { status: Some(ActionStatus::InProgress), ..Default::default() };
    assert_eq!(moved.applied_to(&action(ActionStatus::Blocked)).expect("allowed").reason, None);
    let due = ActionPatch { due: Some(None), ..Default::default() };
    assert!(due.applied_to(&action(ActionStatus::Blocked)).expect("allowed").reason.is_some());
}

#[test]
fn every_field_at_fault_is_named_at_once() {
    let patch = ActionPatch {
        status: Some(ActionStatus::Verified),
        change: Some("  ".into()),
        owner: Some("x".repeat(501)),
        ..Default::default()
    };
    let errors = patch.applied_to(&action(ActionStatus::Open)).expect_err("three faults");
    let pointers: Vec<_> = errors.iter().map(|error| error.pointer.as_str()).collect();
    assert_eq!(pointers, ["/change", "/owner", "/status"]);
}

#[test]
fn a_verification_is_replaced_whole_and_checked() {
    let patch = |json: serde_json::Value| -> ActionPatch { serde_json::from_value(json).expect("a patch") };
    let measured = patch(serde_json::json!({"verification": {"criterion": " p95  below 2 s ", "kind": {"measured":
        {"metric": " p95  latency ", "comparator": "below", "threshold": 2, "unit": "s"}}}}));
    let settled = measured.applied_to(&action(ActionStatus::Open)).expect("a threshold");
    assert_eq!(settled.verification.criterion, "p95 below 2 s");
    assert_eq!(settled.verification.kind.as_ref().expect("a kind").to_string(), "p95 latency below 2 s");

    let reworded = patch(serde_json::json!({"verification": {"criterion": "p99 below 2 s"}}));
    let reworded = reworded.applied_to(&settled).expect("new words");
    assert_eq!(reworded.verification.kind, None, "the kind was settled for other words");

    let kept = patch(serde_json::json!({"owner": "Platform"})).applied_to(&settled).expect("another owner");
    assert_eq!(kept.verification, settled.verification);

    let table = [
        (
            serde_json::json!({"measured": {"metric": " ", "comparator": "below", "threshold": 0, "unit": "s"}}),
            vec!["/verification/kind/measured/metric", "/verification/kind/measured/threshold"],
        ),
        (
            serde_json::json!({"attested": {"by": {"named": ""}, "excludes": " "}}),
            vec!["/verification/kind/attested/by/named", "/verification/kind/attested/excludes"],
        ),
        (serde_json::json!({"attested": {"by": "not_owner", "excludes": "an author"}}), vec![]),
    ];
    for (kind, at_fault) in table {
        let patch = patch(serde_json::json!({"verification": {"criterion": "x", "kind": kind}}));
        let errors = patch.applied_to(&action(ActionStatus::Open)).err().unwrap_or_default();
        assert_eq!(errors.iter().map(|error| error.pointer.as_str()).collect::<Vec<_>>(), at_fault);
    }
}

#[test]
fn an_item_is_late_when_its_day_has_ended_and_never_once_closed() {
    let day = |day| NaiveDate::from_ymd_opt(2026, 7, day).expect("a day");
    let open = action(ActionStatus::Open);
    assert_eq!(open.days_late(day(14)), None);
    assert_eq!(open.days_late(day(15)), Some(1));
    assert_eq!(action(ActionStatus::WontDo).days_late(day(15)), None);
    assert_eq!(Action { due: None, ..open }.days_late(day(15)), None);
}

#[test]
fn a_note_needs_text_within_its_limit() {
    for (text, ok) in
        [("", false), (" \n\t", false), ("done", true), (&"é".repeat(20_000), true), (&"é".repeat(20_001), false)]
    {
        assert_eq!(NewNote { text: text.into() }.checked().is_ok(), ok, "{} characters", text.chars().count());
    }
}

fn milestone(milestone: Milestone, time: &str) -> MilestoneAt {
    MilestoneAt { milestone, at: at(time), entry: None }
}

#[test]
fn derived_times_of_the_worked_example() {
    let reached = [
        milestone(Milestone::ImpactStarted, "09:46"),
        milestone(Milestone::Detected, "09:46"),
        milestone(Milestone::Declared, "09:51"),
        milestone(Milestone::Mitigated, "10:11"),
        milestone(Milestone::Resolved, "10:17"),
    ];
    let derived = derive_times(&reached, Some(at("09:46")), Some(at("10:17")));
    let minutes = |minutes: i64| Computed::Value(Duration { seconds: minutes * 60 });
    assert_eq!(derived.duration, minutes(31));
    assert_eq!(derived.time_to_detect, minutes(0));
    assert_eq!(derived.time_to_acknowledge, minutes(5));
    assert_eq!(derived.time_to_mitigate, minutes(25));
    assert_eq!(derived.time_to_resolve, minutes(31));
}

#[test]
fn a_time_that_cannot_be_computed_says_why() {
    let reason = |computed: Computed<Duration>| match computed {
        Computed::Unavailable { unavailable } => unavailable,
        Computed::Value(value) => panic!("{value:?}"),
    };
    let late = [milestone(Milestone::ImpactStarted, "10:00"), milestone(Milestone::Detected, "09:00")];
    let derived = derive_times(&late, Some(at("10:00")), None);
    assert_eq!(reason(derived.duration), "the incident has no end yet");
    assert_eq!(reason(derived.time_to_detect), "‘Detected’ is set before ‘Impact started’");
    assert_eq!(reason(derived.time_to_mitigate), "no timeline entry marks ‘Mitigated’");
    assert_eq!(reason(derive_times(&[], None, None).duration), "the incident's start is not known");
    assert_eq!(
        reason(derive_times(&[], Some(at("10:00")), Some(at("09:00"))).duration),
        "its end is set before the incident's start"
    );
}

fn entry(id: &str, time: Option<&str>, milestone: Option<Milestone>) -> TimelineEntry {
    TimelineEntry {
        id: TimelineEntryId::new(id),
        occurred_at: time.map(at),
        occurred_until: None,
        recorded_at: at("12:00"),
        event: "Something".into(),
        decision: None,
        milestone,
        evidence: vec![],
        html: BTreeMap::new(),
    }
}

#[test]
fn milestones_come_from_the_earliest_entry_and_else_from_the_window() {
    let entries = [
        entry("a", None, Some(Milestone::Detected)),
        entry("b", Some("09:50"), Some(Milestone::Detected)),
        entry("c", Some("09:48"), Some(Milestone::Detected)),
    ];
    let found = milestones(&entries, Some(at("09:46")), None);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].milestone, found[0].entry.clone()), (Milestone::ImpactStarted, None));
    assert_eq!((found[1].at, found[1].entry.clone()), (at("09:48"), Some(TimelineEntryId::new("c"))));
}

fn change(flag: &str, state: &str, time: &str) -> FlagChange {
    FlagChange {
        id: FlagChangeId::new(format!("{flag}{time}")),
        flag: flag.into(),
        environment: None,
        state: state.into(),
        changed_at: at(time),
        effective_at: None,
        by: None,
        comment: None,
    }
}

#[test]
fn a_flag_is_followed_in_each_environment_by_itself() {
    let set = |environment: &str, state: &str, time: &str| FlagChange {
        environment: Some(environment.into()),
        ..change("a", state, time)
    };
    let changes = [
        set("staging", "on", "09:50"),
        change("a", "on", "09:40"),
        set("production", "on", "09:00"),
        set("production", "off", "10:11"),
    ];
    assert_eq!(names(&changes), ["a", "a (production)", "a (staging)"]);
    let states = |name: &str| -> Vec<_> {
        let spans = spans(&changes, name, at("09:46"), at("10:17"));
        spans.into_iter().map(|span| (span.state.map(str::to_owned), span.from)).collect()
    };
    assert_eq!(states("a"), [(Some("on".into()), at("09:46"))]);
    assert_eq!(states("a (production)"), [(Some("on".into()), at("09:46")), (Some("off".into()), at("10:11"))]);
    assert_eq!(states("a (staging)"), [(None, at("09:46")), (Some("on".into()), at("09:50"))]);
}

#[test]
fn a_flags_states_cover_a_span_without_gaps_whatever_the_order() {
    let changes = [
        change("a", "off", "10:11"),
        change("b", "on", "10:00"),
        change("a", "on", "09:50"),
        change("a", "on", "10:00"),
    ];
    let found: Vec<_> = spans(&changes, "a", at("09:46"), at("10:17"))
        .into_iter()
        .map(|span| (span.state.map(str::to_owned), span.from, span.until))
        .collect();
    assert_eq!(
        found,
        [
            (None, at("09:46"), at("09:50")),
            (Some("on".into()), at("09:50"), at("10:11")),
            (Some("off".into()), at("10:11"), at("10:17")),
        ]
    );
    assert_eq!(spans(&changes, "a", at("10:30"), at("10:40"))[0].state, Some("off"));
    assert!(spans(&changes, "a", at("10:40"), at("10:40")).is_empty());
}

fn bins() -> Vec<Bin> {
    let bin = |time, numerator, denominator| Bin { at: at(time), numerator, denominator };
    vec![
        bin("09:45", 50, 100),
        bin("09:46", 20, 100),
        bin("09:47", 30, 100),
        bin("09:48", 5, 300),
        bin("09:49", 0, 19),
        bin("09:50", 0, 20),
    ]
}

#[test]
fn the_comparison_pools_both_sides_and_finds_the_recovery() {
    let bins = bins();
    let changes = [change("retries", "on", "09:00"), change("retries", "off", "09:48")];
    let basis = Basis {
        window: Some(Window { from: at("09:46"), until: at("09:50") }),
        changes: &changes,
        bins: &bins,
        bin: TimeDelta::minutes(1),
        floor: 20,
        recovered_below: Some(0.01),
    };
    let Computed::Value(found) = compare(basis) else { panic!("it can be computed") };
    assert_eq!(found.before.ratio, Ratio { numerator: 50, denominator: 200 });
    assert_eq!(found.after.ratio, Ratio { numerator: 5, denominator: 319 });
    assert_eq!((found.before.state.as_deref(), found.after.state.as_deref()), (Some("on"), Some("off")));
    let baseline = found.baseline.expect("the bins reach back");
    assert_eq!((baseline.ratio, baseline.from), (Ratio { numerator: 50, denominator: 100 }, at("09:45")));
    assert_eq!(found.finding, Finding::Fell);
    let told = &found.sentence;
    assert!(
        told.starts_with("After the change the share of failures was 23.4 percentage points lower (95% interval "),
        "{told}"
    );
    assert!(told.contains("does not show that the change was the cause"), "{told}");
    let recovery = found.recovery.value().expect("it recovered");
    assert_eq!((recovery.at, recovery.after.seconds), (at("09:50"), 120), "a bin below the floor proves nothing");
}

#[test]
fn a_comparison_that_cannot_be_made_says_why() {
    let bins = bins();
    let window = Some(Window { from: at("09:46"), until: at("09:50") });
    let switched = [change("retries", "on", "09:00"), change("retries", "off", "09:48")];
    let confirmed = [change("retries", "on", "09:00"), change("retries", "on", "09:48")];
    let outside = [change("retries", "on", "09:00")];
    let basis = |window, changes, bins| Basis {
        window,
        changes,
        bins,
        bin: TimeDelta::minutes(1),
        floor: 20,
        recovered_below: None,
    };
    for (basis, reason) in [
        (basis(None, &switched[..], &bins[..]), "the incident has no start and end to compare within"),
        (basis(window, &[], &bins), "no flag changes have been imported"),
        (basis(window, &switched, &[]), "no events have been imported"),
        (basis(window, &outside, &bins), "no flag was switched inside the incident"),
        (basis(window, &confirmed, &bins), "no flag was switched inside the incident"),
    ] {
        assert_eq!(compare(basis), Computed::unavailable(reason));
    }
    let Computed::Value(found) = compare(basis(window, &switched, &bins)) else { panic!("it can be computed") };
    assert_eq!(found.recovery, Computed::unavailable("nobody stated the rate that counts as recovered"));
}

#[test]
fn a_comparison_of_too_few_attempts_says_so() {
    let changes = [change("retries", "on", "09:00"), change("retries", "off", "09:48")];
    let bin = |time, numerator, denominator| Bin { at: at(time), numerator, denominator };
    for (before, after, finding, words) in [
        ((5, 100), (9, 100), Finding::TooLittle, "anything from 3.5 lower to 11.8 higher can be chance"),
        ((15, 19), (1, 300), Finding::TooLittle, "one side of the change has only 19 attempts"),
        ((15, 20), (0, 0), Finding::TooLittle, "there were no attempts"),
        ((5, 300), (60, 300), Finding::Rose, "18.3 percentage points higher (95% interval 13.7 to 23.3)"),
    ] {
        let bins = [bin("09:47", before.0, before.1), bin("09:48", after.0, after.1)];
        let basis = Basis {
            window: Some(Window { from: at("09:46"), until: at("09:50") }),
            changes: &changes,
            bins: &bins,
            bin: TimeDelta::minutes(1),
            floor: 20,
            recovered_below: None,
        };
        let Computed::Value(found) = compare(basis) else { panic!("it can be computed") };
        assert_eq!(found.finding, finding, "{}", found.sentence);
        assert!(found.sentence.contains(words), "{}", found.sentence);
        assert_eq!(found.baseline, None, "the bins do not reach back");
    }
}

#[test]
fn the_first_view_reaches_half_an_hour_beyond_the_window() {
    let span = Some(Window { from: at("00:00"), until: at("23:00") });
    let window = Some(Window { from: at("09:46"), until: at("10:17") });
    assert_eq!(first_view(window, span), Some(Window { from: at("09:16"), until: at("10:47") }));
    assert_eq!(first_view(None, span), span);
    assert_eq!(Window::of(Some(at("10:00")), Some(at("10:00"))), None);
}

#[test]
fn marks_are_told_from_other_brackets() {
    for (marked, plain, evidence) in [
        ("saturation.[^2] Next.[^3]", "saturation. Next.", vec![2, 3]),
        ("[^a] [^] [^0] [^12345] [1]", "[^a] [^] [^0] [^12345] [1]", vec![]),
        ("[^1][^2]", "", vec![1, 2]),
        ("x[^", "x[^", vec![]),
    ] {
        let prose = Prose::new(marked);
        let cited: Vec<_> = prose.places().into_iter().flat_map(|(_, numbers)| numbers).collect();
        assert_eq!((prose.plain(), cited), (plain.to_owned(), evidence), "{marked}");
    }
}

#[test]
fn an_item_that_waits_for_its_proof_goes_back_to_work_where_the_criterion_is_another() {
    let patch = |json: serde_json::Value| -> ActionPatch { serde_json::from_value(json).expect("a patch") };
    let kind = serde_json::json!({"attested": {"by": "not_owner"}});
    let waiting = action(ActionStatus::ToVerify);
    let words = waiting.verification.criterion.clone();
    let settled = patch(serde_json::json!({"verification": {"criterion": words, "kind": kind}}));
    let settled = settled.applied_to(&waiting).expect("the same words, settled");
    assert_eq!(settled.status, ActionStatus::ToVerify);
    for verification in
        [serde_json::json!({"criterion": words}), serde_json::json!({"criterion": "another", "kind": kind})]
    {
        let next = patch(serde_json::json!({"verification": verification})).applied_to(&settled).expect("allowed");
        assert_eq!(next.status, ActionStatus::InProgress);
        let stays = patch(serde_json::json!({"verification": verification, "status": "to_verify"}));
        assert_eq!(stays.applied_to(&settled).expect_err("it does not stay")[0].pointer, "/status");
    }
    let same = patch(serde_json::json!({"verification": {"criterion": words, "kind": kind}, "priority": "high"}));
    assert_eq!(same.applied_to(&settled).expect("allowed").status, ActionStatus::ToVerify);
}

#[test]
fn null_empties_what_may_be_empty_and_is_refused_elsewhere() {
    let owned = Action { owner: "Payments".into(), ..action(ActionStatus::Open) };
    let patch: ActionPatch = serde_json::from_value(serde_json::json!({"owner": null})).expect("an owner is emptied");
    assert_eq!(patch.applied_to(&owned).expect("allowed").owner, "");
    for field in ["status", "change", "verification"] {
        assert!(serde_json::from_value::<ActionPatch>(serde_json::json!({field: null})).is_err(), "{field}");
    }
    let patch: UserPatch =
        serde_json::from_value(serde_json::json!({"email": null})).expect("an address is taken away");
    assert_eq!(patch, UserPatch { email: Some(String::new()), ..UserPatch::default() });
    for field in ["name", "role", "support", "disabled"] {
        assert!(serde_json::from_value::<UserPatch>(serde_json::json!({field: null})).is_err(), "{field}");
    }
    for field in ["name", "members"] {
        assert!(serde_json::from_value::<TeamPatch>(serde_json::json!({field: null})).is_err(), "{field}");
    }
    let evidence = serde_json::from_value::<EvidencePatch>;
    assert!(evidence(serde_json::json!({"kind": null})).is_err());
}

#[test]
fn a_load_test_that_is_cited_has_the_metric_or_a_link_stands_beside_it() {
    let measured =
        Measured { metric: "p95".into(), comparator: Comparator::Below, threshold: 5.into(), unit: Unit::Count };
    let kind = Some(VerificationKind::Measured(measured));
    let verification = Verification { criterion: "it holds".into(), kind };
    let item = Action { verification, ..action(ActionStatus::ToVerify) };
    let offer = |link: Option<&str>| -> NewVerification {
        let proof = serde_json::json!({"measured": {"value": 1, "unit": "count"}, "evidence": 2, "link": link});
        serde_json::from_value(proof).expect("a proof")
    };
    let pointers = |proof: &NewVerification, cited: Cited| -> Vec<String> {
        let errors = proof.checked(&item, Some(cited), None).err().unwrap_or_default();
        errors.into_iter().map(|error| error.pointer).collect()
    };
    let lacking = Cited { measured: None, is_load_test: true };
    assert_eq!(pointers(&offer(None), lacking), ["/link"]);
    assert_eq!(pointers(&offer(Some("https://a.example")), lacking), [""; 0]);
    assert_eq!(pointers(&offer(None), Cited::default()), [""; 0], "a source of another kind is looked at by people");
    let read = |value: u32, unit| Cited { measured: Some(Quantity { value: value.into(), unit }), is_load_test: true };
    assert_eq!(pointers(&offer(None), read(100, Unit::Milliseconds)), ["/measured/unit"]);
    assert_eq!(pointers(&offer(None), read(2, Unit::Count)), ["/measured/value"]);
    assert_eq!(pointers(&offer(None), read(1, Unit::Count)), [""; 0]);
}

#[test]
fn the_same_name_in_another_spelling_is_the_same_person() {
    let patch = |name: &str| ActionPatch { assignee: Some(Some(name.into())), ..Default::default() };
    let known =
        Action { assignee: Some("Ed".into()), assignee_id: Some(UserId::new("usr_ed")), ..action(ActionStatus::Open) };
    assert_eq!(patch("  ED ").applied_to(&known).expect("allowed"), known);
    let other = patch("Ada").applied_to(&known).expect("allowed");
    assert_eq!((other.assignee.as_deref(), other.assignee_id), (Some("Ada"), None));
    let guest = Action { assignee: Some("a guest".into()), ..action(ActionStatus::Open) };
    let respelled = patch("A Guest").applied_to(&guest).expect("allowed");
    assert_eq!((respelled.assignee.as_deref(), respelled.assignee_id), (Some("A Guest"), None));
}
