//! Parts of the program, each a file of its own that is loaded when it is needed.
//!
//! Every other file of this folder is a part, and its functions are the ways into it; they hold nothing but a call. What
//! can be reached through them alone is taken out of the first file by `scripts/split.mjs`, so nothing has to be said
//! about anything else. A way in is never inlined, and takes a `Here`, which only loading the part gives. A development
//! build is not split: there everything is here from the start.

pub mod actions;
pub mod asking;
pub mod changing;
pub mod incidents;
pub mod settings;
pub mod sign_in;

use std::cell::RefCell;
use std::marker::PhantomData;

use js_sys::{Function, Promise, Reflect};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::client::Failure;
use crate::components::{Fetched, Loaded};
use crate::route::Page;
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

/// Does what a part does, once it is here; hands a sentence to `failed` where it cannot be had.
pub fn with<P: Part>(failed: Callback<String>, then: impl FnOnce(Here<P>) + 'static) {
    done(P::NAME, failed, Box::new(move || then(Here(PhantomData))));
}

/// Begins to load what a page needs, for a reader who is about to go there.
pub fn prepare(page: &Page) {
    let name = match page {
        Page::Incidents => incidents::Incidents::NAME,
        Page::Actions => actions::Actions::NAME,
        Page::SignIn => sign_in::SignIn::NAME,
        Page::Settings(_) => settings::Settings::NAME,
        Page::Incident(_) | Page::Shared(_) | Page::Missing => return,
    };
    prepare_named(name);
}

/// Begins to load a part that is about to be needed.
pub fn prepare_named(name: &'static str) {
    if !is_here(name) {
        // Whoever then needs it hears of a failure.
        spawn_local(async move { drop(load(name).await) });
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

fn done(name: &'static str, failed: Callback<String>, then: Box<dyn FnOnce()>) {
    if is_here(name) {
        return then();
    }
    spawn_local(async move {
        match load(name).await {
            Ok(()) => then(),
            Err(why) => failed.run(why),
        }
    });
}

fn is_here(name: &str) -> bool {
    LOADED.with_borrow(|loaded| loaded.contains(&name)) || loader().is_none()
}

fn loader() -> Option<Function> {
    Reflect::get(&js_sys::global(), &LOADER.into()).ok()?.dyn_into().ok()
}

/// Loads a part; a sentence where it cannot be had.
async fn load(name: &'static str) -> Result<(), String> {
    let Some(loader) = loader() else { return Ok(()) };
    let promise = loader.call1(&JsValue::NULL, &name.into()).and_then(|promise| promise.dyn_into::<Promise>());
    match JsFuture::from(promise.unwrap_or_else(|error| Promise::reject(&error))).await {
        Ok(_) => {
            LOADED.with_borrow_mut(|loaded| loaded.push(name));
            Ok(())
        }
        // The status of an answer that is not the part.
        Err(why) if why.as_f64().is_some() => Err(OUTDATED.to_owned()),
        Err(_) => Err(Failure::Unreachable.message()),
    }
}
