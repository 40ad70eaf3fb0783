//! The importer on documents of many forms, good and bad.

use domain::draft::Level;
use domain::timeline::Milestone;

use super::*;

#[test]
fn columns_are_found_by_name_in_any_order() {
    let draft =
        incident("Timeline\n| Decision | Event | Time (CEST) |\n|---|---|---|\n| Page out | Queue fills | 12:00 |\n");
    assert_eq!(entries(&draft), [("09 10:00".to_owned(), "Queue fills")]);
    assert_eq!(draft.timeline[0].decision.as_deref(), Some("Page out"));
    assert_eq!(draft.home_zone, "+02:00");
    let draft =
        incident("Timeline\n| Date | Time | What happened |\n|---|---|---|\n| Jul 8 | 23:00 UTC | It broke |\n");
    assert_eq!(entries(&draft), [("08 23:00".to_owned(), "It broke")]);
}

#[test]
fn a_column_without_a_field_is_named_row_by_row() {
    let parsed =
        with_date("Timeline\n| UTC | Event | Channel |\n|---|---|---|\n| 10:00 | a | #ops |\n| 10:01 | b | - |\n");
    assert!(
        named(&parsed, 4).iter().any(|found| found.message.contains("‘Channel’ (#ops)")),
        "{:?}",
        parsed.diagnostics
    );
    assert!(named(&parsed, 5).is_empty());
}

#[test]
fn a_timeline_may_be_a_list_with_times_in_many_forms() {
    let parsed = with_date(
        "## Timeline\n\nAll times are UTC.\n\n- **16:58 UTC** - Alert fires\n- [17:05] Somebody looks,\n  twice\n* 5:10 PM: Declared\n\
         - ??:?? Nobody knows\n- 2X:XX somewhen\n- 23:50-00:10 Quiet\n- 00:20 Resolved\n  - but not for all\n- no time here\n",
    );
    let at = |text: &str| text.to_owned();
    assert_eq!(
        entries(&parsed.incidents[0]),
        [
            (at("09 16:58"), "Alert fires"),
            (at("09 17:05"), "Somebody looks, twice"),
            (at("09 17:10"), "Declared"),
            (at("open"), "Nobody knows"),
            (at("open"), "somewhen"),
            (at("09 23:50 to 10 00:10"), "Quiet"),
            (at("10 00:20"), "Resolved\n- but not for all"),
        ]
    );
    assert!(
        named(&parsed, 12).iter().any(|found| found.level == Level::Note && found.message.contains("past midnight"))
    );
    assert!(named(&parsed, 14).iter().any(|found| found.level == Level::Warning && found.message.contains("no time")));
}

#[test]
fn a_timeline_may_be_headings_with_days_among_them() {
    let draft = incident(
        "# T\n\n## Timeline\n\nAll times in PST\n\n### 2018-02-20 14:17\n\nFirst sign.\n\n- seen by one\n\n### 15:00 - 15:30\n\nMore.\n\n### Feb 21\n\n#### 9:05am Fixed\n\n## Action items\n\n1. One\n",
    );
    let at = |text: &str| text.to_owned();
    assert_eq!(
        entries(&draft),
        [
            (at("20 22:17"), "First sign.\n- seen by one"),
            (at("20 23:00 to 20 23:30"), "More."),
            (at("21 17:05"), "Fixed"),
        ]
    );
    assert_eq!(draft.home_zone, "-08:00");
    assert_eq!(draft.actions.len(), 1);
}

#[test]
fn a_timeline_may_be_bare_lines_under_a_sentence() {
    let parsed = with_date(
        "Timeline\nAll times CEST.\n21:46 Alert fired\nand nobody woke\n21:50 - 22:00 Declared\n00:17 Recovered\n",
    );
    let at = |text: &str| text.to_owned();
    assert_eq!(
        entries(&parsed.incidents[0]),
        [
            (at("09 19:46"), "Alert fired and nobody woke"),
            (at("09 19:50 to 09 20:00"), "Declared"),
            (at("09 22:17"), "Recovered"),
        ]
    );
}

#[test]
fn a_day_may_head_the_entries_below_it_and_needs_no_option() {
    let parsed = without_date(
        "## Timeline\n\n2026-07-08\n\n- 23:00 UTC: a\n\n### Thursday, July 9th, 2026\n\n- 01:00 UTC: b\n- 02:00: c\n",
    );
    assert!(parsed.refusals().is_empty(), "{:?}", parsed.diagnostics);
    let times: Vec<_> = entries(&parsed.incidents[0]).into_iter().map(|(at, _)| at).collect();
    assert_eq!(times, ["08 23:00", "09 01:00", "09 02:00"]);
}

#[test]
fn the_day_may_be_named_by_a_label_the_title_or_a_sentence() {
    let timeline = "## Timeline\n\n- 10:00 UTC: a\n";
    for top in [
        "# T\n\nDate: 2026-07-09\n\n",
        "# Outage of July 9th, 2026\n\n",
        "# T\n\nOn 9 July 2026 it broke.\n\n",
        "---\ndate: 2026-07-09\n---\n",
    ] {
        let parsed = without_date(&format!("{top}{timeline}"));
        assert!(parsed.refusals().is_empty(), "{top}: {:?}", parsed.diagnostics);
        assert_eq!(entries(&parsed.incidents[0])[0].0, "09 10:00", "{top}");
    }
    let two =
        without_date(&format!("# T\n\nFrom 2026-07-08 to 2026-07-09 it broke.\nOn 2026-07-10 it held.\n\n{timeline}"));
    assert_eq!(two.refusals().len(), 1, "two days decide nothing");
}

#[test]
fn an_explicit_offset_is_honoured_and_a_missing_zone_is_told() {
    let draft = incident(
        "Timeline\n| Time | Event |\n|---|---|\n| 2026-07-09T09:46:00+02:00 | a |\n| 2026-07-09 10:00 +0200 | b |\n",
    );
    let times: Vec<_> = entries(&draft).into_iter().map(|(at, _)| at).collect();
    assert_eq!((times, draft.home_zone.as_str()), (vec!["09 07:46".to_owned(), "09 08:00".to_owned()], "+02:00"));
    let parsed = with_date("Timeline\n- 10:00 a\n");
    assert!(parsed.diagnostics.iter().any(|found| found.level == Level::Warning && found.message.contains("no zone")));
}

#[test]
fn milestones_are_marked_once_by_the_earliest_words() {
    use Milestone::{Detected, ImpactStarted, Resolved};
    let draft = incident(
        "Timeline\n- 10:00 UTC Outage begins\n- 10:05 UTC Alert fires\n- 10:06 UTC Second alert fires\n- 10:10 UTC not resolved yet\n- 10:20 UTC Resolved\n",
    );
    let marks: Vec<_> = draft.timeline.iter().map(|entry| entry.milestone).collect();
    assert_eq!(marks, [Some(ImpactStarted), Some(Detected), None, None, Some(Resolved)]);
}

#[test]
fn actions_may_be_lists_with_their_fields_in_the_text() {
    let draft = incident(
        "## Action items\n\n- [x] Move retries (owner: Payments, due: Jul 14)\n- [ ] Add a breaker\n  - Owner: Platform\n  - Due: 2026-07-16\n  - Verification: it opens\n  - and a detail\n- [Write it down](https://a.example/1)\n- TBD\n\n1) Numbered\n",
    );
    let actions: Vec<_> =
        draft.actions.iter().map(|a| (&*a.change, &*a.owner, a.due, &*a.verification.criterion, a.done)).collect();
    assert_eq!(
        actions,
        [
            ("Move retries", "Payments", Some(day("2026-07-14")), "", true),
            ("Add a breaker\n- and a detail", "Platform", Some(day("2026-07-16")), "it opens", false),
            ("[Write it down](https://a.example/1)", "", None, "", false),
            ("Numbered", "", None, "", false),
        ]
    );
}

#[test]
fn headings_among_actions_part_lists_or_are_actions_themselves() {
    let draft =
        incident("## Actions\n\n### Short term\n\n- One\n- Two\n\n### Long term\n\n1. Three\n\n- of which a part\n");
    let changes: Vec<_> = draft.actions.iter().map(|action| action.change.as_str()).collect();
    assert_eq!(changes, ["One", "Two", "Three\n- of which a part"]);
    let draft = incident(
        "# Resulting actions\n\n### 1) Schedule the cleanup\n\nNightly.\n\n```\n# Impact\n```\n\n### 2) Alert on it\n",
    );
    let changes: Vec<_> = draft.actions.iter().map(|action| action.change.as_str()).collect();
    assert_eq!(changes, ["Schedule the cleanup\n\nNightly.\n\n```\n# Impact\n```", "Alert on it"]);
}

#[test]
fn slashed_dates_are_decided_from_the_whole_column_or_asked_for() {
    let table = |first: &str, second: &str| {
        with_date(&format!("Action items\n| Change | Due |\n|---|---|\n| A | {first} |\n| B | {second} |\n"))
    };
    let due = |parsed: &Parsed| parsed.incidents[0].actions.iter().map(|action| action.due).collect::<Vec<_>>();
    assert_eq!(due(&table("03/08/2026", "25/08/2026")), [Some(day("2026-08-03")), Some(day("2026-08-25"))]);
    assert_eq!(due(&table("03/08", "08/25")), [Some(day("2027-03-08")), Some(day("2026-08-25"))]);
    let asked = table("03/08/2026", "04/08/2026");
    assert_eq!(due(&asked), [None, None]);
    let warned: Vec<_> =
        asked.diagnostics.iter().filter(|found| found.message.contains("YYYY-MM-DD")).map(|found| found.line).collect();
    assert_eq!(warned, [Some(4), Some(5)]);
}

#[test]
fn sources_give_the_evidence_titles_and_links() {
    for list in [
        "## Sources\n1. Checkout events\n2. [Alert log](https://logs.example/a)\n",
        "[^1]: Checkout events\n[^2]: Alert log <https://logs.example/a>\n",
        "## References\n[1] Checkout events\n[2] Alert log (https://logs.example/a)\n",
    ] {
        let draft = incident(&format!("## Root cause\n\nSeen.[^1] And.[^2]\n\n{list}"));
        let sources: Vec<_> =
            draft.evidence.iter().map(|s| (s.number, s.title.as_deref(), s.link.as_deref())).collect();
        assert_eq!(
            sources,
            [(1, Some("Checkout events"), None), (2, Some("Alert log"), Some("https://logs.example/a"))],
            "{list}"
        );
        assert!(!draft.root_cause.marked().contains("Checkout events"));
    }
}

#[test]
fn a_part_that_no_field_takes_is_named_with_its_text() {
    let parsed = with_date(
        "## Root cause\nIt broke.\n\n## Lessons learned\n\n- Be early\n- Be loud\n\n## Impact\n\nIt was bad\n",
    );
    let lessons = named(&parsed, 6);
    assert_eq!(lessons.len(), 1);
    assert_eq!(lessons[0].text.as_deref(), Some("- Be early\n- Be loud"));
    assert!(
        lessons[0].message.contains("to line 7") && lessons[0].message.contains("‘Lessons learned’"),
        "{lessons:?}"
    );
    assert!(named(&parsed, 11).iter().any(|found| found.level == Level::Warning));
}

#[test]
fn a_template_yields_nothing() {
    let parsed = without_date(
        "# Incident title\n\n## Timeline\n| Time | Event |\n|---|---|\n| HH:mm | <what happened> |\n| 20xx-MM-DD HH:mm | Short event description |\n| | |\n\n\
         ## Action items\n- TBD\n- [ ] \n- None.\n- N/A\n- No immediate action items\n- <action>\n\n| Owner | Change | Due |\n|---|---|---|\n| <team> | | |\n",
    );
    assert!(parsed.incidents.iter().all(|draft| draft.timeline.is_empty() && draft.actions.is_empty()), "{parsed:?}");
}

#[test]
fn what_is_no_document_is_refused_with_the_reason() {
    for (bytes, reason) in [
        (&b""[..], "empty"),
        (b"  \n\t\n---\n", "empty"),
        (b"hello\n", "no incident was recognised"),
        (b"Root cause\nBad \xff byte\n", "not UTF-8 text from byte 15"),
        (b"Root cause\nA \0 byte\n", "byte 13 is zero"),
        (b"\xff\xfeT\0i", "not UTF-16"),
    ] {
        let parsed = parse(bytes, &Options::default());
        assert!(
            parsed.refusals().iter().any(|refusal| refusal.message.contains(reason)),
            "{reason}: {:?}",
            parsed.diagnostics
        );
    }
    let parsed = parse(b"Root cause\nBad \xff byte\n", &Options::default());
    assert_eq!(parsed.refusals()[0].line, Some(2));
    assert_eq!(parsed.incidents[0].root_cause.marked(), "Bad \u{FFFD} byte", "the rest is read");
    let parsed = without_date("hello\nworld\n");
    assert!(
        named(&parsed, 1).iter().any(|found| found.text.as_deref() == Some("hello\nworld")),
        "{:?}",
        parsed.diagnostics
    );
}

#[test]
fn utf_16_a_byte_order_mark_and_other_line_ends_are_read() {
    let wide: Vec<u8> = [0xFEFF_u16].into_iter().chain(EXAMPLE.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let wide_other: Vec<u8> =
        [0xFEFF_u16].into_iter().chain(EXAMPLE.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    let marked = [b"\xEF\xBB\xBF", EXAMPLE.as_bytes()].concat();
    let (windows, old) = (EXAMPLE.replace('\n', "\r\n"), EXAMPLE.replace('\n', "\r"));
    for bytes in [wide, wide_other, marked, windows.into_bytes(), old.into_bytes()] {
        let parsed = parse(&bytes, &Options { date: Some(day("2026-07-09")), ..Options::default() });
        assert_eq!(parsed.incidents, with_date(EXAMPLE).incidents);
    }
}

#[test]
fn five_megabytes_are_read_whole() {
    const SIZE: usize = 5_000_000;
    let row = "| 09:46 | The queue fills up and workers wait for the provider |\n";
    let table = format!("Timeline\n| UTC | Event |\n|---|---|\n{}", row.repeat(SIZE / row.len()));
    assert_eq!(incident(&table).timeline.len(), SIZE / row.len());
    let item = "- [ ] Add a breaker (owner: Platform)\n  - and a runbook\n";
    let list = format!("Action items\n{}", item.repeat(SIZE / item.len()));
    assert_eq!(incident(&list).actions.len(), SIZE / item.len());
    let other = "nothing in here is part of a post-mortem\n".repeat(SIZE / 41);
    let parsed = without_date(&other);
    let text = parsed.diagnostics.iter().find_map(|found| found.text.as_deref()).expect("the text is named");
    assert_eq!(text.lines().count(), SIZE / 41);
}

#[test]
fn what_is_opened_and_never_closed_costs_no_more_than_its_length() {
    let pieces = [
        "word.1 Next ",
        "[^",
        "<sup>",
        "[1",
        "<!--\n",
        "```\n",
        "|",
        "# a\n",
        "- ",
        "a: ",
        "¹",
        "**",
        "owner:",
        "\t",
        "09:46 ",
        "é1 ",
        "1. x\n\n- y\n",
        "x\n\n",
        "|a|b|\n|---|---|\n",
    ];
    for piece in pieces {
        for head in ["Root cause\n", "Timeline\n- 10:00 UTC ", "Action items\n- a ", "Impact\n", "Sources\n", ""] {
            // Anything quadratic would take minutes.
            with_date(&format!("{head}{}", piece.repeat(50_000 / piece.len())));
        }
    }
}

#[test]
fn one_part_may_tell_the_day_of_another() {
    let impact = |window: &str| format!("Impact\n| Measure | Result |\n|---|---|\n| Window | {window} |\n");
    let timeline = |time: &str| format!("Timeline\n| Time | Event |\n|---|---|\n| {time} | It broke |\n");
    for text in [
        impact("09:46-10:17 UTC") + &timeline("2026-07-09T09:46Z"),
        impact("2026-07-09T09:46Z/2026-07-09T10:17Z") + &timeline("09:46"),
        format!("Start: 2026-07-09 09:46 UTC\n{}{}", impact("09:46-10:17 UTC"), timeline("09:46")),
    ] {
        let parsed = without_date(&text);
        assert!(parsed.refusals().is_empty(), "{text}\n{:?}", parsed.diagnostics);
        let draft = &parsed.incidents[0];
        assert_eq!(draft.started_at.map(|at| at.to_rfc3339()).as_deref(), Some("2026-07-09T09:46:00+00:00"), "{text}");
        assert_eq!(draft.ended_at.map(|at| at.to_rfc3339()).as_deref(), Some("2026-07-09T10:17:00+00:00"), "{text}");
        assert_eq!(entries(draft)[0].0, "09 09:46", "{text}");
    }
}

#[test]
fn a_second_incident_in_the_file_is_named_with_its_line() {
    let parsed = with_date("# A\n## Timeline\n- 10:00 UTC a\n# B\n## Timeline\n- 11:00 UTC b\n");
    let said = |line| parsed.diagnostics.iter().any(|d| d.line == line && d.message.contains("another incident"));
    assert!(said(Some(4)) && !said(Some(1)), "{:?}", parsed.diagnostics);
}

#[test]
fn regions_are_read_by_their_clocks_on_the_day_and_ambiguous_zones_are_asked_for() {
    let timeline =
        |zone: &str| format!("# T\n\n## Timeline\n\nAll times in {zone}\n\n- 10:00 Alert fired\n- 10:30 Fixed\n");
    for (zone, first, home) in [
        ("PT", "09 17:00", "America/Los_Angeles"),
        ("Pacific Time", "09 17:00", "America/Los_Angeles"),
        ("ET", "09 14:00", "America/New_York"),
        ("CET/CEST", "09 08:00", "Europe/Berlin"),
        ("CEST", "09 08:00", "+02:00"),
        ("CST (UTC+8)", "09 02:00", "+08:00"),
    ] {
        let parsed = with_date(&timeline(zone));
        assert!(parsed.refusals().is_empty(), "{zone}: {:?}", parsed.diagnostics);
        let draft = &parsed.incidents[0];
        assert_eq!((entries(draft)[0].0.as_str(), draft.home_zone.as_str()), (first, home), "{zone}");
    }
    let text = timeline("CST");
    let parsed = with_date(&text);
    assert!(parsed.refusals().iter().any(|refusal| refusal.message.contains("--zone")), "{:?}", parsed.diagnostics);
    assert_eq!(parsed.incidents[0].timeline[0].occurred_at, None);
    let options = Options { date: Some(day("2026-07-09")), zone: given_zone("Asia/Shanghai").ok() };
    let parsed = parse(text.as_bytes(), &options);
    assert!(parsed.refusals().is_empty(), "{:?}", parsed.diagnostics);
    assert_eq!(entries(&parsed.incidents[0])[0].0, "09 02:00");
}

#[test]
fn an_abbreviation_out_of_its_season_is_read_as_written_and_named() {
    let parsed = with_date("# T\n\n## Timeline\n\n- 10:00 EST Alert fired\n- 10:30 EST Fixed\n");
    assert_eq!(entries(&parsed.incidents[0])[0].0, "09 15:00");
    let told: Vec<_> = parsed.diagnostics.iter().filter(|told| told.message.contains("America/New_York")).collect();
    assert!(told.len() == 1 && told[0].line == Some(5), "{:?}", parsed.diagnostics);
}

#[test]
fn a_time_never_moves_without_a_word() {
    let table = |rows: &str| format!("Timeline\n| Time | Event |\n|---|---|\n{rows}");
    // What stands beside a time and is no zone that is known.
    for beside in ["HKT", "XYZ", "UTC+25", "Berlin", "or 10:30"] {
        let parsed = with_date(&table(&format!("| 09:30 {beside} | a |\n")));
        let told = named(&parsed, 4);
        assert!(told.iter().any(|found| found.level == Level::Warning && found.message.contains("beside")), "{told:?}");
    }
    // A zone beside one time is no zone of the document where a person gave another, and is told where nobody did.
    let rows = table("| 09:30 | a |\n| 09:40 | b |\n| 01:45 PST | c |\n");
    let given = Options { date: Some(day("2026-07-09")), zone: given_zone("UTC").ok() };
    let parsed = parse(rows.as_bytes(), &given);
    let at: Vec<_> = entries(&parsed.incidents[0]).into_iter().map(|(at, _)| at).collect();
    assert_eq!(at[..2], ["09 09:30", "09 09:40"]);
    let parsed = with_date(&rows);
    assert!(parsed.diagnostics.iter().any(|found| found.message.contains("since one of them does")), "{parsed:?}");
    // The day that the document names against the one given.
    let parsed = with_date(&format!("# T\n\nDate: 2026-07-10\n\n## {}", table("| 09:30 UTC | a |\n")));
    let told = named(&parsed, 3);
    assert!(told.iter().any(|found| found.message.contains("2026-07-10")), "{:?}", parsed.diagnostics);
}
