//! Drawing over the chart: the stretch that is drawn over is what is shown next.

use chrono::TimeDelta;
use domain::incident::Window;
use leptos::ev::{self, PointerEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::option::{LEFT, RIGHT};
use crate::view::view;

/// A shorter way of the pointer is a click, in pixels.
const CLICK: i32 = 6;

/// A stretch that is being drawn over.
#[derive(Clone, Copy)]
pub struct Brush {
    view: Memo<Option<Window>>,
    size: RwSignal<(i32, i32)>,
    /// The pixels below the plots.
    below: Signal<i32>,
    show: Callback<Option<Window>>,
    /// Where it began and where it is, in pixels from the plots' left edge.
    drawn: RwSignal<Option<(i32, i32)>>,
}

impl Brush {
    /// Nothing is drawn over.
    pub fn new(
        view: Memo<Option<Window>>,
        size: RwSignal<(i32, i32)>,
        below: Signal<i32>,
        show: Callback<Option<Window>>,
    ) -> Self {
        let brush = Self { view, size, below, show, drawn: RwSignal::new(None) };
        let escape = window_event_listener(ev::keydown, move |event| {
            if event.key() == "Escape" {
                brush.give_up();
            }
        });
        on_cleanup(move || escape.remove());
        brush
    }

    /// The pointer goes down: a mouse or a pen begins; a finger is on its way down the page.
    pub fn begin(self, event: &PointerEvent) {
        let Some((x, y, canvas)) = place(event) else { return };
        let (width, height) = self.size.get_untracked();
        let is_over = (LEFT..=width - RIGHT).contains(&x) && y < height - self.below.get_untracked();
        if event.button() != 0 || event.shift_key() || event.pointer_type() == "touch" || !is_over {
            return;
        }
        let _ = canvas.set_pointer_capture(event.pointer_id());
        self.drawn.set(Some((x - LEFT, x - LEFT)));
    }

    /// The pointer moves.
    pub fn go_on(self, event: &PointerEvent) {
        let (Some((from, _)), Some((x, ..))) = (self.drawn.get_untracked(), place(event)) else { return };
        self.drawn.set(Some((from, (x - LEFT).clamp(0, self.width()))));
    }

    /// The pointer goes up: what was drawn over is shown.
    pub fn end(self, event: &PointerEvent) {
        self.go_on(event);
        let (drawn, view) = (self.drawn.get_untracked(), self.view.get_untracked());
        self.give_up();
        let Some(((one, other), view)) = drawn.zip(view) else { return };
        if (one - other).abs() >= CLICK {
            self.show.run(Some(stretch(view, one.min(other), one.max(other), self.width())));
        }
    }

    /// Nothing is drawn over any more.
    pub fn give_up(self) {
        if self.drawn.get_untracked().is_some() {
            self.drawn.set(None);
        }
    }

    fn width(self) -> i32 {
        (self.size.get_untracked().0 - LEFT - RIGHT).max(1)
    }
}

/// What of a view lies between two of its pixels.
fn stretch(view: Window, left: i32, right: i32, width: i32) -> Window {
    let at = |x: i32| {
        let along = (view.until - view.from).num_milliseconds() * i64::from(x) / i64::from(width);
        view.from + TimeDelta::milliseconds(along)
    };
    Window { from: at(left), until: at(right) }
}

/// Where the pointer is in the canvas, and the canvas.
fn place(event: &PointerEvent) -> Option<(i32, i32, web_sys::Element)> {
    let canvas: web_sys::Element = event.current_target()?.dyn_into().ok()?;
    let corner = canvas.get_bounding_client_rect();
    #[expect(clippy::cast_possible_truncation, reason = "pixels of a screen")]
    let (left, top) = (corner.left().round() as i32, corner.top().round() as i32);
    Some((event.client_x() - left, event.client_y() - top, canvas))
}

/// What is being drawn over.
#[component]
pub fn Brushed(
    /// The brush.
    brush: Brush,
) -> impl IntoView {
    move || {
        brush.drawn.get().map(|(one, other)| {
            let (left, width) = (LEFT + one.min(other), (one - other).abs());
            view! { <i class="brush" style=format!("left:{left}px;width:{width}px")></i> }
        })
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::*;

    #[test]
    fn a_stretch_is_what_its_pixels_show() {
        let at = |minutes: i64| DateTime::<Utc>::UNIX_EPOCH + TimeDelta::minutes(minutes);
        let view = Window { from: at(0), until: at(100) };
        assert_eq!(stretch(view, 0, 500, 500), view);
        assert_eq!(stretch(view, 100, 150, 500), Window { from: at(20), until: at(30) });
    }
}
