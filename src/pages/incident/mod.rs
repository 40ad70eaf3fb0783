//! The page of one incident; the same under a share link, with what only whoever is signed in may do left out.

mod access;
mod actions;
mod advice;
mod alone;
mod attached;
mod claims;
mod cohort;
mod comparison;
mod editor;
mod evidence;
mod facts;
mod headline;
mod history;
mod impact;
mod import;
mod imported;
mod meanwhile;
mod merge;
mod message;
mod notes;
mod proof;
mod proved;
mod signs;
mod timeline;
mod told;
mod values;

pub use access::{restrict, share};
pub use actions::{Item, Work, add as add_item};
pub use claims::{bind as bind_figure, change as change_claim, unbind as unbind_figure};
pub use cohort::CohortSection;
pub use comparison::Comparison;
pub use evidence::{
    EvidenceList, add as add_evidence, import as import_load_test, remove as remove_evidence, rename as rename_evidence,
};
pub use history::Entries;
pub use import::{ImportForm, attach, import_answer, import_events, import_list, import_values};
pub use imported::remove as remove_import;
pub use values::remove as remove_value;

use std::sync::Arc;

use chrono::NaiveDate;
use domain::derived::Computed;
use domain::wire::changes::Change;
use domain::wire::incidents::Dashboard;
use domain::wire::problem::ProblemKind;
use leptos::prelude::*;
use leptos::task::spawn_local;

pub use self::alone::ItemPage;
use crate::chart::{Charted, IncidentChart, Marked};
use crate::client;
use crate::client::history::Of;
use crate::components::{Fetched, Html, Loaded};
use crate::state::clock;
use crate::state::live;
use crate::state::place::{self, Focused, Title};
use crate::state::zone::{self, Choice, Zone};
use crate::view::view;
use crate::{format, part};

const NO_LINK: &str = "This link does not work, or no longer. Ask whoever gave it to you for another.";

/// What the parts of the page share.
#[derive(Clone, Copy)]
pub struct Shown {
    /// The incident, as it was last read.
    incident: Memo<Arc<Dashboard>>,
    /// The zone that times are shown in.
    zone: Memo<Zone>,
    /// The timeline entry that is pointed at, in the list or in the chart.
    marked: Marked,
    /// Today in the incident's own zone, which decides what is late, whatever zone times are shown in.
    today: Memo<NaiveDate>,
    /// Reads the incident again, without leaving what is on screen.
    refresh: Callback<()>,
    /// Whether it is read under a share link.
    shared: bool,
    /// The same for the parts of an action item.
    around: Around,
}

/// What the parts of one action item know of what is around it.
#[derive(Clone, Copy)]
pub struct Around {
    /// The zone that times are shown in.
    zone: Memo<Zone>,
    /// Today in the incident's own zone.
    today: Memo<NaiveDate>,
    /// Reads again what is on screen.
    refresh: Callback<()>,
    /// Whether it is read under a share link.
    shared: bool,
    /// The incident, if the reader may see it.
    incident: Option<Memo<Arc<Dashboard>>>,
}

/// The page of one incident.
#[component]
pub fn IncidentPage(
    /// Which: its id or short name, or the last part of a share link.
    id: Memo<String>,
    /// Whether that is a share link.
    shared: bool,
) -> impl IntoView {
    let title = Title::get();
    let fetched = RwSignal::new(Fetched::<Dashboard>::Loading);
    let again = RwSignal::new(0);
    let fetch = move || {
        let asked = id.get_untracked();
        spawn_local(async move {
            let answer = if shared {
                client::incidents::shared(&asked).await
            } else {
                client::incidents::dashboard(&asked).await
            };
            // The page may be gone, or show another.
            if fetched.is_disposed() || id.try_get_untracked().is_none_or(|now| now != asked) {
                return;
            }
            match answer {
                Ok(dashboard) => {
                    // Answers may overtake each other; an older one tells nothing.
                    let is_older = fetched.with_untracked(|fetched| {
                        fetched
                            .value()
                            .is_some_and(|shown| shown.id == dashboard.id && shown.version > dashboard.version)
                    });
                    if is_older {
                        return;
                    }
                    title.set(&format!("{} {}", dashboard.name, dashboard.title));
                    // Some of what is on screen is drawn anew.
                    let focused = Focused::now();
                    fetched.set(Fetched::There(dashboard.into()));
                    if let Some(focused) = focused {
                        request_animation_frame(move || focused.give_back());
                    }
                }
                // What is on screen stays there, unless it may no longer be seen; the next refresh may succeed.
                Err(failure)
                    if failure.is(ProblemKind::NotFound)
                        || fetched.with_untracked(|fetched| fetched.value().is_none()) =>
                {
                    title.set("Incident");
                    let is_over = shared && failure.is(ProblemKind::NotFound);
                    fetched.set(Fetched::Failed(if is_over { NO_LINK.to_owned() } else { failure.message() }));
                }
                Err(failure) => live::try_later(again, &failure),
            }
        });
    };
    if !shared {
        let concerns = move |change: &Change| {
            fetched.with_untracked(|fetched| match fetched.value() {
                Some(shown) => shown.id == change.incident_id && shown.version < change.incident_version,
                None => true,
            })
        };
        live::follow(concerns, fetch);
    }
    Effect::new(move |before: Option<String>| {
        again.track();
        let now = id.get();
        if before.is_some_and(|before| before != now) {
            fetched.set(Fetched::Loading);
        }
        fetch();
        now
    });
    view! {
        <Loaded fetched retry=fetch what="incident" content=move || view! { <Page fetched refresh=fetch id shared/> }/>
    }
}

#[component]
fn Page(
    fetched: RwSignal<Fetched<Dashboard>>,
    refresh: impl Fn() + Send + Sync + 'static,
    id: Memo<String>,
    shared: bool,
) -> impl IntoView {
    let first = fetched.with_untracked(Fetched::value)?;
    // Its version counts every change of anything in it.
    let incident = Memo::new_with_compare(
        move |_| fetched.read().value().unwrap_or_else(|| first.clone()),
        |before, now| before.map(|d| (&d.id, d.version)) != now.map(|d| (&d.id, d.version)),
    );
    // What does not concern the chart leaves it alone: drawn anew, it would forget what it is zoomed to.
    let charted = Memo::new_with_compare(
        move |_| incident.get(),
        |before, now| match (before, now) {
            (Some(before), Some(now)) => !is_charted_alike(before, now),
            _ => true,
        },
    );
    let choice = zone::choice();
    let zone = Memo::new(move |_| choice.get().zone(&incident.read().home_zone));
    let today = Memo::new(move |_| format::day(clock::now(), &Choice::Incident.zone(&incident.read().home_zone)));
    let refresh = Callback::new(move |()| refresh());
    let around = Around { zone, today, refresh, shared, incident: Some(incident) };
    let settled = RwSignal::new(false);
    let shown = Shown { incident, zone, marked: Marked::none(), today, refresh, shared, around };
    // The facts are on the screen before anything else is drawn.
    let told = RwSignal::new(false);
    place::after_paint(move || {
        let _ = told.try_set(true);
    });
    let link = shared.then_some(id);
    let charted = Charted { dashboard: charted, zone, marked: shown.marked, link, settled };
    Some(view! {
        <article class="incident">
            <headline::Headline shown/>
            <facts::Facts shown/>
            {move || told.get().then(|| view! { <Account shown charted/> })}
        </article>
    })
}

/// What follows the headline and its facts.
#[component]
fn Account(shown: Shown, charted: Charted) -> impl IntoView {
    let (incident, settled) = (shown.incident, charted.settled);
    let compares = Memo::new(move |_| matches!(incident.read().comparison, Computed::Value(_)));
    place::follow_fragment();
    // It is on its way with the answer, whether or not there is anything to draw yet.
    part::prepare::<part::charting::Charting>();
    view! {
        <IncidentChart charted/>
        <div class="two">
            <impact::Impact shown/>
            <timeline::Timeline shown/>
        </div>
        {move || compares.get().then(|| part::near("comparison", "What the flag did", settled,
            move |here| part::below::comparison(here, shown)))}
        <Prose shown field="root_cause" id="root-cause" heading="Root cause" empty="No root cause is written down yet."/>
        <actions::Actions shown/>
        <Prose shown field="follow_up" id="follow-up" heading="Customer follow-up" empty="No rule for following up with customers is written down."/>
        {(!shown.shared).then(|| part::near("cohort", "Customers to write to", settled,
            move |here| part::below::cohort(here, shown)))}
        {part::near("evidence", "Evidence", settled, move |here| part::below::evidence(here, shown))}
    }
}

/// What stands at the end of the page: bringing files in, and what was changed.
#[component]
pub fn End(shown: Shown) -> impl IntoView {
    let history = (!shown.shared).then(|| {
        let of = Of::Incident(shown.incident.read_untracked().id.to_string());
        view! { <history::History around=shown.around of/> }
    });
    view! { <import::Import shown/>{history} }
}

/// Whether a chart of both shows the same.
fn is_charted_alike(one: &Dashboard, other: &Dashboard) -> bool {
    one.id == other.id
        && (one.started_at, one.ended_at) == (other.started_at, other.ended_at)
        && one.thresholds == other.thresholds
        && one.signals == other.signals
        && one.values == other.values
        && one.deploys == other.deploys
        && one.flags == other.flags
        && one.timeline == other.timeline
        && one.comparison == other.comparison
}

/// A section of prose.
#[component]
fn Prose(
    shown: Shown,
    field: &'static str,
    id: &'static str,
    heading: &'static str,
    empty: &'static str,
) -> impl IntoView {
    let html = Memo::new(move |_| shown.incident.read().html.get(field).filter(|html| !html.is_empty()).cloned());
    view! {
        <section id=id tabindex="-1">
            <h2>{heading}</h2>
            {move || match html.get() {
                Some(html) => view! { <Html html/> }.into_any(),
                None => view! { <p class="empty">{empty}</p> }.into_any(),
            }}
        </section>
    }
}
