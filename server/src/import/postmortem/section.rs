//! Cutting a document into its sections.

use super::Report;
use super::lines::Line;

/// What a section is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Before the first heading of a section, or under the title.
    Top,
    /// A headline under a heading of its own.
    Summary,
    /// The impact table.
    Impact,
    /// The timeline.
    Timeline,
    /// The root cause.
    RootCause,
    /// The action items.
    Actions,
    /// The follow-up rule.
    FollowUp,
    /// The list of sources.
    Evidence,
    /// Something else.
    Other,
}

/// A line of the form `Severity: SEV-2`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label<'a> {
    /// Its name in lower case.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The whole line.
    pub line: Line<'a>,
}

/// A list item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<'a> {
    /// The text after the bullet, with the lines that continue it.
    pub text: String,
    /// Whether it is a ticked task.
    pub done: bool,
    /// The line it begins on.
    pub line: Line<'a>,
}

/// A part of the document under one heading.
#[derive(Debug, Clone)]
pub struct Section<'a> {
    /// What it is about.
    pub kind: Kind,
    /// Its heading, empty before the first.
    pub heading: String,
    /// Its lines, without labels.
    pub lines: Vec<Line<'a>>,
    /// Its labels.
    pub labels: Vec<Label<'a>>,
}

const NAMES: &[(Kind, &[&str])] = &[
    (
        Kind::Summary,
        &["summary", "overview", "tl;dr", "tldr", "executive summary", "synopsis", "key points", "headline"],
    ),
    (Kind::Impact, &["impact", "user impact", "customer impact", "business impact", "impact summary"]),
    (
        Kind::Timeline,
        &[
            "timeline",
            "timeline of events",
            "incident timeline",
            "leadup",
            "lead-up",
            "key events",
            "event timeline",
            "chronology",
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
            "root cause analysis",
            "trigger",
        ],
    ),
    (
        Kind::Actions,
        &[
            "what changes",
            "action items",
            "actions",
            "action item",
            "follow-up actions",
            "corrective actions",
            "next steps",
            "remediation",
            "follow ups",
            "follow-ups",
            "followups",
            "to do",
            "todo",
            "preventive actions",
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
            "follow-up rule",
        ],
    ),
    (Kind::Evidence, &["evidence", "sources", "references", "footnotes"]),
    // What an export adds that no draft holds.
    (
        Kind::Other,
        &[
            "progress notes",
            "lessons learned",
            "what went well",
            "what went wrong",
            "detection",
            "resolution",
            "background",
            "appendix",
        ],
    ),
];

fn known(heading: &str) -> Option<Kind> {
    let name = heading
        .trim_matches(|c: char| c == '*' || c == '_' || c == ':' || c == '#' || c.is_whitespace())
        .to_lowercase();
    NAMES.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(kind, _)| *kind)
}

/// Cuts the lines into sections.
pub fn cut<'a>(lines: &[Line<'a>], report: &mut Report) -> Vec<Section<'a>> {
    let new =
        |kind, heading: &str| Section { kind, heading: heading.to_owned(), lines: Vec::new(), labels: Vec::new() };
    let mut sections = vec![new(Kind::Top, "")];
    let mut skip_underline = false;
    for (i, line) in lines.iter().enumerate() {
        if std::mem::take(&mut skip_underline) {
            continue;
        }
        let underlined = lines.get(i + 1).is_some_and(|next| {
            next.number == line.number + 1
                && next.text.len() >= 3
                && (next.text.bytes().all(|b| b == b'=') || next.text.bytes().all(|b| b == b'-'))
        }) && !line.text.starts_with(['|', '-', '*']);
        let last_is_top_only = sections.len() == 1 && sections[0].lines.is_empty() && sections[0].heading.is_empty();
        if let Some((level, text)) = hashes(line.text).or_else(|| underlined.then_some((1, line.text))) {
            skip_underline = underlined;
            match known(text) {
                Some(kind) => sections.push(new(kind, text)),
                None if level == 1 && last_is_top_only => text.trim().clone_into(&mut sections[0].heading),
                // A heading below a timeline or list may be an entry of it.
                None if level >= 3
                    && sections.last().is_some_and(|s| matches!(s.kind, Kind::Timeline | Kind::Actions)) =>
                {
                    push_line(&mut sections, *line);
                }
                None => sections.push(new(Kind::Other, text)),
            }
            continue;
        }
        if let Some(kind) = known(line.text).filter(|_| line.text.len() < 60 && !line.text.starts_with(['|', '-'])) {
            sections.push(new(kind, line.text));
            continue;
        }
        let section = sections.last_mut();
        if let Some(section) = section
            && matches!(section.kind, Kind::Top | Kind::Summary)
            && let Some(label) = label(line)
        {
            section.labels.push(label);
            continue;
        }
        push_line(&mut sections, *line);
    }
    for section in sections.iter().filter(|section| section.kind == Kind::Other) {
        for line in &section.lines {
            report.not_understood(line, &format!("under ‘{}’", section.heading));
        }
        if section.lines.is_empty() {
            report.add(domain::draft::Level::Note, None, format!("nothing stands under ‘{}’", section.heading), None);
        }
    }
    sections
}

fn push_line<'a>(sections: &mut [Section<'a>], line: Line<'a>) {
    if let Some(section) = sections.last_mut() {
        section.lines.push(line);
    }
}

fn hashes(text: &str) -> Option<(usize, &str)> {
    let level = text.bytes().take_while(|b| *b == b'#').count();
    ((1..=6).contains(&level) && text[level..].starts_with(' '))
        .then(|| (level, text[level..].trim().trim_end_matches('#').trim()))
}

/// A line of the form `Severity: SEV-2`, plain, bold, or as a list item.
fn label<'a>(line: &Line<'a>) -> Option<Label<'a>> {
    let text = line.text.trim_start_matches(['-', '*', ' ']).trim();
    let (name, value) = text.split_once(':')?;
    let clean = |part: &str| part.trim().trim_matches(['*', '_', '`']).trim().to_owned();
    let (name, value) = (clean(name), clean(value));
    let short = !name.is_empty() && name.len() <= 24 && name.split_whitespace().count() <= 3 && !value.is_empty();
    let worded = name.chars().all(|c| c.is_alphabetic() || c == ' ' || c == '-');
    let is_label =
        short && worded && (super::KNOWN_LABELS.contains(&name.to_lowercase().as_str()) || line.text.starts_with("**"));
    is_label.then(|| Label { name: name.to_lowercase(), value, line: *line })
}

/// The text after a bullet or number, if the line is a list item: whether it is ticked, and the rest.
pub fn bullet(text: &str) -> Option<(bool, &str)> {
    let rest = ["- ", "* ", "+ ", "• "].iter().find_map(|bullet| text.strip_prefix(bullet)).or_else(|| {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let rest = &text[digits..];
        (1..=3).contains(&digits).then(|| rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")))?
    })?;
    let rest = rest.trim_start();
    for (tick, done) in [("[ ]", false), ("[x]", true), ("[X]", true)] {
        if let Some(rest) = rest.strip_prefix(tick) {
            return Some((done, rest.trim_start()));
        }
    }
    Some((false, rest))
}

impl<'a> Section<'a> {
    /// The list items, each with the lines that continue it.
    pub fn items(&self) -> Vec<Item<'a>> {
        let mut items: Vec<Item<'a>> = Vec::new();
        let mut last = 0;
        for line in &self.lines {
            if let Some((done, text)) = bullet(line.text) {
                items.push(Item { text: text.to_owned(), done, line: *line });
            } else if let Some(item) = items.last_mut().filter(|_| last + 1 == line.number && line.indent > 0) {
                item.text.push(' ');
                item.text.push_str(line.text);
            }
            last = line.number;
        }
        items
    }

    /// The paragraphs: runs of lines that are no list items.
    pub fn paragraphs(&self) -> Vec<String> {
        let mut paragraphs: Vec<String> = Vec::new();
        let (mut last, mut in_list) = (0, false);
        for line in &self.lines {
            let follows = last + 1 == line.number;
            in_list = bullet(line.text).is_some() || (in_list && follows && line.indent > 0);
            if !in_list {
                // Every line of a pasted text is a paragraph of its own.
                paragraphs.push(line.text.to_owned());
            }
            last = line.number;
        }
        paragraphs
    }

    /// All lines as Markdown: lists and tables keep their lines, others become paragraphs.
    pub fn as_markdown(&self) -> String {
        let mut text = String::new();
        let mut before: Option<&Line<'_>> = None;
        for line in &self.lines {
            let tight =
                |line: &Line<'_>| bullet(line.text).is_some() || line.text.starts_with(['|', '>']) || line.indent > 0;
            if let Some(before) = before {
                let together = before.number + 1 == line.number && tight(line) && tight(before);
                text.push_str(if together { "\n" } else { "\n\n" });
            }
            text.push_str(&" ".repeat(line.indent.min(8)));
            text.push_str(line.text);
            before = Some(line);
        }
        text.trim().to_owned()
    }
}
