//! Golden JSON for what is asked and answered beside the dashboard, and that no type of the contract is without.

use std::collections::BTreeSet;
use std::path::Path;

use chrono::{DateTime, NaiveDate, Utc};
use domain::action::{Action, ActionStatus, ActionType, Priority};
use domain::claim::{self, Computation, LabelIs, Target};
use domain::cohort::Standing;
use domain::evidence::{Evidence, EvidenceFile, EvidenceKind, ImportedLoadTest, MediaType};
use domain::filter::DueIn;
use domain::hint::{Hint, HintKind};
use domain::import::{ImportKind, ImportedFile};
use domain::incident::{IncidentStatus, Severity, Visibility, Window};
use domain::load_test::{LoadMetric, LoadTest, LoadTestTool};
use domain::mapping::{Mapping, TimeFormat};
use domain::message::{Objection, ObjectionKind};
use domain::person::{Person, Role};
use domain::quantity::{Number, Unit};
use domain::signal::{Point, PrometheusRead, Ratio};
use domain::verification::{Attested, Attester, Comparator, Measured, Verification, VerificationKind};
use domain::wire::access::{
    IncidentAccess, Me, NewPassword, NewShare, NewTeam, NewToken, NewUser, Session, Share, ShareMade, SignIn,
    SignInByLink, SignInByPassword, SignInLink, SignInOptions, SignInProblem, Team, TeamPatch, Token, TokenMade, User,
    UserMade, UserPatch,
};
use domain::wire::actions::{ActionPatch, Advice, NewAction};
use domain::wire::claims::{ClaimPatch, NewClaim};
use domain::wire::cohort::{
    CohortCustomer, CohortSummary, Contacted, ContactedReport, Message, MessageCheck, MessageReport, Moved, NewMessage,
};
use domain::wire::evidence::{EvidencePatch, EvidenceReport, NewEvidence};
use domain::wire::history::{ChangeKind, FieldChange, HistoryEntry};
use domain::wire::imports::{
    EventsPreview, EventsReport, ImportRemoval, ListReport, ListedThing, PreviewColumn, Refused, RefusedRow,
    SavedMapping,
};
use domain::wire::incidents::{AccessMarks, ActionCounts, IncidentSummary, ShareMark};
use domain::wire::page::Page;
use domain::wire::problem::{FieldError, ProblemKind};
use domain::wire::signals::{NewSignals, PrometheusQuery, PrometheusServer, SignalRead, SignalsReport, ValueMapping};
use domain::wire::tracker::{
    BulkAnswer, BulkPatch, ItemIncident, ItemOutcome, ItemVersion, Outcome, OwnerCount, StatusCount, TrackerCounts,
    TrackerItem,
};
use domain::wire::verifications::{MeasuredValue, NewVerification, Statement};
use domain::{ActionId, ImpactId, ImportId, IncidentId, SessionId, ShareId, TeamId, TokenId, UserId};

#[path = "golden/file.rs"]
mod file;

use file::{golden, written};

fn at(time: &str) -> DateTime<Utc> {
    format!("2026-07-09T{time}Z").parse().expect("a time")
}

fn ada() -> Person {
    Person { id: UserId::new("usr_ada"), name: "Ada Ferris".into() }
}

fn user() -> User {
    User {
        id: UserId::new("usr_ada"),
        version: 4,
        name: "Ada Ferris".into(),
        email: Some("ada@example.com".into()),
        role: Role::Editor,
        support: true,
        teams: vec!["Payments".into()],
        disabled: false,
        created_at: at("08:00:00"),
        last_seen_at: None,
    }
}

fn sign_in_link() -> SignInLink {
    SignInLink { url: "https://debrief.example/sign-in#dbl_x".into(), expires_at: at("12:00:00") }
}

fn team() -> Team {
    Team { id: TeamId::new("team_1"), version: 2, name: "Payments".into(), members: vec![ada()] }
}

fn token() -> Token {
    Token {
        id: TokenId::new("tok_1"),
        name: "CI".into(),
        user: Some(ada()),
        role: Role::Viewer,
        support: false,
        created_at: at("08:00:00"),
        last_used_at: Some(at("09:00:00.250")),
        expires_at: None,
    }
}

fn share() -> Share {
    Share {
        id: ShareId::new("shr_1"),
        incident_id: IncidentId::new("inc_1"),
        incident_name: "INC-1".into(),
        audience: "the provider".into(),
        created_by: "Ada Ferris".into(),
        created_at: at("08:00:00"),
        expires_at: at("23:00:00"),
    }
}

fn measured() -> VerificationKind {
    VerificationKind::Measured(Measured {
        metric: "p95".into(),
        comparator: Comparator::Below,
        threshold: 2.into(),
        unit: Unit::Seconds,
    })
}

fn attested() -> VerificationKind {
    VerificationKind::Attested(Attested { by: Attester::Named("support".into()), excludes: Some("an author".into()) })
}

fn action() -> Action {
    Action::blank(ActionId::new("act_1"), IncidentId::new("inc_1"), at("10:00:00"))
}

fn load_test() -> Evidence {
    Evidence {
        number: 6,
        version: 1,
        title: Some("oha load test: oha.json".into()),
        kind: EvidenceKind::LoadTest,
        link: None,
        captured_at: Some(at("11:00:00")),
        removed_at: Some(at("12:00:00")),
        load_test: Some(Box::new(ImportedLoadTest {
            file_name: "oha.json".into(),
            sha256: "ab".repeat(32),
            imported_at: at("11:30:00"),
            test: LoadTest {
                tool: LoadTestTool::Oha,
                version: None,
                captured_at: Some(at("11:00:00")),
                metrics: vec![LoadMetric {
                    name: "error rate".into(),
                    value: Number::try_from(0.07).expect("a number"),
                    unit: Unit::Ratio,
                    ratio: Some(Ratio { numerator: 7, denominator: 100 }),
                }],
                percentile_basis: "of all answers".into(),
                error_basis: "no answer".into(),
                notes: vec!["timeouts are left out".into()],
            },
        })),
        file: None,
        withheld: false,
    }
}

fn picture() -> Evidence {
    Evidence {
        number: 7,
        title: Some("p95 over an hour".into()),
        kind: EvidenceKind::Metric,
        removed_at: None,
        load_test: None,
        file: Some(Box::new(EvidenceFile {
            file_name: "p95.png".into(),
            media: MediaType::Png,
            bytes: 48_213,
            width: Some(1280),
            height: Some(720),
            description: Some("p95 falls from 4 s to 0.3 s at 10:11".into()),
            stripped: true,
            sha256: "cd".repeat(32),
            added_at: at("12:00:00"),
        })),
        ..load_test()
    }
}

#[test]
fn who_is_who() {
    golden(
        "me",
        &Me {
            user_id: Some(UserId::new("usr_ada")),
            name: "Ada Ferris".into(),
            email: None,
            role: Role::Member,
            support: false,
            teams: vec!["Payments".into()],
            session_id: Some(SessionId::new("ses_1")),
            has_password: true,
        },
    );
    let by_link = SignInByLink { link: "dbl_x".into(), instead: true };
    let by_password = SignInByPassword { email: "ada@example.com".into(), password: "four rainy mondays".into() };
    golden("sign-in-by-link", &by_link);
    golden("sign-in-by-password", &by_password);
    golden("sign-in", &vec![SignIn::Link(by_link), SignIn::Password(by_password)]);
    golden("sign-in-options", &SignInOptions { oidc: Some("Example SSO".into()) });
    golden("sign-in-problem", &SignInProblem::ALL.to_vec());
    golden("new-password", &NewPassword { current: Some("one".into()), password: "another".into() });
    golden(
        "session",
        &Session {
            id: SessionId::new("ses_1"),
            user: ada(),
            agent: "a browser".into(),
            created_at: at("08:00:00"),
            last_seen_at: at("09:00:00"),
            expires_at: at("23:00:00"),
            current: true,
        },
    );
    golden("user", &user());
    let new = NewUser { name: "Ada Ferris".into(), email: None, role: Role::Viewer, support: false };
    golden("new-user", &new);
    golden("user-patch", &UserPatch { role: Some(Role::Admin), disabled: Some(true), ..UserPatch::default() });
    golden("user-made", &UserMade { user: user(), sign_in: sign_in_link() });
    golden("sign-in-link", &sign_in_link());
    golden("team", &team());
    golden("new-team", &NewTeam { name: "Payments".into(), members: vec![UserId::new("usr_ada")] });
    golden("team-patch", &TeamPatch { name: None, members: Some(Vec::new()) });
    golden("token", &token());
    golden("new-token", &NewToken { name: "CI".into(), role: Role::Viewer, support: false, days: 30 });
    golden("token-made", &TokenMade { token: token(), secret: "dbt_x".into() });
    assert!(serde_json::from_str::<NewUser>(r#"{"name":"A","role":"viewer","admin":true}"#).is_err(), "unknown fields");
}

#[test]
fn who_may_see_what() {
    golden("share", &share());
    golden("new-share", &NewShare { incident_id: "INC-1".into(), audience: "the provider".into(), days: 14 });
    golden("share-made", &ShareMade { share: share(), url: "https://debrief.example/s/dbv_x".into() });
    let access = IncidentAccess {
        version: 3,
        visibility: Visibility::Restricted,
        people: vec![UserId::new("usr_ada")],
        teams: vec![TeamId::new("team_1")],
    };
    golden("incident-access", &access);
    let bare =
        serde_json::from_str::<IncidentAccess>(r#"{"visibility":"restricted"}"#).expect("the rest may be left out");
    assert_eq!((bare.version, bare.people.len(), bare.teams.len()), (0, 0, 0));
    let mark = ShareMark { audience: "the provider".into(), until: at("23:00:00") };
    golden("share-mark", &mark);
    golden("access-marks", &AccessMarks { visibility: Visibility::Open, shares: vec![mark] });
}

#[test]
fn writing_and_proving_an_item() {
    let verification = Verification { criterion: "p95 below 2s".into(), kind: Some(measured()) };
    let new = NewAction {
        change: "Move retries".into(),
        owner: "Payments".into(),
        assignee: Some("Ada Ferris".into()),
        kind: Some(ActionType::Prevent),
        priority: Some(Priority::High),
        due: NaiveDate::from_ymd_opt(2026, 7, 14),
        verification,
        link: Some("https://tracker.example/PAY-7".into()),
    };
    golden("new-action", &new);
    assert_eq!(serde_json::from_str::<NewAction>("{}").expect("as far as it was written"), NewAction::default());
    let hint = Hint {
        kind: HintKind::NoDueDate,
        pointer: "/due".into(),
        message: "Without a due date this is never late.".into(),
    };
    golden("advice", &Advice { hints: vec![hint], proposal: Some(attested()) });
    let value = MeasuredValue { value: Number::try_from(1.8).expect("a number"), unit: Unit::Seconds };
    golden("measured-value", &value);
    let statement = Statement { statement: "I followed it".into(), not_excluded: true };
    golden("statement", &statement);
    let proof = NewVerification { measured: Some(value), attested: None, evidence: Some(6), link: None };
    golden("new-verification-measured", &proof);
    golden("new-verification-attested", &NewVerification { attested: Some(statement), ..NewVerification::default() });
}

#[test]
fn sources() {
    golden(
        "new-evidence",
        &NewEvidence {
            title: "Query".into(),
            kind: EvidenceKind::Metric,
            link: Some("https://graphs.example/p95".into()),
            captured_at: Some(at("11:00:00")),
        },
    );
    let patch = EvidencePatch {
        title: Some(Some("Query".into())),
        kind: None,
        link: Some(None),
        description: Some(Some("p95 over an hour".into())),
    };
    golden("evidence-patch", &patch);
    golden("evidence-report", &EvidenceReport { added: true, evidence: load_test() });
    golden("evidence-file", &picture());
    let shared = picture().shared();
    assert!(shared.withheld && shared.file.is_none() && !load_test().shared().withheld);
    let removed = Evidence { removed_at: Some(at("13:00:00")), ..picture() }.told();
    assert_eq!((removed.file, removed.title), (None, None));
}

#[test]
fn the_history() {
    let field = FieldChange { field: "status".into(), before: None, after: Some("blocked".into()) };
    golden("field-change", &field);
    golden("change-kind", &vec![ChangeKind::Made, ChangeKind::Changed, ChangeKind::Removed]);
    golden(
        "history-entry",
        &HistoryEntry {
            seq: 17,
            at: at("12:00:00"),
            actor: "Ada Ferris".into(),
            subject: "action".into(),
            subject_id: "act_1".into(),
            title: Some("Move retries".into()),
            kind: ChangeKind::Changed,
            fields: vec![field],
        },
    );
}

#[test]
fn the_tracker() {
    let incident = ItemIncident {
        id: IncidentId::new("inc_1"),
        name: "INC-1".into(),
        title: None,
        home_zone: "Europe/Oslo".into(),
    };
    golden("item-incident", &incident);
    golden(
        "tracker-item",
        &TrackerItem {
            action: action(),
            incident,
            number: 2,
            due_in: Some(DueIn::Overdue),
            days_late: Some(3),
            active_at: at("10:00:00"),
            stale_days: None,
            note_count: 1,
            mine: true,
        },
    );
    let (status, owner) =
        (StatusCount { status: ActionStatus::Open, count: 4 }, OwnerCount { owner: "Payments".into(), count: 3 });
    golden("status-count", &status);
    golden("owner-count", &owner);
    golden(
        "tracker-counts",
        &TrackerCounts {
            total: 5,
            remaining: 4,
            overdue: 1,
            by_status: vec![status],
            owners: vec![owner],
            ..TrackerCounts::default()
        },
    );
    let items = vec![ItemVersion { id: ActionId::new("act_1"), version: 3 }];
    golden("item-version", &items[0]);
    golden(
        "bulk-patch",
        &BulkPatch { items, patch: ActionPatch { status: Some(ActionStatus::InProgress), ..ActionPatch::default() } },
    );
    golden("outcome", &Outcome::ALL.to_vec());
    let refused = ItemOutcome {
        id: ActionId::new("act_1"),
        outcome: Outcome::Refused,
        current: Some(action()),
        detail: Some("‘blocked’ needs a reason".into()),
        errors: vec![FieldError::new("/reason", "say why")],
    };
    golden("item-outcome", &refused);
    let missing = ItemOutcome {
        id: ActionId::new("act_2"),
        outcome: Outcome::Missing,
        current: None,
        detail: None,
        errors: vec![],
    };
    golden("bulk-answer", &BulkAnswer { items: vec![refused, missing] });
}

#[test]
fn lists_and_problems() {
    let counts = ActionCounts { total: 4, open: 3, verified: 1 };
    golden("action-counts", &counts);
    golden(
        "incident-summary",
        &IncidentSummary {
            id: IncidentId::new("inc_1"),
            name: "INC-1".into(),
            title: "Checkout recovered".into(),
            summary: "Checkout recovered.".into(),
            severity: Some(Severity::Sev2),
            status: IncidentStatus::Resolved,
            started_at: Some(at("09:46:00")),
            ended_at: None,
            home_zone: "UTC".into(),
            actions: counts,
        },
    );
    golden("page", &Page { items: vec![counts], next: Some("c1".to_owned()) });
    golden("field-error", &FieldError::new("/due", "not a date"));
    written("problem-kind", &ProblemKind::ALL.iter().map(|kind| (kind, kind.status())).collect::<Vec<_>>());
}

/// The names of the types in a file of the contract that stand in JSON.
fn types(source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let (mut is_json, mut in_words) = (false, false);
    for line in source.lines() {
        let words: Vec<&str> =
            line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty()).collect();
        match words.as_slice() {
            ["derive", derived @ ..] => is_json = derived.contains(&"Serialize") || derived.contains(&"Deserialize"),
            ["pub", "struct" | "enum", name, ..] if std::mem::take(&mut is_json) => {
                found.insert((*name).to_owned());
            }
            ["words"] if line.starts_with("words!") => in_words = true,
            [name] if in_words && line.trim_end().ends_with('{') => {
                found.insert((*name).to_owned());
                in_words = false;
            }
            _ => {}
        }
    }
    found
}

fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.extend(c.to_lowercase());
    }
    kebab
}

#[test]
fn claims_and_the_cohort() {
    let window = Window { from: at("09:46:00"), until: at("10:17:00") };
    let computation = Computation {
        window: Some(window),
        label: Some(LabelIs { name: "region".into(), word: "eu".into() }),
        upper: Number::try_from(0.05).ok(),
        lower: Number::try_from(0.01).ok(),
        min_attempts: Some(20),
        percentile: None,
        ..Computation::of(claim::Measured::Duration)
    };
    let target = Target { measure: Some(ImpactId::new("imp_1")), field: None, figure: Some("31 minutes".into()) };
    golden("new-claim", &NewClaim { target, computation: computation.clone() });
    golden("claim-patch", &ClaimPatch { computation });
    golden("moved", &Moved::ALL.to_vec());
    let summary = CohortSummary {
        affected_customers: 973,
        recovered_inside_window: 233,
        bought_within_24h: 232,
        cohort: 508,
        provisional_until: Some(at("12:00:00")),
        window,
        log_ends_at: at("11:59:59.999"),
        computed_at: at("12:00:00"),
        contacted: 3,
        contacted_outside: 1,
        joined: 2,
        left: 4,
    };
    golden("cohort-summary", &summary);
    let customer = CohortCustomer {
        customer: "c-1".into(),
        standing: Standing::Bought,
        reason: "bought at 11:00 UTC".into(),
        last_at: Some(at("10:03:00")),
        bought_at: Some(at("11:00:00")),
        moved: Some(Moved::Left),
        contacted_at: Some(at("10:30:00")),
        contacted_by: Some("Ada Ferris".into()),
    };
    golden("cohort-customer", &customer);
    golden("contacted", &Contacted { customers: vec!["c-1".into()], all: false });
    golden("contacted-report", &ContactedReport { marked: 1, already: 2 });
    let objection = Objection {
        kind: ObjectionKind::ImpliesCharge,
        words: Some("refund".into()),
        offset: Some(12),
        reason: "nobody in the cohort paid".into(),
    };
    let message = Message { version: 2, text: "We are sorry.".into(), objections: vec![objection.clone()] };
    golden("message", &message);
    golden("new-message", &NewMessage { text: "We are sorry.".into() });
    golden("message-check", &MessageCheck { text: "We are sorry.".into(), recipients: vec!["c-1".into()] });
    golden("message-report", &MessageReport { objections: vec![objection] });
}

#[test]
fn imports() {
    let mapping = Mapping {
        time: Some("when".into()),
        attempt: Some("id".into()),
        labels: vec!["region".into()],
        completed: vec!["ok".into()],
        time_format: Some(TimeFormat::EpochMillis),
        zone: Some("Europe/Berlin".into()),
        ..Mapping::default()
    };
    let refused =
        Refused { total: 2, rows: vec![RefusedRow { place: 7, reason: "outcome ‘maybe’ is neither".into() }] };
    golden("refused", &refused);
    golden("refused-row", &refused.rows[0]);
    let report = EventsReport {
        file_name: "log.csv".into(),
        rows_read: 9,
        attempts: 5,
        repeated: 1,
        conflicting: Refused::default(),
        refused: refused.clone(),
        already_imported: false,
        replaced: true,
        total: Ratio { numerator: 2, denominator: 5 },
        mapping: mapping.clone(),
    };
    golden("events-report", &report);
    let thing = ListedThing { at: at("10:11:00"), what: "checkout 1.4.1 (production)".into() };
    golden("listed-thing", &thing);
    let list = ListReport {
        file_name: "deploys.csv".into(),
        read: 4,
        added: 1,
        repeated: 1,
        refused: refused.clone(),
        passed_over: [("feature-created".to_owned(), 1)].into(),
        place: "line".into(),
        already_imported: false,
        first: vec![thing],
    };
    golden("list-report", &list);
    let old = serde_json::json!({"file_name": "f.json", "read": 1, "added": 1, "repeated": 0, "refused": {"total": 0, "rows": []},
        "already_imported": false});
    assert_eq!(serde_json::from_value::<ListReport>(old).expect("a report of before").place, "element");
    let file = ImportedFile {
        id: ImportId::new("import_1"),
        kind: ImportKind::Flags,
        file_name: "flags.json".into(),
        sha256: "ab".repeat(32),
        imported_at: at("12:00:00"),
    };
    golden("import-removal", &ImportRemoval { file, forgotten: 2 });
    let column = PreviewColumn { name: "when".into(), values: vec!["1783590360000".into()] };
    golden("preview-column", &column);
    let preview = EventsPreview {
        shape: "CSV parted by ‘;’".into(),
        columns: vec![column],
        mapping: mapping.clone(),
        saved_as: Some("Shop".into()),
        unknown_outcomes: vec!["KO".into()],
        trouble: None,
        rows_read: 9,
        refused,
    };
    golden("events-preview", &preview);
    golden("saved-mapping", &SavedMapping { name: "Shop".into(), columns: vec!["when".into(), "id".into()], mapping });
}

#[test]
fn values_over_time() {
    let server = PrometheusServer { name: "main".into(), address: "https://prometheus.example".into() };
    golden("prometheus-server", &server);
    let query = PrometheusQuery {
        server: "main".into(),
        query: "rate(jobs_total[5m])".into(),
        from: at("09:16:00"),
        until: at("10:47:00"),
        step_seconds: 60,
        title: Some("Jobs".into()),
        unit: None,
    };
    golden("prometheus-query", &query);
    golden("new-signals", &NewSignals { prometheus: query });
    let mapping = ValueMapping {
        time: Some("when".into()),
        values: vec!["jobs".into()],
        time_format: Some(TimeFormat::Written),
        zone: Some("Europe/Berlin".into()),
        title: None,
        unit: Some("jobs".into()),
    };
    golden("value-mapping", &mapping);
    let signal = SignalRead {
        title: "Jobs".into(),
        unit: "jobs".into(),
        labels: [("queue".to_owned(), "retries".to_owned())].into(),
        count: 92,
        gaps: 2,
        not_numbers: 1,
        infinite: 0,
        span: Some(Window { from: at("09:16:00"), until: at("10:47:00.001") }),
        points: vec![Point { at: at("09:16:00"), value: Some(0.5) }, Point { at: at("09:17:00"), value: None }],
    };
    assert_eq!(signal.named(), "Jobs {queue=\"retries\"} (jobs)");
    assert_eq!(signal.counted(), "92 points, 2 gaps, 1 not a number");
    golden("signal-read", &signal);
    let report = SignalsReport {
        file_name: "jobs.csv".into(),
        sha256: Some("ab".repeat(32)),
        shape: "CSV parted by ‘,’".into(),
        columns: vec![PreviewColumn { name: "when".into(), values: vec!["2026-07-09 11:16".into()] }],
        mapping,
        passed_over: vec!["note".into()],
        trouble: Some("the times in ‘when’ name no zone".into()),
        rows_read: 93,
        repeated: 1,
        refused: Refused {
            total: 1,
            rows: vec![RefusedRow { place: 7, reason: "jobs ‘many’ is not a number".into() }],
        },
        signals: vec![signal],
        prometheus: Some(PrometheusRead {
            server: Some("main".into()),
            query: "jobs".into(),
            from: at("09:16:00"),
            until: at("10:47:00"),
            step_seconds: 60,
            warnings: vec!["remote read failed".into()],
        }),
        evidence: Some(7),
        already_imported: false,
        replaced: true,
    };
    golden("signals-report", &report);
}

#[test]
fn each_type_of_the_contract_has_its_golden_file() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = |folder: &str, ending: &str| -> BTreeSet<String> {
        let files = std::fs::read_dir(here.join(folder)).expect("a folder");
        let names = files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
        names.filter_map(|name| name.strip_suffix(ending).map(str::to_owned)).collect()
    };
    let golden = names("tests/golden", ".json");
    let mut missing = Vec::new();
    let mut count = 0;
    for file in names("src/wire", ".rs") {
        let source = std::fs::read_to_string(here.join(format!("src/wire/{file}.rs"))).expect("a file");
        for name in types(&source) {
            count += 1;
            let (kebab, variant) = (kebab(&name), format!("{}-", kebab(&name)));
            // Where one file does not hold all that a type can be, several are named after it.
            if !golden.contains(&kebab) && !golden.iter().any(|name| name.starts_with(&variant)) {
                missing.push(format!("{file}.rs: {name}, in tests/golden/{kebab}.json"));
            }
        }
    }
    assert!(count > 50, "only {count} types were found, so they are not looked for in the right way");
    assert!(missing.is_empty(), "these have no golden file:\n{}", missing.join("\n"));
}
