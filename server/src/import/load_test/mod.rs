//! Load tests: the summary files of k6, vegeta, oha and Locust, told apart by their shape.
//!
//! Pure: bytes in, a [`LoadTest`] out. Nothing of the file is carried over but the figures named in it, so a script
//! that k6 embeds goes no further; whoever stores a load test keeps its hash, not its bytes.

mod figures;
mod json;
mod k6;
mod locust;
mod oha;
#[cfg(test)]
mod tests;
mod vegeta;

use domain::load_test::LoadTest;
use serde_json::Value;

use super::ImportError;
use json::Field;

/// The largest file that is read; a summary is small, whatever its test was.
pub const MAX_BYTES: usize = 16 << 20;

/// What is understood, for whoever brought something else.
const EXPORTS: &str = "what is read: k6 (`k6 run --summary-export=FILE`, or what handleSummary is given), vegeta \
     (`vegeta report -type=json`), oha (`oha --output-format json`), Locust (`locust --csv PREFIX`, the file \
     PREFIX_stats.csv)";

/// Reads the summary of a load test; the reason of a refusal names the file, the place and what mends it.
pub fn parse(bytes: &[u8], file_name: &str) -> Result<LoadTest, ImportError> {
    read(bytes).map_err(|reason| ImportError::Refused(format!("{file_name}: {reason}")))
}

fn read(bytes: &[u8]) -> Result<LoadTest, String> {
    if bytes.len() > MAX_BYTES {
        return Err(format!(
            "the file has {} bytes and a summary may have {MAX_BYTES}; bring the summary, not every request",
            bytes.len()
        ));
    }
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err("the file is in UTF-16, as some shells write it; save it as UTF-8".to_owned());
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("byte {}: not UTF-8, so no summary; {EXPORTS}", error.valid_up_to()))?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text).trim();
    match text.chars().next() {
        None => Err(format!("the file is empty; {EXPORTS}")),
        Some('{' | '[') => read_json(text),
        Some(_) => locust::read(text),
    }
}

fn read_json(text: &str) -> Result<LoadTest, String> {
    let document: Value = serde_json::from_str(text).map_err(|error| not_json(text, &error))?;
    if !document.is_object() {
        let locust = document[0].get("num_requests").is_some();
        let mend = if locust {
            "Locust's JSON has no percentiles; bring the file that `locust --csv PREFIX` writes, PREFIX_stats.csv"
        } else {
            EXPORTS
        };
        return Err(format!("a list is no summary; {mend}"));
    }
    let root = Field::root(&document);
    if root.get("latencyPercentiles").is_there() || root.get("statusCodeDistribution").is_there() {
        return oha::read(&root);
    }
    if root.get("latencies").is_there() {
        return vegeta::read(&root);
    }
    if root.get("metrics").is_there() || root.get("results").get("metrics").is_there() {
        return k6::read(&root);
    }
    if let Some(mend) = per_request(&document) {
        return Err(mend.to_owned());
    }
    let keys: Vec<&str> = document.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).take(5).collect();
    Err(format!("no summary that is known begins with {}; {EXPORTS}", quoted(&keys)))
}

/// Why a text is not JSON, and whether it is a list of requests, one a line.
fn not_json(text: &str, error: &serde_json::Error) -> String {
    let first = text.lines().next().and_then(|line| serde_json::from_str::<Value>(line).ok());
    if let Some(mend) = first.as_ref().and_then(per_request) {
        return mend.to_owned();
    }
    let (line, column) = (error.line(), error.column());
    let cut = if error.is_eof() { "the file is cut off" } else { "not JSON" };
    format!("line {line}, column {column}: {cut} ({error}); export the summary again")
}

/// What to bring instead of a file of single requests, if this is a line of one.
fn per_request(line: &Value) -> Option<&'static str> {
    let has = |key: &str| line.get(key).is_some();
    if has("type") && has("data") && (has("metric") || line["type"] == "Metric") {
        return Some(
            "these are k6's single measurements (--out json); bring the summary, `k6 run --summary-export=FILE`",
        );
    }
    if has("attack") && has("seq") && has("latency") {
        return Some("these are vegeta's single requests; bring the summary, `vegeta report -type=json`");
    }
    None
}

/// Names for people, each in quotes and short.
fn quoted(names: &[&str]) -> String {
    if names.is_empty() {
        return "nothing".to_owned();
    }
    names.iter().map(|name| format!("‘{}’", short(name))).collect::<Vec<_>>().join(", ")
}

/// The beginning of a text from a file, for a message.
fn short(text: &str) -> String {
    const LENGTH: usize = 80;
    let mut short: String =
        text.chars().take(LENGTH).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if text.chars().nth(LENGTH).is_some() {
        short.push('…');
    }
    short
}
