//! Claims computed: brought up to date from the files as they came, and compared with what is written.
//!
//! What was found is kept with each claim under a digest of what it was computed from, so that it is computed again where
//! files, window or computation change, and only there.

use domain::claim::{
    Check, Claim, ClaimProposal, Computation, Found, Row, Written, check, compute, compute_value, propose,
};
use domain::cohort::Attempt;
use domain::derived::Computed;
use domain::incident::Window;
use domain::signal::ValueSignal;
use sha2::{Digest as _, Sha256};

use crate::digest::hex;
use crate::import::ImportError;
use crate::import::events::{AttemptTable, attempts};
use crate::store::{ImportKind, Objects, Store, StoreError, StoredClaim, StoredIncident};
use crate::turn::Turn;
use crate::zone;

/// Why a claim is not computed where its files cannot be read.
pub const UNREADABLE: &str = "the imported events cannot be read back; the server’s log says why";

/// Computes what claims have not found yet, or have found in other files or another window, and keeps it.
pub async fn bring_up_to_date(store: &Store, objects: &Objects, turn: &Turn, incident: &mut StoredIncident) {
    if let Err(error) = try_to(store, objects, turn, incident).await {
        tracing::error!(%error, incident = incident.name, "claims cannot be computed");
        for claim in &mut incident.claims {
            claim.kept = Some((String::new(), Computed::unavailable(UNREADABLE)));
        }
    }
}

async fn try_to(
    store: &Store,
    objects: &Objects,
    turn: &Turn,
    incident: &mut StoredIncident,
) -> Result<(), ImportError> {
    if incident.claims.is_empty() {
        return Ok(());
    }
    let window = Window::of(incident.started_at, incident.ended_at);
    let files: Vec<String> =
        store.list_imports(&incident.id, ImportKind::Events).await?.into_iter().map(|import| import.sha256).collect();
    let sources = Sources { files, values: told(&incident.values) };
    if stale(&incident.claims, &sources, window).is_empty() {
        return Ok(());
    }
    let _turn = turn.take().await;
    incident.claims = store.list_claims(&incident.id).await?;
    let stale = stale(&incident.claims, &sources, window);
    let is_of_value = |(place, _): &(usize, String)| incident.claims[*place].computation.measure.is_of_value();
    let (of_values, stale): (Vec<_>, Vec<_>) = stale.into_iter().partition(is_of_value);
    for (place, basis) in of_values {
        let found = of_value(store, incident, &incident.claims[place].computation, window).await?;
        let claim = &mut incident.claims[place];
        claim.kept = Some((basis, found));
        store.keep_found(claim).await?;
    }
    if stale.is_empty() {
        return Ok(());
    }
    let table = attempts(store, objects, &incident.id).await?;
    let asked: Vec<Computation> = stale.iter().map(|(place, _)| incident.claims[*place].computation.clone()).collect();
    let found = tokio::task::spawn_blocking(move || {
        asked.iter().map(|computation| compute_over(&table, computation, window)).collect::<Vec<_>>()
    });
    for ((place, basis), found) in stale.into_iter().zip(found.await?) {
        let claim = &mut incident.claims[place];
        claim.kept = Some((basis, found));
        store.keep_found(claim).await?;
    }
    Ok(())
}

/// What claims are computed from.
struct Sources {
    /// The files of attempts.
    files: Vec<String>,
    /// The plain values.
    values: Vec<String>,
}

/// The values as they are now: another file, another unit, or fewer of them are others.
fn told(values: &[ValueSignal]) -> Vec<String> {
    let told = values.iter().map(|value| {
        let (source, count, gaps) = (&value.source, value.count, value.gaps);
        format!("{} {} {:?} {} {count} {gaps}", value.id, source.sha256, value.span, value.unit)
    });
    told.collect()
}

/// What is computed over the points of one of the incident's values.
async fn of_value(
    store: &Store,
    incident: &StoredIncident,
    computation: &Computation,
    window: Option<Window>,
) -> Result<Computed<Found>, StoreError> {
    let Some(span) = computation.window.or(window) else {
        return Ok(compute_value(&[], "", computation, None));
    };
    let known = incident.values.iter().find(|value| Some(&value.id) == computation.signal.as_ref());
    let Some(value) = known else {
        return Ok(Computed::unavailable("the incident no longer has this value"));
    };
    let points = store.value_points(&incident.id, &value.id, span).await?.unwrap_or_default();
    Ok(compute_value(&points, &value.unit, computation, window))
}

/// The claims whose computation is not kept, each by its place, with what it will be kept under.
fn stale(claims: &[StoredClaim], sources: &Sources, window: Option<Window>) -> Vec<(usize, String)> {
    let bases = claims.iter().map(|claim| {
        let from = if claim.computation.measure.is_of_value() { &sources.values } else { &sources.files };
        basis(from, window, Some(&claim.computation))
    });
    let is_stale =
        |(place, basis): &(usize, String)| claims[*place].kept.as_ref().is_none_or(|(known, _)| known != basis);
    bases.enumerate().filter(is_stale).collect()
}

/// A digest of what something is computed from: the files in their order, the window, and what is computed.
pub fn basis(files: &[String], window: Option<Window>, computation: Option<&Computation>) -> String {
    let computation = computation.and_then(|computation| serde_json::to_string(computation).ok());
    hex(&Sha256::digest(format!("{files:?} {window:?} {computation:?}")))
}

fn compute_over(table: &AttemptTable, computation: &Computation, window: Option<Window>) -> Computed<Found> {
    if table.is_empty() {
        return Computed::unavailable("no events have been imported");
    }
    let Some(label) = &computation.label else {
        return compute(rows(table), computation, window);
    };
    let Some(column) = table.labels.iter().find(|column| column.name == label.name) else {
        return Computed::unavailable(format!("the events have no label ‘{}’", label.name));
    };
    let Some(word) = column.words.find(&label.word) else {
        return Computed::unavailable(format!("no attempt has ‘{}’ as its ‘{}’", label.word, label.name));
    };
    let labelled = rows(table).zip(&column.of).filter(move |(_, of)| **of == word).map(|(row, _)| row);
    compute(labelled, computation, window)
}

fn rows(table: &AttemptTable) -> impl Iterator<Item = Row> {
    table
        .each()
        .zip(&table.latency_ms)
        .map(|(attempt, latency)| Row { attempt, latency_ms: (!latency.is_nan()).then_some(*latency) })
}

impl AttemptTable {
    /// Every attempt, as the rules of the domain take them.
    pub fn each(&self) -> impl Iterator<Item = Attempt> + Clone {
        let columns = self.at.iter().zip(&self.customer).zip(&self.failed);
        columns.map(|((&at, &customer), &failed)| Attempt { at, customer, failed })
    }
}

/// What an incident has written down, for claims to be compared with.
pub struct Texts {
    summary: String,
    key_points: Vec<String>,
}

impl Texts {
    /// The texts of an incident, without evidence marks.
    pub fn of(incident: &StoredIncident) -> Self {
        Self {
            summary: incident.summary.plain(),
            key_points: incident.key_points.iter().map(domain::prose::Prose::plain).collect(),
        }
    }

    /// The same with the incident's figures.
    pub fn written<'a>(&'a self, incident: &'a StoredIncident) -> Written<'a> {
        Written {
            impact: &incident.impact,
            summary: &self.summary,
            key_points: &self.key_points,
            thresholds: incident.thresholds,
        }
    }
}

/// Every claim with what checking it came to, and the bindings that are proposed beside them.
pub fn checked(incident: &StoredIncident) -> (Vec<Claim>, Vec<ClaimProposal>) {
    let texts = Texts::of(incident);
    let written = texts.written(incident);
    let claims = incident.claims.iter().map(|claim| one(claim, written, &incident.home_zone)).collect();
    let mut proposals = propose(written);
    proposals.retain(|proposal| incident.claims.iter().all(|claim| claim.target != proposal.target));
    (claims, proposals)
}

fn one(claim: &StoredClaim, written: Written<'_>, home_zone: &str) -> Claim {
    let stated = written.stated(&claim.target);
    let offset = |named: Option<&str>, at| zone::offset(at, named, home_zone);
    let check = match (stated, &claim.kept) {
        (None, _) => Check::impossible("the figure is no longer written where it was bound"),
        (Some(_), None) => Check::impossible("it has not been computed yet"),
        (Some(_), Some((_, Computed::Unavailable { unavailable }))) => Check::impossible(unavailable),
        (Some(stated), Some((_, Computed::Value(found)))) => check(stated, *found, offset),
    };
    Claim {
        id: claim.id.clone(),
        version: claim.version,
        target: claim.target.clone(),
        computation: claim.computation.clone(),
        stated: stated.map(str::to_owned),
        check,
    }
}
