//! Secrets that are shown once: links, sessions, tokens, shares. Only their digests are stored.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::digest::hex;

/// A new secret of 256 random bits, with a prefix that tells people (and secret scanners) what it is.
pub fn new_secret(prefix: &str) -> String {
    let bits: [u8; 32] = rand::random();
    format!("{prefix}{}", URL_SAFE_NO_PAD.encode(bits))
}

/// What is stored of a secret. A plain hash is enough, since nobody can guess 256 random bits.
pub fn digest(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_secrets_are_alike_and_their_digests_tell_nothing() {
        let (one, two) = (new_secret("dbt_"), new_secret("dbt_"));
        assert_ne!(one, two);
        assert!(one.starts_with("dbt_") && one.len() == 4 + 43);
        assert_eq!(digest(&one).len(), 64);
        assert_ne!(digest(&one), digest(&two));
    }
}
