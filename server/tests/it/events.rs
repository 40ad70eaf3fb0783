//! Logs of attempts over HTTP: imported, previewed, refused, cut short.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use domain::person::Role;
use reqwest::{Body, Client, StatusCode};
use serde_json::{Value, json};

use crate::server::{Server, client, example, person, problem};

async fn send(server: &Server, by: &Client, query: &str, body: impl Into<Body>) -> reqwest::Response {
    let address = format!("{}/api/v1/incidents/INC-1/imports/events?{query}", server.base);
    by.post(address).header("content-type", "application/octet-stream").body(body).send().await.expect("an answer")
}

async fn report(response: reqwest::Response, status: StatusCode) -> Value {
    let (found, body) = (response.status(), response.text().await.expect("a body"));
    assert_eq!(found, status, "{body}");
    serde_json::from_str(&body).expect("JSON")
}

/// Every file below a folder that holds something imported.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.path().display().to_string());
        }
    }
    found
}

fn mapped(mapping: &Value) -> String {
    format!("mapping={}", domain::wire::paths::segment(&mapping.to_string()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_is_sent_is_imported_once_and_yields_the_known_figures() {
    let server = Server::empty().await;
    server.import_document().await;
    let bytes = std::fs::read(example("checkout-events.csv")).expect("the example");
    let first = report(send(&server, &server.client, "name=log.csv", bytes.clone()).await, StatusCode::CREATED).await;
    assert_eq!(
        (&first["rows_read"], &first["attempts"], &first["repeated"]),
        (&json!(20594), &json!(20554), &json!(40))
    );
    assert_eq!(first["mapping"]["time"], "ts");
    let version = server.dashboard().await["version"].clone();
    let again = report(send(&server, &server.client, "", bytes.clone()).await, StatusCode::OK).await;
    assert_eq!((&again["already_imported"], &again["file_name"]), (&json!(true), &json!("log.csv")));
    assert_eq!(server.dashboard().await["version"], version);
    // The same rows in another file are known attempts.
    let packed = zstd::encode_all(&bytes[..], 1).expect("compressed");
    let packed = report(send(&server, &server.client, "", packed).await, StatusCode::CREATED).await;
    assert_eq!((&packed["attempts"], &packed["repeated"]), (&json!(0), &json!(20594)));
    assert_eq!(packed["total"], first["total"]);
    let history: Value =
        server.get("/api/v1/incidents/INC-1/history").send().await.expect("an answer").json().await.expect("JSON");
    assert!(history.to_string().contains("local"), "{history}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_looked_at_before_it_is_imported_and_its_mapping_is_kept() {
    let server = Server::empty().await;
    server.import_document().await;
    let text = "when;what;who;end;region\n2026-07-09 11:46;1;c-1;ok;eu\n2026-07-09 11:47;2;c-2;KO;us\n";
    let look = async |by: &Client, query: &str, body: Vec<u8>| {
        report(send(&server, by, &format!("preview=true&{query}"), body).await, StatusCode::OK).await
    };
    let told = look(&server.client, "", text.into()).await;
    assert_eq!(told["shape"], "CSV parted by ‘;’");
    assert!(told["trouble"].as_str().expect("trouble").contains("which column holds the time, the attempt"), "{told}");
    let mut mapping =
        json!({"time": "when", "attempt": "what", "customer": "who", "outcome": "end", "labels": ["region"]});
    let told = look(&server.client, &mapped(&mapping), text.into()).await;
    assert!(told["trouble"].as_str().expect("trouble").contains("name no zone"), "{told}");
    assert_eq!(told["unknown_outcomes"], json!(["ok", "KO"]));
    mapping["zone"] = json!("+02:00");
    mapping["completed"] = json!(["ok"]);
    mapping["failed"] = json!(["KO"]);
    // The head may be cut off anywhere, inside an archive too.
    let long = format!("{text}{}", "2026-07-09 11:48;3;c-3;KO;us\n".repeat(40_000));
    let mut archive = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    archive.write_all(long.as_bytes()).expect("compressed");
    let archive = archive.finish().expect("compressed");
    let told = look(&server.client, &mapped(&mapping), archive[..archive.len() / 2].to_vec()).await;
    assert_eq!((&told["trouble"], &told["refused"]["total"]), (&Value::Null, &json!(0)), "{told}");
    assert!(told["rows_read"].as_u64().expect("a number") > 1000, "{told}");
    assert_eq!(told["shape"], "CSV parted by ‘;’, compressed with gzip");

    let query = format!("{}&save_as=Shop&name=shop.csv", mapped(&mapping));
    let imported = report(send(&server, &server.client, &query, text).await, StatusCode::CREATED).await;
    assert_eq!((&imported["attempts"], &imported["refused"]["total"]), (&json!(2), &json!(0)));
    let saved: Value =
        server.get("/api/v1/imports/mappings").send().await.expect("an answer").json().await.expect("JSON");
    assert_eq!(saved["items"][0]["name"], "Shop");
    let told = look(&server.client, "", text.into()).await;
    assert_eq!((&told["saved_as"], &told["mapping"]["zone"]), (&json!("Shop"), &json!("+02:00")));
    assert_eq!(told["trouble"], Value::Null);

    // Whoever may not see customers is shown no value that may tell one.
    let editor = client(Some(&person(&server.store, "Eda", Role::Editor).await.token));
    assert!(look(&server.client, "", text.into()).await.to_string().contains("c-1"));
    let told = look(&editor, "", text.into()).await;
    assert!(!told.to_string().contains("c-1"), "{told}");
    assert_eq!(told["columns"][3]["values"], json!(["ok", "KO"]));

    // Read in another way, it takes the place of what it was read as before.
    mapping["completed"] = json!(["KO"]);
    mapping["failed"] = json!(["ok"]);
    let other = report(send(&server, &server.client, &mapped(&mapping), text).await, StatusCode::CREATED).await;
    assert_eq!((&other["replaced"], &other["attempts"]), (&json!(true), &json!(2)), "{other}");
    assert_eq!(server.dashboard().await["signals"][0]["sources"].as_array().map(Vec::len), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_of_no_use_is_refused_and_leaves_nothing() {
    let server = Server::empty().await;
    server.import_document().await;
    let before = files(&server.folder().join("objects"));
    for (body, reason) in [
        (&b""[..], "the file is empty"),
        (b"a,b\n1,2\n", "which column holds the time"),
        (b"ts,attempt_id,customer_id,outcome\nsoon,a,c,failed\n", "none of the 1 rows"),
        (b"\x1F\x8B\x08\0\0\0\0\0\0\x03", "the archive ends before its end"),
    ] {
        let problem = problem(send(&server, &server.client, "", body).await, 422, "invalid").await;
        assert!(problem["detail"].as_str().expect("a detail").contains(reason), "{problem}");
    }
    let problem = problem(send(&server, &server.client, "mapping=7", "x").await, 400, "malformed-request").await;
    assert_eq!(problem["errors"][0]["pointer"], "mapping");
    assert_eq!(files(&server.folder().join("objects")), before);
    assert_eq!(server.dashboard().await["signals"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_over_the_limit_is_refused_whether_or_not_its_length_is_said() {
    let server = Server::with_upload_limit(1 << 20).await;
    server.import_document().await;
    let before = files(&server.folder().join("objects"));
    let row = "2026-07-09T09:46:00Z,a,c,failed\n";
    let text = format!("ts,attempt_id,customer_id,outcome\n{}", row.repeat((2 << 20) / row.len()));
    let pieces: Vec<_> =
        text.as_bytes().chunks(1 << 16).map(|piece| Ok::<_, std::io::Error>(Bytes::copy_from_slice(piece))).collect();
    for body in [Body::from(text.clone()), Body::wrap_stream(futures_util::stream::iter(pieces))] {
        let problem = problem(send(&server, &server.client, "", body).await, 413, "too-large").await;
        assert!(problem["detail"].as_str().expect("a detail").contains("1 MiB"), "{problem}");
    }
    assert_eq!(files(&server.folder().join("objects")), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_given_up_leaves_nothing_behind() {
    let server = Server::empty().await;
    server.import_document().await;
    let objects = server.folder().join("objects");
    let before = files(&objects);
    let head = "ts,attempt_id,customer_id,outcome\n".to_owned();
    let rows = move |begin: usize| {
        let rows = (begin..begin + 20_000).map(|row| format!("2026-07-09T09:46:00Z,attempt-{row},c,failed\n"));
        rows.collect::<String>()
    };
    // Enough that some of it lies on the disk; then nothing comes any more.
    let pieces =
        (0..20).map(move |piece| Ok::<_, std::io::Error>(if piece == 0 { head.clone() } else { rows(piece * 20_000) }));
    let body = futures_util::StreamExt::chain(futures_util::stream::iter(pieces), futures_util::stream::pending());
    let sent = send(&server, &server.client, "", Body::wrap_stream(body));
    assert!(tokio::time::timeout(Duration::from_secs(3), sent).await.is_err(), "it waits for more");
    for _ in 0..100 {
        if files(&objects) == before {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(files(&objects), before);
    assert_eq!(server.dashboard().await["signals"], json!([]));
    // And it gave its turn back.
    for _ in 0..3 {
        let bytes = std::fs::read(example("checkout-events.csv")).expect("the example");
        assert!(send(&server, &server.client, "", bytes).await.status().is_success());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_computed_can_be_computed_anew() {
    let (server, id) = Server::with_example().await;
    let before: Value =
        server.get("/api/v1/incidents/INC-1/signals").send().await.expect("an answer").json().await.expect("JSON");
    let pool = sqlx::SqlitePool::connect(&format!("sqlite:{}", server.folder().join("debrief.db").display()))
        .await
        .expect("opens");
    sqlx::query("DELETE FROM signals").execute(&pool).await.expect("deleted");
    let by = debrief_server::store::By { actor: "somebody", now: debrief_server::clock::now() };
    let total =
        debrief_server::import::events::recompute(&server.store, &server.objects, &id, by).await.expect("computed");
    assert_eq!(total.map(|total| (total.numerator, total.denominator)), Some((1358, 20554)));
    let mut after: Value =
        server.get("/api/v1/incidents/INC-1/signals").send().await.expect("an answer").json().await.expect("JSON");
    after["items"][0]["id"] = before["items"][0]["id"].clone();
    assert_eq!(after, before);
}
