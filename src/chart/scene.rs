//! What the chart shows: the incident, its series as far as they were read, the view, and what the reader switched off.

use std::borrow::Cow;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use domain::deploy::Deploy;
use domain::flag;
use domain::incident::Window;
use domain::signal::{Signal, ValueSignal};
use domain::wire::incidents::Dashboard;
use domain::wire::signals::Signals;

/// The key of the deploys among what can be switched off.
pub const DEPLOYS: &str = "deploys";

/// What the chart shows.
#[derive(Clone)]
pub struct Scene {
    /// The incident.
    pub dashboard: Arc<Dashboard>,
    /// Its series, as far as they were read.
    pub series: Arc<Signals>,
    /// The stretch that is seen.
    pub view: Window,
    /// The keys of what is switched off.
    pub hidden: Arc<Vec<String>>,
}

impl Scene {
    /// Whether what has this key is switched off.
    pub fn is_hidden(&self, key: &str) -> bool {
        self.hidden.iter().any(|hidden| hidden == key)
    }

    /// The ratios that are shown, each with its place among all.
    pub fn ratios(&self) -> Vec<(usize, &Signal)> {
        self.series.items.iter().enumerate().filter(|(_, signal)| !self.is_hidden(signal.id.as_str())).collect()
    }

    /// The values that are shown, each with its place among all.
    pub fn values(&self) -> Vec<(usize, &ValueSignal)> {
        self.series.values.iter().enumerate().filter(|(_, value)| !self.is_hidden(value.id.as_str())).collect()
    }

    /// The units of the values that are shown, each once; each has a panel of its own.
    pub fn units(&self) -> Vec<&str> {
        let mut units: Vec<&str> = Vec::new();
        for (_, value) in self.values() {
            if !units.contains(&value.unit.as_str()) {
                units.push(&value.unit);
            }
        }
        units
    }

    /// The names of the flags that are shown, each with its place among all.
    pub fn flags(&self) -> Vec<(usize, Cow<'_, str>)> {
        let names = flag::names(&self.dashboard.flags).into_iter().enumerate();
        names.filter(|(_, name)| !self.is_hidden(&flag_key(name))).collect()
    }

    /// The deploys, unless they are switched off.
    pub fn deploys(&self) -> &[Deploy] {
        if self.is_hidden(DEPLOYS) { &[] } else { &self.dashboard.deploys }
    }

    /// What can be zoomed out to: all of every series, and the view.
    pub fn whole(&self) -> Window {
        spans(&self.series).fold(self.view, |whole, span| Window {
            from: whole.from.min(span.from),
            until: whole.until.max(span.until),
        })
    }

    /// The least that can be zoomed to: five of the closest samples.
    pub fn least(&self) -> TimeDelta {
        let bins = self.series.items.iter().map(|signal| i64::from(signal.bin_seconds) * 1000);
        let points = self.series.values.iter().filter_map(|value| {
            let length = value.span.map(|span| span.until - span.from)?;
            Some(length.num_milliseconds() / i64::try_from(value.count.max(1)).unwrap_or(1))
        });
        TimeDelta::milliseconds((bins.chain(points).min().unwrap_or(60_000) * 5).clamp(1000, 300_000))
    }
}

/// What each of the series spans.
fn spans(series: &Signals) -> impl Iterator<Item = Window> {
    let ratios = series.items.iter().filter_map(|signal| signal.span);
    ratios.chain(series.values.iter().filter_map(|value| value.span))
}

/// Whether there is anything to draw.
pub fn is_empty(dashboard: &Dashboard) -> bool {
    dashboard.signals.iter().all(|signal| signal.span.is_none())
        && dashboard.values.iter().all(|value| value.span.is_none())
}

/// The key of a flag among what can be switched off.
pub fn flag_key(name: &str) -> String {
    ["flag:", name].concat()
}

/// What a value is called: its title, and the labels that tell it from its like.
pub fn title(value: &ValueSignal) -> String {
    if value.labels.is_empty() {
        return value.title.clone();
    }
    let labels: Vec<String> = value.labels.iter().map(|(key, of)| [key, "=", of].concat()).collect();
    format!("{} ({})", value.title, labels.join(", "))
}

/// A view scaled about its middle and moved by a part of its length, kept inside its limits.
pub fn shifted(view: Window, limits: Window, least: TimeDelta, scale: f64, by: f64) -> Window {
    #[expect(clippy::cast_precision_loss, reason = "lengths in milliseconds stay far below 2^53")]
    let millis = |length: TimeDelta| length.num_milliseconds() as f64;
    #[expect(clippy::cast_possible_truncation, reason = "lengths in milliseconds stay far below 2^53")]
    let delta = |value: f64| TimeDelta::milliseconds(value as i64);
    let length = millis(view.until - view.from);
    let grown = (length * scale).max(millis(least));
    let from = view.from + delta((length - grown) / 2.0 + length * by);
    let until = (from.max(limits.from) + delta(grown)).min(limits.until);
    let from = (until - delta(grown)).max(limits.from);
    if from < until { Window { from, until } } else { view }
}

/// What was read of all, with what was read more finely of a stretch in its place.
pub fn spliced(all: &Signals, finer: &Signals, stretch: Window) -> Signals {
    let mut joined = all.clone();
    for signal in &mut joined.items {
        if let Some(fine) = finer.items.iter().find(|fine| fine.id == signal.id) {
            signal.bins = between(&signal.bins, &fine.bins, |bin| bin.at, stretch);
        }
    }
    for value in &mut joined.values {
        if let Some(fine) = finer.values.iter().find(|fine| fine.id == value.id) {
            value.points = between(&value.points, &fine.points, |point| point.at, stretch);
        }
    }
    joined
}

fn between<T: Copy>(all: &[T], fine: &[T], at: impl Fn(&T) -> DateTime<Utc>, stretch: Window) -> Vec<T> {
    let from = fine.first().map_or(stretch.from, |first| at(first).min(stretch.from));
    let until = fine.last().map_or(stretch.until, |last| at(last).max(stretch.until));
    let before = all.iter().copied().take_while(|sample| at(sample) < from);
    let after = all.iter().copied().filter(|sample| at(sample) > until);
    before.chain(fine.iter().copied()).chain(after).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The golden dashboard, an hour around its window in view.
    pub fn example() -> Scene {
        let dashboard: Dashboard = serde_json::from_str(include_str!("../../domain/tests/golden/dashboard.json"))
            .expect("the golden dashboard");
        let series = Signals { items: dashboard.signals.clone(), values: dashboard.values.clone(), next: None };
        let from = dashboard.signals[0].bins[0].at - TimeDelta::minutes(30);
        let view = Window { from, until: from + TimeDelta::minutes(90) };
        Scene { dashboard: Arc::new(dashboard), series: Arc::new(series), view, hidden: Arc::default() }
    }

    fn window(from: i64, until: i64) -> Window {
        let at = |minutes: i64| DateTime::<Utc>::UNIX_EPOCH + TimeDelta::minutes(minutes);
        Window { from: at(from), until: at(until) }
    }

    #[test]
    fn a_view_is_scaled_and_moved_inside_its_limits() {
        let limits = window(0, 100);
        let shifted = |view, scale, by| shifted(view, limits, TimeDelta::minutes(5), scale, by);
        assert_eq!(shifted(window(40, 60), 0.5, 0.0), window(45, 55));
        assert_eq!(shifted(window(40, 60), 2.0, 0.0), window(30, 70));
        assert_eq!(shifted(window(0, 80), 2.0, 0.0), limits);
        assert_eq!(shifted(window(40, 60), 1.0, 0.5), window(50, 70));
        assert_eq!(shifted(window(90, 100), 1.0, 0.5), window(90, 100));
        assert_eq!(shifted(window(0, 20), 1.0, -0.5), window(0, 20));
        let least = shifted(window(50, 52), 0.5, 0.0);
        assert_eq!(least.until - least.from, TimeDelta::minutes(5));
    }

    #[test]
    fn finer_samples_take_the_place_of_those_of_their_stretch() {
        let at = |sample: &(i64, char)| DateTime::<Utc>::UNIX_EPOCH + TimeDelta::minutes(sample.0);
        let all: Vec<_> = [0, 10, 20, 30, 40, 50].map(|minute| (minute, 'a')).into();
        let joined = |fine: &[i64]| -> String {
            let fine: Vec<_> = fine.iter().map(|minute| (*minute, 'f')).collect();
            let joined = between(&all, &fine, at, window(15, 35));
            assert!(joined.windows(2).all(|pair| pair[0].0 < pair[1].0), "{joined:?}");
            joined.into_iter().map(|(_, which)| which).collect()
        };
        assert_eq!(joined(&[16, 20, 25, 30]), "aaffffaa");
        assert_eq!(joined(&[10, 20, 30, 40]), "affffa", "one before and one after");
        assert_eq!(joined(&[]), "aaaa", "nothing is there");
    }
}
