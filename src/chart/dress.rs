//! What the option takes and charming cannot say: functions, patterns, ticks of the chosen zone, the slider's colours.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::incident::Window;
use domain::signal::Signal as Series;
use domain::wire::incidents::Dashboard;
use js_sys::{Array, Function, JSON, Object, Reflect};
use wasm_bindgen::prelude::*;

use super::option::{self, Palette};
use super::{ticks, words};
use crate::state::zone::Zone;

/// A part of an object of JavaScript.
pub fn field(value: &JsValue, key: &str) -> JsValue {
    Reflect::get(value, &key.into()).unwrap_or_default()
}

/// An instant from its milliseconds.
pub fn instant(value: &JsValue) -> Option<DateTime<Utc>> {
    #[expect(clippy::cast_possible_truncation, reason = "milliseconds since 1970 are far below 2^53")]
    let millis = value.as_f64()? as i64;
    DateTime::from_timestamp_millis(millis)
}

fn set(on: &JsValue, key: &str, value: &JsValue) {
    let _ = Reflect::set(on, &key.into(), value);
}

/// Functions cannot be part of an option as text: the page allows no code made of text.
fn set_function(on: &JsValue, key: &str, body: impl Fn(JsValue) -> String + 'static) {
    let function: Function = Closure::<dyn Fn(JsValue) -> String>::new(body).into_js_value().unchecked_into();
    set(on, key, &function);
}

/// Adds to a built option what charming cannot say.
pub fn dress(
    option: &JsValue,
    dashboard: Arc<Dashboard>,
    series: Series,
    (view, most): (Window, usize),
    zone: Zone,
    palette: &Palette,
) {
    let axis = Array::from(&field(option, "xAxis")).get(0);
    let around = Window { from: view.from - (view.until - view.from), until: view.until + (view.until - view.from) };
    let at = ticks::ticks(around, most * 3, &zone);
    let at: Array = at.into_iter().map(|at| JsValue::from_f64(option::millis(at))).collect();
    let label = field(&axis, "axisLabel");
    set(&label, "customValues", &at);
    set(&field(&axis, "axisTick"), "customValues", &at);
    set(&label, "hideOverlap", &true.into());
    let shown = zone.clone();
    set_function(&label, "formatter", move |value| {
        instant(&value).map_or_else(String::new, |at| ticks::label(at, &shown))
    });
    for zoom in Array::from(&field(option, "dataZoom")).iter() {
        // The slider would write its ends in the browser's zone, whatever the reader chose; and a finger that is on its
        // way down the page must not be caught by the chart.
        assign(&zoom, &zooming(palette));
    }
    for series in Array::from(&field(option, "series")).iter() {
        if field(&series, "name") == option::BAND {
            let style = field(&field(&series, "markArea"), "itemStyle");
            if let Ok(pattern) = JSON::parse(&hatch(&palette.flag)) {
                set(&style, "color", &pattern);
            }
        }
    }
    let tooltip = field(option, "tooltip");
    assign(&tooltip, &box_style(palette));
    set(&tooltip, "renderMode", &"richText".into());
    set(&tooltip, "confine", &true.into());
    set_function(&tooltip, "formatter", move |shown| {
        let first = if Array::is_array(&shown) { Array::from(&shown).get(0) } else { shown };
        instant(&field(&first, "axisValue"))
            .map_or_else(String::new, |at| words::tooltip(&dashboard, &series, at, &zone))
    });
}

fn assign(on: &JsValue, json: &str) {
    if let Ok(more) = JSON::parse(json) {
        let _ = Object::<JsValue>::assign(on.unchecked_ref(), more.unchecked_ref());
    }
}

/// The tooltip in the page's colours.
fn box_style(palette: &Palette) -> String {
    let Palette { ink, rule, surface, .. } = palette;
    format!(r#"{{"backgroundColor":"{surface}","borderColor":"{rule}","textStyle":{{"color":"{ink}"}}}}"#)
}

/// How the chart is zoomed, in the page's colours.
fn zooming(palette: &Palette) -> String {
    let Palette { quiet, rule, surface, .. } = palette;
    let faint = format!(r#"{{"lineStyle":{{"color":"{quiet}"}},"areaStyle":{{"color":"{rule}"}}}}"#);
    format!(
        r#"{{"showDetail":false,"preventDefaultMouseMove":false,"handleStyle":{{"color":"{surface}","borderColor":"{quiet}"}},
        "moveHandleStyle":{{"color":"{rule}"}},"dataBackground":{faint},"selectedDataBackground":{faint}}}"#
    )
}

/// Slanted lines, so that the band is told by more than its colour.
fn hatch(color: &str) -> String {
    let picture = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><path d='M-1 1 1-1M0 9 9 0M8 10 10 8' \
         stroke='{color}'/></svg>"
    );
    let picture = js_sys::encode_uri_component(&picture);
    format!(r#"{{"image":"data:image/svg+xml,{picture}","repeat":"repeat"}}"#)
}
