//! The worked example, whole, as pasted and as Markdown with ISO 8601 times.

use domain::draft::Level;
use domain::evidence::EvidenceKind;
use domain::impact::Confidence;
use domain::incident::{IncidentStatus, Severity};
use domain::prose::Prose;
use domain::timeline::Milestone;

use super::*;

/// The example with Markdown headings, label lines and ISO 8601 times.
fn as_markdown() -> String {
    let mut text = String::from(
        "# Checkout failures from retry amplification\n\nSeverity: SEV-2\n**Status:** Resolved\n- Services: checkout, payments\n\n",
    );
    for line in EXAMPLE.lines() {
        if ["Impact", "Timeline", "Root cause", "What changes", "Customer follow-up"].contains(&line) {
            text.push_str(&["\n## ", line, "\n\n"].concat());
            continue;
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
fn the_headline_its_points_and_its_facts_are_read() {
    let draft = incident(EXAMPLE);
    assert_eq!(draft.title, "Checkout recovered at 10:17 UTC after 31 minutes of elevated failures");
    assert_eq!(
        draft.summary.marked(),
        "Checkout recovered at 10:17 UTC after 31 minutes of elevated failures; 18.6% of purchase attempts failed, \
         with no evidence of incorrect charges.[^1]"
    );
    let points: Vec<_> = draft.key_points.iter().map(Prose::marked).collect();
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
    assert!(draft.services.is_empty() && draft.tags.is_empty());
}

#[test]
fn the_impact_is_read_with_confidence_basis_and_evidence() {
    use Confidence::{Confirmed, Observed};
    let draft = incident(EXAMPLE);
    let measures: Vec<_> = draft
        .impact
        .iter()
        .map(|m| (&*m.label, &*m.result, m.quantity, m.unit.as_deref(), m.confidence, m.basis.as_deref(), &*m.evidence))
        .collect();
    assert_eq!(
        measures,
        [
            ("Incident window", "09:46-10:17 UTC", None, None, Confirmed, Some("from deploy and alert logs"), &[4][..]),
            ("Failed attempts", "1,284", Some(1284.0), None, Confirmed, Some("from checkout events"), &[1]),
            ("Affected customers", "973", Some(973.0), None, Confirmed, Some("deduplicated by customer ID"), &[1]),
            ("Incorrect charges", "0 observed", Some(0.0), None, Observed, Some("payment ledger reconciled"), &[5]),
        ]
    );
}

#[test]
fn the_timeline_is_read_with_decisions_and_milestones() {
    let draft = incident(EXAMPLE);
    let rows: Vec<_> = draft
        .timeline
        .iter()
        .map(|e| (&*e.written_time, &*e.event, e.decision.as_deref().unwrap_or_default(), e.milestone))
        .collect();
    assert_eq!(
        rows,
        [
            (
                "09:46",
                "Provider latency crosses 4 seconds",
                "Alert fires after error rate exceeds 5%",
                Some(Milestone::Detected)
            ),
            ("09:51", "On-call confirms retry amplification", "Incident declared SEV-2", Some(Milestone::Declared)),
            ("10:02", "Recent application deploy ruled out", "Focus shifts to provider and retry path", None),
            (
                "10:11",
                "Synchronous retries disabled",
                "Error rate begins falling immediately",
                Some(Milestone::Mitigated)
            ),
            ("10:17", "Checkout returns below 1% failures", "Incident moves to monitoring", Some(Milestone::Resolved)),
        ]
    );
    let times: Vec<_> = entries(&draft).into_iter().map(|(at, _)| at).collect();
    assert_eq!(times, ["09 09:46", "09 09:51", "09 10:02", "09 10:11", "09 10:17"]);
}

#[test]
fn the_prose_keeps_its_paragraphs_and_marks() {
    let draft = incident(EXAMPLE);
    let (first, second) = draft.root_cause.marked().split_once("\n\n").expect("two paragraphs");
    assert!(first.starts_with("The provider slowdown was the trigger") && first.ends_with("queue saturation.[^2]"));
    assert!(second.starts_with("The feature flag was intended") && second.ends_with("saturation guard.[^3]"));
    assert!(draft.follow_up.marked().starts_with("Send a recovery email only to customers"));
    assert!(draft.follow_up.marked().ends_with("imply that they were charged.[^5]"));
}

#[test]
fn the_actions_are_read_with_owner_due_date_and_verification() {
    let draft = incident(EXAMPLE);
    let actions: Vec<_> =
        draft.actions.iter().map(|a| (&*a.owner, &*a.change, a.due, &*a.verification.criterion, a.done)).collect();
    assert_eq!(
        actions,
        [
            (
                "Payments",
                "Move retries to the background queue",
                Some(day("2026-07-14")),
                "Load test holds p95 below 2s during injected timeouts",
                false
            ),
            (
                "Platform",
                "Add provider-specific circuit breaker",
                Some(day("2026-07-16")),
                "Breaker opens before worker utilization reaches 75%",
                false
            ),
            (
                "Data",
                "Add failed-checkout recovery cohort",
                Some(day("2026-07-12")),
                "Support can identify and contact affected customers",
                false
            ),
            (
                "On-call",
                "Add retry-amplification runbook",
                Some(day("2026-07-11")),
                "Game day completed by a non-author",
                false
            ),
        ]
    );
}

#[test]
fn the_evidence_is_what_the_marks_cite() {
    use EvidenceKind::{Document, Events, Ledger, Log};
    let draft = incident(EXAMPLE);
    let sources: Vec<_> = draft.evidence.iter().map(|source| (source.number, source.kind)).collect();
    assert_eq!(sources, [(1, Events), (2, Document), (3, Document), (4, Log), (5, Ledger)]);
    assert!(draft.evidence.iter().all(|source| source.title.is_none() && source.link.is_none()));
}

#[test]
fn nothing_of_the_example_is_left_over() {
    let parsed = with_date(EXAMPLE);
    let found: Vec<_> = parsed.diagnostics.iter().map(|found| (found.level, found.line)).collect();
    assert_eq!(found, [(Level::Note, None)], "only the title is taken from the headline: {:?}", parsed.diagnostics);
}

#[test]
fn as_markdown_with_iso_times_it_reads_the_same_without_a_date() {
    let parsed = without_date(&as_markdown());
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let (mut plain, markdown) = (incident(EXAMPLE), parsed.incidents[0].clone());
    assert_eq!(markdown.title, "Checkout failures from retry amplification");
    assert_eq!(markdown.services, ["checkout", "payments"]);
    plain.title.clone_from(&markdown.title);
    plain.services.clone_from(&markdown.services);
    plain.impact[0].result.clone_from(&markdown.impact[0].result);
    for (plain, markdown) in plain.timeline.iter_mut().zip(&markdown.timeline) {
        plain.written_time.clone_from(&markdown.written_time);
    }
    assert_eq!(markdown, plain);
}

#[test]
fn its_headings_may_be_of_any_kind() {
    let expected = incident(EXAMPLE);
    for (before, after) in [("# ", ""), ("## ", " ##"), ("**", "**"), ("", ":"), ("", "\n======="), ("", "\n---")] {
        let mut text = String::new();
        for line in EXAMPLE.lines() {
            if ["Impact", "Timeline", "Root cause", "What changes", "Customer follow-up"].contains(&line) {
                text.push_str(&["\n", before, line, after, "\n"].concat());
            } else {
                text.push_str(line);
                text.push('\n');
            }
        }
        assert_eq!(incident(&text), expected, "{before}…{after}");
    }
}

#[test]
fn without_a_date_the_times_are_asked_for_and_nothing_is_guessed() {
    let parsed = without_date(EXAMPLE);
    let refusals = parsed.refusals();
    assert_eq!(refusals.len(), 1, "{refusals:?}");
    assert!(refusals[0].message.contains("times and no date") && refusals[0].message.contains("--date YYYY-MM-DD"));
    let draft = &parsed.incidents[0];
    assert_eq!((draft.started_at, draft.ended_at), (None, None));
    let written: Vec<_> = draft.timeline.iter().map(|entry| (entry.occurred_at, &*entry.written_time)).collect();
    assert_eq!(written, [(None, "09:46"), (None, "09:51"), (None, "10:02"), (None, "10:11"), (None, "10:17")]);
    assert!(draft.actions.iter().all(|action| action.due.is_none()));
    assert!(draft.timeline.iter().any(|entry| entry.milestone == Some(Milestone::Declared)));
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
        assert_eq!(draft.started_at.map(|at| at.to_rfc3339()).as_deref(), Some("2026-07-09T09:46:00+00:00"));
        assert_eq!(draft.ended_at.map(|at| at.to_rfc3339()).as_deref(), Some("2026-07-09T10:17:00+00:00"));
    }
    let (_, rest) = EXAMPLE.split_once("\nImpact\n").expect("an impact");
    let parsed = with_date(&format!("Impact\n{rest}"));
    assert_eq!(parsed.incidents[0].title, "Untitled incident");
    assert!(parsed.diagnostics.iter().any(|found| found.message.contains("neither a title nor a headline")));
}

#[test]
fn the_parts_may_come_in_any_order() {
    let (top, rest) = EXAMPLE.split_once("\nImpact\n").expect("an impact");
    let (impact, rest) = rest.split_once("\nTimeline\n").expect("a timeline");
    let text = format!("{top}\nTimeline\n{rest}\nImpact\n{impact}\n");
    assert_eq!(incident(&text), incident(EXAMPLE));
}

#[test]
fn a_damaged_table_is_read_as_far_as_it_goes() {
    let text = EXAMPLE
        .replace("|---|---|---|\n| 09:46", "| 09:46")
        .replace(
            "| 09:51 | On-call confirms retry amplification | Incident declared SEV-2 |",
            "| 09:51 | On-call confirms |",
        )
        .replace("| 10:02 |", "| 25:02 |");
    let parsed = with_date(&text);
    let draft = &parsed.incidents[0];
    let times: Vec<_> = entries(draft).into_iter().map(|(at, _)| at).collect();
    assert_eq!(times, ["09 09:46", "09 09:51", "open", "09 10:11", "09 10:17"]);
    let ragged = text.lines().position(|line| line.starts_with("| 09:51")).expect("the row") + 1;
    let found = named(&parsed, u32::try_from(ragged).expect("a line"));
    assert!(found.iter().any(|found| found.level == Level::Warning && found.message.contains("2 cells")), "{found:?}");
    assert!(found.iter().all(|found| found.text.as_deref() == Some("| 09:51 | On-call confirms |")));
    let bad = named(&parsed, u32::try_from(ragged).expect("a line") + 1);
    assert!(bad.iter().any(|found| found.message.contains("25:02")), "{bad:?}");
}
