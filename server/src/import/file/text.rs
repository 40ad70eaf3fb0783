//! Text: UTF-8 without what no text has in it. HTML and SVG are text like any other: they are never shown as a page.

use domain::evidence::MediaType;
use serde::de::IgnoredAny;

/// How many lines decide whether a text is a table.
const HEAD: usize = 50;

/// What kind of text it is; a sentence where it is none.
pub(super) fn media(bytes: &[u8]) -> Result<MediaType, String> {
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return Err("this is text in UTF-16; save it as UTF-8".to_owned());
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "this is no kind of file that is known here".to_owned())?;
    // Logs have escapes for colours in them.
    if text.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t' | '\x0c' | '\x1b')) {
        return Err("this is no kind of file that is known here: it holds letters that no text has".to_owned());
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(text).is_ok() {
        return Ok(MediaType::Json);
    }
    Ok(if is_table(text) { MediaType::Csv } else { MediaType::Text })
}

/// Whether each line has as many fields as the first, and several.
fn is_table(text: &str) -> bool {
    [b',', b';', b'\t'].into_iter().any(|delimiter| {
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(text.as_bytes());
        let has_fields = reader.headers().is_ok_and(|header| header.len() > 1);
        let mut rows = reader.records().take(HEAD).peekable();
        has_fields && rows.peek().is_some() && rows.all(|row| row.is_ok())
    })
}
