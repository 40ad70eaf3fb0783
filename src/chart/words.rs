//! The chart in words: caption, description, and what is known at an instant.

use chrono::{DateTime, TimeDelta, Utc};
use domain::comparison::FlagComparison;
use domain::derived::Computed;
use domain::flag;
use domain::incident::Window;
use domain::signal::{Bin, Point, Signal, ValueSignal};
use domain::wire::incidents::Dashboard;

use super::option::deployed;
use super::scene::{Scene, title};
use crate::format;
use crate::state::zone::Zone;

/// The bins inside a view.
pub fn inside(signal: &Signal, view: Window) -> impl Iterator<Item = &Bin> {
    signal.bins.iter().filter(move |bin| view.from <= bin.at && bin.at < view.until)
}

/// The points inside a view.
pub fn points_inside(value: &ValueSignal, view: Window) -> impl Iterator<Item = &Point> {
    value.points.iter().filter(move |point| view.from <= point.at && point.at < view.until)
}

/// "checkout-sync-retries on": the state of every flag that is shown, at an instant.
pub fn states(scene: &Scene, at: DateTime<Utc>) -> String {
    let states: Vec<String> = scene
        .flags()
        .into_iter()
        .map(|(_, key)| {
            let spans = flag::spans(&scene.dashboard.flags, &key, at, at + TimeDelta::milliseconds(1));
            let state = spans.first().and_then(|span| span.state).unwrap_or("state not known");
            format!("{key} {state}")
        })
        .collect();
    if states.is_empty() { "no flags known".to_owned() } else { states.join(", ") }
}

/// "17.5 jobs": a value with its unit; that there is none where nothing is known.
pub fn amount(value: Option<f64>, unit: &str) -> String {
    match value {
        Some(value) => [&format::digits(value, 4), " ", unit].concat().trim_end().to_owned(),
        None => "no value".to_owned(),
    }
}

/// What the tooltip says at an instant: every series, the flags' states, and the deploys near it.
pub fn tooltip(scene: &Scene, at: DateTime<Utc>, zone: &Zone) -> String {
    let mut lines = vec![format::date_time(at, zone)];
    for (_, signal) in scene.ratios() {
        let end = TimeDelta::seconds(i64::from(signal.bin_seconds.max(1)));
        let next = signal.bins.partition_point(|bin| bin.at <= at);
        let bin = next.checked_sub(1).map(|last| signal.bins[last]).filter(|bin| at < bin.at + end);
        let Some(bin) = bin.filter(|bin| bin.denominator > 0) else {
            lines.push(format!("no {}", signal.denominator_unit));
            continue;
        };
        lines.push(format!(
            "{} of {} {} ({})",
            format::count(bin.numerator),
            format::count(bin.denominator),
            signal.numerator_unit,
            bin.ratio().share().map_or_else(|| "–".to_owned(), format::percent),
        ));
        if bin.denominator < signal.floor {
            lines.push("few attempts: proves little".to_owned());
        }
    }
    for (_, value) in scene.values() {
        let next = value.points.partition_point(|point| point.at <= at);
        let last = next.checked_sub(1).map(|last| value.points[last]);
        let is_over = value.span.is_none_or(|span| span.until <= at);
        let known = last.filter(|_| !is_over).and_then(|point| point.value);
        lines.push(format!("{}: {}", title(value), amount(known, &value.unit)));
    }
    if !scene.flags().is_empty() || scene.dashboard.flags.is_empty() {
        lines.push(states(scene, at));
    }
    let near = (scene.view.until - scene.view.from) / 80;
    for deploy in scene.deploys().iter().filter(|deploy| (deploy.at - at).abs() <= near) {
        lines.push(format!("deployed {} at {}", deployed(deploy), format::time_with_zone(deploy.at, zone)));
    }
    lines.join("\n")
}

/// The comparison across the flag change, in a sentence. It says what went together, not what caused what.
pub fn comparison(dashboard: &Dashboard, zone: &Zone) -> String {
    let found = match &dashboard.comparison {
        Computed::Value(found) => found,
        Computed::Unavailable { unavailable } => return format!("The flag cannot be compared: {unavailable}."),
    };
    let share = |ratio: domain::signal::Ratio| ratio.share().map_or_else(|| "no attempts".to_owned(), format::percent);
    let of = |ratio: domain::signal::Ratio| {
        format!("{} of {}", format::count(ratio.numerator), format::count(ratio.denominator))
    };
    let at = |at| format::time_with_zone(at, zone);
    format!(
        "{} of attempts failed ({}) from {} until {} {} at {}, and {} ({}) from then until {}. {}",
        share(found.before.ratio),
        of(found.before.ratio),
        at(found.before.from),
        found.flag,
        switched(found),
        at(found.changed_at),
        share(found.after.ratio),
        of(found.after.ratio),
        at(found.after.until),
        recovery(found, zone)
    )
}

fn switched(found: &FlagComparison) -> String {
    match found.after.state.as_deref() {
        Some("off") => "was turned off".to_owned(),
        Some("on") => "was turned on".to_owned(),
        Some(state) => format!("was set to {state}"),
        None => "changed".to_owned(),
    }
}

fn recovery(found: &FlagComparison, zone: &Zone) -> String {
    match &found.recovery {
        Computed::Value(recovery) => format!(
            "The rate was back under {} at {}, {} after the change.",
            format::threshold(recovery.below),
            format::time_with_zone(recovery.at, zone),
            format::duration(recovery.after.seconds)
        ),
        Computed::Unavailable { unavailable } => format!("When it recovered cannot be said: {unavailable}."),
    }
}

/// Where the numbers come from.
pub fn sources(scene: &Scene) -> String {
    let mut sentences = Vec::new();
    for signal in &scene.series.items {
        let files: Vec<&str> = signal.sources.iter().map(|source| source.file_name.as_str()).collect();
        sentences.push(format!(
            "Source: {}, {} {}. Minutes with fewer than {} attempts are faded.",
            files.join(", "),
            format::count(signal.total.denominator),
            signal.denominator_unit,
            signal.floor
        ));
    }
    for value in &scene.series.values {
        let points = format::count(value.count);
        sentences.push(format!("{}: {}, {points} points.", title(value), value.source.file_name));
    }
    sentences.join(" ")
}

/// The chart for somebody who does not see it.
pub fn summary(scene: &Scene, zone: &Zone) -> String {
    let (dashboard, view) = (&scene.dashboard, scene.view);
    let range = format::range(view.from, view.until, zone);
    let what = if scene.ratios().is_empty() { "" } else { "Error rate by minute, " };
    let mut said = vec![format!("{what}{range}.")];
    for (_, signal) in scene.ratios() {
        let solid: Vec<&Bin> = inside(signal, view).filter(|bin| bin.denominator >= signal.floor).collect();
        let share = |bin: &Bin| bin.ratio().share().unwrap_or_default();
        if let Some(alert) = dashboard.thresholds.alert
            && let Some(first) = solid.iter().find(|bin| share(bin) > alert)
        {
            let (alert, at) = (format::threshold(alert), format::time_with_zone(first.at, zone));
            said.push(format!("It passes {alert} at {at}."));
        }
        if let Some(peak) = solid.iter().copied().max_by(|a, b| share(a).total_cmp(&share(b))) {
            let (at, rate) = (format::time_with_zone(peak.at, zone), format::percent(share(peak)));
            said.push(format!("It is highest at {at} with {rate}."));
        }
    }
    for (_, value) in scene.values() {
        let known = || points_inside(value, view).filter_map(|point| Some((point.at, point.value?)));
        let lowest = known().reduce(|least, next| if next.1 < least.1 { next } else { least });
        let highest = known().reduce(|most, next| if next.1 > most.1 { next } else { most });
        let at = |(at, value_then): (DateTime<Utc>, f64)| {
            [&amount(Some(value_then), &value.unit), " at ", &format::time_with_zone(at, zone)].concat()
        };
        said.push(match lowest.zip(highest) {
            Some((lowest, highest)) => format!("{}: lowest {}, highest {}.", title(value), at(lowest), at(highest)),
            None => format!("{}: no value.", title(value)),
        });
    }
    for deploy in scene.deploys().iter().filter(|deploy| view.from <= deploy.at && deploy.at < view.until) {
        said.push(format!("{} was deployed at {}.", deployed(deploy), format::time_with_zone(deploy.at, zone)));
    }
    said.push(comparison(dashboard, zone));
    said.join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::scene::tests as scene;
    use super::*;

    pub fn dashboard() -> Dashboard {
        serde_json::from_str(include_str!("../../domain/tests/golden/dashboard.json")).expect("the golden dashboard")
    }

    #[test]
    fn the_comparison_is_one_sentence_with_both_rates_and_the_recovery() {
        assert_eq!(
            comparison(&dashboard(), &Zone::Utc),
            "21.7% of attempts failed (1,207 of 5,567) from 09:46 UTC until checkout-sync-retries was turned off at 10:11 UTC, \
             and 5.8% (77 of 1,336) from then until 10:17 UTC. The rate was back under 1% at 10:17 UTC, 6 min after the change."
        );
        let mut without = dashboard();
        without.comparison = Computed::unavailable("no events have been imported");
        assert_eq!(comparison(&without, &Zone::Utc), "The flag cannot be compared: no events have been imported.");
    }

    #[test]
    fn the_tooltip_reads_every_series_at_an_instant() {
        let scene = scene::example();
        let bin = scene.series.items[0].bins[0].at;
        let text = tooltip(&scene, bin, &Zone::Utc);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["9 July 2026, 09:46 UTC", "12 of 209 failed attempts (5.7%)"]);
        assert!(lines.contains(&"Queue length (queue=retries): 17.5 jobs"), "{text}");
        assert!(lines.contains(&"checkout-sync-retries state not known"), "{text}");
        let deploy = scene.dashboard.deploys[0].at;
        assert!(tooltip(&scene, deploy, &Zone::Utc).contains("deployed "), "{text}");
        let later = tooltip(&scene, bin + TimeDelta::seconds(61), &Zone::Utc);
        assert!(later.contains("no attempts") && later.contains("retries): no value"), "{later}");
    }

    #[test]
    fn the_tooltip_says_where_little_is_proved() {
        let mut scene = scene::example();
        std::sync::Arc::make_mut(&mut scene.series).items[0].bins[0].denominator = 19;
        let at = scene.series.items[0].bins[0].at;
        assert!(tooltip(&scene, at, &Zone::Utc).contains("few attempts"));
        assert!(tooltip(&scene, DateTime::<Utc>::UNIX_EPOCH, &Zone::Utc).contains("no attempts"));
    }

    #[test]
    fn the_summary_has_the_values_and_the_deploys_in_view() {
        let text = summary(&scene::example(), &Zone::Utc);
        for part in [
            "It is highest at 09:46 UTC with 5.7%.",
            "Queue length (queue=retries): lowest 17.5 jobs at 09:46 UTC, highest 17.5 jobs at 09:46 UTC.",
            "was deployed at ",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
