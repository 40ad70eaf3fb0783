//! Generated logs against a slow and obvious reading of the same rows, and each way in which a row can be wrong.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::io::Write as _;

use chrono::DateTime;
use domain::mapping::{Mapping, TimeFormat};
use proptest::prelude::*;

use super::join::join;
use super::scan::{Pieces, Scanned, scan};
use super::spill::Spool;
use super::*;

fn read(bytes: &[u8], asked: &Mapping) -> Result<Scanned, String> {
    let spool = Spool::new(&std::env::temp_dir());
    let pieces = Pieces::new(bytes).map_err(|error| error.to_string())?;
    scan(pieces, asked, &spool, |_| {}).map_err(|error| error.to_string())
}

const HEADER: &str = "ts,attempt_id,customer_id,outcome,latency_ms,note\n";
const GOOD: &str = "2026-07-09T09:46:00Z,a0,c1,failed,12.5,\n";

#[test]
fn every_way_in_which_a_row_can_be_wrong_is_named_with_its_line_and_costs_no_other() {
    for (row, reason) in [
        ("2026-07-09T09:46:00Z,a1,c1,timeout,,", "outcome ‘timeout’ is neither ‘completed’ nor ‘failed’"),
        ("2026-07-09T09:46:00Z,a1,c1,Failed,,", "outcome ‘Failed’ is neither"),
        ("2026-07-09T09:46:00Z,a1,c1,,,", "outcome ‘’ is neither"),
        ("2026-07-09T09:46:00Z,,c1,failed,,", "attempt_id is empty"),
        ("2026-07-09T09:46:00Z,a1, ,failed,,", "customer_id is empty"),
        ("2026-07-09T09:46:00Z,a1,c1,failed,slow,", "latency_ms ‘slow’ is not a number of milliseconds"),
        ("2026-07-09T09:46:00Z,a1,c1,failed,-1,", "latency_ms ‘-1’ is not a number of milliseconds"),
        ("2026-07-09T09:46:00Z,a1,c1,failed,inf,", "latency_ms ‘inf’ is not a number of milliseconds"),
        (",a1,c1,failed,,", "ts ‘’ is not a time"),
        ("2026-07-09 09:46,a1,c1,failed,,", "ts ‘2026-07-09 09:46’ is not a time with a zone"),
        ("03/04/2026 09:46,a1,c1,failed,,", "a date whose day and month may be either; write YYYY-MM-DD"),
        ("2026-02-29T09:46:00Z,a1,c1,failed,,", "is not a time with date and zone"),
        ("1783590360,a1,c1,failed,,", "is not a time with date and zone"),
        ("2026-07-09T09:46:00Z,a1,c1,failed,", "5 fields where the header has 6"),
        ("2026-07-09T09:46:00Z,a1,c1,failed,,,", "7 fields where the header has 6"),
        ("2026-07-09T09:46:00Z,a1,c1,failed,,\"open", "a quote opens on this line"),
        ("2026-07-09T09:46:00Z,\"a1,c1,failed,,", "a quote opens on this line"),
        (&format!("2026-07-09T09:46:00Z,{},c1,failed,,", "a".repeat(1025)), "attempt_id has more than 1024 bytes"),
        ("\u{0}", "1 fields where the header has 6"),
    ] {
        let text = format!("{HEADER}{GOOD}{row}\n2026-07-09T09:47:00Z,a2,c2,completed,,\n");
        let read = read(text.as_bytes(), &Mapping::default()).expect(row);
        let told: Vec<_> = read.refused.rows.iter().map(|row| (row.place, row.reason.contains(reason))).collect();
        assert_eq!(told, [(3, true)], "{row}: {:?}", read.refused);
        assert_eq!(read.rows_read, 3, "{row}");
    }
}

#[test]
fn every_way_in_which_an_object_can_be_wrong_is_named_with_its_line_and_costs_no_other() {
    let good =
        |id: &str| format!(r#"{{"ts":"2026-07-09T09:46:00Z","attempt_id":"{id}","customer_id":7,"outcome":"failed"}}"#);
    for (line, reason) in [
        ("{\"ts\":", "not a JSON object"),
        ("[1]", "not a JSON object"),
        ("ts,attempt_id", "not a JSON object"),
        (r#"{"ts":"2026-07-09T09:46:00Z","customer_id":7,"outcome":"failed"}"#, "attempt_id is empty"),
        (
            r#"{"ts":"2026-07-09T09:46:00Z","attempt_id":null,"customer_id":7,"outcome":"failed"}"#,
            "attempt_id is empty",
        ),
        (
            r#"{"ts":"2026-07-09T09:46:00Z","attempt_id":"a","customer_id":{"id":7},"outcome":"failed"}"#,
            "‘customer_id’ is a list or an object",
        ),
        (
            r#"{"ts":"2026-07-09T09:46:00Z","attempt_id":"a","customer_id":7,"outcome":true}"#,
            "outcome ‘true’ is neither",
        ),
        (r#"{"ts":"soon","attempt_id":"a","customer_id":7,"outcome":"failed"}"#, "ts ‘soon’ is not a time"),
        (r#"{"ts":"2026-07-09T09:46:00Z","ts":"2026-07-09T09:46:00Z","attempt_id":"a"}"#, "‘ts’ stands in it twice"),
    ] {
        let text = format!("{}\n{line}\n\n{}", good("a1"), good("a2"));
        let read = read(text.as_bytes(), &Mapping::default()).expect(line);
        let told: Vec<_> = read.refused.rows.iter().map(|row| (row.place, row.reason.contains(reason))).collect();
        assert_eq!((told, read.rows_read), (vec![(2, true)], 3), "{line}: {:?}", read.refused);
    }
}

#[test]
fn a_file_that_is_of_no_use_is_refused_with_what_mends_it() {
    let gz = |bytes: &[u8]| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(bytes).expect("written");
        out.finish().expect("written")
    };
    let long = format!("{HEADER}{}", GOOD.repeat(50_000));
    let (whole_gz, whole_zst) = (gz(long.as_bytes()), zstd::encode_all(long.as_bytes(), 3).expect("compressed"));
    let mut damaged = whole_gz.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xFF;
    for (bytes, reason) in [
        (&b""[..], "the file is empty"),
        (b"\xEF\xBB\xBF \n", "the file is empty"),
        (b"\xFF\xFEt\0s\0", "UTF-16"),
        (b"PK\x03\x04....", "a zip archive"),
        (b"[{\"ts\":1}]", "one object a line"),
        (HEADER.as_bytes(), "the file has no rows"),
        (b"ts,outcome\n1,2\n", "which column holds the attempt, the customer?"),
        (b"ts,ts,attempt_id,customer_id,outcome\n1,1,2,3,failed\n", "line 1: two columns are named ‘ts’"),
        (b"ts,attempt_id,customer_id,outcome\n2026-07-09 09:46,a,c,failed\n", "name no zone"),
        (b"ts,attempt_id,customer_id,outcome\n03/04/2026,a,c,failed\n", "line 2: ts ‘03/04/2026’"),
        (&whole_gz[..middle], "the archive ends before its end"),
        (&whole_zst[..whole_zst.len() / 2], "the archive ends before its end"),
        (&damaged, "the archive is damaged"),
    ] {
        let refused = read(bytes, &Mapping::default()).map(|read| read.rows_read);
        assert!(refused.as_ref().is_err_and(|told| told.contains(reason)), "{reason}: {refused:?}");
    }
    let two = [gz(HEADER.as_bytes()), gz(GOOD.as_bytes())].concat();
    assert_eq!(read(&two, &Mapping::default()).expect("two members").rows_read, 1);
    for whole in [whole_gz, whole_zst] {
        assert_eq!(read(&whole, &Mapping::default()).expect("whole").rows_read, 50_000);
    }
}

#[test]
fn columns_are_told_by_their_usual_names_or_as_asked() {
    let text = "Timestamp;ID;User_ID;Status;region\n1783590360;a;c;ok;eu\n1783590361;b;c;KO;us\n";
    let asked = Mapping {
        labels: vec!["region".to_owned()],
        completed: vec!["ok".to_owned()],
        failed: vec!["KO".to_owned()],
        ..Mapping::default()
    };
    let found = read(text.as_bytes(), &asked).expect("readable");
    assert_eq!((found.rows_read, found.refused.total), (2, 0), "{:?}", found.refused);
    let mapping = found.mapping;
    assert_eq!(mapping.time_format, Some(TimeFormat::EpochSeconds));
    let columns = [&mapping.time, &mapping.attempt, &mapping.customer, &mapping.outcome, &mapping.latency];
    let expected = [Some("Timestamp"), Some("ID"), Some("User_ID"), Some("Status"), None];
    assert_eq!(columns.map(|column| column.as_deref()), expected);
    for (asked, reason) in [
        (Mapping { time: Some("when".to_owned()), ..asked.clone() }, "no column is named ‘when’"),
        (Mapping { latency: Some("region".to_owned()), ..asked.clone() }, "taken twice"),
        (Mapping { completed: vec!["KO".to_owned()], ..asked.clone() }, "cannot mean both"),
        (Mapping { zone: Some("Mars/Base".to_owned()), ..asked }, "a region such as Europe/Berlin"),
    ] {
        let refused = read(text.as_bytes(), &asked).map(|read| read.rows_read);
        assert!(refused.as_ref().is_err_and(|told| told.contains(reason)), "{reason}: {refused:?}");
    }
}

/// A row that the generator made.
#[derive(Debug, Clone)]
enum Line {
    /// An attempt: its number, customer, minute, millisecond, whether it failed, latency, and whether it is quoted.
    Attempt(u8, u8, u8, u16, bool, Option<u8>, bool),
    /// A note that runs over lines.
    Noted(u8),
    Bad(u8),
    Blank,
}

const BAD: [&str; 6] = [
    "2026-07-09T09:46:00Z,x,c,maybe,,",
    "soon,x,c,failed,,",
    "2026-07-09T09:46:00Z,x,c,failed",
    "2026-07-09T09:46:00Z,,c,failed,,",
    "2026-07-09T09:46:00Z,\"x,c,failed,,",
    "2026-07-09T09:46:00Z,x,c,failed,,\"never closed",
];

fn line() -> impl Strategy<Value = Line> {
    prop_oneof![
        12 => (0..40_u8, 0..9_u8, 0..4_u8, 0..60_000_u16, any::<bool>(), proptest::option::of(0..9_u8), any::<bool>())
            .prop_map(|(id, who, minute, ms, failed, latency, quoted)| Line::Attempt(id, who, minute, ms, failed, latency, quoted)),
        2 => (40..60_u8).prop_map(Line::Noted),
        1 => (0..6_u8).prop_map(Line::Bad),
        1 => Just(Line::Blank),
    ]
}

/// What an attempt says: when, who, whether it failed, and how long it took.
type Said = (i64, String, bool, Option<u8>);

/// What the obvious reading finds.
#[derive(Debug, Default, PartialEq)]
struct Found {
    known: HashMap<String, Said>,
    refused: Vec<u64>,
    new: u64,
    repeated: u64,
    conflicting: Vec<u64>,
}

const START: i64 = 1_783_590_360_000;

/// Writes a file, and reads it on the way.
fn write(lines: &[Line], known: &HashMap<String, Said>, crlf: bool) -> (String, Found) {
    let (cr, end) = if crlf { ("\r", "\r\n") } else { ("", "\n") };
    let mut text = format!("{}{end}", HEADER.trim_end());
    let mut found = Found { known: known.clone(), ..Found::default() };
    let mut number = 2;
    for line in lines {
        let mut attempt = |id: String, said: Said| match found.known.get(&id) {
            None => {
                found.new += 1;
                found.known.insert(id, said);
            }
            Some(first) if *first == said => found.repeated += 1,
            Some(_) => found.conflicting.push(number),
        };
        match line {
            Line::Attempt(id, who, minute, ms, failed, latency, quoted) => {
                let at = START + i64::from(*minute) * 60_000 + i64::from(*ms);
                attempt(format!("a{id}"), (at, format!("c{who}"), *failed, *latency));
                let at = DateTime::from_timestamp_millis(at).expect("in range").format("%Y-%m-%dT%H:%M:%S%.3fZ");
                let (outcome, q) = (if *failed { "failed" } else { "completed" }, if *quoted { "\"" } else { "" });
                let latency = latency.map(|ms| ms.to_string()).unwrap_or_default();
                let note = if *quoted { "\"a, b\"" } else { "a" };
                writeln!(text, "{at},{q}a{id}{q},{q}c{who}{q},{outcome},{latency},{note}{cr}").expect("written");
                number += 1;
            }
            Line::Noted(id) => {
                attempt(format!("a{id}"), (START, "c".to_owned(), true, None));
                writeln!(text, "2026-07-09T09:46:00Z,a{id},c,failed,,\"said \"\"no\"\"{end}{end}twice\"{cr}")
                    .expect("written");
                number += 3;
            }
            Line::Bad(kind) => {
                found.refused.push(number);
                text += BAD[usize::from(*kind)];
                text += end;
                number += 1;
            }
            Line::Blank => {
                text += end;
                number += 1;
            }
        }
    }
    (text, found)
}

proptest! {
    #[test]
    fn generated_logs_are_read_as_the_obvious_way_reads_them(
        files in proptest::collection::vec((proptest::collection::vec(line(), 1..60), any::<bool>(), 0..3_u8), 1..4),
        size in 40..600_usize,
    ) {
        let spool = Spool::new(&std::env::temp_dir());
        let (mut known, mut spilled) = (HashMap::new(), Vec::new());
        for (lines, crlf, packing) in files {
            let (text, found) = write(&lines, &known, crlf);
            let bytes = match packing {
                1 => zstd::encode_all(text.as_bytes(), 1).expect("compressed"),
                2 => {
                    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                    out.write_all(text.as_bytes()).expect("written");
                    out.finish().expect("written")
                }
                _ => text.clone().into_bytes(),
            };
            let pieces = Pieces::new(&bytes[..]).expect("readable").of_size(size);
            let Ok(scanned) = scan(pieces, &Mapping::default(), &spool, |_| {}) else {
                prop_assert!(found.new + found.repeated + found.conflicting.len() as u64 == 0, "{}", text);
                continue;
            };
            let refused: Vec<u64> = scanned.refused.rows.iter().map(|row| row.place).collect();
            prop_assert_eq!(&refused, &found.refused, "{}", text);
            spilled.push(scanned.rows);
            let (joined, bins) = minutes(&spilled).expect("joined");
            prop_assert_eq!((joined.new, joined.repeated), (found.new, found.repeated), "{}", text);
            let conflicting: Vec<u64> = joined.conflicting.told().rows.iter().map(|row| row.place).collect();
            prop_assert_eq!(conflicting, found.conflicting, "{}", text);
            let mut expected = BTreeMap::<i64, (u64, u64)>::new();
            for (at, _, failed, _) in found.known.values() {
                let bin = expected.entry(at.div_euclid(60_000) * 60_000).or_default();
                *bin = (bin.0 + u64::from(*failed), bin.1 + 1);
            }
            let bins = bins.iter().map(|bin| (bin.at.timestamp_millis(), (bin.numerator, bin.denominator)));
            prop_assert_eq!(bins.collect::<BTreeMap<_, _>>(), expected);
            known = found.known;
        }
        let (_, rows) = join(&spilled, Vec::new, |rows: &mut Vec<Said>, _, entry| {
            let latency = Some(entry.row.latency).filter(|ms| !ms.is_nan());
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the generator makes small ones")]
            let latency = latency.map(|ms| ms as u8);
            let customer = String::from_utf8_lossy(entry.row.customer_id).into_owned();
            rows.push((entry.row.at, customer, entry.row.failed, latency));
        }).expect("joined");
        let rows: BTreeSet<Said> = rows.into_iter().flatten().collect();
        prop_assert_eq!(rows, known.into_values().collect::<BTreeSet<_>>());
    }
}

#[test]
fn more_rows_than_memory_is_given_are_joined_from_the_disk() {
    let rows = 300_000;
    let mut text = HEADER.to_owned();
    for row in 0..rows {
        let (hour, minute, customer) = (row / 60 % 24, row % 60, row % 1000);
        writeln!(text, "2026-07-09T{hour:02}:{minute:02}:00Z,attempt-number-{row},customer-{customer},failed,,")
            .expect("written");
    }
    // Each once more, and backwards, so that each part has entries of both files.
    let again: Vec<&str> = text.lines().skip(1).collect();
    let again = format!("{HEADER}{}\n", again.into_iter().rev().collect::<Vec<_>>().join("\n"));
    let folder = tempfile::tempdir().expect("a folder");
    let spool = Spool::new(folder.path());
    let files: Vec<_> = [&text, &again]
        .map(|text| scan(Pieces::new(text.as_bytes()).expect("readable"), &Mapping::default(), &spool, |_| {}))
        .into_iter()
        .map(|scanned| scanned.expect("readable").rows)
        .collect();
    let (joined, bins) = minutes(&files).expect("joined");
    assert_eq!((joined.new, joined.repeated), (0, rows));
    assert_eq!(Ratio::pooled(&bins), Ratio { numerator: rows, denominator: rows });
    assert_eq!(std::fs::read_dir(folder.path()).expect("there").count(), 0, "the file has no name");
}
