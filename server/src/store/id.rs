//! New ids: random, so that none can be guessed from another.

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH: usize = 20;

/// A new id of a hundred random bits after the prefix that tells people its kind.
pub(super) fn new_id(prefix: &str) -> String {
    let mut bits: u128 = rand::random();
    let mut id = String::with_capacity(prefix.len() + LENGTH);
    id.push_str(prefix);
    for _ in 0..LENGTH {
        id.push(char::from(ALPHABET[(bits & 31) as usize]));
        bits >>= 5;
    }
    id
}
