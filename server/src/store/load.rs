//! Reading an incident whole, as it stood at one moment.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::action::Action;
use domain::deploy::Deploy;
use domain::draft::Diagnostic;
use domain::evidence::Evidence;
use domain::flag::FlagChange;
use domain::impact::ImpactMeasure;
use domain::import::{ImportKind, ImportedFile};
use domain::incident::{IncidentStatus, ReviewState, Severity, Thresholds, Window};
use domain::prose::Prose;
use domain::signal::{Bin, FIRST_VIEW_MARGIN, FIRST_WIDTH, Signal, ValueSignal, first_view};
use domain::timeline::TimelineEntry;
use domain::wire::incidents::AccessMarks;
use domain::{ImpactId, IncidentId, TimelineEntryId};

use super::column::{from_json, maybe_time, maybe_word, time, word};
use super::db::{Tx, db, statements};
use super::incidents::name;
use super::{
    Store, StoreError, StoredClaim, actions, claims, deploys, evidence, flags, imports, notes, shares, signals, values,
};

statements! {
    INCIDENT = "SELECT id, number, version, title, summary, key_points, severity, status, review_state, started_at,
            ended_at, home_zone, services, tags, alert_threshold, recovered_threshold, root_cause, follow_up,
            created_at, updated_at, visibility
        FROM incidents WHERE id = $1";
    IMPACT = "SELECT id, label, result, quantity, unit, confidence, basis, evidence FROM impact_measures
        WHERE incident_id = $1 ORDER BY position";
    TIMELINE = "SELECT id, occurred_at, occurred_until, recorded_at, event, decision, milestone, evidence
        FROM timeline_entries WHERE incident_id = $1 ORDER BY position";
}

/// An incident with all that is stored of it. No text is rendered: every `html` is empty.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredIncident {
    /// The incident's id.
    pub id: IncidentId,
    /// Its short name ("INC-1").
    pub name: String,
    /// Counts every change.
    pub version: i64,
    /// Its title.
    pub title: String,
    /// The headline.
    pub summary: Prose,
    /// The points under the headline.
    pub key_points: Vec<Prose>,
    /// How bad it was.
    pub severity: Option<Severity>,
    /// Where it stands.
    pub status: IncidentStatus,
    /// How far the written post-mortem has come.
    pub review_state: ReviewState,
    /// When the impact began.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// The zone it is told in.
    pub home_zone: String,
    /// The services concerned.
    pub services: Vec<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// The error rates stated as thresholds.
    pub thresholds: Thresholds,
    /// The impact table, in the authors' order.
    pub impact: Vec<ImpactMeasure>,
    /// The timeline, in order of time; an entry without one follows the entry before it in the document.
    pub timeline: Vec<TimelineEntry>,
    /// The root cause.
    pub root_cause: Prose,
    /// The action items in the document's order, with their notes.
    pub actions: Vec<Action>,
    /// The rule for following up with customers.
    pub follow_up: Prose,
    /// The evidence, in order of number.
    pub evidence: Vec<Evidence>,
    /// The signals, with what the chart's first view can show of their bins.
    pub signals: Vec<Signal>,
    /// The plain values, with the points of the chart's first view.
    pub values: Vec<ValueSignal>,
    /// The first signal's bins from half an hour before the window to the end of the log; empty without a window.
    pub comparison_bins: Vec<Bin>,
    /// Every flag change, in order of time.
    pub flags: Vec<FlagChange>,
    /// Every deploy, in order of time.
    pub deploys: Vec<Deploy>,
    /// The files that telemetry was imported from, in the order of their import.
    pub imports: Vec<ImportedFile>,
    /// The figures bound to computations, in the order of their binding.
    pub claims: Vec<StoredClaim>,
    /// What the importer of the post-mortem could not understand.
    pub diagnostics: Vec<Diagnostic>,
    /// When it was entered.
    pub created_at: DateTime<Utc>,
    /// When anything in it last changed.
    pub updated_at: DateTime<Utc>,
    /// Who may see it.
    pub access: AccessMarks,
}

#[derive(sqlx::FromRow)]
struct IncidentRow {
    id: String,
    number: i64,
    version: i64,
    title: String,
    summary: String,
    key_points: String,
    severity: Option<String>,
    status: String,
    review_state: String,
    started_at: Option<i64>,
    ended_at: Option<i64>,
    home_zone: String,
    services: String,
    tags: String,
    alert_threshold: Option<f64>,
    recovered_threshold: Option<f64>,
    root_cause: String,
    follow_up: String,
    created_at: i64,
    updated_at: i64,
    visibility: String,
}

#[derive(sqlx::FromRow)]
struct ImpactRow {
    id: String,
    label: String,
    result: String,
    quantity: Option<f64>,
    unit: Option<String>,
    confidence: String,
    basis: Option<String>,
    evidence: String,
}

#[derive(sqlx::FromRow)]
struct EntryRow {
    id: String,
    occurred_at: Option<i64>,
    occurred_until: Option<i64>,
    recorded_at: i64,
    event: String,
    decision: Option<String>,
    milestone: Option<String>,
    evidence: String,
}

impl Store {
    /// The incident with all that belongs to it, as it stood at one moment.
    pub async fn load_incident(&self, id: &IncidentId) -> Result<Option<StoredIncident>, StoreError> {
        if id.as_str().contains('\0') {
            return Ok(None);
        }
        let mut tx = self.db.begin_read().await?;
        let row = db!(tx &mut tx, INCIDENT, [id.as_str()], fetch_optional as IncidentRow)?;
        let incident = match row {
            Some(row) => Some(load(&mut tx, row).await?),
            None => None,
        };
        tx.rollback().await?;
        Ok(incident)
    }
}

async fn load(tx: &mut Tx, row: IncidentRow) -> Result<StoredIncident, StoreError> {
    let id = IncidentId::new(row.id);
    let (started_at, ended_at) = (maybe_time(row.started_at)?, maybe_time(row.ended_at)?);
    let window = Window::of(started_at, ended_at);
    let signals = signals::of_incident(tx, &id, |span| first_view(window, span)).await?;
    let signals: Vec<Signal> = signals
        .into_iter()
        .map(|signal| {
            let view = first_view(window, signal.span);
            signal.thinned(view, Some(FIRST_WIDTH))
        })
        .collect();
    let comparison_bins = match (window, signals.first()) {
        (Some(window), Some(signal)) => signals::bins_from(tx, &signal.id, window.from - FIRST_VIEW_MARGIN).await?,
        _ => Vec::new(),
    };
    let mut notes = notes::of_incident(tx, &id).await?;
    let mut actions = actions::of_incident(tx, &id).await?;
    for action in &mut actions {
        action.notes = Some(notes.remove(action.id.as_str()).unwrap_or_default());
    }
    let sources = imports::of_kind(tx, &id, ImportKind::Postmortem).await?;
    let key_points: Vec<String> = from_json(&row.key_points)?;
    Ok(StoredIncident {
        name: name(row.number),
        version: row.version,
        title: row.title,
        summary: Prose::new(row.summary),
        key_points: key_points.into_iter().map(Prose::new).collect(),
        severity: maybe_word(row.severity.as_deref())?,
        status: word(&row.status)?,
        review_state: word(&row.review_state)?,
        started_at,
        ended_at,
        home_zone: row.home_zone,
        services: from_json(&row.services)?,
        tags: from_json(&row.tags)?,
        thresholds: Thresholds { alert: row.alert_threshold, recovered: row.recovered_threshold },
        impact: impact(tx, &id).await?,
        timeline: timeline(tx, &id).await?,
        root_cause: Prose::new(row.root_cause),
        actions,
        follow_up: Prose::new(row.follow_up),
        evidence: evidence::of_incident(tx, &id).await?,
        signals,
        values: values::of_incident(tx, &id, |span| first_view(window, span), Some(FIRST_WIDTH)).await?,
        comparison_bins,
        flags: flags::of_incident(tx, &id).await?,
        deploys: deploys::of_incident(tx, &id).await?,
        imports: imports::of_incident(tx, &id).await?,
        claims: claims::of_incident(tx, &id).await?,
        diagnostics: sources.into_iter().flat_map(|source| source.diagnostics).collect(),
        created_at: time(row.created_at)?,
        updated_at: time(row.updated_at)?,
        access: AccessMarks { visibility: word(&row.visibility)?, shares: shares::marks(tx, &id).await? },
        id,
    })
}

async fn impact(tx: &mut Tx, id: &IncidentId) -> Result<Vec<ImpactMeasure>, StoreError> {
    let rows = db!(tx tx, IMPACT, [id.as_str()], fetch_all as ImpactRow)?;
    rows.into_iter()
        .map(|row| {
            Ok(ImpactMeasure {
                id: ImpactId::new(row.id),
                label: row.label,
                result: row.result,
                quantity: row.quantity,
                unit: row.unit,
                confidence: word(&row.confidence)?,
                basis: row.basis,
                evidence: from_json(&row.evidence)?,
                html: BTreeMap::default(),
            })
        })
        .collect()
}

async fn timeline(tx: &mut Tx, id: &IncidentId) -> Result<Vec<TimelineEntry>, StoreError> {
    let rows = db!(tx tx, TIMELINE, [id.as_str()], fetch_all as EntryRow)?;
    let mut latest = None;
    let mut entries = Vec::with_capacity(rows.len());
    for row in rows {
        // An entry without a time stays behind the one before it in the document.
        latest = row.occurred_at.or(latest);
        entries.push((latest, entry(row)?));
    }
    entries.sort_by_key(|(at, _)| *at);
    Ok(entries.into_iter().map(|(_, entry)| entry).collect())
}

fn entry(row: EntryRow) -> Result<TimelineEntry, StoreError> {
    Ok(TimelineEntry {
        id: TimelineEntryId::new(row.id),
        occurred_at: maybe_time(row.occurred_at)?,
        occurred_until: maybe_time(row.occurred_until)?,
        recorded_at: time(row.recorded_at)?,
        event: row.event,
        decision: row.decision,
        milestone: maybe_word(row.milestone.as_deref())?,
        evidence: from_json(&row.evidence)?,
        html: BTreeMap::default(),
    })
}
