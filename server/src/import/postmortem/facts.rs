//! Single facts that words state: severity, status, thresholds, and the title.

use domain::incident::{IncidentStatus, Severity, Thresholds};

/// A severity as a label gives it: `SEV-2`, `P1`, `2`, or a word.
pub fn severity(label: &str) -> Option<Severity> {
    const WORDS: &[(&str, u32)] = &[
        ("critical", 1),
        ("blocker", 1),
        ("major", 2),
        ("high", 2),
        ("moderate", 3),
        ("medium", 3),
        ("minor", 4),
        ("low", 4),
        ("negligible", 5),
        ("trivial", 5),
    ];
    let lower = label.trim().to_lowercase();
    let first: String = lower.chars().take_while(|c| c.is_alphanumeric()).collect();
    severity_in(&lower)
        .or_else(|| level(first.trim_start_matches(['s', 'p']).parse().ok().filter(|_| first.len() <= 2)?))
        .or_else(|| level(WORDS.iter().find(|(word, _)| first == *word)?.1))
}

/// A severity that a sentence names: `SEV-2`, `sev2`, `severity 2`.
pub fn severity_in(text: &str) -> Option<Severity> {
    let lower = text.to_lowercase();
    lower.match_indices("sev").find_map(|(at, word)| {
        let rest = &lower[at + word.len()..];
        let rest = rest.strip_prefix("erity").unwrap_or(rest).trim_start_matches(['-', ' ', ':']);
        let mut chars = rest.chars();
        let digit = chars.next()?.to_digit(10)?;
        let is_apart =
            !lower[..at].ends_with(char::is_alphanumeric) && chars.next().is_none_or(|c| !c.is_alphanumeric());
        is_apart.then(|| level(digit))?
    })
}

/// Some count from 0; ours begins with 1.
fn level(number: u32) -> Option<Severity> {
    Severity::ALL.get(usize::try_from(number.max(1) - 1).ok()?).copied()
}

/// A status as a label gives it.
pub fn status(label: &str) -> Option<IncidentStatus> {
    const WORDS: &[(&str, IncidentStatus)] = &[
        ("closed", IncidentStatus::Resolved),
        ("fixed", IncidentStatus::Resolved),
        ("complete", IncidentStatus::Resolved),
        ("completed", IncidentStatus::Resolved),
        ("recovered", IncidentStatus::Resolved),
        ("done", IncidentStatus::Resolved),
        ("mitigated", IncidentStatus::Monitoring),
        ("ongoing", IncidentStatus::Investigating),
        ("open", IncidentStatus::Investigating),
        ("unresolved", IncidentStatus::Investigating),
    ];
    let lower = label.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).find_map(|word| {
        let known = IncidentStatus::ALL.iter().copied().find(|status| status.as_str() == word);
        known.or_else(|| WORDS.iter().find(|(name, _)| *name == word).map(|(_, status)| *status))
    })
}

/// The error rates that the words state as alert and as recovery thresholds.
pub fn thresholds(texts: &[&str]) -> Thresholds {
    let stated = |words: &[&str]| {
        texts.iter().find_map(|text| {
            let lower = text.to_lowercase();
            let speaks_of_errors = lower.contains("error") || lower.contains("fail");
            words
                .iter()
                .filter(|_| speaks_of_errors)
                .find_map(|word| lower.match_indices(word).find_map(|(at, _)| share(&lower[at + word.len()..])))
        })
    };
    Thresholds {
        alert: stated(&[
            "exceeds ",
            "exceed ",
            "exceeded ",
            "exceeding ",
            "above ",
            "over ",
            "crosses ",
            "crossed ",
            "past ",
            "greater than ",
            "more than ",
            "> ",
        ]),
        recovered: stated(&["below ", "under ", "less than ", "< "]),
    }
}

/// The share that a text begins with: `5%`, `0.5 percent`.
fn share(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let number: f64 = text[..end].trim_end_matches('.').parse().ok()?;
    let rest = text[end..].trim_start();
    ((rest.starts_with('%') || rest.starts_with("percent")) && number <= 100.0).then_some(number / 100.0)
}

/// The first clause of a headline.
pub fn first_clause(headline: &str) -> String {
    let clause = headline.split("\n\n").next().unwrap_or_default();
    let clause = clause.split([';', '—']).next().unwrap_or_default();
    let end = clause.match_indices(". ").find(|(at, _)| {
        let before = &clause[..*at];
        // A stop after one letter belongs to an abbreviation.
        before.rsplit(|c: char| !c.is_alphanumeric()).next().is_some_and(|word| word.chars().count() > 1)
    });
    let clause = &clause[..end.map_or(clause.len(), |(at, _)| at)];
    let clause = clause.split(": ").next().unwrap_or_default();
    clause.trim_end_matches('.').trim().chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severities_are_named_in_several_ways() {
        use Severity::{Sev1, Sev2, Sev3};
        for (text, label, sentence) in [
            ("SEV-2", Some(Sev2), Some(Sev2)),
            ("sev2", Some(Sev2), Some(Sev2)),
            ("Incident declared SEV 2.", Some(Sev2), Some(Sev2)),
            ("severity: 3", Some(Sev3), Some(Sev3)),
            ("SEV0", Some(Sev1), Some(Sev1)),
            ("P1", Some(Sev1), None),
            ("2 (high)", Some(Sev2), None),
            ("Critical", Some(Sev1), None),
            ("Major (degraded)", Some(Sev2), None),
            ("S3 bucket", Some(Sev3), None),
            ("seven", None, None),
            ("SEV-22", None, None),
        ] {
            assert_eq!((severity(text), severity_in(text)), (label, sentence), "{text}");
        }
    }

    #[test]
    fn a_status_is_a_whole_word() {
        assert_eq!(status("Resolved"), Some(IncidentStatus::Resolved));
        assert_eq!(status("unresolved"), Some(IncidentStatus::Investigating));
        assert_eq!(status("Monitoring (since 10:17)"), Some(IncidentStatus::Monitoring));
        assert_eq!(status("who knows"), None);
    }

    #[test]
    fn thresholds_are_read_only_where_words_state_them() {
        let of = |text: &'static str| thresholds(&[text]);
        assert_eq!(of("Alert fires after error rate exceeds 5%").alert, Some(0.05));
        assert_eq!(of("Checkout returns below 1% failures").recovered, Some(0.01));
        assert_eq!(of("over time, errors over 2.5 percent").alert, Some(0.025));
        assert_eq!(of("utilization exceeds 75%"), Thresholds::default());
    }

    #[test]
    fn the_title_is_the_first_clause() {
        for (text, clause) in [
            ("Checkout recovered at 10:17 UTC; more.", "Checkout recovered at 10:17 UTC"),
            ("The U.S. region failed. More.", "The U.S. region failed"),
            ("Outage: all of it", "Outage"),
            ("", ""),
        ] {
            assert_eq!(first_clause(text), clause, "{text}");
        }
    }
}
