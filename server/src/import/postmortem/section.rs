//! Cutting a document into its sections.

use domain::draft::Level;

use super::lines::{Form, Line};
use super::list;
use super::names;
use super::report::Report;
use super::stamp;

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

impl Kind {
    /// What a section of this kind is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Top | Self::Summary => "the summary",
            Self::Impact => "the impact",
            Self::Timeline => "the timeline",
            Self::RootCause => "the root cause",
            Self::Actions => "the action items",
            Self::FollowUp => "the customer follow-up",
            Self::Evidence => "the sources",
            Self::Other => "a part that is not imported",
        }
    }
}

/// A part of the document under one heading.
#[derive(Debug, Clone)]
pub struct Section<'a> {
    /// What it is about.
    pub kind: Kind,
    /// Its heading, empty before the first.
    pub heading: String,
    /// Its lines, headings below its own among them.
    pub lines: Vec<Line<'a>>,
    /// The line of its heading; 0 before the first.
    pub start: u32,
    level: u8,
}

/// The level of a heading that is a line in bold, or a bare line.
const BOLD: u8 = 7;
const BARE: u8 = 8;

/// A document cut up.
pub struct Cut<'a> {
    /// The first heading, where it is the name of no section.
    pub title: Option<Line<'a>>,
    /// The sections, in order; the first is what stands above any heading.
    pub sections: Vec<Section<'a>>,
}

/// Cuts the lines into sections.
pub fn cut<'a>(lines: &[Line<'a>], report: &mut Report) -> Cut<'a> {
    let mut cut = Cut { title: None, sections: vec![Section::new(Kind::Top, "", 0, 0)] };
    let has_marks = lines.iter().any(|line| line.form == Form::Text && hashes(line.text).is_some());
    let mut skip = false;
    for (at, line) in lines.iter().enumerate() {
        if std::mem::take(&mut skip) {
            report.read(line);
            continue;
        }
        let (before, after) = (at.checked_sub(1).map(|i| &lines[i]), lines.get(at + 1));
        let Some(heading) = heading(line, before, after, has_marks) else {
            cut.push(*line);
            continue;
        };
        skip = heading.underlined;
        cut.open(&heading, line, report);
    }
    cut
}

impl<'a> Cut<'a> {
    /// The headings after which another incident seems to begin: a higher heading that names no part, below which parts
    /// come again that came before it.
    pub fn further_incidents(&self) -> Vec<&Section<'a>> {
        const TELLING: [Kind; 4] = [Kind::Impact, Kind::Timeline, Kind::RootCause, Kind::Actions];
        let (mut seen, mut found) = (Vec::new(), Vec::<&Section<'a>>::new());
        let mut title: Option<&Section<'a>> = None;
        for section in &self.sections {
            if section.kind == Kind::Other {
                title = title.filter(|above| above.level < section.level).or(Some(section));
            } else if let Some(above) = title.filter(|above| above.level < section.level)
                && TELLING.contains(&section.kind)
                && seen.iter().any(|(kind, start)| *kind == section.kind && *start < above.start)
                && found.last().is_none_or(|last| last.start != above.start)
            {
                found.push(above);
            }
            seen.push((section.kind, section.start));
        }
        found
    }

    fn push(&mut self, line: Line<'a>) {
        if let Some(section) = self.sections.last_mut() {
            section.lines.push(line);
        }
    }

    fn open(&mut self, heading: &Heading<'a>, line: &Line<'a>, report: &mut Report) {
        let current = self.sections.last().map_or((Kind::Top, 0), |section| (section.kind, section.level));
        let is_below = heading.level > current.1 && current.0 != Kind::Top;
        let inner = Line { text: heading.text, form: Form::Heading(heading.level), ..*line };
        match heading.kind {
            Some(kind) if !(is_below && (kind == current.0 || kind == Kind::Other)) => {
                if names::bare(heading.text).is_some() {
                    report.read(line);
                } else {
                    report.name(Level::Note, line, format!("read as the heading of {}", kind.name()));
                }
                self.sections.push(Section::new(kind, heading.text, line.number, heading.level));
            }
            None if self.is_bare_top() => self.title = Some(inner),
            // A heading below a section belongs to it; below a timeline it may be an entry of any level.
            _ if is_below || (current.0 == Kind::Timeline && stamp::leading(heading.text).is_some()) => {
                self.push(inner);
            }
            _ if heading.level == BOLD => self.push(*line),
            _ => {
                self.sections.push(Section::new(Kind::Other, heading.text, line.number, heading.level));
                report.name(Level::Note, line, format!("‘{}’ is the name of no part that is imported", heading.text));
            }
        }
    }

    /// Whether no title, no section and no text came yet.
    fn is_bare_top(&self) -> bool {
        self.title.is_none()
            && self.sections.len() == 1
            && self
                .sections
                .iter()
                .all(|top| top.lines.iter().all(|line| line.form != Form::Text || !line.says_something()))
    }
}

impl Section<'_> {
    fn new(kind: Kind, heading: &str, start: u32, level: u8) -> Self {
        Self { kind, heading: heading.to_owned(), lines: Vec::new(), start, level }
    }
}

struct Heading<'a> {
    level: u8,
    text: &'a str,
    kind: Option<Kind>,
    underlined: bool,
}

fn heading<'a>(
    line: &Line<'a>,
    before: Option<&Line<'a>>,
    after: Option<&Line<'a>>,
    has_marks: bool,
) -> Option<Heading<'a>> {
    if line.form != Form::Text {
        return None;
    }
    if let Some((level, text)) = hashes(line.text) {
        return Some(Heading { level, text, kind: names::marked(text), underlined: false });
    }
    let is_apart = before.is_none_or(|before| !line.follows(before));
    let is_item = list::bullet(line.text).is_some() || line.text.starts_with(['|', '>']) || line.text.contains('|');
    if let Some(after) = after
        && !is_item
        && line.says_something()
        && after.follows(line)
        && let Some(level) = underline(after.text)
        && (level == 1 || is_apart)
    {
        return Some(Heading { level, text: line.text, kind: names::marked(line.text), underlined: true });
    }
    if let Some(text) = bold(line.text).filter(|_| is_apart) {
        return Some(Heading { level: BOLD, text, kind: names::marked(text), underlined: false });
    }
    // In a document with marked headings a bare line is one only if it stands apart.
    let may_be_bare = line.text.len() < 60 && !is_item && (!has_marks || is_apart) && line.indent < 4;
    let kind = names::bare(line.text).filter(|_| may_be_bare && line.text.starts_with(|c: char| !c.is_lowercase()))?;
    Some(Heading { level: BARE, text: line.text, kind: Some(kind), underlined: false })
}

fn hashes(text: &str) -> Option<(u8, &str)> {
    let level = text.bytes().take_while(|b| *b == b'#').count();
    let rest = &text[level..];
    ((1..=6).contains(&level) && rest.starts_with([' ', '\t']))
        .then(|| (u8::try_from(level).unwrap_or(6), rest.trim().trim_end_matches('#').trim()))
}

/// The level of a heading that has this line under it.
fn underline(text: &str) -> Option<u8> {
    let only = |mark: u8| text.len() >= 3 && text.bytes().all(|b| b == mark);
    if only(b'=') {
        return Some(1);
    }
    (only(b'-') || only(b'~')).then_some(2)
}

fn bold(text: &str) -> Option<&str> {
    let inner = text.trim_end_matches(':');
    let inner = ["**", "__"].iter().find_map(|mark| inner.strip_prefix(mark)?.strip_suffix(mark))?;
    (!inner.is_empty() && !inner.contains("**") && inner.len() < 90).then(|| inner.trim().trim_end_matches(':'))
}

#[cfg(test)]
mod tests {
    use super::super::lines::number;
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, usize)> {
        let cut = cut(&number(text, text), &mut Report::default());
        cut.sections.iter().map(|section| (section.kind, section.lines.len())).collect()
    }

    #[test]
    fn headings_are_known_in_each_of_their_forms() {
        for text in [
            "a\nImpact\nb",
            "a\n## Impact\nb",
            "a\n\nImpact\n======\nb",
            "a\n\nImpact\n---\nb",
            "a\n\n**Impact**\nb",
            "a\n# Impact #\n\nb",
            "a\n\n__Impact:__\nb",
            "a\nImpact:\nb",
        ] {
            assert_eq!(kinds(text), [(Kind::Top, 1), (Kind::Impact, 1)], "{text}");
        }
    }

    #[test]
    fn a_heading_below_a_section_stays_in_it_and_one_beside_it_does_not() {
        assert_eq!(kinds("# T\n## Root cause\na\n### Deeper\nb"), [(Kind::Top, 0), (Kind::RootCause, 3)]);
        assert_eq!(
            kinds("# T\n## Root cause\na\n## Other\nb"),
            [(Kind::Top, 0), (Kind::RootCause, 1), (Kind::Other, 1)]
        );
        assert_eq!(
            kinds("## Timeline\n### 10:00\na\n### Impact\nb"),
            [(Kind::Top, 0), (Kind::Timeline, 2), (Kind::Impact, 1)]
        );
    }

    #[test]
    fn code_holds_no_headings() {
        assert_eq!(kinds("## Root cause\n```\n# Impact\n```"), [(Kind::Top, 0), (Kind::RootCause, 3)]);
    }

    #[test]
    fn another_incident_begins_where_parts_come_again_below_a_title() {
        for (text, expected) in [
            ("# A\n## Timeline\na\n## Root cause\nb\n# B\n## Timeline\nc\n## Root cause\nd", vec![6]),
            ("# A\n## Impact\na\n# B\n## Impact\nb\n# C\n## Impact\nc", vec![4, 7]),
            ("# Incidents\n## A\n### Timeline\na\n## B\n### Timeline\nb", vec![5]),
            ("# A\n## Timeline\na\n## Timeline of the repair\nb\n# Appendix\n## Notes\nc", vec![]),
            ("# A\n## Impact\na\n## Other\nb\n## Impact\nc", vec![]),
            ("Impact\na\nTimeline\nb", vec![]),
        ] {
            let cut = cut(&number(text, text), &mut Report::default());
            let found: Vec<u32> = cut.further_incidents().iter().map(|section| section.start).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
