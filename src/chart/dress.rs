//! What an option takes and text cannot say: numbers as they are, and functions, of which the page allows none as text.

use chrono::{DateTime, Utc};
use domain::incident::Window;
use js_sys::{Array, Float64Array, Function, JSON, Reflect};
use wasm_bindgen::prelude::*;

use super::option::{self, Drawing, LEFT, Medium, Palette, RIGHT};
use super::scene::Scene;
use super::ticks;
use crate::format;
use crate::part;
use crate::state::zone::Zone;

/// How many pixels two ticks are apart at least.
pub const TICK: i32 = 90;

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

fn set_function(on: &JsValue, key: &str, body: impl Fn(JsValue) -> String + 'static) {
    let function: Function = Closure::<dyn Fn(JsValue) -> String>::new(body).into_js_value().unchecked_into();
    set(on, key, &function);
}

/// The option of a scene as ECharts takes it, for so many pixels.
pub fn dressed(scene: &Scene, medium: Medium, palette: &Palette, width: i32, zone: &Zone) -> Option<JsValue> {
    let drawing = Drawing::new(scene, medium, width - LEFT - RIGHT);
    let option = JSON::parse(&palette.paint(&drawing.json)).ok()?;
    let series = Array::from(&field(&option, "series"));
    for (series, numbers) in series.iter().zip(&drawing.numbers).filter(|(_, numbers)| !numbers.is_empty()) {
        set(&series, "data", &Float64Array::from(numbers.as_slice()));
    }
    let Window { from, until } = scene.view;
    let around = match medium {
        Medium::Screen => Window { from: from - (until - from), until: until + (until - from) },
        Medium::Picture => scene.view,
    };
    let most = usize::try_from(width / TICK).unwrap_or(0).max(2);
    let most = if medium == Medium::Screen { most * 3 } else { most };
    let at = ticks::ticks(around, most, zone);
    let at: Array = at.into_iter().map(|at| JsValue::from_f64(option::millis(at))).collect();
    for axis in Array::from(&field(&option, "xAxis")).iter() {
        let label = field(&axis, "axisLabel");
        set(&label, "customValues", &at);
        set(&label, "hideOverlap", &true.into());
        set(&field(&axis, "axisTick"), "customValues", &at);
        let shown = zone.clone();
        set_function(&label, "formatter", move |value| {
            instant(&value).map_or_else(String::new, |at| ticks::label(at, &shown))
        });
    }
    for axis in Array::from(&field(&option, "yAxis")).iter() {
        let label = field(&axis, "axisLabel");
        // The rate's says how its numbers are written.
        if field(&label, "formatter").is_undefined() {
            set_function(&label, "formatter", |value| format::short(value.as_f64().unwrap_or_default()));
        }
    }
    let (scene, zone) = (scene.clone(), zone.clone());
    set_function(&field(&option, "tooltip"), "formatter", move |shown| {
        let first = if Array::is_array(&shown) { Array::from(&shown).get(0) } else { shown };
        let told = instant(&field(&first, "axisValue")).zip(part::here());
        told.map_or_else(String::new, |(at, here)| part::exploring::tooltip(here, &scene, at, &zone))
    });
    Some(option)
}
