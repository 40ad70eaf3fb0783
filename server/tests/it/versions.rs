//! Every edit names the version that it was made on: 428 without one, 412 with another, and the thing as it now is.

use reqwest::Method;
use serde_json::{Value, json};

use crate::server::{Server, on_both_databases, problem};

/// Something that is edited under a version.
struct Edited {
    path: String,
    method: Method,
    /// An edit that changes something, given a number that no edit had before.
    body: fn(u32) -> Value,
    /// Where the thing stands in a refusal.
    current: &'static str,
    /// Whether it can be removed.
    is_removable: bool,
}

async fn made(server: &Server, path: &str, body: Value) -> Value {
    let response = server.post(path, &body).send().await.expect("an answer");
    assert_eq!(response.status(), 201, "{path}");
    response.json().await.expect("JSON")
}

async fn edited(server: &Server) -> Vec<Edited> {
    server.import_document().await;
    let action = server.dashboard().await["actions"][0]["id"].as_str().expect("an id").to_owned();
    let team = made(server, "/api/v1/teams", json!({"name": "Payments"})).await;
    let user = made(server, "/api/v1/users", json!({"name": "Cleo", "role": "viewer"})).await;
    let id = |thing: &Value| thing["id"].as_str().expect("an id").to_owned();
    let of = |path: String, method, body, current, is_removable| Edited { path, method, body, current, is_removable };
    vec![
        of(
            format!("/api/v1/actions/{action}"),
            Method::PATCH,
            |n| json!({"owner": format!("Team {n}")}),
            "current",
            false,
        ),
        of(
            format!("/api/v1/users/{}", id(&user["user"])),
            Method::PATCH,
            |n| json!({"name": format!("Cleo {n}")}),
            "current_user",
            false,
        ),
        of(
            format!("/api/v1/teams/{}", id(&team)),
            Method::PATCH,
            |n| json!({"name": format!("Team {n}")}),
            "current_team",
            true,
        ),
        of(
            "/api/v1/incidents/INC-1/evidence/1".to_owned(),
            Method::PATCH,
            |n| json!({"title": format!("Query {n}")}),
            "current_evidence",
            true,
        ),
        of(
            "/api/v1/incidents/INC-1/access".to_owned(),
            Method::PUT,
            |_| json!({"visibility": "open"}),
            "current_access",
            false,
        ),
    ]
}

on_both_databases! {
    async fn every_edit_names_its_version(server: Server) {
        for thing in edited(&server).await {
            let Edited { path, method, body, current, is_removable } = thing;
            let send = |method: &Method, version: Option<&str>, body: Option<Value>| {
                let mut request = server.client.request(method.clone(), format!("{}{path}", server.base));
                if let Some(version) = version {
                    request = request.header("if-match", version);
                }
                if let Some(body) = body {
                    request = request.json(&body);
                }
                request.send()
            };
            let read = send(&Method::GET, None, None).await.expect("an answer");
            assert_eq!(read.status(), 200, "{path}");
            assert_eq!(read.headers()["etag"], "\"1\"", "{path}");
            problem(send(&method, None, Some(body(1))).await.expect("an answer"), 428, "precondition-required").await;
            // The version is looked at before the rules are.
            let stale = send(&method, Some("\"7\""), Some(json!({"nonsense": 1}))).await.expect("an answer");
            let stale = problem(stale, 412, "stale-version").await;
            assert_eq!(stale[current]["version"], 1, "{path}: {stale}");
            let done = send(&method, Some("\"1\""), Some(body(2))).await.expect("an answer");
            assert_eq!(done.status(), 200, "{path}");
            assert_eq!(done.headers()["etag"], "\"2\"", "{path}");
            assert_eq!(done.json::<Value>().await.expect("JSON")["version"], 2, "{path}");
            let late = send(&method, Some("\"1\""), Some(body(3))).await.expect("an answer");
            let late = problem(late, 412, "stale-version").await;
            assert_eq!(late[current]["version"], 2, "{path}: {late}");
            if !is_removable {
                continue;
            }
            let remove = Method::DELETE;
            problem(send(&remove, None, None).await.expect("an answer"), 428, "precondition-required").await;
            let unseen = send(&remove, Some("\"1\""), None).await.expect("an answer");
            assert_eq!(problem(unseen, 412, "stale-version").await[current]["version"], 2, "{path}");
            let removed = send(&remove, Some("\"2\""), None).await.expect("an answer");
            assert!(removed.status().is_success(), "{path}: {}", removed.status());
            problem(send(&remove, None, None).await.expect("an answer"), 404, "not-found").await;
        }
    }
}

#[tokio::test]
async fn what_else_changes_in_an_incident_leaves_its_access_alone() {
    let server = Server::empty().await;
    let [_, _, _, evidence, access] = <[Edited; 5]>::try_from(edited(&server).await).unwrap_or_else(|_| panic!("five"));
    let patch = server.patch(&evidence.path, 1, &json!({"title": "Query"})).send().await.expect("an answer");
    assert_eq!(patch.status(), 200);
    let put = server.client.put(format!("{}{}", server.base, access.path)).header("if-match", "\"1\"");
    assert_eq!(put.json(&json!({"visibility": "open"})).send().await.expect("an answer").status(), 200);
}
