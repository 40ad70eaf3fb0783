//! Claims: the document's figures against its events, and what becomes of them when either changes.

use debrief_server::clock;
use debrief_server::import::events::import_events;
use domain::IncidentId;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::server::{Server, on_both_databases, problem};

/// Everything of the worked example, as a server of its own.
async fn with_events(server: &Server) -> IncidentId {
    let id = server.import_document().await;
    events(server, &id, &crate::server::example("checkout-events.csv")).await;
    id
}

async fn events(server: &Server, id: &IncidentId, file: &std::path::Path) {
    import_events(&server.store, &server.objects, id, file, &|_| {}, clock::now()).await.expect("the events import");
}

/// Binds whatever is proposed.
async fn bind_all(server: &Server) {
    for proposal in server.dashboard().await["claim_proposals"].as_array().expect("proposals") {
        let body = json!({"target": proposal["target"], "computation": proposal["computation"]});
        let made = server.post("/api/v1/incidents/INC-1/claims", &body).send().await.expect("an answer");
        assert_eq!(made.status(), StatusCode::CREATED, "{body}");
    }
}

/// Each claim as the figure written, the verdict, and what was computed or why not.
async fn told(server: &Server) -> Vec<String> {
    let claims = server.dashboard().await["claims"].as_array().expect("claims").clone();
    let text = |value: &Value| value.as_str().unwrap_or("–").to_owned();
    claims
        .iter()
        .map(|claim| {
            let check = &claim["check"];
            let found = if check["computed"].is_null() { &check["reason"] } else { &check["computed"] };
            let off = check["difference"].as_str().map(|off| format!(" ({off})")).unwrap_or_default();
            format!("{} {}: {}{off}", text(&claim["stated"]), text(&check["verdict"]), text(found))
        })
        .collect()
}

on_both_databases! {
    async fn the_documents_figures_agree_with_its_events_and_no_longer_when_the_events_change(server: Server) {
        let id = with_events(&server).await;
        bind_all(&server).await;
        assert!(server.dashboard().await.get("claim_proposals").is_none(), "all of them are bound");
        assert_eq!(told(&server).await, [
            "31 minutes agrees: 31 minutes",
            "18.6% agrees: 18.6%",
            "09:46-10:17 UTC agrees: 09:46–10:17 UTC",
            "1,284 agrees: 1,284",
            "973 agrees: 973",
        ]);
        // A second file: forty more customers failed in the first minute after the window, and seven inside it.
        let row = |i: u32| {
            let time = if i < 40 { "10:17:30" } else { "10:00:00" };
            format!("2026-07-09T{time}Z,late-{i},c-late-{i},failed\n")
        };
        let csv = format!("ts,attempt_id,customer_id,outcome\n{}", (0..47).map(row).collect::<String>());
        let file = server.folder().join("late.csv");
        std::fs::write(&file, csv).expect("written");
        events(&server, &id, &file).await;
        assert_eq!(told(&server).await, [
            "31 minutes differs: 32 minutes (+1 minutes)",
            "18.6% differs: 18.7% (+0.1 percentage points)",
            "09:46-10:17 UTC differs: 09:46–10:18 UTC (ends 1 min later)",
            "1,284 differs: 1,291 (+7)",
            "973 differs: 980 (+7)",
        ]);
    }

    async fn a_claim_is_bound_changed_and_taken_back_on_its_version(server: Server) {
        with_events(&server).await;
        let path = "/api/v1/incidents/INC-1/claims";
        let measure = server.dashboard().await["impact"][1]["id"].clone();
        let body = json!({"target": {"measure": measure}, "computation": {"measure": "failed_attempts"}});
        let bind = || server.post(path, &body).header("idempotency-key", "once");
        let made = bind().send().await.expect("an answer");
        assert_eq!((made.status(), &made.headers()["etag"]), (StatusCode::CREATED, &"\"1\"".parse().expect("a tag")));
        let claim: Value = made.json().await.expect("JSON");
        assert_eq!((&claim["stated"], &claim["check"]["verdict"]), (&json!("1,284"), &json!("agrees")));
        let again: Value = bind().send().await.expect("an answer").json().await.expect("JSON");
        assert_eq!(again, claim, "the same request again made nothing");
        let twice = server.post(path, &body).send().await.expect("an answer");
        assert_eq!(problem(twice, 422, "invalid").await["errors"][0]["pointer"], "/target");
        let one = format!("{path}/{}", claim["id"].as_str().expect("an id"));
        let version = server.dashboard().await["version"].as_i64().expect("a version");
        let attempts = json!({"computation": {"measure": "attempts"}});
        let unversioned = server.client.patch(format!("{}{one}", server.base)).json(&attempts).send().await;
        problem(unversioned.expect("an answer"), 428, "precondition-required").await;
        let changed = server.patch(&one, 1, &attempts).send().await.expect("an answer");
        assert_eq!(changed.status(), StatusCode::OK);
        let changed: Value = changed.json().await.expect("JSON");
        assert_eq!((&changed["version"], &changed["check"]["computed"]), (&json!(2), &json!("6,903")));
        assert_eq!(changed["check"]["difference"], "+5,619");
        assert!(server.dashboard().await["version"].as_i64().expect("a version") > version);
        let stale = server.patch(&one, 1, &attempts).send().await.expect("an answer");
        let stale = problem(stale, 412, "stale-version").await;
        assert_eq!((&stale["current_version"], &stale["current_claim"]["check"]["computed"]), (&json!(2), &json!("6,903")));
        let remove = |version: i64| {
            server.client.delete(format!("{}{one}", server.base)).header("if-match", format!("\"{version}\"")).send()
        };
        problem(remove(1).await.expect("an answer"), 412, "stale-version").await;
        assert_eq!(remove(2).await.expect("an answer").status(), StatusCode::NO_CONTENT);
        problem(remove(2).await.expect("an answer"), 404, "not-found").await;
        assert_eq!(told(&server).await, [""; 0]);
        let history: Value =
            server.get("/api/v1/incidents/INC-1/history").send().await.expect("an answer").json().await.expect("JSON");
        let of_claims: Vec<_> = history["items"]
            .as_array()
            .expect("items")
            .iter()
            .filter(|entry| entry["subject"] == "claim")
            .map(|entry| entry["kind"].as_str().expect("a kind"))
            .collect();
        assert_eq!(of_claims, ["removed", "changed", "made"]);
    }
}

#[tokio::test]
async fn a_binding_that_cannot_be_computed_is_refused_with_its_field() {
    let server = Server::empty().await;
    server.import_document().await;
    let summary = json!({"field": "summary", "figure": "18.6%"});
    for (target, computation, pointer) in [
        (json!({"field": "summary", "figure": "19.6%"}), json!({"measure": "failed_share"}), "/target"),
        (json!({"measure": "imp_never"}), json!({"measure": "attempts"}), "/target"),
        (json!({}), json!({"measure": "attempts"}), "/target"),
        (summary.clone(), json!({"measure": "luck"}), "/computation/measure"),
        (summary.clone(), json!({"measure": "duration", "upper": 0.05}), "/computation/lower"),
        (summary.clone(), json!({"measure": "duration", "upper": 5, "lower": 0.01}), "/computation/upper"),
        (summary.clone(), json!({"measure": "duration", "upper": 0.01, "lower": 0.05}), "/computation/lower"),
        (summary.clone(), json!({"measure": "latency_percentile"}), "/computation/percentile"),
        (summary.clone(), json!({"measure": "latency_percentile", "percentile": 0}), "/computation/percentile"),
        (summary.clone(), json!({"measure": "attempts", "percentile": 95}), "/computation/percentile"),
        (
            summary.clone(),
            json!({"measure": "attempts", "window": {"from": "2026-07-09T10:00:00Z", "until": "2026-07-09T10:00:00Z"}}),
            "/computation/window",
        ),
        (summary, json!({"measure": "attempts", "label": {"name": " ", "word": "eu"}}), "/computation/label/name"),
    ] {
        let body = json!({"target": target, "computation": computation});
        let refused = server.post("/api/v1/incidents/INC-1/claims", &body).send().await.expect("an answer");
        assert_eq!(problem(refused, 422, "invalid").await["errors"][0]["pointer"], pointer, "{body}");
    }
}

#[tokio::test]
async fn what_cannot_be_computed_says_why() {
    let server = Server::empty().await;
    let id = server.import_document().await;
    bind_all(&server).await;
    let told = told(&server).await;
    assert_eq!(told.len(), 5);
    for claim in &told {
        assert!(claim.ends_with("not_computed: no events have been imported"), "{claim}");
    }
    events(&server, &id, &crate::server::example("checkout-events.csv")).await;
    let body = json!({
        "target": {"field": "summary", "figure": "10:17 UTC"},
        "computation": {"measure": "attempts", "label": {"name": "region", "word": "eu"}},
    });
    let made = server.post("/api/v1/incidents/INC-1/claims", &body).send().await.expect("an answer");
    let made: Value = made.json().await.expect("JSON");
    assert_eq!(made["check"]["reason"], "the events have no label ‘region’");
}

#[tokio::test]
async fn a_shared_incident_shows_its_claims_and_proposes_none() {
    let (server, _) = Server::with_example().await;
    let share = json!({"incident_id": "INC-1", "audience": "the provider", "days": 1});
    bind_first(&server).await;
    let share: Value =
        server.post("/api/v1/shares", &share).send().await.expect("an answer").json().await.expect("JSON");
    let link = share["url"].as_str().expect("a link").rsplit('/').next().expect("a secret").to_owned();
    let shared = server.get(&format!("/api/v1/shared/{link}")).send().await.expect("an answer");
    let shared: Value = shared.json().await.expect("JSON");
    assert_eq!(shared["claims"].as_array().map(Vec::len), Some(1));
    assert_eq!(shared.get("claim_proposals"), None);
}

async fn bind_first(server: &Server) {
    let dashboard = server.dashboard().await;
    let proposal = &dashboard["claim_proposals"][0];
    let body = json!({"target": proposal["target"], "computation": proposal["computation"]});
    let made = server.post("/api/v1/incidents/INC-1/claims", &body).send().await.expect("an answer");
    assert_eq!(made.status(), StatusCode::CREATED);
}
