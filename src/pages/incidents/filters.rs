//! The filters of the list: words, status, severity.

use domain::filter::IncidentFilter;
use domain::incident::{IncidentStatus, Severity};
use leptos::prelude::*;

use crate::state::address;
use crate::view::view;

/// The filters; each is in the address.
#[component]
pub fn Filters(filter: Memo<IncidentFilter>) -> impl IntoView {
    let (keep_words, keep_status, keep_severity) =
        (address::keeper("q"), address::keeper("status"), address::keeper("severity"));
    let given = |text: String| (!text.is_empty()).then_some(text);
    let statuses = IncidentStatus::ALL.iter().map(|status| (status.as_str(), status.label())).collect();
    let severities = Severity::ALL.iter().map(|severity| (severity.as_str(), severity.label())).collect();
    view! {
        <form class="filters" role="search" on:submit=|event| event.prevent_default()>
            <label>
                "Search"
                <input
                    type="search"
                    placeholder="title, summary, INC-1"
                    prop:value=move || filter.get().q.unwrap_or_default()
                    on:change=move |event| keep_words(given(event_target_value(&event)))
                />
            </label>
            <Choice
                label="Status"
                options=statuses
                chosen=Memo::new(move |_| filter.get().status.map_or("", IncidentStatus::as_str))
                choose=move |word| keep_status(given(word))
            />
            <Choice
                label="Severity"
                options=severities
                chosen=Memo::new(move |_| filter.get().severity.map_or("", Severity::as_str))
                choose=move |word| keep_severity(given(word))
            />
        </form>
    }
}

#[component]
fn Choice(
    label: &'static str,
    options: Vec<(&'static str, &'static str)>,
    chosen: Memo<&'static str>,
    choose: impl Fn(String) + 'static,
) -> impl IntoView {
    view! {
        <label>
            {label}
            <select prop:value=move || chosen.get() on:change=move |event| choose(event_target_value(&event))>
                <option value="">"Any"</option>
                {options
                    .into_iter()
                    .map(|(word, label)| view! { <option value=word selected=move || chosen.get() == word>{label}</option> })
                    .collect_view()}
            </select>
        </label>
    }
}
