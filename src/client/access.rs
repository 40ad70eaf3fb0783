//! Who is who, and who may see what.

use domain::person::Person;
use domain::wire::access::{
    IncidentAccess, Me, NewPassword, NewShare, NewTeam, NewToken, NewUser, Session, Share, ShareMade, SignInByLink,
    SignInByPassword, SignInLink, SignInOptions, Team, TeamPatch, Token, TokenMade, User, UserMade, UserPatch,
};
use domain::wire::page::Page;
use domain::wire::paths;
use gloo_net::http::{Request, RequestBuilder};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Failure, exchange, get, json, read, send, send_only, signed_in};

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

/// Sets one's own password.
pub async fn set_password(new: &NewPassword) -> Result<(), Failure> {
    let body = json::written(new).ok_or(Failure::Unreachable)?;
    send_only(Request::put(&paths::password()), Some(body)).await
}

/// The sessions that one may see.
pub async fn sessions() -> Result<Vec<Session>, Failure> {
    items(&paths::sessions()).await
}

/// Ends a session.
pub async fn end_session(id: &str) -> Result<(), Failure> {
    send_only(Request::delete(&paths::session_of(id)), None).await
}

/// Everybody with an account, by name alone.
pub async fn people() -> Result<Vec<Person>, Failure> {
    items(&paths::people()).await
}

/// The accounts.
pub async fn users() -> Result<Vec<User>, Failure> {
    items(&paths::users()).await
}

/// Makes an account.
pub async fn add_user(new: &NewUser, key: &str) -> Result<UserMade, Failure> {
    send(once(Request::post(&paths::users()), key), new).await
}

/// Changes an account, on the version that the edit was made on.
pub async fn patch_user(id: &str, version: i64, patch: &UserPatch) -> Result<User, Failure> {
    send(Request::patch(&paths::user(id)).header("if-match", &format!("\"{version}\"")), patch).await
}

/// Makes a link that signs somebody in.
pub async fn sign_in_link(id: &str, key: &str) -> Result<SignInLink, Failure> {
    read(&signed_in(once(Request::post(&paths::sign_in_link(id)), key), None, true).await?)
}

/// The teams.
pub async fn teams() -> Result<Vec<Team>, Failure> {
    items(&paths::teams()).await
}

/// Makes a team.
pub async fn add_team(new: &NewTeam, key: &str) -> Result<Team, Failure> {
    send(once(Request::post(&paths::teams()), key), new).await
}

/// Changes a team, on the version that the edit was made on.
pub async fn patch_team(id: &str, version: i64, patch: &TeamPatch) -> Result<Team, Failure> {
    send(Request::patch(&paths::team(id)).header("if-match", &format!("\"{version}\"")), patch).await
}

/// Removes a team.
pub async fn remove_team(id: &str) -> Result<(), Failure> {
    send_only(Request::delete(&paths::team(id)), None).await
}

/// The tokens that one may see.
pub async fn tokens() -> Result<Vec<Token>, Failure> {
    items(&paths::tokens()).await
}

/// Makes a token.
pub async fn add_token(new: &NewToken, key: &str) -> Result<TokenMade, Failure> {
    send(once(Request::post(&paths::tokens()), key), new).await
}

/// Ends a token.
pub async fn end_token(id: &str) -> Result<(), Failure> {
    send_only(Request::delete(&paths::token(id)), None).await
}

/// The share links that hold.
pub async fn shares() -> Result<Vec<Share>, Failure> {
    items(&paths::shares()).await
}

/// Shares an incident.
pub async fn share(new: &NewShare, key: &str) -> Result<ShareMade, Failure> {
    send(once(Request::post(&paths::shares()), key), new).await
}

/// Revokes a share link.
pub async fn revoke_share(id: &str) -> Result<(), Failure> {
    send_only(Request::delete(&paths::share(id)), None).await
}

/// Who may see an incident.
pub async fn incident_access(id: &str) -> Result<IncidentAccess, Failure> {
    get(&paths::access(id)).await
}

/// Says who may see an incident.
pub async fn set_incident_access(id: &str, access: &IncidentAccess) -> Result<IncidentAccess, Failure> {
    send(Request::put(&paths::access(id)), access).await
}

async fn items<T: DeserializeOwned>(address: &str) -> Result<Vec<T>, Failure> {
    get::<Page<T>>(address).await.map(|page| page.items)
}

/// The same key makes a repeated request one.
fn once(request: RequestBuilder, key: &str) -> RequestBuilder {
    request.header("idempotency-key", key)
}
