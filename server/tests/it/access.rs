//! The policy as a table: every route, for everybody, whoever may see the incident and whosever the item is.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use debrief_server::access::secret::{digest, new_secret};
use debrief_server::clock;
use domain::action::{Action, ActionStatus};
use domain::mapping::Mapping;
use domain::person::Role;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::server::token;
use crate::world::{Owned, Seen, WHO, World, attested, by_test, measured, session, team};

/// `METHOD path success | open | restricted | restricted, but the viewer, the member and the editor are named`.
///
/// What follows a `#` tells apart what one route does. The columns are those of [`WHO`]: nobody and a share link; viewer,
/// member, editor and administrator; the item's owner, a viewer who is not named; and services of the four roles.
/// `+` is the success, `-` 401, `x` 403, `.` 404, `!` 422. One pattern alone holds whoever may see the incident.
const TABLE: &str = "
GET    /healthz                              204 | ++ ++++ + ++++
GET    /readyz                               204 | ++ ++++ + ++++
GET    /api/v1/session/options               200 | ++ ++++ + ++++
POST   /api/v1/session                       201 | ++ ++++ + ++++
GET    /api/v1/session/oidc                  303 | ++ ++++ + ++++
GET    /api/v1/session/oidc/callback         303 | ++ ++++ + ++++

GET    /api/v1/session                       200 | -- ++++ + ++++
DELETE /api/v1/session                       204 | -- ++++ + ++++
PUT    /api/v1/session/password              204 | -- ++++ + xxxx
GET    /api/v1/sessions                      200 | -- ++++ + xxx+
DELETE /api/v1/sessions/{id}                 204 | -- ...+ . xxx+
GET    /api/v1/tokens                        200 | -- ++++ + xxx+
POST   /api/v1/tokens                        201 | -- ++++ + xxxx
DELETE /api/v1/tokens/{id}                   204 | -- ...+ . xxx+

GET    /api/v1/people                        200 | -- ++++ + ++++
GET    /api/v1/users                         200 | -- xxx+ x xxx+
POST   /api/v1/users                         201 | -- xxx+ x xxx+
GET    /api/v1/users/{id}                    200 | -- xxx+ x xxx+
PATCH  /api/v1/users/{id}                    200 | -- xxx+ x xxx+
POST   /api/v1/users/{id}/sign-in-link       201 | -- xxx+ x xxx+
GET    /api/v1/teams                         200 | -- ++++ + ++++
POST   /api/v1/teams                         201 | -- xxx+ x xxx+
GET    /api/v1/teams/{id}                    200 | -- ++++ + ++++
PATCH  /api/v1/teams/{id}                    200 | -- xxx+ x xxx+
DELETE /api/v1/teams/{id}                    204 | -- xxx+ x xxx+

GET    /api/v1/incidents                     200 | -- ++++ + ++++
GET    /api/v1/incidents/{id}                200 | -- ++++ + ++++ | -- ...+ . ...+ | -- ++++ . ...+
GET    /api/v1/incidents/{id}/signals        200 | -- ++++ + ++++ | -- ...+ . ...+ | -- ++++ . ...+
GET    /api/v1/incidents/{id}/signals.csv    200 | -- ++++ + ++++ | -- ...+ . ...+ | -- ++++ . ...+
GET    /api/v1/incidents/{id}/flags          200 | -- ++++ + ++++ | -- ...+ . ...+ | -- ++++ . ...+
GET    /api/v1/incidents/{id}/{file}         200 | -- ++++ + ++++ | -- ...+ . ...+ | -- ++++ . ...+
GET    /api/v1/incidents/{id}/source         200 | -- ++++ + ++++ | -- ...+ . ...+ | -- ++++ . ...+
GET    /api/v1/incidents/{id}/history        200 | -- ++++ + ++++ | -- ...+ . ...+ | -- ++++ . ...+
GET    /api/v1/incidents/{id}/access         200 | -- ++++ + ++++ | -- ...+ . ...+ | -- ++++ . ...+
PUT    /api/v1/incidents/{id}/access         200 | -- xx++ x xx++ | -- ...+ . ...+ | -- xx++ . ...+
GET    /api/v1/incidents/{id}/evidence       200 | -- ++++ + ++++ | -- ...+ . ...+ | -- ++++ . ...+
POST   /api/v1/incidents/{id}/evidence       201 | -- xx++ + xx++ | -- ...+ . ...+ | -- xx++ . ...+
POST   /api/v1/incidents/{id}/imports/load-test  201 | -- xx++ + xx++ | -- ...+ . ...+ | -- xx++ . ...+
GET    /api/v1/incidents/{id}/evidence/{number}  200 | -- ++++ + ++++ | -- ...+ . ...+ | -- ++++ . ...+
POST   /api/v1/incidents/{id}/evidence/files  201 | -- xx++ + xx++ | -- ...+ . ...+ | -- xx++ . ...+
GET    /api/v1/incidents/{id}/evidence/{number}/file  200 | -- ++++ + ++++ | -- ...+ . ...+ | -- ++++ . ...+
POST   /api/v1/incidents/{id}/imports/events  201 | -- xx++ x xx++ | -- ...+ . ...+ | -- xx++ . ...+
POST   /api/v1/incidents/{id}/imports/flags  201 | -- xx++ x xx++ | -- ...+ . ...+ | -- xx++ . ...+
POST   /api/v1/incidents/{id}/imports/deploys  201 | -- xx++ x xx++ | -- ...+ . ...+ | -- xx++ . ...+
GET    /api/v1/incidents/{id}/imports        200 | -- ++++ + ++++ | -- ...+ . ...+ | -- ++++ . ...+
DELETE /api/v1/incidents/{id}/imports/{import}  200 | -- xx++ x xx++ | -- ...+ . ...+ | -- xx++ . ...+
POST   /api/v1/incidents/{id}/imports/signals  201 | -- xx++ x xx++ | -- ...+ . ...+ | -- xx++ . ...+
DELETE /api/v1/incidents/{id}/signals/{signal}  204 | -- xx++ x xx++ | -- ...+ . ...+ | -- xx++ . ...+
GET    /api/v1/prometheus-servers            200 | -- xx++ x xx++
GET    /api/v1/imports/mappings              200 | -- xx++ x xx++
DELETE /api/v1/imports/mappings/{name}       204 | -- xx++ x xx++
GET    /api/v1/incidents/{id}/cohort         200 | -- ++++ + ++++ | -- ...+ . ...+ | -- ++++ . ...+
GET    /api/v1/incidents/{id}/cohort/customers  200 | -- xxx+ x xxx+ | -- ...+ . ...+ | -- xxx+ . ...+
GET    /api/v1/incidents/{id}/cohort.csv     200 | -- xxx+ x xxx+ | -- ...+ . ...+ | -- xxx+ . ...+
POST   /api/v1/incidents/{id}/cohort/contacted  200 | -- xxx+ x xxx+ | -- ...+ . ...+ | -- xxx+ . ...+
GET    /api/v1/incidents/{id}/cohort/message  200 | -- ++++ + ++++ | -- ...+ . ...+ | -- ++++ . ...+
PUT    /api/v1/incidents/{id}/cohort/message  200 | -- xxx+ x xxx+ | -- ...+ . ...+ | -- xxx+ . ...+
POST   /api/v1/incidents/{id}/cohort/message/check  200 | -- xxx+ x xxx+ | -- ...+ . ...+ | -- xxx+ . ...+
GET    /api/v1/incidents/{id}/claims         200 | -- ++++ + ++++ | -- ...+ . ...+ | -- ++++ . ...+
POST   /api/v1/incidents/{id}/claims         201 | -- xx++ x xx++ | -- ...+ . ...+ | -- xx++ . ...+
PATCH  /api/v1/incidents/{id}/claims/{claim}  200 | -- xx++ x xx++ | -- ...+ . ...+ | -- xx++ . ...+
DELETE /api/v1/incidents/{id}/claims/{claim}  204 | -- xx++ x xx++ | -- ...+ . ...+ | -- xx++ . ...+
PATCH  /api/v1/incidents/{id}/evidence/{number}  200 | -- xx++ x xx++ | -- ...+ . ...+ | -- xx++ . ...+
DELETE /api/v1/incidents/{id}/evidence/{number}  200 | -- xx++ x xx++ | -- ...+ . ...+ | -- xx++ . ...+

GET    /api/v1/incidents/{id}/actions        200 | -- ++++ + ++++ | -- ...+ . ...+ | -- ++++ . ...+
POST   /api/v1/incidents/{id}/actions        201 | -- xx++ x xx++ | -- ...+ . ...+ | -- xx++ . ...+
POST   /api/v1/actions/advice                200 | -- ++++ + ++++
GET    /api/v1/actions                       200 | -- ++++ + ++++
PATCH  /api/v1/actions                       200 | -- ++++ + ++++
GET    /api/v1/actions/counts                200 | -- ++++ + ++++
GET    /api/v1/actions.csv                   200 | -- ++++ + ++++
GET    /api/v1/changes                       200 | -- ++++ + ++++

GET    /api/v1/actions/{id}                  200 | -- ++++ + ++++ | -- ...+ + ...+ | -- ++++ + ...+
PATCH  /api/v1/actions/{id}                  200 | -- xx++ + xx++ | -- ...+ + ...+ | -- xx++ + ...+
PATCH  /api/v1/actions/{id}#reopen           200 | -- xx++ x xx++ | -- ...+ x ...+ | -- xx++ x ...+
GET    /api/v1/actions/{id}/history          200 | -- ++++ + ++++ | -- ...+ + ...+ | -- ++++ + ...+
GET    /api/v1/actions/{id}/notes            200 | -- ++++ + ++++ | -- ...+ + ...+ | -- ++++ + ...+
POST   /api/v1/actions/{id}/notes            201 | -- x+++ + x+++ | -- ...+ + ...+ | -- x+++ + ...+
GET    /api/v1/actions/{id}/verifications    200 | -- ++++ + ++++ | -- ...+ + ...+ | -- ++++ + ...+
POST   /api/v1/actions/{id}/verifications#attested  201 | -- x+++ x xxxx | -- ...+ x ...x | -- x+++ x ...x
POST   /api/v1/actions/{id}/verifications#measured  201 | -- xx++ + xx++ | -- ...+ + ...+ | -- xx++ + ...+

GET    /api/v1/shares                        200 | -- xx++ x xx++
GET    /api/v1/shares#incident               200 | -- xx++ x xx++ | -- ...+ . ...+ | -- xx++ . ...+
POST   /api/v1/shares                        201 | -- xx++ x xx++ | -- xx.! x xx.! | -- xx!! x xx.!
DELETE /api/v1/shares/{id}                   204 | -- xx++ x xx++ | -- xx.. x xx.. | -- xx.. x xx..
GET    /api/v1/shared/{link}                 200 | ++ ++++ + ++++ | .. .... . .... | .. .... . ....
GET    /api/v1/shared/{link}/signals         200 | ++ ++++ + ++++ | .. .... . .... | .. .... . ....
GET    /api/v1/shared/{link}/signals.csv     200 | ++ ++++ + ++++ | .. .... . .... | .. .... . ....
";

/// A line of the table.
struct Row {
    method: &'static str,
    path: &'static str,
    /// What is done, where the route does several things.
    what: &'static str,
    success: u16,
    patterns: Vec<Vec<char>>,
}

fn rows() -> Vec<Row> {
    let row = |line: &'static str| {
        let mut parts = line.split('|');
        let mut head = parts.next().expect("a route").split_whitespace();
        let (method, route, success) = (head.next(), head.next().expect("a path"), head.next().expect("a status"));
        let (path, what) = route.split_once('#').unwrap_or((route, ""));
        let patterns = parts.map(|pattern| pattern.chars().filter(|mark| !mark.is_whitespace()).collect()).collect();
        Row { method: method.expect("a method"), path, what, success: success.parse().expect("a status"), patterns }
    };
    TABLE.lines().filter(|line| !line.trim().is_empty()).map(row).collect()
}

impl Row {
    fn expected(&self, seen: Seen, who: usize) -> u16 {
        let column = match seen {
            Seen::Open => 0,
            Seen::Restricted => 1,
            Seen::People | Seen::Team => 2,
        };
        match self.patterns.get(column).unwrap_or(&self.patterns[0])[who] {
            '+' => self.success,
            '-' => 401,
            'x' => 403,
            '.' => 404,
            '!' => 422,
            other => panic!("{other} is no mark"),
        }
    }
}

/// Makes what a row's request needs, afresh, and the request itself.
async fn prepared(world: &World, row: &Row, seen: Seen, who: usize) -> RequestBuilder {
    let store = &world.server.store;
    let incident = world.incident.as_str();
    let mut path = row.path.to_owned();
    let mut version = None;
    let mut body = None;
    let replaced = |path: &str, id: &str| path.replace("{id}", id);
    match (row.method, row.path.trim_start_matches("/api/v1"), row.what) {
        ("POST", "/session", _) => {
            let (secret, until) = (new_secret("dbl_"), clock::now() + TimeDelta::days(1));
            store
                .add_sign_in_link(&digest(&secret), &world.other.id, (clock::now(), until), None)
                .await
                .expect("a link");
            body = Some(json!({"link": secret, "instead": true}));
        }
        ("PUT", "/session/password", _) => body = Some(json!({"password": "a long enough one"})),
        ("DELETE", "/sessions/{id}", _) => {
            session(store, &world.other.id).await;
            let sessions = store.list_sessions(Some(&world.other.id), clock::now()).await.expect("sessions");
            path = replaced(&path, sessions[0].id.as_str());
        }
        ("POST", "/tokens", _) => body = Some(json!({"name": "mine", "role": "viewer", "days": 1})),
        ("DELETE", "/tokens/{id}", _) => {
            token(store, Some(&world.other), Role::Member).await;
            let tokens = store.list_tokens(Some(&world.other.id)).await.expect("tokens");
            path = replaced(&path, tokens[0].id.as_str());
        }
        ("POST", "/users", _) => body = Some(json!({"name": "New", "role": "viewer"})),
        (method, "/users/{id}" | "/users/{id}/sign-in-link", _) => {
            let user = store.load_user(&world.other.id).await.expect("the store answers").expect("the account");
            path = replaced(&path, user.id.as_str());
            if method == "PATCH" {
                version = Some(user.version);
                body = Some(json!({"name": "Otto"}));
            }
        }
        ("POST", "/teams", _) => body = Some(json!({"name": format!("Made {seen:?} {who}")})),
        (method, "/teams/{id}", _) => {
            let made = team(store, &format!("{method} {seen:?} {who}"), &[]).await;
            path = replaced(&path, made.as_str());
            version = Some(1);
            if method == "PATCH" {
                body = Some(json!({"members": []}));
            }
        }
        ("PUT", "/incidents/{id}/access", _) => {
            path = replaced(&path, incident);
            version = Some(store.incident_access(&world.incident).await.expect("the store answers").version);
            body = Some(serde_json::to_value(world.access(seen)).expect("JSON"));
        }
        (method, "/incidents/{id}/evidence" | "/incidents/{id}/evidence/{number}", _) => {
            path = replaced(&path, incident);
            if path.contains("{number}") {
                path = path.replace("{number}", &world.evidence().await.to_string());
                version = Some(1);
            }
            body = match method {
                "POST" => Some(json!({"title": "Query", "kind": "metric"})),
                "PATCH" => Some(json!({"title": "Another"})),
                _ => None,
            };
        }
        (method, cohort, _) if cohort.starts_with("/incidents/{id}/cohort") => {
            world.events().await;
            path = replaced(&path, incident);
            let message = store.load_message(&world.incident).await.expect("the store answers");
            version = (method == "PUT").then(|| message.map_or(0, |(version, _)| version));
            body = match cohort.rsplit('/').next() {
                Some("contacted") => Some(json!({"all": true})),
                Some("message") if method == "PUT" => Some(json!({"text": format!("Sorry, {}.", world.count())})),
                Some("check") => Some(json!({"text": "Sorry.", "recipients": ["c-481169"]})),
                _ => None,
            };
        }
        (method, "/incidents/{id}/claims" | "/incidents/{id}/claims/{claim}", _) => {
            path = replaced(&path, incident);
            let claim = world.claim().await;
            let computation = json!({"measure": "attempts"});
            match method {
                "POST" => {
                    store.delete_claim(&world.incident, &claim.id, claim.version, by_test()).await.expect("an answer");
                    body = Some(json!({"target": claim.target, "computation": computation}));
                }
                "PATCH" => body = Some(json!({"computation": computation})),
                _ => {}
            }
            path = path.replace("{claim}", claim.id.as_str());
            version = Some(claim.version);
        }
        ("POST", "/incidents/{id}/actions", _) => {
            path = replaced(&path, incident);
            body = Some(json!({"change": "Feed the hamster"}));
        }
        // What becomes of each item is said for it alone.
        ("PATCH", "/actions", _) => {
            let item = json!({"id": world.item, "version": world.version().await});
            body = Some(json!({"items": [item], "patch": {"priority": "high"}}));
        }
        ("POST", "/actions/advice", _) => body = Some(json!({"change": "Feed the hamster"})),
        ("POST", "/incidents/{id}/imports/load-test", _) => {
            // The same file a second time would be known already.
            let file = format!("{}{}", include_str!("../data/load_test/oha.json"), "\n".repeat(world.count()));
            let request = world.request(who, "POST", &replaced(&path, incident)).await;
            return request.header("content-type", "application/octet-stream").body(file);
        }
        ("POST", "/incidents/{id}/imports/events", _) => {
            // Again, the same file would be known already.
            let header = "ts,attempt_id,customer_id,outcome";
            let file = format!("{header}\n2026-07-09T09:46:00Z,w{},c,failed\n", world.count());
            let request = world.request(who, "POST", &replaced(&path, incident)).await;
            return request.header("content-type", "application/octet-stream").body(file);
        }
        ("POST", "/incidents/{id}/evidence/files", _) => {
            let request = world.request(who, "POST", &replaced(&path, incident)).await;
            return request.body(format!("line {}\n", world.count()));
        }
        ("GET", "/incidents/{id}/evidence/{number}/file", _) => {
            path = replaced(&path, incident).replace("{number}", &world.file().await.to_string());
        }
        ("POST", "/incidents/{id}/imports/flags" | "/incidents/{id}/imports/deploys", _) => {
            let count = world.count();
            let file = json!([{"flag": "f", "state": "on", "changed_at": "2026-07-09T09:46:00Z",
                "at": "2026-07-09T09:46:00Z", "service": "checkout", "version": count}]);
            let request = world.request(who, "POST", &replaced(&path, incident)).await;
            return request.body(file.to_string());
        }
        ("DELETE", "/incidents/{id}/imports/{import}", _) => {
            path = replaced(&path, incident).replace("{import}", &world.deploys().await);
        }
        ("DELETE", "/imports/mappings/{name}", _) => {
            let mapping = Mapping::default();
            store.save_mapping("Shop", &[], &mapping, by_test()).await.expect("saved");
            path = path.replace("{name}", "Shop");
        }
        ("POST", "/incidents/{id}/imports/signals", _) => {
            let file = format!("time,load\n2026-07-09T09:46:00Z,{}\n", world.count());
            let request = world.request(who, "POST", &replaced(&path, incident)).await;
            return request.header("content-type", "application/octet-stream").body(file);
        }
        ("DELETE", "/incidents/{id}/signals/{signal}", _) => {
            path = replaced(&path, incident).replace("{signal}", world.value().await.as_str());
        }
        (_, rest, _) if rest.starts_with("/incidents/{id}") => {
            path = replaced(&path, incident).replace("{file}", "export.json");
        }
        ("PATCH", "/actions/{id}", what) => {
            if what == "reopen" {
                world.change(|item| Action { status: ActionStatus::WontDo, reason: Some("no".into()), ..item }).await;
            }
            path = replaced(&path, world.item.as_str());
            version = Some(world.version().await);
            body = Some(if what == "reopen" { json!({"status": "open"}) } else { json!({"priority": "high"}) });
        }
        ("POST", "/actions/{id}/notes", _) => {
            path = replaced(&path, world.item.as_str());
            body = Some(json!({"text": "going well"}));
        }
        ("POST", "/actions/{id}/verifications", what) => {
            let is_attested = what == "attested";
            world.await_proof(if is_attested { attested() } else { measured() }).await;
            path = replaced(&path, world.item.as_str());
            body = Some(if is_attested {
                json!({"attested": {"statement": "seen"}})
            } else {
                json!({"measured": {"value": 1.5, "unit": "s"}, "link": "https://graphs.example/p95"})
            });
        }
        (_, rest, _) if rest.starts_with("/actions/{id}") => path = replaced(&path, world.item.as_str()),
        ("GET", "/shares", "incident") => path = format!("{path}?incident={incident}"),
        ("POST", "/shares", _) => {
            body = Some(json!({"incident_id": incident, "audience": "a customer", "days": 1}));
        }
        ("DELETE", "/shares/{id}", _) => path = replaced(&path, &share_of(world, seen).await.1),
        (_, "/shared/{link}" | "/shared/{link}/signals" | "/shared/{link}/signals.csv", _) => {
            path = path.replace("{link}", &share_of(world, seen).await.0);
        }
        _ => {}
    }
    let mut request = world.request(who, row.method, &path).await;
    if let Some(version) = version {
        request = request.header("if-match", format!("\"{version}\""));
    }
    match body {
        Some(body) => request.json(&body),
        None => request,
    }
}

/// A share link that was made while the incident was open: its secret and its id.
async fn share_of(world: &World, seen: Seen) -> (String, String) {
    if seen != Seen::Open {
        world.set(Seen::Open).await;
    }
    let (secret, id) = world.share().await;
    if seen != Seen::Open {
        world.set(seen).await;
    }
    (secret, id.expect("an open incident is shared"))
}

/// Asks as the table says; answers every line that was answered otherwise.
async fn surprises(world: &World, seen: Seen, is_asked: impl Fn(&Row) -> bool) -> Vec<String> {
    let mut surprises = Vec::new();
    for row in rows().iter().filter(|row| is_asked(row)) {
        for (who, name) in WHO.iter().enumerate() {
            let response = prepared(world, row, seen, who).await.send().await.expect("an answer");
            let (status, expected) = (response.status().as_u16(), row.expected(seen, who));
            if status != expected {
                let body = response.text().await.unwrap_or_default();
                let route = format!("{} {}#{}", row.method, row.path, row.what);
                surprises.push(format!("{route} by {name}, {seen:?}: {status} instead of {expected}: {body}"));
            }
        }
    }
    surprises
}

async fn everybody_may_do_what_the_table_says(world: World) {
    let mut found = surprises(&world, Seen::Open, |_| true).await;
    for seen in [Seen::Restricted, Seen::People, Seen::Team] {
        world.set(seen).await;
        found.extend(surprises(&world, seen, |row| row.patterns.len() > 1).await);
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_may_do_what_the_table_says_and_nothing_else() {
    everybody_may_do_what_the_table_says(World::new().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_table_holds_on_postgresql_too() {
    everybody_may_do_what_the_table_says(World::on_postgres().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_members_item_is_theirs_where_nobody_is_in_charge() {
    let world = World::new().await;
    world.give(Owned::ByTeam).await;
    let mut found = Vec::new();
    for seen in [Seen::Open, Seen::Restricted, Seen::Team] {
        world.set(seen).await;
        found.extend(surprises(&world, seen, |row| row.path.starts_with("/api/v1/actions/")).await);
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[tokio::test]
async fn every_route_stands_in_the_table() {
    let server = crate::server::Server::empty().await;
    let document: Value = server.get("/openapi.json").send().await.expect("an answer").json().await.expect("JSON");
    let routes: BTreeSet<String> = document["paths"]
        .as_object()
        .expect("paths")
        .iter()
        .flat_map(|(path, methods)| {
            methods.as_object().expect("methods").keys().map(move |method| format!("{} {path}", method.to_uppercase()))
        })
        .collect();
    let told: BTreeSet<String> = rows().iter().map(|row| format!("{} {}", row.method, row.path)).collect();
    assert_eq!(routes, told, "each route of the API needs a row, and each row a route");
    for row in rows() {
        let columns: Vec<usize> = row.patterns.iter().map(Vec::len).collect();
        assert!(columns.iter().all(|&count| count == WHO.len()), "{} {}: {columns:?}", row.method, row.path);
    }
}
