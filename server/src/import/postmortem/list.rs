//! Lists: items with the lines that continue them, among paragraphs and headings.

use super::lines::{Form, Line};
use super::prose::is_wrapped;

/// A list item with all that hangs below it.
#[derive(Debug, Clone)]
pub struct Item<'a> {
    /// The line it begins on.
    pub line: Line<'a>,
    /// The text after the bullet, with the lines that continue it.
    pub text: String,
    /// Whether it is ticked; none where it is no task.
    pub done: Option<bool>,
    /// Whether it has a number for a bullet.
    pub ordered: bool,
    /// Every further line of it: those that continue its text, and the lists, paragraphs and code below it.
    pub rest: Vec<Line<'a>>,
    /// Those of them that are not in `text`.
    pub below: Vec<Line<'a>>,
}

/// A piece of a section that holds no table.
#[derive(Debug, Clone)]
pub enum Block<'a> {
    /// A list item.
    Item(Item<'a>),
    /// A heading below the section's own.
    Heading(Line<'a>),
    /// Lines that belong together.
    Paragraph(Vec<Line<'a>>),
    /// Code, or a comment.
    Apart(Vec<Line<'a>>),
}

/// A bullet: whether it is a number, whether the task is ticked, and the text after it.
pub struct Bullet<'a> {
    /// Whether it is a number.
    pub ordered: bool,
    /// Whether it is ticked; none where it is no task.
    pub done: Option<bool>,
    /// The text after it.
    pub text: &'a str,
}

/// The bullet that a line begins with, if it does.
pub fn bullet(text: &str) -> Option<Bullet<'_>> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (ordered, rest) = if (1..=3).contains(&digits) {
        (true, text[digits..].strip_prefix(['.', ')'])?)
    } else {
        (false, text.strip_prefix(['-', '*', '+', '•', '–', '—'])?)
    };
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let rest = rest.trim_start();
    let ticks = [("[ ]", false), ("[]", false), ("[x]", true), ("[X]", true), ("✅", true), ("☑", true), ("☐", false)];
    for (tick, done) in ticks {
        if let Some(rest) = rest.strip_prefix(tick) {
            return Some(Bullet { ordered, done: Some(done), text: rest.trim_start_matches(['\u{fe0f}', ' ']) });
        }
    }
    Some(Bullet { ordered, done: None, text: rest })
}

/// Cuts lines into blocks.
pub fn blocks<'a>(lines: &[Line<'a>]) -> Vec<Block<'a>> {
    let mut blocks: Vec<Block<'a>> = Vec::new();
    let mut before: Option<Line<'a>> = None;
    for line in lines {
        let follows = before.is_some_and(|before| line.follows(&before));
        let bullet = (line.form == Form::Text).then(|| bullet(line.text)).flatten();
        match (line.form, bullet, blocks.last_mut()) {
            (Form::Heading(_), ..) => blocks.push(Block::Heading(*line)),
            (Form::Text, Some(_), Some(Block::Item(item))) if line.indent > item.line.indent + 1 => {
                item.push_below(*line);
            }
            (Form::Text, Some(found), _) => blocks.push(Block::Item(Item {
                line: *line,
                text: found.text.to_owned(),
                done: found.done,
                ordered: found.ordered,
                rest: Vec::new(),
                below: Vec::new(),
            })),
            (Form::Text, None, Some(Block::Item(item)))
                if follows
                    && item.below.is_empty()
                    && (line.indent > item.line.indent || before.is_some_and(|before| is_wrapped(&before, line))) =>
            {
                item.continue_with(*line);
            }
            (_, None, Some(Block::Item(item)))
                if line.indent > item.line.indent + 1 || (follows && !item.below.is_empty()) =>
            {
                item.push_below(*line);
            }
            (Form::Text, None, Some(Block::Paragraph(paragraph))) if follows => paragraph.push(*line),
            (Form::Text, None, _) => blocks.push(Block::Paragraph(vec![*line])),
            (_, _, Some(Block::Apart(code))) => code.push(*line),
            _ => blocks.push(Block::Apart(vec![*line])),
        }
        before = Some(*line);
    }
    blocks
}

impl<'a> Item<'a> {
    fn continue_with(&mut self, line: Line<'a>) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(line.text);
        self.rest.push(line);
    }

    fn push_below(&mut self, line: Line<'a>) {
        self.rest.push(line);
        self.below.push(line);
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::number;
    use super::*;

    #[test]
    fn an_item_keeps_what_continues_it_and_what_hangs_below_it() {
        let text = "- one\n  and on\n  - deeper\n    more\n\n  a paragraph\n- [x] two\nlazily\n\nOutside\n1) three";
        let lines = number(text, text);
        let shape: Vec<String> = blocks(&lines)
            .iter()
            .map(|block| match block {
                Block::Item(item) => format!("{}|{}|{:?}|{}", item.text, item.below.len(), item.done, item.ordered),
                Block::Paragraph(lines) => format!("p{}", lines.len()),
                Block::Heading(_) | Block::Apart(_) => "x".to_owned(),
            })
            .collect();
        assert_eq!(shape, ["one and on|3|None|false", "two lazily|0|Some(true)|false", "p1", "three|0|None|true"]);
    }

    #[test]
    fn a_bullet_is_followed_by_a_space() {
        for (text, is_bullet) in [
            ("- a", true),
            ("* a", true),
            ("12. a", true),
            ("-a", false),
            ("**a**", false),
            ("2026-07-09", false),
            ("1.5 s", false),
            ("-", true),
            ("—", true),
            ("--:--", false),
            ("1234. a", false),
        ] {
            assert_eq!(bullet(text).is_some(), is_bullet, "{text}");
        }
    }
}
