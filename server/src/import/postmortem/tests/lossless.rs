//! What holds for any text: no panic, and no word lost in silence.

use proptest::prelude::*;

use super::*;

/// Lines with `@` where a word of their own goes.
const LINES: &[&str] = &[
    "@",
    "@ @.",
    "@: @",
    "- @ @",
    "* @",
    "  - @",
    "    @",
    "1. @",
    "- [x] @",
    "- [ ] @ (owner: @, due: @)",
    "# @",
    "## @",
    "### @ @",
    "@\n===",
    "@\n---",
    "**@**",
    "**@:** @",
    "> @",
    "<!-- @ -->",
    "```",
    "~~~",
    "---",
    "***",
    "",
    "",
    "| @ | @ |",
    "| @ | @ | @ |",
    "| @ | @ | @ | @ |",
    "|---|---|",
    "|---|---|---|",
    "| Time | Event | Decision |",
    "| UTC | @ |",
    "| 09:46 | @ | @ |",
    "| ??:?? | @ |",
    "| 25:99 | @ | @ |",
    "| Measure | Result | Confidence |",
    "| @ | 12 @ | confirmed by @ |",
    "| Owner | Change | Due | Verification |",
    "| Change | Status | @ |",
    "| @ | Jul 14 | @ |",
    "@\t@\t@",
    "UTC\tEvent",
    "09:46 @",
    "- 09:46 @",
    "- **09:46 UTC** @",
    "### 10:00 @",
    "- 10:00",
    "2026-07-09",
    "- 2026-07-09 @",
    "2026-07-09 @",
    "Severity: @",
    "Severity: SEV-2 @",
    "Status: @",
    "Date: @",
    "Date: 2026-07-09 @",
    "Start: @",
    "End: 10:00 @",
    "Services: @, @",
    "Tags: @",
    "Title: @",
    "Time zone: @",
    "Owner: @",
    "Due: @",
    "| Severity | @ |",
    "| Field | Value |",
    "[^1]: @ https://a.example/@",
    "@.[^1]",
    "@.1",
    "1. @ <https://a.example/@>",
    "Impact",
    "Timeline",
    "Root cause",
    "What changes",
    "Customer follow-up",
    "Sources",
    "Summary",
    "Lessons learned",
    "## Impact",
    "## Timeline",
    "## Root cause",
    "## Action items",
    "## Customer follow-up",
    "## References",
    "## Summary",
    "### Detection",
    "- Owner: @",
    "  - Due: @",
    "- TBD",
    "All times in @, UTC",
    "Action item: @",
    "title: @",
    "tags:",
    "Impact: @",
    "**Impact:** @",
];

/// A document of such lines, and its words.
fn document() -> impl Strategy<Value = (String, Vec<String>)> {
    proptest::collection::vec(proptest::sample::select(LINES), 1..40).prop_map(|lines| {
        let (mut text, mut words) = (String::new(), Vec::new());
        for line in lines {
            for (at, part) in line.split('@').enumerate() {
                if at > 0 {
                    let letters = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap_or_default());
                    let word = format!("wyq{}{}q", letters(words.len() / 26), letters(words.len()));
                    text.push_str(&word);
                    words.push(word);
                }
                text.push_str(part);
            }
            text.push('\n');
        }
        (text, words)
    })
}

fn assert_kept(text: &str, words: &[String], parsed: &Parsed) -> Result<(), TestCaseError> {
    let json = serde_json::to_string(parsed).expect("JSON");
    for word in words {
        prop_assert!(json.contains(word.as_str()), "{word} is lost of:\n{text}\n{json}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        parse(&bytes, &Options { date: Some(day("2026-07-09")), ..Options::default() });
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in "(Timeline\n|Impact\n|Action items\n)?\\PC{0,60}(\n\\PC{0,60}){0,6}") {
        parse(text.as_bytes(), &Options { date: Some(day("2026-07-09")), ..Options::default() });
    }

    #[test]
    fn any_text_of_likely_parts_is_read_without_a_panic(
        parts in proptest::collection::vec("(Timeline|Impact|# |## Root cause|\\||\\|---\\||- |\\[x\\] |09:46|2026-07-0[0-9]|Jul |T|Z|-|–|−|/|\\?\\?:\\?\\?|2X:XX|UTC|\\+02:00|é|😀|\\[\\^1\\]|\\[1\\]|1|\\.|\t|\n|\r| |Severity: |<sup>1</sup>|²|pm|owner: |due: |<!--|-->|```|[a-z]{1,4})", 0..60),
        far in any::<bool>(),
    ) {
        let date = if far { Some(NaiveDate::MAX) } else { Some(NaiveDate::MIN) };
        parse(parts.concat().as_bytes(), &Options { date, ..Options::default() });
        parse(parts.concat().as_bytes(), &Options::default());
    }

    #[test]
    fn no_word_of_any_document_is_lost((text, words) in document(), dated in any::<bool>()) {
        let parsed = if dated { with_date(&text) } else { without_date(&text) };
        assert_kept(&text, &words, &parsed)?;
    }

    #[test]
    fn no_word_of_a_damaged_example_is_lost(
        cut in 0..30_usize, copy in 0..30_usize, to in 0..30_usize, swap in (0..30_usize, 0..30_usize),
        drop in 0..2000_usize, stray in "[a-z]{6,12}", at in 0..30_usize
    ) {
        let mut lines: Vec<&str> = EXAMPLE.lines().collect();
        let copied = lines[copy % lines.len()];
        lines.insert(to % lines.len(), copied);
        lines.insert(at % lines.len(), &stray);
        lines.remove(cut % lines.len());
        let (a, b) = (swap.0 % lines.len(), swap.1 % lines.len());
        lines.swap(a, b);
        let mut text = lines.join("\n");
        text.remove(drop % text.len());
        let parsed = with_date(&text);
        // Names of sections and columns are structure; what stands beside them is not.
        let structure = ["Impact", "Timeline", "Root", "cause", "What", "changes", "Customer", "follow", "up", "Measure", "Result", "Confidence", "UTC", "Event", "Decision", "Owner", "Change", "Due", "Verification", "confirmed", "from"];
        let words: Vec<String> = text
            .lines()
            .filter(|line| !structure.iter().any(|word| line.starts_with(word) || line.starts_with(&format!("| {word}"))))
            .flat_map(|line| line.split(|c: char| !c.is_alphabetic()))
            .filter(|word| word.len() > 3 && !structure.contains(word))
            .map(str::to_owned)
            .collect();
        assert_kept(&text, &words, &parsed)?;
    }
}
