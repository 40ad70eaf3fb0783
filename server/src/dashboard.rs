//! An incident's dashboard: put together from what is stored, and kept as it was last answered.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use chrono::TimeDelta;
use domain::IncidentId;
use domain::claim::Claim;
use domain::comparison::{Basis, compare};
use domain::derived::derive_times;
use domain::draft::citations;
use domain::evidence::Evidence;
use domain::incident::Window;
use domain::timeline::milestones;
use domain::wire::incidents::Dashboard;
use lru::LruCache;

use crate::app::App;
use crate::claims;
use crate::item;
use crate::routes::answer::to_json;
use crate::routes::error::ApiError;
use crate::store::{Objects, Store, StoreError, StoredIncident};
use crate::text;
use crate::turn::Turn;

/// How many dashboards are kept.
const KEPT: NonZeroUsize = NonZeroUsize::new(256).expect("not zero");

/// Dashboards as JSON, each under the version that it was made of. The version is read from the database before each
/// answer, so a change by another process or replica is never missed.
pub struct Dashboards(Mutex<LruCache<IncidentId, (i64, Bytes)>>);

impl Default for Dashboards {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(KEPT)))
    }
}

impl Dashboards {
    /// The JSON of an incident that the database has just been asked for, with the version that it is of.
    pub async fn json(&self, app: &App, id: &IncidentId, version: i64) -> Result<Option<(i64, Bytes)>, ApiError> {
        if let Some((kept, json)) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id)
            && *kept == version
        {
            return Ok(Some((version, json.clone())));
        }
        let Some(dashboard) = self.load(app, id).await? else {
            return Ok(None);
        };
        let json = Bytes::from(to_json(&dashboard)?);
        let answer = (dashboard.version, json);
        // What could not be read may be there the next time.
        let is_whole = |claim: &Claim| claim.check.reason.as_deref() != Some(claims::UNREADABLE);
        if !dashboard.claims.iter().all(is_whole) {
            return Ok(Some(answer));
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(id.clone(), answer.clone());
        Ok(Some(answer))
    }

    /// The dashboard itself, as it now is.
    pub async fn load(&self, app: &App, id: &IncidentId) -> Result<Option<Dashboard>, StoreError> {
        load(&app.store, &app.objects, &app.computing, id).await
    }
}

/// An incident with all that follows from it, its claims computed.
pub async fn load(
    store: &Store,
    objects: &Objects,
    turn: &Turn,
    id: &IncidentId,
) -> Result<Option<Dashboard>, StoreError> {
    let Some(mut stored) = store.load_incident(id).await? else {
        return Ok(None);
    };
    claims::bring_up_to_date(store, objects, turn, &mut stored).await;
    Ok(Some(assemble(stored)))
}

/// Adds to what is stored all that follows from it.
pub fn assemble(stored: StoredIncident) -> Dashboard {
    let window = Window::of(stored.started_at, stored.ended_at);
    let milestones = milestones(&stored.timeline, stored.started_at, stored.ended_at);
    let derived = derive_times(&milestones, stored.started_at, stored.ended_at);
    let (claims, claim_proposals) = claims::checked(&stored);
    let signal = stored.signals.first();
    let comparison = compare(Basis {
        window,
        changes: &stored.flags,
        bins: &stored.comparison_bins,
        bin: TimeDelta::seconds(signal.map_or(60, |signal| signal.bin_seconds.into())),
        floor: signal.map_or(domain::signal::DEFAULT_FLOOR, |signal| signal.floor),
        recovered_below: stored.thresholds.recovered,
    });
    Dashboard {
        html: prose_html(&stored),
        citations: citations(&stored.summary, &stored.key_points, &stored.root_cause, &stored.follow_up),
        milestones,
        derived,
        comparison,
        id: stored.id,
        name: stored.name,
        version: stored.version,
        title: stored.title,
        summary: stored.summary.plain(),
        key_points: stored.key_points.iter().map(domain::prose::Prose::plain).collect(),
        severity: stored.severity,
        status: stored.status,
        review_state: stored.review_state,
        started_at: stored.started_at,
        ended_at: stored.ended_at,
        home_zone: stored.home_zone,
        services: stored.services,
        tags: stored.tags,
        thresholds: stored.thresholds,
        impact: stored
            .impact
            .into_iter()
            .map(|mut measure| {
                measure.html = text::render_fields([
                    ("label", measure.label.as_str()),
                    ("result", &measure.result),
                    ("basis", measure.basis.as_deref().unwrap_or_default()),
                ]);
                measure
            })
            .collect(),
        timeline: stored
            .timeline
            .into_iter()
            .map(|mut entry| {
                entry.html = text::render_fields([
                    ("event", entry.event.as_str()),
                    ("decision", entry.decision.as_deref().unwrap_or_default()),
                ]);
                entry
            })
            .collect(),
        root_cause: stored.root_cause.plain(),
        actions: item::all_answered(stored.actions),
        follow_up: stored.follow_up.plain(),
        evidence: stored.evidence.into_iter().map(Evidence::told).collect(),
        signals: stored.signals,
        values: stored.values,
        flags: stored.flags,
        deploys: stored.deploys,
        imports: stored.imports,
        claims,
        claim_proposals,
        diagnostics: stored.diagnostics,
        created_at: stored.created_at,
        updated_at: stored.updated_at,
        access: Some(stored.access),
        shared_until: None,
    }
}

fn prose_html(stored: &StoredIncident) -> BTreeMap<String, String> {
    let whole = [("summary", &stored.summary), ("root_cause", &stored.root_cause), ("follow_up", &stored.follow_up)];
    let points = stored.key_points.iter().enumerate();
    whole
        .into_iter()
        .map(|(field, prose)| (field.to_owned(), text::render_prose(prose)))
        .chain(points.map(|(i, point)| (format!("key_points/{i}"), text::render_prose_inline(point))))
        .collect()
}
