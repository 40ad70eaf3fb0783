//! Load tests: which figure answers which criterion.

use domain::criterion::propose;
use domain::load_test::{ERROR_RATE, LoadMetric, LoadTest, LoadTestTool, MAX, MEAN, REQUEST_RATE, REQUESTS};
use domain::quantity::{Number, Unit};
use domain::signal::Ratio;
use domain::verification::VerificationKind;
use proptest::prelude::*;

fn metric(name: &str, value: f64, unit: Unit) -> LoadMetric {
    LoadMetric { name: name.into(), value: Number::try_from(value).expect("finite"), unit, ratio: None }
}

fn load_test() -> LoadTest {
    LoadTest {
        tool: LoadTestTool::Oha,
        version: None,
        captured_at: None,
        metrics: vec![
            metric("p50", 16.0, Unit::Milliseconds),
            metric("p95", 2310.0, Unit::Milliseconds),
            metric("p99.9", 2400.0, Unit::Milliseconds),
            metric(MEAN, 30.0, Unit::Milliseconds),
            metric(MAX, 2500.0, Unit::Milliseconds),
            LoadMetric {
                ratio: Some(Ratio { numerator: 7, denominator: 100 }),
                ..metric(ERROR_RATE, 0.07, Unit::Ratio)
            },
            metric(REQUESTS, 100.0, Unit::Count),
            metric(REQUEST_RATE, 25.0, Unit::PerSecond),
        ],
        percentile_basis: "all responses".into(),
        error_basis: "status 400 and above".into(),
        notes: vec![],
    }
}

#[test]
fn a_criterions_metric_finds_its_figure_or_none() {
    let table: &[(&str, &[&str])] = &[
        ("p95", &["p95", "P95", "p95 latency", "latency p95", "95th percentile", "95th percentile latency", "tp95"]),
        ("p95", &["p95 response time", "95th percentile of the response time", "p95 of all requests", "p95.0"]),
        ("p50", &["p50", "median", "median latency", "50th percentile"]),
        ("p99.9", &["p99.9", "p999 latency"]),
        ("mean", &["mean", "average latency", "mean response time", "avg request duration"]),
        ("max", &["max", "maximum latency", "slowest request"]),
        (
            "error rate",
            &["error rate", "Error Rate", "failure rate", "failed request rate", "share of failed requests"],
        ),
        ("success rate", &["success rate", "availability"]),
        ("request rate", &["request rate", "requests per second", "rps", "requests/s"]),
        ("requests", &["requests", "request count", "number of requests"]),
        // The file may hold no such figure; a request rate counts failed ones, and is no throughput.
        ("", &["p99", "min", "fastest request", "throughput"]),
        // It is about something else, or nothing.
        ("", &["", " ", "p", "p95 of the queue", "worker utilization when breaker opens", "checkout error rate"]),
        (
            "",
            &[
                "latency",
                "response time",
                "retries",
                "pages",
                "p95 p99",
                "mean p95",
                "p101",
                "p-5",
                "percentile",
                "pNaN",
            ],
        ),
        ("", &["error rate when alert fires", "queue depth", "time until alert fires", "p95 when breaker opens"]),
    ];
    for (expected, asked) in table {
        for words in *asked {
            let found = load_test().answer(words).map(|metric| metric.name).unwrap_or_default();
            assert_eq!(found, *expected, "{words:?}");
        }
    }
}

#[test]
fn a_success_rate_is_what_the_error_rate_leaves() {
    let success = load_test().answer("success rate").expect("there is an error rate");
    assert_eq!(success.ratio, Some(Ratio { numerator: 93, denominator: 100 }));
    assert_eq!((success.value.get(), success.unit), (0.93, Unit::Ratio));
    let mut unparted = load_test();
    unparted.metrics[5].ratio = None;
    let success = unparted.answer("success rate").expect("there is an error rate");
    assert_eq!((success.value.get(), success.ratio), (0.93, None));
}

#[test]
fn a_criterion_in_words_is_answered_by_a_load_test() {
    let table = [
        ("Load test holds p95 below 2s", "2.31 s is 0.31 s over the limit of 2 s (15.5%)"),
        ("Load test holds p50 below 2s", ""),
        ("error rate under 7%", "7% is exactly the limit, and must be below it"),
        ("error rate at most 7%", ""),
        ("success rate of at least 99%", "93% is 6 percentage points short of the required 99% (6.06%)"),
        ("Sustains at least 1500 requests per minute", ""),
    ];
    for (criterion, expected) in table {
        let Some(VerificationKind::Measured(measured)) = propose(criterion) else {
            panic!("{criterion} proposes nothing measured");
        };
        let found = load_test().answer(&measured.metric).unwrap_or_else(|| panic!("{criterion}: {measured}"));
        let told = measured.check(found.value.get(), found.unit).err().map(|miss| miss.to_string()).unwrap_or_default();
        assert_eq!(told, expected, "{criterion}");
    }
}

#[test]
fn a_load_test_reads_back_from_json() {
    let json = serde_json::to_value(load_test()).expect("it can be written");
    assert_eq!(json["tool"], "oha");
    assert_eq!(json["metrics"][1], serde_json::json!({"name": "p95", "value": 2310, "unit": "ms", "ratio": null}));
    assert_eq!(serde_json::from_value::<LoadTest>(json).expect("it reads back"), load_test());
}

proptest! {
    #[test]
    fn any_words_are_looked_up_without_a_panic(words in "\\PC{0,60}|[p0-9. th]{0,12}( percentile)?") {
        let _ = load_test().answer(&words);
    }
}
