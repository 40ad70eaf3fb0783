//! The timeline: each entry with its decision, tied to its mark in the chart.

use leptos::prelude::*;

use super::Shown;
use crate::components::{Cites, Line};
use crate::format;
use crate::view::view;

/// The timeline. Pointing at an entry marks it in the chart, and the other way round.
#[component]
pub fn Timeline(shown: Shown) -> impl IntoView {
    let marked = shown.marked;
    let entries = move || {
        let (incident, zone) = (shown.incident.read(), shown.zone.read());
        let mut day = None;
        incident
            .timeline
            .iter()
            .enumerate()
            .map(|(i, entry)| {
                let when = match (entry.occurred_at, entry.occurred_until) {
                    (Some(from), Some(until)) => format::range(from, until, &zone),
                    (Some(at), None) => format::time(at, &zone),
                    (None, _) => "time not known".to_owned(),
                };
                let here = entry.occurred_at.map(|at| format::day(at, &zone));
                let new_day = here.filter(|here| day.is_some_and(|day| day != *here)).map(format::long_date);
                day = here.or(day);
                let decision = entry.decision.clone().unwrap_or_default();
                view! {
                    <li
                        id=format!("timeline-{}", i + 1)
                        tabindex="0"
                        aria-current=move || marked.current(i)
                        on:mouseenter=move |_| marked.pointed.set(Some(i))
                        on:mouseleave=move |_| marked.pointed.set(None)
                        on:focus=move |_| marked.focused.set(Some(i))
                        on:blur=move |_| marked.focused.set(None)
                    >
                        <span class="pin" aria-hidden="true">{i + 1}</span>
                        <time datetime=entry.occurred_at.map(|at| at.to_rfc3339())>
                            {when}
                            {entry.occurred_at.filter(|_| entry.occurred_until.is_none()).map(|at| view! { <small>{format::zone_label(at, &zone)}</small> })}
                            {new_day.map(|day| view! { <small>{day}</small> })}
                        </time>
                        <div>
                            <p>
                                <Line text=&entry.event html=&entry.html field="event"/>
                                {entry.decision.is_none().then(|| view! { <Cites numbers=entry.evidence.clone()/> })}
                                {entry.milestone.map(|milestone| view! { " "<span class="milestone">{milestone.label()}</span> })}
                            </p>
                            {entry.decision.is_some().then(|| view! {
                                <p class="decision">
                                    <span class="vh">"Decision: "</span>
                                    <Line text=&decision html=&entry.html field="decision"/>
                                    <Cites numbers=entry.evidence.clone()/>
                                </p>
                            })}
                        </div>
                    </li>
                }
            })
            .collect_view()
    };
    let is_empty = Memo::new(move |_| shown.incident.read().timeline.is_empty());
    view! {
        <section aria-labelledby="timeline">
            <h2 id="timeline">"Timeline"</h2>
            {move || is_empty.get().then(|| view! { <p class="empty">"No timeline entries yet."</p> })}
            <ol class="timeline">{move || entries()}</ol>
        </section>
    }
}
