//! Where a file is chosen, or dropped.

use leptos::prelude::*;
use web_sys::{DragEvent, File, HtmlInputElement};

use crate::view::view;

/// A place to choose a file or drop it.
pub fn file(label: &'static str, is_busy: Signal<bool>, chosen: Callback<File>) -> AnyView {
    let choose = move |event: web_sys::Event| {
        let input: HtmlInputElement = event_target(&event);
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            chosen.run(file);
        }
        // The same file can be chosen again.
        input.set_value("");
    };
    let drop = move |event: DragEvent| {
        event.prevent_default();
        let file = event.data_transfer().and_then(|data| data.files()).and_then(|files| files.get(0));
        if let Some(file) = file.filter(|_| !is_busy.get_untracked()) {
            chosen.run(file);
        }
    };
    view! {
        <label class="ghost drop" on:dragover=|event: DragEvent| event.prevent_default() on:drop=drop>
            {label}
            <input type="file" class="vh" disabled=is_busy on:change=choose/>
        </label>
    }
}
