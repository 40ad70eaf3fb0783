//! vegeta: the JSON report. Its latencies are nanoseconds, and its `success` the share of status 200 to 399.

use domain::load_test::{LoadTest, LoadTestTool, MAX, MEAN, MIN, REQUEST_RATE, REQUESTS, THROUGHPUT};
use domain::quantity::Unit;
use domain::signal::Ratio;

use super::figures::Figures;
use super::json::Field;

/// Reads a report.
pub(super) fn read(root: &Field<'_>) -> Result<LoadTest, String> {
    let requests = root.get("requests");
    let requests = match requests.count()? {
        Some(0) => return Err("requests: no request was sent, which proves nothing; run the attack again".to_owned()),
        Some(count) => count,
        None => return Err("requests: missing; bring what `vegeta report -type=json` writes".to_owned()),
    };
    let mut figures = Figures::default();
    let latencies = root.get("latencies");
    for (key, latency) in latencies.entries() {
        if let Some(number) = key.strip_suffix("th") {
            figures.add_percentile(number, latency.number()?, Unit::Nanoseconds);
        }
    }
    for (key, name) in [("mean", MEAN), ("min", MIN), ("max", MAX)] {
        figures.add_latency(name, latencies.get(key).number()?, Unit::Nanoseconds);
    }
    let success = root.get("success").number()?;
    let codes = root.get("status_codes");
    let (mut known, mut succeeded) = (0_u64, 0_u64);
    for (code, count) in codes.entries() {
        let count = count.count()?.unwrap_or_default();
        known = known.saturating_add(count);
        if code.parse().is_ok_and(|code: u16| (200..400).contains(&code)) {
            succeeded = succeeded.saturating_add(count);
        }
    }
    if known == requests {
        let failed = Ratio { numerator: requests - succeeded, denominator: requests };
        figures.add_error_rate(failed, success.map(|success| 1.0 - success), codes.path())?;
    } else if codes.is_there() {
        return Err(format!("status_codes: they count {known} of {requests} requests; export the report again"));
    } else {
        figures.notes.push("Missing: status_codes, and with them the error rate.".to_owned());
    }
    figures.add(REQUESTS, root.get("requests").number()?, Unit::Count);
    figures.add(REQUEST_RATE, root.get("rate").number()?, Unit::PerSecond);
    figures.add(THROUGHPUT, root.get("throughput").number()?, Unit::PerSecond);
    let (metrics, notes) = figures.finish("Newer versions of vegeta write them.");
    Ok(LoadTest {
        tool: LoadTestTool::Vegeta,
        version: None,
        captured_at: root.get("end").text().and_then(|end| end.parse().ok()),
        metrics,
        percentile_basis: "All requests, failed ones and timeouts included; estimated from a digest of the latencies."
            .to_owned(),
        error_basis: "A status other than 200 to 399, or no response.".to_owned(),
        notes,
    })
}
