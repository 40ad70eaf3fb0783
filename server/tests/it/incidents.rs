//! `/incidents` over HTTP: each route's success and each of its errors.

use serde_json::{Value, json};

use crate::server::{Server, problem};

#[tokio::test]
async fn the_dashboard_states_what_the_document_states() {
    let (server, id) = Server::with_example().await;
    let incident = server.dashboard().await;
    assert_eq!(incident["id"], id.as_str());
    assert_eq!(incident["name"], "INC-1");
    assert_eq!(incident["title"], "Checkout recovered at 10:17 UTC after 31 minutes of elevated failures");
    assert_eq!(
        incident["summary"],
        "Checkout recovered at 10:17 UTC after 31 minutes of elevated failures; 18.6% of purchase attempts failed, \
         with no evidence of incorrect charges."
    );
    assert_eq!(incident["key_points"].as_array().map(Vec::len), Some(3));
    assert_eq!(incident["severity"], "sev2");
    assert_eq!(incident["status"], "resolved");
    assert_eq!(incident["started_at"], "2026-07-09T09:46:00Z");
    assert_eq!(incident["ended_at"], "2026-07-09T10:17:00Z");
    assert_eq!(incident["thresholds"], json!({"alert": 0.05, "recovered": 0.01}));
    let impact: Vec<_> = array(&incident["impact"])
        .iter()
        .map(|row| {
            json!([row["label"], row["result"], row["quantity"], row["confidence"], row["basis"], row["evidence"]])
        })
        .collect();
    assert_eq!(
        json!(impact),
        json!([
            ["Incident window", "09:46-10:17 UTC", null, "confirmed", "from deploy and alert logs", [4]],
            ["Failed attempts", "1,284", 1284, "confirmed", "from checkout events", [1]],
            ["Affected customers", "973", 973, "confirmed", "deduplicated by customer ID", [1]],
            ["Incorrect charges", "0 observed", 0, "observed", "payment ledger reconciled", [5]],
        ])
    );
    let timeline: Vec<_> = array(&incident["timeline"])
        .iter()
        .map(|row| json!([row["occurred_at"], row["event"], row["decision"], row["milestone"]]))
        .collect();
    assert_eq!(
        json!(timeline),
        json!([
            [
                "2026-07-09T09:46:00Z",
                "Provider latency crosses 4 seconds",
                "Alert fires after error rate exceeds 5%",
                "detected"
            ],
            ["2026-07-09T09:51:00Z", "On-call confirms retry amplification", "Incident declared SEV-2", "declared"],
            [
                "2026-07-09T10:02:00Z",
                "Recent application deploy ruled out",
                "Focus shifts to provider and retry path",
                null
            ],
            [
                "2026-07-09T10:11:00Z",
                "Synchronous retries disabled",
                "Error rate begins falling immediately",
                "mitigated"
            ],
            ["2026-07-09T10:17:00Z", "Checkout returns below 1% failures", "Incident moves to monitoring", "resolved"],
        ])
    );
    let actions: Vec<_> = array(&incident["actions"])
        .iter()
        .map(|row| {
            json!([
                row["owner"],
                row["change"],
                row["due"],
                row["verification"]["criterion"],
                row["status"],
                row["version"]
            ])
        })
        .collect();
    assert_eq!(
        json!(actions),
        json!([
            [
                "Payments",
                "Move retries to the background queue",
                "2026-07-14",
                "Load test holds p95 below 2s during injected timeouts",
                "open",
                1
            ],
            [
                "Platform",
                "Add provider-specific circuit breaker",
                "2026-07-16",
                "Breaker opens before worker utilization reaches 75%",
                "open",
                1
            ],
            [
                "Data",
                "Add failed-checkout recovery cohort",
                "2026-07-12",
                "Support can identify and contact affected customers",
                "open",
                1
            ],
            [
                "On-call",
                "Add retry-amplification runbook",
                "2026-07-11",
                "Game day completed by a non-author",
                "open",
                1
            ],
        ])
    );
    let minutes = |name: &str| incident["derived"][name]["seconds"].as_i64().map(|seconds| seconds / 60);
    assert_eq!(
        ["duration", "time_to_detect", "time_to_acknowledge", "time_to_mitigate", "time_to_resolve"].map(minutes),
        [Some(31), Some(0), Some(5), Some(25), Some(31)]
    );
    let numbers: Vec<_> =
        array(&incident["evidence"]).iter().map(|row| json!([row["number"], row["title"], row["kind"]])).collect();
    assert_eq!(
        json!(numbers),
        json!([
            [1, null, "events"],
            [2, null, "document"],
            [3, null, "document"],
            [4, null, "log"],
            [5, null, "ledger"]
        ])
    );
    let root_cause = incident["root_cause"].as_str().expect("a text");
    assert!(root_cause.ends_with("enabled globally without a saturation guard."), "{root_cause}");
    assert!(incident["html"]["root_cause"].as_str().expect("HTML").contains(r##"href="#evidence-2""##));
    assert!(incident["follow_up"].as_str().expect("a text").starts_with("Send a recovery email only to customers"));
}

#[tokio::test]
async fn the_signal_and_the_comparison_agree_with_the_truth() {
    let (server, _) = Server::with_example().await;
    let incident = server.dashboard().await;
    let signal = &incident["signals"][0];
    assert_eq!(signal["total"], json!({"numerator": signal["total"]["numerator"], "denominator": 20554}));
    let bins = array(&signal["bins"]);
    assert_eq!(bins.first().expect("a bin")["at"], "2026-07-09T09:16:00Z");
    assert_eq!(bins.last().expect("a bin")["at"], "2026-07-09T10:46:00Z");
    let inside =
        |bin: &&Value| ("2026-07-09T09:46:00Z".."2026-07-09T10:17:00Z").contains(&bin["at"].as_str().expect("a time"));
    let sum = |field: &str| bins.iter().filter(inside).map(|bin| bin[field].as_u64().expect("a count")).sum::<u64>();
    assert_eq!((sum("numerator"), sum("denominator")), (1284, 6903));
    let percent = |ratio: &Value| {
        let share = ratio["numerator"].as_f64().expect("a count") / ratio["denominator"].as_f64().expect("a count");
        (share * 1000.0).round() / 10.0
    };
    let comparison = &incident["comparison"];
    assert_eq!(percent(&comparison["before"]["ratio"]).to_string(), "21.7");
    assert_eq!(percent(&comparison["after"]["ratio"]).to_string(), "5.8");
    assert_eq!(comparison["recovery"]["after"]["seconds"], 360);
    assert_eq!(
        array(&incident["flags"]).iter().map(|change| change["state"].as_str()).collect::<Vec<_>>(),
        [Some("on"), Some("off")]
    );
    let whole: Value =
        server.get("/api/v1/incidents/INC-1/signals").send().await.expect("an answer").json().await.expect("JSON");
    assert!(array(&whole["items"][0]["bins"]).len() > bins.len());
    let flags: Value =
        server.get("/api/v1/incidents/INC-1/flags").send().await.expect("an answer").json().await.expect("JSON");
    assert_eq!(flags["items"], incident["flags"]);
}

#[tokio::test]
async fn an_incident_is_found_by_id_and_by_short_name_and_nothing_else() {
    let (server, id) = Server::with_example().await;
    for name in [id.as_str(), "INC-1", "inc-1"] {
        assert_eq!(
            server.get(&format!("/api/v1/incidents/{name}")).send().await.expect("an answer").status(),
            200,
            "{name}"
        );
    }
    for path in ["INC-2", "INC-", "nothing", "%00", "INC-1/none/x", "INC-99999999999999999999", "..%2f"] {
        let response = server.get(&format!("/api/v1/incidents/{path}")).send().await.expect("an answer");
        problem(response, 404, "not-found").await;
    }
    for path in ["signals", "flags", "export.md", "source"] {
        let response = server.get(&format!("/api/v1/incidents/INC-2/{path}")).send().await.expect("an answer");
        problem(response, 404, "not-found").await;
    }
}

#[tokio::test]
async fn an_answer_is_304_until_something_in_it_changes() {
    let (server, _) = Server::with_example().await;
    let incident = server.dashboard().await;
    let tag = format!("\"{}\"", incident["version"]);
    for path in [
        "/api/v1/incidents/INC-1",
        "/api/v1/incidents",
        "/api/v1/incidents/INC-1/signals",
        "/api/v1/incidents/INC-1/export.csv",
    ] {
        let first = server.get(path).send().await.expect("an answer");
        let etag = first.headers()["etag"].clone();
        if path.ends_with("INC-1") {
            assert_eq!(etag, tag.as_str());
        }
        let again = server.get(path).header("if-none-match", etag).send().await.expect("an answer");
        assert_eq!(again.status(), 304, "{path}");
        assert!(again.bytes().await.expect("a body").is_empty());
    }
    let action = incident["actions"][0]["id"].as_str().expect("an id");
    server.post(&format!("/api/v1/actions/{action}/notes"), &json!({"text": "x"})).send().await.expect("an answer");
    let changed = server.get("/api/v1/incidents/INC-1").header("if-none-match", tag).send().await.expect("an answer");
    assert_eq!(changed.status(), 200);
}

#[tokio::test]
async fn the_list_filters_pages_and_refuses_what_it_does_not_know() {
    let (server, _) = Server::with_example().await;
    let list = |query: &'static str| server.get(&format!("/api/v1/incidents{query}")).send();
    for (query, found) in [
        ("", 1),
        ("?q=CHECKOUT", 1),
        ("?q=inc-1", 1),
        ("?q=100%25", 0),
        ("?status=resolved&severity=sev2", 1),
        ("?status=monitoring", 0),
        ("?severity=sev1", 0),
        ("?limit=100000", 1),
        ("?limit=0", 1),
    ] {
        let body: Value = list(query).await.expect("an answer").json().await.expect("JSON");
        assert_eq!(array(&body["items"]).len(), found, "{query}: {body}");
        assert_eq!(body["next"], Value::Null);
    }
    let body: Value = list("").await.expect("an answer").json().await.expect("JSON");
    assert_eq!(body["items"][0]["actions"], json!({"total": 4, "open": 4, "verified": 0}));
    for query in ["?status=done", "?limit=x", "?limit=-1", "?color=red", "?cursor=garbage"] {
        problem(list(query).await.expect("an answer"), 400, "malformed-request").await;
    }
}

#[tokio::test]
async fn exports_are_files_and_the_source_is_the_very_document() {
    let (server, _) = Server::with_example().await;
    for (format, media) in
        [("md", "text/markdown; charset=utf-8"), ("json", "application/json"), ("csv", "text/csv; charset=utf-8")]
    {
        let response = server.get(&format!("/api/v1/incidents/INC-1/export.{format}")).send().await.expect("an answer");
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], media);
        assert_eq!(response.headers()["content-disposition"], format!("attachment; filename=\"inc-1.{format}\""));
        assert!(response.text().await.expect("a text").contains("Game day completed by a non-author"));
    }
    problem(server.get("/api/v1/incidents/INC-1/export.pdf").send().await.expect("an answer"), 404, "not-found").await;
    let source = server.get("/api/v1/incidents/INC-1/source").send().await.expect("an answer");
    assert_eq!(source.headers()["content-type"], "text/plain; charset=utf-8");
    let document = std::fs::read(crate::server::example("checkout-postmortem.txt")).expect("the document");
    assert_eq!(source.bytes().await.expect("bytes"), document);
}

fn array(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}
