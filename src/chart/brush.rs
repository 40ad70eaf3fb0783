//! Drawing over the chart: the stretch that is drawn over is what is shown next.

use chrono::TimeDelta;
use domain::incident::Window;
use leptos::ev::{self, PointerEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::figure::Plotted;
use super::option::{LEFT, Medium, RIGHT, below};
use crate::view::view;

/// A shorter way of the pointer is a click, in pixels.
const CLICK: i32 = 6;

/// A stretch that is being drawn over.
#[derive(Clone, Copy)]
struct Brush {
    plotted: Plotted,
    /// Where it began and where it is, in pixels from the plots' left edge.
    drawn: RwSignal<Option<(i32, i32)>>,
}

impl Brush {
    /// The pointer goes down: a mouse or a pen begins; a finger is on its way down the page.
    fn begin(self, event: &PointerEvent) {
        let (Some((x, y)), Some(drawing)) = (self.place(event), self.plotted.place.get_untracked()) else { return };
        let below =
            self.plotted.scene.with_untracked(|scene| scene.as_ref().map_or(0, |scene| below(scene, Medium::Screen)));
        let (width, height) = self.plotted.size.get_untracked();
        let is_there = event.target().is_some_and(|target| drawing.contains(target.dyn_ref::<web_sys::Node>()));
        let is_over = is_there && (LEFT..=width - RIGHT).contains(&x) && y < height - below;
        if event.button() != 0 || event.shift_key() || event.pointer_type() == "touch" || !is_over {
            return;
        }
        // What moves outside of the chart still moves the end.
        let _ = drawing.set_pointer_capture(event.pointer_id());
        self.drawn.set(Some((x - LEFT, x - LEFT)));
    }

    /// The pointer moves.
    fn go_on(self, event: &PointerEvent) {
        let (Some((from, _)), Some((x, _))) = (self.drawn.get_untracked(), self.place(event)) else { return };
        self.drawn.set(Some((from, (x - LEFT).clamp(0, self.width()))));
    }

    /// The pointer goes up: what was drawn over is shown.
    fn end(self, event: &PointerEvent) {
        self.go_on(event);
        let (drawn, view) =
            (self.drawn.get_untracked(), self.plotted.moving.get_untracked().or(self.plotted.view.get_untracked()));
        self.give_up();
        let Some(((one, other), view)) = drawn.zip(view) else { return };
        if (one - other).abs() >= CLICK {
            self.plotted.show.run(Some(stretch(view, one.min(other), one.max(other), self.width())));
        }
    }

    /// Nothing is drawn over any more.
    fn give_up(self) {
        if self.drawn.get_untracked().is_some() {
            self.drawn.set(None);
        }
    }

    fn width(self) -> i32 {
        (self.plotted.size.get_untracked().0 - LEFT - RIGHT).max(1)
    }

    /// Where the pointer is in the drawing.
    fn place(self, event: &PointerEvent) -> Option<(i32, i32)> {
        let corner = self.plotted.place.get_untracked()?.get_bounding_client_rect();
        #[expect(clippy::cast_possible_truncation, reason = "pixels of a screen")]
        let (left, top) = (corner.left().round() as i32, corner.top().round() as i32);
        Some((event.client_x() - left, event.client_y() - top))
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

/// Lets a pointer draw over the chart, and shows what it has drawn over.
#[component]
pub fn Brushed(
    /// What is drawn.
    plotted: Plotted,
) -> impl IntoView {
    let brush = Brush { plotted, drawn: RwSignal::new(None) };
    let down = window_event_listener(ev::pointerdown, move |event| brush.begin(&event));
    let moved = window_event_listener(ev::pointermove, move |event| brush.go_on(&event));
    let up = window_event_listener(ev::pointerup, move |event| brush.end(&event));
    let cancelled = window_event_listener(ev::pointercancel, move |_| brush.give_up());
    let escape = window_event_listener(ev::keydown, move |event| {
        if event.key() == "Escape" {
            brush.give_up();
        }
    });
    on_cleanup(move || {
        for listener in [down, moved, up, cancelled, escape] {
            listener.remove();
        }
    });
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
