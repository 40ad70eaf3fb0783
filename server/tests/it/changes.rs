//! Changes told as they happen: to whom, how soon, and after a gap.

use std::process::Command;
use std::time::Duration;

use chrono::TimeDelta;
use debrief_server::access::secret::{digest, new_secret};
use debrief_server::app::{App, serve};
use debrief_server::clock;
use debrief_server::store::{By, NewApiToken, Objects, Store};
use domain::IncidentId;
use domain::incident::Visibility;
use domain::person::Role;
use domain::wire::access::{IncidentAccess, TeamPatch, UserPatch};
use reqwest::header::HeaderMap;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::postgres::fresh_database;
use crate::server::{Server, client, example, person, problem};

const PATH: &str = "/api/v1/changes";

/// What "within a second" means here; the machine may be busy.
const SOON: Duration = Duration::from_secs(3);

/// Longer than it takes for a change to be told.
const A_WHILE: Duration = Duration::from_millis(900);

#[derive(Debug, Clone, PartialEq)]
struct Event {
    name: String,
    id: String,
    data: Value,
}

struct Stream {
    response: Response,
    read: String,
}

impl Stream {
    async fn open(client: &Client, base: &str, after: Option<&str>) -> Self {
        let request = client.get(format!("{base}{PATH}"));
        let request = after.into_iter().fold(request, |request, id| request.header("last-event-id", id));
        let response = request.send().await.expect("an answer");
        assert_eq!(response.status(), 200);
        Self { response, read: String::new() }
    }

    /// Opens it, up to where it is ready.
    async fn ready(client: &Client, base: &str) -> Self {
        let mut stream = Self::open(client, base, None).await;
        assert_eq!(stream.next().await.name, "ready");
        stream
    }

    /// The next event; none at the stream's end.
    async fn next_or_end(&mut self) -> Option<Event> {
        loop {
            if let Some((block, rest)) = self.read.split_once("\n\n") {
                let field = |name: &str| {
                    let line = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
                    line.unwrap_or_default().to_owned()
                };
                let event = Event {
                    name: field("event"),
                    id: field("id"),
                    data: serde_json::from_str(&field("data")).unwrap_or_default(),
                };
                let rest = rest.to_owned();
                self.read = rest;
                if !event.name.is_empty() {
                    return Some(event);
                }
                continue;
            }
            let chunk = self.response.chunk().await.ok().flatten()?;
            self.read.push_str(std::str::from_utf8(&chunk).expect("UTF-8"));
        }
    }

    async fn next(&mut self) -> Event {
        timeout(SOON, self.next_or_end()).await.expect("an event soon").expect("an event before the end")
    }

    /// The next change.
    async fn change(&mut self) -> Event {
        let event = self.next().await;
        assert_eq!(event.name, "change", "{event:?}");
        event
    }

    async fn is_silent(&mut self) {
        if let Ok(event) = timeout(A_WHILE, self.next_or_end()).await {
            panic!("nothing was to be told, but: {event:?}");
        }
    }

    async fn ends(&mut self) {
        assert_eq!(timeout(SOON, self.next_or_end()).await.expect("an end soon"), None);
    }
}

fn by() -> By<'static> {
    By { actor: "Ada", now: clock::now() }
}

async fn first_action(server: &Server) -> (String, i64) {
    let action = &server.dashboard().await["actions"][0];
    (action["id"].as_str().expect("an id").to_owned(), action["version"].as_i64().expect("a version"))
}

async fn note(server: &Server, action: &str, text: &str) {
    let answer = server.post(&format!("/api/v1/actions/{action}/notes"), &json!({"text": text})).send().await;
    assert_eq!(answer.expect("an answer").status(), 201);
}

fn restricted(people: Vec<domain::UserId>) -> IncidentAccess {
    IncidentAccess { visibility: Visibility::Restricted, people, teams: vec![] }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_told_at_once_with_the_versions_it_made_and_without_its_contents() {
    let server = Server::empty().await;
    let incident = server.import_document().await;
    let (action, version) = first_action(&server).await;
    let mut stream = Stream::ready(&server.client, &server.base).await;
    let headers = stream.response.headers();
    assert_eq!(headers["content-type"], "text/event-stream");
    assert_eq!(headers["cache-control"], "no-cache");
    assert_eq!(headers["x-accel-buffering"], "no");
    let patch = json!({"status": "blocked", "reason": "a secret reason"});
    let answer = server.patch(&format!("/api/v1/actions/{action}"), version, &patch).send().await.expect("an answer");
    assert_eq!(answer.status(), 200);
    let told = stream.change().await;
    let dashboard = server.dashboard().await;
    assert_eq!(
        told.data,
        json!({
            "seq": told.data["seq"], "incident_id": incident.as_str(), "incident_name": "INC-1",
            "incident_version": dashboard["version"], "subject": "action", "subject_id": action,
            "action_id": action, "action_version": version + 1, "actor": "local",
        })
    );
    note(&server, &action, "another secret").await;
    let told = stream.change().await;
    assert_eq!((&told.data["subject"], &told.data["action_id"]), (&json!("note"), &json!(action)));
    assert!(told.data["subject_id"].as_str().is_some_and(|id| id.starts_with("note_")), "{told:?}");
    stream.is_silent().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_is_neither_compressed_nor_open_to_nobody() {
    let server = Server::empty().await;
    let encoded = server.get(PATH).header("accept-encoding", "br, gzip").send().await.expect("an answer");
    assert_eq!((encoded.status().as_u16(), encoded.headers().get("content-encoding")), (200, None));
    let nobody = client(None).get(format!("{}{PATH}", server.base)).send().await.expect("an answer");
    problem(nobody, 401, "sign-in-required").await;
    for wrong in ["?after=x", "?after=5-9", "?before=1", "?recent=-1"] {
        let refused = server.get(&format!("{PATH}{wrong}")).send().await.expect("an answer");
        problem(refused, 400, "malformed-request").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_resumes_is_told_what_was_missed_once_and_in_order() {
    let server = Server::empty().await;
    server.import_document().await;
    let (action, _) = first_action(&server).await;
    let mut stream = Stream::ready(&server.client, &server.base).await;
    note(&server, &action, "first").await;
    let first = stream.change().await;
    drop(stream);
    note(&server, &action, "second").await;
    note(&server, &action, "third").await;
    let mut resumed = Stream::open(&server.client, &server.base, Some(&first.id)).await;
    let (second, third) = (resumed.change().await, resumed.change().await);
    let seqs = [&first, &second, &third].map(|event| event.data["seq"].as_i64().expect("a number"));
    assert!(seqs.is_sorted() && seqs[1] > seqs[0], "{seqs:?}");
    let ready = resumed.next().await;
    assert_eq!((ready.name.as_str(), &ready.id), ("ready", &third.id));
    note(&server, &action, "fourth").await;
    assert_eq!(resumed.change().await.data["subject"], "note");
    resumed.is_silent().await;

    let response = server.get(&format!("{PATH}?recent=60")).send().await.expect("an answer");
    let mut recent = Stream { response, read: String::new() };
    assert_eq!(recent.change().await.data["subject"], "incident", "the import was a moment ago");
    assert_eq!(recent.change().await.data["seq"], first.data["seq"]);

    let response = server.get(&format!("{PATH}?after={}", second.id)).send().await.expect("an answer");
    let mut by_query = Stream { response, read: String::new() };
    let again = by_query.change().await;
    assert_eq!((&again.id, &again.data["seq"]), (&third.id, &third.data["seq"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn after_too_long_a_gap_or_on_another_database_everything_is_read_again() {
    let server = Server::empty().await;
    server.import_document().await;
    let (action, _) = first_action(&server).await;
    let at = Stream::open(&server.client, &server.base, None).await.next().await.id;
    for number in 0..=500 {
        let added = server.store.add_note(&domain::ActionId::new(&action), &format!("{number}"), None, by()).await;
        added.expect("a note");
    }
    let mut late = Stream::open(&server.client, &server.base, Some(&at)).await;
    assert_eq!(late.next().await.name, "reset");
    let mut elsewhere = Stream::open(&server.client, &server.base, Some("987654")).await;
    let reset = elsewhere.next().await;
    assert_eq!(reset.name, "reset");
    note(&server, &action, "after that").await;
    assert_eq!(elsewhere.change().await.data["subject"], "note");
    // The id of a reset is one to resume with.
    let mut again = Stream::open(&server.client, &server.base, Some(&reset.id)).await;
    assert_eq!(again.change().await.data["subject"], "note");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restricted_incident_is_told_to_those_who_may_see_it() {
    let server = Server::empty().await;
    let incident = server.import_document().await;
    let (action, version) = first_action(&server).await;
    let [named, owner, other] = ["Named", "Owner", "Other"];
    let named = person(&server.store, named, Role::Viewer).await;
    let owner = person(&server.store, owner, Role::Viewer).await;
    let other = person(&server.store, other, Role::Editor).await;
    let assigned = json!({"assignee": "Owner"});
    let answer = server.patch(&format!("/api/v1/actions/{action}"), version, &assigned).send().await;
    assert_eq!(answer.expect("an answer").status(), 200);

    let clients = [&named, &owner, &other].map(|signed| client(Some(&signed.token)));
    let mut named_hears = Stream::ready(&clients[0], &server.base).await;
    let mut owner_hears = Stream::ready(&clients[1], &server.base).await;
    let mut other_hears = Stream::ready(&clients[2], &server.base).await;
    let mut admin_hears = Stream::ready(&server.client, &server.base).await;
    let access = restricted(vec![named.person.id.clone()]);
    server.store.set_incident_access(&incident, &access, by()).await.expect("restricted");
    assert_eq!(named_hears.change().await.data["subject"], "access");
    assert_eq!(admin_hears.change().await.data["subject"], "access");
    let mut reset_id = String::new();
    for hears in [&mut owner_hears, &mut other_hears] {
        let reset = hears.next().await;
        assert_eq!((reset.name.as_str(), reset.data), ("reset", json!({})), "they saw it until now");
        reset_id = reset.id;
    }

    note(&server, &action, "on the item").await;
    for hears in [&mut named_hears, &mut owner_hears, &mut admin_hears] {
        assert_eq!(hears.change().await.data["action_id"], json!(action));
    }
    let second = server.dashboard().await["actions"][1]["id"].as_str().expect("an id").to_owned();
    note(&server, &second, "on another item").await;
    server.store.set_incident_access(&incident, &access, by()).await.expect("the same again");
    for hears in [&mut named_hears, &mut admin_hears] {
        assert_eq!(hears.change().await.data["action_id"], json!(second));
        assert_eq!(hears.change().await.data["subject"], "access");
    }
    owner_hears.is_silent().await;
    other_hears.is_silent().await;
    // Nor does resuming tell more than that it can be seen no longer.
    let mut resumed = Stream::open(&clients[2], &server.base, Some(&reset_id)).await;
    assert_eq!(resumed.next().await.name, "ready");
    let mut resumed = Stream::open(&clients[2], &server.base, Some("0")).await;
    assert_eq!(resumed.next().await.name, "reset");
    assert_eq!(resumed.next().await.name, "ready");

    // Through a team, from the moment of joining it.
    let team = match server.store.create_team("On call", &[], by(), None).await.expect("a team") {
        debrief_server::store::Changed::Done(team) => team,
        refused => panic!("{refused:?}"),
    };
    let by_team = IncidentAccess { teams: vec![team.id.clone()], ..restricted(vec![]) };
    server.store.set_incident_access(&incident, &by_team, by()).await.expect("by team");
    assert_eq!(named_hears.next().await.name, "reset", "named no longer");
    let members = TeamPatch { name: None, members: Some(vec![other.person.id.clone()]) };
    server.store.update_team(&team.id, team.version, &members, by()).await.expect("a member");
    note(&server, &second, "for the team").await;
    assert_eq!(other_hears.change().await.data["action_id"], json!(second));
    named_hears.is_silent().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_command_changes_is_told_too() {
    let server = Server::empty().await;
    let incident = server.import_document().await;
    let mut stream = Stream::ready(&server.client, &server.base).await;
    let run = Command::new(env!("CARGO_BIN_EXE_debrief"))
        .args(["import", "flags", incident.as_str()])
        .arg(example("flag-changes.json"))
        .env("DEBRIEF_DATA", server.folder())
        .output()
        .expect("the program runs");
    assert!(run.status.success(), "{run:?}");
    let told = stream.change().await.data;
    assert_eq!((&told["subject"], &told["incident_name"]), (&json!("flags"), &json!("INC-1")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_or_token_that_ends_ends_its_stream() {
    let server = Server::empty().await;
    let base = &server.base;
    let ada = person(&server.store, "Ada", Role::Member).await;
    let bo = person(&server.store, "Bo", Role::Member).await;
    let session = |secret: String| {
        let mut headers = HeaderMap::new();
        headers.insert("cookie", format!("debrief_session={secret}").parse().expect("a header"));
        Client::builder().default_headers(headers).build().expect("a client")
    };
    let begin = async || {
        let (secret, until) = (new_secret("dbs_"), clock::now() + TimeDelta::days(1));
        let id = server.store.begin_session(&digest(&secret), &ada.person.id, "a browser", by(), until).await;
        (id.expect("a session"), session(secret))
    };
    let ((first, first_client), (second, second_client)) = (begin().await, begin().await);
    let mut streams = [
        Stream::ready(&first_client, base).await,
        Stream::ready(&second_client, base).await,
        Stream::ready(&client(Some(&ada.token)), base).await,
        Stream::ready(&client(Some(&bo.token)), base).await,
    ];
    server.store.end_session(&first, None, by()).await.expect("ended");
    streams[0].ends().await;
    server.store.end_other_sessions(&ada.person.id, &first, by()).await.expect("ended");
    streams[1].ends().await;
    assert!(server.store.list_sessions(Some(&ada.person.id), clock::now()).await.expect("read").is_empty(), "{second}");
    let token = server.store.list_tokens(Some(&ada.person.id)).await.expect("tokens").remove(0);
    server.store.end_token(&token.id, None, by()).await.expect("ended");
    streams[2].ends().await;
    streams[3].is_silent().await;
    let off = UserPatch { disabled: Some(true), ..UserPatch::default() };
    server.store.update_user(&bo.person.id, 1, &off, by()).await.expect("switched off");
    streams[3].ends().await;

    let secret = new_secret("dbt_");
    let expires_at = Some(clock::now() + TimeDelta::seconds(1));
    let digest = digest(&secret);
    let new =
        NewApiToken { digest: &digest, name: "short", user: None, role: Role::Viewer, support: false, expires_at };
    server.store.create_token(&new, by(), None).await.expect("a token");
    Stream::ready(&client(Some(&secret)), base).await.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn open_streams_do_not_keep_the_server_from_stopping() {
    let place =
        Replica::at(&format!("sqlite:{}", tempfile::tempdir().expect("a folder").keep().join("d.db").display())).await;
    let admin = person(&place.store, "Ada", Role::Admin).await;
    let mut streams = Vec::new();
    for _ in 0..20 {
        streams.push(Stream::ready(&client(Some(&admin.token)), &place.base).await);
    }
    place.stop.send(()).expect("it runs");
    timeout(SOON, place.done).await.expect("it stops at once").expect("it ends well").expect("it served");
    for mut stream in streams {
        stream.ends().await;
    }
}

/// One of several servers on one database.
struct Replica {
    base: String,
    store: Store,
    stop: oneshot::Sender<()>,
    done: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Replica {
    async fn at(url: &str) -> Self {
        let store = Store::open(url).await.expect("a database");
        let objects = Objects::open(tempfile::tempdir().expect("a folder").path()).expect("an object store");
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let (stop, stopped) = oneshot::channel::<()>();
        let app = App::new(store.clone(), objects, &base, None);
        let done = tokio::spawn(serve(listener, app, async move {
            let _ = stopped.await;
        }));
        Self { base, store, stop, done }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_tell_each_others_changes_and_none_is_lost_that_ends_late() {
    let url = fresh_database().await;
    let (here, there) = (Replica::at(&url).await, Replica::at(&url).await);
    let admin = person(&here.store, "Ada", Role::Admin).await;
    let client = client(Some(&admin.token));
    let now = clock::now();
    let pool = sqlx::PgPool::connect(&url).await.expect("opens");
    sqlx::query(
        "INSERT INTO incidents (id, number, version, title, summary, key_points, status, review_state, home_zone,
            services, tags, root_cause, follow_up, created_at, updated_at, search_text)
        VALUES ('inc_1', 1, 1, 't', '', '[]', 'resolved', 'draft', 'UTC', '[]', '[]', '', '', 0, 0, '')",
    )
    .execute(&pool)
    .await
    .expect("an incident");
    let append =
        "INSERT INTO changes (incident_id, subject, subject_id, at, actor) VALUES ('inc_1', 'signal', $1, 0, 'x')";
    let mut here_hears = Stream::ready(&client, &here.base).await;
    let mut there_hears = Stream::ready(&client, &there.base).await;

    let mut slow = pool.begin().await.expect("a transaction");
    sqlx::query(append).bind("slow").execute(&mut *slow).await.expect("written");
    let access = restricted(vec![]);
    here.store
        .set_incident_access(&IncidentId::new("inc_1"), &access, By { actor: "Ada", now })
        .await
        .expect("changed");
    let fast = here_hears.change().await;
    assert_eq!((&fast.data["subject"], fast.id.as_str()), (&json!("access"), "2-1"));
    assert_eq!(there_hears.change().await, fast);
    drop(there_hears);
    here_hears.is_silent().await;
    slow.commit().await.expect("committed");
    let late = here_hears.change().await;
    assert_eq!((&late.data["subject_id"], late.id.as_str()), (&json!("slow"), "2"));
    here_hears.is_silent().await;
    // Whoever left in between is told it as well, and nothing twice; on either replica.
    for base in [&here.base, &there.base] {
        let mut resumed = Stream::open(&client, base, Some(&fast.id)).await;
        let mut told = vec![resumed.next().await, resumed.next().await];
        told.sort_by(|a, b| a.name.cmp(&b.name));
        assert_eq!(told[0].data["subject_id"], "slow", "{told:?}");
        assert_eq!(told[1].name, "ready");
        resumed.is_silent().await;
    }
}
