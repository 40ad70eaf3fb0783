//! Connections that send nothing more are ended, and streams that are listened to are not.

use std::time::Duration;

use debrief_server::app::Settings;
use futures_util::StreamExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::server::Server;

const PATIENCE: Duration = Duration::from_millis(400);

async fn impatient() -> Server {
    Server::with(Settings { patience: PATIENCE, ..Settings::default() }).await
}

/// Sends this and nothing more; what came back until the connection was closed.
async fn half_sent(server: &Server, sent: &str) -> String {
    let mut stream = TcpStream::connect(server.base.trim_start_matches("http://")).await.expect("a connection");
    stream.write_all(sent.as_bytes()).await.expect("it is sent");
    let mut answer = Vec::new();
    let ended = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut answer)).await;
    ended.expect("the server ends the connection").expect("it is read");
    String::from_utf8(answer).expect("text")
}

#[tokio::test]
async fn a_connection_that_sends_half_a_header_or_nothing_is_closed() {
    let server = impatient().await;
    for sent in ["", "GET /healthz HTTP/1.1\r\nhost: a\r\nx-slow: "] {
        let answer = half_sent(&server, sent).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{sent:?}: {answer}");
    }
}

#[tokio::test]
async fn a_body_that_stops_arriving_is_answered_with_408() {
    let server = impatient().await;
    server.import_document().await;
    let paths = ["evidence", "evidence/files", "imports/events", "imports/events?preview=true", "imports/flags"];
    for path in paths {
        let head = format!(
            "POST /api/v1/incidents/INC-1/{path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: 1000\r\n\r\n{{\"title\"",
            server.admin.token
        );
        let answer = half_sent(&server, &head).await;
        assert!(answer.starts_with("HTTP/1.1 408"), "{path}: {answer}");
        assert!(answer.contains("urn:debrief:problem:timeout"), "{path}: {answer}");
    }
}

#[tokio::test]
async fn a_body_that_arrives_slowly_is_read_to_its_end_and_a_stream_goes_on() {
    let server = impatient().await;
    server.import_document().await;
    let mut changes = server.get("/api/v1/changes").send().await.expect("an answer").bytes_stream();
    let parts = futures_util::stream::iter(["09:46 ", "down ", "since ", "then ", "on\n"]).then(async |part| {
        tokio::time::sleep(PATIENCE / 3).await;
        Ok::<_, std::io::Error>(part)
    });
    let address = format!("{}/api/v1/incidents/INC-1/evidence/files?name=slow.log", server.base);
    let body = reqwest::Body::wrap_stream(Box::pin(parts));
    let added = server.client.post(address).body(body).send().await.expect("an answer");
    assert_eq!(added.status(), 201);
    tokio::time::sleep(PATIENCE * 3).await;
    let path = "/api/v1/incidents/INC-1/evidence";
    let new = serde_json::json!({"title": "Query", "kind": "metric"});
    assert_eq!(server.post(path, &new).send().await.expect("an answer").status(), 201);
    let mut heard = String::new();
    let listened = tokio::time::timeout(Duration::from_secs(20), async {
        while heard.matches("evidence").count() < 2 {
            heard += &String::from_utf8_lossy(&changes.next().await.expect("it goes on").expect("it is read"));
        }
    });
    listened.await.expect("both changes are told");
}
