//! `Idempotency-Key`: a request that is sent twice creates one thing.

use axum::http::HeaderMap;
use domain::wire::problem::{FieldError, ProblemKind};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::error::ApiError;
use super::who::Who;
use crate::digest::hex;
use crate::store::{Earlier, Once, StoreError};

/// The header's name, as errors point to it.
const HEADER: &str = "Idempotency-Key";

/// The most characters a key may have.
const MAX_KEY: usize = 200;

/// The key of a request, if it has one.
pub fn key(headers: &HeaderMap) -> Result<Option<&str>, FieldError> {
    let Some(value) = headers.get(HEADER) else {
        return Ok(None);
    };
    match value.to_str() {
        Ok(key) if (1..=MAX_KEY).contains(&key.len()) && key.bytes().all(|byte| matches!(byte, b' '..=b'~')) => {
            Ok(Some(key))
        }
        _ => Err(FieldError::new(HEADER, format!("a key has 1 to {MAX_KEY} printable ASCII characters"))),
    }
}

/// What the store has to know of a request that may be sent again: who sends it, its key, and what it asks for.
pub fn once(who: &Who, headers: &HeaderMap, asked: (&str, &Value)) -> Result<Option<Once>, ApiError> {
    let key = key(headers).map_err(|error| ApiError::invalid(vec![error]))?;
    Ok(key.map(|key| Once {
        actor: sender(who),
        key: key.to_owned(),
        request: hex(&Sha256::digest(format!("{} {}", asked.0, asked.1))),
    }))
}

/// Who sends a request, so that the keys of different senders never meet: a person, or a service by its token.
pub fn sender(who: &Who) -> String {
    match (&who.0.user, &who.0.token) {
        (Some(user), _) => user.to_string(),
        (None, Some(token)) => format!("service {}", token.id),
        (None, None) => format!("service {}", who.0.name),
    }
}

/// What a request made whose key was used before, as it then was, if it can be told again.
pub fn earlier<T: DeserializeOwned>(earlier: &Earlier) -> Result<T, ApiError> {
    match earlier {
        Earlier { is_same: true, answer: Some(answer) } => {
            Ok(serde_json::from_str(answer).map_err(|error| StoreError::Corrupt(error.to_string()))?)
        }
        _ => Err(refused(earlier)),
    }
}

/// Why a request whose key was used before is refused.
pub fn refused(earlier: &Earlier) -> ApiError {
    if earlier.is_same {
        return ApiError::of(
            ProblemKind::Conflict,
            "an earlier request with this key did this, and its answer showed the secret once; if that answer was lost, \
             take back what was made and make another",
        );
    }
    ApiError::invalid(vec![FieldError::new(
        HEADER,
        "this key was used for another request; make up a new key for a new request",
    )])
}
