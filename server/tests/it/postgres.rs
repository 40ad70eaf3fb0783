//! A real PostgreSQL, started once for the tests and stopped when their process ends.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

static PORT: OnceLock<Result<u16, String>> = OnceLock::new();
static DATABASES: AtomicU32 = AtomicU32::new(0);

/// The address of a fresh, empty database.
pub async fn fresh_database() -> String {
    let port = match PORT.get_or_init(start) {
        Ok(port) => *port,
        Err(reason) => panic!("the tests need PostgreSQL: {reason}; run `scripts/setup.sh test`"),
    };
    let name = format!("debrief_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
    let server = format!("postgres://postgres@127.0.0.1:{port}");
    let pool = sqlx::PgPool::connect(&format!("{server}/postgres")).await.expect("the server answers");
    sqlx::query(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}")))
        .execute(&pool)
        .await
        .expect("a database is made");
    pool.close().await;
    format!("{server}/{name}")
}

fn start() -> Result<u16, String> {
    let bin = programs().ok_or("initdb was found neither on the PATH nor under /usr/lib/postgresql")?;
    let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).map_err(|e| e.to_string())?.port();
    let root = Command::new("id").arg("-u").output().is_ok_and(|out| out.stdout.trim_ascii() == b"0");
    let folder = tempfile::Builder::new().prefix("debrief-pg-").tempdir().map_err(|e| e.to_string())?.keep();
    if root {
        run(Command::new("chown").arg("postgres").arg(&folder))?;
    }
    let data = folder.join("data");
    let (initdb, pg_ctl) = (bin.join("initdb"), bin.join("pg_ctl"));
    run(as_postgres(root, &initdb)
        .args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "-D"])
        .arg(&data))?;
    let options = format!(
        "-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off -c max_connections=400"
    );
    watch(root, &pg_ctl, &folder)?;
    run(as_postgres(root, &pg_ctl)
        .arg("-D")
        .arg(&data)
        .arg("-l")
        .arg(folder.join("log"))
        .args(["-w", "-o", &options, "start"]))?;
    Ok(port)
}

/// A shell of its own that outlives the tests just long enough to stop the server, however they end.
fn watch(root: bool, pg_ctl: &Path, folder: &Path) -> Result<(), String> {
    let user = if root { "runuser -u postgres --" } else { "" };
    let script = format!(
        "trap '' INT TERM HUP; while kill -0 {pid} 2>/dev/null; do sleep 0.2; done; \
         {user} '{ctl}' -D '{dir}/data' -m immediate stop >/dev/null 2>&1; rm -rf '{dir}'",
        pid = std::process::id(),
        ctl = pg_ctl.display(),
        dir = folder.display()
    );
    let mut shell = Command::new("setsid");
    shell.args(["sh", "-c", &script]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.spawn().map(drop).map_err(|error| format!("setsid: {error}"))
}

fn programs() -> Option<PathBuf> {
    let on_path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let mut debian: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path().join("bin"))
        .collect();
    debian.sort();
    debian.into_iter().rev().chain(on_path.unwrap_or_default()).find(|bin| bin.join("initdb").exists())
}

fn as_postgres(root: bool, program: &Path) -> Command {
    if !root {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]).arg(program);
    command
}

fn run(command: &mut Command) -> Result<(), String> {
    // pg_ctl's child keeps what it inherits open, so nothing is piped.
    let errors = tempfile::NamedTempFile::new().map_err(|e| e.to_string())?;
    let to = errors.reopen().map_err(|e| e.to_string())?;
    let status = command
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(to)
        .status()
        .map_err(|error| format!("{command:?}: {error}"))?;
    let said = std::fs::read_to_string(errors.path()).unwrap_or_default();
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed: {said}")) }
}
