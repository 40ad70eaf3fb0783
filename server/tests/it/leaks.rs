//! A restricted incident, and how little of it is to be seen from anywhere.

use domain::action::Action;
use serde_json::Value;

use crate::server::Server;
use crate::world::{Seen, WHO, World, attested, document};

/// Stands in every text of the hidden incident, and nowhere else.
const WORD: &str = "quagga";

/// Who may not see it. The owner may see one item, and is asked about elsewhere.
const STRANGERS: [usize; 8] = [0, 1, 2, 3, 4, 7, 8, 9];

async fn hidden() -> World {
    let text = document().replace("Checkout", "Quagga").replace("checkout", WORD).replace("retr", WORD);
    let world = World::on(Server::empty().await, &text).await;
    world.change(|item| Action { change: format!("Feed the {WORD}"), ..item }).await;
    world.set(Seen::Restricted).await;
    world
}

/// Everything that a GET can ask for, with these in place of what stands in braces.
async fn addresses(server: &Server, incident: &str, action: &str, share: &str, link: &str) -> Vec<String> {
    let document: Value = server.get("/openapi.json").send().await.expect("an answer").json().await.expect("JSON");
    let mut addresses = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        // The stream of changes ends only with its reader; who hears what is tested where it is.
        if methods.get("get").is_none() || path == "/api/v1/changes" {
            continue;
        }
        let id = if path.contains("/actions/{id}") {
            action
        } else if path.contains("/shares/") {
            share
        } else {
            incident
        };
        let path = path.replace("{id}", id).replace("{link}", link).replace("{number}", "1");
        if path.contains("{file}") {
            addresses.extend(["md", "json", "csv"].map(|format| path.replace("{file}", &format!("export.{format}"))));
        } else {
            assert!(!path.contains('{'), "say what stands for the braces in {path}");
            addresses.push(path);
        }
    }
    addresses
}

/// What is answered: everything that somebody could read.
async fn answer(world: &World, who: usize, path: &str, tag: Option<&str>) -> (u16, String) {
    let mut request = world.request(who, "GET", path).await;
    if let Some(tag) = tag {
        request = request.header("if-none-match", tag);
    }
    let response = request.send().await.expect("an answer");
    let status = response.status().as_u16();
    let headers: Vec<String> = response
        .headers()
        .iter()
        .filter(|(name, _)| !["date", "content-length", "set-cookie", "location"].contains(&name.as_str()))
        .map(|(name, value)| format!("{name}: {value:?}\n"))
        .collect();
    (status, headers.concat() + &response.text().await.expect("a body"))
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_are_answered_as_if_it_were_not_there() {
    let world = hidden().await;
    let server = &world.server;
    world.set(Seen::Open).await;
    let (link, share) = world.share().await;
    let share = share.expect("an open incident is shared");
    world.set(Seen::Restricted).await;
    let named = addresses(server, "INC-1", world.item.as_str(), &share, &link).await;
    let by_id = addresses(server, world.incident.as_str(), world.item.as_str(), &share, &link).await;
    // The same addresses of things that never were: only what one asked with may differ.
    let absent = addresses(server, "INC-9", "act_never", "shr_never", "dbv_never").await;
    assert!(named.len() == by_id.len() && named.len() == absent.len() && named.len() > 20, "{}", named.len());
    for who in STRANGERS {
        for (asked, never) in named.iter().zip(&absent).chain(by_id.iter().zip(&absent)) {
            let told = answer(&world, who, asked, None).await;
            let text = told.1.to_lowercase();
            for secret in [WORD, "inc-1", world.incident.as_str(), world.item.as_str()] {
                assert!(!text.contains(secret), "{asked} tells {} of {secret}: {}", WHO[who], told.1);
            }
            // A session is one's own, and each request here has another.
            if !asked.contains("/session") && !asked.contains("/tokens") {
                assert_eq!(told, answer(&world, who, never, None).await, "{asked} for {}", WHO[who]);
            }
        }
        for asked in [
            format!("/api/v1/incidents?q={WORD}"),
            "/api/v1/incidents?q=INC-1".to_owned(),
            "/api/v1/incidents?status=resolved".to_owned(),
            "/api/v1/incidents?limit=1".to_owned(),
        ] {
            let (status, told) = answer(&world, who, &asked, None).await;
            if status == 200 {
                assert!(told.ends_with(r#"{"items":[],"next":null}"#), "{asked} for {}: {told}", WHO[who]);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_has_seen_before_is_no_way_back_in() {
    let world = hidden().await;
    world.set(Seen::People).await;
    let viewer = 2;
    let path = format!("/api/v1/incidents/{}", world.incident);
    let seen = world.request(viewer, "GET", &path).await.send().await.expect("an answer");
    let tag = seen.headers()["etag"].to_str().expect("text").to_owned();
    assert_eq!(answer(&world, viewer, &path, Some(&tag)).await.0, 304);
    world.set(Seen::Restricted).await;
    // The version counted on, so every tag that could be known is tried.
    for tag in [&tag, "*", "\"1\"", "\"2\"", "\"3\"", "\"4\"", "\"5\"", "\"6\""] {
        assert_eq!(answer(&world, viewer, &path, Some(tag)).await.0, 404, "{tag}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_owner_sees_the_item_and_nothing_beside_it() {
    let world = hidden().await;
    let owner = 6;
    let asked = addresses(&world.server, "INC-1", world.item.as_str(), "shr_never", "dbv_never").await;
    let stored = world.server.store.load_incident(&world.incident).await.expect("an answer").expect("the incident");
    for path in &asked {
        let (_, told) = answer(&world, owner, path, None).await;
        // Their own item has the word in its own text.
        let is_theirs = path.starts_with("/api/v1/actions");
        assert!(is_theirs || !told.to_lowercase().contains(WORD), "{path}: {told}");
        assert!(!told.contains(&stored.title), "{path} tells the incident: {told}");
    }
    let (status, told) = answer(&world, owner, &format!("/api/v1/actions/{}", world.item), None).await;
    assert_eq!(status, 200);
    assert!(!told.contains(&stored.title), "the incident is not told with its item");
    for other in &stored.actions[1..] {
        let path = format!("/api/v1/actions/{}", other.id);
        assert_eq!(answer(&world, owner, &path, None).await.0, 404);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_removed_and_who_said_what_leaves_with_no_share_and_no_export() {
    let world = World::new().await;
    let evidence = format!("/api/v1/incidents/{}/evidence", world.incident);
    let new = serde_json::json!({"title": "Secret source", "kind": "link", "link": "https://evil.example/"});
    let added = world.request(5, "POST", &evidence).await.json(&new).send().await.expect("an answer");
    let number = added.json::<Value>().await.expect("JSON")["number"].clone();
    let removal = world.request(5, "DELETE", &format!("{evidence}/{number}")).await.header("if-match", "\"1\"");
    assert_eq!(removal.send().await.expect("an answer").status(), 200);
    world.await_proof(attested()).await;
    let statement = serde_json::json!({"attested": {"statement": "I watched the drill"}});
    let path = format!("/api/v1/actions/{}/verifications", world.item);
    let proved = world.request(3, "POST", &path).await.json(&statement).send().await.expect("an answer");
    assert_eq!(proved.status(), 201);

    let (link, _) = world.share().await;
    let (status, told) = answer(&world, 0, &format!("/api/v1/shared/{link}"), None).await;
    assert!(status == 200 && told.contains("removed_at") && told.contains("verified"), "{told}");
    for kept in ["Secret source", "evil.example", "watched the drill", "Mel"] {
        assert!(!told.contains(kept), "{kept} is not for whoever has the link");
    }
    let exports = ["md", "json", "csv"].map(|format| format!("/api/v1/incidents/{}/export.{format}", world.incident));
    for path in exports.into_iter().chain([format!("/api/v1/incidents/{}", world.incident)]) {
        let (status, told) = answer(&world, 2, &path, None).await;
        assert!(status == 200 && !told.contains("Secret source") && !told.contains("evil.example"), "{path}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_share_shows_one_incident_without_notes_or_names_of_accounts() {
    let world = World::new().await;
    let note = serde_json::json!({"text": "spoke to somebody about it"});
    let path = format!("/api/v1/actions/{}/notes", world.item);
    let added = world.request(5, "POST", &path).await.json(&note).send().await.expect("an answer");
    assert_eq!(added.status(), 201);
    let (link, _) = world.share().await;
    let (status, told) = answer(&world, 0, &format!("/api/v1/shared/{link}"), None).await;
    assert_eq!(status, 200);
    for kept in ["spoke to somebody", "usr_", "Adi"] {
        assert!(!told.contains(kept), "{kept} is not for whoever has the link");
    }
    // The link's secret is no way to anything else.
    let path = format!("/api/v1/incidents/{}", world.incident);
    let with_link = world.request(0, "GET", &path).await.bearer_auth(&link).send().await.expect("an answer");
    assert_eq!(with_link.status(), 401);
}

/// Texts of the shape of a customer's id in the worked example.
fn customers_in(text: &str) -> Vec<&str> {
    let is_id = |id: &str| id.len() == 8 && id[2..].bytes().all(|byte| byte.is_ascii_digit());
    text.match_indices("c-").filter_map(|(at, _)| text.get(at..at + 8)).filter(|id| is_id(id)).collect()
}

/// What the server logs, for whoever reads its log.
#[derive(Clone, Default)]
struct Log(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("nobody panicked").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn customers_are_named_in_the_answers_about_them_and_nowhere_else() {
    let log = Log::default();
    let writer = log.clone();
    let logging =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone()).finish();
    // With one dispatcher alone, whatever is logged first on another test's thread would be switched off for all.
    let _second = tracing::Dispatch::new(tracing::subscriber::NoSubscriber::default());
    let logging = tracing::Dispatch::new(logging);
    // What is computed runs on threads of its own; each of them logs to the same place as long as it lives.
    let on_each = logging.clone();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .on_thread_start(move || std::mem::forget(tracing::dispatcher::set_default(&on_each)))
        .build()
        .expect("a runtime");
    let _logging = tracing::dispatcher::set_default(&logging);
    runtime.block_on(async {
        tokio::task::spawn_blocking(|| tracing::info!("from a thread that computes")).await.expect("it ran");
        names_customers_only_where_they_are_asked_for().await;
    });
    let logged = String::from_utf8_lossy(&log.0.lock().expect("nobody panicked")).into_owned();
    for seen in ["cohort/customers", "from a thread that computes"] {
        assert!(logged.contains(seen), "the log is caught: {}", logged.len());
    }
    let named = customers_in(&logged);
    let lines: Vec<_> = logged.lines().filter(|line| !customers_in(line).is_empty()).take(3).collect();
    assert!(named.is_empty(), "the log names customers: {lines:?}");
}

async fn names_customers_only_where_they_are_asked_for() {
    let world = World::new().await;
    world.events().await;
    world.claim().await;
    let admin = 5;
    let customers = answer(&world, admin, "/api/v1/incidents/INC-1/cohort/customers?standing=cohort", None).await.1;
    let known = customers_in(&customers)[0];
    assert!(customers.contains("cache-control: \"no-store\"") && !customers.contains("etag"), "{customers}");
    // Whatever can be done with a customer, and whatever can be refused.
    let recovered = answer(&world, admin, "/api/v1/incidents/INC-1/cohort/customers?standing=recovered", None).await.1;
    let other = customers_in(&recovered)[0];
    for (path, body) in [
        ("cohort/contacted", serde_json::json!({"customers": [known]})),
        ("cohort/contacted", serde_json::json!({"customers": [known, other, "c-000000"]})),
        ("cohort/contacted", serde_json::json!({"customers": known})),
        ("cohort/message/check", serde_json::json!({"text": "Sorry.", "recipients": [known, other, "c-000000"]})),
        ("cohort/message/check", serde_json::json!({"text": "Sorry.", "recipients": {known: 1}})),
    ] {
        let request = world.request(admin, "POST", &format!("/api/v1/incidents/INC-1/{path}")).await;
        let told = request.json(&body).send().await.expect("an answer").text().await.expect("a body");
        assert_eq!(customers_in(&told), [""; 0], "{path}: {told}");
    }
    // Everything that can be read, by somebody who may read all of it, and under a share link.
    let (link, share) = world.share().await;
    let share = share.expect("an open incident is shared");
    for path in addresses(&world.server, "INC-1", world.item.as_str(), &share, &link).await {
        let (_, told) = answer(&world, admin, &path, None).await;
        let about_them = path.ends_with("/cohort/customers") || path.ends_with("/cohort.csv");
        assert_eq!(!customers_in(&told).is_empty(), about_them, "{path}");
        assert!(!about_them || told.contains("cache-control: \"no-store\""), "{path} may be kept by a cache");
    }
}
