//! The stream of changes.

use domain::wire::changes::{BEAT, CHANGE, Change, READY, RESET};
use domain::wire::paths::{self, segment};
use leptos::prelude::{Callable, Callback};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{EventSource, MessageEvent};

use super::json;

/// An event as it came.
#[derive(Debug, Clone)]
pub struct Event {
    /// What sort: a name of `domain::wire::changes`.
    pub name: String,
    /// Where to resume after it.
    pub id: String,
    /// What it tells, as JSON.
    pub data: String,
}

impl Event {
    /// The change that it tells, if it tells one.
    pub fn change(&self) -> Option<Change> {
        json::parsed(&self.data)
    }
}

/// An open stream; closed when it is dropped.
pub struct Stream {
    source: EventSource,
    _heard: Closure<dyn FnMut(MessageEvent)>,
    _failed: Closure<dyn FnMut(JsValue)>,
}

/// How many seconds before the stream begins the page's contents may have been read.
const LOADING: u32 = 120;

/// Opens the stream, after the event with this id, if one is given, else where the page's contents were read. When it fails it is over: the browser's own trying
/// knows neither patience nor that one is signed out.
pub fn listen(after: &str, heard: Callback<Event>, failed: Callback<()>) -> Option<Stream> {
    let address = match after {
        "" => format!("{}?recent={LOADING}", paths::changes()),
        after => format!("{}?after={}", paths::changes(), segment(after)),
    };
    let source = EventSource::new(&address).ok()?;
    let heard = Closure::<dyn FnMut(_)>::new(move |event: MessageEvent| {
        let data = event.data().as_string().unwrap_or_default();
        heard.run(Event { name: event.type_(), id: event.last_event_id(), data });
    });
    for name in [CHANGE, READY, RESET, BEAT] {
        let _ = source.add_event_listener_with_callback(name, heard.as_ref().unchecked_ref());
    }
    let over = source.clone();
    let failed = Closure::<dyn FnMut(_)>::new(move |_| {
        over.close();
        failed.run(());
    });
    source.set_onerror(Some(failed.as_ref().unchecked_ref()));
    Some(Stream { source, _heard: heard, _failed: failed })
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.source.set_onerror(None);
        self.source.close();
    }
}
