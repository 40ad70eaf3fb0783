use domain::load_test::{LoadTest, LoadTestTool};
use domain::quantity::Unit;
use domain::signal::Ratio;
use proptest::prelude::*;

use super::{MAX_BYTES, parse};
use crate::import::ImportError;

const OHA: &str = include_str!("../../../tests/data/load_test/oha.json");
const OHA_UNREACHABLE: &str = include_str!("../../../tests/data/load_test/oha-unreachable.json");
const LOCUST: &str = include_str!("../../../tests/data/load_test/locust_stats.csv");
const LOCUST_IDLE: &str = include_str!("../../../tests/data/load_test/locust-idle_stats.csv");
const VEGETA: &str = include_str!("../../../tests/data/load_test/vegeta.json");
const K6_EXPORT: &str = include_str!("../../../tests/data/load_test/k6-summary-export.json");
const K6_HANDLED: &str = include_str!("../../../tests/data/load_test/k6-handle-summary.json");
const K6_MACHINE: &str = include_str!("../../../tests/data/load_test/k6-machine-readable.json");
const FIXTURES: [&str; 8] = [OHA, OHA_UNREACHABLE, LOCUST, LOCUST_IDLE, VEGETA, K6_EXPORT, K6_HANDLED, K6_MACHINE];

fn read(text: &str) -> LoadTest {
    parse(text.as_bytes(), "summary").unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(text: &str) -> String {
    match parse(text.as_bytes(), "summary") {
        Err(ImportError::Refused(reason)) => reason,
        other => panic!("not refused: {other:?}\n{text}"),
    }
}

/// The figures as a person reads them.
fn told(test: &LoadTest) -> Vec<String> {
    test.metrics.iter().map(|metric| format!("{} {}", metric.name, metric.quantity())).collect()
}

fn failed(test: &LoadTest) -> Option<(u64, u64)> {
    test.metric("error rate")?.ratio.map(|Ratio { numerator, denominator }| (numerator, denominator))
}

#[test]
fn an_output_of_oha() {
    let test = read(OHA);
    assert_eq!(test.tool, LoadTestTool::Oha);
    assert_eq!(
        told(&test),
        [
            "p10 4.658335 ms",
            "p25 10.124857 ms",
            "p50 16.104965 ms",
            "p75 25.001358 ms",
            "p90 64.952496 ms",
            "p95 100.86126 ms",
            "p99 292.321185 ms",
            "p99.9 428.682157 ms",
            "p99.99 431.499343 ms",
            "mean 29.8338764736842 ms",
            "min 0.351094 ms",
            "max 431.499343 ms",
            "error rate 0.05169172932330827",
            "requests 1064",
            "request rate 264.6572479549808 per second",
        ]
    );
    assert_eq!(failed(&test), Some((55, 1064)), "404 is an error, whatever oha's successRate says");
    assert_eq!(
        test.notes,
        [
            "oha's own success rate of 100.0% counts every response as a success, the 55 with an error status \
             included; the error rate here does not.",
            "8 requests were cut off when the time was up; they are left out.",
        ]
    );
    assert!(test.percentile_basis.contains("timeouts, refused connections"));
}

#[test]
fn an_output_of_oha_that_nothing_answered() {
    let test = read(OHA_UNREACHABLE);
    assert_eq!(told(&test)[..2], ["error rate 1", "requests 20"]);
    assert_eq!(failed(&test), Some((20, 20)));
    assert!(test.notes.iter().any(|note| note.starts_with("20 requests got no response")), "{:?}", test.notes);
    assert!(test.notes.iter().any(|note| note.starts_with("Missing: p50, p90, p95, p99.")), "{:?}", test.notes);
    assert_eq!(test.answer("p95"), None, "what is null was not measured");
}

#[test]
fn statistics_of_locust() {
    let test = read(LOCUST);
    assert_eq!(test.tool, LoadTestTool::Locust);
    assert_eq!(
        told(&test),
        [
            "p50 26 ms",
            "p66 53 ms",
            "p75 81 ms",
            "p80 100 ms",
            "p90 150 ms",
            "p95 230 ms",
            "p98 280 ms",
            "p99 310 ms",
            "p99.9 420 ms",
            "p99.99 420 ms",
            "mean 58.4813247160038 ms",
            "min 1.4497850024781656 ms",
            "max 420.7973379998293 ms",
            "error rate 0.052039381153305204",
            "requests 711",
            "request rate 87.3237239321281 per second",
        ]
    );
    assert_eq!(failed(&test), Some((37, 711)), "the row Aggregated, not a request's");
    assert!(test.percentile_basis.contains("two significant digits"));
    assert_eq!(test.notes, [""; 0]);
}

#[test]
fn a_percentile_that_locust_could_not_take_is_missing() {
    let row = ",Aggregated,711,37,";
    let at = LOCUST.find(row).expect("the row is there");
    let text = format!("{}{}", &LOCUST[..at], LOCUST[at..].replace(",230,", ",N/A,"));
    let read = read(&text);
    assert_eq!(read.metric("p95"), None);
    assert!(read.notes[0].starts_with("Missing: p95. Locust writes the columns"), "{:?}", read.notes);
}

#[test]
fn a_report_of_vegeta() {
    let test = read(VEGETA);
    assert_eq!(test.tool, LoadTestTool::Vegeta);
    assert_eq!(
        told(&test),
        [
            "p50 9.876543 ms",
            "p90 23.456789 ms",
            "p95 34.56789 ms",
            "p99 98.765432 ms",
            "mean 12.345678 ms",
            "min 0.812345 ms",
            "max 412.378628 ms",
            "error rate 0.015",
            "requests 10000",
            "request rate 500.050005 per second",
            "throughput 492.2462 per second",
        ]
    );
    assert_eq!(failed(&test), Some((150, 10_000)), "304 is no error; no response (0) is");
    assert_eq!(test.captured_at.map(|at| at.to_rfc3339()).as_deref(), Some("2026-07-14T09:00:20.010345678+00:00"));
}

#[test]
fn the_three_shapes_of_k6_say_the_same_of_the_same_run() {
    let latencies = ["p50 180.25 ms", "p90 1450.5 ms", "p95 2310 ms"];
    let rest = [
        "mean 412.5 ms",
        "min 3.2 ms",
        "max 5012.75 ms",
        "error rate 0.03",
        "requests 1200",
        "request rate 40 per second",
    ];
    let (export, handled, machine) = (read(K6_EXPORT), read(K6_HANDLED), read(K6_MACHINE));
    assert_eq!(told(&export), [&latencies[..], &rest].concat());
    assert_eq!(told(&machine), [&latencies[..], &rest].concat());
    assert_eq!(told(&handled), [&latencies[..], &["p99 4100.5 ms"], &rest].concat());
    for test in [&export, &handled, &machine] {
        assert_eq!(test.tool, LoadTestTool::K6);
        assert_eq!(failed(test), Some((36, 1200)), "`passes` and `matches` count failures");
    }
    assert_eq!(machine.version.as_deref(), Some("1.5.0"));
    assert_eq!(machine.captured_at.map(|at| at.to_rfc3339()).as_deref(), Some("2026-07-14T09:30:00.250+00:00"));
}

#[test]
fn the_thresholds_that_failed_in_k6_are_noted() {
    for text in [K6_EXPORT, K6_HANDLED] {
        let failed: Vec<_> =
            read(text).notes.into_iter().filter(|note| note.starts_with("k6's own threshold")).collect();
        assert_eq!(failed, ["k6's own threshold ‘p(95)<2000’ on http_req_duration failed."]);
    }
}

#[test]
fn the_newest_shape_of_k6_is_read_in_each_of_its_spellings() {
    let text = K6_MACHINE
        .replace("\"p95\"", "\"p(95)\"")
        .replace("\"p90\"", "\"p(90)\"")
        .replace("generated_at", "generatedAt")
        .replace("k6_version", "k6Version");
    assert_eq!(read(&text), read(K6_MACHINE));
    let mut document: serde_json::Value = serde_json::from_str(K6_MACHINE).expect("JSON");
    let list = document["results"]["metrics"].take();
    let by_name: serde_json::Map<_, _> = list
        .as_array()
        .expect("a list")
        .iter()
        .map(|metric| (metric["name"].as_str().expect("a name").to_owned(), metric.clone()))
        .collect();
    document["results"]["metrics"] = by_name.into();
    assert_eq!(read(&document.to_string()), read(K6_MACHINE));
}

#[test]
fn nothing_of_a_script_or_its_data_is_carried_over() {
    for text in [K6_HANDLED, K6_MACHINE] {
        let kept = serde_json::to_string(&read(text)).expect("it can be written");
        assert!(!kept.contains("not-to-be-kept") && !kept.contains("http.get"), "{kept}");
    }
}

#[test]
fn a_byte_order_mark_and_other_line_ends_change_nothing() {
    for text in FIXTURES.into_iter().filter(|text| *text != LOCUST_IDLE) {
        let other = format!("\u{FEFF}\r\n{}", text.replace('\n', "\r\n"));
        assert_eq!(read(&other), read(text));
    }
}

/// A fixture with a part replaced, which must be there.
fn with(text: &str, part: &str, by: &str) -> String {
    assert!(text.contains(part), "{part} is not in the fixture");
    text.replacen(part, by, 1)
}

#[test]
fn what_is_no_summary_is_refused_with_its_place_and_what_mends_it() {
    let table: Vec<(String, &str, &str)> = vec![
        // The file, words that name the place or the matter, words that mend it.
        (String::new(), "the file is empty", "k6 run --summary-export"),
        (" \n\t".into(), "the file is empty", "locust --csv"),
        ("Summary:\n  Success rate: 100%".into(), "line 1: no summary that is known", "oha --output-format json"),
        ("a,b\n1,2".into(), "‘a’, ‘b’", "vegeta report -type=json"),
        ("{}".into(), "begins with nothing", "what is read"),
        (r#"{"title": 1}"#.into(), "begins with ‘title’", "what is read"),
        ("[1]".into(), "a list is no summary", "what is read"),
        (r#"[{"name": "/", "num_requests": 3}]"#.into(), "Locust's JSON", "PREFIX_stats.csv"),
        ("{\"a\": 1,\n oops}".into(), "line 2, column 2: not JSON", "export the summary again"),
        (OHA[..OHA.len() / 2].into(), "the file is cut off", "export the summary again"),
        (
            "{\"type\":\"Metric\",\"data\":{},\"metric\":\"vus\"}\n{\"type\":\"Point\",\"data\":{},\"metric\":\"vus\"}"
                .into(),
            "k6's single measurements",
            "k6 run --summary-export=FILE",
        ),
        (
            "{\"attack\":\"\",\"seq\":0,\"latency\":5}\n{\"attack\":\"\",\"seq\":1,\"latency\":5}".into(),
            "vegeta's single requests",
            "vegeta report -type=json",
        ),
        // k6.
        (
            r#"{"metrics": {}}"#.into(),
            "metrics.http_req_duration, metrics.http_req_failed: missing",
            "--summary-export",
        ),
        (
            with(K6_EXPORT, "\"p(95)\": 2310", "\"p(95)\": \"2.3s\""),
            "metrics.http_req_duration.p(95): \"2.3s\"",
            "export",
        ),
        (with(K6_EXPORT, "\"avg\": 412.5", "\"avg\": -1"), "metrics.http_req_duration.avg: -1 is below zero", "export"),
        (
            with(K6_EXPORT, "\"count\": 1200", "\"count\": 0"),
            "metrics.http_reqs.count: no request",
            "run the test again",
        ),
        (with(K6_EXPORT, "\"value\": 0.03", "\"value\": 0.97"), "36 of 1200 requests failed, and the share", "export"),
        (with(K6_HANDLED, "\"passes\": 36,", "\"passes\": 1.5,"), "passes: 1.5 is no count", "export"),
        (
            with(K6_HANDLED, "\"contains\": \"time\"", "\"contains\": \"default\""),
            "metrics.http_req_duration.contains: ‘default’, not ‘time’",
            "another name",
        ),
        (
            with(K6_MACHINE, "\"matches\": 36", "\"matches\": 3600"),
            "3600 of 1200 requests failed, which cannot be",
            "export",
        ),
        (
            with(K6_MACHINE, "\"p95\": 2310", "\"p95\": true"),
            "results.metrics[1].values.p95: true is not a number",
            "export",
        ),
        // vegeta.
        (r#"{"latencies": {}}"#.into(), "requests: missing", "vegeta report -type=json"),
        (with(VEGETA, "\"requests\":10000", "\"requests\":0"), "requests: no request was sent", "run the attack again"),
        (with(VEGETA, "\"200\":9800", "\"200\":9000"), "status_codes: they count 9200 of 10000", "export"),
        (with(VEGETA, "\"success\":0.985", "\"success\":0.5"), "status_codes: 150 of 10000", "export"),
        (with(VEGETA, ":34567890", ":\"35ms\""), "latencies.95th: \"35ms\" is not a number", "export"),
        // oha.
        (
            r#"{"latencyPercentiles": {}}"#.into(),
            "statusCodeDistribution, errorDistribution: missing",
            "oha --output-format",
        ),
        (with(OHA, "\"404\": 55", "\"four\": 55"), "statusCodeDistribution.four: this is no HTTP status", "export"),
        (with(OHA, "\"404\": 55", "\"404\": -55"), "statusCodeDistribution.404: -55 is below zero", "export"),
        (
            r#"{"statusCodeDistribution": {}, "errorDistribution": {"aborted due to deadline": 3}}"#.into(),
            "no request ended",
            "run the test for longer",
        ),
        (with(OHA, "0.10086126", "\"0.1 s\""), "latencyPercentiles.p95: \"0.1 s\" is not a number", "export"),
        // Locust.
        (LOCUST_IDLE.into(), "line 2, column ‘Request Count’: no request was sent", "run the test again"),
        (LOCUST[..LOCUST.find(",Aggregated").expect("there")].into(), "no row ‘Aggregated’", "cut off"),
        (LOCUST[..LOCUST.len() - 40].into(), "line 4: ", "cut off"),
        (format!("{LOCUST}{}", LOCUST.lines().last().expect("a line")), "lines 4 and 5: two rows", "one by one"),
        (with(LOCUST, ",Aggregated,711,", ",Aggregated,many,"), "line 4, column ‘Request Count’: ‘many’", "export"),
        (with(LOCUST, ",Aggregated,711,", ",Aggregated,7,"), "line 4, column ‘Failure Count’: 37 of 7", "export"),
        (with(LOCUST, "58.4813247160038", "58s"), "line 4, column ‘Average Response Time’: ‘58s’", "export"),
        ("Timestamp,User Count,Type,Name\n".into(), "Locust's history", "PREFIX_stats.csv"),
        ("Method,Name,Error,Occurrences\n".into(), "Locust's failures", "PREFIX_stats.csv"),
        ("Count,Message,Traceback,Nodes\n".into(), "Locust's exceptions", "PREFIX_stats.csv"),
        ("Type,Name,# requests,# failures\n".into(), "an old Locust", "a newer one"),
    ];
    for (text, matter, mend) in table {
        let reason = refusal(&text);
        assert!(reason.starts_with("summary: "), "it names the file: {reason}");
        assert!(reason.contains(matter), "{reason}\n  does not say {matter}");
        assert!(reason.contains(mend), "{reason}\n  does not say {mend}");
        assert!(reason.chars().count() < 500, "{reason}");
    }
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let table: [(&[u8], &str); 4] = [
        (b"\xFF\xFE{\0}\0", "UTF-16"),
        (b"\xFE\xFF\0{\0}", "UTF-16"),
        (b"{\"a\": \"\xC3\x28\"}", "byte 7: not UTF-8"),
        (&vec![b' '; MAX_BYTES + 1], "a summary may have"),
    ];
    for (bytes, matter) in table {
        let error = parse(bytes, "summary").expect_err("no text").to_string();
        assert!(error.contains(matter), "{error}");
    }
}

#[test]
fn what_a_file_leaves_out_is_noted_and_never_guessed() {
    let table = [
        (with(K6_EXPORT, "\"http_req_failed\":", "\"failed\":"), "error rate", "Missing: http_req_failed"),
        (with(K6_EXPORT, "\"http_req_duration\":", "\"duration\":"), "p95", "Missing: http_req_duration"),
        (with(K6_EXPORT, "\"p(95)\": 2310,", ""), "p95", "Missing: p95, p99. k6 writes the columns"),
        (with(VEGETA, "\"status_codes\":", "\"codes\":"), "error rate", "Missing: status_codes"),
        (with(VEGETA, "\"95th\"", "\"94th\""), "p95", "Missing: p95."),
    ];
    for (text, name, note) in table {
        let test = read(&text);
        assert_eq!(test.metric(name), None);
        assert!(test.notes.iter().any(|found| found.starts_with(note)), "{:?}", test.notes);
    }
    let uncounted = read(&with(K6_EXPORT, "\"passes\": 36, \"fails\": 1164,", ""));
    let metric = uncounted.metric("error rate").expect("the share is stated");
    assert_eq!((metric.value.get(), metric.unit, metric.ratio), (0.03, Unit::Ratio, None));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse(&bytes, "summary");
    }

    #[test]
    fn a_changed_summary_is_read_or_refused_and_never_has_an_impossible_figure(
        fixture in 0..FIXTURES.len(),
        from in any::<proptest::sample::Index>(),
        length in 0_usize..40,
        by in "[ -~]{0,12}|null|-1|1e308|0|\"\"|\\{\\}|\\[\\]|,|\n",
    ) {
        let bytes = FIXTURES[fixture].as_bytes();
        let from = from.index(bytes.len());
        let until = (from + length).min(bytes.len());
        let changed = [&bytes[..from], by.as_bytes(), &bytes[until..]].concat();
        match parse(&changed, "summary") {
            Ok(test) => {
                for metric in &test.metrics {
                    prop_assert!(metric.value.get() >= 0.0);
                    prop_assert!(metric.unit != Unit::Ratio || metric.value.get() <= 1.0, "{:?}", metric);
                    prop_assert_eq!(test.metrics.iter().filter(|other| other.name == metric.name).count(), 1);
                }
            }
            Err(ImportError::Refused(reason)) => {
                prop_assert!(reason.starts_with("summary: ") && reason.len() < 1200, "{reason}");
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn any_fields_of_a_summary_are_read_or_refused(
        key in proptest::sample::select(vec![
            "metrics", "latencies", "latencyPercentiles", "statusCodeDistribution", "results", "summary",
        ]),
        inner in proptest::sample::select(vec![
            "http_req_duration", "http_req_failed", "metrics", "95th", "p95", "200", "values",
        ]),
        value in proptest::sample::select(vec![
            "1", "-1", "null", "[]", "{}", "\"x\"", "1e308",
            "[{\"name\":\"http_req_failed\",\"values\":{\"rate\":2}}]",
        ]),
    ) {
        let errors = format!(r#""errorDistribution": {{"e": {value}}}"#);
        let text = format!(r#"{{"{key}": {{"{inner}": {value}}}, "requests": {value}, {errors}}}"#);
        let _ = parse(text.as_bytes(), "summary");
    }
}
