//! Who is signed in.

use domain::wire::access::{Me, SignInByLink, SignInByPassword, SignInOptions};
use domain::wire::paths;
use gloo_net::http::Request;
use serde::Serialize;

use super::{Failure, exchange, get, json, read, send_only};

/// Who is signed in.
pub async fn session() -> Result<Me, Failure> {
    get(&paths::session()).await
}

/// How one can sign in here.
pub async fn sign_in_options() -> Result<SignInOptions, Failure> {
    get(&paths::sign_in_options()).await
}

/// Signs in with what follows the `#` in a link.
pub async fn sign_in_by_link(link: String) -> Result<Me, Failure> {
    begin(&SignInByLink { link }).await
}

/// Signs in with an address and a password.
pub async fn sign_in_by_password(email: String, password: String) -> Result<Me, Failure> {
    begin(&SignInByPassword { email, password }).await
}

/// Here 401 says that the link or the password is not right, and nothing of who is signed in.
async fn begin<T: Serialize>(proof: &T) -> Result<Me, Failure> {
    let body = json::written(proof).ok_or(Failure::Unreachable)?;
    read(&exchange(Request::post(&paths::session()), Some(body)).await?)
}

/// Ends the session.
pub async fn sign_out() -> Result<(), Failure> {
    send_only(Request::delete(&paths::session()), None).await
}
