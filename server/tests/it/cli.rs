//! The command line, as a person calls it: the real program in a process of its own.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::server::example;

struct Run {
    status: i32,
    out: String,
    err: String,
}

fn debrief(data: &Path, arguments: &[&str]) -> Run {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_debrief"))
        .args(arguments)
        .env("DEBRIEF_DATA", data)
        .output()
        .expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run { status: status.code().expect("an exit status"), out: text(stdout), err: text(stderr) }
}

fn path(name: &str) -> String {
    example(name).display().to_string()
}

#[test]
fn a_first_run_from_document_to_export() {
    let data = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| debrief(data.path(), arguments);
    let document = path("checkout-postmortem.txt");
    let imported = run(&["import", "postmortem", &document, "--date", "2026-07-09"]);
    assert_eq!(imported.status, 0, "{}", imported.err);
    let id = imported.out.trim().to_owned();
    assert!(id.starts_with("inc_") && !id.contains(char::is_whitespace), "{id}");
    let again = run(&["import", "postmortem", &document, "--date", "2026-07-09"]);
    assert_eq!((again.status, again.out.trim()), (0, id.as_str()));
    assert!(again.err.contains("nothing changed"), "{}", again.err);

    let events = run(&["import", "events", &id, &path("checkout-events.csv")]);
    assert_eq!(events.status, 0, "{}", events.err);
    for figure in ["20594", "20554", "40"] {
        assert!(events.out.replace(',', "").contains(figure), "{figure} is missing from: {}", events.out);
    }
    let before = run(&["export", "INC-1", "--format", "json"]).out;
    let again = run(&["import", "events", "INC-1", &path("checkout-events.csv")]);
    assert_eq!(again.status, 0, "{}", again.err);
    assert!(again.out.contains("imported before; nothing was changed"), "{}", again.out);
    assert_eq!(run(&["export", "INC-1", "--format", "json"]).out, before, "a second import changes nothing");
    assert_eq!(run(&["import", "flags", "inc-1", &path("flag-changes.json")]).status, 0);
    let with_flags = run(&["export", "INC-1", "--format", "json"]).out;
    assert_ne!(before, with_flags);
    let again = run(&["import", "flags", &id, &path("flag-changes.json")]);
    assert_eq!(again.status, 0, "{}", again.err);
    assert!(again.out.contains("imported before; nothing was changed"), "{}", again.out);
    assert_eq!(run(&["export", &id, "--format", "json"]).out, with_flags, "a second import changes nothing");

    let json: Value = serde_json::from_str(&with_flags).expect("JSON");
    assert_eq!(json["comparison"]["recovery"]["after"]["seconds"], 360);
    assert!(run(&["export", &id, "--format", "csv"]).out.starts_with("section,number,"));
}

#[test]
fn every_command_takes_its_folder_from_the_command_line_too() {
    let data = tempfile::tempdir().expect("a folder");
    let (elsewhere, folder) = (data.path().join("elsewhere"), data.path().join("here").display().to_string());
    let [document, events, flags] = ["checkout-postmortem.txt", "checkout-events.csv", "flag-changes.json"].map(path);
    for arguments in [
        ["parse", &document, "--date", "2026-07-09", "--json"].as_slice(),
        &["import", "postmortem", &document, "--date", "2026-07-09"],
        &["import", "events", "INC-1", &events],
        &["import", "flags", "INC-1", &flags],
        &["export", "INC-1", "--format", "md"],
    ] {
        let run = debrief(&elsewhere, &[arguments, &["--data", &folder]].concat());
        assert_eq!(run.status, 0, "{arguments:?}: {}", run.err);
        assert!(!elsewhere.exists(), "{arguments:?}");
    }
}

#[test]
fn an_exported_document_imports_again_with_the_same_content() {
    let (first, second) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    assert_eq!(
        debrief(first.path(), &["import", "postmortem", &path("checkout-postmortem.txt"), "--date", "2026-07-09"])
            .status,
        0
    );
    let markdown = debrief(first.path(), &["export", "INC-1", "--format", "md"]).out;
    let file = second.path().join("export.md");
    std::fs::write(&file, &markdown).expect("a file");
    let imported = debrief(second.path(), &["import", "postmortem", &file.display().to_string()]);
    assert_eq!(imported.status, 0, "{}\n{markdown}", imported.err);
    let read = |data: &Path| -> Value {
        serde_json::from_str(&debrief(data, &["export", "INC-1", "--format", "json"]).out).expect("JSON")
    };
    let (original, copy) = (read(first.path()), read(second.path()));
    for field in [
        "title",
        "summary",
        "key_points",
        "severity",
        "status",
        "started_at",
        "ended_at",
        "root_cause",
        "follow_up",
        "derived",
    ] {
        assert_eq!(original[field], copy[field], "{field}");
    }
    for (list, fields) in [
        ("impact", &["label", "result", "quantity", "confidence", "basis", "evidence"][..]),
        ("timeline", &["occurred_at", "event", "decision", "milestone", "evidence"]),
        ("actions", &["owner", "change", "due", "verification", "status", "evidence"]),
        ("evidence", &["number", "kind"]),
    ] {
        let rows = |incident: &Value| -> Vec<Vec<Value>> {
            incident[list]
                .as_array()
                .expect("a list")
                .iter()
                .map(|row| fields.iter().map(|f| row[f].clone()).collect())
                .collect()
        };
        assert_eq!(rows(&original), rows(&copy), "{list}");
    }
}

#[test]
fn a_document_with_times_and_no_date_is_refused_with_the_reason() {
    let data = tempfile::tempdir().expect("a folder");
    let refused = debrief(data.path(), &["import", "postmortem", &path("checkout-postmortem.txt")]);
    assert_eq!((refused.status, refused.out.as_str()), (1, ""));
    assert!(refused.err.contains("--date"), "{}", refused.err);
    let parsed = debrief(data.path(), &["parse", &path("checkout-postmortem.txt"), "--json"]);
    assert_eq!(parsed.status, 0);
    let json: Value = serde_json::from_str(&parsed.out).expect("JSON");
    assert_eq!(json["incidents"][0]["timeline"].as_array().map(Vec::len), Some(5));
    assert!(json["diagnostics"].as_array().is_some_and(|list| !list.is_empty()));
}

#[test]
fn a_dry_run_stores_nothing() {
    let data = tempfile::tempdir().expect("a folder");
    let run = debrief(
        data.path(),
        &["import", "postmortem", &path("checkout-postmortem.txt"), "--date", "2026-07-09", "--dry-run"],
    );
    assert_eq!(run.status, 0, "{}", run.err);
    assert!(run.out.contains("5 timeline entries") && run.out.contains("4 action items"), "{}", run.out);
    assert_eq!(std::fs::read_dir(data.path()).expect("the folder").count(), 0);
}

#[test]
fn refusals_are_status_1_and_wrong_usage_is_2() {
    let data = tempfile::tempdir().expect("a folder");
    let empty = data.path().join("empty.txt");
    std::fs::write(&empty, "").expect("a file");
    let empty = empty.display().to_string();
    assert_eq!(debrief(data.path(), &["token", "create", "--role", "viewer"]).status, 0);
    for (arguments, status, said) in [
        (vec!["import", "events", "INC-9", &empty], 1, "INC-9"),
        (vec!["import", "postmortem", "/does/not/exist"], 1, "/does/not/exist"),
        (vec!["import", "postmortem", &empty], 1, "empty.txt"),
        (vec!["export", "INC-9", "--format", "md"], 1, "INC-9"),
        (vec!["parse", "/does/not/exist"], 1, "/does/not/exist"),
        (vec!["user", "link", "nobody@example.com"], 1, "nobody@example.com"),
        (vec!["user", "add", "Ada", "--email", "ada"], 2, "'ada'"),
        (vec!["token", "create", "--role", "king"], 2, "king"),
        (vec!["evidence", "add", "INC-1", &empty, "--captured-at", "2026-07-09T10:20:60Z"], 2, "no instant"),
        (vec!["evidence", "add", "INC-1", &empty, "--captured-at", "9999-07-09T10:20:00Z"], 2, "1970 to 2200"),
        (vec!["import", "signals", "INC-1", "--prometheus", "a", "--query", "b", "--from", "soon"], 2, "no instant"),
        (vec!["export", "INC-1", "--format", "pdf"], 2, "pdf"),
        (vec!["import", "postmortem", &empty, "--date", "09/07/2026"], 2, "09/07/2026"),
        (vec!["frobnicate"], 2, "frobnicate"),
        (vec![], 2, "Usage"),
    ] {
        let run = debrief(data.path(), &arguments);
        assert_eq!(run.status, status, "{arguments:?}: {}", run.err);
        assert!(run.err.contains(said), "{arguments:?}: {}", run.err);
    }
    assert_eq!(debrief(data.path(), &["parse", &empty, "--json"]).status, 0);
}

#[test]
fn a_day_beyond_all_plans_is_a_wrong_use_and_a_folder_is_taken_as_it_is_called() {
    let place = tempfile::tempdir().expect("a folder");
    let data = place.path().join("p%20q?x#y");
    for date in ["+262142-12-31", "0000-01-01", "2026-13-01"] {
        let run = debrief(&data, &["parse", &path("checkout-postmortem.txt"), &format!("--date={date}")]);
        assert_eq!(run.status, 2, "{date}: {}", run.err);
    }
    let run = debrief(&data, &["import", "postmortem", &path("checkout-postmortem.txt"), "--date", "2026-07-09"]);
    assert_eq!(run.status, 0, "{}", run.err);
    assert!(data.join("debrief.db").is_file() && data.join("objects").is_dir());
    assert_eq!(std::fs::read_dir(place.path()).expect("a folder").count(), 1);
}

#[test]
fn deploys_and_evidence_come_in_on_the_command_line() {
    let data = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| debrief(data.path(), arguments);
    assert_eq!(run(&["import", "postmortem", &path("checkout-postmortem.txt"), "--date", "2026-07-09"]).status, 0);
    let file = |name: &str, text: &str| {
        let path = data.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let deploys = file("deploys.csv", "time,tag\n2026-07-09 11:40,1.4.1\nsoon,2\n");
    let refused = run(&["import", "deploys", "INC-1", &deploys]);
    assert_eq!(refused.status, 1);
    assert!(refused.err.contains("no column ‘service’"), "{}", refused.err);
    let as_said = ["import", "deploys", "INC-1", &deploys, "--service", "checkout", "--zone", "Europe/Berlin"];
    let look = run(&[&as_said[..], &["--preview"]].concat());
    assert!(look.err.contains("2026-07-09 09:40:00 UTC checkout 1.4.1"), "{}", look.err);
    assert!(
        look.out.contains("2 read, 1 added, 0 repeated, 1 refused\n  line 3: at ‘soon’ is not a time"),
        "{}",
        look.out
    );
    for said in ["2 read, 1 added", "imported before; nothing was changed. It held 2 read, 1 added"] {
        let done = run(&as_said);
        assert!(done.status == 0 && done.out.contains(said), "{} {}", done.out, done.err);
    }
    let log = file("provider.log", "09:46 timeout\n");
    for said in ["provider.log: added as evidence 6", "added before; nothing was changed. It is evidence 6"] {
        let added = run(&["evidence", "add", "INC-1", &log, "--title", "The provider's log"]);
        assert!(added.status == 0 && added.out.contains(said), "{} {}", added.out, added.err);
    }
    let refused = run(&["evidence", "add", "INC-1", &file("a.exe", "MZ\0\u{1}")]);
    assert!(refused.status == 1 && refused.err.contains("a.exe was not added"), "{}", refused.err);
    let exported = run(&["export", "INC-1", "--format", "md"]).out;
    assert!(exported.contains("| 2026-07-09T09:40:00Z | checkout | 1.4.1 |"), "{exported}");
    assert!(exported.contains("| provider.log | evidence 6, Text |"), "{exported}");
}

#[test]
fn a_folder_that_is_not_there_is_told_and_made_by_what_begins_in_it() {
    let place = tempfile::tempdir().expect("a folder");
    let (data, events) = (place.path().join("mistyped"), path("checkout-events.csv"));
    let reading: &[&[&str]] = &[
        &["export", "INC-1", "--format", "md"],
        &["user", "list"],
        &["user", "link", "ada"],
        &["import", "events", "INC-1", &events],
        &["import", "flags", "INC-1", &events],
        &["import", "deploys", "INC-1", &events],
        &["import", "signals", "INC-1", &events],
        &["import", "load-test", "INC-1", &events],
        &["evidence", "add", "INC-1", &events],
        &["recompute", "INC-1"],
    ];
    for arguments in reading {
        let run = debrief(&data, arguments);
        assert!(
            run.status == 1 && run.err.contains("there is no data in"),
            "{arguments:?}: {} {}",
            run.status,
            run.err
        );
        assert!(!data.exists(), "{arguments:?}");
    }
    assert_eq!(debrief(&data, &["token", "create", "--role", "viewer"]).status, 0);
    assert_eq!(debrief(&data, &["user", "list"]).status, 0);
}

#[test]
fn the_command_line_names_people_by_the_rules_of_the_api() {
    let data = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| debrief(data.path(), arguments);
    let long = "x".repeat(201);
    let wrong: &[&[&str]] = &[
        &["user", "add", &long],
        &["user", "add", "A\u{1b}[2J"],
        &["user", "add", "\u{202e}adA"],
        &["user", "add", "Ada", "--email", "b@"],
        &["user", "add", "Ada", "--email", "b b@c"],
        &["user", "add", "Ada", "--url", "javascript:alert(1)"],
        &["user", "add", "Ada", "--url", "https://a.example/?x"],
        &["serve", "--url", "debrief.example.com"],
        &["token", "create", "--role", "viewer", "--name", ""],
        &["token", "create", "--role", "viewer", "--name", &long],
    ];
    for arguments in wrong {
        let run = run(arguments);
        assert_eq!(run.status, 2, "{arguments:?}: {}", run.err);
    }
    let added = run(&["user", "add", " Ada  Ferris ", "--email", "Ada@Example.com", "--url", "https://a.example/"]);
    assert!(added.out.starts_with("https://a.example/sign-in#dbl_"), "{} {}", added.out, added.err);
    let listed = run(&["user", "list"]).out;
    assert!(listed.contains("  Ada Ferris  ada@example.com  member"), "{listed}");
    let taken = run(&["token", "create", "--role", "editor", "--name", "ada ferris"]);
    assert!(taken.status == 1 && taken.err.contains("somebody here is called"), "{}", taken.err);
}

#[test]
fn what_a_file_says_controls_no_terminal() {
    let data = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| debrief(data.path(), arguments);
    let file = |name: &str, text: &str| {
        let path = data.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let evil = "\u{1b}]0;x\u{7}\u{9b}2J";
    let document = std::fs::read_to_string(path("checkout-postmortem.txt")).expect("the document");
    let document =
        file("document.txt", &document.replacen("Checkout recovered", &format!("Checkout {evil} recovered"), 1));
    let events = file(
        "e\u{1b}.csv",
        &format!(
            "ts,attempt_id,customer_id,outcome,latency_ms\n2026-07-09T09:50:00Z,a{evil},c,maybe{evil},1\n{evil},b,c,failed,1\n"
        ),
    );
    let flags = file("flags.csv", &format!("flag,state,changed_at\nf{evil},on,2026-07-09T09:50:00Z\nf,on,{evil}\n"));
    let queue = file("queue.csv", &format!("time,q{evil}\n2026-07-09T09:50:00Z,1\n{evil},2\n"));
    let commands: &[&[&str]] = &[
        &["parse", &document, "--date", "2026-07-09"],
        &["import", "postmortem", &document, "--date", "2026-07-09", "--dry-run"],
        &["import", "postmortem", &document, "--date", "2026-07-09"],
        &["import", "events", "INC-1", &events, "--preview"],
        &["import", "events", "INC-1", &events],
        &["import", "flags", "INC-1", &flags],
        &["import", "deploys", "INC-1", &flags],
        &["import", "signals", "INC-1", &queue],
        &["export", evil, "--format", "md"],
    ];
    for arguments in commands {
        let run = run(arguments);
        let said = format!("{}{}", run.out, run.err);
        assert!(
            !said.is_empty() && !said.contains(|letter: char| letter.is_control() && letter != '\n'),
            "{arguments:?}: {said:?}"
        );
    }
    let exported = run(&["export", "INC-1", "--format", "json"]).out;
    assert!(exported.contains("\\u001b"), "a document is written as it is");
}

#[tokio::test]
async fn a_database_that_cannot_be_used_is_told_once_with_what_mends_it() {
    let place = tempfile::tempdir().expect("a folder");
    let told = |data: &Path, said: &str| {
        let run = debrief(data, &["user", "list"]);
        assert!(run.status == 1 && run.err.contains(said), "{}", run.err);
        for twice in ["error returned from database", "(code:"] {
            assert!(run.err.matches(twice).count() <= 1, "{}", run.err);
        }
    };
    let data = place.path().join("a folder in its place");
    std::fs::create_dir_all(data.join("debrief.db")).expect("a folder");
    told(&data, "whoever runs this program must be able to write the file and its folder");

    let data = place.path().join("no database");
    std::fs::create_dir_all(&data).expect("a folder");
    std::fs::write(data.join("debrief.db"), "something else, and quite a lot of it".repeat(100)).expect("a file");
    told(&data, "put a backup in its place");

    let data = place.path().join("newer");
    assert_eq!(debrief(&data, &["token", "create", "--role", "viewer"]).status, 0);
    let pool =
        sqlx::SqlitePool::connect(&format!("sqlite:{}", data.join("debrief.db").display())).await.expect("it opens");
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (9999, '', 1, x'00', 0)";
    sqlx::query(newer).execute(&pool).await.expect("it is written");
    pool.close().await;
    told(&data, "a newer version of this program wrote it (with step 9999)");
}
