//! Bytes to numbered lines.

use domain::draft::Level;

use super::Report;

/// A line that is not blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number in the file, from 1.
    pub number: u32,
    /// Its text without surrounding space.
    pub text: &'a str,
    /// How far it was indented.
    pub indent: usize,
}

/// Decodes UTF-8, or UTF-16 that says so. Bytes that are no text are named, and stand as U+FFFD.
pub fn decode(bytes: &[u8], report: &mut Report) -> String {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => return wide(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => return wide(rest, u16::from_be_bytes),
        _ => {}
    }
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(error) => {
            let at = error.valid_up_to();
            let line = 1 + bytes[..at].iter().filter(|byte| **byte == b'\n').count();
            let line = u32::try_from(line).unwrap_or(u32::MAX);
            let message = format!("not UTF-8 text from byte {at} on; save the document as UTF-8");
            let text = String::from_utf8_lossy(bytes).into_owned();
            let shown = text.lines().nth(line as usize - 1).unwrap_or_default().to_owned();
            report.add(Level::Error, Some(line), message, Some(&shown));
            text
        }
    }
}

/// The lines that are not blank, with their numbers.
pub fn number(text: &str) -> Vec<Line<'_>> {
    (1..)
        .zip(text.split('\n'))
        .map(|(number, line)| {
            let line = line.trim_end();
            let text = line.trim_start();
            Line { number, text, indent: line.len() - text.len() }
        })
        .filter(|line| !line.text.is_empty())
        .collect()
}
