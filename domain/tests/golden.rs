//! Golden JSON: each wire type as it stands on the wire, and read back from there.
//!
//! `UPDATE_GOLDEN=1 cargo test -p debrief-domain` writes the files anew; the change is then there to be reviewed.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use domain::action::{Action, ActionStatus, ActionType, Note, Priority};
use domain::claim::{Check, Claim, ClaimProposal, Computation, LabelIs, Target, Verdict};
use domain::comparison::{Finding, FlagComparison, Phase, Recovery};
use domain::deploy::Deploy;
use domain::derived::{Computed, Duration, derive_times};
use domain::draft::{ActionDraft, Diagnostic, EvidenceDraft, ImpactDraft, IncidentDraft, Level, TimelineDraft};
use domain::evidence::{Citation, Evidence, EvidenceKind};
use domain::flag::FlagChange;
use domain::impact::{Confidence, ImpactMeasure};
use domain::import::{ImportKind, ImportedFile};
use domain::incident::{IncidentStatus, ReviewState, Severity, Thresholds, Visibility, Window};
use domain::interval::{Difference, Interval};
use domain::mapping::{Mapping, TimeFormat};
use domain::prose::Prose;
use domain::quantity::Number;
use domain::signal::{Bin, Point, PrometheusRead, Ratio, Signal, SignalSource, ValueSignal, ValueSource};
use domain::timeline::{Milestone, TimelineEntry, milestones};
use domain::verification::Verification;
use domain::wire::actions::{ActionPatch, NewNote};
use domain::wire::changes::Change;
use domain::wire::imports::{EventsPreview, EventsReport, PreviewColumn, Refused, RefusedRow, SavedMapping};
use domain::wire::incidents::{AccessMarks, ActionCounts, Dashboard, IncidentSummary, ShareMark};
use domain::wire::page::Page;
use domain::wire::problem::{FieldError, Problem, ProblemKind};
use domain::wire::signals::Signals;
use domain::{
    ActionId, ClaimId, DeployId, FlagChangeId, ImpactId, ImportId, IncidentId, NoteId, SignalId, TimelineEntryId,
    UserId,
};

#[path = "golden/file.rs"]
mod file;

use file::{golden, written};

fn at(time: &str) -> DateTime<Utc> {
    format!("2026-07-09T{time}Z").parse().expect("a time")
}

fn note() -> Note {
    Note {
        id: NoteId::new("note_1"),
        author: "local".into(),
        recorded_at: at("12:00:00.125"),
        text: "Queue is **live**".into(),
        html: "<p>Queue is <strong>live</strong></p>".into(),
    }
}

fn action() -> Action {
    Action {
        id: ActionId::new("act_1"),
        incident_id: IncidentId::new("inc_1"),
        version: 3,
        change: "Move `retries` to the queue".into(),
        owner: "Payments".into(),
        assignee: Some("Ada".into()),
        assignee_id: Some(UserId::new("usr_ada")),
        kind: Some(ActionType::Prevent),
        priority: Some(Priority::High),
        due: NaiveDate::from_ymd_opt(2026, 7, 14),
        verification: Verification::in_words("Load test holds p95 below 2s"),
        status: ActionStatus::Blocked,
        reason: Some("waiting for the provider".into()),
        evidence: vec![1],
        accepted: None,
        link: Some("https://tracker.example/PAY-7".into()),
        due_moves: 2,
        reopenings: 1,
        created_at: at("10:00:00"),
        updated_at: at("11:00:00"),
        proposal: None,
        hints: Vec::new(),
        html: [("change".to_owned(), "Move <code>retries</code> to the queue".to_owned())].into(),
        notes: Some(vec![note()]),
    }
}

fn signal() -> Signal {
    Signal {
        id: SignalId::new("sig_1"),
        title: "Failed attempts".into(),
        numerator_unit: "failed attempts".into(),
        denominator_unit: "attempts".into(),
        bin_seconds: 60,
        floor: 20,
        total: Ratio { numerator: 12, denominator: 209 },
        span: Some(Window { from: at("09:46:00"), until: at("09:47:00") }),
        sources: vec![SignalSource {
            file_name: "events.csv".into(),
            sha256: "ab".repeat(32),
            imported_at: at("12:00:00"),
        }],
        thinned: false,
        bins: vec![Bin { at: at("09:46:00"), numerator: 12, denominator: 209 }],
    }
}

fn value_signal() -> ValueSignal {
    ValueSignal {
        id: SignalId::new("sig_2"),
        title: "Queue length".into(),
        unit: "jobs".into(),
        labels: [("queue".to_owned(), "retries".to_owned())].into(),
        source: ValueSource {
            file_name: "prometheus-main.json".into(),
            sha256: "cd".repeat(32),
            imported_at: at("12:00:00"),
            evidence: 7,
            prometheus: Some(PrometheusRead {
                server: Some("main".into()),
                query: "queue_length".into(),
                from: at("09:16:00"),
                until: at("10:47:00"),
                step_seconds: 60,
                warnings: vec!["remote read failed".into()],
            }),
        },
        span: Some(Window { from: at("09:46:00"), until: at("09:47:00.001") }),
        count: 2,
        gaps: 1,
        thinned: false,
        points: vec![Point { at: at("09:46:00"), value: Some(17.5) }, Point { at: at("09:47:00"), value: None }],
    }
}

fn dashboard() -> Dashboard {
    let entry = TimelineEntry {
        id: TimelineEntryId::new("tl_1"),
        occurred_at: Some(at("09:46:00")),
        occurred_until: None,
        recorded_at: at("12:00:00"),
        event: "Provider latency crosses 4 seconds".into(),
        decision: Some("Alert fires".into()),
        milestone: Some(Milestone::Detected),
        evidence: vec![2],
        html: BTreeMap::new(),
    };
    let (started_at, ended_at) = (Some(at("09:46:00")), Some(at("10:17:00")));
    let milestones = milestones(std::slice::from_ref(&entry), started_at, ended_at);
    let phase = |state: &str, from: &str, until: &str, numerator, denominator| Phase {
        state: Some(state.into()),
        from: at(from),
        until: at(until),
        ratio: Ratio { numerator, denominator },
        interval: Some(Interval { low: 0.25, high: 0.5 }),
    };
    Dashboard {
        id: IncidentId::new("inc_1"),
        name: "INC-1".into(),
        version: 7,
        title: "Checkout recovered".into(),
        summary: "Checkout recovered.".into(),
        key_points: vec!["A timeout met an unbounded retry path.".into()],
        severity: Some(Severity::Sev2),
        status: IncidentStatus::Resolved,
        review_state: ReviewState::Draft,
        started_at,
        ended_at,
        home_zone: "UTC".into(),
        services: vec!["checkout".into()],
        tags: vec![],
        thresholds: Thresholds { alert: Some(0.05), recovered: None },
        impact: vec![ImpactMeasure {
            id: ImpactId::new("imp_1"),
            label: "Failed attempts".into(),
            result: "1,284".into(),
            quantity: Some(1284.0),
            unit: None,
            confidence: Confidence::Confirmed,
            basis: Some("checkout events".into()),
            evidence: vec![1],
            html: BTreeMap::new(),
        }],
        derived: derive_times(&milestones, started_at, ended_at),
        milestones,
        timeline: vec![entry],
        root_cause: "The slowdown was the trigger.".into(),
        actions: vec![action()],
        follow_up: "Write only to customers whose final attempt failed.".into(),
        evidence: vec![Evidence {
            number: 1,
            version: 2,
            title: None,
            kind: EvidenceKind::Events,
            link: Some("https://example.org/events".into()),
            captured_at: None,
            removed_at: None,
            load_test: None,
            file: None,
            withheld: false,
        }],
        citations: vec![Citation { field: "/summary".into(), offset: 19, evidence: vec![1] }],
        html: [("summary".to_owned(), "<p>Checkout recovered.</p>".to_owned())].into(),
        signals: vec![signal()],
        values: vec![value_signal()],
        flags: vec![FlagChange {
            id: FlagChangeId::new("flag_1"),
            flag: "checkout-sync-retries".into(),
            environment: None,
            state: "off".into(),
            changed_at: at("10:11:00"),
            effective_at: None,
            by: Some("on-call".into()),
            comment: None,
        }],
        deploys: vec![Deploy {
            id: DeployId::new("dep_1"),
            at: at("09:44:30"),
            service: "checkout".into(),
            version: "2026.07.09-1".into(),
            environment: Some("production".into()),
            by: None,
            link: Some("https://deploys.example/checkout/812".into()),
        }],
        imports: [
            ("import_1", ImportKind::Deploys, "deploys.csv"),
            ("import_2", ImportKind::Values, "queue.csv"),
            ("import_3", ImportKind::Prometheus, "prometheus-main.json"),
        ]
        .into_iter()
        .map(|(id, kind, file_name)| ImportedFile {
            id: ImportId::new(id),
            kind,
            file_name: file_name.into(),
            sha256: "ab".repeat(32),
            imported_at: at("12:10:00"),
        })
        .collect(),
        comparison: Computed::Value(FlagComparison {
            flag: "checkout-sync-retries".into(),
            changed_at: at("10:11:00"),
            baseline: Some(phase("on", "09:16:00", "09:46:00", 5, 1000)),
            before: phase("on", "09:46:00", "10:11:00", 1207, 5567),
            after: phase("off", "10:11:00", "10:17:00", 77, 1336),
            difference: Some(Difference { value: -0.125, interval: Interval { low: -0.25, high: -0.0625 } }),
            finding: Finding::Fell,
            sentence: "It was lower.".into(),
            recovery: Computed::Value(Recovery { below: 0.01, at: at("10:17:00"), after: Duration { seconds: 360 } }),
        }),
        claims: vec![claim()],
        claim_proposals: vec![ClaimProposal {
            target: Target { measure: None, field: Some("summary".into()), figure: Some("18.6%".into()) },
            computation: Computation::of(domain::claim::Measured::FailedShare),
            stated: "18.6%".into(),
        }],
        diagnostics: vec![diagnostic()],
        created_at: at("12:00:00"),
        updated_at: at("12:30:00"),
        access: Some(AccessMarks {
            visibility: Visibility::Open,
            shares: vec![ShareMark { audience: "the provider".into(), until: at("23:00:00") }],
        }),
        shared_until: None,
    }
}

fn claim() -> Claim {
    Claim {
        id: ClaimId::new("clm_1"),
        version: 2,
        target: Target { measure: Some(ImpactId::new("imp_1")), field: None, figure: None },
        computation: Computation {
            window: Some(Window { from: at("09:46:00"), until: at("10:17:00") }),
            label: Some(LabelIs { name: "region".into(), word: "eu".into() }),
            upper: Number::try_from(0.05).ok(),
            lower: Number::try_from(0.01).ok(),
            min_attempts: Some(20),
            percentile: None,
            signal: None,
            measure: domain::claim::Measured::Duration,
        },
        stated: Some("31 minutes".into()),
        check: Check {
            verdict: Verdict::Differs,
            computed: Some("33 minutes".into()),
            difference: Some("+2 minutes".into()),
            reason: None,
        },
    }
}

fn diagnostic() -> Diagnostic {
    Diagnostic { level: Level::Warning, line: Some(7), message: "not understood".into(), text: Some("???".into()) }
}

#[test]
fn the_dashboard() {
    golden("dashboard", &dashboard());
}

#[test]
fn a_shared_dashboard_says_until_when_and_not_with_whom_else() {
    let shared = Dashboard { access: None, shared_until: Some(at("23:00:00")), ..dashboard() };
    let json = serde_json::to_value(&shared).expect("it can be written");
    assert_eq!((json.get("access"), json["shared_until"].as_str()), (None, Some("2026-07-09T23:00:00Z")));
    assert_eq!(serde_json::from_value::<Dashboard>(json).expect("it can be read"), shared);
}

#[test]
fn a_comparison_that_cannot_be_made() {
    golden("comparison-unavailable", &Computed::<FlagComparison>::unavailable("no events have been imported"));
}

#[test]
fn a_page_of_incidents() {
    let summary = IncidentSummary {
        id: IncidentId::new("inc_1"),
        name: "INC-1".into(),
        title: "Checkout recovered".into(),
        summary: "Checkout recovered.".into(),
        severity: None,
        status: IncidentStatus::Investigating,
        started_at: None,
        ended_at: None,
        home_zone: "+02:00".into(),
        actions: ActionCounts { total: 4, open: 3, verified: 1 },
    };
    golden("incidents-page", &Page { items: vec![summary], next: Some("c1".to_owned()) });
}

#[test]
fn a_page_of_signals() {
    let page = Signals { items: vec![signal()], values: vec![value_signal()], next: None };
    golden("signals", &page);
}

#[test]
fn an_action_and_its_note() {
    golden("action", &Action { notes: None, html: BTreeMap::new(), ..action() });
    golden("note", &note());
    golden("new-note", &NewNote { text: "done".into() });
}

#[test]
fn a_change_as_it_is_told() {
    let change = Change {
        seq: 17,
        incident_id: IncidentId::new("inc_1"),
        incident_name: "INC-1".into(),
        incident_version: 5,
        subject: "note".into(),
        subject_id: "note_1".into(),
        action_id: Some(ActionId::new("act_1")),
        action_version: Some(2),
        actor: "Ada".into(),
    };
    golden("change", &change);
}

#[test]
fn a_patch_tells_null_from_absent() {
    let patch = ActionPatch {
        status: Some(ActionStatus::Blocked),
        reason: Some(Some("waiting".into())),
        assignee: Some(None),
        due: Some(NaiveDate::from_ymd_opt(2026, 7, 20)),
        ..Default::default()
    };
    golden("action-patch", &patch);
    assert_eq!(serde_json::from_str::<ActionPatch>("{}").expect("an empty patch"), ActionPatch::default());
    assert!(serde_json::from_str::<ActionPatch>(r#"{"version":1}"#).is_err(), "unknown fields are refused");
}

#[test]
fn problems() {
    let mut problem = Problem::new(ProblemKind::Stale, "version 3 is current");
    problem.current = Some(Box::new(action()));
    golden("problem-stale", &problem);
    let mut problem = Problem::new(ProblemKind::Invalid, "‘verified’ needs a verification");
    problem.errors.push(FieldError::new("/status", "an item becomes ‘verified’ only by an accepted verification"));
    golden("problem-invalid", &problem);
    for kind in ProblemKind::ALL {
        assert!((400..600).contains(&kind.status()), "{kind}");
    }
}

#[test]
fn a_draft_as_parse_prints_it() {
    let draft = IncidentDraft {
        title: "Checkout recovered".into(),
        summary: Prose::new("Checkout recovered.[^1]"),
        key_points: vec![Prose::new("A timeout met a retry path.[^2]")],
        severity: Some(Severity::Sev2),
        status: IncidentStatus::Resolved,
        started_at: Some(at("09:46:00")),
        ended_at: None,
        home_zone: "UTC".into(),
        services: vec![],
        tags: vec![],
        thresholds: Thresholds::default(),
        impact: vec![ImpactDraft {
            label: "Share failed".into(),
            result: "18.6%".into(),
            quantity: Some(18.6),
            unit: Some("%".into()),
            confidence: Confidence::Estimated,
            basis: None,
            evidence: vec![],
        }],
        timeline: vec![TimelineDraft {
            occurred_at: None,
            occurred_until: None,
            written_time: "??:??".into(),
            event: "Somebody noticed".into(),
            decision: None,
            milestone: None,
            evidence: vec![],
        }],
        root_cause: Prose::default(),
        actions: vec![ActionDraft {
            owner: "Payments".into(),
            change: "Move retries".into(),
            due: None,
            verification: Verification::default(),
            done: true,
            evidence: vec![],
        }],
        follow_up: Prose::default(),
        evidence: vec![EvidenceDraft { number: 1, title: None, kind: EvidenceKind::Log, link: None }],
    };
    written("draft", &draft);
    assert_eq!(
        draft.citations(),
        [
            Citation { field: "/summary".into(), offset: 19, evidence: vec![1] },
            Citation { field: "/key_points/0".into(), offset: 27, evidence: vec![2] },
        ]
    );
    golden("diagnostic", &diagnostic());
    assert_eq!(diagnostic().to_string(), "line 7: warning: not understood");
}

#[test]
fn imports() {
    let mapping = Mapping {
        time: Some("when".into()),
        attempt: Some("id".into()),
        customer: Some("who".into()),
        outcome: Some("end".into()),
        latency: None,
        labels: vec!["region".into()],
        completed: vec!["ok".into()],
        failed: vec!["KO".into()],
        time_format: Some(TimeFormat::Written),
        zone: Some("Europe/Berlin".into()),
    };
    let refused = || Refused { total: 1200, rows: vec![RefusedRow { place: 3, reason: "id is empty".into() }] };
    let report = EventsReport {
        file_name: "shop.csv.gz".into(),
        rows_read: 20_594,
        attempts: 20_554,
        repeated: 40,
        conflicting: Refused::default(),
        refused: refused(),
        already_imported: false,
        replaced: true,
        total: Ratio { numerator: 1358, denominator: 20_554 },
        mapping: mapping.clone(),
    };
    golden("events_report", &report);
    assert!(report.to_string().ends_with("\n  line 3: id is empty\n  … and 1199 more"), "{report}");
    golden(
        "events_preview",
        &EventsPreview {
            shape: "CSV parted by ‘;’, compressed with gzip".into(),
            columns: vec![PreviewColumn { name: "when".into(), values: vec!["2026-07-09 11:50".into()] }],
            mapping: Mapping { time: Some("when".into()), ..Mapping::default() },
            saved_as: None,
            unknown_outcomes: vec!["ok".into()],
            trouble: Some("which column holds the attempt?".into()),
            rows_read: 0,
            refused: Refused::default(),
        },
    );
    golden("saved_mapping", &SavedMapping { name: "Shop".into(), columns: vec!["when".into()], mapping });
}
