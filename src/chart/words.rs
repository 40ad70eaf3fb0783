//! The chart in words: caption, description, and the rows of its table.

use chrono::{DateTime, TimeDelta, Utc};
use domain::comparison::FlagComparison;
use domain::derived::Computed;
use domain::flag;
use domain::incident::Window;
use domain::signal::{Bin, Signal};
use domain::wire::incidents::Dashboard;

use crate::format;
use crate::state::zone::Zone;

/// One row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The minute, with its zone.
    pub time: String,
    /// How many attempts.
    pub attempts: String,
    /// How many failed.
    pub failures: String,
    /// The share.
    pub rate: String,
    /// The flags' states.
    pub flags: String,
    /// Whether there were too few attempts to prove much.
    pub few: bool,
}

/// The bins inside a view.
pub fn inside(signal: &Signal, view: Window) -> impl Iterator<Item = &Bin> {
    signal.bins.iter().filter(move |bin| view.from <= bin.at && bin.at < view.until)
}

/// The table of what the chart shows.
pub fn rows(dashboard: &Dashboard, signal: &Signal, view: Window, zone: &Zone) -> Vec<Row> {
    let mut day = None;
    inside(signal, view)
        .map(|bin| Row {
            time: {
                let (time, today) = (format::time_with_zone(bin.at, zone), format::day(bin.at, zone));
                // The day stands where it begins.
                if day.replace(today) == Some(today) { time } else { format!("{}, {time}", format::due(today)) }
            },
            attempts: format::count(bin.denominator),
            failures: format::count(bin.numerator),
            rate: bin.ratio().share().map_or_else(|| "–".to_owned(), format::percent),
            flags: states(dashboard, bin.at),
            few: bin.denominator < signal.floor,
        })
        .collect()
}

/// "checkout-sync-retries on": every flag's state at an instant.
pub fn states(dashboard: &Dashboard, at: DateTime<Utc>) -> String {
    let states: Vec<String> = flag::names(&dashboard.flags)
        .into_iter()
        .map(|key| {
            let spans = flag::spans(&dashboard.flags, &key, at, at + TimeDelta::milliseconds(1));
            let state = spans.first().and_then(|span| span.state).unwrap_or("state not known");
            format!("{key} {state}")
        })
        .collect();
    if states.is_empty() { "no flags known".to_owned() } else { states.join(", ") }
}

/// What the tooltip says at an instant.
pub fn tooltip(dashboard: &Dashboard, signal: &Signal, at: DateTime<Utc>, zone: &Zone) -> String {
    let Some(bin) = signal.bins.iter().find(|bin| bin.at == at) else {
        return format!("{}\nno attempts\n{}", format::date_time(at, zone), states(dashboard, at));
    };
    let few = if bin.denominator < signal.floor { "\nfew attempts: proves little" } else { "" };
    format!(
        "{}\n{} of {} {} ({}){few}\n{}",
        format::date_time(at, zone),
        format::count(bin.numerator),
        format::count(bin.denominator),
        signal.numerator_unit,
        bin.ratio().share().map_or_else(|| "–".to_owned(), format::percent),
        states(dashboard, at)
    )
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
pub fn source(signal: &Signal) -> String {
    let files: Vec<&str> = signal.sources.iter().map(|source| source.file_name.as_str()).collect();
    format!(
        "Source: {}, {} {}. Minutes with fewer than {} attempts are faded.",
        files.join(", "),
        format::count(signal.total.denominator),
        signal.denominator_unit,
        signal.floor
    )
}

/// The chart for somebody who does not see it.
pub fn summary(dashboard: &Dashboard, signal: &Signal, view: Window, zone: &Zone) -> String {
    let solid: Vec<&Bin> = inside(signal, view).filter(|bin| bin.denominator >= signal.floor).collect();
    let share = |bin: &Bin| bin.ratio().share().unwrap_or_default();
    let mut text = format!("Error rate by minute, {}.", format::range(view.from, view.until, zone));
    if let Some(alert) = dashboard.thresholds.alert
        && let Some(first) = solid.iter().find(|bin| share(bin) > alert)
    {
        let (alert, at) = (format::threshold(alert), format::time_with_zone(first.at, zone));
        text = format!("{text} It passes {alert} at {at}.");
    }
    if let Some(peak) = solid.iter().copied().max_by(|a, b| share(a).total_cmp(&share(b))) {
        let (at, rate) = (format::time_with_zone(peak.at, zone), format::percent(share(peak)));
        text = format!("{text} It is highest at {at} with {rate}.");
    }
    text.push(' ');
    text.push_str(&comparison(dashboard, zone));
    text
}

#[cfg(test)]
mod tests {
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
    fn a_row_has_the_numbers_of_its_bin_in_the_zone_chosen() {
        let dashboard = dashboard();
        let signal = &dashboard.signals[0];
        let view = signal.span.expect("a span");
        let rows = rows(&dashboard, signal, view, &Zone::Named("+02:00".into()));
        assert_eq!(rows.len(), 1);
        assert_eq!(
            (rows[0].time.as_str(), rows[0].rate.as_str(), rows[0].few),
            ("9 Jul 2026, 11:46 GMT+2", "5.7%", false)
        );
        assert_eq!(rows[0].flags, "checkout-sync-retries state not known");
    }

    #[test]
    fn the_tooltip_says_where_little_is_proved() {
        let mut dashboard = dashboard();
        dashboard.signals[0].bins[0].denominator = 19;
        let signal = &dashboard.signals[0];
        assert!(tooltip(&dashboard, signal, signal.bins[0].at, &Zone::Utc).contains("few attempts"));
        assert!(tooltip(&dashboard, signal, DateTime::<Utc>::UNIX_EPOCH, &Zone::Utc).contains("no attempts"));
    }
}
