//! The legend: what the chart shows, each with its look in words and lines, to be switched off and on.

use leptos::prelude::*;

use super::figure::Plotted;
use super::option::look;
use super::scene::{DEPLOYS, Scene, flag_key, title};
use crate::view::view;

/// One thing that the chart shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it is kept under in the address.
    pub key: String,
    /// What it is called.
    pub name: String,
    /// How it is told apart beside its colour.
    pub looks: String,
    /// How its line is drawn in a sample, or the shape that stands for it.
    pub sample: Sample,
    /// Whether it is shown.
    pub is_shown: bool,
}

/// A sample of how something is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sample {
    /// A line of this role's colour with these dashes.
    Line(&'static str, &'static str),
    /// A band with this pattern, by its place.
    Band(usize),
    /// A diamond.
    Diamond,
}

/// The words for a line's dashes.
fn dashes(json: &str) -> &'static str {
    match json {
        "[7,4]" => "dashed",
        "[2,3]" => "dotted",
        "[9,3,2,3]" => "dashes and dots",
        _ => "solid",
    }
}

/// Everything that the chart shows.
pub fn entries(scene: &Scene) -> Vec<Entry> {
    let entry = |key: String, name: String, looks: &str, sample: Sample| Entry {
        is_shown: !scene.is_hidden(&key),
        key,
        name,
        looks: looks.to_owned(),
        sample,
    };
    let mut entries = Vec::new();
    for (place, signal) in scene.series.items.iter().enumerate() {
        let (_, line) = look(place);
        let name = if place == 0 { "Error rate" } else { &signal.title };
        entries.push(entry(signal.id.to_string(), name.to_owned(), dashes(line), Sample::Line("$bad", line)));
    }
    for (place, value) in scene.series.values.iter().enumerate() {
        let (colour, line) = look(place);
        let unit = if value.unit.is_empty() { String::new() } else { format!(" ({})", value.unit) };
        entries.push(entry(value.id.to_string(), title(value) + &unit, dashes(line), Sample::Line(colour, line)));
    }
    for (place, name) in domain::flag::names(&scene.dashboard.flags).into_iter().enumerate() {
        entries.push(entry(flag_key(&name), format!("Flag {name}"), "hatched while on", Sample::Band(place)));
    }
    if !scene.dashboard.deploys.is_empty() {
        entries.push(entry(DEPLOYS.to_owned(), "Deploys".to_owned(), "diamonds", Sample::Diamond));
    }
    entries
}

/// The legend.
#[component]
pub fn Legend(
    /// What is drawn.
    plotted: Plotted,
) -> impl IntoView {
    // What arrives does not take a button from under the focus.
    let all = Memo::new(move |_| plotted.scene.read().as_ref().map(entries).unwrap_or_default());
    let keys = Memo::new(move |_| all.read().iter().map(|entry| entry.key.clone()).collect::<Vec<_>>());
    let button = move |key: String| {
        let entry = all.read_untracked().iter().find(|entry| entry.key == key)?.clone();
        let pressed = key.clone();
        let is_shown = move || all.read().iter().any(|entry| entry.key == pressed && entry.is_shown).to_string();
        Some(view! {
            <li><button class="ghost" aria-pressed=is_shown on:click=move |_| plotted.switch.run(key.clone())>
                <svg viewBox="0 0 28 12" aria-hidden="true" inner_html=drawn(&entry.sample)></svg>
                {entry.name}<span class="vh">{[", ", &entry.looks].concat()}</span>
            </button></li>
        })
    };
    view! { <ul class="legend" aria-label="Shown in the chart">{move || keys.get().into_iter().map(button).collect_view()}</ul> }
}

/// A sample, 28 by 12, with the roles' colours by their names in the styles.
pub fn drawn(sample: &Sample) -> String {
    match sample {
        Sample::Line(colour, dashes) => {
            let dashes = if dashes.starts_with('[') { dashes.trim_matches(['[', ']']) } else { "none" };
            format!(
                "<path d='M1 6H27' fill='none' stroke-width='2' stroke-dasharray='{dashes}' class='{}'/>",
                colour.trim_start_matches('$')
            )
        }
        Sample::Band(place) => {
            let lines = [
                "M1 11 11 1M9 11 19 1M17 11 27 1",
                "M1 1 11 11M9 1 19 11M17 1 27 11",
                "M5 1V11M14 1V11M23 1V11",
                "M1 3H27M1 6H27M1 9H27",
            ];
            format!("<path d='M1 1H27V11H1Z{}' fill='none' class='flag'/>", lines[place % lines.len()])
        }
        Sample::Diamond => "<path d='M14 1 19 6 14 11 9 6Z' class='ink solid'/>".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::tests::example;
    use super::*;

    #[test]
    fn everything_that_is_drawn_is_named_and_told_apart_by_more_than_colour() {
        let mut scene = example();
        scene.hidden = std::sync::Arc::new(vec!["deploys".into()]);
        let entries = entries(&scene);
        let told: Vec<_> = entries.iter().map(|e| (e.name.as_str(), e.looks.as_str(), e.is_shown)).collect();
        assert_eq!(
            told,
            [
                ("Error rate", "solid", true),
                ("Queue length (queue=retries) (jobs)", "solid", true),
                ("Flag checkout-sync-retries", "hatched while on", true),
                ("Deploys", "diamonds", false),
            ]
        );
        let keys: Vec<_> = entries.iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(keys, ["sig_1", "sig_2", "flag:checkout-sync-retries", "deploys"]);
    }

    #[test]
    fn values_repeat_a_colour_only_with_other_dashes() {
        let mut seen: Vec<_> = (0..16).map(look).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 16);
    }
}
