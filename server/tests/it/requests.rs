//! How a request is read: what cannot be read is a problem that names the place and what mends it.

use domain::person::Role;
use futures_util::stream;
use reqwest::{Body, Method, StatusCode};
use serde_json::{Value, json};

use crate::server::{Server, client, problem, token};
use crate::world::session;

#[tokio::test]
async fn an_address_that_is_no_text_is_one_that_nothing_has() {
    let server = Server::empty().await;
    let document: Value = server.get("/openapi.json").send().await.expect("an answer").json().await.expect("JSON");
    let mut asked = 0;
    for (path, verbs) in document["paths"].as_object().expect("paths") {
        if !path.contains('{') {
            continue;
        }
        let mut address = String::new();
        for (at, piece) in path.split(['{', '}']).enumerate() {
            address.push_str(if at % 2 == 0 { piece } else { "%FF" });
        }
        for verb in verbs.as_object().expect("verbs").keys() {
            let method = Method::from_bytes(verb.to_uppercase().as_bytes()).expect("a method");
            let request = server.client.request(method, format!("{}{address}", server.base)).json(&json!({}));
            let answer = request.header("if-match", "\"1\"").send().await.expect("an answer");
            assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{verb} {address}");
            problem(answer, 404, "not-found").await;
            asked += 1;
        }
    }
    assert!(asked > 50, "{asked}");
}

#[tokio::test]
async fn a_limit_is_a_whole_number_and_too_large_a_one_is_the_largest() {
    let (server, _) = Server::with_example().await;
    let id = server.dashboard().await["actions"][0]["id"].as_str().expect("an id").to_owned();
    let lists = [
        "/api/v1/incidents".to_owned(),
        "/api/v1/incidents/INC-1/history".to_owned(),
        "/api/v1/incidents/INC-1/cohort/customers".to_owned(),
        "/api/v1/actions".to_owned(),
        format!("/api/v1/actions/{id}/history"),
    ];
    for path in lists {
        for limit in ["1", "0", "4294967296", "99999999999999999999999"] {
            let answer = server.get(&format!("{path}?limit={limit}")).send().await.expect("an answer");
            assert_eq!(answer.status(), StatusCode::OK, "{path} {limit}");
            let page: Value = answer.json().await.expect("JSON");
            let count = page["items"].as_array().expect("items").len();
            assert!(limit.len() > 1 || count <= 1, "{path} {limit}: {count}");
        }
        for limit in ["", "-1", "+1", "ten", "1.5", "%FF"] {
            let answer = server.get(&format!("{path}?limit={limit}")).send().await.expect("an answer");
            let body = problem(answer, 400, "malformed-request").await;
            let error = &body["errors"][0];
            assert_eq!(error["pointer"], "limit", "{path} {limit}: {body}");
            assert!(error["message"].as_str().is_some_and(|said| said.contains("whole number")), "{body}");
        }
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_parameter_stands_beside_its_name() {
    let (server, _) = Server::with_example().await;
    for (path, pointer, said) in [
        ("incidents?severity=bad", "severity", "sev1"),
        ("incidents?colour=red", "colour", "severity"),
        ("incidents/INC-1/history?page=2", "page", "limit"),
        ("shares?incidents=INC-1", "incidents", "incident"),
        ("changes?recent=soon", "recent", "whole number"),
    ] {
        let body =
            problem(server.get(&format!("/api/v1/{path}")).send().await.expect("an answer"), 400, "malformed-request");
        let body = body.await;
        let error = &body["errors"][0];
        assert_eq!(error["pointer"], pointer, "{path}: {body}");
        assert!(error["message"].as_str().is_some_and(|text| text.contains(said)), "{path}: {body}");
    }
    let path = "/api/v1/incidents/INC-1/evidence/files?captured_at=2026-07-09T09:46:60Z";
    let body = problem(server.post(path, &json!({})).send().await.expect("an answer"), 400, "malformed-request").await;
    assert_eq!(body["errors"][0]["pointer"], "captured_at", "{body}");
}

#[tokio::test]
async fn what_is_wrong_with_a_body_stands_beside_its_field() {
    let (server, _) = Server::with_example().await;
    let id = server.dashboard().await["actions"][0]["id"].as_str().expect("an id").to_owned();
    let proof = format!("actions/{id}/verifications");
    for (path, body, pointer, said) in [
        ("shares", json!({"incident_id": "INC-1", "audience": "x"}), "/days", "missing"),
        ("shares", json!({"incident_id": "INC-1", "audience": "x", "days": "two"}), "/days", "a whole number"),
        (
            "incidents/INC-1/evidence",
            json!({"title": "x", "kind": "log", "captured_at": "x"}),
            "/captured_at",
            "2026-07-09T",
        ),
        (&proof, json!({"measured": {"unit": "s"}}), "/measured/value", "missing"),
        (&proof, json!({"measured": {"value": "9", "unit": "s"}}), "/measured/value", "a number"),
        (&proof, json!({"measured": {"value": 1, "unit": "parsec"}}), "/measured/unit", "expected one of"),
        ("incidents/INC-1/actions", json!({"due": "soon"}), "/due", "2026-07-23"),
        ("incidents/INC-1/actions", json!({"chnage": "x"}), "/chnage", "change"),
    ] {
        let answer = server.post(&format!("/api/v1/{path}"), &body).send().await.expect("an answer");
        let told = problem(answer, 422, "invalid").await;
        let error = &told["errors"][0];
        assert_eq!(error["pointer"], pointer, "{path} {body}: {told}");
        assert!(error["message"].as_str().is_some_and(|text| text.contains(said)), "{path} {body}: {told}");
    }
}

#[tokio::test]
async fn an_edit_names_one_version_in_quotes_and_as_the_server_writes_it() {
    let (server, _) = Server::with_example().await;
    let id = server.dashboard().await["actions"][0]["id"].as_str().expect("an id").to_owned();
    let edit = |tags: &'static [&'static str]| {
        let mut request = server.client.patch(format!("{}/api/v1/actions/{id}", server.base)).json(&json!({}));
        for tag in tags {
            request = request.header("if-match", *tag);
        }
        request.send()
    };
    let unclear: &[&[&str]] = &[
        &["1"],
        &["+1"],
        &["\"1"],
        &["1\""],
        &["\"\"1\"\""],
        &["\"1\", \"7\""],
        &["\"1\"", "\"7\""],
        &["W/\"1\""],
        &["*"],
        &[""],
    ];
    for tags in unclear {
        problem(edit(tags).await.expect("an answer"), 428, "precondition-required").await;
    }
    for tags in [&["\"+1\""] as &[&str], &["\"01\""], &["\" 1\""], &["\"\""], &["\"99999999999999999999\""]] {
        problem(edit(tags).await.expect("an answer"), 412, "stale-version").await;
    }
    assert_eq!(edit(&["\"1\""]).await.expect("an answer").status(), StatusCode::OK);
}

#[tokio::test]
async fn a_body_of_unknown_length_that_is_too_large_is_told_so() {
    let (server, _) = Server::with_example().await;
    for (path, media) in [
        ("incidents/INC-1/imports/load-test", "application/octet-stream"),
        ("incidents/INC-1/evidence", "application/json"),
        ("incidents/INC-1/evidence/files", "application/octet-stream"),
    ] {
        let pieces = stream::iter((0..11).map(|_| Ok::<_, std::io::Error>(vec![b' '; 1 << 20])));
        let request = server.client.post(format!("{}/api/v1/{path}", server.base)).header("content-type", media);
        let answer = request.body(Body::wrap_stream(pieces)).send().await.expect("an answer");
        problem(answer, 413, "too-large").await;
    }
}

#[tokio::test]
async fn a_key_is_printable_ascii() {
    let (server, _) = Server::with_example().await;
    let note = |key: String| {
        let new = json!({"title": "x", "kind": "log"});
        server.post("/api/v1/incidents/INC-1/evidence", &new).header("idempotency-key", key).send()
    };
    for key in ["a\tb", "", "ключ", &"k".repeat(201)] {
        let body = problem(note(key.to_owned()).await.expect("an answer"), 422, "invalid").await;
        assert_eq!(body["errors"][0]["pointer"], "Idempotency-Key", "{key:?}");
    }
    assert_eq!(note("~k 1!".to_owned()).await.expect("an answer").status(), StatusCode::CREATED);
}

#[tokio::test]
async fn a_program_that_asks_for_what_is_not_here_gets_no_page() {
    let server = Server::empty().await;
    for path in ["/metrics", "/metrics/", "/API/v1/incidents", "/Api", "/api/v1/incidents%2f"] {
        problem(server.get(path).send().await.expect("an answer"), 404, "not-found").await;
    }
    assert_eq!(server.get("/metricsx").send().await.expect("an answer").status(), StatusCode::OK);
}

#[tokio::test]
async fn a_name_is_one_that_can_be_told_from_another() {
    let server = Server::empty().await;
    let incident = server.import_document().await;
    let bodies = |name: &str| {
        [
            ("users", json!({"name": name, "role": "viewer"}), "/name"),
            ("teams", json!({"name": name}), "/name"),
            ("tokens", json!({"name": name, "role": "viewer", "days": 1}), "/name"),
            ("shares", json!({"incident_id": incident, "audience": name, "days": 1}), "/audience"),
        ]
    };
    // A token makes no tokens.
    let cookie = format!("debrief_session={}", session(&server.store, &server.admin.person.id).await);
    let post = |path: &str, body: Value| {
        client(None).post(format!("{}/api/v1/{path}", server.base)).header("cookie", &cookie).json(&body).send()
    };
    for name in ["", " ", "\u{200b}", "\u{202e}adA", "Ad\u{200b}a", "A\u{1b}[2J"] {
        for (path, body, pointer) in bodies(name) {
            let told = problem(post(path, body).await.expect("an answer"), 422, "invalid").await;
            assert_eq!(told["errors"][0]["pointer"], pointer, "{path} {name:?}: {told}");
        }
    }
    for (path, body, _) in bodies("نیلوفر می\u{200c}خواهم") {
        assert_eq!(post(path, body).await.expect("an answer").status(), StatusCode::CREATED, "{path}");
    }
}

#[tokio::test]
async fn lists_of_links_tokens_and_sessions_are_whole() {
    let server = Server::empty().await;
    server.import_document().await;
    for name in 0..510 {
        let new = json!({"incident_id": "INC-1", "audience": format!("a{name}"), "days": 1});
        let made = server.post("/api/v1/shares", &new).send().await.expect("an answer");
        assert_eq!(made.status(), StatusCode::CREATED);
        token(&server.store, None, Role::Viewer).await;
        session(&server.store, &server.admin.person.id).await;
    }
    for (path, at_least) in [("tokens", 511), ("shares", 510), ("sessions", 510)] {
        let page: Value =
            server.get(&format!("/api/v1/{path}")).send().await.expect("an answer").json().await.expect("JSON");
        let count = page["items"].as_array().expect("items").len();
        assert!(count >= at_least && page["next"].is_null(), "{path}: {count}");
    }
}

#[tokio::test]
async fn a_new_account_and_the_link_into_it_are_made_together() {
    let server = Server::empty().await;
    let new = json!({"name": "Ada", "role": "viewer"});
    let send = || server.post("/api/v1/users", &new).header("idempotency-key", "once").send();
    let made: Value = send().await.expect("an answer").json().await.expect("JSON");
    let url = made["sign_in"]["url"].as_str().expect("a link").to_owned();
    let secret = url.split_once('#').expect("a secret").1.to_owned();
    problem(send().await.expect("an answer"), 409, "conflict").await;
    let signed = server.post("/api/v1/session", &json!({"link": secret})).send().await.expect("an answer");
    assert!(signed.status().is_success(), "{} {}", signed.status(), signed.text().await.unwrap_or_default());
}
