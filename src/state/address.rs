//! The address: where the reader is, links that stay in the application, and what is kept in the query.
//!
//! The pages' names are `crate::route`'s; this knows the browser's side of it: history, clicks, scrolling.

use std::time::Duration;

use js_sys::{Object, Reflect};
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{HtmlAnchorElement, MouseEvent, UrlSearchParams};

use super::{clock, typed};
use crate::route::Page;

/// What an entry of the history keeps: how far the page was scrolled when it was left by a link.
const SCROLL: &str = "scroll";

/// By how much a page may have become shorter and still be scrolled as it was: to its end then.
const SHORTER: f64 = 64.0;

/// How long a page that one comes back to may take until it is as long as it was, in milliseconds.
const PATIENCE: i64 = 3_000;

/// Where the reader is, for the whole application.
#[derive(Clone, Copy)]
pub struct Address {
    path: RwSignal<String>,
    /// With its question mark, as the browser writes it.
    query: RwSignal<String>,
}

/// Follows the browser's address from now on: back and forward, and clicks on links to pages of this application.
pub fn provide() -> Address {
    let address = Address { path: RwSignal::new(String::new()), query: RwSignal::new(String::new()) };
    address.read_browser();
    provide_context(address);
    let back_and_forward = window_event_listener(ev::popstate, move |_| address.come_back());
    let clicks = window_event_listener(ev::click, move |click| address.follow(&click));
    on_cleanup(move || {
        back_and_forward.remove();
        clicks.remove();
    });
    address
}

/// The page of this application that a link leads to.
pub fn page_behind(link: &web_sys::Element) -> Option<Page> {
    let link = link.dyn_ref::<HtmlAnchorElement>().filter(|link| is_inside(link))?;
    Some(Page::at(&link.pathname()))
}

/// The path of the address.
pub fn path() -> Signal<String> {
    Address::get().path.into()
}

/// What the query says under a key.
pub fn query(key: &'static str) -> Memo<Option<String>> {
    let query = Address::get().query;
    Memo::new(move |_| UrlSearchParams::new_with_str(&query.read()).ok()?.get(key))
}

/// What the query says under several keys, as far as it says anything.
pub fn queries(keys: &'static [&'static str]) -> Memo<Vec<(&'static str, String)>> {
    let query = Address::get().query;
    Memo::new(move |_| match UrlSearchParams::new_with_str(&query.read()) {
        Ok(query) => keys.iter().filter_map(|key| Some((*key, query.get(key)?))).collect(),
        Err(_) => Vec::new(),
    })
}

/// Puts a value under a key of the query, or takes the key out, without a new entry in the history.
pub fn keeper(key: &'static str) -> impl Fn(Option<String>) + Copy + Send + Sync + 'static {
    let address = Address::get();
    move |value| address.keep(key, value.as_deref())
}

/// A segment of a path as it was before it was escaped; as it is where nobody could have escaped it so.
pub fn unescaped(segment: &str) -> String {
    js_sys::decode_uri_component(segment).map_or_else(|_| segment.to_owned(), String::from)
}

/// The path and the query that the reader is at.
pub fn here() -> String {
    let location = window().location();
    location.pathname().unwrap_or_default() + &location.search().unwrap_or_default()
}

impl Address {
    /// The application's.
    pub fn get() -> Self {
        expect_context()
    }

    /// The browser went back or forward.
    fn come_back(self) {
        let path = window().location().pathname().unwrap_or_default();
        let is_another = path != *self.path.read_untracked();
        if is_another && !typed::may_go() {
            // Where the browser has gone to stays behind this, one step back.
            push(&[self.path.get_untracked(), self.query.get_untracked()].concat());
            return;
        }
        self.read_browser();
        if let Some(scroll) = left_at().filter(|_| is_another) {
            // The page that was left goes first: it may be long enough.
            let until = clock::now().timestamp_millis() + PATIENCE;
            set_timeout(move || restore(scroll, path, until), Duration::ZERO);
        }
    }

    /// Opens a page of this application in place of the one that is shown.
    pub fn replace(self, address: &str) {
        if let Ok(history) = window().history() {
            let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(address));
        }
        self.read_browser();
        window().scroll_to_with_x_and_y(0.0, 0.0);
    }

    fn read_browser(self) {
        let location = window().location();
        for (signal, now) in [(self.path, location.pathname()), (self.query, location.search())] {
            let now = now.unwrap_or_default();
            if *signal.read_untracked() != now {
                signal.set(now);
            }
        }
    }

    /// Puts a value under a key of the query, or takes the key out.
    pub fn keep(self, key: &str, value: Option<&str>) {
        let location = window().location();
        let Ok(query) = UrlSearchParams::new_with_str(&location.search().unwrap_or_default()) else { return };
        match value {
            Some(value) => query.set(key, value),
            None => query.delete(key),
        }
        let query = String::from(query.to_string());
        let mark = if query.is_empty() { "" } else { "?" };
        let hash = location.hash().unwrap_or_default();
        let written = [&location.pathname().unwrap_or_default(), mark, &query, &hash].concat();
        if let Ok(history) = window().history() {
            // The entry keeps its state: the browser's, and whatever else stands there.
            let state = history.state().unwrap_or(JsValue::NULL);
            let _ = history.replace_state_with_url(&state, "", Some(&written));
        }
        self.read_browser();
    }

    /// Opens the page that a clicked link leads to, unless the click or the link asks for something else.
    fn follow(self, click: &MouseEvent) {
        let plain = click.button() == 0
            && !(click.default_prevented()
                || click.meta_key()
                || click.ctrl_key()
                || click.shift_key()
                || click.alt_key());
        let Some(link) = clicked_link(click).filter(|link| plain && is_inside(link)) else { return };
        let location = window().location();
        if !link.hash().is_empty() && here() == link.pathname() + &link.search() {
            // A place on this page is the browser's to find.
            return;
        }
        click.prevent_default();
        // What is typed stays where only the query changes.
        if link.pathname() != self.path.get_untracked() && !typed::may_go() {
            return;
        }
        let address = link.href();
        if location.href().is_ok_and(|now| now != address) {
            keep_scroll();
            push(&address);
        }
        self.read_browser();
        window().scroll_to_with_x_and_y(0.0, 0.0);
    }
}

/// Adds an entry to the history.
fn push(address: &str) {
    if let Ok(history) = window().history() {
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(address));
    }
}

/// Keeps in the history how far the page is scrolled: the browser knows it only as long as the page is as long as it was.
fn keep_scroll() {
    let (Ok(history), Ok(scroll)) = (window().history(), window().scroll_y()) else { return };
    let state = Object::new();
    let _ = Reflect::set(&state, &SCROLL.into(), &scroll.into());
    let _ = history.replace_state_with_url(&state, "", None);
}

/// How far the page was scrolled when it was left, where one comes back to it.
pub fn left_at() -> Option<f64> {
    Reflect::get(&window().history().ok()?.state().ok()?, &SCROLL.into()).ok()?.as_f64()
}

/// Scrolls to where the page was left, as soon as it is long enough, unless it is left again before.
fn restore(scroll: f64, path: String, until: i64) {
    let there = window().location().pathname().unwrap_or_default();
    if there != path || clock::now().timestamp_millis() > until {
        return;
    }
    let longest = document().document_element().map_or(0, |root| root.scroll_height() - root.client_height());
    if f64::from(longest) + SHORTER < scroll {
        set_timeout(move || restore(scroll, path, until), Duration::from_millis(30));
        return;
    }
    let to = web_sys::ScrollToOptions::new();
    to.set_top(scroll);
    to.set_behavior(web_sys::ScrollBehavior::Instant);
    window().scroll_to_with_scroll_to_options(&to);
}

fn clicked_link(click: &MouseEvent) -> Option<HtmlAnchorElement> {
    let element: web_sys::Element = click.target()?.dyn_into().ok()?;
    element.closest("a[href]").ok()??.dyn_into().ok()
}

/// Whether a link leads to a page of this application, to be shown here.
fn is_inside(link: &HtmlAnchorElement) -> bool {
    let rel = link.get_attribute("rel").unwrap_or_default();
    link.target().is_empty()
        && !link.has_attribute("download")
        && !rel.split_ascii_whitespace().any(|word| word == "external")
        && window().location().origin().is_ok_and(|origin| origin == link.origin())
        && Page::at(&link.pathname()) != Page::Missing
}
