use super::super::listed::Found;
use super::read::read;
use crate::store::NewFlagChange;

fn found(text: &str) -> Found<NewFlagChange> {
    read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refusal(text: &str) -> String {
    match read(text.as_bytes()) {
        Ok(found) => panic!("{text} was read as {found:?}"),
        Err(error) => error.to_string(),
    }
}

/// Each change as `name@environment state changed/effective by`.
fn told(found: &Found<NewFlagChange>) -> Vec<String> {
    let changes = found.things.iter();
    changes
        .map(|change| {
            format!(
                "{}@{} {} {}/{} {}",
                change.flag,
                change.environment.as_deref().unwrap_or("-"),
                change.state,
                change.changed_at.format("%H:%M:%S%.f"),
                change.effective_at.map_or_else(|| "-".to_owned(), |at| at.format("%H:%M").to_string()),
                change.by.as_deref().unwrap_or("-"),
            )
        })
        .collect()
}

#[test]
fn the_same_history_as_json_and_as_csv_is_the_same() {
    let json = r#"[
        {"flag":"retries","state":"off","changed_at":"2026-07-09T12:11:00+02:00","effective_at":"2026-07-09T10:12:00Z","by":"on-call","environment":"production"},
        {"flag":"retries","state":"on","changed_at":"2026-07-09T09:00:00Z","environment":null,"comment":" "},
        {"flag":"colour","state":"blue","changed_at":"2026-07-09T09:30:00.1239Z"}]"#;
    let csv = "Flag,state,changed_at,effective_at,by,environment,ticket\r\n\
        retries,off,2026-07-09T12:11:00+02:00,2026-07-09T10:12:00Z,on-call,production,T-1\r\n\
        retries,on,2026-07-09T09:00:00Z,,,,\r\n\
        \"colour\",blue,2026-07-09T09:30:00.1239Z,,,,\r\n";
    let expected = [
        "retries@- on 09:00:00/- -",
        "colour@- blue 09:30:00.123/- -",
        "retries@production off 10:11:00/10:12 on-call",
    ];
    for text in [json, csv, &format!("\u{feff}{csv}"), &csv.replace(',', ";"), &csv.replace(',', "\t")] {
        assert_eq!(told(&found(text)), expected, "{text}");
        assert_eq!(found(text).refused.total, 0);
    }
}

#[test]
fn of_unleash_events_only_switching_in_an_environment_is_a_change() {
    let log = r#"{"version":1,"totalEvents":5,"events":[
        {"id":5,"type":"feature-environment-disabled","createdBy":"mia","createdAt":"2026-07-09T10:11:00.500Z","featureName":"retries","project":"default","environment":"production","data":null},
        {"id":3,"type":"feature-strategy-update","createdBy":"mia","createdAt":"2026-07-09T10:00:00Z","featureName":"retries","environment":"production"},
        {"id":4,"type":"feature-environment-variants-updated","createdBy":"mia","createdAt":"2026-07-09T10:05:00Z","featureName":"retries","environment":"production"},
        {"id":1,"type":"feature-environment-enabled","createdBy":"jo","createdAt":"2026-06-23T13:05:00Z","featureName":"retries","environment":"production"},
        {"id":2,"type":"feature-environment-enabled","createdBy":"jo","createdAt":"2026-06-22T13:05:00Z","featureName":"retries","environment":"development"}]}"#;
    let found = found(log);
    let expected = [
        "retries@development on 13:05:00/- jo",
        "retries@production on 13:05:00/- jo",
        "retries@production off 10:11:00.500/- mia",
    ];
    assert_eq!(told(&found), expected, "in order of time, whatever the log's order");
    let others: Vec<_> = found.passed_over.iter().map(|(kind, &count)| (kind.as_str(), count)).collect();
    assert_eq!(others, [("feature-environment-variants-updated", 1), ("feature-strategy-update", 1)]);
    assert_eq!((found.read, found.refused.total), (5, 0));
}

#[test]
fn what_cannot_be_read_is_named_with_its_place_and_the_rest_is_kept() {
    let csv =
        "flag,state,changed_at\na,on,2026-07-09 10:00\n,on,2026-07-09T10:00:00Z\na,on\nb,off,2026-07-09T10:00:00Z\n";
    let read = found(csv);
    assert_eq!(told(&read), ["b@- off 10:00:00/- -"]);
    let rows: Vec<_> = read.refused.rows.iter().map(|row| (row.place, row.reason.as_str())).collect();
    assert_eq!(
        rows,
        [
            (2, "‘changed_at’ is ‘2026-07-09 10:00’, not a time with date and zone, such as 2026-07-09T10:11:00Z"),
            (3, "‘flag’ is missing"),
            (4, "2 fields under a header of 3"),
        ]
    );
    let json = r#"[7,{"flag":1,"state":"on","changed_at":"2026-07-09T10:00:00Z"},
        {"type":"feature-environment-enabled","createdAt":"2026-07-09T10:00:00Z","featureName":"a"},
        {"flag":"b","state":"off","changed_at":"2026-07-09T10:00:00Z"}]"#;
    let read = found(json);
    let rows: Vec<_> = read.refused.rows.iter().map(|row| (row.place, row.reason.as_str())).collect();
    assert_eq!(rows, [(0, "not an object"), (1, "‘flag’ is not a text"), (2, "‘environment’ is missing")]);
}

#[test]
fn a_file_that_holds_no_change_is_refused_with_the_reason() {
    for (text, reason) in [
        ("", "the file is empty"),
        (" \n", "the file is empty"),
        ("[]", "the file holds no changes"),
        ("flag,state,changed_at\n", "the file holds no changes"),
        ("{\"a\":1}", "an object without the list ‘events’"),
        ("[{]", "line 1, column 3: not JSON"),
        ("flag,state\na,on\n", "line 1: no column ‘changed_at’ among ‘flag, state’"),
        ("flag,state,changed_at,Flag\na,on,2026-07-09T10:00:00Z,b\n", "line 1: the column ‘flag’ stands twice"),
        (
            "[{\"flag\":\"a\"}]",
            "not one of the 1 elements is a change that could be read; element 0: ‘state’ is missing",
        ),
        (
            "{\"events\":[{\"type\":\"feature-created\",\"createdAt\":\"2026-07-09T10:00:00Z\"}]}",
            "not one of the 1 elements is a change",
        ),
    ] {
        let told = refusal(text);
        assert!(told.contains(reason), "{text}: {told}");
    }
}

#[test]
fn a_file_of_endless_columns_kinds_and_fields_is_told_in_few_words() {
    let wide = format!("{}flag,state,changed_at", "a,".repeat(1_000_000));
    let row = format!("{}f,on,2026-07-09T10:00:00Z", "1,".repeat(1_000_000));
    assert_eq!(told(&found(&format!("{wide}\n{row}\n"))), ["f@- on 10:00:00/- -"]);
    assert!(refusal(&format!("{}b\n1,2\n", "a,".repeat(1_000_000))).len() < 500);

    let (long, none) = ("y".repeat(1 << 20), "\"state\":\"on\",\"changed_at\":\"2026-07-09T10:00:00Z\"");
    let read = found(&format!(
        r#"[{{"flag":"a","state":"on","changed_at":"{long}"}},{{"flag":"{long}",{none}}},{{"flag":"b","by":"{long}",{none}}},{{"flag":"c",{none}}}]"#
    ));
    assert_eq!(told(&read), ["c@- on 10:00:00/- -"]);
    assert_eq!(read.refused.total, 3);
    assert!(read.refused.rows.iter().all(|row| row.reason.chars().count() < 200), "{:?}", read.refused.rows);

    let event = |kind: &str| {
        format!(r#"{{"type":"{kind}","createdAt":"2026-07-09T10:00:00Z","environment":"p","featureName":"f"}}"#)
    };
    let mut events: Vec<String> =
        (0..1_000).map(|kind| event(&format!("{kind}{long}").chars().take(400).collect::<String>())).collect();
    events.push(event("feature-environment-enabled"));
    let read = found(&format!("[{}]", events.join(",")));
    assert_eq!((read.things.len(), read.passed_over.values().sum::<u64>()), (1, 1_000));
    assert!(read.passed_over.len() <= 51 && read.passed_over.keys().all(|kind| kind.chars().count() < 100));
}

#[test]
fn a_change_of_no_year_is_refused() {
    let read = found(
        "flag,state,changed_at\na,on,0001-01-01T00:00:00Z\na,on,9999-12-31T23:59:59Z\na,on,2026-07-09T10:00:00Z\n",
    );
    let rows: Vec<_> = read.refused.rows.iter().map(|row| (row.place, row.reason.as_str())).collect();
    assert_eq!(
        rows,
        [
            (2, "‘changed_at’ is ‘0001-01-01T00:00:00Z’, whose year is none of 1970 to 2200"),
            (3, "‘changed_at’ is ‘9999-12-31T23:59:59Z’, whose year is none of 1970 to 2200"),
        ]
    );
}
