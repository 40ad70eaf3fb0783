//! Prose: Markdown that cites evidence with marks of the form `[^2]`.

use serde::{Serialize, Serializer};

use crate::id::EvidenceNumber;

/// Markdown with evidence marks (`…queue saturation.[^2]`). Paragraphs are parted by a blank line.
///
/// In JSON it is its [`plain`](Prose::plain) text; the marks stand beside it as citations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prose(String);

/// A piece of prose: words, or the number cited after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Markdown without marks.
    Text(&'a str),
    /// A citation.
    Mark(EvidenceNumber),
}

impl Prose {
    /// Wraps Markdown that already carries its marks.
    pub fn new(marked: impl Into<String>) -> Self {
        Self(marked.into())
    }

    /// The Markdown with its marks, as it is stored.
    pub fn marked(&self) -> &str {
        &self.0
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The words and the marks, in order.
    pub fn pieces(&self) -> Vec<Piece<'_>> {
        let (mut pieces, mut rest, mut from) = (Vec::new(), self.0.as_str(), 0);
        while let Some(found) = rest[from..].find("[^") {
            let at = from + found;
            let Some((number, end)) = mark_at(rest, at) else {
                from = at + 2;
                continue;
            };
            if at > 0 {
                pieces.push(Piece::Text(&rest[..at]));
            }
            pieces.push(Piece::Mark(number));
            (rest, from) = (&rest[end..], 0);
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest));
        }
        pieces
    }

    /// The Markdown without its marks.
    pub fn plain(&self) -> String {
        self.pieces()
            .into_iter()
            .filter_map(|piece| match piece {
                Piece::Text(text) => Some(text),
                Piece::Mark(_) => None,
            })
            .collect()
    }

    /// Each place that cites evidence: how many characters of the plain text come before it, and the numbers.
    pub fn places(&self) -> Vec<(usize, Vec<EvidenceNumber>)> {
        let (mut places, mut offset): (Vec<(usize, Vec<EvidenceNumber>)>, usize) = (Vec::new(), 0);
        for piece in self.pieces() {
            match piece {
                Piece::Text(text) => offset += text.chars().count(),
                Piece::Mark(number) => match places.last_mut() {
                    Some((at, numbers)) if *at == offset => numbers.push(number),
                    _ => places.push((offset, vec![number])),
                },
            }
        }
        places
    }

    /// Puts marks back into plain text; places beyond its end come at the end.
    pub fn mark(plain: &str, places: &[(usize, &[EvidenceNumber])]) -> Self {
        let mut places: Vec<_> = places.to_vec();
        places.sort_by_key(|(offset, _)| *offset);
        let (mut marked, mut chars) = (String::with_capacity(plain.len() + 8 * places.len()), plain.chars());
        let mut done = 0;
        for (offset, numbers) in places {
            marked.extend(chars.by_ref().take(offset.saturating_sub(done)));
            done = done.max(offset);
            for number in numbers {
                marked.push_str("[^");
                marked.push_str(&number.to_string());
                marked.push(']');
            }
        }
        marked.extend(chars);
        Self(marked)
    }
}

/// The number and the end of the mark that begins at `at`, if one does: one to four digits, the first not zero.
fn mark_at(text: &str, at: usize) -> Option<(EvidenceNumber, usize)> {
    let digits = &text[at + 2..];
    // Looking no further than a mark can reach keeps the reading linear.
    let close = digits.bytes().take(5).position(|b| b == b']')?;
    if close == 0 || digits.starts_with('0') || !digits[..close].bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number: EvidenceNumber = digits[..close].parse().ok()?;
    Some((number, at + 2 + close + 1))
}

impl Serialize for Prose {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.plain())
    }
}
