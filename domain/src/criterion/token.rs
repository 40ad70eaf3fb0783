//! Words, numbers and signs of a criterion.

use crate::verification::Comparator;

/// A piece of the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// It in lower case; `%` for a percent sign.
    pub word: String,
    /// It as written.
    pub raw: &'a str,
    /// Whether no space parts it from the token before.
    pub attached: bool,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// Letters, perhaps with digits (`p95`, `non-author`, `req/s`).
    Word,
    /// A number in digits.
    Number(f64),
    /// A sign of comparison.
    Sign(Comparator),
    /// A percent sign.
    Percent,
    /// Punctuation that ends a clause.
    Break,
    /// A sign that makes a number beside it mean something else (`±`, `~`, a range's dash).
    Odd,
}

impl Token<'_> {
    /// Whether it is one of these words, which spaces part.
    pub fn is(&self, words: &str) -> bool {
        self.kind == Kind::Word && words.split(' ').any(|word| word == self.word)
    }

    /// Its value, where it is a number in digits or a small one in words.
    pub fn number(&self) -> Option<f64> {
        const WORDS: [&str; 13] =
            ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
        match self.kind {
            Kind::Number(value) => Some(value),
            Kind::Word => (0_u32..).zip(WORDS).find(|(_, word)| *word == self.word).map(|(value, _)| value.into()),
            _ => None,
        }
    }

    /// It as it stands inside a sentence: the capital of a first word goes, one of a name or an abbreviation stays.
    pub fn inside(&self, first: bool) -> String {
        let mut letters = self.raw.chars();
        let begins = letters.next().is_some_and(char::is_uppercase);
        if first && begins && !letters.any(char::is_uppercase) { self.word.clone() } else { self.raw.to_owned() }
    }
}

/// Parts a text into tokens; joined, their raw texts are the text without its spaces.
pub(super) fn read(text: &str) -> Vec<Token<'_>> {
    let (mut tokens, mut rest) = (Vec::new(), text);
    let mut attached = false;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            attached = false;
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (kind, length) = next(rest, first, attached.then(|| tokens.last()).flatten());
        let raw = &rest[..length];
        tokens.push(Token { kind, word: raw.to_lowercase().replace('’', "'"), raw, attached });
        attached = true;
        rest = &rest[length..];
    }
    tokens
}

/// The kind and the length in bytes of the token that begins a text. `before` is the token that it is attached to.
fn next(text: &str, first: char, before: Option<&Token<'_>>) -> (Kind, usize) {
    const SIGNS: [(&str, Comparator); 8] = [
        ("<=", Comparator::AtMost),
        (">=", Comparator::AtLeast),
        ("=<", Comparator::AtMost),
        ("=>", Comparator::AtLeast),
        ("≤", Comparator::AtMost),
        ("≥", Comparator::AtLeast),
        ("<", Comparator::Below),
        (">", Comparator::Above),
    ];
    if first.is_ascii_digit() {
        return number(text);
    }
    if first.is_alphabetic() {
        return (Kind::Word, word(text));
    }
    if let Some((sign, comparator)) = SIGNS.iter().find(|(sign, _)| text.starts_with(sign)) {
        return (Kind::Sign(*comparator), sign.len());
    }
    let after_number = before.is_some_and(|token| matches!(token.kind, Kind::Number(_)));
    let letter_follows = text.chars().nth(1).is_some_and(char::is_alphabetic);
    match first {
        '%' => (Kind::Percent, 1),
        // "500/s" is a unit, "on/off" was taken as a word.
        '/' if after_number && letter_follows => (Kind::Word, 1 + word(&text[1..])),
        ',' | ';' | ':' | '.' | '!' | '?' | '(' | ')' | '[' | ']' | '"' | '“' | '”' | '—' | '|' => (
            if first == ',' && after_number && digit_follows(text, first) { Kind::Odd } else { Kind::Break },
            first.len_utf8(),
        ),
        _ => (Kind::Odd, first.len_utf8()),
    }
}

fn digit_follows(text: &str, first: char) -> bool {
    text[first.len_utf8()..].starts_with(|next: char| next.is_ascii_digit())
}

/// A number: digits, perhaps in groups of three, perhaps with decimals after a point.
fn number(text: &str) -> (Kind, usize) {
    let run = |from: usize| text.as_bytes()[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let bytes = text.as_bytes();
    let mut end = run(0);
    if end <= 3 {
        while bytes.get(end) == Some(&b',') && run(end + 1) == 3 {
            end += 4;
        }
    }
    if bytes.get(end) == Some(&b'.') && run(end + 1) > 0 {
        end += 1 + run(end + 1);
    }
    // "1.2.3" and "10:17" are no numbers to compare with.
    let odd = matches!(bytes.get(end), Some(b'.' | b':')) && run(end + 1) > 0;
    match text[..end].replace(',', "").parse() {
        Ok(value) if !odd => (Kind::Number(value), end),
        _ => (Kind::Odd, end),
    }
}

/// The length of a word: letters and digits, and between two of them a hyphen, an apostrophe or a slash.
fn word(text: &str) -> usize {
    let mut letters = text.char_indices().peekable();
    let mut end = 0;
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        let joins = match letter {
            '-' | '\'' | '’' | '/' | '_' => next.is_some_and(char::is_alphanumeric),
            // "p99.9", but not the end of a sentence.
            '.' => next.is_some_and(|next| next.is_ascii_digit()),
            _ => false,
        };
        if !letter.is_alphanumeric() && !joins {
            break;
        }
        end = at + letter.len_utf8();
    }
    end
}

/// How many tokens the words of a phrase take up where they stand at a place; none where they do not.
pub(super) fn stands(tokens: &[Token<'_>], at: usize, phrase: &str) -> Option<usize> {
    let mut length = 0;
    for word in phrase.split(' ') {
        tokens.get(at + length).filter(|token| token.kind == Kind::Word && token.word == word)?;
        length += 1;
    }
    Some(length)
}

/// The words of some tokens, as they stand inside a sentence.
pub(super) fn phrase(tokens: &[Token<'_>]) -> String {
    let mut phrase = String::new();
    for (at, token) in tokens.iter().enumerate() {
        if at > 0 && !token.attached {
            phrase.push(' ');
        }
        phrase.push_str(&token.inside(at == 0));
    }
    phrase
}
