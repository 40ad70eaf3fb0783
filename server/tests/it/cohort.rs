//! The cohort over the API: the example's truth, what new events do to it, who may see customers, and the message.

use debrief_server::clock;
use debrief_server::import::events::import_events;
use debrief_server::store::{By, NewApiToken};
use domain::IncidentId;
use domain::person::Role;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::server::{Server, client, example, on_both_databases, person, problem};

const COHORT: &str = "/api/v1/incidents/INC-1/cohort";

async fn json(server: &Server, path: &str) -> Value {
    let answer = server.get(path).send().await.expect("an answer");
    assert_eq!(answer.status(), StatusCode::OK, "{path}");
    answer.json().await.expect("JSON")
}

/// Imports rows of time of day, attempt, customer and outcome; a time from 24:00 on is of the next day.
async fn events(server: &Server, id: &IncidentId, name: &str, rows: &[(&str, &str, &str, &str)]) {
    let row = |(time, attempt, customer, outcome): &(&str, &str, &str, &str)| {
        let (hour, rest) = time.split_at(2);
        let hour: u32 = hour.parse().expect("an hour");
        format!("2026-07-{:02}T{:02}{rest}Z,{attempt},{customer},{outcome}\n", 9 + hour / 24, hour % 24)
    };
    let csv = format!("ts,attempt_id,customer_id,outcome\n{}", rows.iter().map(row).collect::<String>());
    let file = server.folder().join(name);
    std::fs::write(&file, csv).expect("written");
    import_events(&server.store, &server.objects, id, &file, &|_| {}, clock::now()).await.expect("the events import");
}

/// Every customer, page after page, as id, standing, and what the latest change did.
async fn customers(server: &Server, query: &str) -> Vec<Value> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = json(server, &format!("{COHORT}/customers?{query}{cursor}")).await;
        all.extend(page["items"].as_array().expect("items").clone());
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
}

fn told(customers: &[Value]) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("–").to_owned();
    customers
        .iter()
        .map(|one| {
            let contacted = if one["contacted_at"].is_null() { "" } else { " contacted" };
            format!("{} {} {}{contacted}", text(&one["customer"]), text(&one["standing"]), text(&one["moved"]))
        })
        .collect()
}

on_both_databases! {
    async fn the_examples_truth_is_found_to_the_number(server: Server) {
        let id = server.import_document().await;
        let none = json(&server, COHORT).await;
        assert_eq!(none, json!({"unavailable": "no events have been imported"}));
        let file = example("checkout-events.csv");
        import_events(&server.store, &server.objects, &id, &file, &|_| {}, clock::now()).await.expect("imported");
        let truth: Value =
            serde_json::from_slice(&std::fs::read(example("checkout-events.truth.json")).expect("readable")).expect("JSON");
        let found = json(&server, COHORT).await;
        for number in ["affected_customers", "recovered_inside_window", "bought_within_24h", "cohort"] {
            assert_eq!(found[number], truth[number], "{number}");
        }
        assert_eq!(found["provisional_until"], Value::Null, "{found}");
        assert_eq!((&found["contacted"], &found["joined"], &found["left"]), (&json!(0), &json!(0), &json!(0)));
        let all = customers(&server, "limit=200").await;
        assert_eq!(all.len(), 973);
        for (standing, count, reason) in [
            ("recovered", 233, "recovered on retry at 2026-07-09 "),
            ("bought", 232, "bought at 2026-07-"),
            ("cohort", 508, "the last attempt failed at 2026-07-09 "),
        ] {
            let of: Vec<Value> = all.iter().filter(|one| one["standing"] == standing).cloned().collect();
            assert_eq!(of, customers(&server, &format!("standing={standing}")).await, "the filter is the same");
            assert_eq!(of.len(), count, "{standing}");
            assert!(of.iter().all(|one| one["reason"].as_str().is_some_and(|told| told.starts_with(reason))), "{standing}");
        }
        let csv = server.get("/api/v1/incidents/INC-1/cohort.csv").send().await.expect("an answer");
        assert_eq!((csv.status(), &csv.headers()["cache-control"]), (StatusCode::OK, &"no-store".parse().expect("a value")));
        assert_eq!(csv.headers().get("etag"), None);
        assert_eq!(csv.headers()["content-disposition"], "attachment; filename=\"cohort.csv\"");
        assert_eq!(csv.text().await.expect("text").lines().count(), 1 + 508);
        let history = json(&server, "/api/v1/incidents/INC-1/history").await;
        let latest = &history["items"][0];
        assert_eq!((&latest["subject"], &latest["actor"]), (&json!("cohort_export"), &json!("local")));
        assert_eq!(latest["fields"][0]["after"], "508");
    }

    async fn a_cohort_is_computed_anew_with_new_events_and_whoever_was_written_to_stays_so(server: Server) {
        let id = server.import_document().await;
        events(&server, &id, "first.csv", &[
            ("10:00:00", "a1", "c1", "failed"),
            ("10:01:00", "a2", "c2", "failed"),
            ("10:02:00", "a3", "c3", "failed"),
            ("10:03:00", "a4", "c3", "completed"),
            ("36:00:00", "a9", "c9", "completed"),
        ]).await;
        assert_eq!(told(&customers(&server, "").await), ["c1 cohort –", "c2 cohort –", "c3 recovered –"]);
        // Not one of them is marked while one of those named is not in the cohort.
        let wrong = json!({"customers": ["c1", "c3", "c-nobody"]});
        let refused = server.post(&format!("{COHORT}/contacted"), &wrong).send().await.expect("an answer");
        let refused = problem(refused, 422, "invalid").await;
        let pointers: Vec<_> = refused["errors"].as_array().expect("errors").iter().map(|e| &e["pointer"]).collect();
        assert_eq!(pointers, ["/customers/1", "/customers/2"]);
        assert!(!refused.to_string().contains("c-nobody"), "{refused}");
        for (body, report) in [
            (json!({"customers": ["c1"]}), json!({"marked": 1, "already": 0})),
            (json!({"customers": ["c1", "c2"]}), json!({"marked": 1, "already": 1})),
            (json!({"all": true}), json!({"marked": 0, "already": 2})),
        ] {
            let marked = server.post(&format!("{COHORT}/contacted"), &body).send().await.expect("an answer");
            assert_eq!(marked.json::<Value>().await.expect("JSON"), report, "{body}");
        }
        for body in [json!({}), json!({"customers": ["c1"], "all": true})] {
            let refused = server.post(&format!("{COHORT}/contacted"), &body).send().await.expect("an answer");
            problem(refused, 422, "invalid").await;
        }
        // It turns out that c2 bought in time, that c3 failed again, and that there is a c4.
        events(&server, &id, "second.csv", &[
            ("33:30:00", "b1", "c2", "completed"),
            ("10:05:00", "b2", "c3", "failed"),
            ("10:06:00", "b3", "c4", "failed"),
        ]).await;
        let found = json(&server, COHORT).await;
        let numbers = ["affected_customers", "cohort", "contacted", "contacted_outside", "joined", "left"];
        assert_eq!(numbers.map(|number| found[number].as_u64()), [4, 3, 1, 1, 2, 1].map(Some), "{found}");
        let moved =
            ["c1 cohort – contacted", "c2 bought left contacted", "c3 cohort joined", "c4 cohort joined"];
        assert_eq!(told(&customers(&server, "").await), moved);
        let history = json(&server, "/api/v1/incidents/INC-1/history").await;
        let entry = history["items"].as_array().expect("items").iter().find(|entry| entry["subject"] == "cohort");
        let fields = entry.expect("that it changed is told")["fields"].as_array().expect("fields").clone();
        let field = |name: &str| fields.iter().find(|field| field["field"] == name).cloned().unwrap_or_default();
        assert_eq!((&field("cohort")["before"], &field("cohort")["after"]), (&json!("2"), &json!("3")));
        assert_eq!((&field("joined")["after"], &field("left")["after"]), (&json!("2"), &json!("1")));
        // A file that moves nobody leaves the marks of the change before.
        events(&server, &id, "third.csv", &[("09:50:00", "d1", "c8", "completed")]).await;
        assert_eq!(told(&customers(&server, "").await), moved);
    }

    async fn a_cohort_is_provisional_while_the_log_ends_too_early(server: Server) {
        let id = server.import_document().await;
        events(&server, &id, "early.csv", &[("10:00:00", "a1", "c1", "failed"), ("12:00:00", "a2", "c9", "completed")]).await;
        let found = json(&server, COHORT).await;
        assert_eq!(found["provisional_until"], "2026-07-10T10:00:00Z");
        assert_eq!(found["log_ends_at"], "2026-07-09T12:00:00Z");
        events(&server, &id, "later.csv", &[("34:00:00", "a3", "c9", "completed")]).await;
        assert_eq!(json(&server, COHORT).await["provisional_until"], Value::Null);
    }

    async fn a_message_is_kept_by_version_and_checked(server: Server) {
        let id = server.import_document().await;
        events(&server, &id, "first.csv", &[
            ("10:00:00", "a1", "c1", "failed"),
            ("10:01:00", "a2", "c2", "failed"),
            ("10:02:00", "a3", "c3", "failed"),
            ("10:03:00", "a4", "c3", "completed"),
            ("10:04:00", "a5", "c4", "failed"),
            ("11:04:00", "a6", "c4", "completed"),
        ]).await;
        let path = format!("{COHORT}/message");
        let first = json(&server, &path).await;
        assert_eq!((&first["version"], &first["objections"]), (&json!(0), &json!([])), "the proposal is sound");
        let put = |version: i64, text: &str| {
            let request = server.client.put(format!("{}{path}", server.base)).json(&json!({"text": text}));
            request.header("if-match", format!("\"{version}\"")).send()
        };
        let saved = put(0, "You were charged twice.").await.expect("an answer");
        let saved: Value = saved.json().await.expect("JSON");
        assert_eq!((&saved["version"], &saved["objections"][0]["words"]), (&json!(1), &json!("charged")));
        assert_eq!(json(&server, &path).await, saved);
        let stale = problem(put(0, "Sorry.").await.expect("an answer"), 412, "stale-version").await;
        assert_eq!(stale["current_message"], saved);
        assert_eq!(put(1, "Sorry.").await.expect("an answer").status(), StatusCode::OK);
        problem(put(2, " ").await.expect("an answer"), 422, "invalid").await;
        server.post(&format!("{COHORT}/contacted"), &json!({"customers": ["c2"]})).send().await.expect("an answer");
        let check = json!({"text": "To everyone who tried: sorry.", "recipients": ["c1", "c2", "c3", "c4", "c-nobody"]});
        let report = server.post(&format!("{path}/check"), &check).send().await.expect("an answer");
        let report: Value = report.json().await.expect("JSON");
        let objections: Vec<_> = report["objections"]
            .as_array()
            .expect("objections")
            .iter()
            .map(|one| (one["kind"].as_str().expect("a kind"), one["reason"].as_str().expect("a reason")))
            .collect();
        assert_eq!(objections.len(), 5, "{objections:?}");
        assert!(objections[0].0 == "speaks_to_others" && objections[0].1.contains("everyone who"));
        for ((kind, reason), expected) in objections[1..].iter().zip([
            ("reaches_others", "recipient 4 of the list): bought within 24 hours"),
            ("reaches_others", "recipient 5 of the list): had no failed attempt inside the window"),
            ("reaches_others", "recipient 3 of the list): recovered on retry"),
            ("written_before", "recipient 2 of the list): was written to before"),
        ]) {
            assert!(*kind == expected.0 && reason.contains(expected.1), "{kind}: {reason}");
        }
        let sound = json!({"text": "Sorry.", "recipients": ["c1"]});
        let sound = server.post(&format!("{path}/check"), &sound).send().await.expect("an answer");
        assert_eq!(sound.json::<Value>().await.expect("JSON"), json!({"objections": []}));
    }
}

#[tokio::test]
async fn support_sees_customers_and_an_editor_does_not() {
    let server = Server::empty().await;
    let id = server.import_document().await;
    events(&server, &id, "first.csv", &[("10:00:00", "a1", "=HYPERLINK(1)", "failed")]).await;
    let editor = client(Some(&person(&server.store, "Edo", Role::Editor).await.token));
    let secret = debrief_server::access::secret::new_secret("dbt_");
    let digest = debrief_server::access::secret::digest(&secret);
    let token =
        NewApiToken { digest: &digest, name: "desk", user: None, role: Role::Viewer, support: true, expires_at: None };
    server.store.create_token(&token, By { actor: "test", now: clock::now() }, None).await.expect("a token");
    let support = client(Some(&secret));
    for path in [format!("{COHORT}/customers"), "/api/v1/incidents/INC-1/cohort.csv".to_owned()] {
        let address = format!("{}{path}", server.base);
        let refused = editor.get(&address).send().await.expect("an answer");
        assert!(!problem(refused, 403, "forbidden").await.to_string().contains("HYPERLINK"));
        let seen = support.get(&address).send().await.expect("an answer");
        assert_eq!(
            (seen.status(), &seen.headers()["cache-control"]),
            (StatusCode::OK, &"no-store".parse().expect("a value"))
        );
        let text = seen.text().await.expect("text");
        assert!(text.contains(if path.ends_with("csv") { "'=HYPERLINK(1)" } else { "\"=HYPERLINK(1)" }), "{text}");
    }
    let numbers = editor.get(format!("{}{COHORT}", server.base)).send().await.expect("an answer");
    assert_eq!(numbers.json::<Value>().await.expect("JSON")["cohort"], 1, "the numbers are for every reader");
}
