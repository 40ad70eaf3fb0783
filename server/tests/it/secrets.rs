//! What somebody signs in with: it works as long as it should, for what it should, and is told nowhere.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use chrono::TimeDelta;
use debrief_server::access::password;
use debrief_server::access::secret::{digest, new_secret};
use debrief_server::clock;
use debrief_server::store::NewApiToken;
use domain::person::{Person, Role};
use domain::wire::access::UserPatch;
use reqwest::header::{HeaderMap, SET_COOKIE};
use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};

use crate::server::{Server, person, problem, token};
use crate::world::{World, by_test, measured, session};

fn plain() -> Client {
    Client::new()
}

fn as_session(server: &Server, method: reqwest::Method, path: &str, secret: &str) -> RequestBuilder {
    plain().request(method, format!("{}{path}", server.base)).header("cookie", format!("debrief_session={secret}"))
}

async fn status(request: RequestBuilder) -> u16 {
    request.send().await.expect("an answer").status().as_u16()
}

async fn reads_as(server: &Server, secret: &str) -> u16 {
    status(as_session(server, reqwest::Method::GET, "/api/v1/session", secret)).await
}

async fn reads_with(server: &Server, token: &str) -> u16 {
    status(plain().get(format!("{}/api/v1/incidents", server.base)).bearer_auth(token)).await
}

/// The session's secret that an answer sets.
fn cookie(headers: &HeaderMap) -> String {
    let line = headers[SET_COOKIE].to_str().expect("text");
    line.strip_prefix("debrief_session=")
        .and_then(|rest| rest.split(';').next())
        .expect("a session's cookie")
        .to_owned()
}

async fn link_of(server: &Server, person: &Person) -> String {
    let secret = new_secret("dbl_");
    let until = clock::now() + TimeDelta::days(1);
    let added = server.store.add_sign_in_link(&digest(&secret), &person.id, (clock::now(), until), None).await;
    assert!(added.expect("the store answers"), "a link is kept");
    secret
}

async fn sign_in(server: &Server, with: &Value, old: Option<&str>) -> Response {
    let mut request = plain().post(format!("{}/api/v1/session", server.base)).json(with);
    if let Some(old) = old {
        request = request.header("cookie", format!("debrief_session={old}"));
    }
    request.send().await.expect("an answer")
}

async fn change(server: &Server, person: &Person, patch: UserPatch) {
    let user = server.store.load_user(&person.id).await.expect("the store answers").expect("the account");
    server.store.update_user(&person.id, user.version, &patch, by_test()).await.expect("it is changed");
}

#[tokio::test]
async fn each_sign_in_is_a_new_session_and_ends_the_one_before() {
    let server = Server::empty().await;
    let ada = person(&server.store, "Ada", Role::Member).await.person;
    let planted = "dbs_planted-by-somebody-else";
    let first = sign_in(&server, &json!({"link": link_of(&server, &ada).await}), Some(planted)).await;
    assert_eq!(first.status(), 201);
    let first = cookie(first.headers());
    assert_ne!(first, planted);
    let second = sign_in(&server, &json!({"link": link_of(&server, &ada).await}), Some(&first)).await;
    let second = cookie(second.headers());
    assert_eq!((reads_as(&server, &first).await, reads_as(&server, &second).await), (401, 200));
    assert_eq!(reads_as(&server, planted).await, 401);
    let id = digest(&second);
    assert_eq!(reads_as(&server, &id).await, 401, "what is stored of a secret opens nothing");
}

#[tokio::test]
async fn the_cookie_is_out_of_reach_of_scripts_and_of_other_sites() {
    let server = Server::empty().await;
    let ada = person(&server.store, "Ada", Role::Member).await.person;
    let line = |response: &Response| response.headers()[SET_COOKIE].to_str().expect("text").to_owned();
    let signed = sign_in(&server, &json!({"link": link_of(&server, &ada).await}), None).await;
    let secret = cookie(signed.headers());
    assert_eq!(
        line(&signed),
        format!("debrief_session={secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age={}", 14 * 24 * 3600)
    );
    assert_eq!(signed.headers()["cache-control"], "no-store");
    let over_tls = Server::at("https://debrief.example.org").await;
    let ada = person(&over_tls.store, "Ada", Role::Member).await.person;
    let signed = sign_in(&over_tls, &json!({"link": link_of(&over_tls, &ada).await}), None).await;
    assert!(line(&signed).ends_with("; Secure"), "{}", line(&signed));
    let out = as_session(&server, reqwest::Method::DELETE, "/api/v1/session", &secret).send().await.expect("an answer");
    assert!(line(&out).starts_with("debrief_session=; ") && line(&out).contains("Max-Age=0"));
    // Another site's page can send the cookie with nothing that changes something.
    let secret = session(&server.store, &server.admin.person.id).await;
    for site in ["cross-site", "same-site"] {
        let forged = as_session(&server, reqwest::Method::POST, "/api/v1/teams", &secret)
            .header("sec-fetch-site", site)
            .json(&json!({"name": "Forged"}));
        problem(forged.send().await.expect("an answer"), 403, "cross-site").await;
    }
}

#[tokio::test]
async fn what_is_ended_ends_at_once() {
    let server = Server::empty().await;
    let incident = server.import_document().await;
    let ada = person(&server.store, "Ada", Role::Member).await;
    let mine = session(&server.store, &ada.person.id).await;
    let elsewhere = session(&server.store, &ada.person.id).await;
    let id = server.store.known_session(&digest(&elsewhere), clock::now()).await.expect("an answer").expect("it").id;
    assert_eq!(reads_as(&server, &elsewhere).await, 200);
    let end = as_session(&server, reqwest::Method::DELETE, &format!("/api/v1/sessions/{id}"), &mine);
    assert_eq!(status(end).await, 204);
    assert_eq!((reads_as(&server, &elsewhere).await, reads_as(&server, &mine).await), (401, 200));

    let third = session(&server.store, &ada.person.id).await;
    let set = as_session(&server, reqwest::Method::PUT, "/api/v1/session/password", &mine)
        .json(&json!({"password": "a few words do well"}));
    assert_eq!(status(set).await, 204);
    assert_eq!((reads_as(&server, &third).await, reads_as(&server, &mine).await), (401, 200), "a new password");

    let made = as_session(&server, reqwest::Method::POST, "/api/v1/tokens", &mine)
        .json(&json!({"name": "script", "role": "member", "days": 1}));
    let made: Value = made.send().await.expect("an answer").json().await.expect("JSON");
    let (secret, id) = (made["secret"].as_str().expect("a secret"), made["token"]["id"].as_str().expect("an id"));
    assert_eq!(reads_with(&server, secret).await, 200);
    let end = as_session(&server, reqwest::Method::DELETE, &format!("/api/v1/tokens/{id}"), &mine);
    assert_eq!(status(end).await, 204);
    assert_eq!(reads_with(&server, secret).await, 401);

    let shared = json!({"incident_id": incident, "audience": "a customer", "days": 1});
    let shared: Value =
        server.post("/api/v1/shares", &shared).send().await.expect("an answer").json().await.expect("JSON");
    let link = shared["url"].as_str().and_then(|url| url.rsplit('/').next()).expect("a link").to_owned();
    let opened = async || status(plain().get(format!("{}/api/v1/shared/{link}", server.base))).await;
    assert_eq!(opened().await, 200);
    let id = shared["share"]["id"].as_str().expect("an id");
    assert_eq!(status(server.client.delete(format!("{}/api/v1/shares/{id}", server.base))).await, 204);
    assert_eq!(opened().await, 404);

    assert_eq!(reads_with(&server, &ada.token).await, 200);
    change(&server, &ada.person, UserPatch { disabled: Some(true), ..UserPatch::default() }).await;
    assert_eq!((reads_as(&server, &mine).await, reads_with(&server, &ada.token).await), (401, 401), "switched off");
    change(&server, &ada.person, UserPatch { disabled: Some(false), ..UserPatch::default() }).await;
    assert_eq!((reads_as(&server, &mine).await, reads_with(&server, &ada.token).await), (401, 401), "and on again");
    assert_eq!(status(as_session(&server, reqwest::Method::DELETE, "/api/v1/session", &mine)).await, 401);
}

#[tokio::test]
async fn a_link_leads_nobody_out_of_their_account_unless_they_say_so() {
    let server = Server::empty().await;
    let ada = person(&server.store, "Ada", Role::Member).await.person;
    let bo = person(&server.store, "Bo", Role::Member).await.person;
    let mine = session(&server.store, &ada.id).await;
    let theirs = link_of(&server, &bo).await;
    let refused = problem(sign_in(&server, &json!({"link": theirs}), Some(&mine)).await, 409, "conflict").await;
    assert_eq!(refused["detail"], "this link signs in Bo, and you are signed in as Ada");
    assert_eq!(reads_as(&server, &mine).await, 200, "nothing happened");
    let own = link_of(&server, &ada).await;
    let again = sign_in(&server, &json!({"link": own}), Some(&mine)).await;
    assert_eq!(again.status(), 201, "one's own link asks nothing");
    let mine = cookie(again.headers());
    let spent = problem(sign_in(&server, &json!({"link": own}), Some(&mine)).await, 401, "sign-in-required").await;
    assert!(spent["detail"].as_str().is_some_and(|text| text.contains("used before")), "{spent}");
    let instead = sign_in(&server, &json!({"link": theirs, "instead": true}), Some(&mine)).await;
    assert_eq!(instead.status(), 201, "it was not used up");
    assert_eq!(reads_as(&server, &mine).await, 401, "the session before it has ended");
}

#[tokio::test]
async fn a_token_is_never_more_than_its_person() {
    let server = Server::empty().await;
    let ada = person(&server.store, "Ada", Role::Admin).await.person;
    let (whole, narrow) =
        (token(&server.store, Some(&ada), Role::Admin).await, token(&server.store, Some(&ada), Role::Viewer).await);
    let role = async |token: &str| {
        let answer = plain().get(format!("{}/api/v1/session", server.base)).bearer_auth(token).send().await;
        let me: Value = answer.expect("an answer").json().await.expect("JSON");
        me["role"].as_str().expect("a role").to_owned()
    };
    let users =
        async |token: &str| status(plain().get(format!("{}/api/v1/users", server.base)).bearer_auth(token)).await;
    assert_eq!((role(&whole).await.as_str(), role(&narrow).await.as_str()), ("admin", "viewer"));
    assert_eq!((users(&whole).await, users(&narrow).await), (200, 403));
    change(&server, &ada, UserPatch { role: Some(Role::Member), ..UserPatch::default() }).await;
    assert_eq!((role(&whole).await.as_str(), role(&narrow).await.as_str()), ("member", "viewer"));
    assert_eq!(users(&whole).await, 403);
    let mine = session(&server.store, &ada.id).await;
    let new = |role: &str, support: bool| json!({"name": "more", "role": role, "support": support, "days": 1});
    let post = || as_session(&server, reqwest::Method::POST, "/api/v1/tokens", &mine);
    let refused = problem(post().json(&new("editor", false)).send().await.expect("an answer"), 422, "invalid").await;
    assert_eq!(refused["errors"][0]["pointer"], "/role");
    problem(post().json(&new("member", true)).send().await.expect("an answer"), 422, "invalid").await;
    let made = post().json(&new("member", false)).send().await.expect("an answer");
    assert_eq!(made.status(), 201);
}

#[tokio::test]
async fn a_token_makes_no_token_and_ends_nothing() {
    let server = Server::empty().await;
    let ada = person(&server.store, "Ada", Role::Member).await.person;
    session(&server.store, &ada.id).await;
    let sessions = server.store.list_sessions(Some(&ada.id), clock::now()).await.expect("the store answers");
    for role in [Role::Viewer, Role::Admin] {
        let token = token(&server.store, Some(&ada), role).await;
        let own = server.store.list_tokens(Some(&ada.id)).await.expect("the store answers");
        for (method, path) in [
            ("POST", "/tokens".to_owned()),
            ("GET", "/tokens".to_owned()),
            ("DELETE", format!("/tokens/{}", own[0].id)),
            ("GET", "/sessions".to_owned()),
            ("DELETE", format!("/sessions/{}", sessions[0].id)),
        ] {
            let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
            let request = plain().request(method, format!("{}/api/v1{path}", server.base)).bearer_auth(&token);
            let request = request.json(&json!({"name": "child", "role": "viewer", "days": 366}));
            let refused = problem(request.send().await.expect("an answer"), 403, "forbidden").await;
            assert!(refused["detail"].as_str().is_some_and(|text| text.contains("browser")), "{path}: {refused}");
        }
    }
}

#[tokio::test]
async fn a_token_that_reads_does_not_write_what_its_person_owns() {
    let world = World::new().await;
    world.await_proof(measured()).await;
    let owner = world.person(6).expect("an account");
    let item = format!("/api/v1/actions/{}", world.item);
    let (narrow, wide) = (
        token(&world.server.store, Some(owner), Role::Viewer).await,
        token(&world.server.store, Some(owner), Role::Member).await,
    );
    for (token, expected) in [(&narrow, [403, 403, 403, 403]), (&wide, [200, 201, 201, 201])] {
        let version = world.version().await;
        let send = async |method: reqwest::Method, path: &str, body: Value| {
            let request = plain().request(method, format!("{}{path}", world.server.base)).bearer_auth(token);
            status(request.header("if-match", format!("\"{version}\"")).json(&body)).await
        };
        let proof = json!({"measured": {"value": 1, "unit": "s"}, "link": "https://a.example"});
        let evidence = format!("/api/v1/incidents/{}/evidence", world.incident);
        let post = reqwest::Method::POST;
        assert_eq!(send(reqwest::Method::GET, &item, Value::Null).await, 200);
        let got = [
            send(reqwest::Method::PATCH, &item, json!({"priority": "high"})).await,
            send(post.clone(), &format!("{item}/notes"), json!({"text": "x"})).await,
            send(post.clone(), &evidence, json!({"title": "Query", "kind": "metric"})).await,
            status(plain().post(format!("{}{item}/verifications", world.server.base)).bearer_auth(token).json(&proof))
                .await,
        ];
        assert_eq!(got, expected);
    }
}

#[tokio::test]
async fn what_has_expired_opens_nothing() {
    let server = Server::empty().await;
    let incident = server.import_document().await;
    let store = &server.store;
    let past = clock::now() - TimeDelta::seconds(1);
    let secret = new_secret("");
    let of = digest(&secret);
    let ada = person(store, "Ada", Role::Admin).await.person;
    store.begin_session(&of, (&ada.id, None), "a test", by_test(), past).await.expect("a session");
    assert_eq!(reads_as(&server, &secret).await, 401);
    let new = NewApiToken {
        digest: &of,
        name: "old",
        user: Some(&ada),
        role: Role::Admin,
        support: false,
        expires_at: Some(past),
    };
    store.create_token(&new, by_test(), None).await.expect("a token");
    assert_eq!(reads_with(&server, &secret).await, 401);
    store
        .create_share(&of, &incident, "a customer", past, by_test(), None)
        .await
        .expect("a share")
        .expect("it is shared");
    assert_eq!(status(plain().get(format!("{}/api/v1/shared/{secret}", server.base))).await, 404);
    store.add_sign_in_link(&of, &ada.id, (clock::now(), past), None).await.expect("a link");
    problem(sign_in(&server, &json!({"link": secret}), None).await, 401, "sign-in-required").await;
    let once = link_of(&server, &ada).await;
    assert_eq!(sign_in(&server, &json!({"link": once}), None).await.status(), 201);
    problem(sign_in(&server, &json!({"link": once}), None).await, 401, "sign-in-required").await;
}

#[tokio::test]
async fn no_secret_is_in_the_database_or_a_list() {
    let server = Server::empty().await;
    let incident = server.import_document().await;
    let ada = person(&server.store, "Ada", Role::Admin).await;
    let password = "nobody would guess this one";
    let hash = password::hash(password.to_owned()).await.expect("a hash");
    let none = domain::SessionId::new("none");
    assert!(server.store.set_password(&ada.person.id, (None, &hash), &none, by_test()).await.expect("it is set"));
    change(&server, &ada.person, UserPatch { email: Some("ada@example.com".into()), ..UserPatch::default() }).await;
    let by_password = sign_in(&server, &json!({"email": "ada@example.com", "password": password}), None).await;
    let mine = cookie(by_password.headers());
    let send = async |method: reqwest::Method, path: &str, body: Value| -> Value {
        // What is kept for a request that is sent twice holds no secret either.
        let request = as_session(&server, method, path, &mine).header("idempotency-key", path).json(&body);
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 201, "{path}");
        answer.json().await.expect("JSON")
    };
    let post = reqwest::Method::POST;
    let made = send(post.clone(), "/api/v1/tokens", json!({"name": "script", "role": "admin", "days": 1})).await;
    let token = made["secret"].as_str().expect("a secret").to_owned();
    let shared = json!({"incident_id": incident, "audience": "a customer", "days": 1});
    let shared = send(post.clone(), "/api/v1/shares", shared).await;
    let share = shared["url"].as_str().and_then(|url| url.rsplit('/').next()).expect("a link").to_owned();
    let added = send(post, "/api/v1/users", json!({"name": "Bo", "role": "viewer"})).await;
    let link = added["sign_in"]["url"].as_str().and_then(|url| url.split('#').nth(1)).expect("a link").to_owned();
    assert_eq!(status(plain().get(format!("{}/api/v1/shared/{share}", server.base))).await, 200);
    assert_eq!(reads_with(&server, &token).await, 200);
    let bo = cookie(sign_in(&server, &json!({"link": link}), None).await.headers());

    let mut kept = Vec::new();
    let mut folders = vec![server.folder().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                kept.push((path.display().to_string(), std::fs::read(&path).expect("a file")));
            }
        }
    }
    for path in ["/sessions", "/tokens", "/shares", "/users", "/teams", "/people", "/session"] {
        let answer = as_session(&server, reqwest::Method::GET, &format!("/api/v1{path}"), &mine).send().await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status(), 200, "{path}");
        kept.push((path.to_owned(), answer.bytes().await.expect("a body").to_vec()));
    }
    let history = server.get(&format!("/api/v1/incidents/{incident}/history")).send().await.expect("an answer");
    kept.push(("the history".to_owned(), history.bytes().await.expect("a body").to_vec()));
    let holds = |bytes: &[u8], wanted: &str| bytes.windows(wanted.len()).any(|window| window == wanted.as_bytes());
    assert!(kept.iter().any(|(_, bytes)| holds(bytes, &digest(&token))), "the database is among what is searched");
    for (name, bytes) in &kept {
        for secret in [&mine, &token, &share, &link, &bo, password] {
            assert!(!holds(bytes, secret), "{name} holds {secret}");
        }
        if !name.contains("debrief.db") {
            assert!(!holds(bytes, &digest(&token)) && !holds(bytes, "$argon2"), "{name} holds a digest");
        }
    }
}

#[tokio::test]
async fn no_secret_is_in_the_log_however_much_it_tells() {
    let data = tempfile::tempdir().expect("a folder");
    let mut program = Command::new(env!("CARGO_BIN_EXE_debrief"))
        .args(["serve", "--demo", "--listen", "127.0.0.1:0", "--data"])
        .arg(data.path())
        .env("DEBRIEF_LOG", "trace")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut errors = program.stderr.take().expect("a log");
    // Read all along, since a full pipe would stop the program.
    let log = std::thread::spawn(move || {
        let mut text = Vec::new();
        errors.read_to_end(&mut text).map(|_| String::from_utf8_lossy(&text).into_owned())
    });
    let lines = BufReader::new(program.stdout.take().expect("an output")).lines();
    let told: Vec<String> = lines.take(2).map(|line| line.expect("text")).collect();
    let base = told[0].strip_prefix("listening on ").expect("an address").to_owned();
    let link = told[1].split('#').nth(1).expect("a link").to_owned();
    let post = |path: &str, body: Value| plain().post(format!("{base}/api/v1{path}")).json(&body);
    let signed = post("/session", json!({"link": link})).send().await.expect("an answer");
    let session = cookie(signed.headers());
    let mine = async |path: &str, body: Value| -> Value {
        let request = post(path, body).header("cookie", format!("debrief_session={session}"));
        request.send().await.expect("an answer").json().await.expect("JSON")
    };
    let token = mine("/tokens", json!({"name": "script", "role": "admin", "days": 1})).await["secret"].clone();
    let shared = mine("/shares", json!({"incident_id": "INC-1", "audience": "a customer", "days": 1})).await;
    let (token, url) = (token.as_str().expect("a secret"), shared["url"].as_str().expect("a link"));
    let share = url.rsplit('/').next().expect("a secret");
    assert_eq!(status(plain().get(format!("{base}/api/v1/session")).bearer_auth(token)).await, 200);
    assert_eq!(status(plain().get(format!("{base}/api/v1/shared/{share}"))).await, 200);
    status(plain().get(url)).await;
    let password = json!({"email": "ada@example.com", "password": "nobody would guess this one"});
    assert_eq!(status(post("/session", password)).await, 401);
    program.kill().expect("it ends");
    program.wait().expect("it has ended");
    let log = log.join().expect("it was read").expect("a log");
    assert!(log.contains("/api/v1/shared/{link}"), "the log tells of requests:\n{log}");
    for secret in [link.as_str(), &session, token, share, "nobody would guess"] {
        assert!(!log.contains(secret), "the log holds {secret}");
    }
}
