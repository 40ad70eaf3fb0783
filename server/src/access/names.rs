//! What somebody or something may be called, and what an address looks like.

use crate::unseen::{is_seen, is_unseen};

/// The most characters of a name, and bytes of an address.
pub const MAX_NAME: usize = 200;

/// A name with its white space folded, or what is the matter with it.
pub fn checked_name(name: &str) -> Result<String, String> {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.contains(char::is_control) {
        Err("a name has no control characters".to_owned())
    } else if !is_seen(&name) {
        Err("a name is needed".to_owned())
    } else if name.contains(is_unseen) {
        Err("a name has no characters that nobody sees; type it rather than paste it".to_owned())
    } else if name.chars().count() > MAX_NAME {
        Err(format!("a name may have {MAX_NAME} characters"))
    } else {
        Ok(name)
    }
}

/// An address in lower case, or what is the matter with it; none where it is empty.
pub fn checked_email(email: &str) -> Result<Option<String>, &'static str> {
    let email = email.trim().to_lowercase();
    let looks_right =
        email.split_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'));
    if email.is_empty() {
        return Ok(None);
    }
    if !looks_right
        || email.contains(|letter: char| letter.is_whitespace() || is_unseen(letter))
        || email.len() > MAX_NAME
    {
        return Err("this does not look like an address; write it as name@example.com");
    }
    Ok(Some(email))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_folded_and_one_that_cannot_be_told_apart_is_refused() {
        assert_eq!(checked_name("  Ada \t Ferris\n").as_deref(), Ok("Ada Ferris"));
        for (name, said) in [
            ("", "needed"),
            (" \u{200b}", "needed"),
            ("\u{202e}", "needed"),
            ("\u{202e}adA", "nobody sees"),
            ("Ad\u{200b}a", "nobody sees"),
            ("A\u{1b}[31m", "control"),
            ("\u{1f}", "control"),
            (&"x".repeat(201), "200"),
        ] {
            assert!(checked_name(name).is_err_and(|error| error.contains(said)), "{name:?}");
        }
    }

    #[test]
    fn an_address_has_one_sign_between_two_parts() {
        assert_eq!(checked_email(" Ada@Example.COM "), Ok(Some("ada@example.com".to_owned())));
        assert_eq!(checked_email(" "), Ok(None));
        for email in
            ["ada", "b@", "@c", "b b@c", "a@b@c", "a@b\u{1b}c", "a\u{200b}@c", &format!("a@{}", "x".repeat(200))]
        {
            assert!(checked_email(email).is_err(), "{email:?}");
        }
    }
}
