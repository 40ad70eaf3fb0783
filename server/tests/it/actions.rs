//! `/actions` over HTTP: each route's success and each of its errors.

use serde_json::{Value, json};

use crate::server::{Server, problem};

async fn first_action(server: &Server) -> (String, String) {
    let id = server.dashboard().await["actions"][0]["id"].as_str().expect("an id").to_owned();
    (format!("/api/v1/actions/{id}"), id)
}

#[tokio::test]
async fn a_patch_changes_what_it_names_and_answers_the_item_as_it_now_is() {
    let (server, _) = Server::with_example().await;
    let (path, _) = first_action(&server).await;
    let body = json!({"status": "in_progress", "owner": "Checkout", "assignee": "Ada", "due": "2026-07-20", "type": "prevent", "priority": "high"});
    let response = server.patch(&path, 1, &body).send().await.expect("an answer");
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["etag"], "\"2\"");
    let item: Value = response.json().await.expect("JSON");
    for (field, value) in body.as_object().expect("an object") {
        assert_eq!(&item[field], value);
    }
    assert_eq!(item["change"], "Move retries to the background queue");
    let read: Value = server.get(&path).send().await.expect("an answer").json().await.expect("JSON");
    assert_eq!(read, item);
    let cleared =
        server.patch(&path, 2, &json!({"due": null, "assignee": null, "verification": {"criterion": "p95 < 2 s"}}));
    let item: Value = cleared.send().await.expect("an answer").json().await.expect("JSON");
    assert_eq!(
        (&item["due"], &item["assignee"], &item["verification"]["criterion"]),
        (&Value::Null, &Value::Null, &json!("p95 < 2 s"))
    );
    assert_eq!(item["priority"], "high", "what is absent stays");
    let dashboard = server.dashboard().await;
    assert_eq!(dashboard["actions"][0]["owner"], "Checkout");
}

#[tokio::test]
async fn a_stale_edit_is_refused_with_the_current_state() {
    let (server, _) = Server::with_example().await;
    let (path, _) = first_action(&server).await;
    server.patch(&path, 1, &json!({"owner": "Checkout"})).send().await.expect("an answer");
    let refused = server.patch(&path, 1, &json!({"status": "in_progress"})).send().await.expect("an answer");
    let body = problem(refused, 412, "stale-version").await;
    assert_eq!((&body["current"]["version"], &body["current"]["owner"]), (&json!(2), &json!("Checkout")));
    let garbage = server.client.patch(format!("{}{path}", server.base)).header("if-match", "\"abc\"").json(&json!({}));
    problem(garbage.send().await.expect("an answer"), 412, "stale-version").await;
}

#[tokio::test]
async fn of_many_edits_at_once_exactly_one_wins() {
    let (server, _) = Server::with_example().await;
    let (path, _) = first_action(&server).await;
    let edits = (0..16).map(|i| server.patch(&path, 1, &json!({"owner": format!("Team {i}")})).send());
    let statuses: Vec<u16> = futures_util::future::join_all(edits)
        .await
        .into_iter()
        .map(|r| r.expect("an answer").status().as_u16())
        .collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 412).count(), 15, "{statuses:?}");
}

#[tokio::test]
async fn refusals_come_in_their_order() {
    let (server, _) = Server::with_example().await;
    let (path, _) = first_action(&server).await;
    let edit = |path: &str, version: Option<&str>, body: &'static str| {
        let mut request =
            server.client.patch(format!("{}{path}", server.base)).header("content-type", "application/json");
        if let Some(version) = version {
            request = request.header("if-match", version);
        }
        request.body(body).send()
    };
    let bad_rule = r#"{"status":"verified"}"#;
    problem(edit("/api/v1/actions/none", None, bad_rule).await.expect("an answer"), 404, "not-found").await;
    problem(edit(&path, None, bad_rule).await.expect("an answer"), 428, "precondition-required").await;
    problem(edit(&path, Some("*"), bad_rule).await.expect("an answer"), 428, "precondition-required").await;
    problem(edit(&path, Some("\"9\""), bad_rule).await.expect("an answer"), 412, "stale-version").await;
    let body = problem(edit(&path, Some("\"1\""), bad_rule).await.expect("an answer"), 422, "invalid").await;
    assert_eq!(body["errors"][0]["pointer"], "/status");
    problem(edit(&path, Some("\"1\""), "{").await.expect("an answer"), 400, "malformed-request").await;
}

#[tokio::test]
async fn a_field_at_fault_is_named() {
    let (server, _) = Server::with_example().await;
    let (path, _) = first_action(&server).await;
    for (body, pointer) in [
        (json!({"status": "done"}), "/status"),
        (json!({"due": "14/07/2026"}), "/due"),
        (json!({"due": "2026-02-30"}), "/due"),
        (json!({"verification": {"criterion": 3}}), "/verification/criterion"),
        (json!({"status": "blocked"}), "/reason"),
        (json!({"reason": "because"}), "/reason"),
        (json!({"change": ""}), "/change"),
        (json!({"owner": "x".repeat(501)}), "/owner"),
    ] {
        let refused = problem(server.patch(&path, 1, &body).send().await.expect("an answer"), 422, "invalid").await;
        assert_eq!(refused["errors"][0]["pointer"], pointer, "{body}");
    }
    for body in [json!([]), json!("x"), json!({"colour": "red"}), json!({"version": 4})] {
        problem(server.patch(&path, 1, &body).send().await.expect("an answer"), 422, "invalid").await;
    }
    assert_eq!(server.dashboard().await["actions"][0]["version"], 1, "a refused edit changes nothing");
}

#[tokio::test]
async fn bodies_must_be_json_and_small() {
    let (server, _) = Server::with_example().await;
    let (path, _) = first_action(&server).await;
    let notes = format!("{}{path}/notes", server.base);
    let text = server.client.post(&notes).body("hello").send().await.expect("an answer");
    problem(text, 415, "unsupported-media-type").await;
    let large =
        server.client.post(&notes).json(&json!({"text": "x".repeat(300 * 1024)})).send().await.expect("an answer");
    problem(large, 413, "too-large").await;
    let broken = server.client.post(&notes).header("content-type", "application/json").body("{\"text\":").send();
    problem(broken.await.expect("an answer"), 400, "malformed-request").await;
}

#[tokio::test]
async fn a_note_is_appended_rendered_and_leaves_the_version_alone() {
    let (server, _) = Server::with_example().await;
    let (path, _) = first_action(&server).await;
    let response = server
        .post(&format!("{path}/notes"), &json!({"text": " Queue is **live**. "}))
        .send()
        .await
        .expect("an answer");
    assert_eq!(response.status(), 201);
    let note: Value = response.json().await.expect("JSON");
    assert_eq!((&note["text"], &note["author"]), (&json!("Queue is **live**."), &json!("local")));
    assert_eq!(note["html"], "<p>Queue is <strong>live</strong>.</p>");
    let listed: Value =
        server.get(&format!("{path}/notes")).send().await.expect("an answer").json().await.expect("JSON");
    assert_eq!(listed, json!({"items": [note], "next": null}));
    let dashboard = server.dashboard().await;
    assert_eq!((&dashboard["actions"][0]["notes"], &dashboard["actions"][0]["version"]), (&json!([note]), &json!(1)));
}

#[tokio::test]
async fn a_note_sent_again_with_its_key_is_one_note() {
    let (server, _) = Server::with_example().await;
    let (path, _) = first_action(&server).await;
    let notes = format!("{path}/notes");
    let send = |key: &'static str, text: &'static str| {
        server.post(&notes, &json!({"text": text})).header("idempotency-key", key).send()
    };
    let answers = futures_util::future::join_all((0..8).map(|_| send("k1", "once"))).await;
    let mut ids = Vec::new();
    for response in answers {
        let response = response.expect("an answer");
        assert_eq!(response.status(), 201);
        ids.push(response.json::<Value>().await.expect("JSON")["id"].clone());
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
    problem(send("k1", "another").await.expect("an answer"), 422, "invalid").await;
    assert_eq!(send("k2", "another").await.expect("an answer").status(), 201);
    let too_long: &'static str = Box::leak("k".repeat(201).into_boxed_str());
    problem(send(too_long, "x").await.expect("an answer"), 422, "invalid").await;
}

#[tokio::test]
async fn a_note_needs_text_and_an_item() {
    let (server, _) = Server::with_example().await;
    let (path, _) = first_action(&server).await;
    for body in [
        json!({"text": "  "}),
        json!({}),
        json!({"text": 1}),
        json!({"text": "x", "author": "me"}),
        json!({"text": "x".repeat(20_001)}),
    ] {
        problem(server.post(&format!("{path}/notes"), &body).send().await.expect("an answer"), 422, "invalid").await;
    }
    problem(
        server.post("/api/v1/actions/none/notes", &json!({"text": "x"})).send().await.expect("an answer"),
        404,
        "not-found",
    )
    .await;
    problem(server.get("/api/v1/actions/none/notes").send().await.expect("an answer"), 404, "not-found").await;
    problem(server.get("/api/v1/actions/none").send().await.expect("an answer"), 404, "not-found").await;
}

#[tokio::test]
async fn a_method_that_a_path_does_not_take_is_405() {
    let (server, _) = Server::with_example().await;
    let (path, _) = first_action(&server).await;
    for path in [path.as_str(), "/api/v1/incidents"] {
        let response = server.client.delete(format!("{}{path}", server.base)).send().await.expect("an answer");
        problem(response, 405, "method-not-allowed").await;
    }
}

#[tokio::test]
async fn an_item_is_added_with_the_rules_of_an_edit_and_is_advised_on() {
    let (server, _) = Server::with_example().await;
    let path = "/api/v1/incidents/INC-1/actions";
    let new = json!({"change": "Improve retries", "owner": "Payments", "verification": {"criterion": "p95 below 2s"}});
    let advice: Value = server
        .post("/api/v1/actions/advice", &json!({"change": "Improve retries"}))
        .send()
        .await
        .expect("an answer")
        .json()
        .await
        .expect("JSON");
    let kinds: Vec<_> = advice["hints"].as_array().expect("hints").iter().map(|hint| hint["kind"].clone()).collect();
    assert_eq!(kinds, [json!("no_owner"), json!("no_due_date"), json!("no_end_state")]);
    let made = server.post(path, &new).send().await.expect("an answer");
    assert_eq!((made.status().as_u16(), &made.headers()["etag"]), (201, &"\"1\"".parse().expect("a header")));
    let made: Value = made.json().await.expect("JSON");
    assert_eq!((&made["status"], &made["owner"], &made["version"]), (&json!("open"), &json!("Payments"), &json!(1)));
    assert_eq!(made["proposal"]["measured"]["threshold"], 2, "{made}");
    let listed: Value = server.get(path).send().await.expect("an answer").json().await.expect("JSON");
    assert_eq!(listed["items"].as_array().expect("items").last(), Some(&made), "after those of the document");
    let empty =
        problem(server.post(path, &json!({"change": " "})).send().await.expect("an answer"), 422, "invalid").await;
    assert_eq!(empty["errors"][0]["pointer"], "/change");
    let none = server.post("/api/v1/incidents/INC-9/actions", &new).send().await.expect("an answer");
    problem(none, 404, "not-found").await;
}
