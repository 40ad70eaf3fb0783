//! The drawing: it is started, kept up to date, and ended; what is over it comes once it is drawn.

use std::time::Duration;

use domain::incident::Window;
use js_sys::Array;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::*;

use super::dress::{TICK, dressed, field, instant};
use super::echarts::{self, Chart};
use super::figure::Plotted;
use super::incident::Charted;
use super::marks::Marks;
use super::option::{self, LEFT, Medium, Palette, RIGHT, ROLES, TOP};
use crate::part;
use crate::state::theme::ThemeState;
use crate::view::view;

/// How far the library has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Library {
    Loading,
    Ready,
    Failed,
}

/// The drawing.
#[component]
pub fn Canvas(
    /// What is drawn.
    plotted: Plotted,
) -> impl IntoView {
    let Plotted { charted, scene, view, moving, size, show, place, .. } = plotted;
    let Charted { dashboard, zone, marked, settled, .. } = charted;
    let now = Memo::new(move |_| moving.get().or(view.get()));
    let width = Signal::derive(move || size.get().0 - LEFT - RIGHT);
    let library = RwSignal::new(Library::Loading);
    let chart = StoredValue::new_local(None::<Chart>);
    let drawn = RwSignal::new(false);
    Effect::new(move || {
        let is_over = drawn.get() || *library.read() == Library::Failed;
        // What waits for it is drawn once.
        if is_over && !settled.get_untracked() {
            settled.set(true);
        }
    });
    // Ticks are chosen again only where there is room for another number of them.
    let room = Memo::new(move |_| size.get().0 / TICK * TICK);
    Effect::new(move || {
        view.track();
        moving.set(None);
    });
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
        let Some(mut scene) = scene.get() else { return };
        // The colours are read anew whenever the theme changes.
        theme.is_dark.track();
        let started = chart.with_value(Clone::clone).or_else(|| {
            let started = echarts::start(&element).ok()?;
            let attached = listen(&started, moving, show);
            listener.set_value(Some(attached));
            let resized = started.clone();
            let watched = element.clone();
            let resize = Closure::<dyn FnMut()>::new(move || {
                let now = (watched.client_width(), watched.client_height());
                // Not on paper, where it has no size.
                if now.0 > 0 && size.try_get_untracked().is_some_and(|before| before != now) {
                    resized.resize();
                    let _ = size.try_set(now);
                }
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
        // What arrives while somebody zooms leaves the zoom where it is.
        if let Some(moving) = moving.get_untracked().filter(|_| view.get_untracked() == Some(scene.view)) {
            scene.view = moving;
        }
        let Some(built) = dressed(&scene, Medium::Screen, &palette(&element, false), room.get(), &zone.read()) else {
            return;
        };
        started.set_option(&built, true);
        if !drawn.get_untracked() {
            drawn.set(true);
        }
    });
    on_cleanup(move || {
        if let Some(Some((observer, _))) = observer.try_update_value(Option::take) {
            observer.disconnect();
        }
        if let Some(Some(chart)) = chart.try_update_value(Option::take) {
            chart.dispose();
        }
    });
    let style = move || {
        let scene = scene.read();
        let scene = scene.as_ref()?;
        let plot = if option::has_rate(scene) { "" } else { "--plot:0px;" };
        let (beside, below) = (option::beside(scene, Medium::Screen), option::below(scene, Medium::Screen));
        Some(format!("{plot}--beside:{beside}px;--top:{TOP}px;--below:{below}px"))
    };
    view! {
        <div
            class="canvas"
            // A wheel on its way down the page must not be caught by the chart; with Ctrl it zooms.
            on:wheel:capture=|event| if !event.ctrl_key() { event.stop_propagation() }
            data-chart=move || drawn.get().then_some("drawn")
            style=style
        >
            {ROLES.map(|role| view! { <i class=format!("probe {role}")></i> }).collect_view()}
            <div class="drawing" role="img" tabindex="0" aria-label="Error rate by minute; described below"
                aria-describedby="chart-summary chart-keys" node_ref=place></div>
            {move || plotted.is_explored.get().then(|| part::here().map(|here| part::exploring::hands(here, plotted)))}
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

/// The colours that the page's roles have now, or have on paper.
pub fn palette(element: &web_sys::Element, is_paper: bool) -> Palette {
    let around = element.parent_element();
    let on_paper = |class: &str| {
        if let Some(around) = around.as_ref().filter(|_| is_paper) {
            let _ = around.set_attribute("data-paper", class);
        }
    };
    on_paper("light");
    let color = |role: &str| {
        let probe = around.as_ref()?.query_selector(&format!(".probe.{role}")).ok().flatten()?;
        window().get_computed_style(&probe).ok().flatten()?.get_property_value("color").ok()
    };
    let palette = Palette(ROLES.iter().map(|role| (*role, color(role).unwrap_or_default())).collect());
    on_paper("");
    palette
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
