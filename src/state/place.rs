//! Where the reader is: the page's title, and what has the focus.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

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
    let options = web_sys::FocusOptions::new();
    options.set_prevent_scroll(true);
    if let Some(main) = document().get_element_by_id("main")
        && let Some(main) = main.dyn_ref::<web_sys::HtmlElement>()
    {
        let _ = main.focus_with_options(&options);
    }
}

/// Gives the focus to the first field of a form that is at fault, once the page shows that it is.
pub fn focus_fault(form: NodeRef<html::Form>) {
    request_animation_frame(move || {
        let form = form.try_get_untracked().flatten();
        let fault = form.and_then(|form| form.query_selector("[aria-invalid]").ok().flatten());
        if let Some(fault) = fault.as_ref().and_then(|fault| fault.dyn_ref::<web_sys::HtmlElement>()) {
            let _ = fault.focus();
        }
    });
}

/// Goes to what the address's fragment names, once it is there: a browser looks for it only before the data came.
pub fn follow_fragment() {
    request_animation_frame(|| {
        let location = window().location();
        if location.hash().is_ok_and(|hash| hash.len() > 1)
            && let Ok(href) = location.href()
        {
            // The same address with a fragment loads nothing: the browser scrolls, marks the target and moves the focus.
            let _ = location.replace(&href);
        }
    });
}
