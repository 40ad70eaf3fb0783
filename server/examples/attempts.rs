//! What `make bench` measures: `generate ROWS FILE` writes a log of attempts, the same for the same number of rows, and
//! `compute FILE` reads one as an import does, each attempt once, and prints attempts and failures by minute, how many
//! customers there are, and the cohort of the outage, as one line of JSON.
//!
//! One row in 500 stands in it twice, rows are out of order within a few seconds, and an outage of half an hour lies in the
//! middle of the day that they span.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use chrono::{DateTime, TimeDelta, Utc};
use debrief_server::import::events::attempts_of;
use domain::cohort::{Attempt, follow_up};
use domain::incident::Window;
use domain::mapping::Mapping;

const START: &str = "2026-07-09T00:00:00Z";
const DAY_MS: u64 = 86_400_000;
const OUTAGE_MS: u64 = 31 * 60_000;

/// Xorshift: enough for data, and the same everywhere.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn generate(rows: u64, file: &str) -> anyhow::Result<()> {
    let start: DateTime<Utc> = START.parse()?;
    let mut out = BufWriter::with_capacity(1 << 20, File::create(file)?);
    writeln!(out, "ts,attempt_id,customer_id,outcome,latency_ms,region")?;
    let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
    let customers = (rows / 8).max(1);
    for row in 0..rows {
        let late = chance.below(5000);
        let at = row * DAY_MS / rows + late;
        let failing = if (DAY_MS / 2..DAY_MS / 2 + OUTAGE_MS).contains(&at) { 186 } else { 7 };
        let outcome = if chance.below(1000) < failing { "failed" } else { "completed" };
        let time = start + TimeDelta::milliseconds(i64::try_from(at)?);
        let (customer, latency) = (chance.below(customers), 80 + chance.below(1500));
        let region = ["eu-west", "eu-north", "us-east", "ap-south"][usize::try_from(chance.below(4))?];
        let line = format!(
            "{},a-{row:08},c-{customer:07},{outcome},{latency},{region}",
            time.format("%Y-%m-%dT%H:%M:%S%.3fZ")
        );
        writeln!(out, "{line}")?;
        if chance.below(500) == 0 {
            writeln!(out, "{line}")?;
        }
    }
    out.flush()?;
    Ok(())
}

fn compute(file: &str) -> anyhow::Result<()> {
    let started = Instant::now();
    let scratch = Path::new(file).parent().unwrap_or(Path::new("."));
    let table = attempts_of(Path::new(file), &Mapping::default(), scratch)?;
    let read = started.elapsed();
    let mut minutes = BTreeMap::<i64, (u64, u64)>::new();
    for (at, failed) in table.at.iter().zip(&table.failed) {
        let minute = minutes.entry(at.div_euclid(60_000)).or_default();
        *minute = (minute.0 + 1, minute.1 + u64::from(*failed));
    }
    let from: DateTime<Utc> = START.parse::<DateTime<Utc>>()? + TimeDelta::milliseconds(i64::try_from(DAY_MS / 2)?);
    let window = Window { from, until: from + TimeDelta::milliseconds(i64::try_from(OUTAGE_MS)?) };
    let rows = (0..table.len()).map(|row| Attempt {
        at: table.at[row],
        customer: table.customer[row],
        failed: table.failed[row],
    });
    let funnel = follow_up(rows, window).funnel();
    let found = serde_json::json!({
        "minutes": minutes.into_iter().map(|(minute, (all, failed))| (minute, all, failed)).collect::<Vec<_>>(),
        "customers": table.customers.len(),
        "cohort": funnel,
        "seconds": { "read": read.as_secs_f64(), "all": started.elapsed().as_secs_f64() },
    });
    println!("{found}");
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["generate", rows, file] => rows.parse().map_err(anyhow::Error::from).and_then(|rows| generate(rows, file)),
        ["compute", file] => compute(file),
        _ => Err(anyhow::anyhow!("usage: attempts generate ROWS FILE | attempts compute FILE")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("attempts: {error:#}");
            ExitCode::FAILURE
        }
    }
}
