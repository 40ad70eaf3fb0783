//! What is read of files of values and of answers, as tables, and that neither ever brings the program down.

use std::io::Write as _;

use domain::signal::Point;
use domain::wire::signals::{PrometheusQuery, SignalsReport, ValueMapping};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Parsed, csv, matrix, preview_answer, preview_csv};
use crate::import::ImportError;

fn read(text: &[u8], mapping: &ValueMapping) -> Result<Parsed, String> {
    csv::read(text, mapping, "values.csv").map_err(|error| error.to_string())
}

/// Points as `09:46:00=1.5`, a gap without its value.
fn told(points: &[Point]) -> String {
    let told = points.iter().map(|point| {
        let value = point.value.map(|value| value.to_string()).unwrap_or_default();
        format!("{}={value}", point.at.format("%H:%M:%S%.f"))
    });
    told.collect::<Vec<_>>().join(" ")
}

fn refusals(report: &SignalsReport) -> Vec<String> {
    report.refused.rows.iter().map(|row| format!("{} {}", row.place, row.reason)).collect()
}

#[test]
fn a_file_is_read_however_it_is_written() {
    let zoned = |zone: &str| ValueMapping { zone: Some(zone.to_owned()), ..ValueMapping::default() };
    let expected = "09:46:00=1.5 09:47:00=-2";
    for (text, mapping) in [
        ("time,jobs\n2026-07-09T09:46:00Z,1.5\n2026-07-09T09:47:00Z,-2\n", ValueMapping::default()),
        (
            "\u{FEFF}Time;jobs\r\n2026-07-09 11:46:00+02:00;1.5\r\n2026-07-09 11:47:00+02:00;-2e0",
            ValueMapping::default(),
        ),
        ("\"jobs\"\t\"timestamp\"\n1.50\t1783590360\n-2.0\t1783590420\n", ValueMapping::default()),
        ("ts,jobs\n1783590420000,-2\n1783590360000,+1.5\n", ValueMapping::default()),
        ("time,jobs\n2026-07-09 11:46,1.5\n2026-07-09 11:47,-2\n", zoned("Europe/Berlin")),
    ] {
        let parsed = read(text.as_bytes(), &mapping).expect(text);
        assert_eq!(told(&parsed.signals[0].points), expected, "{text}");
        assert_eq!((&*parsed.signals[0].title, parsed.report.refused.total), ("jobs", 0), "{text}");
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).expect("compressed");
        let zstd = zstd::encode_all(text.as_bytes(), 1).expect("compressed");
        for packed in [gzip.finish().expect("compressed"), zstd] {
            assert_eq!(read(&packed, &mapping).expect(text).signals, parsed.signals, "{text}");
        }
    }
}

#[test]
fn each_column_of_numbers_is_a_signal_and_what_is_none_is_marked_as_a_gap() {
    let text = "time,p50,p95,note\n\
        2026-07-09T09:46:00Z,1,,deploy\n2026-07-09T09:47:00Z,NaN,7,\n2026-07-09T09:48:00Z,null,8,\n\
        2026-07-09T09:49:00Z,+Inf,9,\n2026-07-09T09:50:00Z,2,-Inf,back\n";
    let parsed =
        read(text.as_bytes(), &ValueMapping { unit: Some("s".into()), ..ValueMapping::default() }).expect("read");
    assert_eq!(told(&parsed.signals[0].points), "09:46:00=1 09:47:00= 09:50:00=2");
    assert_eq!(told(&parsed.signals[1].points), "09:46:00= 09:47:00=7 09:48:00=8 09:49:00=9 09:50:00=");
    let report = &parsed.report;
    assert_eq!(report.passed_over, ["note"]);
    assert_eq!(report.mapping.values, ["p50", "p95"]);
    let counts = |i: usize| {
        (report.signals[i].count, report.signals[i].gaps, report.signals[i].not_numbers, report.signals[i].infinite)
    };
    assert_eq!((counts(0), counts(1)), ((3, 1, 1, 1), (5, 2, 0, 1)));
    assert_eq!(report.signals[0].counted(), "3 points, 1 gap, 1 not a number, 1 infinite");
    let one = ValueMapping { values: vec!["P95".into()], title: Some("Latency".into()), ..ValueMapping::default() };
    let parsed = read(text.as_bytes(), &one).expect("read");
    assert_eq!((&*parsed.signals[0].title, parsed.signals.len()), ("Latency", 1));
    assert_eq!(parsed.report.passed_over, ["note"], "p50 was not asked for, and holds values");
}

#[test]
fn each_row_that_is_not_taken_is_told_with_its_line() {
    let text = "time,jobs\n2026-07-09T09:46:00Z,1\n2026-07-09T09:46:00Z,1\nsoon,1\n2026-07-09T09:47:00Z,many\n\
        2026-07-09T09:48:00Z\n2026-07-09T09:46:00.0004Z,2\n2026-07-09T09:49:00Z,\"3\n2026-07-09T09:50:00Z,\"4\"\n\
        2026-07-09T09:51:00Z,1,5\n";
    let parsed = read(text.as_bytes(), &ValueMapping::default()).expect("read");
    assert_eq!(told(&parsed.signals[0].points), "09:46:00=1 09:50:00=4");
    assert_eq!((parsed.report.rows_read, parsed.report.repeated), (9, 1));
    let refused = refusals(&parsed.report);
    for (told, wanted) in refused.iter().zip([
        "4 time ‘soon’ is not a time",
        "5 jobs ‘many’ is not a number",
        "6 1 fields where the header has 2",
        "7 line 2 gives this time",
        "8 a quote opens",
        "10 3 fields where",
    ]) {
        assert!(told.starts_with(wanted), "{told}");
    }
    assert_eq!(refused.len(), 6, "{refused:?}");
}

#[test]
fn a_file_of_no_use_is_refused_and_told_why() {
    let of = |values: &[&str]| ValueMapping {
        values: values.iter().map(|&value| value.to_owned()).collect(),
        ..ValueMapping::default()
    };
    let wide = format!("time{}\n2026-07-09T09:46:00Z{}\n", ",v".repeat(101), ",1".repeat(101));
    for (text, mapping, wanted) in [
        ("", of(&[]), "the file is empty"),
        ("when,jobs\n1,2\n", of(&[]), "which column holds the time?"),
        ("time,jobs\n", of(&[]), "no column besides ‘time’ holds numbers"),
        ("time,note\n2026-07-09T09:46:00Z,up\n", of(&[]), "no column besides ‘time’ holds numbers"),
        ("time,jobs\n2026-07-09 09:46,1\n", of(&[]), "name no zone"),
        ("time,jobs\nsoon,1\n", of(&[]), "none of the 1 rows could be read; line 2"),
        ("time,jobs\n2026-07-09T09:46:00Z,1\n", of(&["p95"]), "no column is named ‘p95’"),
        ("time,jobs\n2026-07-09T09:46:00Z,1\n", of(&["jobs", "jobs"]), "taken twice"),
        ("time,jobs\n2026-07-09T09:46:00Z,1\n", of(&["time"]), "which column holds the time?"),
        ("time,time,jobs\n2026-07-09T09:46:00Z,1,1\n", of(&[]), "two columns are named ‘time’"),
        ("{\"time\": 1}\n", of(&[]), "the file is JSON"),
        (&wide, of(&[]), "101 columns of values"),
    ] {
        let refused = read(text.as_bytes(), &mapping).expect_err(text);
        assert!(refused.contains(wanted), "{text}: {refused}");
    }
}

#[test]
fn a_file_is_pictured_from_its_head_or_its_trouble_is_told() {
    let rows = (0..20_000).map(|i| format!("{},{}\n", 1_783_590_360 + i, i % 7)).collect::<Vec<_>>().concat();
    let text = format!("time,jobs\n{rows}");
    let told = preview_csv(&text.as_bytes()[..100_000], "a.csv", &ValueMapping::default()).expect("looked at");
    assert_eq!((told.trouble.as_deref(), told.refused.total, told.sha256.as_deref()), (None, 0, None));
    assert!(told.rows_read > 5000 && told.signals[0].count == told.rows_read, "{}", told.rows_read);
    assert!((100..700).contains(&told.signals[0].points.len()), "{}", told.signals[0].points.len());
    assert_eq!(told.columns[1].values, ["0", "1", "2"]);
    let told = preview_csv(b"time,jobs\n2026-07-09 09:46,1\n", " ", &ValueMapping::default()).expect("looked at");
    assert!(told.trouble.is_some_and(|trouble| trouble.contains("name no zone")));
    assert_eq!((told.file_name.as_str(), told.mapping.time.as_deref()), ("values", Some("time")));
    let refused = preview_csv(b"PK\x03\x04", "a.zip", &ValueMapping::default()).expect_err("a zip archive");
    assert!(refused.to_string().contains("zip"), "{refused}");
}

fn query(step_seconds: u32) -> PrometheusQuery {
    PrometheusQuery {
        server: "main".into(),
        query: " rate(jobs_total[5m]) ".into(),
        from: "2026-07-09T09:46:00Z".parse().expect("a time"),
        until: "2026-07-09T09:51:00Z".parse().expect("a time"),
        step_seconds,
        title: None,
        unit: Some("jobs".into()),
    }
}

fn answer(result: &Value) -> Vec<u8> {
    json!({"status": "success", "data": {"resultType": "matrix", "result": result}, "warnings": ["w"], "infos": ["i"]})
        .to_string()
        .into_bytes()
}

fn at(minute: u32) -> f64 {
    f64::from(1_783_590_360 + minute * 60)
}

#[test]
fn an_answer_becomes_a_signal_for_each_series_with_its_gaps() {
    let result = json!([
        {"metric": {"__name__": "jobs", "queue": "a"}, "values": [[at(0), "1"], [at(1), "NaN"], [at(4), "2.5"], [at(5), "+Inf"]]},
        {"metric": {"queue": "b"}, "values": [[at(2), "-Inf"], [at(3), "1e3"]]},
        {"metric": {}, "values": []},
    ]);
    let parsed = matrix::read(&answer(&result), &query(60), "main.json").expect("read");
    assert_eq!(told(&parsed.signals[0].points), "09:46:00=1 09:47:00= 09:50:00=2.5 09:51:00=");
    assert_eq!(told(&parsed.signals[1].points), "09:48:00= 09:49:00=1000 09:50:00=");
    assert_eq!(parsed.signals[2].points, []);
    let named: Vec<String> = parsed.report.signals.iter().map(domain::wire::signals::SignalRead::named).collect();
    assert_eq!(
        named,
        ["jobs {queue=\"a\"} (jobs)", "rate(jobs_total[5m]) {queue=\"b\"} (jobs)", "rate(jobs_total[5m]) (jobs)"]
    );
    let read = &parsed.report.signals;
    assert_eq!((read[0].not_numbers, read[0].infinite, read[0].gaps), (1, 1, 2));
    assert_eq!((read[1].infinite, read[1].gaps, read[2].span), (1, 2, None));
    assert_eq!(parsed.report.prometheus.expect("asked").warnings, ["w", "i"]);
    // Without a break there is no gap.
    let whole: Vec<Value> = (0..6).map(|minute| json!([at(minute), "1"])).collect();
    let parsed = matrix::read(&answer(&json!([{"metric": {}, "values": whole}])), &query(60), "x").expect("read");
    assert_eq!((parsed.report.signals[0].count, parsed.report.signals[0].gaps), (6, 0));
}

#[test]
fn an_answer_of_no_use_is_refused_and_told_why() {
    let many: Vec<Value> =
        (0..101).map(|i| json!({"metric": {"i": i.to_string()}, "values": [[at(0), "1"]]})).collect();
    for (bytes, wanted) in [
        (answer(&json!([])), "no series in that time"),
        (answer(&json!([{"metric": {}, "values": []}])), "no series in that time"),
        (answer(&json!([{"metric": {}, "histograms": [[at(0), {"count": "1"}]]}])), "native histograms"),
        (answer(&json!(many)), "101 series"),
        (answer(&json!([{"metric": {}, "values": [[at(0), "many"]]}])), "‘many’, which is no value"),
        (answer(&json!([{"metric": {}, "values": [[at(0), "1"], [at(0) + 1.0, "1"]]}])), "closer together"),
        (b"<html>".to_vec(), "none that Prometheus gives"),
        (json!({"status": "error", "error": "x"}).to_string().into_bytes(), "the query failed"),
        (
            json!({"status": "success", "data": {"resultType": "scalar", "result": []}}).to_string().into_bytes(),
            "a scalar, and not series",
        ),
    ] {
        let refused = matrix::read(&bytes, &query(60), "x").expect_err(wanted);
        assert!(matches!(&refused, ImportError::Refused(reason) if reason.contains(wanted)), "{wanted}: {refused}");
        let told = preview_answer(&bytes, &query(60)).expect("looked at");
        assert!(told.trouble.is_some_and(|trouble| trouble.contains(wanted)), "{wanted}");
    }
}

proptest! {
    #[test]
    fn no_file_brings_it_down(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes, &ValueMapping::default());
        let _ = preview_csv(&bytes, "x", &ValueMapping::default());
    }

    #[test]
    fn no_table_brings_it_down_and_each_row_is_accounted_for(
        rows in prop::collection::vec("(2026-07-09T09:4[0-3]:00Z|[0-9:TZ-]{0,20}|\"){1}[,;](1|2|-?[0-9.eE]{0,400}|NaN|Inf|\"|){1}[,;]?", 0..30)
    ) {
        let text = format!("time,jobs\n{}", rows.join("\n"));
        if let Ok(Parsed { report, signals }) = read(text.as_bytes(), &ValueMapping::default()) {
            let marks = |cell: fn(&domain::wire::signals::SignalRead) -> u64| report.signals.iter().map(cell).sum::<u64>();
            prop_assert!(marks(|read| read.count) + report.repeated + report.refused.total <= report.rows_read);
            prop_assert!(signals.iter().all(|signal| signal.points.windows(2).all(|pair| pair[0].at < pair[1].at)));
            prop_assert!(signals.iter().flat_map(|s| &s.points).all(|p| p.value.is_none_or(f64::is_finite)));
        }
    }

    #[test]
    fn no_answer_brings_it_down(
        values in prop::collection::vec((any::<f64>(), "(NaN|[+-]?Inf|-?[0-9]{1,400}(\\.[0-9]{1,5})?|[a-z]{0,3})"), 0..20),
        cut in 0..400_usize,
    ) {
        let values: Vec<Value> = values.into_iter().map(|(at, value)| json!([at, value])).collect();
        let whole = answer(&json!([{"metric": {"a": "b"}, "values": values}]));
        let _ = matrix::read(&whole, &query(1), "x");
        let _ = preview_answer(&whole[..cut.min(whole.len())], &query(1));
    }
}

#[test]
fn columns_that_could_not_be_told_apart_again_are_refused_and_nameless_ones_are_counted() {
    for (text, said) in [
        ("time,q,q\n2026-07-09T09:46:00Z,1,2\n", "line 1: two columns are named ‘q’; keep one"),
        ("time,,\n2026-07-09T09:46:00Z,1,2\n", "line 1: two columns are named ‘’; keep one"),
        (
            "time,time,q\n2026-07-09T09:46:00Z,2026-07-09T09:46:00Z,2\n",
            "line 1: two columns are named ‘time’; keep one",
        ),
    ] {
        assert_eq!(read(text.as_bytes(), &ValueMapping::default()).err().as_deref(), Some(said), "{text}");
    }
    let parsed = read(b"time,\n2026-07-09T09:46:00Z,1\n", &ValueMapping::default()).expect("read");
    assert_eq!(parsed.signals[0].title, "column 2");
    // What was read is read again by what is recorded of it.
    let again = read(b"time,\n2026-07-09T09:46:00Z,1\n", &parsed.report.mapping).expect("read");
    assert_eq!(again.signals, parsed.signals);
}

#[test]
fn names_and_numbers_of_columns_are_bounded() {
    let long = "q".repeat(501);
    for (text, mapping) in [
        (format!("time,{long}\n2026-07-09T09:46:00Z,1\n"), ValueMapping::default()),
        (
            "time,q\n2026-07-09T09:46:00Z,1\n".to_owned(),
            ValueMapping { title: Some(long.clone()), ..ValueMapping::default() },
        ),
        (
            "time,q\n2026-07-09T09:46:00Z,1\n".to_owned(),
            ValueMapping { unit: Some(long.clone()), ..ValueMapping::default() },
        ),
        (format!("time{}\n", ",q".repeat(20_000)), ValueMapping::default()),
    ] {
        let error = read(text.as_bytes(), &mapping).expect_err("refused");
        assert!(error.len() < 200, "{error}");
    }
}

#[test]
fn a_time_that_stands_for_none_is_refused_with_its_line() {
    let text = b"time,q\n0001-01-01T00:00:00Z,1\n2026-07-09T09:46:00Z,2\n9999-12-31T23:59:59Z,3\n";
    let parsed = read(text, &ValueMapping::default()).expect("read");
    assert_eq!(told(&parsed.signals[0].points), "09:46:00=2");
    assert_eq!(
        refusals(&parsed.report),
        [
            "2 time ‘0001-01-01T00:00:00Z’ is of a year that is none of 1970 to 2200",
            "4 time ‘9999-12-31T23:59:59Z’ is of a year that is none of 1970 to 2200",
        ]
    );
}

#[test]
fn an_answer_of_another_time_is_refused_and_its_warnings_are_bounded() {
    for at in [0.0, at(0) - 61.0, 1e300, -1e300] {
        let answer = answer(&json!([{"metric": {}, "values": [[at, "1"]]}]));
        let refused = matrix::read(&answer, &query(60), "a.json").map_err(|error| error.to_string()).err();
        assert_eq!(refused.as_deref(), Some("the answer has values of a time that was not asked for"), "{at}");
    }
    let mut answered: Value =
        serde_json::from_slice(&answer(&json!([{"metric": {}, "values": [[at(0), "1"]]}]))).expect("JSON");
    answered["warnings"] = vec!["w".repeat(10_000); 1_000].into();
    let read = matrix::read(answered.to_string().as_bytes(), &query(60), "a.json").expect("read");
    let warnings = read.report.prometheus.expect("asked").warnings;
    assert!(warnings.len() == 20 && warnings.iter().all(|warning| warning.len() == 500));
}
