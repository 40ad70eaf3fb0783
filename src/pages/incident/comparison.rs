//! What the flag did: the rates before, during and after, each with its interval, and what they do not prove.

use domain::comparison::{Finding, FlagComparison, Phase};
use domain::derived::Computed;
use leptos::prelude::*;

use super::Shown;
use crate::components::Badge;
use crate::format;
use crate::state::zone::Zone;
use crate::view::view;

/// The comparison as a small table and a sentence. Why there is none stands under the chart.
#[component]
pub fn Comparison(shown: Shown) -> impl IntoView {
    let content = move || match &shown.incident.read().comparison {
        Computed::Value(found) => Some(table(found, &shown.zone.read())),
        Computed::Unavailable { .. } => None,
    };
    move || content()
}

fn table(found: &FlagComparison, zone: &Zone) -> AnyView {
    let rows = rows(found, zone).into_iter().map(|[phase, when, failed, share, interval]| {
        view! {
            <tr><th scope="row">{phase}</th><td data-label="When">{when}</td><td data-label="Failed">{failed}</td>
                <td data-label="Share"><b>{share}</b></td><td data-label="95% interval">{interval}</td></tr>
        }
    });
    let (tone, shape) = match found.finding {
        Finding::Fell => ("good", "↓"),
        Finding::Rose => ("bad", "↑"),
        Finding::TooLittle => ("quiet", "?"),
    };
    view! {
        <section class="comparison" aria-labelledby="comparison">
            <h2 id="comparison">"What the flag did"</h2>
            <p><Badge tone shape word=found.finding.label()/>" "{found.sentence.clone()}</p>
            <table>
                <thead><tr><th scope="col">"Phase"</th><th scope="col">"When"</th><th scope="col">"Failed"</th>
                    <th scope="col">"Share"</th><th scope="col">"95% interval"</th></tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </section>
    }
}

/// One row a phase: its name, when, how many failed, the share, and where that lies.
fn rows(found: &FlagComparison, zone: &Zone) -> Vec<[String; 5]> {
    let named = |name: &str, phase: &Phase| {
        let state = phase.state.as_deref().unwrap_or("state not known");
        let interval = phase.interval.map(|i| format!("{} to {}", format::percent(i.low), format::percent(i.high)));
        let none = || "–".to_owned();
        [
            format!("{name}, {} {state}", found.flag),
            format::range(phase.from, phase.until, zone),
            format!("{} of {}", format::count(phase.ratio.numerator), format::count(phase.ratio.denominator)),
            phase.ratio.share().map_or_else(none, format::percent),
            interval.unwrap_or_else(none),
        ]
    };
    let mut rows: Vec<_> = found.baseline.iter().map(|baseline| named("Before the incident", baseline)).collect();
    rows.push(named("In the incident", &found.before));
    rows.push(named("After the change", &found.after));
    rows
}

#[cfg(test)]
mod tests {
    use domain::wire::incidents::Dashboard;

    use super::*;

    #[test]
    fn each_phase_is_a_row_with_its_interval() {
        let golden = include_str!("../../../domain/tests/golden/dashboard.json");
        let dashboard: Dashboard = serde_json::from_str(golden).expect("the golden dashboard");
        let rows = rows(dashboard.comparison.value().expect("a comparison"), &Zone::Utc);
        assert_eq!(rows.len(), 3);
        let flag = "In the incident, checkout-sync-retries on";
        assert_eq!(rows[1], [flag, "09:46–10:11 UTC", "1,207 of 5,567", "21.7%", "25.0% to 50.0%"]);
    }
}
