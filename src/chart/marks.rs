//! The timeline's numbers over the chart, as links, so that a keyboard reaches them and they stand on paper.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::incident::Window;
use domain::wire::incidents::Dashboard;
use leptos::prelude::*;

use crate::format;
use crate::state::zone::Zone;
use crate::view::view;

/// The timeline entry that is pointed at or has the focus, in the list or in the chart.
#[derive(Clone, Copy)]
pub struct Marked {
    /// The one under the pointer.
    pub pointed: RwSignal<Option<usize>>,
    /// The one with the keyboard's focus; a pointer that leaves another does not unmark it.
    pub focused: RwSignal<Option<usize>>,
}

impl Marked {
    /// Nothing is marked.
    pub fn none() -> Self {
        Self { pointed: RwSignal::new(None), focused: RwSignal::new(None) }
    }

    /// What `aria-current` says of an entry.
    pub fn current(self, entry: usize) -> Option<&'static str> {
        (self.pointed.get().or(self.focused.get()) == Some(entry)).then_some("true")
    }
}

/// A mark for each entry inside the view; each leads to its entry.
#[component]
pub fn Marks(
    /// The incident.
    dashboard: Memo<Arc<Dashboard>>,
    /// What the chart shows now.
    view: Memo<Option<Window>>,
    /// The zone that times are shown in.
    zone: Memo<Zone>,
    /// What is pointed at.
    marked: Marked,
    /// How many pixels the view is wide.
    width: Signal<i32>,
) -> impl IntoView {
    let marks = move || {
        let (dashboard, zone, view, width) = (dashboard.read(), zone.read(), view.get()?, f64::from(width.get()));
        let mut rows = [f64::NEG_INFINITY; 4];
        let marks = dashboard.timeline.iter().enumerate().filter_map(|(i, entry)| {
            let at = entry.occurred_at?;
            let share = share(at, view)?;
            let label = format!("{}, {}: {}", i + 1, format::time_with_zone(at, &zone), entry.event);
            let row = row_for(share * width, &mut rows);
            Some(view! {
                <li style=format!("left:{};--row:{row}", percent(share))>
                    <a
                        class="pin"
                        rel="external"
                        href=format!("#timeline-{}", i + 1)
                        aria-label=label
                        aria-current=move || marked.current(i)
                        on:mouseenter=move |_| marked.pointed.set(Some(i))
                        on:mouseleave=move |_| marked.pointed.set(None)
                        on:focus=move |_| marked.focused.set(Some(i))
                        on:blur=move |_| marked.focused.set(None)
                    >
                        {i + 1}
                    </a>
                </li>
            })
        });
        Some(marks.collect_view())
    };
    view! { <ol class="marks" aria-label="Timeline entries in view">{marks}</ol> }
}

/// How far along the view an instant is; none outside of it.
fn share(at: DateTime<Utc>, view: Window) -> Option<f64> {
    let share = (at - view.from).as_seconds_f64() / (view.until - view.from).as_seconds_f64();
    (0.0..=1.0).contains(&share).then_some(share)
}

/// A share as a percentage for CSS. The pages print no floating point number: what does it weighs kilobytes.
fn percent(share: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share lies between 0 and 1")]
    let thousandths = (share * 100_000.0).round() as u32;
    format!("{}.{:03}%", thousandths / 1000, thousandths % 1000)
}

/// The first row where a mark covers no other; where each has one in the way, the last.
fn row_for(x: f64, rows: &mut [f64; 4]) -> usize {
    const APART: f64 = 25.0;
    let row = rows.iter().position(|last| (x - last).abs() >= APART).unwrap_or(rows.len() - 1);
    rows[row] = x;
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_would_cover_each_other_stand_in_rows() {
        let mut rows = [f64::NEG_INFINITY; 4];
        let found = [0.0, 10.0, 20.0, 26.0, 27.0, 28.0, 29.0].map(|x| row_for(x, &mut rows));
        assert_eq!(found, [0, 1, 2, 0, 3, 3, 3]);
    }

    #[test]
    fn a_mark_stands_at_its_share_of_the_view() {
        let at = |seconds| DateTime::from_timestamp(seconds, 0).expect("an instant");
        let view = Window { from: at(100), until: at(200) };
        assert_eq!(
            [99, 100, 125, 200, 201].map(|s| share(at(s), view)),
            [None, Some(0.0), Some(0.25), Some(1.0), None]
        );
        assert_eq!([0.0, 0.000_5, 1.0 / 3.0, 1.0].map(percent), ["0.000%", "0.050%", "33.333%", "100.000%"]);
    }
}
