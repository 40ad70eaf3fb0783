//! What a person should know of the reading, and the account of which lines were read.

use domain::draft::{Diagnostic, Level};

use super::lines::{Form, Line};
use super::section::{Kind, Section};

/// Where readers report to: diagnostics, and the lines that went into a draft or were named.
///
/// A line of which nobody says that it was read is named at the end, so that none is lost in silence.
#[derive(Debug, Default)]
pub struct Report {
    found: Vec<Diagnostic>,
    read: Vec<bool>,
}

impl Report {
    /// Adds a diagnostic.
    pub fn add(&mut self, level: Level, line: Option<u32>, message: impl Into<String>, text: Option<&str>) {
        self.found.push(Diagnostic { level, line, message: message.into(), text: text.map(str::to_owned) });
    }

    /// Adds a diagnostic of a line unless its message has been given.
    pub fn add_once(&mut self, level: Level, line: u32, message: String, text: &str) {
        if !self.found.iter().any(|found| found.message == message) {
            self.add(level, Some(line), message, Some(text));
        }
    }

    /// Adds a diagnostic that names a line with its text.
    pub fn name(&mut self, level: Level, line: &Line<'_>, message: impl Into<String>) {
        self.read(line);
        self.add(level, Some(line.number), message, Some(line.raw));
    }

    /// Says that a line went into a draft, or is structure.
    pub fn read(&mut self, line: &Line<'_>) {
        self.read_number(line.number);
    }

    fn read_number(&mut self, number: u32) {
        let at = number as usize;
        if self.read.len() <= at {
            self.read.resize(at + 1, false);
        }
        self.read[at] = true;
    }

    fn is_read(&self, line: &Line<'_>) -> bool {
        self.read.get(line.number as usize).copied().unwrap_or_default()
    }

    /// Takes back that lines were read, since what they went into is not handed over. Lines named stay named.
    pub fn forget(&mut self) {
        self.read.clear();
        let named: Vec<u32> =
            self.found.iter().filter(|found| found.text.is_some()).filter_map(|found| found.line).collect();
        for number in named {
            self.read_number(number);
        }
    }

    /// Names the lines that nobody read, one diagnostic a block.
    pub fn name_unread(&mut self, lines: &[Line<'_>], sections: &[Section<'_>]) {
        let mut sections = sections.iter().peekable();
        let mut section = sections.next();
        let mut block: Vec<&Line<'_>> = Vec::new();
        for line in lines {
            let begins = std::iter::from_fn(|| sections.next_if(|next| next.start <= line.number)).last();
            if self.is_read(line) || begins.is_some() || block.last().is_some_and(|last| last.form != line.form) {
                self.name_block(&mut block, section);
            }
            section = begins.or(section);
            if !self.is_read(line) && line.says_something() {
                block.push(line);
            }
        }
        self.name_block(&mut block, section);
    }

    fn name_block(&mut self, block: &mut Vec<&Line<'_>>, section: Option<&Section<'_>>) {
        let (Some(first), Some(last)) = (block.first(), block.last()) else { return };
        let until = if first.number == last.number { String::new() } else { format!(" (to line {})", last.number) };
        let (level, place) = match (first.form, section.filter(|section| !section.heading.is_empty())) {
            (Form::Comment, _) => (Level::Note, "a comment".to_owned()),
            (Form::FrontMatter, _) => (Level::Note, "in the front matter".to_owned()),
            (_, None) => (Level::Warning, "above the first heading".to_owned()),
            (_, Some(section)) if section.kind == Kind::Other => (Level::Note, format!("under ‘{}’", section.heading)),
            (_, Some(section)) => (Level::Warning, format!("under ‘{}’", section.heading)),
        };
        let message = format!("no field takes this text{until}, {place}; it stays in the document only");
        let text: Vec<&str> = block.iter().map(|line| line.raw).collect();
        self.add(level, Some(first.number), message, Some(&text.join("\n")));
        block.clear();
    }

    /// The diagnostics, in order of line; those of the whole file come first.
    pub fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|diagnostic| diagnostic.line);
        self.found
    }
}
