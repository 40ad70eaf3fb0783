//! Characters that nobody sees: they make two names look like one, turn text around, or make a terminal do things.

use std::borrow::Cow;

/// Whether a character has no place in a name: it controls something, turns text around, or takes no room.
///
/// U+200C and U+200D are no such: scripts and emoji need them between letters.
pub fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// Whether one sees anything of a text.
pub fn is_seen(text: &str) -> bool {
    text.chars()
        .any(|letter| !is_unseen(letter) && !letter.is_whitespace() && !matches!(letter, '\u{200c}' | '\u{200d}'))
}

/// A text for a terminal: what would control it is shown as a replacement character. Lines and tabs stay.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let controls = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
    if text.contains(controls) { text.replace(controls, "\u{fffd}").into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_seen_and_holds_nothing_unseen() {
        for name in ["Ada", "نیلوفر", "می\u{200c}خواهم", "👩\u{200d}🚒", "Zoë", "東京"] {
            assert!(is_seen(name) && !name.contains(is_unseen), "{name}");
        }
        for name in ["", " ", "\u{200b}", "\u{202e}", "\u{200d}", "\u{1b}", "\u{a0}"] {
            assert!(!is_seen(name), "{name:?}");
        }
        for name in ["Ad\u{200b}a", "\u{202e}adA", "A\u{1b}[31m", "A\u{7f}", "A\u{9b}1m", "A\u{feff}", "A\nB"] {
            assert!(is_seen(name) && name.contains(is_unseen), "{name:?}");
        }
    }

    #[test]
    fn nothing_in_a_text_controls_a_terminal() {
        assert_eq!(harmless("a\tb\nc é"), "a\tb\nc é");
        assert_eq!(harmless("\u{1b}]0;x\u{7}\r\u{9b}2J"), "\u{fffd}]0;x\u{fffd}\u{fffd}\u{fffd}2J");
    }
}
