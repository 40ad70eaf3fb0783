//! The cohort as it was computed last, who was written to, and the message.
//!
//! Customers' ids leave this file only through `list_cohort` and `cohort_standings`.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::IncidentId;
use domain::cohort::{Funnel, Standing};
use domain::incident::Window;
use domain::wire::cohort::{CohortCustomer, ContactedReport, Moved};
use domain::wire::page::Page;
use serde::Serialize;

use super::column::{count, maybe_millis, maybe_time, maybe_word, text, time, to_json, whole, word};
use super::db::{Tx, db, statements};
use super::history::{Change, append, bump};
use super::{By, Store, StoreError, insert_rows};

/// How many customers an INSERT takes: seven columns each, 3,500 parameters.
const BATCH: usize = 500;

/// Under which name a cohort is computed again.
const COMPUTED_BY: &str = "debrief";

statements! {
    WINDOW = "SELECT started_at, ended_at FROM incidents WHERE id = $1";
    ONE = "SELECT basis, window_from, window_until, log_ends_at, settles_at, computed_at FROM cohorts
        WHERE incident_id = $1";
    /// Of two who compute the same, the second changes nothing.
    BEGIN = "INSERT INTO cohorts (incident_id, basis, window_from, window_until, log_ends_at, settles_at, computed_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (incident_id) DO UPDATE SET basis = excluded.basis, window_from = excluded.window_from,
            window_until = excluded.window_until, log_ends_at = excluded.log_ends_at, settles_at = excluded.settles_at,
            computed_at = excluded.computed_at
        WHERE cohorts.basis <> excluded.basis";
    STANDINGS = "SELECT c.customer, c.standing, c.moved, k.contacted_at FROM cohort_customers c
        LEFT JOIN cohort_contacts k ON k.incident_id = c.incident_id AND k.customer = c.customer
        WHERE c.incident_id = $1";
    CLEAR = "DELETE FROM cohort_customers WHERE incident_id = $1";
    COUNTS = "SELECT c.standing, c.moved, COUNT(*) AS customers, COUNT(k.customer) AS contacted FROM cohort_customers c
        LEFT JOIN cohort_contacts k ON k.incident_id = c.incident_id AND k.customer = c.customer
        WHERE c.incident_id = $1 GROUP BY c.standing, c.moved";
    LIST = "SELECT c.position, c.customer, c.standing, c.last_at, c.bought_at, c.moved, k.contacted_at, k.contacted_by
        FROM cohort_customers c
        LEFT JOIN cohort_contacts k ON k.incident_id = c.incident_id AND k.customer = c.customer
        WHERE c.incident_id = $1 AND c.position > $2 AND (CAST($3 AS TEXT) IS NULL OR c.standing = $3)
        ORDER BY c.position LIMIT $4";
    CONTACT_ALL = "INSERT INTO cohort_contacts (incident_id, customer, contacted_at, contacted_by)
        SELECT incident_id, customer, CAST($2 AS BIGINT), CAST($3 AS TEXT) FROM cohort_customers
        WHERE incident_id = $1 AND standing = 'cohort'
        ON CONFLICT (incident_id, customer) DO NOTHING";
    CONTACT = "INSERT INTO cohort_contacts (incident_id, customer, contacted_at, contacted_by) VALUES ($1, $2, $3, $4)
        ON CONFLICT (incident_id, customer) DO NOTHING";
    MESSAGE = "SELECT version, text FROM cohort_messages WHERE incident_id = $1";
    FIRST_MESSAGE = "INSERT INTO cohort_messages (incident_id, version, text) VALUES ($1, 1, $2)
        ON CONFLICT (incident_id) DO NOTHING";
    WRITE_MESSAGE = "UPDATE cohort_messages SET version = version + 1, text = $3
        WHERE incident_id = $1 AND version = $2";
}

/// A cohort that was computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCohort {
    /// A digest of what it was computed from.
    pub basis: String,
    /// The window.
    pub window: Window,
    /// The last attempt known.
    pub log_ends_at: DateTime<Utc>,
    /// When the last of the cohort could still have bought.
    pub settles_at: Option<DateTime<Utc>>,
    /// When it was computed.
    pub computed_at: DateTime<Utc>,
}

/// A customer who was affected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCustomer {
    /// The customer's id.
    pub customer: String,
    /// What became of them.
    pub standing: Standing,
    /// Their last attempt inside the window.
    pub last_at: DateTime<Utc>,
    /// Their purchase.
    pub bought_at: Option<DateTime<Utc>>,
}

/// Numbers of a cohort.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CohortCounts {
    /// Who went which way.
    pub funnel: Funnel,
    /// Written to, of the cohort.
    pub contacted: u64,
    /// Written to, of those who are not in it.
    pub contacted_outside: u64,
    /// Brought in by the latest change.
    pub joined: u64,
    /// Taken out by it.
    pub left: u64,
}

/// Whom somebody marks as written to.
#[derive(Debug, Clone, Copy)]
pub enum Marked<'a> {
    /// These.
    Some(&'a [String]),
    /// The whole cohort.
    All,
}

/// What is kept of a customer between two computations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownCustomer {
    /// What became of them.
    pub standing: Standing,
    /// Whether they were written to.
    pub contacted: bool,
    moved: Option<Moved>,
}

#[derive(sqlx::FromRow)]
struct CohortRow {
    basis: String,
    window_from: i64,
    window_until: i64,
    log_ends_at: i64,
    settles_at: Option<i64>,
    computed_at: i64,
}

#[derive(sqlx::FromRow)]
struct CustomerRow {
    position: i64,
    customer: String,
    standing: String,
    last_at: Option<i64>,
    bought_at: Option<i64>,
    moved: Option<String>,
    contacted_at: Option<i64>,
    contacted_by: Option<String>,
}

/// A row about to be written.
struct Placed {
    customer: String,
    standing: Standing,
    last_at: Option<DateTime<Utc>>,
    bought_at: Option<DateTime<Utc>>,
    moved: Option<Moved>,
}

/// What the history tells of a cohort: numbers alone.
#[derive(Serialize)]
struct Told {
    affected_customers: u64,
    recovered_inside_window: u64,
    bought_within_24h: u64,
    cohort: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    joined: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<u64>,
}

impl Store {
    /// The window of an incident.
    pub async fn incident_window(&self, incident: &IncidentId) -> Result<Option<Window>, StoreError> {
        let row = db!(read & self.db, WINDOW, [incident.as_str()], fetch_optional as (Option<i64>, Option<i64>))?;
        let Some((from, until)) = row else { return Ok(None) };
        Ok(Window::of(maybe_time(from)?, maybe_time(until)?))
    }

    /// The cohort as it was computed last.
    pub async fn load_cohort(&self, incident: &IncidentId) -> Result<Option<StoredCohort>, StoreError> {
        let row = db!(read & self.db, ONE, [incident.as_str()], fetch_optional as CohortRow)?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(StoredCohort {
            basis: row.basis,
            window: Window { from: time(row.window_from)?, until: time(row.window_until)? },
            log_ends_at: time(row.log_ends_at)?,
            settles_at: maybe_time(row.settles_at)?,
            computed_at: time(row.computed_at)?,
        }))
    }

    /// Puts a cohort in the place of the one before it, unless somebody else just did. Who came into the cohort and who
    /// left it is marked, until a later computation moves anybody; that it changed is told in the history.
    pub async fn replace_cohort(
        &self,
        incident: &IncidentId,
        cohort: &StoredCohort,
        customers: Vec<NewCustomer>,
    ) -> Result<(), StoreError> {
        let mut tx = self.db.begin_write().await?;
        let earlier = db!(tx &mut tx, ONE, [incident.as_str()], fetch_optional as CohortRow)?.is_some();
        let begun = db!(tx &mut tx, BEGIN, [
            incident.as_str(), cohort.basis.as_str(), cohort.window.from.timestamp_millis(),
            cohort.window.until.timestamp_millis(), cohort.log_ends_at.timestamp_millis(),
            maybe_millis(cohort.settles_at), cohort.computed_at.timestamp_millis()
        ], execute)?;
        if begun == 0 {
            tx.rollback().await?;
            return Ok(());
        }
        let before = counts_in(&mut tx, incident).await?;
        let mut known = standings_in(&mut tx, incident).await?;
        db!(tx &mut tx, CLEAR, [incident.as_str()], execute)?;
        let placed = placed(customers, &mut known, earlier);
        for (batch, first) in placed.chunks(BATCH).zip((0_i64..).step_by(BATCH)) {
            insert_batch(&mut tx, incident, batch, first).await?;
        }
        if earlier {
            record_change(&mut tx, incident, before, cohort.computed_at).await?;
        }
        tx.commit().await
    }

    /// The numbers of the cohort.
    pub async fn cohort_counts(&self, incident: &IncidentId) -> Result<CohortCounts, StoreError> {
        let mut tx = self.db.begin_read().await?;
        let counts = counts_in(&mut tx, incident).await?;
        tx.rollback().await?;
        Ok(counts)
    }

    /// Every customer known, by id, with what became of them.
    pub async fn cohort_standings(&self, incident: &IncidentId) -> Result<HashMap<String, KnownCustomer>, StoreError> {
        let mut tx = self.db.begin_read().await?;
        let known = standings_in(&mut tx, incident).await?;
        tx.rollback().await?;
        Ok(known)
    }

    /// A page of the customers, in the order of their ids; `reason` is left empty.
    pub async fn list_cohort(
        &self,
        incident: &IncidentId,
        standing: Option<Standing>,
        limit: u32,
        cursor: Option<&str>,
    ) -> Result<Page<CohortCustomer>, StoreError> {
        let after: i64 = cursor.map_or(Ok(-1), |cursor| cursor.parse().map_err(|_| StoreError::BadCursor))?;
        let asked = i64::from(limit.max(1)) + 1;
        let standing = standing.map(Standing::as_str);
        let mut rows =
            db!(read & self.db, LIST, [incident.as_str(), after, standing, asked], fetch_all as CustomerRow)?;
        let more = i64::try_from(rows.len()).is_ok_and(|found| found == asked);
        if more {
            rows.pop();
        }
        let next = rows.last().filter(|_| more).map(|row| row.position.to_string());
        Ok(Page { items: rows.into_iter().map(customer).collect::<Result<_, _>>()?, next })
    }

    /// Marks customers as written to, once each. `Err` holds the places of those who are not in the cohort; then nobody
    /// is marked.
    pub async fn mark_contacted(
        &self,
        incident: &IncidentId,
        marked: Marked<'_>,
        by: By<'_>,
    ) -> Result<Result<ContactedReport, Vec<usize>>, StoreError> {
        let mut tx = self.db.begin_write().await?;
        if !bump(&mut tx, incident, by.now).await? {
            return Err(StoreError::NoIncident(incident.clone()));
        }
        let (now, actor) = (by.now.timestamp_millis(), text(by.actor));
        let report = match marked {
            Marked::All => {
                let all = counts_in(&mut tx, incident).await?.funnel.cohort;
                let marked = db!(tx &mut tx, CONTACT_ALL, [incident.as_str(), now, actor.as_str()], execute)?;
                ContactedReport { marked, already: all.saturating_sub(marked) }
            }
            Marked::Some(customers) => {
                let known = standings_in(&mut tx, incident).await?;
                let is_in = |customer: &String| known.get(customer).is_some_and(|one| one.standing == Standing::Cohort);
                let outside: Vec<usize> =
                    customers.iter().enumerate().filter(|(_, one)| !is_in(one)).map(|(place, _)| place).collect();
                if !outside.is_empty() {
                    tx.rollback().await?;
                    return Ok(Err(outside));
                }
                let mut report = ContactedReport { marked: 0, already: 0 };
                for one in customers {
                    let new =
                        db!(tx &mut tx, CONTACT, [incident.as_str(), one.as_str(), now, actor.as_str()], execute)?;
                    report.marked += new;
                    report.already += 1 - new;
                }
                report
            }
        };
        if report.marked == 0 {
            tx.rollback().await?;
            return Ok(Ok(report));
        }
        let after = to_json(&serde_json::json!({"marked": report.marked}))?;
        append(&mut tx, incident, change("contacts", incident, by, None, Some(after)), by.now).await?;
        tx.commit().await?;
        Ok(Ok(report))
    }

    /// Records that customers were exported.
    pub async fn record_cohort_export(
        &self,
        incident: &IncidentId,
        customers: usize,
        by: By<'_>,
    ) -> Result<(), StoreError> {
        let mut tx = self.db.begin_write().await?;
        bump(&mut tx, incident, by.now).await?;
        let after = to_json(&serde_json::json!({"customers": customers}))?;
        append(&mut tx, incident, change("cohort_export", incident, by, None, Some(after)), by.now).await?;
        tx.commit().await
    }

    /// The message and its version; none where nobody has written one.
    pub async fn load_message(&self, incident: &IncidentId) -> Result<Option<(i64, String)>, StoreError> {
        Ok(db!(read & self.db, MESSAGE, [incident.as_str()], fetch_optional as (i64, String))?)
    }

    /// Writes the message on this version, 0 for the first; false where another version is there.
    pub async fn write_message(
        &self,
        incident: &IncidentId,
        version: i64,
        message: &str,
        by: By<'_>,
    ) -> Result<bool, StoreError> {
        let mut tx = self.db.begin_write().await?;
        bump(&mut tx, incident, by.now).await?;
        let message = text(message);
        let before = db!(tx &mut tx, MESSAGE, [incident.as_str()], fetch_optional as (i64, String))?;
        let wrote = if version == 0 {
            db!(tx &mut tx, FIRST_MESSAGE, [incident.as_str(), message.as_str()], execute)?
        } else {
            db!(tx &mut tx, WRITE_MESSAGE, [incident.as_str(), version, message.as_str()], execute)?
        };
        if wrote == 0 {
            tx.rollback().await?;
            return Ok(false);
        }
        let told = |text: &str| to_json(&serde_json::json!({"text": text}));
        let before = before.map(|(_, text)| told(&text)).transpose()?;
        append(&mut tx, incident, change("message", incident, by, before, Some(told(&message)?)), by.now).await?;
        tx.commit().await?;
        Ok(true)
    }
}

fn change<'a>(
    subject: &'static str,
    incident: &'a IncidentId,
    by: By<'a>,
    before: Option<String>,
    after: Option<String>,
) -> Change<'a> {
    Change { subject, subject_id: incident.as_str(), actor: by.actor, before, after }
}

/// The rows of a cohort: everybody affected, and those who were in the cohort or written to and no longer are affected.
fn placed(customers: Vec<NewCustomer>, known: &mut HashMap<String, KnownCustomer>, earlier: bool) -> Vec<Placed> {
    let was_in = |known: Option<&KnownCustomer>| known.is_some_and(|known| known.standing == Standing::Cohort);
    let mut moved_any = false;
    let mut placed: Vec<Placed> = Vec::with_capacity(customers.len());
    let mut kept: Vec<Option<Moved>> = Vec::with_capacity(customers.len());
    for NewCustomer { customer, standing, last_at, bought_at } in customers {
        let customer = text(&customer);
        let before = known.remove(&customer);
        let moved = match (was_in(before.as_ref()), standing == Standing::Cohort) {
            _ if !earlier => None,
            (false, true) => Some(Moved::Joined),
            (true, false) => Some(Moved::Left),
            _ => None,
        };
        moved_any |= moved.is_some();
        kept.push(before.and_then(|before| before.moved));
        placed.push(Placed { customer, standing, last_at: Some(last_at), bought_at, moved });
    }
    let mut gone: Vec<(String, KnownCustomer)> = known
        .drain()
        .filter(|(_, before)| before.contacted || before.standing == Standing::Cohort || before.moved.is_some())
        .collect();
    gone.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (customer, before) in gone {
        let moved = was_in(Some(&before)).then_some(Moved::Left);
        moved_any |= moved.is_some();
        kept.push(before.moved);
        placed.push(Placed { customer, standing: Standing::Unaffected, last_at: None, bought_at: None, moved });
    }
    if !moved_any {
        for (one, kept) in placed.iter_mut().zip(kept) {
            one.moved = kept;
        }
    }
    placed
}

/// Tells in the history that the cohort changed, where it did.
async fn record_change(
    tx: &mut Tx,
    incident: &IncidentId,
    before: CohortCounts,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let after = counts_in(tx, incident).await?;
    if (before.funnel, before.joined, before.left) == (after.funnel, after.joined, after.left) {
        return Ok(());
    }
    let told = |counts: CohortCounts, moved: Option<(u64, u64)>| Told {
        affected_customers: counts.funnel.affected_customers,
        recovered_inside_window: counts.funnel.recovered_inside_window,
        bought_within_24h: counts.funnel.bought_within_24h,
        cohort: counts.funnel.cohort,
        joined: moved.map(|(joined, _)| joined),
        left: moved.map(|(_, left)| left),
    };
    let (before, after) = (to_json(&told(before, None))?, to_json(&told(after, Some((after.joined, after.left))))?);
    let by = By { actor: COMPUTED_BY, now };
    append(tx, incident, change("cohort", incident, by, Some(before), Some(after)), now).await
}

async fn counts_in(tx: &mut Tx, incident: &IncidentId) -> Result<CohortCounts, StoreError> {
    let rows = db!(tx tx, COUNTS, [incident.as_str()], fetch_all as (String, Option<String>, i64, i64))?;
    let mut counts = CohortCounts::default();
    for (standing, moved, customers, contacted) in rows {
        let (customers, contacted): (u64, u64) = (count(customers)?, count(contacted)?);
        let standing: Standing = word(&standing)?;
        let funnel = &mut counts.funnel;
        match standing {
            Standing::Recovered => funnel.recovered_inside_window += customers,
            Standing::Bought => funnel.bought_within_24h += customers,
            Standing::Cohort => funnel.cohort += customers,
            Standing::Unaffected => {}
        }
        if standing != Standing::Unaffected {
            funnel.affected_customers += customers;
        }
        match maybe_word(moved.as_deref())? {
            Some(Moved::Joined) => counts.joined += customers,
            Some(Moved::Left) => counts.left += customers,
            None => {}
        }
        if standing == Standing::Cohort {
            counts.contacted += contacted;
        } else {
            counts.contacted_outside += contacted;
        }
    }
    Ok(counts)
}

async fn standings_in(tx: &mut Tx, incident: &IncidentId) -> Result<HashMap<String, KnownCustomer>, StoreError> {
    let rows = db!(tx tx, STANDINGS, [incident.as_str()], fetch_all as (String, String, Option<String>, Option<i64>))?;
    rows.into_iter()
        .map(|(customer, standing, moved, contacted)| {
            let moved = maybe_word(moved.as_deref())?;
            Ok((customer, KnownCustomer { standing: word(&standing)?, contacted: contacted.is_some(), moved }))
        })
        .collect()
}

/// An INSERT of several customers.
pub(super) fn insert_customers(rows: usize) -> String {
    let head = "INSERT INTO cohort_customers (incident_id, customer, position, standing, last_at, bought_at, moved)";
    insert_rows(head, 7, rows, "")
}

async fn insert_batch(tx: &mut Tx, incident: &IncidentId, batch: &[Placed], first: i64) -> Result<(), StoreError> {
    macro_rules! bound {
        ($tx:expr) => {{
            let mut query = sqlx::query(sqlx::AssertSqlSafe(insert_customers(batch.len())));
            for (position, one) in (first..).zip(batch) {
                query = query
                    .bind(incident.as_str())
                    .bind(one.customer.as_str())
                    .bind(whole(position))
                    .bind(one.standing.as_str())
                    .bind(maybe_millis(one.last_at))
                    .bind(maybe_millis(one.bought_at))
                    .bind(one.moved.map(Moved::as_str));
            }
            query.execute(&mut **$tx).await?;
        }};
    }
    match tx {
        Tx::Sqlite(tx) => bound!(tx),
        Tx::Pg(tx) => bound!(tx),
    }
    Ok(())
}

fn customer(row: CustomerRow) -> Result<CohortCustomer, StoreError> {
    Ok(CohortCustomer {
        customer: row.customer,
        standing: word(&row.standing)?,
        reason: String::new(),
        last_at: maybe_time(row.last_at)?,
        bought_at: maybe_time(row.bought_at)?,
        moved: maybe_word(row.moved.as_deref())?,
        contacted_at: maybe_time(row.contacted_at)?,
        contacted_by: row.contacted_by,
    })
}
