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
    let happened = move || happened(&shown.incident.read(), &shown.zone.read(), shown.today.get());
    let times = move || times(&shown.incident.read());
    view! {
        <div class="facts" role="group" aria-label="Headline facts">
            {move || [happened(), times()].map(row).collect_view()}
        </div>
    }
}

/// Facts side by side, in lines of even length whatever their number and the page's width.
fn row(facts: Vec<Fact>) -> impl IntoView {
    let style = format!("--wide:{};--middle:{}", in_a_line(facts.len(), 6), in_a_line(facts.len(), 3));
    let facts = facts
        .into_iter()
        .map(|fact| view! { <div><dt>{fact.label}</dt><dd>{fact.figure}<small>{fact.detail}</small></dd></div> })
        .collect_view();
    view! { <dl style=style>{facts}</dl> }
}

/// How many to put in a line, so that lines of at most `most` differ as little as they can.
fn in_a_line(count: usize, most: usize) -> usize {
    count.div_ceil(count.div_ceil(most).max(1)).max(1)
}

/// What happened, and what is being done.
fn happened(incident: &Dashboard, zone: &Zone, today: NaiveDate) -> Vec<Fact> {
    let mut facts = vec![duration(incident, zone)];
    facts.extend(incident.impact.iter().filter(|measure| measure.quantity.is_some()).map(|measure| Fact {
        label: measure.label.clone(),
        figure: measure.result.clone(),
        detail: match &measure.basis {
            Some(basis) => format!("{}: {basis}", measure.confidence.label().to_ascii_lowercase()),
            None => measure.confidence.label().to_ascii_lowercase(),
        },
    }));
    facts.push(actions(incident, today));
    facts
}

/// How long each step of the response took.
fn times(incident: &Dashboard) -> Vec<Fact> {
    let derived = &incident.derived;
    [
        ("Time to detect", &derived.time_to_detect, "from the start of the impact"),
        ("Time to acknowledge", &derived.time_to_acknowledge, "from detection to the declaration"),
        ("Time to mitigate", &derived.time_to_mitigate, "from the start of the impact"),
        ("Time to resolve", &derived.time_to_resolve, "from the start of the impact"),
    ]
    .map(|(label, time, detail)| measured(label, time, detail))
    .into()
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
    if incident.actions.is_empty() {
        return Fact { label: "Action items".to_owned(), figure: "–".to_owned(), detail: "none yet".to_owned() };
    }
    let detail = if late == 0 { "verified".to_owned() } else { format!("verified · {late} overdue") };
    Fact {
        label: "Action items".to_owned(),
        figure: format!("{} of {}", verified.count(), incident.actions.len()),
        detail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_facts_are_as_even_as_they_can_be() {
        for (count, most, line) in
            [(0, 6, 1), (1, 6, 1), (5, 6, 5), (7, 6, 4), (13, 6, 5), (4, 3, 2), (5, 3, 3), (6, 3, 3)]
        {
            assert_eq!(in_a_line(count, most), line, "{count} facts");
        }
    }
}
