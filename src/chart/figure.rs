//! The chart with its buttons and its caption; what is shown of it is kept in the address.

use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, Utc};
use domain::incident::Window;
use domain::signal::first_view;
use domain::wire::paths::segment;
use domain::wire::signals::Signals;
use leptos::html;
use leptos::prelude::*;

use super::canvas::Canvas;
use super::incident::Charted;
use super::scene::{Scene, shifted};
use super::words;
use crate::part;
use crate::state::{address, place};
use crate::view::view;

/// What is drawn, and how what is shown of it changes.
#[derive(Clone, Copy)]
pub struct Plotted {
    /// What it shares with the page.
    pub charted: Charted,
    /// What is shown; none where there is nothing.
    pub scene: Memo<Option<Scene>>,
    /// The stretch that the address says, or the first view.
    pub view: Memo<Option<Window>>,
    /// What a hand that zooms sees, before the address follows.
    pub moving: RwSignal<Option<Window>>,
    /// The series, once more of them was read than the dashboard has.
    pub read: RwSignal<Option<Arc<Signals>>>,
    /// Shows a stretch; the first view where there is none.
    pub show: Callback<Option<Window>>,
    /// Switches what has this key off, or on again.
    pub switch: Callback<String>,
    /// Whether the numbers are shown instead of the drawing.
    pub is_table: Memo<bool>,
    /// How many pixels the drawing is wide and high.
    pub size: RwSignal<(i32, i32)>,
    /// The drawing, while there is one.
    pub place: NodeRef<html::Div>,
    /// Whether the part that explores it is here.
    pub is_explored: RwSignal<bool>,
}

impl PartialEq for Scene {
    fn eq(&self, other: &Self) -> bool {
        self.view == other.view
            && Arc::ptr_eq(&self.dashboard, &other.dashboard)
            && (Arc::ptr_eq(&self.series, &other.series) || self.series == other.series)
            && self.hidden == other.hidden
    }
}

impl Plotted {
    /// Scales what is shown about its middle, and moves it by a part of its length.
    pub fn shift(self, scale: f64, by: f64) {
        let Some(scene) = self.scene.get_untracked() else { return };
        self.show.run(Some(shifted(scene.view, scene.whole(), scene.least(), scale, by)));
    }
}

/// The chart, its buttons and its caption.
#[component]
pub fn Figure(
    /// What it shares with the page.
    charted: Charted,
) -> impl IntoView {
    let Charted { dashboard, zone, settled, .. } = charted;
    let (shown_as, keep_shown_as) = (address::query("view"), address::keeper("view"));
    let (from, keep_from) = (address::query("from"), address::keeper("from"));
    let (until, keep_until) = (address::query("until"), address::keeper("until"));
    let (hide, keep_hide) = (address::query("hide"), address::keeper("hide"));
    let is_table = Memo::new(move |_| shown_as.read().as_deref() == Some("table"));
    let first = Memo::new(move |_| {
        let dashboard = dashboard.read();
        let spans = dashboard.signals.iter().map(|signal| signal.span);
        let all = spans.chain(dashboard.values.iter().map(|value| value.span)).flatten();
        let all = all.reduce(|one, other| Window { from: one.from.min(other.from), until: one.until.max(other.until) });
        first_view(Window::of(dashboard.started_at, dashboard.ended_at), all)
    });
    // What the address says; what is not in it, or cannot be read, is the first view.
    let parsed = |text: Option<String>| text.and_then(|text| text.parse::<DateTime<Utc>>().ok());
    let view = Memo::new(move |_| {
        let asked = parsed(from.get()).zip(parsed(until.get())).filter(|(from, until)| from < until);
        asked.map(|(from, until)| Window { from, until }).or(first.get())
    });
    let show = move |view: Option<Window>| {
        let text = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::AutoSi, true);
        keep_from(view.map(|view| text(view.from)));
        keep_until(view.map(|view| text(view.until)));
    };
    let hidden = move || -> Vec<String> {
        let keys = hide.get().unwrap_or_default();
        keys.split(',').filter(|key| !key.is_empty()).map(address::unescaped).collect()
    };
    let switch = move |key: String| {
        let mut keys = untrack(hidden);
        match keys.iter().position(|hidden| *hidden == key) {
            Some(place) => drop(keys.remove(place)),
            None => keys.push(key),
        }
        let keys: Vec<String> = keys.iter().map(|key| segment(key)).collect();
        keep_hide((!keys.is_empty()).then(|| keys.join(",")));
    };
    let read = RwSignal::new(None::<Arc<Signals>>);
    let scene = Memo::new(move |_| {
        let (view, dashboard) = (view.get()?, dashboard.get());
        let series = read.get().unwrap_or_else(|| {
            let (items, values) = (dashboard.signals.clone(), dashboard.values.clone());
            Arc::new(Signals { items, values, next: None })
        });
        Some(Scene { dashboard, series, view, hidden: hidden().into() })
    });
    let plotted = Plotted {
        charted,
        scene,
        view,
        moving: RwSignal::new(None),
        read,
        show: Callback::new(show),
        switch: Callback::new(switch),
        is_table,
        size: RwSignal::new((1000, 1)),
        place: NodeRef::new(),
        is_explored: RwSignal::new(false),
    };
    // The tools come to whoever points at the chart or is about to print it, and at once where it cannot be read without.
    let is_approached = RwSignal::new(false);
    let approach = move || is_approached.set(true);
    place::before_print(approach);
    let is_asked = move || from.read().is_some() || until.read().is_some() || hide.read().is_some() || is_table.get();
    let is_explored = Memo::new(move |before: Option<&bool>| {
        before == Some(&true)
            || is_approached.get()
            || is_asked()
            || scene.read().as_ref().is_some_and(|scene| !scene.is_plain())
    });
    let described = move || Some(words::summary(scene.read().as_ref()?, &zone.read()));
    let button = move |label: &'static str, scale: f64, by: f64| {
        view! { <button class="ghost" on:click=move |_| plotted.shift(scale, by)>{label}</button> }
    };
    view! {
        <figure aria-labelledby="chart" on:pointerover=move |_| approach() on:focusin=move |_| approach()>
            <div class="bar">
                <h2 id="chart">"Error rate against the flag "<small>"share of attempts failing, by minute"</small></h2>
                <div class="tools" role="group" aria-label="Chart">
                    <span class="tools" hidden=move || is_table.get()>
                        {button("Earlier", 1.0, -0.5)}
                        {button("Later", 1.0, 0.5)}
                        {button("Zoom in", 0.5, 0.0)}
                        {button("Zoom out", 2.0, 0.0)}
                    </span>
                    <button class="ghost" on:click=move |_| show(None)>"Reset"</button>
                    <button class="ghost" data-part=part::EXPLORING aria-pressed=move || is_table.get().to_string()
                        on:click=move |_| keep_shown_as((!is_table.get_untracked()).then(|| "table".to_owned()))>
                        {move || if is_table.get() { "Show as chart" } else { "Show as table" }}
                    </button>
                </div>
            </div>
            {move || if is_table.get() {
                if !settled.get_untracked() {
                    settled.set(true);
                }
                part::apart("table", move |here| part::exploring::table(here, plotted))
            } else {
                view! { <Canvas plotted/> }.into_any()
            }}
            <div class="explore">
                {move || (settled.get() && is_explored.get()).then(|| part::apart("tools of the chart", move |here| part::exploring::tools(here, plotted)))}
            </div>
            <p class="vh summed" id="chart-summary">{described}</p>
            <figcaption>
                <p>{move || words::comparison(&dashboard.read(), &zone.read())}</p>
                <p>"Numbers mark the timeline. "{move || scene.read().as_ref().map(words::sources)}</p>
            </figcaption>
        </figure>
    }
}
