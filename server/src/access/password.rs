//! Passwords, as argon2id hashes.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use domain::wire::problem::FieldError;

/// The fewest characters of a password.
const MIN: usize = 12;
/// The most bytes of a password: hashing a longer one would only cost time.
const MAX: usize = 1024;

/// Checks a new password's length.
pub fn checked(pointer: &str, password: &str) -> Result<(), FieldError> {
    if password.chars().count() < MIN {
        return Err(FieldError::new(pointer, format!("a password has {MIN} characters or more; a few words do well")));
    }
    if password.len() > MAX {
        return Err(FieldError::new(pointer, format!("a password may have {MAX} bytes")));
    }
    Ok(())
}

/// Hashes a password; takes some tens of milliseconds of a processor, off the async threads.
pub async fn hash(password: String) -> Option<String> {
    let hashed = tokio::task::spawn_blocking(move || {
        Argon2::default().hash_password(password.as_bytes()).map(|hash| hash.to_string())
    });
    hashed.await.ok()?.ok()
}

/// Whether a password is the one that was hashed. Without a hash it takes as long and is false, so that nobody can tell
/// by the time which accounts there are.
pub async fn verify(password: String, hash: Option<String>) -> bool {
    let verified = tokio::task::spawn_blocking(move || {
        let argon = Argon2::default();
        if let Some(Ok(hash)) = hash.as_deref().map(PasswordHash::new) {
            argon.verify_password(password.as_bytes(), &hash).is_ok()
        } else {
            let _ = argon.hash_password(password.as_bytes());
            false
        }
    });
    verified.await.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_is_verified_against_its_own_hash_alone() {
        let hash = hash("correct horse battery".to_owned()).await.expect("it is hashed");
        assert!(hash.starts_with("$argon2id$"), "{hash}");
        assert!(verify("correct horse battery".to_owned(), Some(hash.clone())).await);
        assert!(!verify("correct horse batterY".to_owned(), Some(hash)).await);
        assert!(!verify("correct horse battery".to_owned(), None).await);
        assert!(!verify("x".to_owned(), Some("no hash".to_owned())).await);
    }

    #[test]
    fn short_and_endless_passwords_are_refused() {
        assert!(checked("/password", "elevenchars").is_err());
        assert!(checked("/password", "twelve chars").is_ok());
        assert!(checked("/password", &"x".repeat(1025)).is_err());
    }
}
