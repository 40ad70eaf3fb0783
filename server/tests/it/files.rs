//! Files and pictures as evidence: taken by what they hold, never run or shown as a page, and gone when they are removed.

use debrief_server::app::Settings;
use debrief_server::clock;
use domain::person::Role;
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};

use crate::server::{Server, client, on_both_databases, person, problem};

/// A picture of one pixel.
pub const PIXEL: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\xdac\
    \xfc\xcf\xc0P\x0f\0\x04\x85\x01\x80\x84\xa9\x8c!\0\0\0\0IEND\xaeB`\x82";

async fn send(server: &Server, by: &Client, query: &str, body: impl Into<reqwest::Body>) -> Response {
    let address = format!("{}/api/v1/incidents/INC-1/evidence/files?{query}", server.base);
    by.post(address).body(body).send().await.expect("an answer")
}

async fn report(response: Response, status: StatusCode) -> Value {
    let (found, body) = (response.status(), response.text().await.expect("a body"));
    assert_eq!(found, status, "{body}");
    serde_json::from_str(&body).expect("JSON")
}

async fn file(server: &Server, number: &Value) -> Response {
    server.get(&format!("/api/v1/incidents/INC-1/evidence/{number}/file")).send().await.expect("an answer")
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers().get(name).map_or("", |value| value.to_str().expect("text"))
}

async fn remove(server: &Server, evidence: &Value) {
    let address = format!("{}/api/v1/incidents/INC-1/evidence/{}", server.base, evidence["number"]);
    let removed = server.client.delete(address).header("if-match", format!("\"{}\"", evidence["version"]));
    assert_eq!(removed.send().await.expect("an answer").status(), StatusCode::OK);
}

on_both_databases! {
    async fn a_picture_is_kept_once_and_shown_inside_a_page_alone(server: Server) {
        server.import_document().await;
        let query = "name=p95%20%22%3Cb%3E%C3%A9.png&title=p95&description=p95%20falls&captured_at=2026-07-09T10:20:00Z";
        let added = report(send(&server, &server.client, query, PIXEL).await, StatusCode::CREATED).await;
        assert_eq!(added["added"], true);
        let evidence = &added["evidence"];
        assert_eq!((&evidence["title"], &evidence["kind"]), (&json!("p95"), &json!("metric")));
        let kept = &evidence["file"];
        assert_eq!((&kept["media"], &kept["width"], &kept["height"]), (&json!("image/png"), &json!(1), &json!(1)));
        assert_eq!((&kept["description"], kept.get("stripped")), (&json!("p95 falls"), None));
        let before = server.dashboard().await["version"].clone();
        let again = report(send(&server, &server.client, "description=other", PIXEL).await, StatusCode::OK).await;
        assert_eq!((&again["added"], &again["evidence"]), (&json!(false), evidence));
        assert_eq!(server.dashboard().await["version"], before);

        let response = file(&server, &evidence["number"]).await;
        assert_eq!(response.status(), StatusCode::OK);
        for (name, value) in [
            ("content-type", "image/png"),
            ("content-disposition",
                "inline; filename=\"p95 __b__.png\"; filename*=UTF-8''p95%20%22%3Cb%3E%C3%A9.png"),
            ("content-security-policy", "sandbox; default-src 'none'; frame-ancestors 'none'"),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "private, no-cache"),
            ("cross-origin-resource-policy", "same-origin"),
            ("content-encoding", ""),
        ] {
            assert_eq!(header(&response, name), value, "{name}");
        }
        let tag = header(&response, "etag").to_owned();
        assert_eq!(response.bytes().await.expect("a body"), PIXEL);
        let path = format!("/api/v1/incidents/INC-1/evidence/{}/file", evidence["number"]);
        let same = server.get(&path).header("if-none-match", &tag).send().await.expect("an answer");
        assert_eq!((same.status(), header(&same, "etag")), (StatusCode::NOT_MODIFIED, tag.as_str()));
        let part = server.get(&path).header("range", "bytes=1-3").send().await.expect("an answer");
        assert_eq!((part.status(), header(&part, "content-range")), (StatusCode::PARTIAL_CONTENT, "bytes 1-3/70"));
        assert_eq!(part.bytes().await.expect("a body"), &PIXEL[1..4]);
        let none = server.get(&path).header("range", "bytes=70-").send().await.expect("an answer");
        assert_eq!((none.status(), header(&none, "content-range")), (StatusCode::RANGE_NOT_SATISFIABLE, "bytes */70"));
    }

    async fn what_a_file_is_called_decides_nothing(server: Server) {
        server.import_document().await;
        let script = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
        let added = report(send(&server, &server.client, "name=a.svg", script).await, StatusCode::CREATED).await;
        let response = file(&server, &added["evidence"]["number"]).await;
        assert_eq!(header(&response, "content-type"), "text/plain; charset=utf-8");
        assert!(header(&response, "content-disposition").starts_with("attachment; filename=\"a.svg\""));
        assert_eq!((&added["evidence"]["title"], &added["evidence"]["kind"]), (&json!("a.svg"), &json!("log")));
        let path = "name=..%2F..%2F..%2Fetc%2Fpasswd&title=Log";
        let added = report(send(&server, &server.client, path, "09:46 down\n").await, StatusCode::CREATED).await;
        assert_eq!(added["evidence"]["file"]["file_name"], "../../../etc/passwd");
        let response = file(&server, &added["evidence"]["number"]).await;
        assert_eq!(header(&response, "content-disposition"),
            "attachment; filename=\".._.._.._etc_passwd\"; filename*=UTF-8''..%2F..%2F..%2Fetc%2Fpasswd");
        let odd = "name=a%0D%0Ax-evil:%201%00.png&description=x";
        let added = report(send(&server, &server.client, odd, PIXEL).await, StatusCode::CREATED).await;
        let response = file(&server, &added["evidence"]["number"]).await;
        assert_eq!((header(&response, "x-evil"), &added["evidence"]["file"]["file_name"]), ("", &json!("ax-evil: 1.png")));
        assert!(!server.folder().join("objects").read_dir().expect("a folder").any(|entry| {
            entry.expect("an entry").file_name().to_string_lossy().contains("passwd")
        }));
        for number in ["..%2f1", "1%2f..%2f..", "-1", "999", "4294967296", "%00"] {
            let path = format!("/api/v1/incidents/INC-1/evidence/{number}/file");
            problem(server.get(&path).send().await.expect("an answer"), 404, "not-found").await;
        }
        let none = problem(file(&server, &json!(1)).await, 404, "not-found").await;
        assert!(none["detail"].as_str().expect("words").contains("no file"), "{none}");
    }

    async fn what_is_no_evidence_is_refused_with_the_reason(server: Server) {
        server.import_document().await;
        for (query, body, reason) in [
            ("name=a.png", &b"MZ\x90\0\x03\0\0\0"[..], "no kind of file that is known here"),
            ("name=a.png", PIXEL, "a picture needs a description"),
            ("name=a.png&description=%20", PIXEL, "a picture needs a description"),
            ("name=a.txt", b"", "the file is empty"),
            ("name=a.gif&description=x", b"GIF89a", "the picture is broken"),
        ] {
            let refused = problem(send(&server, &server.client, query, body).await, 422, "invalid").await;
            assert!(refused["detail"].as_str().expect("words").contains(reason), "{refused}");
        }
        let long = format!("title={}", "x".repeat(501));
        let refused = problem(send(&server, &server.client, &long, "a").await, 422, "invalid").await;
        assert_eq!(refused["errors"][0]["pointer"], "/title");
        problem(send(&server, &server.client, "kind=nonsense", "a").await, 400, "malformed-request").await;
        let viewer = person(&server.store, "Vi", Role::Viewer).await;
        problem(send(&server, &client(Some(&viewer.token)), "", "a").await, 403, "forbidden").await;
        assert_eq!(server.dashboard().await["evidence"].as_array().expect("a list").iter()
            .filter(|evidence| evidence.get("file").is_some()).count(), 0);
    }

    async fn a_description_is_changed_and_never_lost(server: Server) {
        server.import_document().await;
        let added = report(send(&server, &server.client, "description=a", PIXEL).await, StatusCode::CREATED).await;
        let path = format!("/api/v1/incidents/INC-1/evidence/{}", added["evidence"]["number"]);
        let now = server.patch(&path, 1, &json!({"description": " p95\n falls "})).send().await.expect("an answer");
        let now = report(now, StatusCode::OK).await;
        assert_eq!((&now["file"]["description"], &now["version"]), (&json!("p95 falls"), &json!(2)));
        let read: Value = server.get(&path).send().await.expect("an answer").json().await.expect("JSON");
        assert_eq!(read, now);
        for nothing in [json!(null), json!(" ")] {
            let refused = server.patch(&path, 2, &json!({"description": nothing})).send().await.expect("an answer");
            problem(refused, 422, "invalid").await;
        }
        let other = server.patch("/api/v1/incidents/INC-1/evidence/1", 1, &json!({"description": "x"})).send().await;
        problem(other.expect("an answer"), 422, "invalid").await;
    }

    async fn a_file_that_is_removed_is_gone_where_nothing_else_names_it(server: Server) {
        server.import_document().await;
        let text = "09:46 customer c-1 failed\n";
        let first = report(send(&server, &server.client, "name=a.log", text).await, StatusCode::CREATED).await;
        server.import_text("# Another\n\n## Root cause\n\nIt was.\n").await;
        let other = format!("{}/api/v1/incidents/INC-2/evidence/files?name=b.log", server.base);
        let second = server.client.post(other).body(text).send().await.expect("an answer");
        let second = report(second, StatusCode::CREATED).await;
        remove(&server, &first["evidence"]).await;
        problem(file(&server, &first["evidence"]["number"]).await, 404, "not-found").await;
        let removed = server.dashboard().await["evidence"].as_array().expect("a list").last().expect("one").clone();
        assert_eq!((removed.get("file"), &removed["title"]), (None, &json!(null)));
        let later = clock::now() + chrono::TimeDelta::minutes(61);
        assert_eq!(server.store.sweep_objects(&server.objects, later).await.expect("swept"), 0, "the other names it");
        let path = format!("/api/v1/incidents/INC-2/evidence/{}", second["evidence"]["number"]);
        let read = server.get(&format!("{path}/file")).send().await.expect("an answer");
        assert_eq!(read.text().await.expect("a body"), text);
        let address = format!("{}{path}", server.base);
        let gone = server.client.delete(address).header("if-match", "\"1\"").send().await.expect("an answer");
        assert_eq!(gone.status(), StatusCode::OK);
        assert_eq!(server.store.sweep_objects(&server.objects, later).await.expect("swept"), 1);
        // The same file again is another source, and is read again.
        let again = report(send(&server, &server.client, "name=a.log", text).await, StatusCode::CREATED).await;
        assert_ne!(again["evidence"]["number"], first["evidence"]["number"]);
        assert_eq!(file(&server, &again["evidence"]["number"]).await.text().await.expect("a body"), text);
    }
}

#[tokio::test]
async fn a_file_over_the_limit_is_refused_and_under_it_is_not() {
    let server = Server::with(Settings { evidence_limit: 1 << 20, ..Settings::default() }).await;
    server.import_document().await;
    let line = "09:46 down\n";
    let text = line.repeat((1 << 20) / line.len());
    report(send(&server, &server.client, "", text.clone()).await, StatusCode::CREATED).await;
    let refused = problem(send(&server, &server.client, "", text + line).await, 413, "too-large").await;
    assert!(refused["detail"].as_str().expect("words").contains("1024 KiB"), "{refused}");
}

#[tokio::test]
async fn under_a_share_link_a_file_is_told_of_and_not_shown() {
    let server = Server::empty().await;
    server.import_document().await;
    let added = report(send(&server, &server.client, "name=c-1.log", "c-1 failed").await, StatusCode::CREATED).await;
    let share = json!({"incident_id": "INC-1", "audience": "the provider", "days": 1});
    let share: Value =
        server.post("/api/v1/shares", &share).send().await.expect("an answer").json().await.expect("JSON");
    let secret = share["url"].as_str().and_then(|url| url.rsplit('/').next()).expect("a link").to_owned();
    let shared = format!("{}/api/v1/shared/{secret}", server.base);
    let dashboard: Value = reqwest::get(&shared).await.expect("an answer").json().await.expect("JSON");
    let evidence = dashboard["evidence"].as_array().expect("a list").last().expect("one").clone();
    assert_eq!((&evidence["withheld"], evidence.get("file")), (&json!(true), None), "{evidence}");
    assert_eq!(evidence["number"], added["evidence"]["number"]);
    let path = format!("{}/api/v1/incidents/INC-1/evidence/{}/file", server.base, evidence["number"]);
    let nobody = client(None);
    problem(nobody.get(&path).send().await.expect("an answer"), 401, "sign-in-required").await;
    problem(nobody.get(&path).bearer_auth(&secret).send().await.expect("an answer"), 401, "sign-in-required").await;
}
