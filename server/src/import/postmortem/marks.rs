//! Evidence marks: footnote numbers parted from the words they are glued to, and written as `[^N]`.

use std::collections::{BTreeSet, HashMap};

use domain::draft::Level;

use super::report::Report;

/// Words that go on with a number of their own.
const WITH_NUMBER: &[&str] = &[
    "http", "ipv", "ec", "sha", "utf", "md", "sev", "tls", "log", "base", "python", "oauth", "tier", "level", "phase",
    "step", "stage", "version", "ver", "rev", "rc", "beta", "alpha", "node", "host", "server", "shard", "db", "vm",
    "pod", "web", "mp", "lts", "utc", "gmt", "day", "part", "zone", "az", "gen", "java", "php", "vue", "sql", "cron",
    "az", "pr", "co",
];

/// How a number stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// After the stop of a sentence.
    Stop,
    /// After a word.
    Word,
    /// In brackets: `[1]`.
    Bracket,
}

/// A number at the end of a sentence or cell.
struct Glued<'a> {
    at: usize,
    end: usize,
    number: u32,
    how: How,
    word: &'a str,
}

/// Turns every evidence mark of the text into `[^N]`. Lines stay as they are otherwise, and so do their numbers.
pub fn split(text: &str, report: &mut Report) -> String {
    let text = spelled_out(text);
    let glued = find(&text);
    let mut numbers: BTreeSet<u32> = glued.iter().map(|mark| mark.number).collect();
    if glued.is_empty() {
        return text;
    }
    numbers.extend(existing(&text));
    let is_set = (1..).zip(&numbers).all(|(wanted, found)| wanted == *found);
    if !is_set {
        let found: Vec<String> = numbers.iter().take(20).map(ToString::to_string).collect();
        let message = format!(
            "the numbers at the ends of sentences and cells ({}{}) are no footnotes 1, 2, 3 …, so they stay part of the text",
            found.join(", "),
            if numbers.len() > 20 { " …" } else { "" }
        );
        report.add(Level::Note, None, message, None);
        return text;
    }
    let mut out = String::with_capacity(text.len() + 4 * glued.len());
    let mut done = 0;
    for mark in glued {
        out.push_str(&text[done..mark.at]);
        push_mark(&mut out, mark.number);
        done = mark.end;
    }
    out.push_str(&text[done..]);
    out
}

fn push_mark(out: &mut String, number: impl std::fmt::Display) {
    out.push_str("[^");
    out.push_str(&number.to_string());
    out.push(']');
}

/// Marks that are written out in another way: superscript digits, `<sup>1</sup>`.
fn spelled_out(text: &str) -> String {
    const SUPERSCRIPT: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    if !text.contains("<sup>") && !text.contains(|c| SUPERSCRIPT.contains(c)) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut digits = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if let Some((number, after)) = rest.strip_prefix("<sup>").and_then(superscript) {
            flush(&mut out, &mut digits);
            push_mark(&mut out, number);
            rest = after;
            continue;
        }
        if let Some(value) = SUPERSCRIPT.chars().position(|c| c == next) {
            digits.push_str(&value.to_string());
        } else {
            flush(&mut out, &mut digits);
            out.push(next);
        }
        rest = &rest[next.len_utf8()..];
    }
    flush(&mut out, &mut digits);
    out
}

/// The number before `</sup>`, plain or in brackets, and what follows.
fn superscript(inner: &str) -> Option<(&str, &str)> {
    let inner = inner.strip_prefix('[').unwrap_or(inner);
    let length = inner.bytes().take(3).take_while(u8::is_ascii_digit).count();
    let (number, rest) = inner.split_at(length);
    let rest = rest.strip_prefix(']').unwrap_or(rest).strip_prefix("</sup>")?;
    ((1..=2).contains(&length) && !number.starts_with('0')).then_some((number, rest))
}

/// Ends a run of superscript digits: a mark after a word or a full stop, else digits as they were meant (10⁶).
fn flush(out: &mut String, digits: &mut String) {
    if digits.is_empty() {
        return;
    }
    if out.ends_with(|c: char| c.is_ascii_digit()) || digits.starts_with('0') || digits.len() > 2 {
        out.push('^');
        out.push_str(digits);
    } else {
        push_mark(out, &digits);
    }
    digits.clear();
}

/// The numbers of marks that are written out already.
fn existing(text: &str) -> impl Iterator<Item = u32> + '_ {
    text.match_indices("[^").filter_map(|(at, _)| {
        let rest = &text[at + 2..];
        let digits = rest.bytes().take(5).take_while(u8::is_ascii_digit).count();
        rest[digits..].starts_with(']').then(|| rest[..digits].parse().ok())?.filter(|number| *number > 0)
    })
}

/// Every number that may be a mark, in order. Code is left alone.
fn find(text: &str) -> Vec<Glued<'_>> {
    let mut found = Vec::new();
    let (mut start, mut in_code) = (0, false);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        let is_fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
        in_code ^= is_fence;
        if !in_code && !is_fence {
            find_in_line(line, start, &mut found);
        }
        start += line.len();
    }
    // A word that bears several numbers is a family of names (node1, node2), and one number at one word proves nothing.
    let mut numbers_of: HashMap<&str, BTreeSet<u32>> = HashMap::new();
    for mark in found.iter().filter(|mark| mark.how == How::Word) {
        numbers_of.entry(mark.word).or_default().insert(mark.number);
    }
    let has_others = found.iter().any(|mark| mark.how != How::Word) || existing(text).next().is_some();
    let several = numbers_of.values().flatten().collect::<BTreeSet<_>>().len() > 1;
    found.retain(|mark| {
        let is_family = numbers_of.get(mark.word).is_some_and(|numbers| numbers.len() > 1);
        mark.how != How::Word || ((has_others || several) && !is_family)
    });
    found
}

fn find_in_line<'a>(line: &'a str, start: usize, found: &mut Vec<Glued<'a>>) {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = at + bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        if end - at <= 2
            && bytes[at] != b'0'
            && let Ok(number) = line[at..end].parse()
        {
            if let Some((how, word)) = glued(line, at).filter(|(how, _)| ends_there(line, *how, end)) {
                found.push(Glued { at: start + at, end: start + end, number, how, word });
            } else if line[..at].ends_with('[')
                && line[end..].starts_with(']')
                && is_bracket_mark(line, at - 1, end + 1)
            {
                found.push(Glued { at: start + at - 1, end: start + end + 1, number, how: How::Bracket, word: "" });
            }
        }
        at = end;
    }
}

/// Whether a number follows a word, or the stop of a sentence, without a space; and the word.
fn glued(line: &str, at: usize) -> Option<(How, &str)> {
    let before = &line[..at];
    match before.chars().next_back()? {
        '.' | '!' | '?' | ')' | '"' | '”' | '%' | ';' => {
            // "2.5" is a number; "saturation.2" is not, nor is "p95.1".
            let word = before.trim_end_matches(['.', '!', '?', ')', '"', '”', ';']);
            (!before.ends_with('.') || !word.ends_with(|c: char| c.is_ascii_digit())).then_some((How::Stop, ""))
        }
        c if c.is_alphabetic() => {
            let word = &before[before
                .rfind(|c: char| !c.is_alphabetic())
                .map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8))..];
            let lead = before[..before.len() - word.len()].chars().next_back();
            let stands_alone = lead.is_none_or(|c| c.is_whitespace() || "|(\"“'’*_-".contains(c))
                && !before[..before.len() - word.len()].ends_with("--");
            // "checkout-node1" is a name; a hyphen before a plain word is not.
            let is_name = lead == Some('-')
                && before.split_whitespace().next_back().is_some_and(|word| word.matches('-').count() > 1);
            let known = WITH_NUMBER.contains(&word.to_lowercase().as_str());
            (word.chars().nth(1).is_some() && stands_alone && !is_name && !known).then_some((How::Word, word))
        }
        _ => None,
    }
}

/// Whether a sentence or a cell ends after the number.
fn ends_there(line: &str, how: How, end: usize) -> bool {
    let after = &line[end..];
    let rest = after.trim_start();
    if rest.is_empty() || rest.starts_with('|') || after.starts_with('\t') {
        return true;
    }
    // Within a line only the end of a sentence will do: a stop before the number, and a capital after the space.
    how == How::Stop && after.starts_with(' ') && rest.starts_with(|c: char| c.is_uppercase() || "\"“*_`[".contains(c))
}

/// Whether `[1]` is a mark: behind a word or a stop, at the end of a sentence or cell, and no link.
fn is_bracket_mark(line: &str, open: usize, close: usize) -> bool {
    let (before, after) = (&line[..open], &line[close..]);
    let rest = after.trim_start();
    let behind = before.trim_end().ends_with(|c: char| c.is_alphanumeric() || ".!?)\"”%;]".contains(c));
    let ends = rest.is_empty()
        || rest.starts_with(['|', '[', '.', ',', ';'])
        || after.starts_with('\t')
        || (before.trim_end().ends_with(['.', '!', '?', ']']) && after.starts_with(' '));
    behind && ends && !after.starts_with(['(', ':'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        split(text, &mut Report::default())
    }

    #[test]
    fn marks_are_parted_only_where_they_form_one_set() {
        for (text, expected) in [
            ("Logs show it.1 The rest too.2", "Logs show it.[^1] The rest too.[^2]"),
            ("Logs show it.1 The rest too.3", "Logs show it.1 The rest too.3"),
            ("It held p95.1 Then HTTP2 came.2", "It held p95.1 Then HTTP2 came.2"),
            ("It ran over HTTP2", "It ran over HTTP2"),
            ("Version 2.5", "Version 2.5"),
            ("A.1\n| x | from logs2 |", "A.[^1]\n| x | from logs[^2] |"),
            ("A.1\n| x | by customer ID2 |", "A.[^1]\n| x | by customer ID[^2] |"),
            ("Restarted web1", "Restarted web1"),
            ("Restarted box1\nRestarted box2", "Restarted box1\nRestarted box2"),
            ("A.1\nRestarted cdn-web-box2", "A.[^1]\nRestarted cdn-web-box2"),
            ("Seen¹ and again.²", "Seen[^1] and again.[^2]"),
            ("Seen.<sup>1</sup> And<sup>[2]</sup>", "Seen.[^1] And[^2]"),
            ("10⁶ requests", "10^6 requests"),
            ("Seen.[1] And again [2].", "Seen.[^1] And again [^2]."),
            ("See [1](https://a.example) for it.", "See [1](https://a.example) for it."),
            ("Already.[^1] And.[^2]", "Already.[^1] And.[^2]"),
            ("Already.[^1] And.2", "Already.[^1] And.[^2]"),
            ("```\nx.1\n```", "```\nx.1\n```"),
            ("It grew by 18.6%.1", "It grew by 18.6%.[^1]"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
