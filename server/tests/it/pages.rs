//! What is neither API nor data: fallbacks, headers, and who may ask.

use serde_json::{Value, json};

use crate::server::{Server, problem};

#[tokio::test]
async fn an_unknown_api_path_is_a_json_404_and_a_missing_asset_a_plain_one() {
    let server = Server::empty().await;
    for path in ["/api", "/api/", "/api/v1", "/api/v1/nothing", "/api/v2/incidents"] {
        problem(server.get(path).send().await.expect("an answer"), 404, "not-found").await;
    }
    for path in ["/missing.js", "/vendor/echarts-0.js", "/favicon.png", "/incidents/x.css"] {
        let response = server.get(path).send().await.expect("an answer");
        assert_eq!(
            (response.status().as_u16(), &response.headers()["content-type"]),
            (404, &"text/plain; charset=utf-8".parse().expect("a value")),
            "{path}"
        );
    }
    for path in ["/", "/incidents/INC-1", "/some/page"] {
        let response = server.get(path).send().await.expect("an answer");
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()["content-type"], "text/html; charset=utf-8");
    }
}

#[tokio::test]
async fn every_answer_tells_the_browser_to_guess_and_embed_nothing() {
    let server = Server::empty().await;
    for path in ["/", "/api/v1/incidents", "/missing.js", "/api/none"] {
        let response = server.get(path).send().await.expect("an answer");
        assert_eq!(response.headers()["x-content-type-options"], "nosniff", "{path}");
        let policy = response.headers()["content-security-policy"].to_str().expect("a text").to_owned();
        assert!(policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    }
}

#[tokio::test]
async fn another_site_cannot_change_anything() {
    let (server, _) = Server::with_example().await;
    let id = server.dashboard().await["actions"][0]["id"].as_str().expect("an id").to_owned();
    let note = |header: &'static str, value: &'static str| {
        server.post(&format!("/api/v1/actions/{id}/notes"), &json!({"text": "x"})).header(header, value).send()
    };
    problem(note("sec-fetch-site", "cross-site").await.expect("an answer"), 403, "cross-site").await;
    problem(note("origin", "https://evil.example").await.expect("an answer"), 403, "cross-site").await;
    assert_eq!(note("sec-fetch-site", "same-origin").await.expect("an answer").status(), 201);
}

#[tokio::test]
async fn the_openapi_document_names_every_route_with_its_full_path() {
    let server = Server::empty().await;
    let document: Value = server.get("/openapi.json").send().await.expect("an answer").json().await.expect("JSON");
    let paths = document["paths"].as_object().expect("paths");
    for path in paths.keys() {
        let is_whole = path.starts_with("/api/v1/") || ["/healthz", "/readyz"].contains(&path.as_str());
        assert!(is_whole, "{path}");
    }
    for (verb, path) in [
        ("get", "/api/v1/incidents/{id}"),
        ("patch", "/api/v1/actions/{id}"),
        ("post", "/api/v1/actions/{id}/notes"),
        ("post", "/api/v1/actions/{id}/verifications"),
        ("get", "/api/v1/incidents/{id}/history"),
        ("post", "/api/v1/session"),
    ] {
        let route = &paths[path][verb];
        assert!(route["responses"].is_object(), "{verb} {path}");
    }
    for path in ["/healthz", "/readyz"] {
        assert_eq!(server.get(path).send().await.expect("an answer").status(), 204);
    }
}

#[tokio::test]
async fn the_openapi_document_speaks_the_words_of_the_wire() {
    let server = Server::empty().await;
    let document: Value = server.get("/openapi.json").send().await.expect("an answer").json().await.expect("JSON");
    let schemas = &document["components"]["schemas"];
    for (name, words) in [
        ("Role", domain::person::Role::WORDS),
        ("ActionStatus", domain::action::ActionStatus::WORDS),
        ("EvidenceKind", domain::evidence::EvidenceKind::WORDS),
        ("ProblemKind", domain::wire::problem::ProblemKind::WORDS),
        ("ActionSort", domain::filter::ActionSort::WORDS),
    ] {
        assert_eq!(schemas[name]["enum"], json!(words), "{name}");
    }
    for scheme in ["token", "session"] {
        assert!(document["components"]["securitySchemes"][scheme].is_object(), "{scheme}");
    }
    let mut open = vec![&document];
    while let Some(value) = open.pop() {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            assert!(document.pointer(&reference[1..]).is_some(), "{reference} leads nowhere");
        }
        match value {
            Value::Object(members) => open.extend(members.values()),
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
}

#[tokio::test]
async fn an_answer_is_compressed_for_whoever_takes_it() {
    let (server, _) = Server::with_example().await;
    for coding in ["br", "gzip"] {
        let response =
            server.get("/api/v1/incidents/INC-1").header("accept-encoding", coding).send().await.expect("an answer");
        assert_eq!(response.headers()["content-encoding"], coding);
    }
}
