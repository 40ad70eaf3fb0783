//! `Idempotency-Key`: a request sent twice creates one thing. On both databases.

use domain::person::Role;
use reqwest::{Response, StatusCode};
use serde_json::{Value, json};

use crate::server::{Server, client, on_both_databases, person, problem, token};
use crate::world::session;

/// What is made once, by path: the request, and another one.
fn requests(user: &str) -> Vec<(String, Value, Value)> {
    let link = format!("/api/v1/users/{user}/sign-in-link");
    vec![
        (
            "/api/v1/users".to_owned(),
            json!({"name": "Cleo", "role": "member"}),
            json!({"name": "Dora", "role": "member"}),
        ),
        ("/api/v1/teams".to_owned(), json!({"name": "Payments"}), json!({"name": "Platform"})),
        (
            "/api/v1/tokens".to_owned(),
            json!({"name": "CI", "role": "viewer", "days": 3}),
            json!({"name": "CI", "role": "viewer", "days": 4}),
        ),
        (
            "/api/v1/shares".to_owned(),
            json!({"incident_id": "INC-1", "audience": "the provider", "days": 3}),
            json!({"incident_id": "INC-1", "audience": "the press", "days": 3}),
        ),
        (link, json!({}), json!({})),
    ]
}

async fn post(server: &Server, path: &str, key: &str, body: &Value) -> Response {
    let session = session(&server.store, &server.admin.person.id).await;
    let request =
        client(None).post(format!("{}{path}", server.base)).header("cookie", format!("debrief_session={session}"));
    request.header("idempotency-key", key).json(body).send().await.expect("an answer")
}

async fn count(server: &Server, path: &str) -> usize {
    let page: Value = server.get(path).send().await.expect("an answer").json().await.expect("JSON");
    page["items"].as_array().expect("a list").len()
}

on_both_databases! {
    async fn a_request_sent_again_creates_nothing_new(server: Server) {
        server.import_document().await;
        for (i, (path, body, other)) in requests(server.admin.person.id.as_str()).into_iter().enumerate() {
            let (key, another_key) = (format!("one {i}"), format!("two {i}"));
            let is_list = !path.ends_with("sign-in-link");
            let first = post(&server, &path, &key, &body).await;
            assert_eq!(first.status(), StatusCode::CREATED, "{path}");
            let first: Value = first.json().await.expect("JSON");
            let before = if is_list { count(&server, &path).await } else { 0 };
            let again = post(&server, &path, &key, &body).await;
            if path.ends_with("/teams") {
                // Nothing in it is secret, so it can be told again.
                assert_eq!(again.status(), StatusCode::CREATED);
                assert_eq!(again.json::<Value>().await.expect("JSON"), first);
            } else {
                let problem = problem(again, 409, "conflict").await;
                assert!(problem["detail"].as_str().is_some_and(|text| text.contains("secret")), "{problem}");
            }
            if is_list {
                assert_eq!(count(&server, &path).await, before, "{path}");
                let other_body = post(&server, &path, &key, &other).await;
                assert_eq!(problem(other_body, 422, "invalid").await["errors"][0]["pointer"], "Idempotency-Key");
                assert_eq!(post(&server, &path, &another_key, &other).await.status(), StatusCode::CREATED, "{path}");
                assert_eq!(count(&server, &path).await, before + 1, "{path}");
            }
        }
    }

    async fn a_key_is_its_senders_own_and_of_one_path(server: Server) {
        let other = person(&server.store, "Other", Role::Admin).await;
        let body = json!({"name": "Payments"});
        assert_eq!(post(&server, "/api/v1/teams", "one", &body).await.status(), StatusCode::CREATED);
        let theirs = client(Some(&other.token)).post(format!("{}/api/v1/teams", server.base));
        let theirs = theirs.header("idempotency-key", "one").json(&json!({"name": "Platform"})).send().await;
        assert_eq!(theirs.expect("an answer").status(), StatusCode::CREATED);
        let elsewhere = post(&server, "/api/v1/users", "one", &json!({"name": "Cleo", "role": "viewer"})).await;
        problem(elsewhere, 422, "invalid").await;
    }

    async fn what_is_told_again_is_what_was_told_at_first(server: Server) {
        server.import_document().await;
        let criterion = json!({"criterion": "p95 below 2s"});
        let captured = "2026-07-09T10:00:00.123456789Z";
        for (path, body) in [
            ("/api/v1/incidents/INC-1/actions", json!({"change": "Improve `retries`", "verification": criterion})),
            ("/api/v1/incidents/INC-1/evidence", json!({"title": "Log", "kind": "log", "captured_at": captured})),
        ] {
            let first = post(&server, path, path, &body).await;
            assert_eq!(first.status(), StatusCode::CREATED);
            let again = post(&server, path, path, &body).await;
            assert_eq!(again.status(), StatusCode::CREATED);
            assert_eq!(first.headers().get("etag"), again.headers().get("etag"), "{path}");
            let (first, again): (Value, Value) =
                (first.json().await.expect("JSON"), again.json().await.expect("JSON"));
            assert_eq!(first, again);
            let all: Value = server.get(path).send().await.expect("an answer").json().await.expect("JSON");
            let stored = all["items"].as_array().expect("items").iter().find(|item| {
                item["id"] == first["id"] && item["number"] == first["number"]
            });
            assert_eq!(stored, Some(&first));
        }
    }

    async fn keys_of_different_senders_never_meet(server: Server) {
        server.import_document().await;
        let item = server.dashboard().await["actions"][0]["id"].as_str().expect("an id").to_owned();
        let (one, two) = (person(&server.store, "Mem", Role::Member).await, person(&server.store, "Ed", Role::Editor).await);
        let services = [token(&server.store, None, Role::Editor).await, token(&server.store, None, Role::Editor).await];
        let note = format!("{}/api/v1/actions/{item}/notes", server.base);
        let mut ids = std::collections::BTreeSet::new();
        for token in [&one.token, &two.token, &services[0], &services[1]] {
            for _ in 0..2 {
                let request = client(Some(token)).post(&note).header("idempotency-key", "n1");
                let made = request.json(&json!({"text": "done"})).send().await.expect("an answer");
                assert_eq!(made.status(), StatusCode::CREATED);
                ids.insert(made.json::<Value>().await.expect("JSON")["id"].to_string());
            }
        }
        assert_eq!(ids.len(), 4, "one note of each");
        let mut ids = std::collections::BTreeSet::new();
        for token in &services {
            let request = client(Some(token)).post(format!("{}/api/v1/incidents/INC-1/actions", server.base));
            let made = request.header("idempotency-key", "run-1").json(&json!({"change": "x"})).send().await;
            ids.insert(made.expect("an answer").json::<Value>().await.expect("JSON")["id"].to_string());
        }
        assert_eq!(ids.len(), 2, "one item of each service");
    }

    async fn what_failed_leaves_the_key_free(server: Server) {
        assert_eq!(post(&server, "/api/v1/teams", "a", &json!({"name": "Payments"})).await.status(), StatusCode::CREATED);
        for body in [json!({"name": " "}), json!({"name": "payments"}), json!({})] {
            problem(post(&server, "/api/v1/teams", "b", &body).await, 422, "invalid").await;
        }
        assert_eq!(post(&server, "/api/v1/teams", "b", &json!({"name": "Platform"})).await.status(), StatusCode::CREATED);
        for key in ["", &"x".repeat(201)] {
            let refused = post(&server, "/api/v1/teams", key, &json!({"name": "Data"})).await;
            assert_eq!(problem(refused, 422, "invalid").await["errors"][0]["pointer"], "Idempotency-Key");
        }
    }

    async fn of_two_at_once_one_creates(server: Server) {
        let (team, user) = (json!({"name": "Payments"}), json!({"name": "Cleo", "role": "viewer"}));
        let (one, two) = tokio::join!(
            post(&server, "/api/v1/teams", "one", &team),
            post(&server, "/api/v1/teams", "one", &team)
        );
        assert_eq!((one.status(), two.status()), (StatusCode::CREATED, StatusCode::CREATED));
        assert_eq!(one.json::<Value>().await.expect("JSON"), two.json::<Value>().await.expect("JSON"));
        let (one, two) = tokio::join!(
            post(&server, "/api/v1/users", "two", &user),
            post(&server, "/api/v1/users", "two", &user)
        );
        let mut statuses = [one.status().as_u16(), two.status().as_u16()];
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409]);
        assert_eq!(count(&server, "/api/v1/users").await, 2, "the administrator and Cleo");
    }
}
