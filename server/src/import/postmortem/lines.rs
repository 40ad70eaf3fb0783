//! Bytes to numbered lines, and what each line is before anything is known of its section.

use domain::draft::Level;

use super::report::Report;

/// What a line is, whatever its section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Words.
    Text,
    /// Code between fences, and the fences.
    Code,
    /// A comment that Markdown does not show.
    Comment,
    /// The block of `key: value` lines at the very top.
    FrontMatter,
    /// A heading inside a section, with its level.
    Heading(u8),
}

/// A line that is not blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number in the file, from 1.
    pub number: u32,
    /// Its text without surrounding space, evidence marks written as `[^N]`.
    pub text: &'a str,
    /// The same with its surrounding space, since a tab at its beginning parts cells.
    pub full: &'a str,
    /// Its text as it stands in the file.
    pub raw: &'a str,
    /// How far it was indented.
    pub indent: usize,
    /// What it is.
    pub form: Form,
}

impl Line<'_> {
    /// Whether it has a letter or a digit; a line without is a rule, a table's frame or an empty bullet.
    pub fn says_something(&self) -> bool {
        self.text.chars().any(char::is_alphanumeric)
    }

    /// Whether it stands directly below the other, without a blank line between.
    pub fn follows(&self, before: &Self) -> bool {
        before.number + 1 == self.number
    }
}

/// Decodes UTF-8, or UTF-16 that says so. Bytes that are no text are named, and stand as U+FFFD.
pub fn decode(bytes: &[u8], report: &mut Report) -> String {
    match bytes {
        [0xFF, 0xFE, rest @ ..] => return decode_wide(rest, u16::from_le_bytes, report),
        [0xFE, 0xFF, rest @ ..] => return decode_wide(rest, u16::from_be_bytes, report),
        _ => {}
    }
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    let text = String::from_utf8_lossy(bytes).into_owned();
    if let Err(error) = std::str::from_utf8(bytes) {
        let at = error.valid_up_to();
        let line = bytes[..at].split(|byte| *byte == b'\n').count();
        refuse(report, &text, line, format!("not UTF-8 text from byte {at} on; save the document as UTF-8"));
    } else if let Some(at) = text.find('\0') {
        let line = 1 + text[..at].matches('\n').count();
        refuse(report, &text, line, format!("byte {at} is zero, as in no text; save the document as plain UTF-8 text"));
    }
    one_line_end(text)
}

fn decode_wide(bytes: &[u8], unit: fn([u8; 2]) -> u16, report: &mut Report) -> String {
    let pairs = bytes.chunks_exact(2);
    let cut = !pairs.remainder().is_empty();
    let (mut text, mut bad) = (String::with_capacity(bytes.len() / 2), None);
    for (at, unit) in char::decode_utf16(pairs.map(|pair| unit([pair[0], pair[1]]))).enumerate() {
        if unit.is_err() {
            bad.get_or_insert((at, 1 + text.matches('\n').count()));
        }
        text.push(unit.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    if cut {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    if let Some((at, line)) = bad.or_else(|| cut.then(|| (text.chars().count(), 1 + text.matches('\n').count()))) {
        refuse(report, &text, line, format!("not UTF-16 text from character {at} on; save the document as UTF-8"));
    }
    one_line_end(text)
}

fn refuse(report: &mut Report, text: &str, line: usize, message: String) {
    let shown = text.split('\n').nth(line - 1).unwrap_or_default().trim();
    report.add(Level::Error, Some(u32::try_from(line).unwrap_or(u32::MAX)), message, Some(shown));
}

/// Lines ended by a carriage return alone, as old editors wrote them, end as all others do.
fn one_line_end(text: String) -> String {
    if text.contains('\n') || !text.contains('\r') { text } else { text.replace('\r', "\n") }
}

/// The lines that are not blank, with their numbers. `marked` and `original` have the same lines.
pub fn number<'a>(marked: &'a str, original: &'a str) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'a>> = (1..)
        .zip(marked.split('\n').zip(original.split('\n')))
        .map(|(number, (line, original))| {
            let full = line.trim_end_matches('\r');
            let text = full.trim();
            let indent = full.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum();
            Line { number, text, full, raw: original.trim(), indent, form: Form::Text }
        })
        .filter(|line| !line.text.is_empty())
        .collect();
    let front = front_matter(&lines);
    for line in &mut lines[..front] {
        line.form = Form::FrontMatter;
    }
    set_apart(&mut lines[front..]);
    lines
}

/// How many lines the block at the top has, with both its rules.
fn front_matter(lines: &[Line<'_>]) -> usize {
    let Some(rule) = lines.first().map(|line| line.text).filter(|text| ["---", "+++"].contains(text)) else {
        return 0;
    };
    let Some(end) = lines.iter().skip(1).position(|line| line.text == rule) else { return 0 };
    let has_keys = lines[1..=end].iter().any(|line| line.text.contains([':', '=']));
    let has_headings = lines[1..=end].iter().any(|line| line.text.starts_with("# ") || line.text.starts_with("## "));
    if has_keys && !has_headings { end + 2 } else { 0 }
}

/// Marks code and comments. What is opened and never closed is text.
fn set_apart(lines: &mut [Line<'_>]) {
    let mut open: Option<(usize, &str, Form)> = None;
    for at in 0..lines.len() {
        let text = lines[at].text;
        match open {
            None => {
                if let Some(fence) = fence(text) {
                    open = Some((at, fence, Form::Code));
                } else if text.starts_with("<!--") {
                    open = Some((at, "-->", Form::Comment));
                } else {
                    continue;
                }
                if !text.ends_with("-->") {
                    continue;
                }
            }
            Some((_, end, Form::Comment)) if !text.contains(end) => continue,
            Some((_, end, Form::Code)) if !(text.starts_with(end) && text.trim_start_matches(&end[..1]).is_empty()) => {
                continue;
            }
            Some(_) => {}
        }
        if let Some((from, _, form)) =
            open.take_if(|(_, _, form)| *form == Form::Comment || text.starts_with(['`', '~']))
        {
            for line in &mut lines[from..=at] {
                line.form = form;
            }
        }
    }
}

fn fence(text: &str) -> Option<&str> {
    let mark = text.chars().next().filter(|c| ['`', '~'].contains(c))?;
    let length = text.chars().take_while(|c| *c == mark).count();
    (length >= 3 && !text[length..].contains('`')).then(|| &text[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(text: &str) -> Vec<Form> {
        number(text, text).iter().map(|line| line.form).collect()
    }

    #[test]
    fn code_comments_and_front_matter_are_set_apart_only_where_they_end() {
        use Form::{Code, Comment, FrontMatter, Text};
        for (text, expected) in [
            ("a\n```sh\n# b\n```\nc", vec![Text, Code, Code, Code, Text]),
            ("a\n```sh\n# b", vec![Text, Text, Text]),
            ("~~~\n```\n~~~\nc", vec![Code, Code, Code, Text]),
            ("<!-- a -->\nb", vec![Comment, Text]),
            ("<!-- a\nb -->\nc", vec![Comment, Comment, Text]),
            ("<!-- a\nb", vec![Text, Text]),
            ("---\ndate: x\n---\nc", vec![FrontMatter, FrontMatter, FrontMatter, Text]),
            ("---\n# Title\na: b\n---\nc", vec![Text, Text, Text, Text, Text]),
        ] {
            assert_eq!(forms(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_and_indents_are_those_of_the_file() {
        let lines = number("a\r\n\r\n  - b\n\tc", "a\r\n\r\n  - b\n\tc");
        let seen: Vec<_> = lines.iter().map(|line| (line.number, line.text, line.indent)).collect();
        assert_eq!(seen, [(1, "a", 0), (3, "- b", 2), (4, "c", 4)]);
    }
}
