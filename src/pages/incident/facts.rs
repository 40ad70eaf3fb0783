//! The headline facts: numbers first.

use chrono::NaiveDate;
use domain::derived::{Computed, Duration};
use domain::wire::incidents::Dashboard;
use leptos::prelude::*;

use super::Shown;
use crate::format;
use crate::state::zone::Zone;
use crate::view::view;

/// One fact: what it is, the figure, and what stands behind it.
struct Fact {
    label: String,
    figure: String,
    detail: String,
}

/// The facts, each with its figure.
#[component]
pub fn Facts(shown: Shown) -> impl IntoView {
    let facts = move || {
        let (incident, zone) = (shown.incident.read(), shown.zone.read());
        facts(&incident, &zone, shown.today.get())
            .into_iter()
            .map(|fact| view! { <div><dt>{fact.label}</dt><dd>{fact.figure}<small>{fact.detail}</small></dd></div> })
            .collect_view()
    };
    view! { <dl class="facts" aria-label="Headline facts">{move || facts()}</dl> }
}

fn facts(incident: &Dashboard, zone: &Zone, today: NaiveDate) -> Vec<Fact> {
    let mut facts = vec![duration(incident, zone)];
    facts.extend(incident.impact.iter().filter(|measure| measure.quantity.is_some()).map(|measure| Fact {
        label: measure.label.clone(),
        figure: measure.result.clone(),
        detail: match &measure.basis {
            Some(basis) => format!("{}: {basis}", measure.confidence.label().to_ascii_lowercase()),
            None => measure.confidence.label().to_ascii_lowercase(),
        },
    }));
    let derived = &incident.derived;
    facts.extend(
        [
            ("Time to detect", &derived.time_to_detect, "from the start of the impact"),
            ("Time to acknowledge", &derived.time_to_acknowledge, "from detection to the declaration"),
            ("Time to mitigate", &derived.time_to_mitigate, "from the start of the impact"),
            ("Time to resolve", &derived.time_to_resolve, "from the start of the impact"),
        ]
        .map(|(label, time, detail)| measured(label, time, detail)),
    );
    facts.push(actions(incident, today));
    facts
}

fn measured(label: &str, time: &Computed<Duration>, detail: &str) -> Fact {
    let (figure, detail) = match time {
        Computed::Value(time) => (format::duration(time.seconds), detail.to_owned()),
        Computed::Unavailable { unavailable } => ("–".to_owned(), unavailable.clone()),
    };
    Fact { label: label.to_owned(), figure, detail }
}

fn duration(incident: &Dashboard, zone: &Zone) -> Fact {
    let window = match (incident.started_at, incident.ended_at) {
        (Some(from), Some(until)) => format::range(from, until, zone),
        (Some(from), None) => format!("since {}", format::date_time(from, zone)),
        (None, _) => String::new(),
    };
    measured("Duration", &incident.derived.duration, &window)
}

fn actions(incident: &Dashboard, today: NaiveDate) -> Fact {
    let verified = incident.actions.iter().filter(|action| action.status == domain::action::ActionStatus::Verified);
    let late = incident.actions.iter().filter(|action| action.days_late(today).is_some()).count();
    let detail = if late == 0 { "verified".to_owned() } else { format!("verified · {late} overdue") };
    Fact {
        label: "Action items".to_owned(),
        figure: format!("{} of {}", verified.count(), incident.actions.len()),
        detail,
    }
}
