//! Who is who, and who may see what.

use domain::person::Person;
use domain::wire::access::{
    IncidentAccess, Me, NewPassword, NewShare, NewTeam, NewToken, NewUser, Session, Share, ShareMade, SignInByLink,
    SignInByPassword, SignInLink, SignInOptions, Team, TeamPatch, Token, TokenMade, User, UserMade, UserPatch,
};
use domain::wire::page::Page;
use domain::wire::paths;
use gloo_net::http::Request;
use serde::Serialize;

use super::{Call, Failure, Nothing, exchange, get, json, on_version, read, send_only};

/// Who is signed in.
pub async fn session() -> Result<Me, Failure> {
    get(&paths::session()).await
}

/// How one can sign in here.
pub async fn sign_in_options() -> Result<SignInOptions, Failure> {
    get(&paths::sign_in_options()).await
}

/// Signs in with what follows the `#` in a link; `instead` of whoever is signed in, if so.
pub async fn sign_in_by_link(link: &SignInByLink) -> Result<Me, Failure> {
    begin(link).await
}

/// Signs in with an address and a password.
pub async fn sign_in_by_password(email: String, password: String) -> Result<Me, Failure> {
    begin(&SignInByPassword { email, password }).await
}

/// Here 401 says that the link or the password is not right, and nothing of who is signed in.
async fn begin<T: Serialize>(proof: &T) -> Result<Me, Failure> {
    let body = json::written(proof).ok_or(Failure::Unreadable(None))?;
    read(&exchange(Request::post(&paths::session()), Some(body.into())).await?)
}

/// Ends the session.
pub async fn sign_out() -> Result<(), Failure> {
    send_only(Request::delete(&paths::session()), None).await
}

/// Sets one's own password.
pub fn set_password(new: &NewPassword) -> Call<Nothing> {
    Call::act(Request::put(&paths::password())).with(new)
}

/// The sessions that one may see.
pub fn sessions() -> Call<Page<Session>> {
    Call::read(&paths::sessions())
}

/// Ends a session.
pub fn end_session(id: &str) -> Call<Nothing> {
    Call::act(Request::delete(&paths::session_of(id)))
}

/// Everybody with an account, by name alone.
pub async fn people() -> Result<Page<Person>, Failure> {
    get(&paths::people()).await
}

/// The accounts.
pub fn users() -> Call<Page<User>> {
    Call::read(&paths::users())
}

/// One account.
pub fn user(id: &str) -> Call<User> {
    Call::read(&paths::user(id))
}

/// Makes an account.
pub fn add_user(new: &NewUser, key: &str) -> Call<UserMade> {
    once(&paths::users(), key).with(new)
}

/// Changes an account, on the version that the edit was made on.
pub fn patch_user(id: &str, version: i64, patch: &UserPatch) -> Call<User> {
    edit(&paths::user(id), version).with(patch)
}

/// Makes a link that signs somebody in.
pub fn sign_in_link(id: &str, key: &str) -> Call<SignInLink> {
    once(&paths::sign_in_link(id), key)
}

/// The teams.
pub fn teams() -> Call<Page<Team>> {
    Call::read(&paths::teams())
}

/// The teams, for a form that names some.
pub async fn named_teams() -> Result<Page<Team>, Failure> {
    get(&paths::teams()).await
}

/// One team.
pub fn team(id: &str) -> Call<Team> {
    Call::read(&paths::team(id))
}

/// Makes a team.
pub fn add_team(new: &NewTeam, key: &str) -> Call<Team> {
    once(&paths::teams(), key).with(new)
}

/// Changes a team, on the version that the edit was made on.
pub fn patch_team(id: &str, version: i64, patch: &TeamPatch) -> Call<Team> {
    edit(&paths::team(id), version).with(patch)
}

/// Removes a team, as it was at this version.
pub fn remove_team(id: &str, version: i64) -> Call<Nothing> {
    Call::act(on_version(Request::delete(&paths::team(id)), version))
}

/// The tokens that one may see.
pub fn tokens() -> Call<Page<Token>> {
    Call::read(&paths::tokens())
}

/// Makes a token.
pub fn add_token(new: &NewToken, key: &str) -> Call<TokenMade> {
    once(&paths::tokens(), key).with(new)
}

/// Ends a token.
pub fn end_token(id: &str) -> Call<Nothing> {
    Call::act(Request::delete(&paths::token(id)))
}

/// The share links that hold.
pub fn shares() -> Call<Page<Share>> {
    Call::read(&paths::shares())
}

/// Shares an incident.
pub fn share(new: &NewShare, key: &str) -> Call<ShareMade> {
    once(&paths::shares(), key).with(new)
}

/// Revokes a share link.
pub fn revoke_share(id: &str) -> Call<Nothing> {
    Call::act(Request::delete(&paths::share(id)))
}

/// Who may see an incident.
pub fn incident_access(id: &str) -> Call<IncidentAccess> {
    Call::read(&paths::access(id))
}

/// Says who may see an incident, on the version that the edit was made on.
pub fn set_incident_access(id: &str, version: i64, access: &IncidentAccess) -> Call<Nothing> {
    Call::act(on_version(Request::put(&paths::access(id)), version)).with(access)
}

/// What is made once for a key, however often it is asked for.
fn once<T>(address: &str, key: &str) -> Call<T> {
    Call::act(Request::post(address).header("idempotency-key", key))
}

fn edit<T>(address: &str, version: i64) -> Call<T> {
    Call::act(on_version(Request::patch(address), version))
}
