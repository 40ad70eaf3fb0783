//! What somebody typed and has not saved yet: it is marked on its form, and nobody leaves it without being asked.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Marks the forms that somebody has typed in. A form that knows better says `yes` or `no` itself.
const TYPED: &str = "data-typed";

/// Forms that hold something to lose.
const HELD: &str = "form[data-typed]:not([data-typed=no])";

const QUESTION: &str = "What you typed here is not saved. Leave it?";

/// Watches what is typed from now on, and asks before the page is closed or loaded again.
pub fn watch() {
    let typing = window_event_listener(ev::input, |event| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        // A search is in the address; what one signs in with is sent or worth nothing.
        let form = target.and_then(|target| target.closest("form:not([role=search], .sign-in *)").ok().flatten());
        if let Some(form) = form.filter(|form| !form.has_attribute(TYPED)) {
            let _ = form.set_attribute(TYPED, "");
        }
    });
    let leaving = window_event_listener(ev::beforeunload, |event| {
        if is_there() {
            event.prevent_default();
            event.set_return_value(QUESTION);
        }
    });
    on_cleanup(move || {
        typing.remove();
        leaving.remove();
    });
}

/// Whether anything typed is not saved yet.
pub fn is_there() -> bool {
    document().query_selector(HELD).ok().flatten().is_some()
}

/// Whether what is typed may go: there is nothing, or whoever typed it says so.
pub fn may_go() -> bool {
    !is_there() || asked(QUESTION)
}

/// A yes or no from the person, at once.
pub fn asked(question: &str) -> bool {
    // A browser that shows no dialogs shall not hold anybody.
    window().confirm_with_message(question).unwrap_or(true)
}

/// What a form that knows it says in `data-typed`.
pub const fn mark(is_typed: bool) -> &'static str {
    if is_typed { "yes" } else { "no" }
}
