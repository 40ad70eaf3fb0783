//! `/actions` without an id over HTTP: the list, its counts and its table, and several items changed at once.

use domain::person::Role;
use reqwest::Client;
use serde_json::{Value, json};

use crate::server::{Server, Signed, client, person, problem, token};

async fn get(client: &Client, server: &Server, path: &str) -> Value {
    let response = client.get(format!("{}{path}", server.base)).send().await.expect("an answer");
    assert_eq!(response.status(), 200, "{path}");
    response.json().await.expect("JSON")
}

async fn list(client: &Client, server: &Server, query: &str) -> Vec<Value> {
    let page = get(client, server, &format!("/api/v1/actions?{query}")).await;
    page["items"].as_array().expect("items").clone()
}

async fn bulk(client: &Client, server: &Server, body: &Value) -> Vec<Value> {
    let response = client.patch(format!("{}/api/v1/actions", server.base)).json(body).send().await.expect("an answer");
    assert_eq!(response.status(), 200, "{body}");
    response.json::<Value>().await.expect("JSON")["items"].as_array().expect("items").clone()
}

fn changes(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["change"].as_str().expect("a change")).collect()
}

/// Somebody with an account and a client of their own.
async fn somebody(server: &Server, name: &str, role: Role) -> (Signed, Client) {
    let signed = person(&server.store, name, role).await;
    let client = client(Some(&signed.token));
    (signed, client)
}

async fn restrict(server: &Server) {
    let body = json!({"visibility": "restricted", "people": [], "teams": []});
    let path = format!("{}/api/v1/incidents/INC-1/access", server.base);
    let set = server.client.put(path).header("if-match", "\"1\"").json(&body);
    assert_eq!(set.send().await.expect("an answer").status(), 200);
}

const QUEUE: &str = "Move retries to the background queue";

#[tokio::test]
async fn items_come_with_their_incident_by_due_date() {
    let (server, _) = Server::with_example().await;
    let items = list(&server.client, &server, "").await;
    assert_eq!(items.len(), 4);
    let dues: Vec<&str> = items.iter().map(|item| item["due"].as_str().expect("a date")).collect();
    assert!(dues.is_sorted(), "{dues:?}");
    let queue = items.iter().find(|item| item["change"] == QUEUE).expect("there");
    assert_eq!(queue["incident"]["name"], "INC-1");
    assert!(queue["incident"]["title"].as_str().is_some_and(|title| title.starts_with("Checkout recovered")));
    assert_eq!((&queue["incident"]["home_zone"], &queue["number"]), (&json!("UTC"), &json!(1)));
    assert_eq!((&queue["due_in"], &queue["mine"], &queue["note_count"]), (&json!("overdue"), &json!(false), &json!(0)));
    assert!(queue["days_late"].as_i64().is_some_and(|days| days > 0));
    let path = format!("/api/v1/actions/{}", queue["id"].as_str().expect("an id"));
    let note = server.post(&format!("{path}/notes"), &json!({"text": "begun"})).send().await.expect("an answer");
    assert_eq!(note.status(), 201);
    let items = list(&server.client, &server, "q=RETRIES+background").await;
    assert_eq!((changes(&items), &items[0]["note_count"]), (vec![QUEUE], &json!(1)));
}

#[tokio::test]
async fn pages_hold_each_item_once_while_others_are_changed() {
    let (server, _) = Server::with_example().await;
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = get(&server.client, &server, &format!("/api/v1/actions?sort=due&limit=1{cursor}")).await;
        let items = page["items"].as_array().expect("items");
        assert_eq!(items.len(), 1);
        seen.push(items[0]["id"].as_str().expect("an id").to_owned());
        // What has been read is changed, and must neither come again nor push another out.
        let path = format!("/api/v1/actions/{}", seen[seen.len() - 1]);
        let edited = server.patch(&path, 1, &json!({"owner": "Somebody else"})).send().await.expect("an answer");
        assert_eq!(edited.status(), 200);
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 4);
}

#[tokio::test]
async fn ones_own_items_come_first_and_can_be_asked_for_alone() {
    let (server, _) = Server::with_example().await;
    let (ada, as_ada) = somebody(&server, "Ada", Role::Member).await;
    let items = list(&server.client, &server, "sort=due").await;
    let last = items[3].clone();
    let path = format!("/api/v1/actions/{}", last["id"].as_str().expect("an id"));
    let edited = server.patch(&path, 1, &json!({"assignee": "Ada"})).send().await.expect("an answer");
    assert_eq!(edited.status(), 200);
    let team = json!({"name": last["owner"], "members": [ada.person.id]});
    assert_eq!(server.post("/api/v1/teams", &team).send().await.expect("an answer").status(), 201);
    let first = list(&as_ada, &server, "").await;
    assert_eq!((&first[0]["id"], &first[0]["mine"], first.len()), (&last["id"], &json!(true), 4));
    for query in ["mine=true", "assignee=me", "assignee=ada"] {
        let mine = list(&as_ada, &server, query).await;
        assert_eq!(mine.iter().map(|item| &item["id"]).collect::<Vec<_>>(), [&last["id"]], "{query}");
    }
    let counts = get(&as_ada, &server, "/api/v1/actions/counts").await;
    assert_eq!((&counts["total"], &counts["mine"], &counts["overdue"]), (&json!(4), &json!(1), &json!(4)));
    assert_eq!(counts["by_status"][0], json!({"status": "open", "count": 4}));
    // A service owns nothing.
    let service = client(Some(&token(&server.store, None, Role::Admin).await));
    assert!(list(&service, &server, "mine=true").await.is_empty());
    assert!(list(&service, &server, "assignee=me").await.is_empty());
}

#[tokio::test]
async fn a_parameter_that_cannot_be_read_is_named() {
    let (server, _) = Server::with_example().await;
    for (query, parameter) in [
        ("due=soon", "due"),
        ("status=open,done", "status"),
        ("sort=colour", "sort"),
        ("order=up", "order"),
        ("mine=yes", "mine"),
        ("colour=red", "colour"),
        ("limit=many", "limit"),
        ("cursor=zzz", "cursor"),
    ] {
        let refused = server.get(&format!("/api/v1/actions?{query}")).send().await.expect("an answer");
        let body = problem(refused, 400, "malformed-request").await;
        assert_eq!(body["errors"][0]["pointer"], parameter);
    }
    for path in ["/api/v1/actions/counts?due=soon", "/api/v1/actions.csv?limit=3", "/api/v1/actions/counts?cursor=x"] {
        problem(server.get(path).send().await.expect("an answer"), 400, "malformed-request").await;
    }
    for query in ["limit=100000", "limit=0", "q=&due=&status=", "incident=INC-99", "owner=nobody"] {
        list(&server.client, &server, query).await;
    }
    assert_eq!(list(&server.client, &server, "limit=0").await.len(), 1);
    assert!(list(&server.client, &server, "incident=INC-99").await.is_empty());
    for path in ["/api/v1/actions", "/api/v1/actions/counts", "/api/v1/actions.csv"] {
        let refused = client(None).get(format!("{}{path}", server.base)).send().await.expect("an answer");
        problem(refused, 401, "sign-in-required").await;
    }
}

#[tokio::test]
async fn a_restricted_incident_shows_in_no_list_count_search_or_table_but_for_an_owners_own_item() {
    let (server, _) = Server::with_example().await;
    let items = list(&server.client, &server, "").await;
    let path = format!("/api/v1/actions/{}", items[0]["id"].as_str().expect("an id"));
    let (_, as_ada) = somebody(&server, "Ada", Role::Viewer).await;
    let (_, as_bo) = somebody(&server, "Bo", Role::Editor).await;
    assert_eq!(server.patch(&path, 1, &json!({"assignee": "Ada"})).send().await.expect("an answer").status(), 200);
    restrict(&server).await;
    let service = client(Some(&token(&server.store, None, Role::Editor).await));
    for (client, sees) in [(&server.client, 4), (&as_ada, 1), (&as_bo, 0), (&service, 0)] {
        assert_eq!(list(client, &server, "").await.len(), sees);
        let counts = get(client, &server, "/api/v1/actions/counts").await;
        assert_eq!(counts["total"], sees);
        assert_eq!(counts["owners"].as_array().map(Vec::len), Some(sees));
        let table = client.get(format!("{}/api/v1/actions.csv", server.base)).send().await.expect("an answer");
        assert_eq!(table.text().await.expect("text").lines().count(), sees + 1);
        // The title is no way to find what one may not see.
        let found = list(client, &server, "q=Checkout+recovered").await.len();
        assert_eq!(found, if sees == 4 { 4 } else { 0 });
    }
    let alone = &list(&as_ada, &server, "").await[0];
    assert_eq!((&alone["incident"]["name"], &alone["incident"]["title"]), (&json!("INC-1"), &Value::Null));
    let tried = json!({"items": items.iter().map(|item| json!({"id": item["id"], "version": 2})).collect::<Vec<_>>(),
        "patch": {"status": "in_progress"}});
    let became = bulk(&as_ada, &server, &tried).await;
    let outcomes: Vec<&str> = became.iter().map(|item| item["outcome"].as_str().expect("a word")).collect();
    assert_eq!(outcomes, ["updated", "missing", "missing", "missing"]);
    assert!(became[1].get("current").is_none());
}

#[tokio::test]
async fn several_items_are_changed_at_once_each_under_its_own_version_and_permission() {
    let (server, _) = Server::with_example().await;
    let items = list(&server.client, &server, "sort=incident&order=asc").await;
    let id = |i: usize| items[i]["id"].as_str().expect("an id");
    let (_, as_ada) = somebody(&server, "Ada", Role::Member).await;
    let edit = |i: usize, version: i64, body: Value| {
        server.patch(&format!("/api/v1/actions/{}", id(i)), version, &body).send()
    };
    edit(0, 1, json!({"assignee": "Ada"})).await.expect("an answer");
    edit(1, 1, json!({"assignee": "Ada"})).await.expect("an answer");
    edit(2, 1, json!({"assignee": "Ada", "status": "wont_do", "reason": "no need"})).await.expect("an answer");
    let named =
        |version| (0..4).map(|i| json!({"id": id(i), "version": if i == 1 { 1 } else { version }})).collect::<Vec<_>>();
    let mut asked = named(2);
    asked.push(json!({"id": "act_none", "version": 1}));
    let became = bulk(&as_ada, &server, &json!({"items": asked, "patch": {"status": "in_progress"}})).await;
    let outcomes: Vec<&str> = became.iter().map(|item| item["outcome"].as_str().expect("a word")).collect();
    assert_eq!(outcomes, ["updated", "stale", "refused", "forbidden", "missing"]);
    assert_eq!((&became[0]["current"]["version"], &became[0]["current"]["status"]), (&json!(3), &json!("in_progress")));
    assert_eq!(became[1]["current"]["version"], 2);
    assert_eq!(became[2]["errors"][0]["pointer"], "/patch/status");
    assert!(became[1..].iter().all(|item| item["detail"].as_str().is_some_and(|why| !why.is_empty())), "{became:?}");
    let again =
        bulk(&as_ada, &server, &json!({"items": [{"id": id(0), "version": 3}], "patch": {"status": "in_progress"}}))
            .await;
    assert_eq!(again[0]["outcome"], "unchanged");
    // Opening a closed item again takes an editor, here as anywhere.
    let reopened = json!({"items": [{"id": id(2), "version": 2}], "patch": {"status": "open"}});
    assert_eq!(bulk(&as_ada, &server, &reopened).await[0]["outcome"], "forbidden");
    assert_eq!(bulk(&server.client, &server, &reopened).await[0]["outcome"], "updated");
    let read = list(&server.client, &server, "incident=INC-1&q=Ada").await;
    assert_eq!(read.len(), 3);
}

#[tokio::test]
async fn a_request_for_several_that_is_wrong_as_a_whole_changes_nothing() {
    let (server, _) = Server::with_example().await;
    let items = list(&server.client, &server, "").await;
    let one = json!({"id": items[0]["id"], "version": 1});
    let many: Vec<Value> = (0..201).map(|i| json!({"id": format!("act_{i}"), "version": 1})).collect();
    for (body, pointer) in [
        (json!({"items": [], "patch": {}}), "/items"),
        (json!({"items": many, "patch": {}}), "/items"),
        (json!({"items": [one, one], "patch": {}}), "/items/1/id"),
        (json!({"items": [{"id": items[0]["id"]}], "patch": {}}), "/items/0/version"),
        (json!({"items": [one], "patch": {"colour": "red"}}), "/patch/colour"),
        (json!({"items": [one], "patch": {"due": "tomorrow"}}), "/patch/due"),
        (json!({"patch": {}}), "/items"),
    ] {
        let request = server.client.patch(format!("{}/api/v1/actions", server.base)).json(&body);
        let refused = problem(request.send().await.expect("an answer"), 422, "invalid").await;
        assert_eq!(refused["errors"][0]["pointer"], pointer, "{refused}");
    }
    let text =
        server.client.patch(format!("{}/api/v1/actions", server.base)).body("x").send().await.expect("an answer");
    problem(text, 415, "unsupported-media-type").await;
    assert!(list(&server.client, &server, "").await.iter().all(|item| item["version"] == 1));
}

#[tokio::test]
async fn the_table_is_what_is_listed_in_its_order_and_no_formula() {
    let (server, _) = Server::with_example().await;
    let items = list(&server.client, &server, "sort=owner&order=desc").await;
    let path = format!("/api/v1/actions/{}", items[0]["id"].as_str().expect("an id"));
    let attack = json!({"change": "=HYPERLINK(\"x\")", "assignee": "@SUM(A1)"});
    assert_eq!(server.patch(&path, 1, &attack).send().await.expect("an answer").status(), 200);
    let response = server.get("/api/v1/actions.csv?sort=owner&order=desc").send().await.expect("an answer");
    assert_eq!(response.headers()["content-type"], "text/csv; charset=utf-8");
    assert_eq!(response.headers()["content-disposition"], "attachment; filename=\"actions.csv\"");
    let text = response.text().await.expect("text");
    let rows: Vec<&str> = text.lines().collect();
    assert!(rows[0].starts_with("incident,incident_title,item,change,owner,assignee,due,"));
    assert!(rows[1].contains("\"'=HYPERLINK(\"\"x\"\")\"") && rows[1].contains("'@SUM(A1)"), "{}", rows[1]);
    for (row, item) in rows[1..].iter().zip(&items).skip(1) {
        assert!(row.contains(item["change"].as_str().expect("a change")), "{row}");
    }
    assert_eq!(rows.len(), 5);
    let queue =
        server.get("/api/v1/actions.csv?q=background").send().await.expect("an answer").text().await.expect("text");
    assert_eq!((queue.lines().count(), queue.contains(QUEUE)), (2, true));
}
