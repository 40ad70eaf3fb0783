//! Where the reader is: the page's title, and what has the focus.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::Array;
use leptos::prelude::*;
use leptos::{ev, html};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{HtmlElement, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

/// The page's title, in the window's and for those who hear the page.
#[derive(Clone, Copy)]
pub struct Title {
    now: RwSignal<String>,
    /// What a live region says. The first page's title is left to the browser, which says it itself.
    pub said: RwSignal<String>,
}

impl Title {
    /// Sets the title up for the whole application.
    pub fn provide() -> Self {
        let title = Self { now: RwSignal::default(), said: RwSignal::default() };
        provide_context(title);
        title
    }

    /// The application's.
    pub fn get() -> Self {
        expect_context()
    }

    /// Names the page.
    pub fn set(self, title: &str) {
        let before = self.now.get_untracked();
        if before == title {
            return;
        }
        document().set_title(&format!("{title} · Debrief"));
        if !before.is_empty() {
            self.said.set(title.to_owned());
        }
        self.now.set(title.to_owned());
    }
}

/// Gives the focus to the page's content, without moving the page.
pub fn focus_content() {
    if let Some(main) = document().get_element_by_id("main") {
        focus_without_scrolling(&main);
    }
}

/// What has the focus, to be given back where what is done takes it away.
#[derive(Clone)]
pub struct Focused {
    element: HtmlElement,
    /// What it is called, for the one that is drawn in its place.
    called: String,
    /// The names of what it stands in, the nearest first.
    homes: Vec<String>,
}

/// What could have the focus.
const CONTROLS: &str = "a[href], button, summary, input, select, textarea";

impl Focused {
    /// What has the focus now, if anything has.
    pub fn now() -> Option<Self> {
        let element: HtmlElement = document().active_element()?.dyn_into().ok()?;
        if element.tag_name() == "BODY" {
            return None;
        }
        let mut homes = Vec::new();
        let mut around = element.closest("[id][tabindex]").ok().flatten();
        while let Some(home) = around {
            homes.push(home.id());
            around = home.parent_element().and_then(|outer| outer.closest("[id][tabindex]").ok().flatten());
        }
        Some(Self { called: called(&element), element, homes })
    }

    /// Gives the focus back, unless something else that is shown has it: to the element itself, to what is called the same
    /// in its place, to the head of its menu, or to what it stood in.
    pub fn give_back(&self) {
        let is_elsewhere = |now: web_sys::Element| now.tag_name() != "BODY" && now != *self.element;
        if document().active_element().is_some_and(is_elsewhere) || takes_focus(&self.element) {
            return;
        }
        if let Ok(Some(menu)) = self.element.closest("details.menu")
            && let Ok(Some(head)) = menu.query_selector("summary")
            && takes_focus(&head)
        {
            return;
        }
        for home in &self.homes {
            let Some(home) = document().get_element_by_id(home) else { continue };
            let controls = home.query_selector_all(CONTROLS).ok();
            let controls = controls.iter().flat_map(|all| (0..all.length()).filter_map(|i| all.item(i)));
            let mut alike = controls
                .filter_map(|node| node.dyn_into::<web_sys::Element>().ok())
                .filter(|control| called(control) == self.called);
            if alike.any(|control| takes_focus(&control)) || takes_focus(&home) {
                return;
            }
        }
        focus_content();
    }

    /// Gives the focus back, and the page its place, once what is drawn now is drawn.
    pub fn keep(self) {
        let before = self.element.get_bounding_client_rect().top();
        queue_microtask(move || {
            self.give_back();
            let moved = self.element.get_bounding_client_rect().top() - before;
            if self.element.is_connected() && moved != 0.0 {
                scroll_by(moved);
            }
        });
    }
}

/// The element's sort, and what people or programs call it.
fn called(element: &web_sys::Element) -> String {
    let name = element.get_attribute("aria-label").or_else(|| element.text_content()).unwrap_or_default();
    [element.tag_name(), name].concat()
}

/// Gives an element the focus, if it can have it: what is hidden, or gone, cannot.
fn takes_focus(element: &web_sys::Element) -> bool {
    focus_without_scrolling(element);
    document().active_element().is_some_and(|now| now == *element)
}

fn focus_without_scrolling(element: &web_sys::Element) {
    let options = web_sys::FocusOptions::new();
    options.set_prevent_scroll(true);
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let _ = element.focus_with_options(&options);
    }
}

/// Acts once what is drawn now has been painted, before the next frame; in the background, once the page is looked at.
pub fn after_paint(act: impl FnOnce() + 'static) {
    request_animation_frame(move || request_animation_frame(act));
}

/// Goes to the element of this name, once it is drawn.
pub fn go_to(id: String) {
    request_animation_frame(move || {
        if let Some(element) = document().get_element_by_id(&id) {
            arrive(element.clone());
            focus_without_scrolling(&element);
        }
    });
}

/// Shows the element, and keeps it where it then is in the window while what stands above it is still being drawn, until
/// the reader goes on.
fn arrive(element: web_sys::Element) {
    let to = web_sys::ScrollIntoViewOptions::new();
    to.set_behavior(web_sys::ScrollBehavior::Instant);
    element.scroll_into_view_with_scroll_into_view_options(&to);
    let kept = element.get_bounding_client_rect().top();
    let moved = move |element: &web_sys::Element| element.get_bounding_client_rect().top() - kept;
    let stayed = element.clone();
    let put_back = Closure::<dyn FnMut()>::new(move || {
        if stayed.is_connected() {
            scroll_by(moved(&stayed));
        }
    });
    // The browser ends the closure when it can no longer call it.
    let observer = web_sys::ResizeObserver::new(put_back.into_js_value().unchecked_ref()).ok().zip(document().body());
    let Some((observer, body)) = observer else { return };
    observer.observe(&body);
    // What is drawn above it moves it before the page is scrolled for it; where scrolling has moved it, the reader did.
    let listener = Rc::new(Cell::new(None::<WindowListenerHandle>));
    let listening = listener.clone();
    listener.set(Some(window_event_listener(ev::scroll, move |_| {
        if element.is_connected() && moved(&element).abs() < 1.0 {
            return;
        }
        observer.disconnect();
        if let Some(listener) = listening.take() {
            listener.remove();
        }
    })));
}

fn scroll_by(pixels: f64) {
    let by = web_sys::ScrollToOptions::new();
    by.set_top(pixels);
    by.set_behavior(web_sys::ScrollBehavior::Instant);
    window().scroll_by_with_scroll_to_options(&by);
}

/// How near the screen a place is in good time to be drawn: half a screen.
const NEAR: &str = "50% 0px";

/// Sets `is_near` once the place comes near the screen, as soon as `may` holds; also when the reader is about to print the
/// page or to look for words in it.
pub fn when_near(place: NodeRef<html::Div>, may: RwSignal<bool>, is_near: RwSignal<bool>) {
    let approach = move || {
        let _ = is_near.try_set(true);
    };
    before_print(approach);
    // What the address names may be in what is not drawn yet.
    let look = move || {
        let named = fragment();
        if !named.is_empty() && document().get_element_by_id(&named).is_none() {
            approach();
        }
    };
    let followed = window_event_listener(ev::hashchange, move |_| look());
    on_cleanup(move || followed.remove());
    request_animation_frame(look);
    let watching = StoredValue::new_local(None::<Watching>);
    Effect::new(move || {
        let (true, Some(place)) = (may.get(), place.get()) else { return };
        let seen = Closure::<dyn FnMut(Array)>::new(move |entries: Array| {
            let is_near = |entry: JsValue| entry.unchecked_into::<IntersectionObserverEntry>().is_intersecting();
            if entries.iter().any(is_near) {
                approach();
            }
        });
        let options = IntersectionObserverInit::new();
        options.set_root_margin(NEAR);
        // The browser ends the closure when it can no longer call it.
        match IntersectionObserver::new_with_options(seen.into_js_value().unchecked_ref(), &options) {
            Ok(observer) => {
                observer.observe(&place);
                watching.set_value(Some(Watching(observer)));
            }
            Err(_) => approach(),
        }
    });
}

/// Acts when the reader may be about to print the page, or to look for words in it: what is not drawn has to be drawn then.
pub fn before_print(act: impl Fn() + 'static) {
    let keys = window_event_listener(ev::keydown, move |event| {
        if event.ctrl_key() || event.meta_key() {
            act();
        }
    });
    on_cleanup(move || keys.remove());
}

/// An observer that ends with its owner.
struct Watching(IntersectionObserver);

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.disconnect();
    }
}

/// Gives the focus to the first field of a form that is at fault, once the page shows that it is.
pub fn focus_fault(form: NodeRef<html::Form>) {
    request_animation_frame(move || {
        let form = form.try_get_untracked().flatten();
        let fault = form.and_then(|form| form.query_selector("[aria-invalid]").ok().flatten());
        if let Some(fault) = fault.as_ref().and_then(|fault| fault.dyn_ref::<HtmlElement>()) {
            let _ = fault.focus();
        }
    });
}

/// What the address's fragment names; empty where it names nothing.
pub fn fragment() -> String {
    window().location().hash().unwrap_or_default().trim_start_matches('#').to_owned()
}

/// Goes to what the address's fragment names, once it is there: a browser looks for it only before the data came.
pub fn follow_fragment() {
    request_animation_frame(|| {
        let location = window().location();
        if !fragment().is_empty()
            && let Ok(href) = location.href()
        {
            // The same address with a fragment loads nothing: the browser scrolls, marks the target and moves the focus.
            let _ = location.replace(&href);
            if let Ok(Some(target)) = document().query_selector(":target") {
                arrive(target);
            }
        }
    });
}
