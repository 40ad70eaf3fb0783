//! Lines back to Markdown: paragraphs, lists, code and tables as they were meant.

use super::lines::{Form, Line};
use super::list::bullet;
use super::report::Report;

/// The Markdown of some lines, all of which it takes.
pub fn markdown(lines: &[Line<'_>], report: &mut Report) -> String {
    let mut text = String::new();
    let mut before: Option<&Line<'_>> = None;
    for line in lines.iter().filter(|line| !matches!(line.form, Form::Comment | Form::FrontMatter)) {
        report.read(line);
        if let Some(before) = before {
            text.push_str(join(before, line));
        }
        if is_tight(line) {
            text.extend(std::iter::repeat_n(' ', line.indent));
        }
        if let Form::Heading(level) = line.form {
            text.extend(std::iter::repeat_n('#', usize::from(level.min(6))));
            text.push(' ');
        }
        text.push_str(line.text);
        before = Some(line);
    }
    text.trim().to_owned()
}

/// The text of lines that belong together, as one paragraph or, where each line is one, as several.
pub fn paragraphs(lines: &[Line<'_>], report: &mut Report) -> Vec<String> {
    markdown(lines, report).split("\n\n").filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

fn join(before: &Line<'_>, line: &Line<'_>) -> &'static str {
    let is_heading = |line: &Line<'_>| matches!(line.form, Form::Heading(_));
    if !line.follows(before) || is_heading(before) || is_heading(line) {
        return "\n\n";
    }
    if is_tight(line) || before.form == Form::Code {
        return "\n";
    }
    if is_wrapped(before, line) { " " } else { "\n\n" }
}

fn is_tight(line: &Line<'_>) -> bool {
    line.form == Form::Code
        || (line.form == Form::Text
            && (bullet(line.text).is_some() || line.text.starts_with(['|', '>']) || line.indent > 0))
}

/// Whether a line goes on in the next one. A pasted text has a paragraph a line; a wrapped one breaks lines of about
/// equal length, most of them inside a sentence.
pub fn is_wrapped(before: &Line<'_>, line: &Line<'_>) -> bool {
    let length = before.text.chars().count();
    let ends = ends_sentence(before.text);
    (!ends && (line.text.starts_with(char::is_lowercase) || (40..=120).contains(&length)))
        || (60..=120).contains(&length)
}

/// Whether a text ends as a sentence does, evidence marks aside.
pub fn ends_sentence(text: &str) -> bool {
    let mut text = text.trim_end();
    while let Some(at) = text.ends_with(']').then(|| text.rfind("[^")).flatten() {
        text = text[..at].trim_end();
    }
    text.trim_end_matches(['*', '_', ')', '"', '”', '`']).ends_with(['.', '!', '?', ':'])
}

#[cfg(test)]
mod tests {
    use super::super::lines::number;
    use super::*;

    #[test]
    fn wrapped_lines_join_and_pasted_ones_are_paragraphs() {
        for (text, expected) in [
            ("One is short.\nTwo.[^1]\nThree.", "One is short.\n\nTwo.[^1]\n\nThree."),
            (
                "This sentence was wrapped by an editor\nand goes on.",
                "This sentence was wrapped by an editor and goes on.",
            ),
            ("a\n\nb", "a\n\nb"),
            ("Some:\n- a\n  - b\n- c", "Some:\n- a\n  - b\n- c"),
            ("```\nx\n  y\n```", "```\nx\n  y\n```"),
        ] {
            assert_eq!(markdown(&number(text, text), &mut Report::default()), expected, "{text}");
        }
    }
}
