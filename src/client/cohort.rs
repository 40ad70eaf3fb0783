//! Claims, the cohort, and the message to it.

use domain::derived::Computed;
use domain::wire::claims::{ClaimPatch, NewClaim};
use domain::wire::cohort::{CohortCustomer, CohortSummary, Contacted, Message, MessageReport, NewMessage};
use domain::wire::page::Page;
use domain::wire::paths;
use gloo_net::http::Request;

use super::{Call, Failure, Nothing, get, send};

/// Binds a figure; the same key makes a repeated request one binding.
pub fn bind(id: &str, new: &NewClaim, key: &str) -> Call<Nothing> {
    Call::act(Request::post(&paths::claims(id)).header("idempotency-key", key)).with(new)
}

/// Computes something else for a figure.
pub fn rebind(id: &str, claim: &str, version: i64, patch: &ClaimPatch) -> Call<Nothing> {
    let request = Request::patch(&paths::claim(id, claim));
    Call::act(request.header("if-match", &format!("\"{version}\""))).with(patch)
}

/// Takes a binding back.
pub fn unbind(id: &str, claim: &str, version: i64) -> Call<Nothing> {
    let request = Request::delete(&paths::claim(id, claim));
    Call::act(request.header("if-match", &format!("\"{version}\"")))
}

/// The numbers of the cohort.
pub async fn summary(id: &str) -> Result<Computed<CohortSummary>, Failure> {
    get(&paths::cohort(id)).await
}

/// A page of the customers to be written to, of those who recovered, or of all.
pub async fn customers(id: &str, standing: &str, cursor: Option<&str>) -> Result<Page<CohortCustomer>, Failure> {
    let mut query = vec!["limit=50".to_owned()];
    query.extend((!standing.is_empty()).then(|| format!("standing={standing}")));
    query.extend(cursor.map(|cursor| format!("cursor={cursor}")));
    get(&format!("{}?{}", paths::cohort_customers(id), query.join("&"))).await
}

/// Marks customers as written to.
pub fn contacted(id: &str, who: &Contacted) -> Call<Nothing> {
    Call::act(Request::post(&paths::cohort_contacted(id))).with(who)
}

/// The message.
pub async fn message(id: &str) -> Result<Message, Failure> {
    get(&paths::cohort_message(id)).await
}

/// Writes the message, on the version that the edit was made on.
pub async fn set_message(id: &str, version: i64, new: &NewMessage) -> Result<Message, Failure> {
    let request = Request::put(&paths::cohort_message(id));
    send(request.header("if-match", &format!("\"{version}\"")), new).await
}

/// Checks a message's wording.
pub async fn check(id: &str, new: &NewMessage) -> Result<MessageReport, Failure> {
    send(Request::post(&paths::cohort_message_check(id)), new).await
}
