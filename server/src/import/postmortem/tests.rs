use chrono::NaiveDate;
use domain::draft::{IncidentDraft, Level};
use domain::incident::{IncidentStatus, Severity};
use domain::timeline::Milestone;
use proptest::prelude::*;

use super::{Options, Parsed, parse, times};

const EXAMPLE: &str = include_str!("../../../../tests/data/checkout-postmortem.txt");

fn day(text: &str) -> Option<NaiveDate> {
    Some(text.parse().expect("a day"))
}

fn with_date(text: &str) -> Parsed {
    parse(text.as_bytes(), &Options { date: day("2026-07-09") })
}

fn incident(text: &str) -> IncidentDraft {
    let parsed = with_date(text);
    assert!(parsed.refusals().is_empty(), "{:?}", parsed.diagnostics);
    parsed.incidents.into_iter().next().expect("an incident")
}

/// The example with Markdown headings, label lines and ISO 8601 times.
fn as_markdown() -> String {
    let mut text = String::from(
        "# Checkout failures from retry amplification\n\nSeverity: SEV-2\n**Status:** Resolved\nServices: checkout, payments\n\n",
    );
    for line in EXAMPLE.lines() {
        match line {
            "Impact" | "Timeline" | "Root cause" | "What changes" | "Customer follow-up" => {
                text.push_str(&format!("\n## {line}\n\n"));
                continue;
            }
            _ => {}
        }
        let mut line = line.replace("09:46-10:17 UTC", "2026-07-09T09:46:00Z/2026-07-09T10:17:00Z");
        for time in ["09:46", "09:51", "10:02", "10:11", "10:17"] {
            line = line.replace(&format!("| {time} |"), &format!("| 2026-07-09T{time}:00Z |"));
        }
        text.push_str(&line.replace("Jul 1", "2026-07-1"));
        text.push('\n');
    }
    text
}

#[test]
fn the_example_is_read_whole() {
    let parsed = with_date(EXAMPLE);
    let draft = &parsed.incidents[0];
    assert_eq!(draft.title, "Checkout recovered at 10:17 UTC after 31 minutes of elevated failures");
    assert!(draft.summary.marked().ends_with("no evidence of incorrect charges.[^1]"));
    let points: Vec<_> = draft.key_points.iter().map(domain::prose::Prose::marked).collect();
    assert_eq!(
        points,
        [
            "A payment-provider timeout interacted with an unbounded synchronous retry path.[^2]",
            "Disabling the retry flag restored checkout before the provider fully recovered.[^3]",
            "The permanent fix is to move retries off the request path and cap attempts at two.",
        ]
    );
    assert_eq!((draft.severity, draft.status), (Some(Severity::Sev2), IncidentStatus::Resolved));
    assert_eq!(draft.started_at.map(|at| at.to_rfc3339()).as_deref(), Some("2026-07-09T09:46:00+00:00"));
    assert_eq!(draft.ended_at.map(|at| at.to_rfc3339()).as_deref(), Some("2026-07-09T10:17:00+00:00"));
    assert_eq!(draft.home_zone, "UTC");
    assert_eq!((draft.thresholds.alert, draft.thresholds.recovered), (Some(0.05), Some(0.01)));
    assert!(draft.root_cause.marked().contains("queue saturation.[^2]\n\nThe feature flag"));
    assert!(draft.root_cause.marked().ends_with("saturation guard.[^3]"));
    assert!(draft.follow_up.marked().ends_with("imply that they were charged.[^5]"));
    assert_eq!(
        draft.timeline.iter().map(|entry| entry.milestone).collect::<Vec<_>>(),
        [
            Some(Milestone::Detected),
            Some(Milestone::Declared),
            None,
            Some(Milestone::Mitigated),
            Some(Milestone::Resolved),
        ]
    );
    assert_eq!(draft.evidence.iter().map(|source| source.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    let warnings: Vec<_> = parsed.diagnostics.iter().filter(|found| found.level != Level::Note).collect();
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn the_example_as_markdown_with_iso_times_reads_the_same_without_a_date() {
    let parsed = parse(as_markdown().as_bytes(), &Options::default());
    assert!(parsed.refusals().is_empty(), "{:?}", parsed.diagnostics);
    let (plain, markdown) = (incident(EXAMPLE), &parsed.incidents[0]);
    assert_eq!(markdown.title, "Checkout failures from retry amplification");
    assert_eq!(markdown.services, ["checkout", "payments"]);
    assert_eq!(markdown.summary, plain.summary);
    assert_eq!(markdown.key_points, plain.key_points);
    assert_eq!((markdown.started_at, markdown.ended_at), (plain.started_at, plain.ended_at));
    assert_eq!((markdown.severity, markdown.status), (plain.severity, plain.status));
    assert_eq!(markdown.root_cause, plain.root_cause);
    assert_eq!(markdown.follow_up, plain.follow_up);
    assert_eq!(markdown.actions, plain.actions);
    assert_eq!(markdown.evidence, plain.evidence);
    let rows = |draft: &IncidentDraft| {
        draft
            .timeline
            .iter()
            .map(|e| (e.occurred_at, e.event.clone(), e.decision.clone(), e.milestone))
            .collect::<Vec<_>>()
    };
    assert_eq!(rows(markdown), rows(&plain));
}

#[test]
fn without_a_date_the_times_are_asked_for_and_nothing_is_guessed() {
    let parsed = parse(EXAMPLE.as_bytes(), &Options::default());
    let refusals = parsed.refusals();
    assert_eq!(refusals.len(), 1, "{refusals:?}");
    assert!(refusals[0].message.contains("--date"));
    assert!(
        parsed.incidents[0].timeline.iter().all(|entry| entry.occurred_at.is_none() && !entry.written_time.is_empty())
    );
    assert!(parsed.incidents[0].actions.iter().all(|action| action.due.is_none()));
}

#[test]
fn each_part_may_be_missing() {
    let heads = ["Impact", "Timeline", "Root cause", "What changes", "Customer follow-up"];
    for missing in heads {
        let mut keep = true;
        let text: Vec<&str> = EXAMPLE
            .lines()
            .filter(|line| {
                if heads.contains(line) {
                    keep = *line != missing;
                }
                keep
            })
            .collect();
        let draft = incident(&text.join("\n"));
        assert_eq!(draft.impact.len(), if missing == "Impact" { 0 } else { 4 }, "without {missing}");
        assert_eq!(draft.timeline.len(), if missing == "Timeline" { 0 } else { 5 }, "without {missing}");
        assert_eq!(draft.root_cause.is_empty(), missing == "Root cause");
        assert_eq!(draft.actions.len(), if missing == "What changes" { 0 } else { 4 }, "without {missing}");
        assert_eq!(draft.follow_up.is_empty(), missing == "Customer follow-up");
    }
}

#[test]
fn the_parts_may_come_in_any_order() {
    let (top, rest) = EXAMPLE.split_once("\nImpact\n").expect("an impact");
    let (impact, rest) = rest.split_once("\nTimeline\n").expect("a timeline");
    let text = format!("{top}\nTimeline\n{rest}\nImpact\n{impact}\n");
    let (moved, plain) = (incident(&text), incident(EXAMPLE));
    assert_eq!((moved.impact, moved.timeline, moved.actions), (plain.impact, plain.timeline, plain.actions));
}

#[test]
fn columns_are_found_by_name_in_any_order_and_ragged_rows_are_named() {
    let text = "Timeline\n| Decision | Event | Time (CEST) |\n|---|---|---|\n| Page out | Queue fills | 12:00 |\n| only one |\n";
    let parsed = with_date(text);
    let draft = &parsed.incidents[0];
    assert_eq!(draft.timeline[0].occurred_at.map(|at| at.to_rfc3339()).as_deref(), Some("2026-07-09T10:00:00+00:00"));
    assert_eq!(
        (draft.timeline[0].event.as_str(), draft.timeline[0].decision.as_deref()),
        ("Queue fills", Some("Page out"))
    );
    assert_eq!(draft.home_zone, "+02:00");
    assert!(
        parsed.diagnostics.iter().any(|found| found.line == Some(5) && found.message.contains("1 cells")),
        "{:?}",
        parsed.diagnostics
    );
}

#[test]
fn a_timeline_may_be_a_list_with_times_in_many_forms() {
    let text = "## Timeline\n\n- **16:58 UTC** - Alert fires\n- [17:05] Somebody looks\n* 5:10 PM: Declared\n- ??:?? Nobody knows\n- 23:50-00:10 Quiet\n- 00:20 Resolved\n- no time here\n";
    let parsed = with_date(text);
    let times: Vec<_> = parsed.incidents[0]
        .timeline
        .iter()
        .map(|entry| (entry.occurred_at.map(|at| at.format("%d %H:%M").to_string()), entry.event.as_str()))
        .collect();
    let at = |text: &str| Some(text.to_owned());
    assert_eq!(
        times,
        [
            (at("09 16:58"), "Alert fires"),
            (at("09 17:05"), "Somebody looks"),
            (at("09 17:10"), "Declared"),
            (None, "Nobody knows"),
            (at("09 23:50"), "Quiet"),
            (at("10 00:20"), "Resolved"),
        ]
    );
    assert!(parsed.diagnostics.iter().any(|found| found.line == Some(9)), "{:?}", parsed.diagnostics);
}

#[test]
fn glued_numbers_are_marks_only_where_they_form_one_row() {
    let root = |text: &str| incident(&format!("Root cause\n{text}\n")).root_cause.marked().to_owned();
    assert_eq!(root("It held p95.1 Then HTTP2 came.2"), "It held p95.1 Then HTTP2 came.2", "p95.1 is a number");
    assert_eq!(root("Logs show it.1 The rest too.2"), "Logs show it.[^1] The rest too.[^2]");
    assert_eq!(root("Logs show it.1 The rest too.3"), "Logs show it.1 The rest too.3");
    assert_eq!(root("It ran over HTTP2"), "It ran over HTTP2");
    assert_eq!(root("Version 2.5"), "Version 2.5");
    assert_eq!(root("Seen¹ and again.²"), "Seen[^1] and again.[^2]");
}

#[test]
fn due_dates_are_the_first_such_day_on_or_after_the_incident() {
    let on = day("2026-12-30");
    for (text, due) in [
        ("Jan 5", day("2027-01-05")),
        ("Dec 30", day("2026-12-30")),
        ("Dec 29", day("2027-12-29")),
        ("14 July 2026", day("2026-07-14")),
        ("2026-07-14", day("2026-07-14")),
        ("Feb 29", day("2028-02-29")),
        ("Feb 30", None),
        ("soon", None),
    ] {
        assert_eq!(times::date(text, on), due, "{text}");
    }
}

#[test]
fn dates_with_slashes_are_decided_from_the_whole_column_or_asked_for() {
    let table = |first: &str, second: &str| {
        with_date(&format!("Action items\n| Change | Due |\n|---|---|\n| A | {first} |\n| B | {second} |\n"))
    };
    let decided = table("03/08/2026", "25/08/2026");
    assert_eq!(
        decided.incidents[0].actions.iter().map(|a| a.due).collect::<Vec<_>>(),
        [day("2026-08-03"), day("2026-08-25")]
    );
    let asked = table("03/08/2026", "04/08/2026");
    assert!(asked.incidents[0].actions.iter().all(|action| action.due.is_none()));
    assert_eq!(asked.diagnostics.iter().filter(|found| found.message.contains("YYYY-MM-DD")).count(), 2);
}

#[test]
fn a_template_yields_nothing() {
    let parsed = parse(
        b"# Title\n\n## Timeline\n| Time | Event |\n|---|---|\n| HH:mm | <what happened> |\n\n## Action items\n- TBD\n- [ ] \n",
        &Options::default(),
    );
    assert!(parsed.incidents.iter().all(|draft| draft.timeline.is_empty() && draft.actions.is_empty()));
}

#[test]
fn what_is_no_document_is_refused_with_the_reason() {
    for (bytes, reason) in [
        (&b""[..], "empty"),
        (b"  \n\t\n", "empty"),
        (b"hello\n", "no incident was recognised"),
        (b"Root cause\nBad \xff byte\n", "not UTF-8"),
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
    assert!(parsed.incidents[0].root_cause.marked().contains('\u{FFFD}'), "the rest is read");
}

#[test]
fn utf_16_and_a_byte_order_mark_are_read() {
    let wide: Vec<u8> = [0xFEFF_u16].into_iter().chain(EXAMPLE.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let marked = [b"\xEF\xBB\xBF", EXAMPLE.as_bytes()].concat();
    for bytes in [wide, marked] {
        let parsed = parse(&bytes, &Options { date: day("2026-07-09") });
        assert_eq!(parsed.incidents, with_date(EXAMPLE).incidents);
    }
}

#[test]
fn five_megabytes_are_read_whole() {
    let mut text = String::from("Timeline\n| UTC | Event |\n|---|---|\n");
    while text.len() < 5_000_000 {
        text.push_str("| 09:46 | The queue fills up and workers wait for the provider |\n");
    }
    let rows = text.lines().count() - 3;
    assert_eq!(incident(&text).timeline.len(), rows);
    let prose = format!("Root cause\n{}", "word.1 Next ".repeat(400_000));
    assert!(incident(&prose).root_cause.marked().len() > 4_000_000);
    let other = "nothing in here is part of a post-mortem\n".repeat(120_000);
    let diagnostics = parse(other.as_bytes(), &Options::default()).diagnostics;
    assert_eq!(diagnostics.iter().filter(|found| found.line.is_some()).count(), 120_000);
}

/// The letters and digits of a text.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Whether a line is part of a table's frame, a heading, or names its columns.
fn is_structure(line: &str) -> bool {
    let headings = ["Impact", "Timeline", "Root cause", "What changes", "Customer follow-up"];
    headings.contains(&line)
        || line.contains("|---")
        || line.starts_with("| Measure")
        || line.starts_with("| UTC")
        || line.starts_with("| Owner")
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        parse(&bytes, &Options { date: day("2026-07-09") });
    }

    #[test]
    fn any_text_of_likely_parts_is_read_without_a_panic(
        parts in proptest::collection::vec("(Timeline|Impact|# |## Root cause|\\||\\|---\\||- |\\[x\\] |09:46|2026-07-0[0-9]|T|Z|-|–|/|\\?\\?:\\?\\?|UTC|\\+02:00|é|\\[\\^1\\]|1|\\.|\t|\n| |Severity: |<sup>1</sup>|²|pm|Jul |[a-z]{1,4})", 0..60)
    ) {
        parse(parts.concat().as_bytes(), &Options { date: day("2026-07-09") });
    }

    #[test]
    fn no_line_is_lost_in_silence(
        cut in 0..30_usize, copy in 0..30_usize, to in 0..30_usize, stray in "[A-Za-z]{3,12}( [a-z]{2,9}){0,4}", at in 0..30_usize
    ) {
        let mut lines: Vec<&str> = EXAMPLE.lines().collect();
        let copied = lines[copy % lines.len()];
        lines.insert(to % lines.len(), copied);
        lines.insert(at % lines.len(), &stray);
        lines.remove(cut % lines.len());
        let text = lines.join("\n");
        let parsed = with_date(&text);
        let json = letters(&serde_json::to_string(&parsed).expect("JSON"));
        let marked: Vec<(u32, &str)> = (1..).zip(text.lines()).filter(|(_, line)| !is_structure(line)).collect();
        for (number, line) in marked {
            let named = parsed.diagnostics.iter().any(|found| found.line == Some(number));
            // Footnote digits and the markers of a row leave the words they stood beside.
            let words = line.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 4);
            let kept = words.clone().all(|word| json.contains(word));
            prop_assert!(named || kept, "line {number} is lost: {line}\n{text}");
        }
    }
}
