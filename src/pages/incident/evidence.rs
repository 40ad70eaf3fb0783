//! The evidence, each source with the places that cite it, and what the importer could not understand.

use domain::EvidenceNumber;
use domain::wire::incidents::Dashboard;
use leptos::prelude::*;

use super::Shown;
use crate::format;
use crate::view::view;

/// The numbered sources.
#[component]
pub fn EvidenceList(shown: Shown) -> impl IntoView {
    let items = move || {
        let incident = shown.incident.read();
        incident
            .evidence
            .iter()
            .map(|evidence| {
                let number = evidence.number;
                let places = cited_in(&incident, number);
                let title = evidence.title.clone().unwrap_or_else(|| "Untitled source".to_owned());
                let title = match evidence
                    .link
                    .clone()
                    .filter(|link| link.starts_with("https://") || link.starts_with("http://"))
                {
                    Some(link) => view! { <a href=link rel="external noopener noreferrer">{title}</a> }.into_any(),
                    None => title.into_any(),
                };
                let places = places
                    .into_iter()
                    .map(|(anchor, label)| view! { <a rel="external" href=format!("#{anchor}")>{label}</a> })
                    .collect_view();
                view! {
                    <li id=format!("evidence-{number}") value=number tabindex="-1">
                        {title}" "<span class="badge quiet">{evidence.kind.label()}</span>
                        <small class="cited">"Cited in "{places}</small>
                    </li>
                }
            })
            .collect_view()
    };
    let is_empty = Memo::new(move |_| shown.incident.read().evidence.is_empty());
    view! {
        <section aria-labelledby="evidence">
            <h2 id="evidence">"Evidence"</h2>
            {move || is_empty.get().then(|| view! { <p class="empty">"No sources are cited."</p> })}
            <ol class="evidence">{move || items()}</ol>
            <Diagnostics shown/>
        </section>
    }
}

/// The places that cite a source, each with its anchor on the page.
fn cited_in(incident: &Dashboard, number: EvidenceNumber) -> Vec<(String, String)> {
    let prose =
        incident.citations.iter().filter(|citation| citation.evidence.contains(&number)).filter_map(|citation| {
            Some(match citation.field.as_str() {
                "/summary" => ("summary".to_owned(), "Headline".to_owned()),
                "/root_cause" => ("root-cause".to_owned(), "Root cause".to_owned()),
                "/follow_up" => ("follow-up".to_owned(), "Customer follow-up".to_owned()),
                field => {
                    let point = field.strip_prefix("/key_points/")?.parse::<usize>().ok()? + 1;
                    (format!("key-point-{point}"), format!("Key point {point}"))
                }
            })
        });
    let rows = |area: &'static str, label: &'static str, cited: Vec<bool>| {
        cited
            .into_iter()
            .enumerate()
            .filter(|(_, cited)| *cited)
            .map(move |(i, _)| (format!("{area}-{}", i + 1), format!("{label} {}", i + 1)))
    };
    let cites = |numbers: &[EvidenceNumber]| numbers.contains(&number);
    let mut places: Vec<_> = prose.collect();
    places.extend(
        incident
            .impact
            .iter()
            .enumerate()
            .filter(|(_, measure)| cites(&measure.evidence))
            .map(|(i, measure)| (format!("impact-{}", i + 1), measure.label.clone())),
    );
    places.extend(rows("timeline", "Timeline", incident.timeline.iter().map(|entry| cites(&entry.evidence)).collect()));
    places.extend(rows(
        "action",
        "Action item",
        incident.actions.iter().map(|action| cites(&action.evidence)).collect(),
    ));
    places.dedup();
    places
}

/// What the importer wants a person to know.
#[component]
fn Diagnostics(shown: Shown) -> impl IntoView {
    move || {
        let incident = shown.incident.read();
        let count = incident.diagnostics.len();
        (count > 0).then(|| {
            view! {
                <details class="diagnostics">
                    <summary>{format::counted(count, "remark", "remarks")}" on the imported document"</summary>
                    <ul>
                        {incident
                            .diagnostics
                            .iter()
                            .map(|diagnostic| view! {
                                <li>{diagnostic.to_string()}{diagnostic.text.clone().map(|text| view! { <q>{text}</q> })}</li>
                            })
                            .collect_view()}
                    </ul>
                </details>
            }
        })
    }
}
