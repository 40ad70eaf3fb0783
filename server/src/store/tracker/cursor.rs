//! Where a page of the tracker ended, as an opaque text.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::filter::{ActionSort, Direction};
use serde::{Deserialize, Serialize};

/// The value of a column that a list is sorted by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Key {
    Whole(i64),
    Text(String),
}

/// The last item of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cursor {
    /// The list's order; another list's cursor is refused.
    pub order: (ActionSort, Direction),
    /// The phase that the item was found in.
    pub phase: usize,
    /// What that phase sorts by.
    pub keys: Vec<Key>,
}

impl Cursor {
    pub(super) fn write(&self) -> String {
        // Words, numbers and texts always have JSON.
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back() {
        let cursor = Cursor {
            order: (ActionSort::Owner, Direction::Desc),
            phase: 2,
            keys: vec![Key::Text("café".into()), Key::Whole(-7), Key::Text(String::new())],
        };
        assert_eq!(Cursor::read(&cursor.write()), Some(cursor));
        for text in ["", "e30", "!!", "W10"] {
            assert_eq!(Cursor::read(text), None, "{text}");
        }
    }
}
