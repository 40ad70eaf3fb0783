//! What a drawn chart can be explored with: hands and keys over it, the tools below it.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::brush::Brushed;
use super::figure::Plotted;
use super::finer;
use super::legend::Legend;
use super::paper::Paper;
use super::picture::{Take, take};
use crate::components::Asking;
use crate::view::view;

/// Lets hands and keys move the view, and paper have the chart; it stands over the drawing.
#[component]
pub fn Hands(
    /// What is drawn.
    plotted: Plotted,
) -> impl IntoView {
    let keys = window_event_listener(ev::keydown, move |event| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Node>().ok());
        let is_here = plotted.place.get_untracked().is_some_and(|place| place.is_same_node(target.as_ref()));
        if !is_here || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        match event.key().as_str() {
            "ArrowLeft" => plotted.shift(1.0, -0.25),
            "ArrowRight" => plotted.shift(1.0, 0.25),
            "+" | "=" => plotted.shift(0.5, 0.0),
            "-" => plotted.shift(2.0, 0.0),
            "Home" | "0" => plotted.show.run(None),
            _ => return,
        }
        event.prevent_default();
    });
    on_cleanup(move || keys.remove());
    view! {
        <p class="keys" id="chart-keys">"Keys: ← and → move, + and − zoom, 0 shows the first view. Drawing over the chart zooms to a stretch."</p>
        <Brushed plotted/>
        <Paper plotted/>
    }
}

/// The legend, and what the chart can be saved as; it reads more of the series where more can be seen.
#[component]
pub fn Tools(
    /// What is drawn.
    plotted: Plotted,
) -> impl IntoView {
    let trouble = finer::follow(plotted);
    plotted.is_explored.set(true);
    on_cleanup(move || {
        let _ = plotted.is_explored.try_set(false);
    });
    let asking = Asking::get();
    let save = move |label: &'static str, name: &'static str, as_what: Take| {
        let click = move |_| {
            if let Err(why) = take(plotted, as_what, asking) {
                asking.fail(why);
            }
        };
        view! { <button class="ghost" aria-label=name on:click=click>{label}</button> }
    };
    view! {
        <div class="bar">
            <Legend plotted/>
            <div class="tools" role="group" aria-label="Save the chart">
                <span class="tools" hidden=move || plotted.is_table.get()>
                    {save("PNG", "Save as PNG", Take::Png)}
                    {save("SVG", "Save as SVG", Take::Svg)}
                </span>
                {save("CSV", "Save as CSV", Take::Csv)}
            </div>
        </div>
        {move || trouble.told.get().map(|why| view! {
            <p class="said" role="status">"More of the chart could not be read. "{why}" "
                <button class="ghost" on:click=move |_| trouble.try_again()>"Try again"</button></p>
        })}
    }
}
