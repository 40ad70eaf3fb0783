//! Imported files in a bucket: the real program against a real server that speaks S3.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::server::example;

/// A server of buckets, ended with the test.
struct Buckets {
    server: Child,
    address: String,
}

impl Drop for Buckets {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Buckets {
    async fn start() -> Self {
        let tools = std::env::var_os("DEBRIEF_TOOLS").map(PathBuf::from);
        let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/debrief-tools"));
        let program = tools.or(home).unwrap_or_default().join("python/bin/moto_server");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
        let server = Command::new(&program)
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}; run `scripts/setup.sh test`", program.display()));
        let buckets = Self { server, address: format!("http://127.0.0.1:{port}") };
        let client = reqwest::Client::new();
        for _ in 0..300 {
            if client.put(format!("{}/kept", buckets.address)).send().await.is_ok_and(|made| made.status().is_success())
            {
                return buckets;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the server of buckets does not answer");
    }

    fn debrief(&self, data: &Path, arguments: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_debrief"))
            .args(arguments)
            .env("DEBRIEF_DATA", data)
            .env("DEBRIEF_OBJECTS", "s3://kept/of/debrief")
            .envs([("AWS_ENDPOINT", self.address.as_str()), ("AWS_ALLOW_HTTP", "true"), ("AWS_REGION", "us-east-1")])
            .envs([("AWS_ACCESS_KEY_ID", "keyid"), ("AWS_SECRET_ACCESS_KEY", "very-secret-key")])
            .output()
            .expect("the program runs");
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{said}");
        assert!(!said.contains("very-secret"), "{said}");
        said
    }

    async fn keys(&self) -> Vec<String> {
        let listed = reqwest::get(format!("{}/kept?list-type=2", self.address)).await.expect("an answer");
        let xml = listed.text().await.expect("a body");
        xml.split("<Key>").skip(1).filter_map(|rest| rest.split('<').next().map(str::to_owned)).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_in_a_bucket_are_all_that_is_needed_to_compute_everything_anew() {
    let (buckets, data) = (Buckets::start().await, tempfile::tempdir().expect("a folder"));
    let path = |name: &str| example(name).display().to_string();
    let run = |arguments: &[&str]| buckets.debrief(data.path(), arguments);
    run(&["import", "postmortem", &path("checkout-postmortem.txt"), "--date", "2026-07-09"]);
    let said = run(&["import", "events", "INC-1", &path("checkout-events.csv")]);
    assert!(said.contains("20554 new attempts"), "{said}");
    let keys = buckets.keys().await;
    assert_eq!(keys.len(), 2, "{keys:?}");
    assert!(keys.iter().all(|key| key.starts_with("of/debrief/")), "{keys:?}");
    assert!(!data.path().join("objects").exists());

    let database = format!("sqlite:{}", data.path().join("debrief.db").display());
    let pool = sqlx::SqlitePool::connect(&database).await.expect("opens");
    let bins = async || -> Vec<(i64, i64, i64)> {
        let all = "SELECT at, numerator, denominator FROM signal_bins ORDER BY at";
        sqlx::query_as(all).fetch_all(&pool).await.expect("read")
    };
    let before = bins().await;
    assert!(!before.is_empty());
    for table in ["DELETE FROM signals", "DELETE FROM bin_sets"] {
        sqlx::query(table).execute(&pool).await.expect("deleted");
    }
    assert!(bins().await.is_empty());
    let said = run(&["recompute", "INC-1"]);
    assert!(said.contains("1358 of 20554 attempts failed"), "{said}");
    assert_eq!(bins().await, before);
    assert!(run(&["import", "events", "INC-1", &path("checkout-events.csv")]).contains("imported before"));

    let other = data.path().join("other.csv");
    std::fs::write(&other, "ts,attempt_id\n").expect("written");
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        buckets.debrief(data.path(), &["import", "events", "INC-1", &other.display().to_string()])
    }));
    assert!(refused.is_err());
    assert_eq!(buckets.keys().await.len(), 2, "what was refused is not kept");
}
