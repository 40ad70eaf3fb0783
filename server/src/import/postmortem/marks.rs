//! Evidence marks: footnote numbers parted from the words they are glued to, and written as `[^N]`.

use std::collections::BTreeSet;

use domain::draft::Level;

use super::Report;

/// Words that end in a digit of their own.
const WITH_DIGIT: &[&str] =
    &["http", "ipv", "ec", "sha", "utf", "md", "sev", "tls", "log", "base", "h", "python", "web", "oauth"];

/// A number glued to the end of a sentence or cell.
struct Glued {
    at: usize,
    end: usize,
    number: u32,
}

/// Turns every evidence mark of the text into `[^N]`. Lines stay as they are otherwise, and so do their numbers.
pub fn split(text: &str, report: &mut Report) -> String {
    let text = spelled_out(text);
    let glued: Vec<Glued> = find(&text);
    let mut numbers: BTreeSet<u32> = glued.iter().map(|mark| mark.number).collect();
    if glued.is_empty() {
        return text;
    }
    numbers.extend(existing(&text));
    let is_set = (1..).zip(&numbers).all(|(wanted, found)| wanted == *found);
    if !is_set {
        let found: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        report.add(
            Level::Note,
            None,
            format!(
                "the numbers at the ends of sentences and cells ({}) are no row of footnotes 1, 2, 3 …, so they stay part of the text",
                found.join(", ")
            ),
            None,
        );
        return text;
    }
    let mut out = String::with_capacity(text.len() + 4 * glued.len());
    let mut done = 0;
    for mark in glued {
        out.push_str(&text[done..mark.at]);
        out.push_str(&format!("[^{}]", mark.number));
        done = mark.end;
    }
    out.push_str(&text[done..]);
    out
}

/// Marks that are written out in another way: superscript digits, `<sup>1</sup>`.
fn spelled_out(text: &str) -> String {
    const SUPERSCRIPT: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    let mut out = String::with_capacity(text.len());
    let mut digits = String::new();
    let normal = text.replace("<sup>[", "[^").replace("]</sup>", "]");
    let mut rest = normal.as_str();
    while let Some(next) = rest.chars().next() {
        if let Some(inner) = rest.strip_prefix("<sup>")
            && let Some((number, after)) = inner.split_once("</sup>")
            && number.len() <= 2
            && !number.is_empty()
            && number.bytes().all(|b| b.is_ascii_digit())
        {
            out.push_str(&format!("[^{number}]"));
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

/// Ends a run of superscript digits: a mark after a word or a full stop, else digits as they were meant (10⁶).
fn flush(out: &mut String, digits: &mut String) {
    if digits.is_empty() {
        return;
    }
    if out.ends_with(|c: char| c.is_ascii_digit()) || digits.starts_with('0') || digits.len() > 2 {
        out.push('^');
        out.push_str(digits);
    } else {
        out.push_str(&format!("[^{digits}]"));
    }
    digits.clear();
}

fn existing(text: &str) -> impl Iterator<Item = u32> + '_ {
    text.split("[^").skip(1).filter_map(|rest| rest.split_once(']')?.0.parse().ok()).filter(|number| *number > 0)
}

fn find(text: &str) -> Vec<Glued> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = at + bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        if end - at <= 2
            && bytes[at] != b'0'
            && is_glued(text, at)
            && ends_there(text, at, end)
            && let Ok(number) = text[at..end].parse()
        {
            found.push(Glued { at, end, number });
        }
        at = end;
    }
    found
}

/// Whether a number follows a word, or the full stop of a sentence, without a space.
fn is_glued(text: &str, at: usize) -> bool {
    let before = &text[..at];
    match before.chars().next_back() {
        Some('.' | '!' | '?' | ')' | '"' | '”' | '%' | ';') => {
            // "2.5" is a number; "saturation.2" is not.
            let word = before.trim_end_matches(['.', '!', '?', ')', '"', '”', ';']);
            !before.ends_with('.') || !word.ends_with(|c: char| c.is_ascii_digit())
        }
        Some(c) if c.is_alphabetic() => {
            let start = before
                .rfind(|c: char| !c.is_alphabetic())
                .map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8));
            let word = &before[start..];
            word.chars().count() > 1 && !WITH_DIGIT.contains(&word.to_lowercase().as_str())
        }
        _ => false,
    }
}

/// Whether a sentence or a cell ends after the number.
fn ends_there(text: &str, at: usize, end: usize) -> bool {
    let after = &text[end..];
    let rest = after.trim_start_matches([' ', '\r']);
    if rest.is_empty() || rest.starts_with(['\n', '|', '\t']) {
        return true;
    }
    // Within a line only the end of a sentence will do: a stop before the number, and a capital after the space.
    let stopped = text[..at].ends_with(['.', '!', '?', ')', '"', '”']);
    stopped && after.starts_with(' ') && rest.starts_with(|c: char| c.is_uppercase() || c == '"' || c == '“')
}
