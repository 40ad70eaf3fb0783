//! What `make bench` imports: `generate ROWS FILE` writes a log of attempts, the same for the same number of rows.
//!
//! One row in 500 stands in it twice, rows are out of order within a few seconds, and an outage of half an hour lies in the
//! middle of the day that they span.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

use chrono::{DateTime, TimeDelta};

const START: &str = "2026-07-09T00:00:00Z";
const DAY_MS: u64 = 86_400_000;

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
    let start: DateTime<chrono::Utc> = START.parse()?;
    let mut out = BufWriter::with_capacity(1 << 20, File::create(file)?);
    writeln!(out, "ts,attempt_id,customer_id,outcome,latency_ms,region")?;
    let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
    let customers = (rows / 8).max(1);
    let (outage_from, outage_until) = (DAY_MS / 2, DAY_MS / 2 + 31 * 60_000);
    for row in 0..rows {
        let late = chance.below(5000);
        let at = row * DAY_MS / rows + late;
        let failing = if (outage_from..outage_until).contains(&at) { 186 } else { 7 };
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

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["generate", rows, file] => {
            rows.parse().map_err(anyhow::Error::from).and_then(|rows| generate(rows, file))
        }
        _ => Err(anyhow::anyhow!("usage: attempts generate ROWS FILE")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("attempts: {error:#}");
            ExitCode::FAILURE
        }
    }
}
