//! Proofs of action items over HTTP: what is accepted, what is refused, and what opens an item again.

use domain::person::Role;
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

use crate::server::{Server, Signed, client, person, problem};

/// A server with the example, somebody who owns its first item, and somebody who does not.
struct Scene {
    server: Server,
    action: String,
    owner: Client,
    other: Client,
}

impl Scene {
    async fn new(verification: Value) -> Self {
        let (server, _) = Server::with_example().await;
        let action = server.dashboard().await["actions"][0].clone();
        let owner = person(&server.store, "Olu Owner", Role::Member).await;
        let other = person(&server.store, "Otto Other", Role::Member).await;
        join(&server, action["owner"].as_str().expect("a team"), &owner).await;
        let scene = Self {
            action: action["id"].as_str().expect("an id").to_owned(),
            owner: client(Some(&owner.token)),
            other: client(Some(&other.token)),
            server,
        };
        scene.set(&scene.owner, json!({"verification": verification})).await;
        scene
    }

    async fn item(&self) -> Value {
        let response = self.server.get(&format!("/api/v1/actions/{}", self.action)).send().await.expect("an answer");
        response.json().await.expect("JSON")
    }

    async fn set(&self, by: &Client, patch: Value) -> Value {
        let response = self.try_set(by, patch).await;
        assert_eq!(response.status(), StatusCode::OK);
        response.json().await.expect("JSON")
    }

    async fn try_set(&self, by: &Client, patch: Value) -> reqwest::Response {
        let version = self.item().await["version"].as_i64().expect("a version");
        let address = format!("{}/api/v1/actions/{}", self.server.base, self.action);
        by.patch(address).header("if-match", format!("\"{version}\"")).json(&patch).send().await.expect("an answer")
    }

    async fn offer(&self, by: &Client, proof: Value) -> reqwest::Response {
        let path = format!("{}/api/v1/actions/{}/verifications", self.server.base, self.action);
        by.post(path).json(&proof).send().await.expect("an answer")
    }
}

async fn join(server: &Server, team: &str, member: &Signed) {
    let body = json!({"name": team, "members": [member.person.id]});
    let made = server.post("/api/v1/teams", &body).send().await.expect("an answer");
    assert_eq!(made.status(), StatusCode::CREATED);
}

fn measured() -> Value {
    json!({"criterion": "Load test holds p95 below 2s",
        "kind": {"measured": {"metric": "p95", "comparator": "below", "threshold": 2, "unit": "s"}}})
}

fn attested() -> Value {
    json!({"criterion": "Completed by a non-author",
        "kind": {"attested": {"by": "not_owner", "excludes": "an author"}}})
}

#[tokio::test]
async fn a_measured_value_is_accepted_only_where_it_keeps_the_threshold() {
    let scene = Scene::new(measured()).await;
    let proof = |value: f64| json!({"measured": {"value": value, "unit": "s"}, "link": "https://graphs.example/p95"});
    let early = problem(scene.offer(&scene.owner, proof(1.8)).await, 422, "invalid").await;
    assert_eq!(early["errors"][0]["pointer"], "/status");
    scene.set(&scene.owner, json!({"status": "to_verify"})).await;
    let missed = problem(scene.offer(&scene.owner, proof(2.31)).await, 422, "invalid").await;
    assert_eq!(missed["errors"][0]["pointer"], "/measured/value");
    assert!(missed["detail"].as_str().is_some_and(|text| text.contains("0.31 s")), "{missed}");
    let unseen = json!({"measured": {"value": 1.8, "unit": "s"}});
    let unseen = problem(scene.offer(&scene.owner, unseen).await, 422, "invalid").await;
    assert_eq!(unseen["errors"][0]["pointer"], "/evidence");
    let script = json!({"measured": {"value": 1.8, "unit": "s"}, "link": "javascript:alert(1)"});
    problem(scene.offer(&scene.owner, script).await, 422, "invalid").await;
    problem(scene.offer(&scene.other, proof(1.8)).await, 403, "forbidden").await;
    let accepted = scene.offer(&scene.owner, proof(1.8)).await;
    assert_eq!(accepted.status(), StatusCode::CREATED);
    let item: Value = accepted.json().await.expect("JSON");
    assert_eq!((&item["status"], &item["accepted"]["accepted_by"]), (&json!("verified"), &json!("Olu Owner")));
    assert_eq!(item["accepted"]["value"], json!({"value": 1.8, "unit": "s"}));
    assert_eq!(item["accepted"]["link"], "https://graphs.example/p95");
    problem(scene.try_set(&scene.owner, json!({"verification": {"criterion": "Easier"}})).await, 422, "invalid").await;
}

#[tokio::test]
async fn a_value_is_read_off_a_signal_and_no_other_is_taken() {
    let verification = json!({"criterion": "Error rate below 1%",
        "kind": {"measured": {"metric": "error rate", "comparator": "below", "threshold": 1, "unit": "percent"}}});
    let scene = Scene::new(verification).await;
    scene.set(&scene.owner, json!({"status": "to_verify"})).await;
    let dashboard = scene.server.dashboard().await;
    let signal = &dashboard["signals"][0];
    let reading = |statistic: &str, from: &str, until: &str| json!({"signal": {"signal": signal["id"], "statistic": statistic, "from": from, "until": until}});
    let (begin, end) = ("2026-07-09T10:20:00Z", "2026-07-09T11:20:00Z");
    let refused = async |by: &Client, proof: Value, pointer: &str, words: &str| {
        let refused = problem(scene.offer(by, proof).await, 422, "invalid").await;
        assert_eq!(refused["errors"][0]["pointer"], pointer, "{refused}");
        assert!(refused["errors"][0]["message"].as_str().is_some_and(|text| text.contains(words)), "{refused}");
    };
    let owner = &scene.owner;
    refused(owner, reading("pooled", "2026-07-09T09:46:00Z", end), "/signal", "over the limit of 1%").await;
    refused(owner, reading("pooled", end, begin), "/signal/until", "before it begins").await;
    refused(owner, reading("mean", begin, end), "/signal/statistic", "of a ratio only").await;
    refused(owner, reading("pooled", begin, "2027-01-01T00:00:00Z"), "/signal/until", "is known from").await;
    let mut unknown = reading("pooled", begin, end);
    unknown["signal"]["signal"] = json!("sig_none");
    refused(owner, unknown, "/signal/signal", "no such signal").await;
    let mut typed = reading("pooled", begin, end);
    typed["measured"] = json!({"value": 0, "unit": "percent"});
    refused(owner, typed, "/measured", "read off the signal").await;
    problem(scene.offer(&scene.other, reading("pooled", begin, end)).await, 403, "forbidden").await;

    let accepted = scene.offer(owner, reading("pooled", begin, end)).await;
    assert_eq!(accepted.status(), StatusCode::CREATED);
    let item: Value = accepted.json().await.expect("JSON");
    assert_eq!(item["status"], "verified");
    let read = &item["accepted"]["signal"];
    assert_eq!((&read["title"], &read["statistic"]), (&signal["title"], &json!("pooled")));
    assert_eq!((&read["from"], &read["until"]), (&json!(begin), &json!(end)));
    // What was read is what the bins say.
    let whole = scene.server.get("/api/v1/incidents/INC-1/signals").send().await.expect("an answer");
    let whole: Value = whole.json().await.expect("JSON");
    let bins = whole["items"][0]["bins"].as_array().expect("bins");
    let inside = bins.iter().filter(|bin| (begin..end).contains(&bin["at"].as_str().expect("a time")));
    let (failed, attempts) = inside.fold((0.0, 0.0), |(failed, attempts), bin| {
        (failed + bin["numerator"].as_f64().expect("a count"), attempts + bin["denominator"].as_f64().expect("a count"))
    });
    let value = item["accepted"]["value"]["value"].as_f64().expect("a number");
    assert_eq!(item["accepted"]["value"]["unit"], "ratio");
    assert!(attempts > 100.0 && (value - failed / attempts).abs() < 1e-9, "{value}, {failed} of {attempts}");
}

#[tokio::test]
async fn an_owner_cannot_attest_nor_hand_the_item_over_to_do_so() {
    let scene = Scene::new(attested()).await;
    scene.set(&scene.owner, json!({"status": "to_verify"})).await;
    let word = json!({"attested": {"statement": "I followed it from end to end", "not_excluded": true}});
    problem(scene.offer(&scene.owner, word.clone()).await, 403, "forbidden").await;
    scene.set(&scene.owner, json!({"assignee": "Otto Other"})).await;
    let handed = problem(scene.offer(&scene.owner, word.clone()).await, 403, "forbidden").await;
    assert!(handed["detail"].as_str().is_some_and(|text| text.contains("yours before")), "{handed}");
    problem(scene.offer(&scene.other, word.clone()).await, 403, "forbidden").await;
    let service = crate::server::token(&scene.server.store, None, Role::Admin).await;
    problem(scene.offer(&client(Some(&service)), word.clone()).await, 403, "forbidden").await;
    let third = person(&scene.server.store, "Thea Third", Role::Member).await;
    let third = client(Some(&third.token));
    let silent = json!({"attested": {"statement": "I followed it", "not_excluded": false}});
    let silent = problem(scene.offer(&third, silent).await, 422, "invalid").await;
    assert_eq!(silent["errors"][0]["pointer"], "/attested/not_excluded");
    let accepted = scene.offer(&third, word.clone()).await;
    assert_eq!(accepted.status(), StatusCode::CREATED);
    let item = scene.item().await;
    assert_eq!((&item["status"], &item["accepted"]["accepted_by"]), (&json!("verified"), &json!("Thea Third")));
    problem(scene.offer(&third, word).await, 422, "invalid").await;
}

#[tokio::test]
async fn whoever_leaves_the_team_that_owned_an_item_cannot_attest_it_either() {
    let scene = Scene::new(attested()).await;
    scene.set(&scene.owner, json!({"status": "to_verify"})).await;
    let word = json!({"attested": {"statement": "I followed it from end to end", "not_excluded": true}});
    let refused = async |why: &str| {
        let refused = problem(scene.offer(&scene.owner, word.clone()).await, 403, "forbidden").await;
        assert!(refused["detail"].as_str().is_some_and(|text| text.contains(why)), "{refused}");
    };
    refused("an owner cannot attest").await;
    let teams = scene.server.get("/api/v1/teams").send().await.expect("an answer");
    let teams: Value = teams.json().await.expect("JSON");
    let path = format!("/api/v1/teams/{}", teams["items"][0]["id"].as_str().expect("an id"));
    let left = scene.server.patch(&path, 1, &json!({"members": []})).send().await.expect("an answer");
    assert_eq!(left.status(), StatusCode::OK);
    refused("yours before").await;
    // Nor after the team has another name, or is gone, or the item belongs to another one.
    let renamed = scene.server.patch(&path, 2, &json!({"name": "Another"})).send().await.expect("an answer");
    assert_eq!(renamed.status(), StatusCode::OK);
    refused("yours before").await;
    let removed = scene.server.client.delete(format!("{}{path}", scene.server.base)).header("if-match", "\"3\"");
    assert_eq!(removed.send().await.expect("an answer").status(), StatusCode::NO_CONTENT);
    scene.set(&scene.server.client, json!({"owner": "Somebody else"})).await;
    refused("yours before").await;
    // Whoever is put in charge by another spelling of their name is the owner, and was it afterwards.
    let of_other = async |why: &str| {
        let refused = problem(scene.offer(&scene.other, word.clone()).await, 403, "forbidden").await;
        assert!(refused["detail"].as_str().is_some_and(|text| text.contains(why)), "{refused}");
    };
    scene.set(&scene.server.client, json!({"assignee": "otto  OTHER"})).await;
    of_other("an owner cannot attest").await;
    person(&scene.server.store, "Thea Third", Role::Member).await;
    scene.set(&scene.server.client, json!({"assignee": "Thea Third"})).await;
    of_other("yours before").await;
    let fourth = client(Some(&person(&scene.server.store, "Finn Fourth", Role::Member).await.token));
    assert_eq!(scene.offer(&fourth, word.clone()).await.status(), StatusCode::CREATED, "who never owned it");
}

#[tokio::test]
async fn a_load_test_proves_its_metric_and_its_removal_opens_the_item_again() {
    let scene = Scene::new(measured()).await;
    scene.set(&scene.owner, json!({"status": "to_verify"})).await;
    let file = include_bytes!("../data/load_test/oha.json");
    let upload = |by: &Client| {
        let path = format!("{}/api/v1/incidents/INC-1/imports/load-test?name=oha.json", scene.server.base);
        by.post(path).body(file.to_vec()).send()
    };
    let refused = upload(&scene.other).await.expect("an answer");
    problem(refused, 403, "forbidden").await;
    let first = upload(&scene.owner).await.expect("an answer");
    assert_eq!(first.status(), StatusCode::CREATED);
    let first: Value = first.json().await.expect("JSON");
    assert_eq!((&first["added"], &first["evidence"]["load_test"]["test"]["tool"]), (&json!(true), &json!("oha")));
    let again = upload(&scene.owner).await.expect("an answer");
    assert_eq!(again.status(), StatusCode::OK);
    let number = first["evidence"]["number"].as_u64().expect("a number");
    let again: Value = again.json().await.expect("JSON");
    assert_eq!(again["evidence"]["number"], number);

    let wrong = json!({"measured": {"value": 1e-6, "unit": "s"}, "evidence": number});
    let wrong = problem(scene.offer(&scene.owner, wrong).await, 422, "invalid").await;
    assert!(wrong["detail"].as_str().is_some_and(|text| text.contains("the load test cited measured")), "{wrong}");
    let missing = problem(scene.offer(&scene.owner, json!({"evidence": 99})).await, 422, "invalid").await;
    assert_eq!(missing["errors"][0]["pointer"], "/evidence");
    let accepted = scene.offer(&scene.owner, json!({"evidence": number})).await;
    assert_eq!(accepted.status(), StatusCode::CREATED);

    let path = format!("{}/api/v1/incidents/INC-1/evidence/{number}", scene.server.base);
    problem(scene.owner.delete(&path).send().await.expect("an answer"), 403, "forbidden").await;
    let removed = scene.server.client.delete(&path).header("if-match", "\"1\"").send().await.expect("an answer");
    let opened: Value = removed.json().await.expect("JSON");
    assert_eq!(opened["items"][0]["status"], "open");
    let item = scene.item().await;
    assert_eq!((&item["status"], &item["reopenings"], &item["accepted"]), (&json!("open"), &json!(1), &Value::Null));
    problem(scene.server.client.delete(&path).send().await.expect("an answer"), 404, "not-found").await;
    let dashboard = scene.server.dashboard().await;
    let entry = dashboard["evidence"].as_array().expect("evidence").last().expect("the last").clone();
    assert!(entry["removed_at"].is_string(), "its number stays: {entry}");
    scene.set(&scene.owner, json!({"status": "to_verify"})).await;
    let gone = problem(scene.offer(&scene.owner, json!({"evidence": number})).await, 422, "invalid").await;
    assert_eq!(gone["errors"][0]["message"], "this evidence was removed");

    let anew: Value = upload(&scene.owner).await.expect("an answer").json().await.expect("JSON");
    assert_eq!((&anew["added"], &anew["evidence"]["number"]), (&json!(true), &json!(number + 1)));
    let read = |number: u64| scene.server.get(&format!("/api/v1/incidents/INC-1/evidence/{number}")).send();
    let old: Value = read(number).await.expect("an answer").json().await.expect("JSON");
    assert_eq!(old["load_test"]["test"], anew["evidence"]["load_test"]["test"], "the old number keeps what it said");
}

#[tokio::test]
async fn what_a_proof_rests_on_goes_on_showing_the_same() {
    let scene = Scene::new(measured()).await;
    scene.set(&scene.owner, json!({"status": "to_verify"})).await;
    let path = "/api/v1/incidents/INC-1/evidence";
    let new = json!({"title": "Graph", "kind": "metric", "link": "https://graphs.example/p95"});
    let added: Value = scene.server.post(path, &new).send().await.expect("an answer").json().await.expect("JSON");
    let source = format!("{path}/{}", added["number"]);
    let edit = async |version: i64, patch: Value| {
        scene.server.patch(&source, version, &patch).send().await.expect("an answer")
    };
    assert_eq!(edit(1, json!({"link": "https://graphs.example/p95?from=1"})).await.status(), StatusCode::OK);
    let proof = json!({"measured": {"value": 1.8, "unit": "s"}, "evidence": added["number"]});
    assert_eq!(scene.offer(&scene.owner, proof).await.status(), StatusCode::CREATED);
    for patch in [json!({"link": "https://other.example"}), json!({"link": null}), json!({"title": "x", "kind": "log"})]
    {
        let refused = problem(edit(2, patch).await, 422, "invalid").await;
        assert!(refused["detail"].as_str().is_some_and(|text| text.contains("proof rests on")), "{refused}");
    }
    let renamed = edit(2, json!({"title": "p95", "kind": "metric"})).await;
    assert_eq!(renamed.status(), StatusCode::OK);
    scene.set(&scene.server.client, json!({"status": "open"})).await;
    assert_eq!(edit(3, json!({"link": null})).await.status(), StatusCode::OK, "no proof rests on it any more");
}

#[tokio::test]
async fn the_history_tells_who_changed_what_from_what_to_what() {
    let scene = Scene::new(measured()).await;
    scene.set(&scene.owner, json!({"status": "to_verify", "due": "2026-08-01"})).await;
    let proof = json!({"measured": {"value": 1.8, "unit": "s"}, "link": "https://graphs.example/p95"});
    assert_eq!(scene.offer(&scene.owner, proof).await.status(), StatusCode::CREATED);
    scene.set(&scene.server.client, json!({"status": "open"})).await;
    let read = |path: String| scene.server.get(&path).send();
    let page = read(format!("/api/v1/actions/{}/history?limit=2", scene.action)).await.expect("an answer");
    let page: Value = page.json().await.expect("JSON");
    let newest = &page["items"][0];
    assert_eq!((&newest["actor"], &newest["kind"]), (&json!("local"), &json!("changed")));
    let status = newest["fields"].as_array().expect("fields").iter().find(|field| field["field"] == "status");
    assert_eq!(status.expect("the status"), &json!({"field": "status", "before": "verified", "after": "open"}));
    assert_eq!(page["items"][1]["subject"], "verification");
    let next = page["next"].as_str().expect("another page");
    let older = read(format!("/api/v1/actions/{}/history?cursor={next}", scene.action)).await.expect("an answer");
    let older: Value = older.json().await.expect("JSON");
    let due = older["items"][0]["fields"].as_array().expect("fields").iter().find(|field| field["field"] == "due");
    assert_eq!(due.expect("the due date")["after"], "2026-08-01");
    let whole = read("/api/v1/incidents/INC-1/history".to_owned()).await.expect("an answer");
    let whole: Value = whole.json().await.expect("JSON");
    assert!(whole["items"].as_array().expect("items").len() >= 4);
}
