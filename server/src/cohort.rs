//! The cohort computed: brought up to date from the files as they came, and told in words.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use domain::IncidentId;
use domain::cohort::{Affected, Standing, follow_up, provisional_until};
use domain::derived::Computed;
use domain::incident::Window;
use domain::message::{Objection, ObjectionKind};
use domain::wire::cohort::{CohortCustomer, CohortSummary};

use crate::claims::basis;
use crate::import::ImportError;
use crate::import::events::{AttemptTable, attempts};
use crate::store::{ImportKind, KnownCustomer, NewCustomer, Objects, Store, StoredCohort};
use crate::turn::Turn;

/// How many recipients an objection names.
const NAMED: usize = 10;

/// The cohort of an incident, computed anew where events or window changed since; or why there is none.
pub async fn up_to_date(
    store: &Store,
    objects: &Objects,
    turn: &Turn,
    incident: &IncidentId,
    now: DateTime<Utc>,
) -> Result<Computed<StoredCohort>, ImportError> {
    let Some(window) = store.incident_window(incident).await? else {
        return Ok(Computed::unavailable("the incident has no start and end"));
    };
    let files: Vec<String> =
        store.list_imports(incident, ImportKind::Events).await?.into_iter().map(|import| import.sha256).collect();
    if files.is_empty() {
        return Ok(Computed::unavailable("no events have been imported"));
    }
    let basis = basis(&files, Some(window), None);
    if let Some(known) = store.load_cohort(incident).await?.filter(|known| known.basis == basis) {
        return Ok(Computed::Value(known));
    }
    let _turn = turn.take().await;
    if let Some(known) = store.load_cohort(incident).await?.filter(|known| known.basis == basis) {
        return Ok(Computed::Value(known));
    }
    let table = attempts(store, objects, incident).await?;
    let computed = tokio::task::spawn_blocking(move || compute(&table, window, basis, now)).await?;
    let Some((cohort, customers)) = computed else {
        return Ok(Computed::unavailable("the imported events hold no attempt"));
    };
    store.replace_cohort(incident, &cohort, customers).await?;
    Ok(Computed::Value(cohort))
}

/// The cohort, and everybody affected in the order of their ids; none without attempts.
fn compute(
    table: &AttemptTable,
    window: Window,
    basis: String,
    computed_at: DateTime<Utc>,
) -> Option<(StoredCohort, Vec<NewCustomer>)> {
    let log_ends_at = DateTime::from_timestamp_millis(*table.at.iter().max()?)?;
    let cohort = follow_up(table.each(), window);
    let named = |one: &Affected| {
        Some(NewCustomer {
            customer: table.customers.get(one.customer)?,
            standing: one.standing,
            last_at: one.last_at,
            bought_at: one.bought_at,
        })
    };
    let mut customers: Vec<NewCustomer> = cohort.affected.iter().filter_map(named).collect();
    customers.sort_by(|one, other| one.customer.cmp(&other.customer));
    Some((StoredCohort { basis, window, log_ends_at, settles_at: cohort.settles_at(), computed_at }, customers))
}

/// The numbers of a cohort, as they are told at this time.
pub async fn summary(
    store: &Store,
    incident: &IncidentId,
    cohort: &StoredCohort,
    now: DateTime<Utc>,
) -> Result<CohortSummary, ImportError> {
    let counts = store.cohort_counts(incident).await?;
    Ok(CohortSummary {
        affected_customers: counts.funnel.affected_customers,
        recovered_inside_window: counts.funnel.recovered_inside_window,
        bought_within_24h: counts.funnel.bought_within_24h,
        cohort: counts.funnel.cohort,
        provisional_until: provisional_until(cohort.settles_at, cohort.window, cohort.log_ends_at, now),
        window: cohort.window,
        log_ends_at: cohort.log_ends_at,
        computed_at: cohort.computed_at,
        contacted: counts.contacted,
        contacted_outside: counts.contacted_outside,
        joined: counts.joined,
        left: counts.left,
    })
}

/// A customer with the reason in words.
pub fn reasoned(customer: CohortCustomer) -> CohortCustomer {
    let time =
        |at: Option<DateTime<Utc>>| at.map(|at| at.format("%Y-%m-%d %H:%M:%S UTC").to_string()).unwrap_or_default();
    let (last, bought) = (time(customer.last_at), time(customer.bought_at));
    let reason = match customer.standing {
        Standing::Recovered => format!("recovered on retry at {last}"),
        Standing::Bought => format!("bought at {bought}, after the last attempt failed at {last}"),
        Standing::Cohort => format!("the last attempt failed at {last}; no purchase within 24 hours is known"),
        Standing::Unaffected => "no failed attempt inside the window any more".to_owned(),
    };
    CohortCustomer { reason, ..customer }
}

/// What is held against recipients: they are told by their place in the list, never by their ids.
pub(crate) fn unsuitable(recipients: &[String], known: &HashMap<String, KnownCustomer>) -> Vec<Objection> {
    let mut faults: BTreeMap<(ObjectionKind, &str), Vec<usize>> = BTreeMap::new();
    for (place, recipient) in recipients.iter().enumerate() {
        if let Some(fault) = fault(known.get(recipient)) {
            faults.entry(fault).or_default().push(place + 1);
        }
    }
    faults.into_iter().map(|((kind, why), places)| objection(kind, why, &places)).collect()
}

/// Why somebody is not to be written to; none where they are.
fn fault(known: Option<&KnownCustomer>) -> Option<(ObjectionKind, &'static str)> {
    match known.map(|known| (known.standing, known.contacted)) {
        Some((Standing::Recovered, _)) => Some((ObjectionKind::ReachesOthers, "recovered on retry")),
        Some((Standing::Bought, _)) => Some((ObjectionKind::ReachesOthers, "bought within 24 hours")),
        Some((Standing::Unaffected, _)) | None => {
            Some((ObjectionKind::ReachesOthers, "had no failed attempt inside the window"))
        }
        Some((Standing::Cohort, true)) => Some((ObjectionKind::WrittenBefore, "was written to before")),
        Some((Standing::Cohort, false)) => None,
    }
}

fn objection(kind: ObjectionKind, why: &str, places: &[usize]) -> Objection {
    let named: Vec<String> = places.iter().take(NAMED).map(ToString::to_string).collect();
    let more = places.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let noun = if places.len() == 1 { "recipient" } else { "recipients" };
    let reason =
        format!("{} {noun} ({noun} {}{more} of the list): {why}; leave them out", places.len(), named.join(", "));
    Objection { kind, words: None, offset: None, reason }
}
