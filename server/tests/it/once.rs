//! `Idempotency-Key`: a request sent twice creates one thing. On both databases.

use domain::person::Role;
use reqwest::{Response, StatusCode};
use serde_json::{Value, json};

use crate::server::{Server, client, on_both_databases, person, problem};

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
    server.post(path, body).header("idempotency-key", key).send().await.expect("an answer")
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
