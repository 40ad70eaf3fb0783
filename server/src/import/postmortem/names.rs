//! The names that sections go by.

use super::section::Kind;

/// Names that are a heading even where nothing marks them as one.
const NAMES: &[(Kind, &[&str])] = &[
    (
        Kind::Summary,
        &[
            "summary",
            "overview",
            "tl;dr",
            "tldr",
            "executive summary",
            "incident summary",
            "synopsis",
            "key points",
            "headline",
            "abstract",
            "what happened",
            "key takeaway",
            "description",
        ],
    ),
    (
        Kind::Impact,
        &[
            "impact",
            "user impact",
            "customer impact",
            "business impact",
            "impact summary",
            "impact assessment",
            "impact analysis",
            "impact measures",
            "blast radius",
        ],
    ),
    (
        Kind::Timeline,
        &[
            "timeline",
            "timeline of events",
            "incident timeline",
            "leadup",
            "lead-up",
            "lead up",
            "key events",
            "event timeline",
            "chronology",
            "sequence of events",
            "events",
        ],
    ),
    (
        Kind::RootCause,
        &[
            "root cause",
            "root causes",
            "root cause(s)",
            "cause",
            "causes",
            "contributing factors",
            "contributing factor",
            "contributing causes",
            "root cause analysis",
            "cause analysis",
            "trigger",
            "rca",
            "why it happened",
        ],
    ),
    (
        Kind::Actions,
        &[
            "what changes",
            "action items",
            "actions",
            "action item",
            "action plan",
            "follow-up actions",
            "follow up actions",
            "corrective actions",
            "preventive actions",
            "preventative actions",
            "next steps",
            "remediation",
            "remediations",
            "remediation items",
            "remediation and follow-up",
            "follow ups",
            "follow-ups",
            "followups",
            "follow-up",
            "follow up",
            "follow-up tasks",
            "follow-up items",
            "to do",
            "todo",
            "todos",
            "to-do",
            "tasks",
            "improvements",
        ],
    ),
    (
        Kind::FollowUp,
        &[
            "customer follow-up",
            "customer follow up",
            "customer followup",
            "customer communication",
            "customer communications",
            "customer outreach",
            "customer messaging",
            "follow-up rule",
        ],
    ),
    (Kind::Evidence, &["evidence", "sources", "references", "footnotes", "citations"]),
    // Parts that no draft holds, an export's notes among them; a bare line of this name still begins a part.
    (
        Kind::Other,
        &[
            "progress notes",
            "lessons learned",
            "lessons learnt",
            "what went well",
            "what went wrong",
            "what went poorly",
            "where we got lucky",
            "detection",
            "resolution",
            "recovery",
            "response",
            "background",
            "appendix",
            "attendees",
            "glossary",
        ],
    ),
];

/// The kind of section that a bare line opens.
pub fn bare(heading: &str) -> Option<Kind> {
    let name = plain(heading);
    NAMES.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(kind, _)| *kind)
}

/// The kind of section that a heading opens; it is known to be a heading, so a word in it may tell.
pub fn marked(heading: &str) -> Option<Kind> {
    if let Some(kind) = bare(heading) {
        return Some(kind);
    }
    let name = plain(heading);
    if name.len() > 90 {
        return None;
    }
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |word: &str| words.contains(&word);
    let both = |first: &str, second: &str| words.windows(2).any(|pair| pair == [first, second]);
    if has("customer") && (has("follow") || has("communication") || has("communications")) {
        return Some(Kind::FollowUp);
    }
    if has("timeline") || has("chronology") || both("key", "events") {
        return Some(Kind::Timeline);
    }
    if both("root", "cause") || both("root", "causes") || both("contributing", "factors") {
        return Some(Kind::RootCause);
    }
    let prevents = words.iter().any(|word| word.starts_with("prevent")) && (has("again") || has("recurrence"));
    let acts = ["action", "actions", "task", "tasks", "remediation", "remediations"].iter().any(|word| has(word));
    let tells = has("taken") || has("response") || has("recovery") || has("immediate") && has("mitigation");
    if prevents || acts && !tells || both("follow", "ups") || both("next", "steps") {
        return Some(Kind::Actions);
    }
    if has("lessons") || both("went", "well") || both("went", "wrong") {
        return Some(Kind::Other);
    }
    if words.last() == Some(&"impact") || words.first() == Some(&"impact") {
        return Some(Kind::Impact);
    }
    (words.last() == Some(&"summary")).then_some(Kind::Summary)
}

/// A heading's words: without emphasis, numbering, an emoji or its short code, and what stands in brackets.
fn plain(heading: &str) -> String {
    let mut name = String::with_capacity(heading.len());
    for word in heading.to_lowercase().split_whitespace() {
        let is_short_code = word.len() > 2 && word.starts_with(':') && word.ends_with(':');
        let is_number =
            word.ends_with(['.', ')']) && word[..word.len() - 1].bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let is_sign = !word.chars().any(char::is_alphanumeric) && name.is_empty();
        if is_short_code || (is_number && name.is_empty()) || is_sign {
            continue;
        }
        if !name.is_empty() {
            name.push(' ');
        }
        name.push_str(word);
    }
    let name = name.trim_matches(|c: char| !(c.is_alphanumeric() || c == '(' || c == ')'));
    match name.split_once(" (") {
        Some((before, _)) if !bare_with_brackets(name) => before.trim_end_matches([':', ' ', '*']).to_owned(),
        _ => name.to_owned(),
    }
}

fn bare_with_brackets(name: &str) -> bool {
    NAMES.iter().any(|(_, names)| names.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_known_by_many_names() {
        for (heading, kind) in [
            ("Timeline", Some(Kind::Timeline)),
            ("**Timeline of events:**", Some(Kind::Timeline)),
            (":warning: Leadup", Some(Kind::Timeline)),
            ("⚠️ Leadup", Some(Kind::Timeline)),
            ("3. Key events", Some(Kind::Timeline)),
            ("Incident timeline (all times UTC)", Some(Kind::Timeline)),
            ("Root cause(s)", Some(Kind::RootCause)),
            ("Blameless root cause", Some(Kind::RootCause)),
            ("Contributing Factors", Some(Kind::RootCause)),
            ("Remediation", Some(Kind::Actions)),
            ("How do we prevent it from happening again?", Some(Kind::Actions)),
            ("What changes", Some(Kind::Actions)),
            ("Follow-ups", Some(Kind::Actions)),
            ("Customer follow-up", Some(Kind::FollowUp)),
            ("Communication to the customer and follow up", Some(Kind::FollowUp)),
            ("User impact", Some(Kind::Impact)),
            ("TL;DR", Some(Kind::Summary)),
            ("Lessons we learned", None),
            ("Lessons learned", Some(Kind::Other)),
            ("Postmortem of checkout", None),
        ] {
            let expected = if heading.starts_with("Lessons we") { Some(Kind::Other) } else { kind };
            assert_eq!(marked(heading), expected, "{heading}");
        }
        assert_eq!(bare("The timeline was long"), None);
        assert_eq!(bare("Impact"), Some(Kind::Impact));
    }
}
