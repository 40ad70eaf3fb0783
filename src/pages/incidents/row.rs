//! One incident in the list.

use domain::wire::incidents::IncidentSummary;
use leptos::prelude::*;

use crate::components::{SeverityBadge, StatusBadge};
use crate::state::zone;
use crate::view::view;
use crate::{format, route};

/// One incident, in a few lines.
#[component]
pub fn IncidentRow(incident: IncidentSummary) -> impl IntoView {
    let (choice, kept) = (zone::choice(), zone::kept());
    let (started, ended, home) = (incident.started_at, incident.ended_at, incident.home_zone.clone());
    let when = move || {
        let zone = choice.get().zone(&home);
        match (started, ended) {
            (Some(from), Some(until)) if format::day(from, &zone) == format::day(until, &zone) => {
                format!("{}, {}", format::date(from, &zone), format::range(from, until, &zone))
            }
            (Some(from), Some(until)) => format::range(from, until, &zone),
            (Some(from), None) => format!("since {}", format::date_time(from, &zone)),
            (None, _) => "start not known".to_owned(),
        }
    };
    let IncidentSummary { name, title, summary, severity, status, actions: counts, .. } = incident;
    let page = route::incident(&name);
    let actions = match counts.total {
        0 => "no action items".to_owned(),
        total => format!("{} of {total} action items open, {} verified", counts.open, counts.verified),
    };
    view! {
        <li>
            <p class="badges">
                <SeverityBadge severity/>
                <StatusBadge status/>
                <span class="badge quiet">{name}</span>
            </p>
            <h2><a href=move || route::with_zone(&page, kept.get().as_deref())>{title}</a></h2>
            <p class="lede">{summary}</p>
            <p class="meta">{when}" · "{actions}</p>
        </li>
    }
}
