//! Flags and deploys over HTTP, what was imported, and taking it back.

use debrief_server::clock;
use domain::person::Role;
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

use crate::server::{Server, client, example, on_both_databases, person, problem};

const DEPLOYS: &str = "deployed_at,app,tag,env,note\n\
    2026-07-09T11:40:00+02:00,checkout,1.4.1,production,x\n\
    2026-07-09T09:44:30Z,cart,812,,\n\
    2026-07-09T09:40:00Z,checkout,1.4.1,production,twice\n\
    soon,checkout,1.4.2,,\n";

async fn send(server: &Server, by: &Client, kind: &str, query: &str, body: impl Into<String>) -> reqwest::Response {
    let address = format!("{}/api/v1/incidents/INC-1/imports/{kind}?{query}", server.base);
    by.post(address).body(body.into()).send().await.expect("an answer")
}

async fn report(response: reqwest::Response, status: StatusCode) -> Value {
    let (found, body) = (response.status(), response.text().await.expect("a body"));
    assert_eq!(found, status, "{body}");
    serde_json::from_str(&body).expect("JSON")
}

async fn remove(server: &Server, import: &Value) -> reqwest::Response {
    let path = format!("{}/api/v1/incidents/INC-1/imports/{}", server.base, import["id"].as_str().expect("an id"));
    server.client.delete(path).send().await.expect("an answer")
}

/// How many files are kept.
fn kept(server: &Server) -> usize {
    let folder = std::fs::read_dir(server.folder().join("objects")).expect("a folder");
    let folders = folder.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir());
    folders.map(|path| std::fs::read_dir(path).expect("a folder").count()).sum()
}

/// Each deploy as `time service version environment`.
fn told(dashboard: &Value) -> Vec<String> {
    let deploys = dashboard["deploys"].as_array().expect("a list");
    deploys
        .iter()
        .map(|deploy| {
            let text = |name: &str| deploy[name].as_str().unwrap_or("-");
            format!("{} {} {} {}", text("at"), text("service"), text("version"), text("environment"))
        })
        .collect()
}

on_both_databases! {
    async fn deploys_are_looked_at_imported_once_and_told_in_order_of_time(server: Server) {
        server.import_document().await;
        let before = server.dashboard().await;
        let query = "name=deploys.csv&preview=true";
        let look = report(send(&server, &server.client, "deploys", query, DEPLOYS).await, StatusCode::OK).await;
        assert_eq!((&look["read"], &look["added"], &look["repeated"]), (&json!(4), &json!(2), &json!(1)));
        assert_eq!(look["first"][0], json!({"at": "2026-07-09T09:40:00Z", "what": "checkout 1.4.1 (production)"}));
        assert_eq!(look["refused"]["rows"][0]["place"], 5);
        assert_eq!((server.dashboard().await, kept(&server)), (before, 1), "a preview stores nothing");

        let query = "name=deploys.csv";
        let done = report(send(&server, &server.client, "deploys", query, DEPLOYS).await, StatusCode::CREATED).await;
        assert_eq!((&done["added"], done.get("first")), (&json!(2), None));
        let dashboard = server.dashboard().await;
        let expected = ["2026-07-09T09:40:00Z checkout 1.4.1 production", "2026-07-09T09:44:30Z cart 812 -"];
        assert_eq!(told(&dashboard), expected);
        assert_eq!(dashboard["imports"][0]["file_name"], "deploys.csv");
        assert_eq!(dashboard["imports"][0]["kind"], "deploys");
        let again = report(send(&server, &server.client, "deploys", query, DEPLOYS).await, StatusCode::OK).await;
        assert_eq!((&again["already_imported"], &again["added"]), (&json!(true), &json!(2)));
        // The same deploys in another file are known ones.
        let other = json!({"deploys": [
            {"time": "2026-07-09T09:44:30Z", "service": "cart", "version": 812},
            {"time": "2026-07-09T09:44:30Z", "service": "cart", "version": 813}]});
        let other = report(send(&server, &server.client, "deploys", "", other.to_string()).await, StatusCode::CREATED).await;
        assert_eq!((&other["added"], &other["repeated"], &other["file_name"]), (&json!(1), &json!(1), &json!("deploys")));
        assert_eq!(told(&server.dashboard().await).len(), 3);
    }

    async fn times_without_a_zone_are_asked_for_and_one_file_is_read_in_one_way(server: Server) {
        server.import_document().await;
        let text = "at,version\n2026-07-09 11:40,1\n";
        let refused = send(&server, &server.client, "deploys", "service=checkout", text).await;
        let refused = problem(refused, 422, "invalid").await;
        assert!(refused["detail"].as_str().expect("words").contains("name no zone"), "{refused}");
        let query = "service=checkout&zone=Europe%2FBerlin";
        report(send(&server, &server.client, "deploys", query, text).await, StatusCode::CREATED).await;
        assert_eq!(told(&server.dashboard().await), ["2026-07-09T09:40:00Z checkout 1 -"]);
        let other = send(&server, &server.client, "deploys", "service=checkout&zone=UTC", text).await;
        let other = problem(other, 422, "invalid").await;
        assert!(other["detail"].as_str().expect("words").contains("remove that import first"), "{other}");
        let unknown = send(&server, &server.client, "deploys", "service=checkout&zone=Nowhere", text).await;
        problem(unknown, 422, "invalid").await;
    }

    async fn flags_come_over_http_as_on_the_command_line(server: Server) {
        server.import_document().await;
        let neutral = std::fs::read_to_string(example("flag-changes.json")).expect("the example");
        let look = report(send(&server, &server.client, "flags", "preview=true", neutral.clone()).await, StatusCode::OK).await;
        assert_eq!((&look["added"], look["first"].as_array().expect("a list").len()), (&json!(2), 2));
        let done = report(send(&server, &server.client, "flags", "name=f.json", neutral.clone()).await, StatusCode::CREATED).await;
        assert_eq!((&done["added"], &done["place"]), (&json!(2), &json!("element")));
        let again = report(send(&server, &server.client, "flags", "", neutral).await, StatusCode::OK).await;
        assert_eq!((&again["already_imported"], &again["file_name"]), (&json!(true), &json!("f.json")));
        let unleash = json!({"events": [
            {"type": "feature-environment-disabled", "createdAt": "2026-07-09T10:12:00Z", "featureName": "x",
                "environment": "staging", "createdBy": "mia"},
            {"type": "feature-created", "createdAt": "2026-07-09T10:12:00Z"}]});
        let done = report(send(&server, &server.client, "flags", "", unleash.to_string()).await, StatusCode::CREATED).await;
        assert_eq!((&done["added"], &done["passed_over"]["feature-created"]), (&json!(1), &json!(1)));
        let csv = "flag,state,changed_at,environment\nx,on,2026-07-09T10:20:00Z,staging\nx,on,2026-07-09 10:21,\n";
        let done = report(send(&server, &server.client, "flags", "", csv).await, StatusCode::CREATED).await;
        assert_eq!((&done["added"], &done["refused"]["rows"][0]["place"]), (&json!(1), &json!(3)));
        assert_eq!(server.dashboard().await["flags"].as_array().expect("a list").len(), 4);
        problem(send(&server, &server.client, "flags", "", "{").await, 422, "invalid").await;
        let viewer = person(&server.store, "Vi", Role::Viewer).await;
        problem(send(&server, &client(Some(&viewer.token)), "flags", "preview=true", "{").await, 403, "forbidden").await;
    }

    async fn an_import_that_is_taken_back_takes_with_it_what_no_other_file_says(server: Server) {
        server.import_document().await;
        report(send(&server, &server.client, "deploys", "name=a.csv", DEPLOYS).await, StatusCode::CREATED).await;
        let other = "at,service,version\n2026-07-09T09:44:30Z,cart,812\n2026-07-09T10:30:00Z,cart,813\n";
        report(send(&server, &server.client, "deploys", "name=b.csv", other).await, StatusCode::CREATED).await;
        let before = server.dashboard().await;
        let (a, b) = (&before["imports"][0], &before["imports"][1]);
        assert_eq!(kept(&server), 3);
        let removed = report(remove(&server, a).await, StatusCode::OK).await;
        assert_eq!((&removed["forgotten"], &removed["file"]["file_name"]), (&json!(1), &json!("a.csv")));
        let after = server.dashboard().await;
        assert_eq!(told(&after), ["2026-07-09T09:44:30Z cart 812 -", "2026-07-09T10:30:00Z cart 813 -"]);
        assert_eq!(after["deploys"][0]["id"], before["deploys"][1]["id"], "what stays keeps its id");
        assert!(after["version"].as_i64() > before["version"].as_i64());
        problem(remove(&server, a).await, 404, "not-found").await;
        report(remove(&server, b).await, StatusCode::OK).await;
        assert_eq!((told(&server.dashboard().await).len(), &server.dashboard().await["imports"]), (0, &json!([])));
        let history: Value =
            server.get("/api/v1/incidents/INC-1/history").send().await.expect("an answer").json().await.expect("JSON");
        assert_eq!((&history["items"][0]["kind"], &history["items"][0]["subject"]), (&json!("removed"), &json!("deploys")));
        assert!(history["items"][0]["fields"].to_string().contains("b.csv"), "{history}");

        // The bytes go an hour later, unless the same file has come again.
        report(send(&server, &server.client, "deploys", "name=b.csv", other).await, StatusCode::CREATED).await;
        assert_eq!(server.store.sweep_objects(&server.objects, clock::now()).await.expect("swept"), 0);
        let later = clock::now() + chrono::TimeDelta::minutes(61);
        assert_eq!((server.store.sweep_objects(&server.objects, later).await.expect("swept"), kept(&server)), (1, 2));
        assert_eq!(server.store.sweep_objects(&server.objects, later).await.expect("swept"), 0);
        let source = server.get("/api/v1/incidents/INC-1/source").send().await.expect("an answer");
        assert_eq!(source.status(), StatusCode::OK);
    }

    async fn flags_that_are_taken_back_leave_those_of_other_files(server: Server) {
        server.import_document().await;
        let one = "flag,state,changed_at\na,on,2026-07-09T09:00:00Z\na,off,2026-07-09T10:00:00Z\n";
        let two = "flag,state,changed_at\na,off,2026-07-09T10:00:00Z\nb,off,2026-07-09T10:00:00Z\n";
        for file in [one, two] {
            report(send(&server, &server.client, "flags", "", file).await, StatusCode::CREATED).await;
        }
        let removed = report(remove(&server, &server.dashboard().await["imports"][0]).await, StatusCode::OK).await;
        assert_eq!(removed["forgotten"], 1);
        let flags = server.dashboard().await["flags"].clone();
        let names: Vec<_> = flags.as_array().expect("a list").iter().map(|flag| (&flag["flag"], &flag["state"])).collect();
        assert_eq!(names, [(&json!("a"), &json!("off")), (&json!("b"), &json!("off"))]);
    }

    async fn attempts_that_are_taken_back_leave_those_of_other_files_and_all_figures_follow(server: Server) {
        server.import_document().await;
        let whole = std::fs::read_to_string(example("checkout-events.csv")).expect("the example");
        report(send(&server, &server.client, "events", "name=whole.csv", whole.clone()).await, StatusCode::CREATED).await;
        let total = json!({"numerator": 1284, "denominator": 6903});
        let claim = json!({"target": {"field": "summary", "figure": "18.6%"}, "computation": {"measure": "failed_share"}});
        let claim = server.post("/api/v1/incidents/INC-1/claims", &claim).send().await.expect("an answer");
        assert_eq!(claim.status(), StatusCode::CREATED);
        let verdict = |dashboard: &Value| dashboard["claims"][0]["check"]["verdict"].clone();
        let first = server.dashboard().await;
        assert_eq!((verdict(&first), &first["imports"][0]["kind"]), (json!("agrees"), &json!("events")), "{total}");
        let few = "ts,attempt_id,customer_id,outcome\n2026-07-09T09:50:00Z,n-1,c-1,failed\n2026-07-09T09:51:00Z,n-2,c-2,failed\n";
        report(send(&server, &server.client, "events", "name=few.csv", few).await, StatusCode::CREATED).await;
        let both = server.dashboard().await;
        let removed = report(remove(&server, &both["imports"][0]).await, StatusCode::OK).await;
        assert_eq!(removed["forgotten"], 20554);
        let rest = server.dashboard().await;
        assert_eq!(rest["signals"][0]["total"], json!({"numerator": 2, "denominator": 2}));
        assert_eq!((verdict(&rest), rest["signals"][0]["sources"].as_array().expect("a list").len()), (json!("differs"), 1));
        let removed = report(remove(&server, &rest["imports"][0]).await, StatusCode::OK).await;
        assert_eq!(removed["forgotten"], 2);
        let none = server.dashboard().await;
        assert_eq!((&none["signals"], verdict(&none)), (&json!([]), json!("not_computed")), "{}", none["claims"]);
        report(send(&server, &server.client, "events", "name=whole.csv", whole).await, StatusCode::CREATED).await;
        let again = server.dashboard().await;
        assert_eq!((&again["signals"][0]["total"], verdict(&again)), (&first["signals"][0]["total"], json!("agrees")));
        assert_eq!(server.store.sweep_bins(clock::now() + chrono::TimeDelta::days(2)).await.expect("swept"), 0);
    }

    async fn the_document_itself_stays_and_so_do_imports_of_other_incidents(server: Server) {
        let id = server.import_document().await;
        let source = server.store.source_text(&id).await.expect("read").expect("there");
        let refused = remove(&server, &json!({"id": source.id})).await;
        problem(refused, 422, "invalid").await;
        report(send(&server, &server.client, "deploys", "", DEPLOYS).await, StatusCode::CREATED).await;
        let import = server.dashboard().await["imports"][0].clone();
        server.import_text("# Another\n\n## Root cause\n\nIt was.\n").await;
        let path = format!("{}/api/v1/incidents/INC-2/imports/{}", server.base, import["id"].as_str().expect("an id"));
        problem(server.client.delete(path).send().await.expect("an answer"), 404, "not-found").await;
        let viewer = person(&server.store, "Vi", Role::Viewer).await;
        let path = format!("{}/api/v1/incidents/INC-1/imports/{}", server.base, import["id"].as_str().expect("an id"));
        problem(client(Some(&viewer.token)).delete(path).send().await.expect("an answer"), 403, "forbidden").await;
    }

    async fn a_saved_mapping_is_removed(server: Server) {
        server.import_document().await;
        let text = "when,attempt_id,customer_id,outcome\n2026-07-09T09:50:00Z,n-1,c-1,failed\n";
        let mapping = domain::wire::paths::segment(r#"{"time":"when"}"#);
        let query = format!("mapping={mapping}&save_as=The%20shop%2Fa");
        report(send(&server, &server.client, "events", &query, text).await, StatusCode::CREATED).await;
        let path = format!("{}/api/v1/imports/mappings/The%20shop%2Fa", server.base);
        assert_eq!(server.client.delete(&path).send().await.expect("an answer").status(), StatusCode::NO_CONTENT);
        problem(server.client.delete(&path).send().await.expect("an answer"), 404, "not-found").await;
        let left: Value = server.get("/api/v1/imports/mappings").send().await.expect("an answer").json().await.expect("JSON");
        assert_eq!((&left["items"], server.dashboard().await["imports"].as_array().expect("a list").len()), (&json!([]), 1));
    }
}
