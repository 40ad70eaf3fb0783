//! Plain values: from a real Prometheus and from CSV; what is kept of them, and what is refused.

use std::path::{Path, PathBuf};
use std::process::Command;

use axum::http::StatusCode as Status;
use debrief_server::app::Settings;
use debrief_server::clock;
use debrief_server::import::signals::recompute;
use debrief_server::prometheus::{Servers, read_file};
use debrief_server::store::By;
use domain::person::Role;
use domain::signal::{Bin, Stretch};
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};

use crate::prometheus::{PASSWORD, Prometheus, Setup, USER, samples};
use crate::server::{Server, client, example, on_both_databases, person, problem};

/// The worked example's bins.
async fn bins() -> Vec<Bin> {
    let (server, id) = Server::with_example().await;
    server.store.signals(&id, Stretch::default()).await.expect("the store answers").remove(0).bins
}

/// Servers of this file, whose owner alone can read it.
fn servers(folder: &Path, toml: &str) -> Servers {
    let path = written(folder, toml);
    Servers::new(read_file(&path).expect("it holds")).expect("they can be asked")
}

fn written(folder: &Path, toml: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.join("prometheus.toml");
    std::fs::write(&path, toml).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("allowed");
    path
}

/// A server with the example's document that knows these Prometheus servers.
async fn server_knowing(toml: &str) -> Server {
    let folder = tempfile::tempdir().expect("a folder");
    let prometheus = Some(servers(folder.path(), toml));
    let server = Server::with(Settings { prometheus, ..Settings::default() }).await;
    server.import_document().await;
    server
}

fn question(server: &str, query: &str) -> Value {
    json!({"prometheus": {
        "server": server, "query": query, "from": "2026-07-09T09:46:00Z", "until": "2026-07-09T10:16:00Z", "step_seconds": 60
    }})
}

async fn ask(server: &Server, by: &Client, query: &str, question: &Value) -> Response {
    let address = format!("{}/api/v1/incidents/INC-1/imports/signals{query}", server.base);
    by.post(address).json(question).send().await.expect("an answer")
}

async fn answered(response: Response, status: StatusCode) -> Value {
    let (found, body) = (response.status(), response.text().await.expect("a body"));
    assert_eq!(found, status, "{body}");
    serde_json::from_str(&body).expect("JSON")
}

async fn send(server: &Server, query: &str, body: impl Into<reqwest::Body>) -> Response {
    let address = format!("{}/api/v1/incidents/INC-1/imports/signals?{query}", server.base);
    let request = server.client.post(address).header("content-type", "application/octet-stream");
    request.body(body).send().await.expect("an answer")
}

async fn get(server: &Server, path: &str) -> Value {
    server.get(&format!("/api/v1{path}")).send().await.expect("an answer").json().await.expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_prometheus_answers_is_kept_and_outlives_it() {
    let bins = bins().await;
    let mut prometheus = Prometheus::start(&samples(&bins), Setup::Locked).await;
    let address = prometheus.address.clone();
    let toml = format!("[main]\naddress = \"{address}\"\nuser = \"{USER}\"\npassword = \"{PASSWORD}\"\n");
    let server = server_knowing(&toml).await;
    let known = get(&server, "/prometheus-servers").await;
    assert_eq!(known, json!({"items": [{"name": "main", "address": address}], "next": null}));

    let ratio = question("main", "checkout_failed_ratio");
    let before = server.dashboard().await["version"].clone();
    let looked = answered(ask(&server, &server.client, "?preview=true", &ratio).await, StatusCode::OK).await;
    assert_eq!((&looked["evidence"], &looked["trouble"]), (&Value::Null, &Value::Null), "{looked}");
    assert_eq!(looked["signals"][0]["points"].as_array().map(Vec::len), Some(31));
    assert_eq!(server.dashboard().await["version"], before, "looking stores nothing");

    let report = answered(ask(&server, &server.client, "", &ratio).await, StatusCode::CREATED).await;
    assert_eq!((&report["signals"][0]["count"], &report["signals"][0]["gaps"]), (&json!(31), &json!(0)), "{report}");
    assert_eq!(report["sha256"], looked["sha256"]);
    let again = answered(ask(&server, &server.client, "", &ratio).await, StatusCode::OK).await;
    assert_eq!(again["already_imported"], true);

    // The same share in each minute as the events have.
    let values = get(&server, "/incidents/INC-1/signals").await["values"].clone();
    let points = values[0]["points"].as_array().expect("points");
    let inside = bins.iter().filter(|bin| points.iter().any(|point| point["at"] == json!(bin.at)));
    let shares: Vec<f64> = inside.filter_map(|bin| bin.ratio().share()).collect();
    let read = points.iter().map(|point| point["value"].as_f64().expect("a value"));
    // What reads the answer here may be off in the last digit.
    assert!(read.zip(&shares).all(|(read, share)| (read - share).abs() < 1e-12));
    assert_eq!(shares.len(), 31);

    let by_queue = json!({"prometheus": {
        "server": "main", "query": "queue_length", "title": "Queue", "unit": "jobs",
        "from": "2026-07-09T09:46:00Z", "until": "2026-07-09T10:30:00Z", "step_seconds": 60
    }});
    let report = answered(ask(&server, &server.client, "", &by_queue).await, StatusCode::CREATED).await;
    let signal = |i: usize| &report["signals"][i];
    assert_eq!((signal(0)["labels"]["queue"].as_str(), signal(0)["gaps"].as_u64()), (Some("mail"), Some(0)));
    assert_eq!((signal(1)["labels"]["queue"].as_str(), signal(1)["gaps"].as_u64()), (Some("retries"), Some(1)));
    assert_eq!((&signal(1)["title"], &signal(1)["unit"]), (&json!("Queue"), &json!("jobs")));
    let odd = answered(ask(&server, &server.client, "", &question("main", "odd")).await, StatusCode::CREATED).await;
    let odd = &odd["signals"][0];
    assert!(odd["not_numbers"].as_u64() >= Some(7) && odd["infinite"].as_u64() >= Some(14), "{odd}");

    // Failed attempts inside the window, as two values of a counter tell them.
    let counter = answered(
        ask(&server, &server.client, "?preview=true", &{
            let mut asked = question("main", "checkout_failed_total");
            asked["prometheus"]["until"] = json!("2026-07-09T10:17:00Z");
            asked
        })
        .await,
        StatusCode::OK,
    )
    .await;
    let points = counter["signals"][0]["points"].as_array().expect("points");
    let of = |point: Option<&Value>| point.and_then(|point| point["value"].as_f64()).expect("a value");
    assert!((of(points.last()) - of(points.first()) - 1284.0).abs() < 1e-9);

    prometheus.stop();
    let dashboard = server.dashboard().await;
    let values = dashboard["values"].as_array().expect("values");
    assert_eq!(values.len(), 4);
    let source = &values[0]["source"];
    assert_eq!(
        (&source["prometheus"]["query"], &source["prometheus"]["server"]),
        (&json!("checkout_failed_ratio"), &json!("main"))
    );
    let evidence =
        dashboard["evidence"].as_array().expect("evidence").iter().find(|e| e["number"] == source["evidence"]);
    let evidence = evidence.expect("it is evidence");
    assert_eq!(
        (&evidence["kind"], &evidence["title"]),
        (&json!("metric"), &json!("Prometheus: checkout_failed_ratio"))
    );
    assert!(evidence["captured_at"].is_string());
    let gone = problem(ask(&server, &server.client, "", &question("main", "up")).await, 502, "upstream-failed").await;
    let detail = gone["detail"].as_str().expect("a detail");
    assert!(detail.contains("‘main’ cannot be reached") && detail.contains("prometheus.toml"), "{detail}");
    assert!(!detail.contains(&address) && !detail.contains(PASSWORD), "{detail}");

    // From the bytes alone.
    let stretch = Stretch::default();
    let id = server.store.incident_id("INC-1").await.expect("the store answers").expect("it is there");
    let before = server.store.values(&id, stretch).await.expect("values");
    let pool = sqlx::SqlitePool::connect(&format!("sqlite:{}", server.folder().join("debrief.db").display())).await;
    sqlx::query("DELETE FROM value_chunks").execute(&pool.expect("opens")).await.expect("deleted");
    assert!(server.store.values(&id, stretch).await.expect("values").iter().all(|value| value.points.is_empty()));
    let by = By { actor: "somebody", now: clock::now() };
    assert_eq!(recompute(&server.store, &server.objects, &id, by).await.expect("read again"), 3);
    assert_eq!(server.store.values(&id, stretch).await.expect("values"), before);

    let history = get(&server, "/incidents/INC-1/history").await.to_string();
    assert!(history.contains("Prometheus: queue_length") && history.contains("local"), "{history}");
    assert!(!history.contains(PASSWORD));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_prometheus_refuses_or_warns_of_is_told_in_its_words() {
    let samples = samples(&bins().await);
    let prometheus = Prometheus::start(&samples, Setup::Locked).await;
    let warning = Prometheus::start(&samples, Setup::Warning).await;
    let (address, warns) = (&prometheus.address, &warning.address);
    let server = server_knowing(&format!(
        "[main]\naddress = \"{address}\"\nuser = \"{USER}\"\npassword = \"{PASSWORD}\"\n[wrong]\naddress = \"{address}\"\n\
         user = \"{USER}\"\npassword = \"not this one\"\n[none]\naddress = \"{address}\"\n[warns]\naddress = \"{warns}\"\n"
    ))
    .await;
    for name in ["wrong", "none"] {
        let refused =
            problem(ask(&server, &server.client, "", &question(name, "up")).await, 502, "upstream-failed").await;
        let detail = refused["detail"].as_str().expect("a detail");
        assert!(
            detail.contains("does not let Debrief in (status 401)") && !detail.contains("not this one"),
            "{detail}"
        );
    }
    for (query, pointer, wanted) in [
        ("rate(", "/prometheus/query", "parse error"),
        ("checkout_failed_ratio + on(x) group_left queue_length", "/prometheus/query", "Prometheus refuses the query"),
        ("  ", "/prometheus/query", "write a query"),
    ] {
        let refused = problem(ask(&server, &server.client, "", &question("main", query)).await, 422, "invalid").await;
        let error = &refused["errors"][0];
        assert!(
            error["pointer"] == pointer && error["message"].as_str().is_some_and(|m| m.contains(wanted)),
            "{refused}"
        );
    }
    let mut fine = question("main", "up");
    fine["prometheus"]["from"] = json!("2026-06-09T09:46:00Z");
    let refused = problem(ask(&server, &server.client, "", &fine).await, 422, "invalid").await;
    assert!(refused["errors"][0]["message"].as_str().is_some_and(|m| m.contains("a step of 300 seconds")), "{refused}");
    let refused = problem(ask(&server, &server.client, "", &question("else", "up")).await, 422, "invalid").await;
    assert_eq!(refused["errors"][0]["pointer"], "/prometheus/server");
    let free = question("http://127.0.0.1:1", "up");
    let refused = problem(ask(&server, &server.client, "", &free).await, 422, "invalid").await;
    assert_eq!(refused["errors"][0]["pointer"], "/prometheus/server", "no address is asked that nobody made known");

    let none = question("main", "nothing_of_this_name");
    let looked = answered(ask(&server, &server.client, "?preview=true", &none).await, StatusCode::OK).await;
    assert!(looked["trouble"].as_str().is_some_and(|trouble| trouble.contains("no series")), "{looked}");
    problem(ask(&server, &server.client, "", &none).await, 422, "invalid").await;
    assert_eq!(server.dashboard().await["values"], json!([]), "what was refused is not kept");

    let warned = question("warns", "checkout_failed_ratio");
    let report = answered(ask(&server, &server.client, "", &warned).await, StatusCode::CREATED).await;
    let said = report["prometheus"]["warnings"][0].as_str().expect("a warning");
    assert!(said.contains("remote_read") || said.contains("remote read") || said.contains("error"), "{said}");
    assert_eq!(server.dashboard().await["values"][0]["source"]["prometheus"]["warnings"][0], said);
}

/// A server that is no Prometheus, and how it misbehaves at each path.
async fn impostor() -> String {
    use axum::response::IntoResponse as _;
    let answer = |path: &str, token: Option<String>| match path {
        "/moved/api/v1/query_range" => {
            (Status::FOUND, [("location", "http://127.0.0.1:1/")], String::new()).into_response()
        }
        "/shop/api/v1/query_range" => (Status::OK, "<html>Welcome</html>").into_response(),
        "/ill/api/v1/query_range" => {
            let body = r#"{"status":"error","errorType":"timeout","error":"query timed out in expression evaluation"}"#;
            (Status::SERVICE_UNAVAILABLE, body).into_response()
        }
        "/large/api/v1/query_range" => (Status::OK, "x".repeat(65 << 20)).into_response(),
        "/token/api/v1/query_range" if token.as_deref() == Some("Bearer s3cr3t") => {
            let body = json!({"status": "success", "data": {"resultType": "matrix", "result": [
                {"metric": {}, "values": [[1_783_590_360, "1"]]}
            ]}});
            (Status::OK, body.to_string()).into_response()
        }
        _ => Status::FORBIDDEN.into_response(),
    };
    let app = axum::Router::new().fallback(move |request: axum::extract::Request| {
        let token = request.headers().get("authorization").and_then(|value| value.to_str().ok()).map(str::to_owned);
        let answered = answer(request.uri().path(), token);
        async move { answered }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn what_answers_otherwise_than_prometheus_is_told_apart() {
    let address = impostor().await;
    let names = ["moved", "shop", "ill", "large", "token", "other"];
    let section = |name: &&str| format!("[{name}]\naddress = \"{address}/{name}/\"\nbearer_token = \"s3cr3t\"\n");
    let toml = names.iter().map(section).collect::<Vec<_>>().concat();
    let server = server_knowing(&toml).await;
    for (name, wanted) in [
        ("moved", "sends to another address (status 302)"),
        ("shop", "is no Prometheus server (status 200"),
        ("ill", "query timed out in expression evaluation"),
        ("large", "more than 64 MiB"),
        ("other", "does not let Debrief in (status 403)"),
    ] {
        let refused =
            problem(ask(&server, &server.client, "", &question(name, "up")).await, 502, "upstream-failed").await;
        let detail = refused["detail"].as_str().expect("a detail");
        assert!(detail.contains(wanted) && detail.contains(&format!("‘{name}’")), "{detail}");
        assert!(!detail.contains(&address) && !detail.contains("s3cr3t"), "{detail}");
    }
    let report = answered(ask(&server, &server.client, "", &question("token", "up")).await, StatusCode::CREATED).await;
    assert_eq!(report["signals"][0]["title"], "up");
}

const QUEUE: &str = "time;retries;mail;note\n2026-07-09 11:46;12;1;\n2026-07-09 11:47;;2;deploy\n2026-07-09 11:46;12;1;\n\
                     2026-07-09 11:48;many;3;\n2026-07-09 11:49;14.5;4;\n";

fn mapped(mapping: &Value) -> String {
    format!("name=queue.csv&mapping={}", domain::wire::paths::segment(&mapping.to_string()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_million_points_are_kept_and_a_stretch_of_them_is_read() {
    let server = server_knowing("").await;
    let begin = 1_783_590_360_000_i64;
    let rows = (0..1_000_000)
        .map(|i| format!("{},{}\n", begin + i * 100, (i % 1000) * i64::from(i != 777_777)))
        .collect::<Vec<_>>()
        .concat();
    let report =
        answered(send(&server, "name=long.csv", format!("time,load\n{rows}")).await, StatusCode::CREATED).await;
    assert_eq!((&report["signals"][0]["count"], &report["signals"][0]["gaps"]), (&json!(1_000_000), &json!(0)));
    let stretch = "from=2026-07-09T20:00:00Z&until=2026-07-09T20:00:10Z";
    let some = get(&server, &format!("/incidents/INC-1/signals?{stretch}")).await["values"][0].clone();
    let points = some["points"].as_array().expect("points");
    assert_eq!((points.len(), some["thinned"].as_bool(), some["count"].as_u64()), (102, Some(false), Some(1_000_000)));
    assert_eq!(
        (&points[0]["at"], &points[101]["at"]),
        (&json!("2026-07-09T19:59:59.900Z"), &json!("2026-07-09T20:00:10Z"))
    );
    let whole = get(&server, "/incidents/INC-1/signals?width=800").await["values"][0].clone();
    let points = whole["points"].as_array().expect("points");
    assert!(points.len() <= 4 * 802 && whole["thinned"] == true, "{}", points.len());
    let values = || points.iter().filter_map(|point| point["value"].as_f64());
    assert_eq!((values().fold(0.0, f64::max), values().fold(9.0, f64::min)), (999.0, 0.0));
    let first = server.dashboard().await["values"][0]["points"].as_array().map(Vec::len);
    assert!(first.is_some_and(|count| (500..=2600).contains(&count)), "{first:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_has_a_share_link_sees_values_and_not_where_they_are_from() {
    let bins = bins().await;
    let prometheus = Prometheus::start(&samples(&bins), Setup::Open).await;
    let server = server_knowing(&format!("[cellar]\naddress = \"{}\"\n", prometheus.address)).await;
    answered(ask(&server, &server.client, "", &question("cellar", "checkout_failed_ratio")).await, StatusCode::CREATED)
        .await;
    let viewer = client(Some(&person(&server.store, "Vi", Role::Viewer).await.token));
    let servers = viewer.get(format!("{}/api/v1/prometheus-servers", server.base)).send().await.expect("an answer");
    problem(servers, 403, "forbidden").await;
    problem(ask(&server, &viewer, "", &question("cellar", "up")).await, 403, "forbidden").await;
    let dashboard = server.dashboard().await;
    let import = &dashboard["imports"][0];
    assert_eq!((&import["kind"], &import["file_name"]), (&json!("prometheus"), &json!("prometheus-cellar.json")));
    let incident = dashboard["id"].clone();
    let share = json!({"incident_id": incident, "audience": "a customer", "days": 1});
    let made: Value =
        server.post("/api/v1/shares", &share).send().await.expect("an answer").json().await.expect("JSON");
    let link = made["url"].as_str().and_then(|url| url.rsplit('/').next()).expect("a link").to_owned();
    for path in ["", "/signals"] {
        let address = format!("{}/api/v1/shared/{link}{path}", server.base);
        let text = client(None).get(address).send().await.expect("an answer").text().await.expect("a body");
        assert!(text.contains("checkout_failed_ratio"), "{path}: {text}");
        assert!(
            !text.contains("cellar") && !text.contains(&prometheus.address) && !text.contains("\"local\""),
            "{path}: {text}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn values_come_by_command_too() {
    let mut prometheus = Prometheus::start(&samples(&bins().await), Setup::Open).await;
    let data = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_debrief")).args(arguments).env("DEBRIEF_DATA", data.path()).output();
        let output = output.expect("the program runs");
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        (output.status.success(), said)
    };
    let document = example("checkout-postmortem.txt").display().to_string();
    assert!(run(&["import", "postmortem", &document, "--date", "2026-07-09"]).0);
    let by_query = ["import", "signals", "INC-1", "--prometheus", &prometheus.address, "--query", "queue_length"];
    let (done, said) = run(&[&by_query[..], &["--unit", "jobs", "--preview"]].concat());
    assert!(done && said.contains("2 signals") && !said.contains("evidence"), "{said}");
    let (done, said) = run(&[&by_query[..], &["--unit", "jobs", "--step", "60"]].concat());
    assert!(done && said.contains("queue_length {queue=\"retries\"} (jobs): ") && said.contains("1 gap"), "{said}");
    let (done, said) = run(&[&by_query[..], &["--unit", "jobs", "--step", "60"]].concat());
    assert!(done && said.contains("imported before; nothing was changed"), "{said}");
    let (done, said) = run(&["import", "signals", "INC-1", "--prometheus", "main", "--query", "queue_length"]);
    assert!(!done && said.contains("no Prometheus server is known as ‘main’"), "{said}");
    written(data.path(), &format!("[main]\naddress = \"{}\"\n", prometheus.address));
    let named = ["import", "signals", "INC-1", "--prometheus", "main", "--query"];
    let (done, said) = run(&[&named[..], &["checkout_failed_ratio", "--title", "Share"]].concat());
    assert!(done && said.contains("Share: "), "{said}");
    let (done, said) =
        run(&["import", "signals", "INC-1", "--prometheus", "http://me:secret@127.0.0.1:1", "--query", "up"]);
    assert!(!done && said.contains("no name and no password") && !said.contains("secret"), "{said}");
    prometheus.stop();
    let file = data.path().join("queue.csv");
    std::fs::write(&file, QUEUE).expect("written");
    let (done, said) = run(&["import", "signals", "INC-1", &file.display().to_string(), "--zone", "+02:00"]);
    assert!(
        done && said.contains("line 5: retries ‘many’ is not a number") && said.contains("column ‘note’"),
        "{said}"
    );
    let (done, said) = run(&["recompute", "INC-1"]);
    assert!(done && said.contains("read again: 3 imports of plain values"), "{said}");
}

on_both_databases! {
async fn a_file_of_values_is_looked_at_imported_once_and_taken_away(server: Server) {
    server.import_document().await;
    let looked = answered(send(&server, "preview=true&name=queue.csv", QUEUE).await, StatusCode::OK).await;
    assert!(looked["trouble"].as_str().is_some_and(|trouble| trouble.contains("name no zone")), "{looked}");
    let mapping = json!({"zone": "Europe/Berlin", "unit": "jobs"});
    let looked =
        answered(send(&server, &format!("preview=true&{}", mapped(&mapping)), QUEUE).await, StatusCode::OK).await;
    assert_eq!((&looked["trouble"], &looked["signals"][1]["points"][0]["value"]), (&Value::Null, &json!(1.0)));
    let report = answered(send(&server, &mapped(&mapping), QUEUE).await, StatusCode::CREATED).await;
    assert_eq!(
        (&report["rows_read"], &report["repeated"], &report["refused"]["total"]),
        (&json!(5), &json!(1), &json!(1))
    );
    assert_eq!(report["passed_over"], json!(["note"]));
    assert!(report["refused"]["rows"][0]["reason"].as_str().is_some_and(|r| r.contains("retries ‘many’")), "{report}");
    let version = server.dashboard().await["version"].clone();
    let again = answered(send(&server, &mapped(&mapping), QUEUE).await, StatusCode::OK).await;
    assert_eq!((&again["already_imported"], &again["evidence"]), (&json!(true), &report["evidence"]));
    assert_eq!(server.dashboard().await["version"], version);

    let before = get(&server, "/incidents/INC-1/signals").await["values"].clone();
    assert_eq!((before[0]["title"].as_str(), before[0]["count"].as_u64()), (Some("retries"), Some(3)));
    assert_eq!(before[0]["points"][0]["at"], "2026-07-09T09:46:00Z");
    // Read in another way, it takes the place of what it was, under the same ids and the same evidence.
    let other = answered(send(&server, &mapped(&json!({"zone": "+00:00"})), QUEUE).await, StatusCode::CREATED).await;
    assert_eq!((&other["replaced"], &other["evidence"]), (&json!(true), &report["evidence"]));
    let values = get(&server, "/incidents/INC-1/signals").await["values"].clone();
    assert_eq!((&values[0]["id"], &values[0]["points"][0]["at"]), (&before[0]["id"], &json!("2026-07-09T11:46:00Z")));

    let remove = async |id: &Value| {
        let path = format!("{}/api/v1/incidents/INC-1/signals/{}", server.base, id.as_str().expect("an id"));
        server.client.delete(path).send().await.expect("an answer")
    };
    assert_eq!(remove(&values[0]["id"]).await.status(), StatusCode::NO_CONTENT);
    problem(remove(&values[0]["id"]).await, 404, "not-found").await;
    let history = get(&server, "/incidents/INC-1/history").await.to_string();
    assert!(history.contains("retries"), "{history}");
    // One of two is gone: the same file brings it back.
    let back = answered(send(&server, &mapped(&json!({"zone": "+00:00"})), QUEUE).await, StatusCode::CREATED).await;
    assert_eq!(back["signals"].as_array().map(Vec::len), Some(2));
    for value in get(&server, "/incidents/INC-1/signals").await["values"].as_array().expect("values") {
        assert_eq!(remove(&value["id"]).await.status(), StatusCode::NO_CONTENT);
    }
    let dashboard = server.dashboard().await;
    assert_eq!(dashboard["values"], json!([]));
    let evidence =
        dashboard["evidence"].as_array().expect("evidence").iter().find(|e| e["number"] == report["evidence"]);
    assert!(evidence.is_some_and(|evidence| evidence["removed_at"].is_string()), "{evidence:?}");
    let later = clock::now() + chrono::TimeDelta::hours(2);
    let swept = server.store.sweep_objects(&server.objects, later).await.expect("swept");
    assert_eq!(swept, 1, "the file went with the last of its values");
    let fresh = answered(send(&server, &mapped(&mapping), QUEUE).await, StatusCode::CREATED).await;
    assert_ne!(fresh["evidence"], report["evidence"], "a number that was removed stays so");

    for (body, reason) in [(&b""[..], "the file is empty"), (b"a,b\n1,2\n", "which column holds the time?")] {
        let refused = problem(send(&server, "", body).await, 422, "invalid").await;
        assert!(refused["detail"].as_str().is_some_and(|detail| detail.contains(reason)), "{refused}");
    }
    problem(send(&server, "mapping=7", "x").await, 400, "malformed-request").await;
}

async fn imports_of_values_are_listed_among_the_others_and_taken_back_whole(server: Server) {
    server.import_document().await;
    let deploys = "at,service,version\n2026-07-09T09:44:00Z,cart,812\n";
    let address = format!("{}/api/v1/incidents/INC-1/imports/deploys?name=deploys.csv", server.base);
    let sent = server.client.post(address).body(deploys).send().await.expect("an answer");
    assert_eq!(sent.status(), StatusCode::CREATED);
    let mapping = json!({"zone": "Europe/Berlin", "unit": "jobs"});
    let report = answered(send(&server, &mapped(&mapping), QUEUE).await, StatusCode::CREATED).await;
    let load = "time,load\n2026-07-09T09:46:00Z,1\n";
    answered(send(&server, "name=load.csv", load).await, StatusCode::CREATED).await;
    let listed = get(&server, "/incidents/INC-1/imports").await["items"].clone();
    let told: Vec<_> =
        listed.as_array().expect("a list").iter().map(|file| (file["kind"].as_str(), file["file_name"].as_str())).collect();
    assert_eq!(
        told,
        [
            (Some("deploys"), Some("deploys.csv")),
            (Some("values"), Some("queue.csv")),
            (Some("values"), Some("load.csv"))
        ]
    );
    assert_eq!(listed[1]["sha256"], report["sha256"]);
    assert_eq!(server.dashboard().await["imports"], listed, "the dashboard says the same");

    let address = |import: &Value| {
        format!("{}/api/v1/incidents/INC-1/imports/{}", server.base, import["id"].as_str().expect("an id"))
    };
    let viewer = client(Some(&person(&server.store, "Vi", Role::Viewer).await.token));
    problem(viewer.delete(address(&listed[1])).send().await.expect("an answer"), 403, "forbidden").await;
    let removed = server.client.delete(address(&listed[1])).send().await.expect("an answer");
    let removed = answered(removed, StatusCode::OK).await;
    assert_eq!((&removed["file"], &removed["forgotten"]), (&listed[1], &json!(2)));
    let dashboard = server.dashboard().await;
    let titles: Vec<_> = dashboard["values"].as_array().expect("values").iter().map(|value| &value["title"]).collect();
    assert_eq!(titles, ["load"]);
    assert_eq!(dashboard["imports"], json!([listed[0], listed[2]]));
    let evidence = dashboard["evidence"].as_array().expect("evidence");
    let of = |number: &Value| evidence.iter().find(|evidence| evidence["number"] == *number).expect("it is there");
    assert!(of(&report["evidence"])["removed_at"].is_string(), "its evidence went with it");
    problem(server.client.delete(address(&listed[1])).send().await.expect("an answer"), 404, "not-found").await;
    let history = get(&server, "/incidents/INC-1/history").await["items"].clone();
    let entry = history.as_array().expect("a history").iter().find(|entry| entry["subject"] == "signal");
    let entry = entry.expect("it is told");
    assert_eq!(entry["kind"], "removed");
    let fields = entry["fields"].to_string();
    assert!(fields.contains("retries (jobs)") && fields.contains("mail (jobs)") && fields.contains("queue.csv"), "{entry}");
    let later = clock::now() + chrono::TimeDelta::hours(2);
    assert_eq!(server.store.sweep_objects(&server.objects, later).await.expect("swept"), 1, "its bytes went");
    let again = answered(send(&server, &mapped(&mapping), QUEUE).await, StatusCode::CREATED).await;
    assert_eq!((&again["already_imported"], &again["replaced"]), (&json!(false), &json!(false)));
}

async fn a_column_stays_the_signal_that_it_was_whichever_others_are_read(server: Server) {
    server.import_document().await;
    let ids = async || {
        let values = get(&server, "/incidents/INC-1/signals").await["values"].clone();
        let told = values.as_array().expect("values").iter();
        told.map(|value| (value["title"].as_str().expect("a title").to_owned(), value["id"].clone())).collect::<Vec<_>>()
    };
    let read = async |columns: &[&str]| {
        let mapping = json!({"zone": "+02:00", "values": columns});
        let looked = send(&server, &format!("preview=true&{}", mapped(&mapping)), QUEUE).await;
        let looked = answered(looked, StatusCode::OK).await;
        let report = answered(send(&server, &mapped(&mapping), QUEUE).await, StatusCode::CREATED).await;
        assert_eq!((&looked["mapping"]["values"], &report["mapping"]["values"]), (&json!(columns), &json!(columns)));
        assert_eq!(report["passed_over"], json!(["note"]), "what was not asked for is not told to hold nothing");
        ids().await
    };
    let both = read(&["retries", "mail"]).await;
    let mail = read(&["mail"]).await;
    assert_eq!(mail, [both[1].clone()], "a claim on the mail stays one on the mail");
    let again = read(&["retries", "mail"]).await;
    assert_eq!((&again[1], again[0].0.as_str()), (&mail[0], "retries"));
    assert_ne!(again[0].1, mail[0].1);
}

async fn a_figure_is_checked_with_a_value_and_again_when_that_changes(server: Server) {
    server.import_document().await;
    let file = "time,p95\n2026-07-09T09:45:00Z,9000\n2026-07-09T09:50:00Z,4100\n2026-07-09T09:51:00Z,\n2026-07-09T10:00:00Z,1300\n";
    let import = async |mapping: Value| {
        let answer = send(&server, &mapped(&mapping), file).await;
        answered(answer, StatusCode::CREATED).await;
    };
    import(json!({"unit": "ms"})).await;
    let dashboard = server.dashboard().await;
    let signal = dashboard["values"][0]["id"].clone();
    let target = json!({"measure": dashboard["impact"][1]["id"]});
    let computation = json!({"measure": "value_max", "signal": signal});
    let refused = json!({"target": target, "computation": {"measure": "value_max"}});
    let refused = problem(
        server.post("/api/v1/incidents/INC-1/claims", &refused).send().await.expect("an answer"),
        422,
        "invalid",
    );
    assert_eq!(refused.await["errors"][0]["pointer"], "/computation/signal");
    let bound = json!({"target": target, "computation": computation});
    let made = server.post("/api/v1/incidents/INC-1/claims", &bound).send().await.expect("an answer");
    let claim = answered(made, StatusCode::CREATED).await;
    // "1,284" is a count, and the value a time.
    assert_eq!(claim["check"]["verdict"], "not_computed", "{claim}");
    assert!(claim["check"]["reason"].as_str().is_some_and(|reason| reason.contains("the value is a time")), "{claim}");
    import(json!({})).await;
    let check = server.dashboard().await["claims"][0]["check"].clone();
    assert_eq!((&check["verdict"], &check["computed"]), (&json!("differs"), &json!("4,100")), "{check}");
    let patch = json!({"computation": {"measure": "value_last", "signal": signal}});
    let id = claim["id"].as_str().expect("an id");
    let patched =
        server.patch(&format!("/api/v1/incidents/INC-1/claims/{id}"), 1, &patch).send().await.expect("an answer");
    let patched = answered(patched, StatusCode::OK).await;
    assert_eq!((&patched["check"]["computed"], &patched["check"]["difference"]), (&json!("1,300"), &json!("+16")));
    let address = format!("{}/api/v1/incidents/INC-1/signals/{}", server.base, signal.as_str().expect("an id"));
    assert_eq!(server.client.delete(address).send().await.expect("an answer").status(), StatusCode::NO_CONTENT);
    let check = server.dashboard().await["claims"][0]["check"].clone();
    assert_eq!(check["reason"], "the incident no longer has this value");
}

async fn a_crowd_that_brings_the_same_file_brings_it_once(server: Server) {
    server.import_document().await;
    let mapping = json!({"zone": "+02:00"});
    let sent = (0..8).map(|_| async { send(&server, &mapped(&mapping), QUEUE).await.status() });
    let mut statuses = futures_util::future::join_all(sent).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![StatusCode::OK; 7], vec![StatusCode::CREATED]].concat());
    let dashboard = server.dashboard().await;
    assert_eq!(dashboard["values"].as_array().map(Vec::len), Some(2));
    let metrics = dashboard["evidence"].as_array().expect("evidence").iter().filter(|e| e["kind"] == "metric").count();
    assert_eq!(metrics, 1);
}
}
