//! The component that draws the chart, keeps it up to date, and ends it.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::flag;
use domain::incident::Window;
use domain::person::Role;
use domain::signal::{Signal as Series, first_view};
use domain::wire::incidents::Dashboard;
use js_sys::Array;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::*;

use super::dress::{dress, field, instant};
use super::echarts::{self, Chart};
use super::marks::{Marked, Marks};
use super::option::{self, Palette};
use super::words;
use crate::client;
use crate::state::address;
use crate::state::session::Session;
use crate::state::theme::ThemeState;
use crate::state::zone::Zone;
use crate::view::view;

/// How far the library has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Library {
    Loading,
    Ready,
    Failed,
}

/// The error rate against the flags' states, tied to the timeline through `marked`.
#[component]
pub fn IncidentChart(
    /// The incident.
    dashboard: Memo<Arc<Dashboard>>,
    /// The zone that times are shown in.
    zone: Memo<Zone>,
    /// The timeline entry that is pointed at, here or in the list.
    marked: Marked,
    /// The share link that the incident is read under, if it is.
    link: Option<Memo<String>>,
    /// Becomes true once the chart is drawn, or will not be: what may come after it begins then.
    settled: RwSignal<bool>,
) -> impl IntoView {
    let session = Session::get();
    let has_signal = Memo::new(move |_| dashboard.read().signals.first().is_some_and(|signal| !signal.bins.is_empty()));
    view! {
        <section class="chart" aria-labelledby="chart">
            {move || if has_signal.get() {
                view! { <Figure dashboard zone marked link settled/> }.into_any()
            } else {
                settled.set(true);
                let may_import = link.is_none() && session.is(Role::Editor);
                let command = may_import.then(|| view! { ": "<code>{["debrief import events ", &dashboard.read().name, " FILE"].concat()}</code> });
                view! {
                    <h2 id="chart">"Error rate against the flag"</h2>
                    <p class="empty">"No events have been imported"{command}</p>
                }
                .into_any()
            }}
        </section>
    }
}

#[component]
fn Figure(
    dashboard: Memo<Arc<Dashboard>>,
    zone: Memo<Zone>,
    marked: Marked,
    link: Option<Memo<String>>,
    settled: RwSignal<bool>,
) -> impl IntoView {
    let (shown_as, keep_shown_as) = (address::query("view"), address::keeper("view"));
    let (from, keep_from) = (address::query("from"), address::keeper("from"));
    let (until, keep_until) = (address::query("until"), address::keeper("until"));
    let is_table = Memo::new(move |_| shown_as.read().as_deref() == Some("table"));
    let whole = RwSignal::new(None::<Series>);
    let series = Signal::derive(move || whole.get().or_else(|| dashboard.read().signals.first().cloned()));
    let first = Memo::new(move |_| {
        let dashboard = dashboard.read();
        let window = Window::of(dashboard.started_at, dashboard.ended_at);
        first_view(window, dashboard.signals.first().and_then(|signal| signal.span))
    });
    // What the address says; what is not in it, or cannot be read, is the first view.
    let parsed = |text: Option<String>| text.and_then(|text| text.parse::<DateTime<Utc>>().ok());
    let view = Memo::new(move |_| {
        let asked = parsed(from.get()).zip(parsed(until.get())).filter(|(from, until)| from < until);
        asked.map(|(from, until)| Window { from, until }).or(first.get())
    });
    let show = move |view: Option<Window>| {
        let text = |at: DateTime<Utc>| at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
        keep_from(view.map(|view| text(view.from)));
        keep_until(view.map(|view| text(view.until)));
    };
    // The dashboard holds the first view; the rest comes when the chart is there, so that the facts need not wait.
    Effect::new(move |before: Option<i64>| {
        let (id, version) = {
            let d = dashboard.read();
            (d.id.clone(), d.version)
        };
        if before != Some(version) {
            spawn_local(async move {
                let answer = match link.map(|link| link.get_untracked()) {
                    Some(link) => client::incidents::shared_signals(&link).await,
                    None => client::incidents::signals(id.as_str()).await,
                };
                if let Ok(page) = answer {
                    let _ = whole.try_set(page.items.into_iter().next());
                }
            });
        }
        version
    });
    let moved = move |scale: f64, by: f64| {
        let Some(now) = view.get_untracked() else { return };
        let limits = series.with_untracked(|series| series.as_ref().map_or(now, |series| option::whole(series, now)));
        show(Some(shifted(now, limits, scale, by)));
    };
    let button = move |label: &'static str, scale: f64, by: f64| {
        view! { <button class="ghost" on:click=move |_| moved(scale, by)>{label}</button> }
    };
    let caption = move || words::comparison(&dashboard.read(), &zone.read());
    let source = move || series.read().as_ref().map(words::source);
    let description = move || {
        let (series, view) = (series.get()?, view.get()?);
        Some(words::summary(&dashboard.read(), &series, view, &zone.read()))
    };
    view! {
        <figure aria-labelledby="chart">
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
                    <button class="ghost" aria-pressed=move || is_table.get().to_string()
                        on:click=move |_| keep_shown_as((!is_table.get_untracked()).then(|| "table".to_owned()))>
                        {move || if is_table.get() { "Show as chart" } else { "Show as table" }}
                    </button>
                </div>
            </div>
            {move || if is_table.get() {
                settled.set(true);
                view! { <Table dashboard series view zone/> }.into_any()
            } else {
                view! { <Canvas dashboard series view zone marked show=Callback::new(show) settled/> }.into_any()
            }}
            <p class="vh">{move || description()}</p>
            <figcaption><p>{move || caption()}</p><p>"Numbers mark the timeline. "{move || source()}</p></figcaption>
        </figure>
    }
}

/// A view scaled about its middle and moved by a part of its length, kept inside its limits.
fn shifted(view: Window, limits: Window, scale: f64, by: f64) -> Window {
    #[expect(clippy::cast_precision_loss, reason = "lengths in milliseconds stay far below 2^53")]
    let length = (view.until - view.from).num_milliseconds() as f64;
    #[expect(clippy::cast_possible_truncation, reason = "lengths in milliseconds stay far below 2^53")]
    let millis = |value: f64| TimeDelta::milliseconds(value as i64);
    let grown = (length * scale).max(300_000.0);
    let from = view.from + millis((length - grown) / 2.0 + length * by);
    let from = from.max(limits.from);
    let until = (from + millis(grown)).min(limits.until);
    let from = (until - millis(grown)).max(limits.from);
    if from < until { Window { from, until } } else { view }
}

#[component]
fn Canvas(
    dashboard: Memo<Arc<Dashboard>>,
    series: Signal<Option<Series>>,
    view: Memo<Option<Window>>,
    zone: Memo<Zone>,
    marked: Marked,
    show: Callback<Option<Window>>,
    settled: RwSignal<bool>,
) -> impl IntoView {
    let place = NodeRef::<html::Div>::new();
    let library = RwSignal::new(Library::Loading);
    let chart = StoredValue::new_local(None::<Chart>);
    // The theme that it is drawn in, once it is.
    let drawn = RwSignal::new(None::<bool>);
    Effect::new(move || {
        if drawn.read().is_some() || *library.read() == Library::Failed {
            settled.set(true);
        }
    });
    let size = RwSignal::new((1, 1));
    let most = Memo::new(move |_| usize::try_from(size.get().0 / 90).unwrap_or(0).max(2));
    let width = Signal::derive(move || f64::from(size.get().0 - 66));
    // What a hand that zooms sees, before the address follows.
    let moving = RwSignal::new(None::<Window>);
    let now = Signal::derive(move || moving.get().or(view.get()));
    let theme = expect_context::<ThemeState>();
    let load = move || {
        if library.try_set(Library::Loading).is_some() {
            return;
        }
        spawn_local(async move {
            let loaded = echarts::load().await;
            let _ = library.try_set(if loaded.is_ok() { Library::Ready } else { Library::Failed });
        });
    };
    // The facts' frame goes first: to start the library and to draw takes longer than all of the rest.
    request_animation_frame(move || set_timeout(load, Duration::ZERO));
    let listener = StoredValue::new_local(None::<Closure<dyn FnMut(JsValue)>>);
    let observer = StoredValue::new_local(None::<(web_sys::ResizeObserver, Closure<dyn FnMut()>)>);
    Effect::new(move || {
        let (Library::Ready, Some(element)) = (library.get(), place.get()) else { return };
        let (Some(series), Some(view)) = (series.get(), view.get()) else { return };
        let (dashboard, zone) = (dashboard.get(), zone.get());
        // The colours are read anew whenever the theme changes.
        let is_dark = theme.is_dark.get();
        moving.set(None);
        let started = chart.with_value(Clone::clone).or_else(|| {
            let started = echarts::start(&element).ok()?;
            let attached = listen(&started, moving, show);
            listener.set_value(Some(attached));
            let resized = started.clone();
            let watched = element.clone();
            let resize = Closure::<dyn FnMut()>::new(move || {
                resized.resize();
                let _ = size.try_set((watched.client_width(), watched.client_height()));
            });
            if let Ok(watching) = web_sys::ResizeObserver::new(resize.as_ref().unchecked_ref()) {
                watching.observe(&element);
                observer.set_value(Some((watching, resize)));
            }
            chart.set_value(Some(started.clone()));
            Some(started)
        });
        let Some(started) = started else {
            library.set(Library::Failed);
            return;
        };
        let palette = palette(&element);
        let built = option::option(&dashboard, &series, view, &palette);
        let Ok(built) = serde_wasm_bindgen::to_value(&built) else { return };
        dress(&built, dashboard, series, (view, most.get()), zone, &palette);
        started.set_option(&built, true);
        drawn.set(Some(is_dark));
    });
    on_cleanup(move || {
        if let Some(Some((observer, _))) = observer.try_update_value(Option::take) {
            observer.disconnect();
        }
        if let Some(Some(chart)) = chart.try_update_value(Option::take) {
            chart.dispose();
        }
    });
    view! {
        <div
            class="canvas"
            // A wheel on its way down the page must not be caught by the chart; with Ctrl it zooms.
            on:wheel:capture=|event| if !event.ctrl_key() { event.stop_propagation() }
            data-chart=move || drawn.get().map(|_| "drawn")
            data-dark=move || drawn.get().filter(|is_dark| *is_dark).map(|_| "")
            style=move || {
                let (width, height) = size.get();
                format!("--w:{width};--h:{height};--lanes:{}", flag::names(&dashboard.read().flags).len())
            }
        >
            {["ink", "quiet", "rule", "surface", "bad", "warn", "flag"].map(|role| view! { <i class=format!("probe {role}")></i> }).collect_view()}
            <div class="drawing" role="img" aria-label="Error rate by minute; described below" node_ref=place></div>
            <Marks dashboard view=now zone marked width/>
            {move || match library.get() {
                Library::Loading => view! { <p class="over" role="status">"Loading the chart…"</p> }.into_any(),
                Library::Failed => view! {
                    <p class="over" role="alert">"The chart could not be loaded; the table has its numbers. "
                        <button class="ghost" on:click=move |_| load()>"Try again"</button></p>
                }.into_any(),
                Library::Ready => ().into_any(),
            }}
        </div>
    }
}

/// The colours that the page's roles have now.
fn palette(element: &web_sys::Element) -> Palette {
    let color = |role: &str| {
        let probe = element.parent_element()?.query_selector(&format!(".probe.{role}")).ok().flatten()?;
        window().get_computed_style(&probe).ok().flatten()?.get_property_value("color").ok()
    };
    let color = |role| color(role).unwrap_or_default();
    Palette {
        ink: color("ink"),
        quiet: color("quiet"),
        rule: color("rule"),
        surface: color("surface"),
        bad: color("bad"),
        warn: color("warn"),
        flag: color("flag"),
    }
}

/// Follows the view as it is zoomed.
fn listen(
    chart: &Chart,
    moving: RwSignal<Option<Window>>,
    show: Callback<Option<Window>>,
) -> Closure<dyn FnMut(JsValue)> {
    let zoomed = chart.clone();
    let pending = StoredValue::new_local(None::<TimeoutHandle>);
    let zoom = Closure::<dyn FnMut(JsValue)>::new(move |_| {
        let zooms = Array::from(&field(&zoomed.get_option(), "dataZoom")).get(0);
        let Some((from, until)) = instant(&field(&zooms, "startValue")).zip(instant(&field(&zooms, "endValue"))) else {
            return;
        };
        moving.set(Some(Window { from, until }));
        // The address follows once the hand rests.
        if let Some(Some(earlier)) = pending.try_update_value(Option::take) {
            earlier.clear();
        }
        let later = set_timeout_with_handle(move || show.run(Some(Window { from, until })), Duration::from_millis(250));
        pending.set_value(later.ok());
    });
    chart.on("datazoom", &zoom);
    zoom
}

#[component]
fn Table(
    dashboard: Memo<Arc<Dashboard>>,
    series: Signal<Option<Series>>,
    view: Memo<Option<Window>>,
    zone: Memo<Zone>,
) -> impl IntoView {
    let rows = move || {
        let (series, view) = (series.get()?, view.get()?);
        let rows = words::rows(&dashboard.read(), &series, view, &zone.read());
        Some(
            rows.into_iter()
                .map(|row| {
                    view! {
                        <tr class:few=row.few>
                            <th scope="row">{row.time}</th><td>{row.attempts}</td><td>{row.failures}</td>
                            <td>{row.rate}{row.few.then_some(" (few attempts)")}</td><td>{row.flags}</td>
                        </tr>
                    }
                })
                .collect_view(),
        )
    };
    view! {
        <div class="numbers" tabindex="0" role="region" aria-label="The chart’s numbers">
            <table>
                <thead><tr>
                    <th scope="col">"Minute"</th><th scope="col">"Attempts"</th><th scope="col">"Failures"</th>
                    <th scope="col">"Rate"</th><th scope="col">"Flag"</th>
                </tr></thead>
                <tbody>{move || rows()}</tbody>
            </table>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(from: i64, until: i64) -> Window {
        let at = |minutes: i64| DateTime::<Utc>::UNIX_EPOCH + TimeDelta::minutes(minutes);
        Window { from: at(from), until: at(until) }
    }

    #[test]
    fn a_view_is_scaled_and_moved_inside_its_limits() {
        let limits = window(0, 100);
        assert_eq!(shifted(window(40, 60), limits, 0.5, 0.0), window(45, 55));
        assert_eq!(shifted(window(40, 60), limits, 2.0, 0.0), window(30, 70));
        assert_eq!(shifted(window(0, 80), limits, 2.0, 0.0), limits);
        assert_eq!(shifted(window(40, 60), limits, 1.0, 0.5), window(50, 70));
        assert_eq!(shifted(window(90, 100), limits, 1.0, 0.5), window(90, 100));
        assert_eq!(
            shifted(window(50, 52), limits, 0.5, 0.0).until - shifted(window(50, 52), limits, 0.5, 0.0).from,
            TimeDelta::minutes(5)
        );
    }
}
