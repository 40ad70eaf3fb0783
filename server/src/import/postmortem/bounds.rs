//! How much a post-mortem may hold: beyond it is something else, such as a log, or somebody forgot a line break.

use domain::draft::{IncidentDraft, Level};
use domain::wire::actions::{MAX_LINE, MAX_TEXT};
use domain::wire::evidence::MAX_LINK;

use super::report::Report;

/// The most bytes of a document.
const MAX_BYTES: usize = 16 << 20;

/// The most lines of a document.
const MAX_LINES: usize = 200_000;

/// The most rows of one of its tables or lists.
const MAX_ROWS: usize = 100_000;

/// How much of a text that is too long is shown.
const SHOWN: usize = 60;

/// Whether a document is so large that it is not looked at; the report says so.
pub(super) fn is_too_large(bytes: &[u8], report: &mut Report) -> bool {
    let lines = memchr::memchr_iter(b'\n', bytes).count();
    let why = if bytes.len() > MAX_BYTES {
        format!("the document has {} bytes, and may have {MAX_BYTES}", bytes.len())
    } else if lines > MAX_LINES {
        format!("the document has {lines} lines, and may have {MAX_LINES}")
    } else {
        return false;
    };
    report.add(Level::Error, None, format!("{why}; if it is a log, import it as such"), None);
    true
}

/// Says what of a draft is too long to be kept.
pub(super) fn check(draft: &IncidentDraft, report: &mut Report) {
    let mut refuse = |what: &str, most: usize, text: &str| {
        let length = text.chars().count();
        if length > most {
            let begin: String = text.chars().take(SHOWN).collect();
            let message = format!("{what} has {length} characters, and may have {most}: ‘{begin}…’");
            report.add(Level::Error, None, message, None);
        }
    };
    refuse("the title", MAX_LINE, &draft.title);
    for entry in &draft.timeline {
        refuse("an event in the timeline", MAX_TEXT, &entry.event);
        refuse("a decision in the timeline", MAX_TEXT, entry.decision.as_deref().unwrap_or_default());
    }
    for measure in &draft.impact {
        refuse("a measure of the impact", MAX_TEXT, &measure.label);
        refuse("a result of the impact", MAX_TEXT, &measure.result);
        refuse("a basis of the impact", MAX_TEXT, measure.basis.as_deref().unwrap_or_default());
    }
    for action in &draft.actions {
        refuse("an action item", MAX_TEXT, &action.change);
        refuse("an action item’s owner", MAX_LINE, &action.owner);
        refuse("an action item’s verification", MAX_TEXT, &action.verification.criterion);
    }
    for source in &draft.evidence {
        refuse("a source’s title", MAX_TEXT, source.title.as_deref().unwrap_or_default());
        refuse("a source’s link", MAX_LINK, source.link.as_deref().unwrap_or_default());
    }
    for (what, rows) in [
        ("rows of impact", draft.impact.len()),
        ("timeline entries", draft.timeline.len()),
        ("action items", draft.actions.len()),
        ("key points", draft.key_points.len()),
    ] {
        if rows > MAX_ROWS {
            report.add(Level::Error, None, format!("there are {rows} {what}, and may be {MAX_ROWS}"), None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Options, parse};
    use super::*;

    fn document(title: &str, rows: &str) -> String {
        format!("# {title}\n\nSeverity: SEV-2\n\nIt was.\n\n## Timeline\n\n| UTC | Event |\n|---|---|\n{rows}")
    }

    fn refusals(text: &str) -> Vec<String> {
        let parsed = parse(text.as_bytes(), &Options::default());
        parsed.refusals().into_iter().map(|refusal| refusal.message.clone()).collect()
    }

    fn row(event: &str) -> String {
        format!("| 2026-07-09T09:46:00Z | {event} |\n")
    }

    #[test]
    fn what_is_too_long_is_refused_with_words_and_what_is_long_is_not() {
        assert_eq!(refusals(&document(&"t".repeat(MAX_LINE), &row(&"e".repeat(MAX_TEXT)))), [""; 0]);
        for (text, words) in [
            (document(&"t".repeat(MAX_LINE + 1), &row("a")), "the title has 501 characters, and may have 500"),
            (document("t", &row(&"e".repeat(MAX_TEXT + 1))), "an event in the timeline has 20001 characters"),
            (document("t", &row("a").repeat(MAX_ROWS + 1)), "there are 100001 timeline entries, and may be 100000"),
            (document("t", &"\n".repeat(MAX_LINES + 1)), "lines, and may have 200000"),
            (document("t", &"e".repeat(MAX_BYTES)), "bytes, and may have 16777216"),
            (
                document(
                    "t",
                    &format!("{}\n## Evidence\n\n[^1]: Log <https://a.example/{}>\n", row("a"), "x".repeat(MAX_LINK)),
                ),
                "a source’s link has 2018 characters",
            ),
        ] {
            let told = refusals(&text);
            assert!(told.len() == 1 && told[0].contains(words) && told[0].len() < 300, "{words}: {told:?}");
        }
    }

    #[test]
    fn a_document_of_five_megabytes_is_read() {
        let long = document("t", &row("a"))
            + "\n## Root cause\n\n"
            + &"A line of words that say why it was.\n".repeat(140_000);
        assert!(long.len() > 5_000_000, "{}", long.len());
        assert_eq!(refusals(&long), [""; 0]);
    }
}
