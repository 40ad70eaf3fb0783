//! Digests as text.

use std::fmt::Write;
use std::io::{self, Read};

use sha2::{Digest as _, Sha256};

/// Bytes in hexadecimal, in lower case.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// SHA-256 of all that can be read, in hexadecimal.
pub fn sha256_of(mut source: impl Read) -> io::Result<String> {
    let (mut hash, mut chunk) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match source.read(&mut chunk) {
            Ok(0) => return Ok(hex(&hash.finalize())),
            Ok(length) => hash.update(&chunk[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_read_in_pieces_has_the_digest_of_the_whole() {
        let bytes = vec![7; 200_000];
        let whole = <sha2::Sha256 as sha2::Digest>::digest(&bytes);
        assert_eq!(super::sha256_of(&bytes[..]).expect("readable"), super::hex(&whole));
    }

    #[test]
    fn every_byte_is_two_digits() {
        assert_eq!(super::hex(&[0, 10, 255]), "000aff");
    }
}
