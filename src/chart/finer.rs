//! The series as finely as the view can show them: all of them once, then what the reader zooms to.

use std::sync::Arc;
use std::time::Duration;

use domain::incident::Window;
use domain::wire::signals::Signals;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::figure::Plotted;
use super::incident::Charted;
use super::scene::spliced;
use crate::client;

/// How long the view has to rest before more is asked for.
const REST: Duration = Duration::from_millis(150);

/// How long it takes until it is tried again where it failed, at first.
const LATER: Duration = Duration::from_secs(2);

/// What was read of a stretch for so many pixels of it, or of everything.
#[derive(Clone)]
struct Answer {
    version: i64,
    stretch: Option<Window>,
    width: i32,
    series: Arc<Signals>,
}

impl Answer {
    fn is_whole(&self) -> bool {
        self.series.items.iter().all(|signal| !signal.thinned) && self.series.values.iter().all(|value| !value.thinned)
    }

    /// Whether a view on so many pixels could not show more.
    fn suffices(&self, version: i64, view: Window, width: i32) -> bool {
        let Some(stretch) = self.stretch else { return self.version == version && self.is_whole() };
        let is_inside = stretch.from <= view.from && view.until <= stretch.until;
        let seen = (view.until - view.from).num_milliseconds().max(1);
        let read = (stretch.until - stretch.from).num_milliseconds();
        // A little coarser is not seen.
        let is_fine = i128::from(read) * i128::from(width) * 4 <= i128::from(seen) * i128::from(self.width) * 5;
        self.version == version && is_inside && (is_fine || self.is_whole())
    }
}

/// Why nothing finer came, and how to ask again.
#[derive(Clone, Copy)]
pub struct Trouble {
    /// A sentence, while there is trouble.
    pub told: RwSignal<Option<String>>,
    again: RwSignal<u32>,
}

impl Trouble {
    /// Asks again at once.
    pub fn try_again(self) {
        self.again.update(|tries| *tries += 1);
    }
}

/// Reads the series for what is in view, as finely as its pixels can show them.
pub fn follow(plotted: Plotted) -> Trouble {
    let Plotted { charted: Charted { dashboard, link, .. }, view, size, .. } = plotted;
    let width = Memo::new(move |_| size.get().0.max(100));
    let (all, fine) = (RwSignal::new(None::<Answer>), RwSignal::new(None::<Answer>));
    let trouble = Trouble { told: RwSignal::new(None), again: RwSignal::new(0) };
    // An older answer never takes the place of a newer one.
    let asked = StoredValue::new(0_u32);
    let failures = StoredValue::new(0_u32);
    // What was asked for last, until it is answered.
    let flying = StoredValue::new(None::<(i64, Option<Window>)>);
    let ask = move |stretch: Option<Window>, width: i32, version: i64| {
        asked.update_value(|asked| *asked += 1);
        let this = asked.get_value();
        flying.set_value(Some((version, stretch)));
        let id = dashboard.read_untracked().id.clone();
        spawn_local(async move {
            let answer = match link.map(|link| link.get_untracked()) {
                Some(link) => client::incidents::shared_signals(&link, stretch, width).await,
                None => client::incidents::signals(id.as_str(), stretch, width).await,
            };
            if asked.try_get_value() != Some(this) {
                return;
            }
            flying.set_value(None);
            match answer {
                Ok(series) => {
                    failures.set_value(0);
                    trouble.told.set(None);
                    let answer = Answer { version, stretch, width, series: series.into() };
                    if stretch.is_some() { fine.set(Some(answer)) } else { all.set(Some(answer)) }
                }
                Err(failure) => {
                    // Told once, so that its button stays where it is.
                    let told = Some(failure.message());
                    if *trouble.told.read_untracked() != told {
                        trouble.told.set(told);
                    }
                    failures.update_value(|failures| *failures += 1);
                    let later = LATER * (1 << failures.get_value().min(4));
                    set_timeout(
                        move || {
                            // Unless somebody asked for something since.
                            if asked.try_get_value() == Some(this) {
                                let _ = trouble.again.try_update(|tries| *tries += 1);
                            }
                        },
                        later,
                    );
                }
            }
        });
    };
    let pending = StoredValue::new_local(None::<TimeoutHandle>);
    Effect::new(move || {
        trouble.again.track();
        let (version, width) = (dashboard.read().version, width.get());
        let Some(view) = view.get() else { return };
        let is_asked_for_all = all.with(|all| all.as_ref().is_some_and(|all| all.version == version));
        let wanted = if is_asked_for_all {
            let enough = |answer: &RwSignal<Option<Answer>>| {
                answer.with(|answer| answer.as_ref().is_some_and(|answer| answer.suffices(version, view, width)))
            };
            if enough(&all) || enough(&fine) {
                return;
            }
            // As much again on each side, so that moving a little shows it at once.
            let length = view.until - view.from;
            (Some(Window { from: view.from - length, until: view.until + length }), width * 3)
        } else {
            (None, width)
        };
        if let Some(Some(earlier)) = pending.try_update_value(Option::take) {
            earlier.clear();
        }
        if flying.get_value() == Some((version, wanted.0)) {
            return;
        }
        let later = set_timeout_with_handle(move || ask(wanted.0, wanted.1, version), REST);
        pending.set_value(later.ok());
    });
    on_cleanup(move || {
        if let Some(Some(waiting)) = pending.try_update_value(Option::take) {
            waiting.clear();
        }
    });
    Effect::new(move || {
        let Some(all) = all.get() else { return };
        let fine = fine.get().and_then(|fine| Some((fine.stretch?, fine.series)));
        plotted.read.set(Some(match fine {
            Some((stretch, fine)) => Arc::new(spliced(&all.series, &fine, stretch)),
            None => all.series,
        }));
    });
    trouble
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta, Utc};

    use super::*;

    fn window(from: i64, until: i64) -> Window {
        let at = |minutes: i64| DateTime::<Utc>::UNIX_EPOCH + TimeDelta::minutes(minutes);
        Window { from: at(from), until: at(until) }
    }

    #[test]
    fn more_is_asked_for_only_where_more_could_be_seen() {
        let mut series =
            Signals { items: super::super::scene::tests::example().series.items.clone(), ..Signals::default() };
        series.items[0].thinned = true;
        let answer =
            |stretch, series: &Signals| Answer { version: 7, stretch, width: 3000, series: series.clone().into() };
        let fine = answer(Some(window(0, 300)), &series);
        for (version, view, width, suffices) in [
            (7, window(100, 200), 1000, true),
            (7, window(0, 100), 1000, true),
            (7, window(0, 85), 1000, true),
            (7, window(0, 50), 1000, false),
            (7, window(0, 50), 500, true),
            (7, window(250, 350), 1000, false),
            (8, window(100, 200), 1000, false),
        ] {
            assert_eq!(fine.suffices(version, view, width), suffices, "{view:?}");
        }
        assert!(!answer(None, &series).suffices(7, window(100, 200), 1000));
        series.items[0].thinned = false;
        assert!(answer(None, &series).suffices(7, window(100, 200), 1000));
        assert!(answer(Some(window(0, 300)), &series).suffices(7, window(10, 11), 1000));
    }
}
