//! A real Prometheus, with data made for the test, that ends with it.

use std::fmt::Write as _;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use domain::signal::Bin;

/// Who may ask a server that is locked.
pub const USER: &str = "debrief";

/// The password that goes with it.
pub const PASSWORD: &str = "four rainy mondays";

/// That password as Prometheus keeps it.
const HASHED: &str = "$2b$05$dHRoFIx.TaP81VaU7/977.8x0.LitvVxx93u1Th8f7wnxGGcbUMIO";

/// How a server is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setup {
    /// Open to everybody.
    Open,
    /// For [`USER`] alone.
    Locked,
    /// Open, and reading from a second place too, which is not there: so that it warns.
    Warning,
}

/// A Prometheus server.
pub struct Prometheus {
    process: Child,
    pub address: String,
    folder: tempfile::TempDir,
}

impl Prometheus {
    /// Starts one that has these samples.
    pub async fn start(samples: &str, setup: Setup) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, content: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, content).expect("written");
            path
        };
        let data = folder.path().join("data");
        let made = Command::new("promtool")
            .args(["tsdb", "create-blocks-from", "openmetrics"])
            .arg(file("samples", samples))
            .arg(&data)
            .stdout(Stdio::null())
            .output()
            .unwrap_or_else(|error| {
                panic!("the tests need Prometheus: promtool: {error}; run `scripts/setup.sh test`")
            });
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        // Port 1 is nobody's.
        let elsewhere = "remote_read:\n  - url: http://127.0.0.1:1/read\n    read_recent: true\n";
        let config = file("prometheus.yml", if setup == Setup::Warning { elsewhere } else { "" });
        let web = file("web.yml", &format!("basic_auth_users:\n  {USER}: {HASHED}\n"));
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
        let mut command = Command::new("prometheus");
        command
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", data.display()))
            // Old blocks would be dropped.
            .arg("--storage.tsdb.retention.time=100y")
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(folder.path().join("log")).expect("a log"));
        if setup == Setup::Locked {
            command.arg(format!("--web.config.file={}", web.display()));
        }
        let process = command
            .spawn()
            .unwrap_or_else(|error| panic!("the tests need Prometheus: {error}; run `scripts/setup.sh test`"));
        let started = Self { process, address: format!("http://127.0.0.1:{port}"), folder };
        let client = reqwest::Client::new();
        for _ in 0..300 {
            let ready = client.get(format!("{}/-/ready", started.address)).basic_auth(USER, Some(PASSWORD));
            if ready.send().await.is_ok_and(|answer| answer.status().is_success()) {
                return started;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let log = std::fs::read_to_string(started.folder.path().join("log")).unwrap_or_default();
        panic!("Prometheus does not answer: {log}");
    }

    /// Ends it.
    pub fn stop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Samples that say the same as a signal's bins: the share that failed, and counters of attempts and failures; and a queue's
/// length in two series, one of which is not reported from 10:00 until 10:20, and a metric that is not always a number.
pub fn samples(bins: &[Bin]) -> String {
    let mut text = String::new();
    let mut family = |name: &str, kind: &str, lines: &mut dyn Iterator<Item = (String, String, i64)>| {
        let _ = writeln!(text, "# TYPE {name} {kind}");
        for (name, value, at) in lines {
            let _ = writeln!(text, "{name} {value} {at}");
        }
    };
    let seconds = |bin: &Bin| bin.at.timestamp();
    family(
        "checkout_failed_ratio",
        "gauge",
        &mut bins.iter().map(|bin| {
            let share = bin.ratio().share().expect("bins hold attempts");
            ("checkout_failed_ratio".to_owned(), share.to_string(), seconds(bin))
        }),
    );
    for (name, part) in [("checkout_failed", 0), ("checkout_attempts", 1)] {
        let mut sum = 0;
        let mut lines = bins.iter().map(|bin| {
            // What a counter had counted when the bin began.
            let before = sum;
            sum += [bin.numerator, bin.denominator][part];
            (format!("{name}_total"), before.to_string(), seconds(bin))
        });
        family(name, "counter", &mut lines);
    }
    let queues = ["mail", "retries"].into_iter().flat_map(|queue| bins.iter().map(move |bin| (queue, bin)));
    family(
        "queue_length",
        "gauge",
        &mut queues
            .filter(|(queue, bin)| {
                *queue == "mail" || !("10:00".."10:20").contains(&&*bin.at.format("%H:%M").to_string())
            })
            .map(|(queue, bin)| {
                (format!("queue_length{{queue=\"{queue}\"}}"), bin.numerator.to_string(), seconds(bin))
            }),
    );
    family(
        "odd",
        "gauge",
        &mut bins.iter().enumerate().map(|(i, bin)| {
            let value = ["1.5", "NaN", "+Inf", "-Inf"][i % 4];
            ("odd".to_owned(), value.to_owned(), seconds(bin))
        }),
    );
    text + "# EOF\n"
}
