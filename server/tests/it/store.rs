//! The store's contract: every test runs on SQLite and on PostgreSQL.

use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use debrief_server::import::{ImportError, events::import_events, flags::import_flags};
use debrief_server::store::{Added, By, Created, ImportKind, NewImport, Objects, Sees, Store, StoreError, Update};
use domain::action::ActionStatus;
use domain::comparison::{Basis, compare};
use domain::draft::{ActionDraft, EvidenceDraft, IncidentDraft, TimelineDraft};
use domain::evidence::EvidenceKind;
use domain::filter::IncidentFilter;
use domain::incident::{IncidentStatus, Severity, Thresholds, Visibility, Window};
use domain::prose::Prose;
use domain::signal::{Ratio, Stretch};
use domain::verification::Verification;
use domain::wire::access::IncidentAccess;
use domain::wire::problem::FieldError;
use domain::{ActionId, IncidentId};
use sqlx::{Executor as _, SqlSafeStr as _};

use crate::postgres::fresh_database;

pub struct Place {
    pub store: Store,
    pub objects: Objects,
    folder: tempfile::TempDir,
    pub url: String,
}

impl Place {
    pub async fn at(url: Option<String>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let url = url.unwrap_or_else(|| format!("sqlite:{}", folder.path().join("debrief.db").display()));
        let objects = Objects::open(&folder.path().join("objects")).expect("a folder of objects");
        let store = Store::open(&url).await.expect("the store opens");
        Self { store, objects, folder, url }
    }

    pub fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).expect("the file is written");
        path
    }
}

/// Declares each test twice.
macro_rules! on_both {
    ($($(#[$meta:meta])* async fn $name:ident($place:ident: Place) $body:block)+) => {
        $(async fn $name($place: $crate::store::Place) $body)+
        mod sqlite { $(#[tokio::test(flavor = "multi_thread")] async fn $name() { super::$name($crate::store::Place::at(None).await).await; })+ }
        mod postgres { $(#[tokio::test(flavor = "multi_thread")] async fn $name() {
            super::$name($crate::store::Place::at(Some($crate::postgres::fresh_database().await)).await).await;
        })+ }
    };
}

pub fn at(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

pub fn now() -> DateTime<Utc> {
    at("2026-07-10T08:00:00Z")
}

pub fn by() -> By<'static> {
    By { actor: "local", now: now() }
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name)
}

fn entry(event: &str, occurred_at: Option<&str>) -> TimelineDraft {
    TimelineDraft {
        occurred_at: occurred_at.map(at),
        occurred_until: None,
        written_time: String::new(),
        event: event.to_owned(),
        decision: None,
        milestone: None,
        evidence: vec![],
    }
}

pub fn draft(title: &str) -> IncidentDraft {
    IncidentDraft {
        title: title.to_owned(),
        summary: Prose::new("Retries filled the queue.[^1]"),
        key_points: vec![Prose::new("One[^1]")],
        severity: Some(Severity::Sev2),
        status: IncidentStatus::Resolved,
        started_at: Some(at("2026-07-09T09:46:00Z")),
        ended_at: Some(at("2026-07-09T10:17:00Z")),
        home_zone: "UTC".to_owned(),
        services: vec!["checkout".to_owned()],
        tags: vec![],
        thresholds: Thresholds { alert: Some(0.05), recovered: Some(0.01) },
        impact: vec![],
        timeline: vec![
            entry("late", Some("2026-07-09T10:00:00Z")),
            entry("after late", None),
            entry("early", Some("2026-07-09T09:50:00Z")),
        ],
        root_cause: Prose::default(),
        actions: vec![ActionDraft {
            owner: "Payments".to_owned(),
            change: "Bound the retries".to_owned(),
            due: "2026-07-20".parse().ok(),
            verification: Verification::in_words("load test"),
            done: false,
            evidence: vec![1],
        }],
        follow_up: Prose::default(),
        evidence: vec![EvidenceDraft { number: 1, title: None, kind: EvidenceKind::Log, link: None }],
    }
}

pub fn source(sha256: &str) -> NewImport<'_> {
    NewImport {
        kind: ImportKind::Postmortem,
        file_name: "postmortem.txt",
        sha256,
        options: "date=2026-07-09",
        object_key: "k",
        diagnostics: &[],
        report: serde_json::Value::Null,
    }
}

pub async fn incident(place: &Place, title: &str, n: u32) -> IncidentId {
    match place.store.create_incident(&draft(title), &source(&format!("{n:064x}")), now()).await.expect("created") {
        Created::New { id, .. } => id,
        Created::Existing { name, .. } => panic!("{name} was there"),
    }
}

pub async fn first_action(place: &Place, id: &IncidentId) -> ActionId {
    let found = place.store.load_incident(id).await.expect("read").expect("there");
    found.actions[0].id.clone()
}

#[expect(clippy::unnecessary_wraps, reason = "an edit may refuse, so its shape is given")]
fn to_in_progress(action: &domain::action::Action) -> Result<domain::action::Action, Vec<FieldError>> {
    Ok(domain::action::Action { status: ActionStatus::InProgress, ..action.clone() })
}

on_both! {
    async fn an_incident_reads_back_as_it_was_given(place: Place) {
        let id = incident(&place, "Checkout failed", 1).await;
        let found = place.store.load_incident(&id).await.expect("read").expect("there");
        assert_eq!((found.name.as_str(), found.version), ("INC-1", 1));
        assert_eq!(found.summary.marked(), "Retries filled the queue.[^1]");
        assert_eq!(found.thresholds.alert, Some(0.05));
        let events: Vec<_> = found.timeline.iter().map(|entry| entry.event.as_str()).collect();
        assert_eq!(events, ["early", "late", "after late"]);
        assert_eq!(found.actions[0].due.map(|due| due.to_string()).as_deref(), Some("2026-07-20"));
        assert_eq!(place.store.incident_id("inc-1").await.expect("read"), Some(id.clone()));
        assert_eq!(place.store.incident_version(id.as_str()).await.expect("read"), Some((id.clone(), 1)));
        for unknown in ["INC-2", "INC-", "INC-99999999999999999999", "a\0b", "é", "ÄÖÜ-1"] {
            assert_eq!(place.store.incident_id(unknown).await.expect("read"), None, "{unknown}");
        }
        let text = place.store.source_text(&id).await.expect("read").expect("there");
        assert_eq!(text.file_name, "postmortem.txt");
    }

    async fn two_imports_of_one_file_make_one_incident(place: Place) {
        let (sha, other) = ("a".repeat(64), Store::open(&place.url).await.expect("opens"));
        let (draft, source) = (draft("Twice"), source(&sha));
        let (one, two) = tokio::join!(
            place.store.create_incident(&draft, &source, now()),
            other.create_incident(&draft, &source, now())
        );
        let both = [one.expect("one"), two.expect("two")];
        assert_eq!(both.iter().filter(|created| matches!(created, Created::New { .. })).count(), 1);
        let all = place.store.list_incidents(&IncidentFilter::default(), 10, None, Sees::All).await.expect("read");
        assert_eq!(all.items.len(), 1);
    }

    async fn of_two_edits_of_one_version_one_is_made(place: Place) {
        let id = incident(&place, "Edited", 1).await;
        let action = first_action(&place, &id).await;
        let other = Store::open(&place.url).await.expect("opens");
        let (one, two) = tokio::join!(
            place.store.update_action(&action, 1, by(), to_in_progress),
            other.update_action(&action, 1, by(), to_in_progress)
        );
        let both = [one.expect("one"), two.expect("two")];
        assert_eq!(both.iter().filter(|update| matches!(update, Update::Done(_))).count(), 1, "{both:?}");
        assert_eq!(both.iter().filter(|update| matches!(update, Update::Stale(_))).count(), 1, "{both:?}");
        assert_eq!(place.store.incident_version("INC-1").await.expect("read"), Some((id, 2)));
        assert_eq!(place.store.load_action(&action).await.expect("read").expect("there").version, 2);
    }

    async fn an_edit_is_refused_in_the_order_missing_stale_refused(place: Place) {
        let id = incident(&place, "Edited", 1).await;
        let action = first_action(&place, &id).await;
        let refuse = |_: &domain::action::Action| Err(vec![FieldError::new("/status", "no")]);
        let edit = async |id: &ActionId, version| place.store.update_action(id, version, by(), refuse).await.expect("answered");
        assert_eq!(edit(&ActionId::new("act_none"), 1).await, Update::Missing);
        assert!(matches!(edit(&action, 7).await, Update::Stale(_)));
        assert!(matches!(edit(&action, 1).await, Update::Refused(_)));
        let same = place.store.update_action(&action, 1, by(), |action| Ok(action.clone())).await;
        assert!(matches!(same, Ok(Update::Unchanged(_))));
        assert_eq!(place.store.incident_version("INC-1").await.expect("read"), Some((id, 1)));
    }

    async fn a_note_sent_twice_is_added_once(place: Place) {
        let id = incident(&place, "Noted", 1).await;
        let action = first_action(&place, &id).await;
        let other = Store::open(&place.url).await.expect("opens");
        let (one, two) = tokio::join!(
            place.store.add_note(&action, "begun", Some("k"), by()),
            other.add_note(&action, "begun", Some("k"), by())
        );
        let both = [one.expect("one"), two.expect("two")];
        assert_eq!(both.iter().filter(|added| matches!(added, Added::New(_))).count(), 1, "{both:?}");
        assert_eq!(both.iter().filter(|added| matches!(added, Added::Existing(_))).count(), 1, "{both:?}");
        let reused = place.store.add_note(&action, "other", Some("k"), by()).await.expect("answered");
        assert_eq!(reused, Added::KeyReused);
        let missing = place.store.add_note(&ActionId::new("act_none"), "x", None, by()).await;
        assert_eq!(missing.expect("answered"), Added::Missing);
        assert_eq!(place.store.list_notes(&action).await.expect("read").expect("there").len(), 1);
        assert_eq!(place.store.list_notes(&ActionId::new("act_none")).await.expect("read"), None);
        assert_eq!(place.store.load_action(&action).await.expect("read").expect("there").version, 1);
        assert_eq!(place.store.incident_version("INC-1").await.expect("read"), Some((id, 2)));
    }

    async fn a_change_is_read_with_what_it_concerns_and_whom_it_may_reach(place: Place) {
        let id = incident(&place, "Checkout failed", 1).await;
        let action = first_action(&place, &id).await;
        place.store.add_note(&action, "begun", None, by()).await.expect("a note");
        let all = place.store.latest_changes(10).await.expect("read");
        assert_eq!(all.len(), 2);
        assert_eq!(place.store.changes_since(all[0], 10).await.expect("read"), all[1..]);
        let audible = place.store.audible_changes(all[0] - 1, all[1], 10).await.expect("read");
        let [made, noted] = audible.as_slice() else { panic!("{audible:?}") };
        assert_eq!((made.change.subject.as_str(), &made.change.action_id, &made.item), ("incident", &None, &None));
        assert_eq!((noted.change.incident_version, noted.change.action_version), (2, Some(1)));
        assert_eq!((&noted.change.action_id, noted.change.actor.as_str()), (&Some(action), "local"));
        assert_eq!(noted.item.as_ref().map(|item| item.team.as_str()), Some("Payments"));
        assert!(!noted.reach.restricted && noted.reach_before.is_none());

        let access = IncidentAccess { version: 1, visibility: Visibility::Restricted, people: vec![], teams: vec![] };
        place.store.set_incident_access(&id, 1, &access, by()).await.expect("restricted");
        let audible = place.store.audible_changes(all[1], i64::MAX, 10).await.expect("read").remove(0);
        assert!(audible.reach.restricted, "as it is now");
        assert_eq!(audible.reach_before.map(|reach| reach.restricted), Some(false), "and as it was");
        assert_eq!(place.store.first_change_since(all[0], now()).await.expect("read"), Some(all[1]));
        assert_eq!(place.store.first_change_since(0, at("2026-07-10T08:00:01Z")).await.expect("read"), None);
    }

    async fn pages_hold_every_incident_once_in_order(place: Place) {
        for n in 1..=7 {
            let mut draft = draft(&format!("Number {n}"));
            draft.started_at = (n != 3).then(|| at("2026-07-01T00:00:00Z") + TimeDelta::days(i64::from(n % 2)));
            draft.ended_at = None;
            place.store.create_incident(&draft, &source(&format!("{n:064x}")), now()).await.expect("created");
        }
        let (mut names, mut cursor) = (vec![], None);
        loop {
            let page = place.store.list_incidents(&IncidentFilter::default(), 2, cursor.as_deref(), Sees::All).await.expect("read");
            names.extend(page.items.into_iter().map(|item| item.name));
            cursor = page.next;
            if cursor.is_none() { break; }
        }
        assert_eq!(names, ["INC-3", "INC-7", "INC-5", "INC-1", "INC-6", "INC-4", "INC-2"]);
        let bad = place.store.list_incidents(&IncidentFilter::default(), 2, Some("zzz"), Sees::All).await;
        assert!(matches!(bad, Err(StoreError::BadCursor)));
    }

    async fn a_filter_finds_words_in_any_case(place: Place) {
        incident(&place, "Überlauf 100% im Lager", 1).await;
        incident(&place, "Payment outage", 2).await;
        let names = async |q: &str| {
            let filter = IncidentFilter { q: Some(q.to_owned()), ..Default::default() };
            let page = place.store.list_incidents(&filter, 10, None, Sees::All).await.expect("read");
            page.items.into_iter().map(|item| item.name).collect::<Vec<_>>()
        };
        assert_eq!(names("ÜBERLAUF").await, ["INC-1"]);
        assert_eq!(names("lager 100%").await, ["INC-1"]);
        assert_eq!(names("1_0%").await, Vec::<String>::new());
        assert_eq!(names("inc-2").await, ["INC-2"]);
        assert_eq!(names("queue").await, ["INC-2", "INC-1"]);
        assert_eq!(names("a\0").await, Vec::<String>::new());
        let filter = IncidentFilter { status: Some(IncidentStatus::Monitoring), ..Default::default() };
        assert!(place.store.list_incidents(&filter, 10, None, Sees::All).await.expect("read").items.is_empty());
        let filter = IncidentFilter { severity: Some(Severity::Sev2), ..Default::default() };
        assert_eq!(place.store.list_incidents(&filter, 10, None, Sees::All).await.expect("read").items.len(), 2);
    }

    async fn the_worked_example_yields_its_known_figures(place: Place) {
        let id = incident(&place, "Checkout", 1).await;
        let file = data("checkout-events.csv");
        let quiet = |_| ();
        let report = import_events(&place.store, &place.objects, &id, &file, &quiet, now()).await.expect("imported");
        assert_eq!((report.rows_read, report.attempts, report.repeated), (20594, 20554, 40), "{report}");
        assert_eq!((report.refused.total, report.conflicting.total), (0, 0));
        let again = import_events(&place.store, &place.objects, &id, &file, &quiet, now()).await.expect("imported");
        assert!(again.already_imported && again.attempts == 20554, "{again}");
        let flags = data("flag-changes.json");
        let report = import_flags(&place.store, &place.objects, &id, &flags, now()).await.expect("imported");
        assert_eq!((report.read, report.added, report.repeated), (2, 2, 0));
        let again = import_flags(&place.store, &place.objects, &id, &flags, now()).await.expect("imported");
        assert!(again.already_imported && again.added == 2, "{again}");
        let saved = place.store.list_imports(&id, ImportKind::Flags).await.expect("read").remove(0).report;
        assert_eq!((&saved["read"], &saved["added"], &saved["repeated"]), (&2.into(), &2.into(), &0.into()));
        let found = place.store.load_incident(&id).await.expect("read").expect("there");
        assert_eq!(found.version, 3);
        let window = Window { from: at("2026-07-09T09:46:00Z"), until: at("2026-07-09T10:17:00Z") };
        let is_inside = |bin: &&domain::signal::Bin| window.from <= bin.at && bin.at < window.until;
        let inside: Vec<_> = found.comparison_bins.iter().filter(is_inside).collect();
        assert_eq!(Ratio::pooled(inside.iter().copied()), Ratio { numerator: 1284, denominator: 6903 });
        let rate = |bin: &domain::signal::Bin| bin.ratio().share().map(|share| format!("{:.2}", share * 100.0));
        assert_eq!(rate(inside[0]).as_deref(), Some("5.75"));
        assert_eq!(inside.last().and_then(|bin| rate(bin)).as_deref(), Some("1.35"));
        let basis = Basis {
            window: Some(window),
            changes: &found.flags,
            bins: &found.comparison_bins,
            bin: TimeDelta::minutes(1),
            floor: 20,
            recovered_below: Some(0.01),
        };
        let compared = compare(basis);
        let compared = compared.value().expect("a comparison");
        let percent = |ratio: Ratio| ratio.share().map(|share| format!("{:.1}", share * 100.0));
        assert_eq!(percent(compared.before.ratio).as_deref(), Some("21.7"));
        assert_eq!(percent(compared.after.ratio).as_deref(), Some("5.8"));
        let stretch = Stretch { from: Some(window.from), until: Some(window.until), width: None };
        let view = place.store.signals(&id, stretch).await.expect("read");
        assert_eq!(Ratio::pooled(view[0].bins.iter().filter(|bin| bin.at >= window.from)).denominator, 6903);
        let kept = place.store.list_imports(&id, ImportKind::Events).await.expect("read");
        assert_eq!(place.objects.get(&kept[0].object_key).await.expect("kept"), std::fs::read(&file).expect("read"));
    }

    async fn bad_rows_are_named_and_good_ones_kept(place: Place) {
        let id = incident(&place, "Rows", 1).await;
        let quiet = |_| ();
        let csv = b"\xEF\xBB\xBFoutcome,extra,ts,attempt_id,customer_id,latency_ms\r\n\
            failed,\"x, y\",2026-07-09T09:46:00Z,a1,c1,\r\n\
            \r\n\
            timeout,x,2026-07-09T09:46:00Z,a2,c1,5\r\n\
            completed,x,2026-07-09 09:46,a3,c1,5\r\n\
            completed,x,2026-07-09T11:46:00+02:00,,c1,5\r\n\
            completed,x,2026-07-09T11:46:00+02:00,a4,c1,slow\r\n\
            completed,x\r\n\
            completed,x,2026-07-09T11:46:00+02:00,a1,c1,5\r\n\
            completed,x,2026-07-09T11:47:00+02:00,a5,c1,5";
        let one = place.file("one.csv", csv);
        let report = import_events(&place.store, &place.objects, &id, &one, &quiet, now()).await.expect("imported");
        let lines: Vec<_> = report.refused.rows.iter().map(|row| row.place).collect();
        assert_eq!(lines, [4, 5, 6, 7, 8], "{report}");
        assert_eq!(report.conflicting.rows[0].place, 9, "{report}");
        assert_eq!((report.rows_read, report.attempts), (8, 2));
        let two = place.file("two.csv", b"ts,attempt_id,customer_id,outcome\n2026-07-09T09:47:00Z,a5,c1,failed\n2026-07-09T09:48:00Z,a6,c1,failed\n");
        let report = import_events(&place.store, &place.objects, &id, &two, &quiet, now()).await.expect("imported");
        assert_eq!((report.attempts, report.conflicting.total), (1, 1), "{report}");
        assert_eq!(report.total, Ratio { numerator: 2, denominator: 3 });
        for (name, content) in [("empty", &b""[..]), ("header", b"ts,attempt_id,customer_id,outcome\n"), ("other", b"\x00\x01\xFF"), ("missing", b"ts,outcome\n1,2\n")] {
            let file = place.file(name, content);
            let refused = import_events(&place.store, &place.objects, &id, &file, &quiet, now()).await;
            assert!(matches!(refused, Err(ImportError::Refused(_))), "{name}: {refused:?}");
        }
        let open = b"ts,attempt_id,customer_id,outcome,note\n\
            2026-07-09T09:50:00Z,b1,\"c1,failed,\n\
            2026-07-09T09:50:01Z,b2,c2,failed,\"two\nlines\"\n\
            2026-07-09T09:50:02Z,b3,c3,completed,\"said \"\n\
            2026-07-09T09:50:03Z,b4,c4,failed,\"never closed\n\
            2026-07-09T09:50:04Z,b5,c5,failed,\n";
        let open = place.file("open.csv", open);
        let report = import_events(&place.store, &place.objects, &id, &open, &quiet, now()).await.expect("imported");
        let lines: Vec<_> = report.refused.rows.iter().map(|row| (row.place, row.reason.contains("a quote opens"))).collect();
        assert_eq!(lines, [(2, true), (6, true)], "{report}");
        assert_eq!((report.rows_read, report.attempts), (5, 3), "{report}");
        let flags = place.file("flags.json", br#"[{"flag":"f","state":"off","changed_at":"2026-07-09T10:00:00Z"},{"flag":"f"},7,{"flag":"f","state":"on","changed_at":"2026-07-09T09:00:00Z"}]"#);
        let report = import_flags(&place.store, &place.objects, &id, &flags, now()).await.expect("imported");
        assert_eq!((report.read, report.added, report.refused.total), (4, 2, 2));
        let bad = import_flags(&place.store, &place.objects, &id, &place.file("bad.json", b"{"), now()).await;
        assert!(matches!(bad, Err(ImportError::Refused(_))));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_statement_means_the_same_on_both_databases() {
    let (lite, pg) = (Place::at(None).await, Place::at(Some(fresh_database().await)).await);
    let lite_pool = sqlx::SqlitePool::connect(&lite.url).await.expect("opens");
    let pg_pool = sqlx::PgPool::connect(&pg.url).await.expect("opens");
    for sql in debrief_server::store::statements() {
        let text = || sqlx::AssertSqlSafe(sql.clone()).into_sql_str();
        let one = lite_pool.describe(text()).await.unwrap_or_else(|error| panic!("SQLite: {error}: {sql}"));
        let two = pg_pool.describe(text()).await.unwrap_or_else(|error| panic!("PostgreSQL: {error}: {sql}"));
        let one: Vec<_> = one.columns.iter().map(|column| sqlx::Column::name(column).to_owned()).collect();
        let two: Vec<_> = two.columns.iter().map(|column| sqlx::Column::name(column).to_owned()).collect();
        assert_eq!(one, two, "{sql}");
    }
}
