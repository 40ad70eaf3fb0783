//! Signals and their bins.

use chrono::{DateTime, TimeDelta, Utc};
use domain::incident::Window;
use domain::signal::{Bin, Ratio, Signal, SignalSource, Stretch};
use domain::{IncidentId, SignalId};

use super::column::{count, maybe_time, time, whole};
use super::db::{Tx, db, statements};
use super::history::{Change, append, bump};
use super::imports::{self, NewImport};
use super::{By, ImportKind, Store, StoreError};

/// Stands for "no bound" on the side of the future.
const FOREVER: i64 = i64::MAX;

statements! {
    OF_INCIDENT = "SELECT id, title, numerator_unit, denominator_unit, bin_seconds, floor, total_numerator,
            total_denominator, span_from, span_until
        FROM signals WHERE incident_id = $1 ORDER BY kind";
    BINS = "SELECT at, numerator, denominator FROM signal_bins
        WHERE signal_id = $1 AND at > $2 AND at < $3 ORDER BY at";
    OLD = "SELECT id, total_denominator FROM signals WHERE incident_id = $1 AND kind = 'checkout_attempts'";
    REMOVE = "DELETE FROM signals WHERE incident_id = $1 AND kind = 'checkout_attempts'";
    INSERT = "INSERT INTO signals
            (id, incident_id, kind, title, numerator_unit, denominator_unit, bin_seconds, floor, total_numerator,
            total_denominator, span_from, span_until)
        VALUES ($1, $2, 'checkout_attempts', $3, $4, $5, $6, $7, $8, $9, $10, $11)";
}

/// A signal computed from imported files, about to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSignal {
    /// What the ratio is, for people.
    pub title: String,
    /// What the numerator counts.
    pub numerator_unit: String,
    /// What the denominator counts.
    pub denominator_unit: String,
    /// The length of a bin in seconds.
    pub bin_seconds: u32,
    /// Bins with a smaller denominator prove little.
    pub floor: u64,
    /// Bins that hold at least one attempt, in order of time.
    pub bins: Vec<Bin>,
    /// SHA-256 of each file imported earlier that it was computed from, in the order of their import.
    pub computed_from: Vec<String>,
}

/// What became of a signal that was to be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaced {
    /// It was replaced.
    Done,
    /// Another file was imported while it was computed: compute it anew.
    Outdated,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    title: String,
    numerator_unit: String,
    denominator_unit: String,
    bin_seconds: i64,
    floor: i64,
    total_numerator: i64,
    total_denominator: i64,
    span_from: Option<i64>,
    span_until: Option<i64>,
}

impl Store {
    /// The incident's signals with every bin that overlaps the stretch.
    pub async fn signals(&self, id: &IncidentId, stretch: Stretch) -> Result<Vec<Signal>, StoreError> {
        let mut tx = self.db.begin_read().await?;
        let signals = of_incident(&mut tx, id, |span| stretch.view(span)).await?;
        tx.rollback().await?;
        Ok(signals)
    }

    /// Replaces the incident's checkout-attempt signal with all of its bins, and records the import behind it: in the
    /// place of one of the same bytes, if there was one. The bins are written before, and the old ones deleted after, in short
    /// transactions of their own.
    pub async fn replace_signal(
        &self,
        incident: &IncidentId,
        signal: &NewSignal,
        import: Option<&NewImport<'_>>,
        by: By<'_>,
    ) -> Result<Replaced, StoreError> {
        let set = self.write_bins(&signal.bins, by.now).await?;
        let swapped = self.swap_signal(incident, signal, &set, import, by).await;
        // What is not in use is deleted; where that fails, it is swept away another day.
        let (unused, replaced) = match swapped {
            Ok(Some(old)) => (old.map(|old| old.id), Ok(Replaced::Done)),
            Ok(None) => (Some(set), Ok(Replaced::Outdated)),
            Err(error) => (Some(set), Err(error)),
        };
        self.drop_bins(unused).await;
        replaced
    }

    /// Puts a signal whose bins are written in the place of the one there was, which is answered; none where another file was
    /// imported meanwhile.
    async fn swap_signal(
        &self,
        incident: &IncidentId,
        signal: &NewSignal,
        set: &str,
        import: Option<&NewImport<'_>>,
        by: By<'_>,
    ) -> Result<Option<Option<Old>>, StoreError> {
        let now = by.now;
        let mut tx = self.db.begin_write().await?;
        if !bump(&mut tx, incident, now).await? {
            return Err(StoreError::NoIncident(incident.clone()));
        }
        let known = imports::of_kind(&mut tx, incident, ImportKind::Events).await?;
        let same = |sha256: &String| import.is_some_and(|import| import.sha256 == sha256);
        let others = known.iter().map(|import| &import.sha256).filter(|sha256| !same(sha256));
        if !others.eq(&signal.computed_from) {
            tx.rollback().await?;
            return Ok(None);
        }
        if let Some(import) = import {
            imports::forget(&mut tx, incident, import).await?;
            imports::insert(&mut tx, incident, import, now).await?;
        }
        let old = swap(&mut tx, incident, Some((signal, set))).await?;
        let change = Change {
            subject: "signal",
            subject_id: set,
            actor: by.actor,
            before: None,
            after: import.map(|import| import.report.to_string()),
        };
        append(&mut tx, incident, change, now).await?;
        tx.commit().await?;
        Ok(Some(old))
    }
}

/// A signal that was replaced.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct Old {
    /// Its id, which its bins have too.
    pub id: String,
    /// How many attempts it counted.
    pub total_denominator: i64,
}

/// Puts a signal, whose bins are that set, in the place of the one there was, if there was one; or nothing.
pub(super) async fn swap(
    tx: &mut Tx,
    incident: &IncidentId,
    signal: Option<(&NewSignal, &str)>,
) -> Result<Option<Old>, StoreError> {
    let old = db!(tx tx, OLD, [incident.as_str()], fetch_optional as Old)?;
    db!(tx tx, REMOVE, [incident.as_str()], execute)?;
    if let Some((signal, set)) = signal {
        insert_signal(tx, incident, signal, set).await?;
    }
    Ok(old)
}

async fn insert_signal(tx: &mut Tx, incident: &IncidentId, signal: &NewSignal, id: &str) -> Result<(), StoreError> {
    let total = Ratio::pooled(&signal.bins);
    let bin = i64::from(signal.bin_seconds) * 1000;
    let from = signal.bins.first().map(|bin| bin.at.timestamp_millis());
    let until = signal.bins.last().map(|last| last.at.timestamp_millis() + bin);
    db!(tx tx, INSERT, [
        id, incident.as_str(), signal.title.as_str(), signal.numerator_unit.as_str(),
        signal.denominator_unit.as_str(), i64::from(signal.bin_seconds), whole(signal.floor), whole(total.numerator),
        whole(total.denominator), from, until
    ], execute)?;
    Ok(())
}

/// The incident's signals, each with the bins of the view that `view` chooses for its span; all where it chooses none.
pub(super) async fn of_incident(
    tx: &mut Tx,
    incident: &IncidentId,
    view: impl Fn(Option<Window>) -> Option<Window> + Send,
) -> Result<Vec<Signal>, StoreError> {
    let rows = db!(tx tx, OF_INCIDENT, [incident.as_str()], fetch_all as Row)?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let sources: Vec<SignalSource> = imports::of_kind(tx, incident, ImportKind::Events)
        .await?
        .into_iter()
        .map(|import| SignalSource {
            file_name: import.file_name,
            sha256: import.sha256,
            imported_at: import.imported_at,
        })
        .collect();
    let mut signals = Vec::with_capacity(rows.len());
    for row in rows {
        let span = match (maybe_time(row.span_from)?, maybe_time(row.span_until)?) {
            (Some(from), Some(until)) => Some(Window { from, until }),
            _ => None,
        };
        let (after, before) = match view(span) {
            Some(view) => (view.from.timestamp_millis() - row.bin_seconds * 1000, view.until.timestamp_millis()),
            None => (i64::MIN, FOREVER),
        };
        let bins = bins_between(tx, &row.id, after, before).await?;
        signals.push(Signal {
            id: SignalId::new(row.id),
            title: row.title,
            numerator_unit: row.numerator_unit,
            denominator_unit: row.denominator_unit,
            bin_seconds: count(row.bin_seconds)?,
            floor: count(row.floor)?,
            total: Ratio { numerator: count(row.total_numerator)?, denominator: count(row.total_denominator)? },
            span,
            sources: sources.clone(),
            thinned: false,
            bins,
        });
    }
    Ok(signals)
}

/// The bins of a signal that begin at `from` or later.
pub(super) async fn bins_from(tx: &mut Tx, signal: &SignalId, from: DateTime<Utc>) -> Result<Vec<Bin>, StoreError> {
    let after = (from - TimeDelta::milliseconds(1)).timestamp_millis();
    bins_between(tx, signal.as_str(), after, FOREVER).await
}

async fn bins_between(tx: &mut Tx, signal: &str, after: i64, before: i64) -> Result<Vec<Bin>, StoreError> {
    let rows = db!(tx tx, BINS, [signal, after, before], fetch_all as (i64, i64, i64))?;
    rows.into_iter()
        .map(|(at, numerator, denominator)| {
            Ok(Bin { at: time(at)?, numerator: count(numerator)?, denominator: count(denominator)? })
        })
        .collect()
}
