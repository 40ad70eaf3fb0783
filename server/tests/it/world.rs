//! One of everybody, and an incident that each of them asks about.

use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::TimeDelta;
use debrief_server::access::secret::{digest, new_secret};
use debrief_server::clock;
use debrief_server::import::Mode;
use debrief_server::import::deploys::{Reading, import_deploys};
use debrief_server::import::events::import_events;
use debrief_server::import::file::{About, add_file};
use debrief_server::import::listed::Given;
use debrief_server::import::signals::import_csv;
use debrief_server::store::{AddedEvidence, By, Changed, Store, StoredClaim};
use domain::action::{Action, ActionStatus};
use domain::claim::{Computation, Target};
use domain::evidence::EvidenceKind;
use domain::import::ImportKind;
use domain::incident::Visibility;
use domain::person::{Person, Role};
use domain::quantity::Unit;
use domain::signal::Stretch;
use domain::verification::{Attested, Attester, Comparator, Measured, Verification, VerificationKind};
use domain::wire::access::IncidentAccess;
use domain::wire::signals::ValueMapping;
use domain::{ActionId, IncidentId, SignalId, TeamId, UserId};
use reqwest::{Client, Method, RequestBuilder};

use crate::postgres::fresh_database;
use crate::server::{Server, example, person, token};

/// Who may see the incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Everybody.
    Open,
    /// Nobody but administrators.
    Restricted,
    /// The viewer, the member and the editor, each named.
    People,
    /// The same, as a team.
    Team,
}

/// Whose the item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owned {
    /// The owner's, who is in charge of it.
    InPerson,
    /// The owner's team's.
    ByTeam,
}

/// The columns of every table: who asks.
pub const WHO: [&str; 11] = [
    "nobody",
    "a share",
    "a viewer",
    "a member",
    "an editor",
    "an administrator",
    "the owner",
    "a service that views",
    "a service that is a member",
    "a service that edits",
    "a service that administrates",
];

/// A server with everybody and one incident.
pub struct World {
    pub server: Server,
    pub incident: IncidentId,
    pub item: ActionId,
    viewer: Person,
    member: Person,
    editor: Person,
    admin: Person,
    /// A viewer whose the item is.
    owner: Person,
    /// Somebody whom all of this concerns, and who never asks.
    pub other: Person,
    named_team: TeamId,
    client: Client,
    counted: AtomicUsize,
}

/// Who does what a test does.
pub fn by_test<'a>() -> By<'a> {
    By { actor: "test", now: clock::now() }
}

impl World {
    /// Everybody on this server, and an incident made of this text.
    pub async fn on(server: Server, text: &str) -> Self {
        let incident = server.import_text(text).await;
        let store = &server.store;
        let viewer = person(store, "Vera", Role::Viewer).await.person;
        let member = person(store, "Mel", Role::Member).await.person;
        let editor = person(store, "Edo", Role::Editor).await.person;
        let admin = person(store, "Adi", Role::Admin).await.person;
        let owner = person(store, "Owen", Role::Viewer).await.person;
        let other = person(store, "Otto", Role::Member).await.person;
        let members: Vec<UserId> = [&viewer, &member, &editor].map(|person| person.id.clone()).into();
        let named_team = team(store, "Named", &members).await;
        team(store, "Owners", std::slice::from_ref(&owner.id)).await;
        let stored = store.load_incident(&incident).await.expect("the store answers").expect("the incident");
        let item = stored.actions[0].id.clone();
        let client = Client::builder().redirect(reqwest::redirect::Policy::none()).build().expect("a client");
        let world = Self {
            server,
            incident,
            item,
            viewer,
            member,
            editor,
            admin,
            owner,
            other,
            named_team,
            client,
            counted: AtomicUsize::new(0),
        };
        world.give(Owned::InPerson).await;
        world
    }

    /// The same on a server of its own, of the worked example's document.
    pub async fn new() -> Self {
        Self::on(Server::empty().await, &document()).await
    }

    /// The same on PostgreSQL.
    pub async fn on_postgres() -> Self {
        Self::on(Server::on(Some(fresh_database().await)).await, &document()).await
    }

    /// Says who may see the incident.
    pub async fn set(&self, seen: Seen) {
        restrict(&self.server.store, &self.incident, &self.access(seen)).await;
    }

    /// What says so.
    pub fn access(&self, seen: Seen) -> IncidentAccess {
        let people = match seen {
            Seen::People => [&self.viewer, &self.member, &self.editor].map(|person| person.id.clone()).into(),
            _ => Vec::new(),
        };
        let teams = if seen == Seen::Team { vec![self.named_team.clone()] } else { Vec::new() };
        let visibility = if seen == Seen::Open { Visibility::Open } else { Visibility::Restricted };
        IncidentAccess { version: 0, visibility, people, teams }
    }

    /// Gives the item to the owner.
    pub async fn give(&self, owned: Owned) {
        let person = &self.owner;
        self.change(move |item| Action {
            owner: "Owners".to_owned(),
            assignee: (owned == Owned::InPerson).then(|| person.name.clone()),
            assignee_id: (owned == Owned::InPerson).then(|| person.id.clone()),
            ..item
        })
        .await;
    }

    /// Changes the item, whatever the rules say.
    pub async fn change(&self, change: impl FnOnce(Action) -> Action + Send) {
        let version = self.version().await;
        let apply = |item: &Action| Ok(change(item.clone()));
        self.server.store.update_action(&self.item, version, by_test(), apply).await.expect("the item changes");
    }

    /// The item's version.
    pub async fn version(&self) -> i64 {
        self.server.store.load_action(&self.item).await.expect("the store answers").expect("the item").version
    }

    /// Makes the item wait for its proof.
    pub async fn await_proof(&self, kind: VerificationKind) {
        self.change(|item| Action {
            status: ActionStatus::ToVerify,
            verification: Verification { criterion: "it holds".to_owned(), kind: Some(kind) },
            ..item
        })
        .await;
    }

    /// A number that was not given before.
    pub fn count(&self) -> usize {
        self.counted.fetch_add(1, Ordering::Relaxed)
    }

    /// The account of one of [`WHO`].
    pub fn person(&self, who: usize) -> Option<&Person> {
        [&self.viewer, &self.member, &self.editor, &self.admin, &self.owner].get(who.checked_sub(2)?).copied()
    }

    /// A request of one of [`WHO`], under a session or token of its own.
    pub async fn request(&self, who: usize, method: &str, path: &str) -> RequestBuilder {
        let store = &self.server.store;
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let request = self.client.request(method, format!("{}{path}", self.server.base));
        match (who, self.person(who)) {
            (_, Some(person)) => {
                request.header("cookie", format!("debrief_session={}", session(store, &person.id).await))
            }
            (0, None) => request,
            (1, None) => request.bearer_auth(self.share().await.0),
            (who, None) => request.bearer_auth(token(store, None, Role::ALL[who - 7]).await),
        }
    }

    /// A share link of the incident: its secret and its id. Of another incident where this one is restricted.
    pub async fn share(&self) -> (String, Option<String>) {
        let secret = new_secret("dbv_");
        let until = clock::now() + TimeDelta::days(1);
        let made = self
            .server
            .store
            .create_share(&digest(&secret), &self.incident, "a customer", until, by_test(), None)
            .await;
        (secret, made.expect("the store answers").map(|share| share.id.to_string()))
    }

    /// The worked example's events; bringing them in again changes nothing.
    pub async fn events(&self) {
        let Server { store, objects, .. } = &self.server;
        let file = example("checkout-events.csv");
        import_events(store, objects, &self.incident, &file, &|_| {}, clock::now()).await.expect("the events import");
    }

    /// A plain value of the incident, of a file of its own.
    pub async fn value(&self) -> SignalId {
        let Server { store, objects, .. } = &self.server;
        let file = std::io::Cursor::new(format!("time,load\n2026-07-09T09:46:00Z,{}\n", self.count()));
        let mapping = ValueMapping::default();
        import_csv(store, objects, &self.incident, file, ("load.csv", &mapping), by_test()).await.expect("it imports");
        let values = store.values(&self.incident, Stretch::default()).await.expect("the store answers");
        values.last().expect("it is there").id.clone()
    }

    /// A claim of the incident, on a figure in its prose.
    pub async fn claim(&self) -> StoredClaim {
        let store = &self.server.store;
        let target = Target { measure: None, field: Some("summary".into()), figure: Some("18.6%".into()) };
        let computation = Computation::of(domain::claim::Measured::FailedShare);
        store
            .create_claim(&self.incident, &target, &computation, "18.6%", by_test(), None)
            .await
            .expect("the store answers");
        store.list_claims(&self.incident).await.expect("the store answers").pop().expect("it is bound")
    }

    /// Deploys that were just imported: the import's id.
    pub async fn deploys(&self) -> String {
        let Server { store, objects, .. } = &self.server;
        let file = format!(r#"[{{"at":"2026-07-09T09:40:00Z","service":"cart","version":{}}}]"#, self.count());
        let given = Given { bytes: file.as_bytes(), name: "deploys.json", by: by_test(), mode: Mode::Import };
        import_deploys(store, objects, &self.incident, given, &Reading::default()).await.expect("the deploys import");
        let files = store.list_imported_files(&self.incident).await.expect("read");
        let deploys = files.into_iter().rfind(|file| file.kind == ImportKind::Deploys);
        deploys.expect("it is there").id.to_string()
    }

    /// A new source of the incident that is a file.
    pub async fn file(&self) -> u32 {
        let Server { store, objects, .. } = &self.server;
        let text = format!("line {}\n", self.count()).into();
        let added = add_file(store, objects, &self.incident, text, &About::default(), by_test()).await;
        added.expect("it is added").evidence.number
    }

    /// A new source of the incident.
    pub async fn evidence(&self) -> u32 {
        let new = AddedEvidence { title: Some("Query"), kind: EvidenceKind::Metric, link: None, captured_at: None };
        let added = self.server.store.add_evidence(&self.incident, &new, by_test(), None).await;
        added.expect("the store answers").expect("it is added").number
    }
}

/// The worked example's document.
pub fn document() -> String {
    std::fs::read_to_string(example("checkout-postmortem.txt")).expect("the document")
}

/// A criterion that somebody attests.
pub fn attested() -> VerificationKind {
    VerificationKind::Attested(Attested { by: Attester::NotOwner, excludes: None })
}

/// A criterion that a value keeps.
pub fn measured() -> VerificationKind {
    VerificationKind::Measured(Measured {
        metric: "p95".to_owned(),
        comparator: Comparator::Below,
        threshold: 2.into(),
        unit: Unit::Seconds,
    })
}

/// Begins a session; answers its secret.
pub async fn session(store: &Store, user: &UserId) -> String {
    let secret = new_secret("dbs_");
    let until = clock::now() + TimeDelta::days(1);
    let begun = store.begin_session(&digest(&secret), (user, None), "a test", by_test(), until).await;
    begun.expect("the store answers").expect("a session");
    secret
}

/// Says who may see an incident, whatever was said before.
pub async fn restrict(store: &Store, incident: &IncidentId, access: &IncidentAccess) {
    let version = store.incident_access(incident).await.expect("the store answers").version;
    let set = store.set_incident_access(incident, version, access, by_test()).await.expect("the store answers");
    assert!(matches!(set, Changed::Done(_)), "{set:?}");
}

/// Makes a team.
pub async fn team(store: &Store, name: &str, members: &[UserId]) -> TeamId {
    let Changed::Done(team) = store.create_team(name, members, by_test(), None).await.expect("a team") else {
        panic!("there is a team {name} already");
    };
    team.id
}
