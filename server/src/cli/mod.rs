//! The command line: arguments in, one file for each command. What a command does beyond that lives elsewhere.

mod events;
mod evidence;
mod export;
mod import;
mod oidc;
mod parse;
mod prometheus;
mod recompute;
mod serve;
mod signals;
mod token;
mod user;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use chrono::{Datelike, NaiveDate};
use clap::{Parser, Subcommand};
use domain::IncidentId;
use domain::wire::actions::{YEARS, is_web_address, years};

use crate::store::{BUCKET, Objects, Store};
use crate::unseen::harmless;

/// A post-incident dashboard: what happened, how sure we are, and what is being done about it.
#[derive(Debug, Parser)]
#[command(
    name = "debrief",
    version,
    arg_required_else_help = true,
    after_help = "\
A first run, from a post-mortem and its telemetry to a page:
  debrief import postmortem checkout.txt --date 2026-07-09      prints the incident's id
  debrief import events INC-1 checkout-events.csv
  debrief import flags INC-1 flag-changes.json
  debrief import deploys INC-1 deploys.csv
  debrief serve --listen 127.0.0.1:8080

Exit status: 0 done, 1 refused (the reason and the place are printed), 2 wrong usage."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// Where everything is kept.
#[derive(Debug, Clone, clap::Args)]
struct DataFolder {
    /// The folder that holds the database and the imported files; made if it is not there
    #[arg(long = "data", value_name = "DIR", env = "DEBRIEF_DATA", default_value = "./data")]
    folder: PathBuf,
    /// Where imported files are kept instead: a bucket, such as `s3://bucket/prefix`; keys and endpoint come from `AWS_…` in the environment
    #[arg(long, value_name = "ADDRESS", env = "DEBRIEF_OBJECTS")]
    objects: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the pages and the API
    Serve(serve::Serve),
    /// Bring in a post-mortem or its telemetry
    #[command(subcommand)]
    Import(import::Import),
    /// Add files and pictures as evidence
    #[command(subcommand)]
    Evidence(evidence::Evidence),
    /// Read a post-mortem and print what was understood; stores nothing
    Parse(parse::Parse),
    /// Compute what follows from an incident's imported files anew
    Recompute(recompute::Recompute),
    /// Write an incident to standard output
    Export(export::Export),
    /// Add people, and let them in
    #[command(subcommand)]
    User(user::User),
    /// Make tokens for programs
    #[command(subcommand)]
    Token(token::Token),
}

/// The database's file in the data folder.
const DATABASE: &str = "debrief.db";

/// What a command works on.
struct Opened {
    store: Store,
    objects: Objects,
}

impl DataFolder {
    /// Opens what is there already: whoever mistypes a folder is told so, and none is made.
    async fn open_existing(&self) -> anyhow::Result<Opened> {
        let database = self.folder.join(DATABASE);
        if !database.try_exists().with_context(|| format!("cannot look for {}", database.display()))? {
            bail!(
                "there is no data in {}: --data or DEBRIEF_DATA names the folder; importing a post-mortem, serving, and adding \
                 somebody make a new one",
                self.folder.display()
            );
        }
        self.open().await
    }

    /// Opens the folder, making it if need be.
    async fn open(&self) -> anyhow::Result<Opened> {
        let folder = &self.folder;
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make the data folder {}", folder.display()))?;
        let database = folder.join(DATABASE);
        let store = Store::open(&format!("sqlite:{}", database.display()))
            .await
            .with_context(|| format!("cannot open the database {}", database.display()))?;
        let objects = match &self.objects {
            None => Objects::open(&folder.join("objects"))
                .with_context(|| format!("cannot open the folder of imported files in {}", folder.display()))?,
            Some(address) if address.starts_with(BUCKET) => Objects::open_bucket(address, &folder.join("scratch"))
                .with_context(|| format!("cannot open the bucket of imported files {address}"))?,
            Some(address) => bail!("imported files cannot be kept at '{address}': name a bucket as s3://bucket/prefix"),
        };
        Ok(Opened { store, objects })
    }
}

impl Opened {
    async fn incident(&self, id_or_name: &str) -> anyhow::Result<IncidentId> {
        self.store
            .incident_id(id_or_name)
            .await?
            .with_context(|| format!("there is no incident '{id_or_name}' in this data folder"))
    }
}

/// Reads a day that somebody gave.
fn day(text: &str) -> Result<NaiveDate, String> {
    let day: NaiveDate = text.parse().map_err(|_| "write it as YYYY-MM-DD".to_owned())?;
    if YEARS.contains(&day.year()) { Ok(day) } else { Err(format!("write a day of the years {}", years())) }
}

/// Reads the address that people reach a server under.
fn web_address(text: &str) -> Result<String, String> {
    let address = text.trim().trim_end_matches('/');
    if !is_web_address(address) || address.contains(|letter: char| letter.is_whitespace() || "?#".contains(letter)) {
        return Err("write it as https://debrief.example.com".to_owned());
    }
    Ok(address.to_owned())
}

/// Reads a file whole; an error names it.
fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// A file's own name, for reports.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Runs the program.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            warn(&format!("debrief: cannot start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let done = runtime.block_on(async {
        match arguments.command {
            Command::Serve(command) => command.run().await,
            Command::Import(command) => command.run().await,
            Command::Evidence(command) => command.run().await,
            Command::Parse(command) => command.run(),
            Command::Recompute(command) => command.run().await,
            Command::Export(command) => command.run().await,
            Command::User(command) => command.run().await,
            Command::Token(command) => command.run().await,
        }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            warn(&format!("debrief: {}", causes(&error)));
            ExitCode::FAILURE
        }
    }
}

/// Whoever read our output had enough of it.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}

/// An error with its causes, each told once: many say their cause in their own words.
fn causes(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !text.contains(&cause) {
            text.push_str(if text.is_empty() { "" } else { ": " });
            text.push_str(&cause);
        }
    }
    text
}

/// Tells a person something on standard output: nothing in it controls their terminal.
fn print(text: &str) -> anyhow::Result<()> {
    write(&harmless(text))
}

/// The same on standard error, whether or not anybody reads it.
fn warn(text: &str) {
    use std::io::Write;
    // There is nobody left to tell.
    let _ = writeln!(std::io::stderr().lock(), "{}", harmless(text));
}

/// Writes a document to standard output as it is, without panicking where nobody reads it.
fn write(text: &str) -> anyhow::Result<()> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
