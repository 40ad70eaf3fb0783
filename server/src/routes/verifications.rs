//! `/actions/{id}/verifications`: the proofs of an action item.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use domain::action::Action;
use domain::incident::Window;
use domain::person::{Role, name_key};
use domain::quantity::Quantity;
use domain::signal::{Misread, Reading, SignalProof, Stretch};
use domain::verification::{Acceptance, Attested, Attester, VerificationKind};
use domain::wire::page::Page;
use domain::wire::problem::{FieldError, Problem};
use domain::wire::verifications::{Cited, NewVerification};
use domain::{ActionId, EvidenceNumber, VerificationId};

use super::answer::{hashed, told, version_tag};
use super::error::ApiError;
use super::extract::{ApiBody, ApiPath, required_version, shaped};
use super::refusals::{Json, Signed, Versioned};
use super::who::{Who, no_action};
use crate::access::policy::Act;
use crate::app::App;
use crate::store::{Standing, Update};
use crate::{clock, item};

/// Lists every proof that was ever accepted of an item, in order.
#[utoipa::path(
    get, path = "/actions/{id}/verifications", tag = "actions",
    params(("id" = String, Path, description = "The item's id")),
    responses(
        (status = 200, body = Page<Acceptance>),
        (status = 304, description = "Not changed"),
        (status = 404, description = "No such item", body = Problem, content_type = "application/problem+json"),
        Signed,
    )
)]
pub async fn list(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
) -> Result<Response, ApiError> {
    let id = ActionId::new(id);
    who.item(&app, &id, Act::ReadItem).await?;
    let items: Vec<Acceptance> =
        app.store.list_verifications(&id).await?.into_iter().map(|(acceptance, _)| acceptance).collect();
    hashed(&headers, &Page { items, next: None })
}

/// Offers a proof. Where it holds it is accepted, and the item is verified; the answer is the item as it now is.
///
/// `If-Match` may be left out: the proof is then for the item as it is, and 412 if it is changed at this very moment.
#[utoipa::path(
    post, path = "/actions/{id}/verifications", tag = "actions", request_body = NewVerification,
    params(
        ("id" = String, Path, description = "The item's id"),
        ("If-Match" = Option<String>, Header, description = "The version the proof was made for, in quotes"),
    ),
    responses((status = 201, description = "Accepted; the item as it now is", body = Action), Signed, Json, Versioned)
)]
pub async fn create(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
    ApiPath(id): ApiPath<String>,
    ApiBody(body): ApiBody,
) -> Result<Response, ApiError> {
    let id = ActionId::new(id);
    let (action, facts) = who.item(&app, &id, Act::ReadItem).await?;
    let is_attested = match &action.verification.kind {
        Some(VerificationKind::Attested(_)) => true,
        Some(VerificationKind::Measured(_)) => false,
        None => body.get("attested").is_some(),
    };
    let act = if is_attested { Act::Attest } else { Act::UpdateItem };
    who.may(act, facts, no_action)?;
    if is_attested {
        refuse_former_owner(&app, &who, &action).await?;
        refuse_who_is_not_named(&app, &who, &action).await?;
    }
    // The policy was asked about this version, and about no other.
    if headers.contains_key(header::IF_MATCH) && required_version(&headers)? != action.version {
        return Err(ApiError::stale(item::answered(action)));
    }
    let new: NewVerification = shaped(&body).map_err(|error| ApiError::invalid(vec![error]))?;
    let cited = match new.evidence {
        Some(number) => {
            who.may(Act::ReadIncident, facts, || no_source("/evidence"))?;
            Some(cited(&app, &action, number).await?)
        }
        None => None,
    };
    let read = match &new.signal {
        Some(reading) => {
            who.may(Act::ReadIncident, facts, || no_source("/signal"))?;
            Some(read(&app, &action, reading).await?)
        }
        None => None,
    };
    let (value, signal) = read.unzip();
    let prove = |current: &Action, standing: Standing| {
        let checked = new.checked(current, cited, value)?;
        if is_attested && (standing.owns || standing.owned) {
            return Err(vec![FieldError::new(
                "",
                "the item became yours at this moment; ask somebody else to attest it",
            )]);
        }
        if is_attested && !standing.is_owned {
            return Err(vec![nobodys(current)]);
        }
        Ok(Acceptance {
            id: VerificationId::new(String::new()),
            accepted_at: clock::now(),
            accepted_by: String::new(),
            verification: current.verification.clone(),
            value: checked.value,
            statement: checked.statement,
            evidence: new.evidence,
            link: checked.link,
            signal: signal.clone(),
        })
    };
    match app.store.accept_verification(&id, action.version, who.0.user.as_ref(), who.by(), prove).await? {
        Update::Done(action) | Update::Unchanged(action) => {
            let tag = version_tag(action.version);
            let mut response = told(StatusCode::CREATED, &item::answered(action))?;
            if let Ok(tag) = tag.parse() {
                response.headers_mut().insert(header::ETAG, tag);
            }
            Ok(response)
        }
        Update::Stale(current) => Err(ApiError::stale(item::answered(current))),
        Update::Refused(errors) => Err(ApiError::invalid(errors)),
        Update::Missing => Err(no_action()),
    }
}

/// Why an item that belongs to no account is not attested: nobody could be said not to own it.
fn nobodys(action: &Action) -> FieldError {
    match &action.assignee {
        Some(name) => FieldError::new(
            "/assignee",
            format!(
                "‘{name}’ has no account here; put somebody in charge who has one, then have somebody else attest it"
            ),
        ),
        None => FieldError::new(
            "/owner",
            "nobody owns this item: name a person in charge, or a team that has members, then have somebody else attest it",
        ),
    }
}

/// An owner cannot hand their item to somebody else, or leave its team, and then attest it.
async fn refuse_former_owner(app: &App, who: &Who, action: &Action) -> Result<(), ApiError> {
    let is_namesake = |name: &str| {
        name_key(name) == name_key(&who.0.name) || who.0.email.as_ref().is_some_and(|email| *email == name_key(name))
    };
    if action.assignee_id.is_none() && action.assignee.as_deref().is_some_and(is_namesake) {
        return Err(ApiError::forbidden(
            "somebody of your name is in charge of this item; ask somebody else to attest it",
        ));
    }
    let Some(user) = &who.0.user else { return Ok(()) };
    if app.store.was_owner(&action.id, user).await? {
        return Err(ApiError::forbidden("this item was yours before; ask somebody who never owned it to attest it"));
    }
    Ok(())
}

/// Where the criterion names somebody, only the members of the team or role of that name may attest, and nobody where there
/// is none: it may have been renamed, or never have been one.
async fn refuse_who_is_not_named(app: &App, who: &Who, action: &Action) -> Result<(), ApiError> {
    let Some(VerificationKind::Attested(Attested { by: Attester::Named(name), .. })) = &action.verification.kind else {
        return Ok(());
    };
    let key = name_key(name);
    let is_in = |teams: &[String]| teams.iter().any(|team| name_key(team) == key);
    let teams: Vec<String> = app.store.list_teams().await?.into_iter().map(|team| team.name).collect();
    let is_named = match key.parse::<Role>() {
        _ if is_in(&teams) => is_in(&who.0.teams),
        Ok(role) => who.0.role >= role,
        Err(_) if key == "support" => who.0.support,
        Err(_) => {
            return Err(ApiError::forbidden(&format!(
                "only ‘{name}’ may attest this, and there is no team and no role of that name; make the team under Settings, or \
                 have somebody change the criterion who does not own the item"
            )));
        }
    };
    if is_named {
        Ok(())
    } else {
        Err(ApiError::forbidden(&format!("only ‘{name}’ may attest this, and that is not you")))
    }
}

/// What is answered to whoever sees an item without its incident: nothing is told of what stands there.
fn no_source(pointer: &str) -> ApiError {
    ApiError::invalid(vec![FieldError::new(
        pointer,
        "the incident’s evidence is not for you to see; give a link to where the value can be seen",
    )])
}

/// What one of the incident's signals says.
async fn read(app: &App, action: &Action, reading: &Reading) -> Result<(Quantity, SignalProof), ApiError> {
    let refused = |error: FieldError| ApiError::invalid(vec![error]);
    let misread = |why: Misread| refused(FieldError::new(format!("/signal/{}", why.field), why.message));
    let stretch = Stretch { from: Some(reading.from), until: Some(reading.until), width: None };
    let signals = app.store.signals(&action.incident_id, stretch).await?;
    if let Some(signal) = signals.iter().find(|signal| signal.id == reading.signal) {
        return Ok((reading.of_ratio(signal).map_err(misread)?, reading.read_off(&signal.title)));
    }
    let nothing = Stretch { until: Some(reading.from), ..stretch };
    let values = app.store.values(&action.incident_id, nothing).await?;
    let Some(signal) = values.iter().find(|signal| signal.id == reading.signal) else {
        return Err(refused(FieldError::new(
            "/signal/signal",
            "the incident has no such signal; a file may have been imported since: load the page again",
        )));
    };
    let window = Window { from: reading.from, until: reading.until };
    let points = app.store.value_points(&action.incident_id, &signal.id, window).await?.unwrap_or_default();
    Ok((reading.of_values(signal, &points).map_err(misread)?, reading.read_off(&signal.title)))
}

/// What is known of the evidence that a proof cites.
async fn cited(app: &App, action: &Action, number: EvidenceNumber) -> Result<Cited, ApiError> {
    let refused = |message: &str| ApiError::invalid(vec![FieldError::new("/evidence", message)]);
    let evidence = app.store.load_evidence(&action.incident_id, number).await?;
    let evidence = evidence.ok_or_else(|| refused("the incident has no evidence of this number"))?;
    if evidence.removed_at.is_some() {
        return Err(refused("this evidence was removed"));
    }
    let measured = match (&evidence.load_test, &action.verification.kind) {
        (Some(imported), Some(VerificationKind::Measured(wanted))) => imported.test.answer(&wanted.metric),
        _ => None,
    };
    Ok(Cited { measured: measured.map(|metric| metric.quantity()), is_load_test: evidence.load_test.is_some() })
}
