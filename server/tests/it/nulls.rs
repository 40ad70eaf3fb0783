//! What the API's description says of null is what the server does: of every field of every request.

use domain::wire::access::{IncidentAccess, NewPassword, NewShare, NewTeam, NewToken, NewUser, TeamPatch, UserPatch};
use domain::wire::actions::{ActionPatch, NewAction, NewNote};
use domain::wire::claims::{ClaimPatch, NewClaim};
use domain::wire::cohort::{Contacted, MessageCheck, NewMessage};
use domain::wire::evidence::{EvidencePatch, NewEvidence};
use domain::wire::signals::NewSignals;
use domain::wire::tracker::BulkPatch;
use domain::wire::verifications::NewVerification;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::server::Server;

/// Whether the field may be null, as the server reads it: an error at the field itself is about the null in it.
fn takes_null<T: DeserializeOwned>(field: &str) -> bool {
    match serde_path_to_error::deserialize::<_, T>(&json!({field: null})) {
        Ok(_) => true,
        Err(error) => error.path().to_string() != field,
    }
}

type Reader = fn(&str) -> bool;

const REQUESTS: [(&str, Reader); 20] = [
    ("ActionPatch", takes_null::<ActionPatch>),
    ("BulkPatch", takes_null::<BulkPatch>),
    ("ClaimPatch", takes_null::<ClaimPatch>),
    ("Contacted", takes_null::<Contacted>),
    ("EvidencePatch", takes_null::<EvidencePatch>),
    ("IncidentAccess", takes_null::<IncidentAccess>),
    ("MessageCheck", takes_null::<MessageCheck>),
    ("NewAction", takes_null::<NewAction>),
    ("NewClaim", takes_null::<NewClaim>),
    ("NewEvidence", takes_null::<NewEvidence>),
    ("NewMessage", takes_null::<NewMessage>),
    ("NewNote", takes_null::<NewNote>),
    ("NewPassword", takes_null::<NewPassword>),
    ("NewShare", takes_null::<NewShare>),
    ("NewSignals", takes_null::<NewSignals>),
    ("NewTeam", takes_null::<NewTeam>),
    ("NewToken", takes_null::<NewToken>),
    ("NewUser", takes_null::<NewUser>),
    ("NewVerification", takes_null::<NewVerification>),
    ("TeamPatch", takes_null::<TeamPatch>),
];

/// Requests whose schema is one of several, none of which has a field that may be null.
const OTHERS: [&str; 2] = ["SignIn", "UserPatch"];

fn says_null(property: &Value) -> bool {
    let is_null = |schema: &Value| schema["type"] == "null";
    property["type"].as_array().is_some_and(|types| types.contains(&json!("null")))
        || ["oneOf", "anyOf"].iter().any(|of| property[of].as_array().is_some_and(|all| all.iter().any(is_null)))
}

#[tokio::test]
async fn what_the_description_says_of_null_is_what_is_done() {
    let server = Server::empty().await;
    let document: Value = server.get("/openapi.json").send().await.expect("an answer").json().await.expect("JSON");
    let schemas = &document["components"]["schemas"];
    let mut asked = std::collections::BTreeSet::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let body = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
            if let Some(name) = body.as_str().and_then(|name| name.rsplit('/').next()) {
                asked.insert(name.to_owned());
                let is_known = REQUESTS.iter().any(|(known, _)| *known == name) || OTHERS.contains(&name);
                assert!(is_known, "{method} {path} takes {name}, which is not asked about here");
            }
        }
    }
    let mut wrong = Vec::new();
    let readers = REQUESTS.into_iter().chain([("UserPatch", takes_null::<UserPatch> as Reader)]);
    for (name, takes_null) in readers.filter(|(name, _)| asked.contains(*name)) {
        let properties = schemas[name]["properties"].as_object().unwrap_or_else(|| panic!("{name} has fields"));
        for (field, property) in properties {
            let (said, done) = (says_null(property), takes_null(field));
            if said != done {
                wrong.push(format!("{name}.{field}: null is {} and {}", said_of(said), done_of(done)));
            }
        }
    }
    assert!(asked.len() > 15, "{asked:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn said_of(said: bool) -> &'static str {
    if said { "described as possible" } else { "not described" }
}

fn done_of(done: bool) -> &'static str {
    if done { "taken" } else { "refused" }
}
