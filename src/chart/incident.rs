//! The component that draws the chart, keeps it up to date, and ends it.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::incident::Window;
use domain::signal::{Signal as Series, first_view};
use domain::wire::incidents::Dashboard;
use js_sys::{Array, Function, Object, Reflect};
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::*;

use super::echarts::{self, Chart};
use super::option::{self, MARKS, Palette};
use super::words;
use crate::client;
use crate::format;
use crate::state::address;
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
    marked: RwSignal<Option<usize>>,
) -> impl IntoView {
    let has_signal = Memo::new(move |_| dashboard.read().signals.first().is_some_and(|signal| !signal.bins.is_empty()));
    view! {
        <section class="chart" aria-labelledby="chart">
            {move || if has_signal.get() {
                view! { <Figure dashboard zone marked/> }.into_any()
            } else {
                view! {
                    <h2 id="chart">"Error rate against the flag"</h2>
                    <p class="empty">"No events have been imported: "<code>{move || format!("debrief import events {} FILE", dashboard.read().name)}</code></p>
                }
                .into_any()
            }}
        </section>
    }
}

#[component]
fn Figure(dashboard: Memo<Arc<Dashboard>>, zone: Memo<Zone>, marked: RwSignal<Option<usize>>) -> impl IntoView {
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
                if let Ok(page) = client::incidents::signals(id.as_str()).await {
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
                view! { <Table dashboard series view zone/> }.into_any()
            } else {
                view! { <Canvas dashboard series view zone marked show=Callback::new(show)/> }.into_any()
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
    marked: RwSignal<Option<usize>>,
    show: Callback<Option<Window>>,
) -> impl IntoView {
    let place = NodeRef::<html::Div>::new();
    let library = RwSignal::new(Library::Loading);
    let chart = StoredValue::new_local(None::<Chart>);
    let drawn = RwSignal::new(false);
    let theme = expect_context::<ThemeState>();
    let load = move || {
        library.set(Library::Loading);
        spawn_local(async move {
            let loaded = echarts::load().await;
            let _ = library.try_set(if loaded.is_ok() { Library::Ready } else { Library::Failed });
        });
    };
    load();
    let listeners = StoredValue::new_local(Vec::<Closure<dyn FnMut(JsValue)>>::new());
    let observer = StoredValue::new_local(None::<(web_sys::ResizeObserver, Closure<dyn FnMut()>)>);
    let mouse_left = move |_| marked.set(None);
    Effect::new(move || {
        let (Library::Ready, Some(element)) = (library.get(), place.get()) else { return };
        let (Some(series), Some(view)) = (series.get(), view.get()) else { return };
        let (dashboard, zone) = (dashboard.get(), zone.get());
        // The colours are read anew whenever the theme changes.
        let _ = theme.is_dark.get();
        let started = chart.with_value(Clone::clone).or_else(|| {
            let started = echarts::start(&element).ok()?;
            let attached = listen(&started, marked, show);
            listeners.set_value(attached);
            let resized = started.clone();
            let resize = Closure::<dyn FnMut()>::new(move || resized.resize());
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
        let built = option::option(&dashboard, &series, view, &palette(&element));
        let Ok(built) = serde_wasm_bindgen::to_value(&built) else { return };
        set_formatters(&built, dashboard, series, zone);
        started.set_option(&built, true);
        drawn.set(true);
    });
    Effect::new(move |before: Option<Option<usize>>| {
        let now = marked.get();
        if let (true, Some(chart)) = (drawn.get(), chart.with_value(Clone::clone)) {
            for (action, index) in [("downplay", before.flatten()), ("highlight", now)] {
                if let Some(index) = index {
                    chart.dispatch(&point(action, index));
                }
            }
        }
        now
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
        <div class="canvas" role="img" aria-label="Error rate by minute; described below" on:mouseleave=mouse_left
            data-chart=move || drawn.get().then_some("drawn")>
            {["ink", "quiet", "rule", "surface", "bad", "warn", "flag"].map(|role| view! { <i class=format!("probe {role}")></i> }).collect_view()}
            <div class="drawing" node_ref=place></div>
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

fn point(action: &str, index: usize) -> JsValue {
    let object = Object::new();
    let index = u32::try_from(index).unwrap_or(u32::MAX);
    for (key, value) in [("type", JsValue::from(action)), ("seriesIndex", MARKS.into()), ("dataIndex", index.into())] {
        let _ = Reflect::set(&object, &key.into(), &value);
    }
    object.into()
}

fn field(value: &JsValue, key: &str) -> JsValue {
    Reflect::get(value, &key.into()).unwrap_or_default()
}

fn instant(value: &JsValue) -> Option<DateTime<Utc>> {
    #[expect(clippy::cast_possible_truncation, reason = "milliseconds since 1970 are far below 2^53")]
    let millis = value.as_f64()? as i64;
    DateTime::from_timestamp_millis(millis)
}

/// Puts functions where the option takes them: they cannot be part of it, since the page allows no code made of text.
fn set_formatters(option: &JsValue, dashboard: Arc<Dashboard>, series: Series, zone: Zone) {
    let axes = field(option, "xAxis");
    let first = if Array::is_array(&axes) { Array::from(&axes).get(0) } else { axes };
    let label = field(&first, "axisLabel");
    let shown = zone.clone();
    set_function(&label, "formatter", move |value| {
        instant(&value).map_or_else(String::new, |at| {
            let time = format::time(at, &shown);
            if time == "00:00" { format::due(format::day(at, &shown)) } else { time }
        })
    });
    let _ = Reflect::set(&label, &"hideOverlap".into(), &true.into());
    // The slider would write its ends in the browser's zone, whatever the reader chose.
    for zoom in Array::from(&field(option, "dataZoom")).iter() {
        let _ = Reflect::set(&zoom, &"showDetail".into(), &false.into());
    }
    let tooltip = field(option, "tooltip");
    let _ = Reflect::set(&tooltip, &"renderMode".into(), &"richText".into());
    let _ = Reflect::set(&tooltip, &"confine".into(), &true.into());
    set_function(&tooltip, "formatter", move |shown| {
        let first = if Array::is_array(&shown) { Array::from(&shown).get(0) } else { shown };
        instant(&field(&first, "axisValue"))
            .map_or_else(String::new, |at| words::tooltip(&dashboard, &series, at, &zone))
    });
}

fn set_function(on: &JsValue, key: &str, body: impl Fn(JsValue) -> String + 'static) {
    let function: Function = Closure::<dyn Fn(JsValue) -> String>::new(body).into_js_value().unchecked_into();
    let _ = Reflect::set(on, &key.into(), &function);
}

/// Ties the chart to the page: marks that are pointed at, and the view as it is zoomed.
fn listen(
    chart: &Chart,
    marked: RwSignal<Option<usize>>,
    show: Callback<Option<Window>>,
) -> Vec<Closure<dyn FnMut(JsValue)>> {
    let over = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        if field(&event, "seriesName") == "Timeline"
            && let Some(index) = field(&event, "dataIndex").as_f64()
        {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the index of an entry")]
            marked.set(Some(index as usize));
        }
    });
    let out = Closure::<dyn FnMut(JsValue)>::new(move |_| marked.set(None));
    let zoomed = chart.clone();
    let pending = StoredValue::new_local(None::<TimeoutHandle>);
    let zoom = Closure::<dyn FnMut(JsValue)>::new(move |_| {
        let zooms = Array::from(&field(&zoomed.get_option(), "dataZoom")).get(0);
        let Some((from, until)) = instant(&field(&zooms, "startValue")).zip(instant(&field(&zooms, "endValue"))) else {
            return;
        };
        // The address follows once the hand rests.
        if let Some(Some(earlier)) = pending.try_update_value(Option::take) {
            earlier.clear();
        }
        let later = set_timeout_with_handle(move || show.run(Some(Window { from, until })), Duration::from_millis(250));
        pending.set_value(later.ok());
    });
    chart.on("mouseover", &over);
    chart.on("mouseout", &out);
    chart.on("datazoom", &zoom);
    vec![over, out, zoom]
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
