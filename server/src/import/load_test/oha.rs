//! oha: its JSON output. Latencies are seconds, null where nothing answered. Its `successRate` counts every response as
//! a success, HTTP 500 included, so the error rate is counted here from the statuses and the errors.

use domain::load_test::{LoadTest, LoadTestTool, MAX, MEAN, MIN, REQUEST_RATE, REQUESTS};
use domain::quantity::Unit;
use domain::signal::Ratio;

use super::figures::Figures;
use super::json::Field;

/// How oha names requests that were under way when its time was up. They say nothing of the server.
const CUT_OFF: &str = "aborted due to deadline";

/// Reads an output.
pub(super) fn read(root: &Field<'_>) -> Result<LoadTest, String> {
    let (statuses, errors) = (root.get("statusCodeDistribution"), root.get("errorDistribution"));
    if !statuses.is_there() || !errors.is_there() {
        return Err(
            "statusCodeDistribution, errorDistribution: missing, so nothing tells how many requests failed; bring all \
             of what `oha --output-format json` writes"
                .to_owned(),
        );
    }
    let (mut answered, mut refused) = (0_u64, 0_u64);
    for (status, count) in statuses.entries() {
        let count_of = count.count()?.unwrap_or_default();
        let Some(status) = status.parse::<u16>().ok().filter(|status| (100..1000).contains(status)) else {
            return Err(format!("{}: this is no HTTP status; export the output again", count.path()));
        };
        answered = answered.saturating_add(count_of);
        if !(200..400).contains(&status) {
            refused = refused.saturating_add(count_of);
        }
    }
    let (mut unanswered, mut cut_off) = (0_u64, 0_u64);
    for (error, count) in errors.entries() {
        let sum = if error == CUT_OFF { &mut cut_off } else { &mut unanswered };
        *sum = sum.saturating_add(count.count()?.unwrap_or_default());
    }
    let requests = answered.saturating_add(unanswered);
    if requests == 0 {
        return Err(
            "statusCodeDistribution: no request ended, which proves nothing; run the test for longer".to_owned()
        );
    }
    let mut figures = Figures::default();
    for (key, latency) in root.get("latencyPercentiles").entries() {
        if let Some(number) = key.strip_prefix('p') {
            figures.add_percentile(number, latency.number()?, Unit::Seconds);
        }
    }
    let summary = root.get("summary");
    for (key, name) in [("average", MEAN), ("fastest", MIN), ("slowest", MAX)] {
        figures.add_latency(name, summary.get(key).number()?, Unit::Seconds);
    }
    let failed = Ratio { numerator: refused.saturating_add(unanswered), denominator: requests };
    figures.add_error_rate(failed, None, errors.path())?;
    figures.add(REQUESTS, Some(as_number(requests)), Unit::Count);
    // oha's own rate counts the requests that were cut off.
    let seconds = summary.get("total").number()?.filter(|seconds| *seconds > 0.0);
    figures.add(REQUEST_RATE, seconds.map(|seconds| as_number(requests) / seconds), Unit::PerSecond);
    if let Some(success) = summary.get("successRate").number()?
        && refused > 0
    {
        figures.notes.push(format!(
            "oha's own success rate of {:.1}% counts every response as a success, the {refused} with an error status \
             included; the error rate here does not.",
            success * 100.0
        ));
    }
    if unanswered > 0 {
        figures.notes.push(format!("{unanswered} requests got no response; the latencies leave them out."));
    }
    if cut_off > 0 {
        figures.notes.push(format!("{cut_off} requests were cut off when the time was up; they are left out."));
    }
    let (metrics, notes) = figures.finish("oha leaves out what nothing answered.");
    Ok(LoadTest {
        tool: LoadTestTool::Oha,
        version: None,
        captured_at: None,
        metrics,
        percentile_basis: "HTTP responses of any status; requests without a response (timeouts, refused connections) \
                           are left out."
            .to_owned(),
        error_basis: "A status other than 200 to 399, or no response.".to_owned(),
        notes,
    })
}

#[expect(clippy::cast_precision_loss, reason = "counts of requests stay far below 2^53")]
fn as_number(count: u64) -> f64 {
    count as f64
}
