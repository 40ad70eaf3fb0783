//! A real server on a free port, with a data folder of its own, and a client that speaks to it.

use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use debrief_server::access::secret::{digest, new_secret};
use debrief_server::app::{App, Settings, serve};
use debrief_server::clock;
use debrief_server::import::events::import_events;
use debrief_server::import::flags::import_flags;
use debrief_server::import::import_postmortem;
use debrief_server::import::postmortem::Options;
use debrief_server::store::{By, Changed, Created, NewAccount, NewApiToken, Objects, Store};
use domain::IncidentId;
use domain::person::{Person, Role};
use reqwest::header::HeaderMap;
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::Value;
use tokio::sync::oneshot;

/// Declares each test of a server for both databases.
macro_rules! on_both_databases {
    ($(async fn $name:ident($server:ident: Server) $body:block)+) => {
        $(async fn $name($server: $crate::server::Server) $body)+
        mod sqlite { $(#[tokio::test] async fn $name() {
            super::$name($crate::server::Server::on(None).await).await;
        })+ }
        mod postgres { $(#[tokio::test] async fn $name() {
            let database = $crate::postgres::fresh_database().await;
            super::$name($crate::server::Server::on(Some(database)).await).await;
        })+ }
    };
}
pub(crate) use on_both_databases;

/// A server that ends with the test.
pub struct Server {
    pub base: String,
    pub store: Store,
    pub objects: Objects,
    /// Speaks as `admin`.
    pub client: Client,
    pub admin: Signed,
    _stop: oneshot::Sender<()>,
    folder: tempfile::TempDir,
}

/// Somebody with an account and a token of their own.
pub struct Signed {
    pub person: Person,
    pub token: String,
}

/// Makes an account with a token that may do all that its person may.
pub async fn person(store: &Store, name: &str, role: Role) -> Signed {
    let by = By { actor: "test", now: clock::now() };
    let account = NewAccount { name, email: None, role, support: false };
    let Changed::Done(user) = store.create_user(&account, None, by, None).await.expect("an account") else {
        panic!("the account cannot be taken");
    };
    let person = Person { id: user.id, name: user.name };
    let token = token(store, Some(&person), Role::Admin).await;
    Signed { person, token }
}

/// Makes a token; for a service, where no person is given.
pub async fn token(store: &Store, user: Option<&Person>, role: Role) -> String {
    let secret = new_secret("dbt_");
    let new = NewApiToken { digest: &digest(&secret), name: "test", user, role, support: false, expires_at: None };
    store.create_token(&new, By { actor: "test", now: clock::now() }, None).await.expect("a token");
    secret
}

/// A client that sends this token, or none.
pub fn client(token: Option<&str>) -> Client {
    let mut headers = HeaderMap::new();
    if let Some(token) = token {
        headers.insert("authorization", format!("Bearer {token}").parse().expect("a header"));
    }
    Client::builder().default_headers(headers).build().expect("a client")
}

/// The worked example's files.
pub fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name)
}

impl Server {
    /// An empty server.
    pub async fn empty() -> Self {
        Self::new(None, None).await
    }

    /// An empty server that takes files of so many bytes.
    pub async fn with_upload_limit(bytes: u64) -> Self {
        Self::set(None, None, Settings { upload_limit: bytes, ..Settings::default() }).await
    }

    /// An empty server that believes to be reached under this address.
    pub async fn at(url: &str) -> Self {
        Self::new(None, Some(url)).await
    }

    /// An empty server on the database of this address, or on one of its own.
    pub async fn on(address: Option<String>) -> Self {
        Self::new(address, None).await
    }

    async fn new(address: Option<String>, url: Option<&str>) -> Self {
        Self::set(address, url, Settings::default()).await
    }

    /// An empty server with these settings.
    pub async fn with(settings: Settings) -> Self {
        Self::set(None, None, settings).await
    }

    async fn set(address: Option<String>, url: Option<&str>, settings: Settings) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let own = || format!("sqlite:{}", folder.path().join("debrief.db").display());
        let address = address.unwrap_or_else(own);
        let store = Store::open(&address).await.expect("a database");
        let objects = Objects::open(&folder.path().join("objects")).expect("an object store");
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let (stop, stopped) = oneshot::channel();
        let app = App::with(store.clone(), objects.clone(), url.unwrap_or(&base), settings);
        tokio::spawn(serve(listener, app, async move {
            let _ = stopped.await;
        }));
        let admin = person(&store, "local", Role::Admin).await;
        Self { base, client: client(Some(&admin.token)), store, objects, admin, _stop: stop, folder }
    }

    /// A server with the worked example: document, events and flags.
    pub async fn with_example() -> (Self, IncidentId) {
        let server = Self::empty().await;
        let id = server.import_document().await;
        let now = clock::now();
        import_flags(&server.store, &server.objects, &id, &example("flag-changes.json"), now)
            .await
            .expect("the flags import");
        import_events(&server.store, &server.objects, &id, &example("checkout-events.csv"), &|_| {}, now)
            .await
            .expect("events import");
        (server, id)
    }

    /// Imports the worked example's document alone.
    pub async fn import_document(&self) -> IncidentId {
        self.import_text(&std::fs::read_to_string(example("checkout-postmortem.txt")).expect("the document")).await
    }

    /// Imports a document of the worked example's shape.
    pub async fn import_text(&self, text: &str) -> IncidentId {
        let (bytes, now) = (text.as_bytes(), clock::now());
        let options = Options { date: NaiveDate::from_ymd_opt(2026, 7, 9), zone: None };
        let created = import_postmortem(&self.store, &self.objects, bytes, "checkout-postmortem.txt", &options, now)
            .await
            .expect("the document imports");
        let (Created::New { id, .. } | Created::Existing { id, .. }) = created;
        id
    }

    /// Where the database and the imported files are.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("{}{path}", self.base))
    }

    pub fn patch(&self, path: &str, version: i64, body: &Value) -> RequestBuilder {
        self.client.patch(format!("{}{path}", self.base)).header("if-match", format!("\"{version}\"")).json(body)
    }

    pub fn post(&self, path: &str, body: &Value) -> RequestBuilder {
        self.client.post(format!("{}{path}", self.base)).json(body)
    }

    /// The dashboard as JSON.
    pub async fn dashboard(&self) -> Value {
        let response = self.get("/api/v1/incidents/INC-1").send().await.expect("an answer");
        assert_eq!(response.status(), StatusCode::OK);
        response.json().await.expect("JSON")
    }
}

/// The body of an error, after checking that it is a well-formed problem of this kind.
pub async fn problem(response: Response, status: u16, kind: &str) -> Value {
    assert_eq!(response.status().as_u16(), status);
    assert_eq!(response.headers()["content-type"], "application/problem+json");
    let body: Value = response.json().await.expect("JSON");
    assert_eq!(body["type"], format!("urn:debrief:problem:{kind}"));
    assert_eq!(body["status"], status);
    for field in ["title", "detail"] {
        assert!(body[field].as_str().is_some_and(|text| !text.is_empty()), "{body}");
    }
    body
}
