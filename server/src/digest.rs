//! Digests as text.

use std::fmt::Write;

/// Bytes in hexadecimal, in lower case.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_byte_is_two_digits() {
        assert_eq!(super::hex(&[0, 10, 255]), "000aff");
    }
}
