//! The chart's numbers as a table: everything that is shown, a row for each instant at which something is.

use chrono::{DateTime, Utc};
use domain::signal::Point;
use leptos::prelude::*;

use super::figure::Plotted;
use super::option::deployed;
use super::scene::{Scene, title};
use super::words::{amount, inside, points_inside, states};
use crate::format;
use crate::state::zone::Zone;
use crate::view::view;

/// The most rows; the file of the numbers has all of them.
const MOST: usize = 1_000;

/// One row of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// The time, with its zone.
    pub time: String,
    /// Of each ratio: attempts, failures, and their share.
    pub ratios: Vec<[String; 3]>,
    /// Each value.
    pub values: Vec<String>,
    /// The flags' states.
    pub flags: String,
    /// What was deployed then, and where that can be seen.
    pub deploys: Vec<(String, Option<String>)>,
    /// Whether there were too few attempts to prove much.
    pub few: bool,
}

/// The names of the columns.
pub fn columns(scene: &Scene) -> Vec<String> {
    let ratios = scene.ratios();
    let of = |signal: &domain::signal::Signal, word: &str| {
        if ratios.len() == 1 { word.to_owned() } else { format!("{}: {word}", signal.title) }
    };
    let mut columns = vec![if ratios.is_empty() { "Time" } else { "Minute" }.to_owned()];
    columns.extend(ratios.iter().flat_map(|(_, signal)| ["Attempts", "Failures", "Rate"].map(|word| of(signal, word))));
    columns.extend(scene.values().into_iter().map(|(_, value)| match value.unit.as_str() {
        "" => title(value),
        unit => format!("{}, {unit}", title(value)),
    }));
    columns.push("Flag".to_owned());
    if !scene.deploys().is_empty() {
        columns.push("Deploys".to_owned());
    }
    columns
}

/// The rows of what is in view, and how many more there are.
pub fn rows(scene: &Scene, zone: &Zone) -> (Vec<Row>, usize) {
    let (view, ratios, values) = (scene.view, scene.ratios(), scene.values());
    let deploys = || scene.deploys().iter().filter(|deploy| view.from <= deploy.at && deploy.at < view.until);
    let mut times: Vec<DateTime<Utc>> = Vec::new();
    // Each list is in order of time: put together rather than sorted, since a sort weighs kilobytes in the pages.
    for (_, signal) in &ratios {
        times = merged(&times, inside(signal, view).map(|bin| bin.at));
    }
    for (_, value) in &values {
        times = merged(&times, points_inside(value, view).map(|point| point.at));
    }
    times = merged(&times, deploys().map(|deploy| deploy.at));
    let more = times.len().saturating_sub(MOST);
    let mut day = None;
    let rows = times.into_iter().take(MOST).map(|at| {
        let mut row = Row { flags: states(scene, at), ..Row::default() };
        let (time, today) = (format::time_with_zone(at, zone), format::day(at, zone));
        // The day stands where it begins.
        row.time = if day.replace(today) == Some(today) { time } else { format!("{}, {time}", format::due(today)) };
        for (_, signal) in &ratios {
            let bin = signal.bins.binary_search_by_key(&at, |bin| bin.at).ok().map(|place| signal.bins[place]);
            row.few |= bin.is_some_and(|bin| bin.denominator < signal.floor);
            row.ratios.push(bin.map_or_else(Default::default, |bin| {
                let share = bin.ratio().share().map_or_else(|| "–".to_owned(), format::percent);
                [format::count(bin.denominator), format::count(bin.numerator), share]
            }));
        }
        for (_, value) in &values {
            let next = value.points.partition_point(|point| point.at <= at);
            let last = next.checked_sub(1).map(|last| value.points[last]);
            // A gap lasts until the next point.
            let is_told = |point: &Point| point.at == at || point.value.is_none() && next < value.points.len();
            row.values.push(last.filter(is_told).map_or_else(String::new, |point| amount(point.value, "")));
        }
        row.deploys = deploys().filter(|deploy| deploy.at == at).map(|d| (deployed(d), d.link.clone())).collect();
        row
    });
    (rows.collect(), more)
}

fn merged(one: &[DateTime<Utc>], other: impl Iterator<Item = DateTime<Utc>>) -> Vec<DateTime<Utc>> {
    let (mut merged, mut rest) = (Vec::new(), one.iter().copied().peekable());
    for at in other {
        while let Some(earlier) = rest.next_if(|known| *known <= at) {
            merged.push(earlier);
        }
        merged.push(at);
    }
    merged.extend(rest);
    merged.dedup();
    merged
}

/// The table.
#[component]
pub fn Table(
    /// What is drawn.
    plotted: Plotted,
) -> impl IntoView {
    let head = move || {
        let columns = plotted.scene.read().as_ref().map(columns).unwrap_or_default();
        columns.into_iter().map(|name| view! { <th scope="col">{name}</th> }).collect_view()
    };
    let found =
        Memo::new(move |_| plotted.scene.read().as_ref().map(|scene| rows(scene, &plotted.charted.zone.read())));
    let cell = |text: String| view! { <td>{text}</td> };
    let body = move || {
        let (rows, _) = found.get()?;
        let has_deploys = plotted.scene.read().as_ref().is_some_and(|scene| !scene.deploys().is_empty());
        let row = |row: Row| {
            let few = row.few.then_some(" (few attempts)");
            let ratios = row.ratios.into_iter().map(|[attempts, failures, share]| {
                let few = few.filter(|_| !share.is_empty());
                view! { <td>{attempts}</td><td>{failures}</td><td>{share}{few}</td> }
            });
            let deploys = has_deploys.then(|| {
                let deploys = row.deploys.into_iter().map(|(name, link)| match link {
                    Some(link) => view! { <a href=link rel="external noreferrer">{name}</a>" " },
                    None => view! { {name}" " },
                });
                view! { <td>{deploys.collect_view()}</td> }
            });
            view! {
                <tr class:few=row.few>
                    <th scope="row">{row.time}</th>{ratios.collect_view()}{row.values.into_iter().map(cell).collect_view()}
                    <td>{row.flags}</td>{deploys}
                </tr>
            }
        };
        Some(rows.into_iter().map(row).collect_view())
    };
    let more = move || {
        let (_, more) = found.get().filter(|(_, more)| *more > 0)?;
        let more = format::counted(more, "row more", "rows more");
        Some(view! { <p class="more">{["There are ", &more, ": zoom in, or save them all as CSV."].concat()}</p> })
    };
    view! {
        <div class="numbers" tabindex="0" role="region" aria-label="The chart’s numbers">
            <table>
                <thead><tr>{head}</tr></thead>
                <tbody>{body}</tbody>
            </table>
            {more}
        </div>
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chrono::TimeDelta;

    use super::super::scene::tests::example;
    use super::*;

    #[test]
    fn a_row_has_everything_that_is_known_of_its_instant() {
        let (rows, more) = rows(&example(), &Zone::Named("+02:00".into()));
        assert_eq!((rows.len(), more), (3, 0));
        let [deploy, minute, gap] = &rows[..] else { panic!("three rows") };
        assert_eq!(deploy.time, "9 Jul 2026, 11:44:30 GMT+2");
        assert_eq!(deploy.deploys.len(), 1);
        assert_eq!(minute.time, "11:46 GMT+2");
        assert_eq!(minute.ratios, [["209", "12", "5.7%"].map(str::to_owned)]);
        assert_eq!((minute.values[0].as_str(), minute.few), ("17.5", false));
        assert_eq!(minute.flags, "checkout-sync-retries state not known");
        assert_eq!((gap.values[0].as_str(), gap.ratios[0][0].as_str()), ("no value", ""));
        assert_eq!(
            columns(&example()),
            ["Minute", "Attempts", "Failures", "Rate", "Queue length (queue=retries), jobs", "Flag", "Deploys"]
        );
    }

    #[test]
    fn where_clocks_go_back_each_row_says_which_of_two_like_times_it_is() {
        let mut scene = example();
        let from = "2026-10-25T00:00:00Z".parse().expect("a time");
        scene.view = domain::incident::Window { from, until: from + TimeDelta::hours(3) };
        let series = Arc::make_mut(&mut scene.series);
        series.values[0].points =
            (0..4).map(|half| Point { at: from + TimeDelta::minutes(30 * half), value: Some(1.0) }).collect();
        let (rows, _) = rows(&scene, &Zone::Named("Europe/Berlin".into()));
        let times: Vec<_> = rows.iter().map(|row| row.time.as_str()).collect();
        assert_eq!(times, ["25 Oct 2026, 02:00 CEST", "02:30 CEST", "02:00 CET", "02:30 CET"]);
    }

    #[test]
    fn there_are_never_too_many_rows_and_the_rest_is_counted() {
        let mut scene = example();
        let from = scene.view.from;
        Arc::make_mut(&mut scene.series).values[0].points =
            (0..1500).map(|second| Point { at: from + TimeDelta::seconds(second), value: None }).collect();
        let (rows, more) = rows(&scene, &Zone::Utc);
        assert_eq!((rows.len(), more), (1000, 502));
    }
}
