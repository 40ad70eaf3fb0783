//! What the words of a criterion propose.

use domain::criterion::propose;
use proptest::prelude::*;

/// Each criterion, and the proposal as it is told; empty where there is to be none.
fn table(cases: &[(&str, &str)]) {
    let wrong: Vec<_> = cases
        .iter()
        .filter_map(|(criterion, expected)| {
            let told = propose(criterion).map(|kind| kind.to_string()).unwrap_or_default();
            (told != *expected).then(|| format!("  {criterion:?}\n    proposes {told:?}\n    and not  {expected:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn the_worked_example_gets_the_right_proposals() {
    let cases = [
        ("Load test holds p95 below 2s during injected timeouts", "p95 below 2 s"),
        (
            "Breaker opens before worker utilization reaches 75%",
            // Utilization may go on rising afterwards: no limit on it, but on its value at that moment.
            "worker utilization when breaker opens below 75%",
        ),
        ("Support can identify and contact affected customers", "attested by Support, not being the owner"),
        ("Game day completed by a non-author", "attested by anybody but the owner or an author"),
    ];
    let document = include_str!("../../tests/data/checkout-postmortem.txt");
    for (criterion, _) in cases {
        assert!(document.contains(&format!("| {criterion} |")), "the document has no criterion {criterion:?}");
    }
    table(&cases);
}

#[test]
fn a_value_and_its_limit_are_measured() {
    table(&[
        ("error rate under 1%", "error rate below 1%"),
        ("no more than 3 retries", "retries at most 3"),
        ("No more than three retries", "retries at most 3"),
        ("p99 ≤ 250 ms at 500 rps", "p99 at most 250 ms"),
        ("p99 <= 250ms", "p99 at most 250 ms"),
        ("p95<2s", "p95 below 2 s"),
        ("p99.9 stays under 1.5 seconds", "p99.9 below 1.5 s"),
        ("95th percentile latency below 300 ms", "95th percentile latency below 300 ms"),
        ("p95 latency of less than 300 milliseconds", "p95 latency below 300 ms"),
        ("Load test shows checkout error rate at or below 1%", ""),
        ("Load test shows the checkout error rate at most 1%", "checkout error rate at most 1%"),
        ("Error rate of the checkout service stays below 0.5%", "error rate of the checkout service below 0.5%"),
        ("Mean response time is less than or equal to 120 ms.", "mean response time at most 120 ms"),
        ("Memory usage stays below 2 GiB", "memory usage below 2 GiB"),
        ("CPU usage never exceeds 80 percent", "CPU usage at most 80%"),
        ("Replication lag does not exceed 5s", "replication lag at most 5 s"),
        ("Queue depth stays below 1,000", "queue depth below 1000"),
        ("Queue depth stays below 1000 messages", "queue depth below 1000"),
        ("retries ≤ 3", "retries at most 3"),
        ("Attempts capped at two", "attempts at most 2"),
        ("Fewer than 5 failed checkouts per day", "failed checkouts per day below 5"),
        ("Sustains at least 500 requests per second", "request rate at least 500 per second"),
        ("Throughput above 500 rps", "throughput above 500 per second"),
        ("Availability of at least 99.9%", "availability at least 99.9%"),
        ("Success rate ≥ 99.95%", "success rate at least 99.95%"),
        ("availability never drops below 99.9%", "availability at least 99.9%"),
        ("Test coverage reaches 80%", "test coverage at least 80%"),
        ("p95 is 2s or less", "p95 at most 2 s"),
        ("Alert fires within 5 minutes of the error rate exceeding 5%", "time until alert fires at most 5 min"),
        ("Rollback completes in under 10 minutes", "time until rollback completes below 10 min"),
        ("Restore takes less than 1 hour", "duration of restore below 1 h"),
        ("MTTR below 30 minutes", "MTTR below 30 min"),
        ("When utilization exceeds 80%, p95 stays below 2s", "p95 below 2 s"),
        ("p95 below 2s when CPU exceeds 90%", "p95 below 2 s"),
        ("p95 below 2s under 500 rps", "p95 below 2 s"),
        ("error rate below 1% for at least 30 minutes", "error rate below 1%"),
        ("error rate below 1% over 24 hours", "error rate below 1%"),
        ("at most 0 duplicate charges", "duplicate charges at most 0"),
    ]);
}

#[test]
fn what_must_happen_before_a_value_is_reached_is_measured_when_it_happens() {
    table(&[
        ("Alert fires before error rate exceeds 5%", "error rate when alert fires at most 5%"),
        ("Alert fires before the error rate reaches 5%", "error rate when alert fires below 5%"),
        (
            "Autoscaler adds workers before CPU usage goes above 70%",
            "CPU usage when autoscaler adds workers at most 70%",
        ),
        // What is better high is reached from above.
        ("Alert fires before free disk space reaches 10%", "free disk space when alert fires above 10%"),
        ("Alert fires before free disk space drops below 10%", "free disk space when alert fires at least 10%"),
        ("before worker utilization reaches 75%", ""),
    ]);
}

#[test]
fn somebodys_word_is_attested() {
    table(&[
        ("Runbook followed by somebody other than the author", "attested by anybody but the owner or the author"),
        ("A non-expert can follow the runbook", "attested by anybody but the owner or an expert"),
        ("Game day run by non-authors", "attested by anybody but the owner or an author"),
        ("Reviewed by a non-owner", "attested by anybody but the owner"),
        ("Reviewed by anybody but the owner", "attested by anybody but the owner"),
        ("Reviewed by another team", "attested by anybody but the owner or a member of the owning team"),
        (
            "Restore drill performed by someone outside the team",
            "attested by anybody but the owner or a member of the team",
        ),
        ("Reviewed by an independent engineer", "attested by anybody but the owner"),
        ("Signed off by Security", "attested by Security, not being the owner"),
        ("Approved by the incident commander", "attested by incident commander, not being the owner"),
        ("Walked through by a new on-call", "attested by new on-call, not being the owner"),
        ("The Platform team confirms the drill", "attested by Platform team, not being the owner"),
    ]);
}

#[test]
fn what_is_ambiguous_proposes_nothing() {
    table(&[
        ("", ""),
        ("Works", ""),
        ("p95", ""),
        ("2s", ""),
        ("p95 is better", ""),
        // Two demands.
        ("p95 below 2s and error rate below 1%", ""),
        ("p95 below 2s with error rate below 1%", ""),
        ("p95 below 2s, reviewed by a non-author", ""),
        ("Approved by Security and signed off by Legal", ""),
        // No unit, or one that could be two.
        ("p95 below 2", ""),
        ("error rate below 0.01", ""),
        ("recovery time under 5m", ""),
        ("bandwidth below 10 MB/s", ""),
        ("fewer than 10k errors", ""),
        ("error rate below 2-5%", ""),
        ("error rate below ~2%", ""),
        ("error rate falls by 20%", ""),
        ("error rate 5 percentage points below 30%", ""),
        ("utilization at most 20 percentage points", ""),
        ("latency between 1 and 2 s", ""),
        ("p95 twice below 1.2.3", ""),
        ("Cost below $500", ""),
        // A condition, not a demand.
        ("Alert fires when error rate exceeds 5%", ""),
        ("Alert on error rate above 5%", ""),
        ("Alert added for p95 over 2s", ""),
        ("Page if success rate drops below 99%", ""),
        ("Requests are shed until utilization drops below 75%", ""),
        // A deadline or a fact.
        ("Runbook reviewed within 30 days", ""),
        ("Runs on Kubernetes above 1.28", ""),
        ("completed by Friday", ""),
        ("Completed by the owner", ""),
        ("The change was not reviewed by another developer", ""),
        ("Timeout followed by success", ""),
        ("At least two engineers have read the runbook", ""),
        ("At least one integration test covers it", ""),
        ("more than 0 checks", ""),
        ("latency below 0 ms", ""),
        ("non-zero exit code is reported", ""),
        ("Customers can check out", ""),
        ("Dashboard shows retries by provider", ""),
    ]);
}

#[test]
fn a_very_long_text_proposes_nothing() {
    assert_eq!(propose(&format!("{} p95 below 2s", "x ".repeat(4096))), None);
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,300}") {
        let _ = propose(&text);
    }

    #[test]
    fn any_mixture_of_its_words_is_read_without_a_panic(words in proptest::collection::vec(proptest::sample::select(vec![
        "p95", "below", "2s", "2", "s", "%", "75%", "before", "reaches", "utilization", "no", "more", "than", "or", "less",
        "never", "within", "of", "at", "least", "per", "second", "/s", "≤", "<", ",", ".", "-", "~", "by", "a", "non-author",
        "another", "team", "somebody", "other", "the", "Support", "can", "95", "th", "percentile", "1,284", "1,2", "1.2.3",
        "10:17", "é", "’", "µs", "\u{0}", "٣", "İ", "ß", "error", "rate", "over", "for", "zero", "retries", "when",
    ]), 0..24), spaced in proptest::collection::vec(any::<bool>(), 24)) {
        let mut text = String::new();
        for (word, spaced) in words.iter().zip(spaced) {
            text.push_str(word);
            if spaced {
                text.push(' ');
            }
        }
        if let Some(kind) = propose(&text) {
            prop_assert!(!kind.to_string().is_empty());
        }
    }
}
