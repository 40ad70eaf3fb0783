//! Signing in and out, share links and restricted incidents over HTTP. On both databases.

use reqwest::{Client, Response};
use serde_json::{Value, json};

use crate::server::{client, on_both_databases, problem};
use domain::person::Role;

/// Somebody's session, as the `Cookie` to send.
fn cookie(response: &Response) -> String {
    let set = response.headers()["set-cookie"].to_str().expect("text");
    assert!(set.contains("; HttpOnly; SameSite=Lax"), "{set}");
    set.split(';').next().expect("a cookie").to_owned()
}

async fn json_of(response: Response) -> Value {
    response.json().await.expect("JSON")
}

/// Makes an account; its id and the secret of the link that leads into it.
async fn account(server: &crate::server::Server, name: &str, role: Role) -> (String, String) {
    let made = server.post("/api/v1/users", &json!({"name": name, "email": "cleo@example.com", "role": role}));
    let made = json_of(made.send().await.expect("an answer")).await;
    let url = made["sign_in"]["url"].as_str().expect("a link");
    let id = made["user"]["id"].as_str().expect("an id");
    (id.to_owned(), url.split('#').next_back().expect("a secret").to_owned())
}

on_both_databases! {
    async fn a_link_signs_in_once_and_what_ends_a_session_ends_it_at_once(server: Server) {
        let anybody: Client = client(None);
        let at = |path: &str| format!("{}/api/v1{path}", server.base);
        let (id, link) = account(&server, "Cleo", Role::Editor).await;
        let sign_in = |body: Value| anybody.post(at("/session")).json(&body).send();
        let first = sign_in(json!({"link": link})).await.expect("an answer");
        assert_eq!(first.status(), 201);
        let session = cookie(&first);
        problem(sign_in(json!({"link": link})).await.expect("an answer"), 401, "sign-in-required").await;
        let me = anybody.get(at("/session")).header("cookie", &session).send().await.expect("an answer");
        let me = json_of(me).await;
        assert_eq!((&me["name"], &me["role"], &me["has_password"]), (&json!("Cleo"), &json!("editor"), &json!(false)));

        // A password, then a second session with it, which the first one ends.
        let set = anybody.put(at("/session/password")).header("cookie", &session);
        let set = set.json(&json!({"password": "four rainy mondays"})).send().await.expect("an answer");
        assert_eq!(set.status(), 204);
        let wrong = sign_in(json!({"email": "cleo@example.com", "password": "five rainy mondays"})).await;
        problem(wrong.expect("an answer"), 401, "sign-in-required").await;
        let second = sign_in(json!({"email": "CLEO@example.com ", "password": "four rainy mondays"})).await;
        let second = second.expect("an answer");
        assert_eq!(second.status(), 201);
        let (other, me) = (cookie(&second), json_of(second).await);
        assert_eq!(me["has_password"], true);
        let list = anybody.get(at("/sessions")).header("cookie", &session).send().await.expect("an answer");
        let list = json_of(list).await;
        let of_mine: Vec<_> = list["items"].as_array().expect("a list").iter().map(|each| &each["current"]).collect();
        assert_eq!((of_mine.len(), of_mine.iter().filter(|current| **current == true).count()), (2, 1));
        let ended = anybody.delete(at(&format!("/sessions/{}", me["session_id"].as_str().expect("an id"))));
        assert_eq!(ended.header("cookie", &session).send().await.expect("an answer").status(), 204);
        let gone = anybody.get(at("/session")).header("cookie", &other).send().await.expect("an answer");
        problem(gone, 401, "sign-in-required").await;

        // Switched off, nothing of it works.
        let off = server.patch(&format!("/api/v1/users/{id}"), 1, &json!({"disabled": true})).send().await;
        assert_eq!(off.expect("an answer").status(), 200);
        let gone = anybody.get(at("/incidents")).header("cookie", &session).send().await.expect("an answer");
        problem(gone, 401, "sign-in-required").await;
    }

    async fn a_share_opens_one_incident_until_it_is_revoked_or_the_incident_restricted(server: Server) {
        server.import_document().await;
        let anybody: Client = client(None);
        let read = |link: &str| anybody.get(format!("{}/api/v1/shared/{link}", server.base)).send();
        let mut links = Vec::new();
        for audience in ["the provider", "the press"] {
            let body = json!({"incident_id": "INC-1", "audience": audience, "days": 3});
            let made = json_of(server.post("/api/v1/shares", &body).send().await.expect("an answer")).await;
            let link = made["url"].as_str().expect("a link").rsplit('/').next().expect("a secret").to_owned();
            links.push((link, made["share"].clone()));
        }
        let marks = server.dashboard().await["access"].clone();
        assert_eq!(marks["visibility"], "open");
        assert_eq!(marks["shares"], json!([
            {"audience": "the provider", "until": links[0].1["expires_at"]},
            {"audience": "the press", "until": links[1].1["expires_at"]},
        ]));
        let shared = json_of(read(&links[0].0).await.expect("an answer")).await;
        assert_eq!(shared["name"], "INC-1");
        assert_eq!((shared.get("access"), &shared["shared_until"]), (None, &links[0].1["expires_at"]));
        assert!(server.dashboard().await.get("shared_until").is_none());
        let exported = server.get("/api/v1/incidents/INC-1/export.json").send().await.expect("an answer");
        assert_eq!(json_of(exported).await.get("access"), None);

        let path = format!("/api/v1/shares/{}", links[0].1["id"].as_str().expect("an id"));
        let revoked = server.client.delete(format!("{}{path}", server.base)).send().await.expect("an answer");
        assert_eq!(revoked.status(), 204);
        problem(read(&links[0].0).await.expect("an answer"), 404, "not-found").await;
        assert_eq!(read(&links[1].0).await.expect("an answer").status(), 200);

        let restrict = json!({"visibility": "restricted"});
        let access = format!("{}/api/v1/incidents/INC-1/access", server.base);
        let set = server.client.put(&access).header("if-match", "\"1\"").json(&restrict);
        assert_eq!(set.send().await.expect("an answer").status(), 200);
        problem(read(&links[1].0).await.expect("an answer"), 404, "not-found").await;
        assert_eq!(server.dashboard().await["access"], json!({"visibility": "restricted", "shares": []}));
        let viewer = crate::server::person(&server.store, "Vera", Role::Viewer).await;
        let theirs = client(Some(&viewer.token)).get(format!("{}/api/v1/incidents/INC-1", server.base)).send().await;
        problem(theirs.expect("an answer"), 404, "not-found").await;
    }
}
