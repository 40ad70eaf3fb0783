//! Parts of the program, each a file of its own that is loaded when it is needed.
//!
//! Every other file of this folder is a part, and its functions are the ways into it; they hold nothing but a call. What
//! can be reached through them alone is taken out of the first file by `scripts/split.mjs`, so nothing has to be said
//! about anything else. A way in is never inlined, and takes a `Here`, which only loading the part gives. A development
//! build is not split: there everything is here from the start.

pub mod actions;
pub mod asking;
pub mod attaching;
pub mod below;
pub mod changing;
pub mod charting;
pub mod exploring;
pub mod import_events;
pub mod import_lists;
pub mod import_prometheus;
pub mod import_values;
pub mod importing;
pub mod incidents;
pub mod settings;
pub mod sign_in;

use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::{ev, html};
use wasm_bindgen::JsCast;
use web_sys::Element;

use crate::client::Failure;
use crate::components::{Asking, Fetched, Loaded};
use crate::route::Page;
use crate::script;
use crate::state::{address, place};
use crate::view::view;

/// What `scripts/finish.mjs` leaves in the page: a function that loads the part of this name.
const LOADER: &str = "loadPart";

const OUTDATED: &str = "The server was updated since this page was loaded. Copy what you typed, if anything, then load the \
                        page again.";

/// A part of the program.
pub trait Part: 'static {
    /// The name of its file in this folder.
    const NAME: &'static str;
}

/// That a part is here.
pub struct Here<P>(PhantomData<fn() -> P>);

/// What stands in the `data-part` of a button that needs the part of that name.
pub const CHANGING: &str = changing::Changing::NAME;

/// The same, for importing.
pub const IMPORTING: &str = importing::Importing::NAME;

/// The same, for adding a file as evidence.
pub const ATTACHING: &str = attaching::Attaching::NAME;

/// The same, for what a chart has besides its drawing.
pub const EXPLORING: &str = exploring::Exploring::NAME;

thread_local! {
    static LOADED: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// The part, if it is here.
pub fn here<P: Part>() -> Option<Here<P>> {
    is_here(P::NAME).then_some(Here(PhantomData))
}

/// Draws what a part draws, once it is here; until then that it is loading, or why not.
pub fn apart<P: Part>(what: &'static str, draw: impl Fn(Here<P>) -> AnyView + Send + Sync + 'static) -> AnyView {
    drawn(P::NAME, what, Box::new(move || draw(Here(PhantomData))))
}

/// Draws what a part draws, far below on a page: it is loaded when its place comes near the screen once `may` holds, or when
/// the reader may be about to print the page or looks for what is in it. Until then there is its heading.
pub fn near<P: Part>(
    what: &'static str,
    heading: &'static str,
    may: RwSignal<bool>,
    draw: impl Fn(Here<P>) -> AnyView + Send + Sync + 'static,
) -> AnyView {
    ahead(P::NAME, (what, heading), may, Arc::new(move || draw(Here(PhantomData))))
}

/// Does what a part does, once it is here; says so where it cannot be had.
pub fn with<P: Part>(asking: Asking, then: impl FnOnce(Here<P>) + 'static) {
    done(P::NAME, asking, Box::new(move || then(Here(PhantomData))));
}

/// Begins to load a part that will be needed, whatever is done.
pub fn prepare<P: Part>() {
    if !is_here(P::NAME) {
        // Whoever then needs it hears of a failure.
        spawn_local(async move { drop(load(P::NAME).await) });
    }
}

/// Begins to load what somebody is about to need: the part of the page that a link leads to, or the one that a button
/// names in `data-part`.
pub fn prepare_where_pointed() {
    let approached = |target: Option<web_sys::EventTarget>| {
        let element = target.and_then(|target| target.dyn_into::<Element>().ok());
        let asked = element.and_then(|element| element.closest("a[href], [data-part]").ok().flatten())?;
        match asked.get_attribute("data-part") {
            Some(named) => [CHANGING, IMPORTING, ATTACHING, EXPLORING].into_iter().find(|name| *name == named),
            None => address::page_behind(&asked).and_then(|page| of(&page)),
        }
    };
    let approach = move |target| {
        if let Some(name) = approached(target).filter(|name| !is_here(name)) {
            // Whoever then needs it hears of a failure.
            spawn_local(async move { drop(load(name).await) });
        }
    };
    let pointed = window_event_listener(ev::pointerover, move |event| approach(event.target()));
    let focused = window_event_listener(ev::focusin, move |event| approach(event.target()));
    on_cleanup(move || {
        pointed.remove();
        focused.remove();
    });
}

/// The part that a page is drawn with.
fn of(page: &Page) -> Option<&'static str> {
    match page {
        Page::Incidents => Some(incidents::Incidents::NAME),
        Page::Actions => Some(actions::Actions::NAME),
        Page::SignIn => Some(sign_in::SignIn::NAME),
        Page::Settings(_) => Some(settings::Settings::NAME),
        Page::Item(..) => Some(changing::Changing::NAME),
        Page::Incident(_) | Page::Shared(_) | Page::Missing => None,
    }
}

fn drawn(name: &'static str, what: &'static str, draw: Box<dyn Fn() -> AnyView + Send + Sync>) -> AnyView {
    if is_here(name) {
        return draw();
    }
    let fetched = RwSignal::new(Fetched::<()>::Loading);
    let fetch = move || {
        spawn_local(async move {
            let answer = load(name).await;
            let _ = fetched.try_set(match answer {
                Ok(()) => Fetched::There(().into()),
                Err(why) => Fetched::Failed(why),
            });
        });
    };
    fetch();
    view! { <Loaded fetched retry=fetch what content=draw/> }
}

fn ahead(
    name: &'static str,
    (what, heading): (&'static str, &'static str),
    may: RwSignal<bool>,
    draw: Arc<dyn Fn() -> AnyView + Send + Sync>,
) -> AnyView {
    let place = NodeRef::<html::Div>::new();
    let is_near = RwSignal::new(is_here(name));
    place::when_near(place, may, is_near);
    let content = move || {
        if is_near.get() {
            let draw = draw.clone();
            return drawn(name, what, Box::new(move || draw()));
        }
        // Whoever goes from heading to heading finds it, and comes near by that.
        view! { <div class="ahead" node_ref=place><h2>{heading}</h2></div> }
    };
    (move || content()).into_any()
}

fn done(name: &'static str, asking: Asking, then: Box<dyn FnOnce()>) {
    if is_here(name) {
        return then();
    }
    spawn_local(async move {
        match load(name).await {
            Ok(()) => then(),
            Err(why) => asking.fail(why),
        }
    });
}

fn is_here(name: &str) -> bool {
    LOADED.with_borrow(|loaded| loaded.contains(&name)) || script::function(LOADER).is_none()
}

/// Loads a part; a sentence where it cannot be had.
async fn load(name: &'static str) -> Result<(), String> {
    let Some(loader) = script::function(LOADER) else { return Ok(()) };
    match script::promised(&loader, name).await {
        Ok(_) => {
            LOADED.with_borrow_mut(|loaded| loaded.push(name));
            Ok(())
        }
        // The status of an answer that is not the part.
        Err(why) if why.as_f64().is_some() => Err(OUTDATED.to_owned()),
        Err(_) => Err(Failure::Unreachable.message()),
    }
}
