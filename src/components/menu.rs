//! The switches of the top bar.

use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;

use crate::route;
use crate::state::session::Session;
use crate::state::theme::{Theme, ThemeState};
use crate::state::typed;
use crate::state::zone::{self, Choice};
use crate::view::view;

/// Which zone times are shown in.
#[component]
pub fn ZoneMenu() -> impl IntoView {
    let (choice, choose) = (zone::choice(), zone::chooser());
    view! {
        <label class="switch">
            <span>"Times in"</span>
            <select
                prop:value=move || choice.get().as_str()
                on:change=move |event| {
                    if let Some(choice) = Choice::parse(&event_target_value(&event)) {
                        choose(choice);
                    }
                }
            >
                {Choice::ALL
                    .map(|each| view! {
                        <option value=each.as_str() selected=move || choice.get() == each>{each.label()}</option>
                    })
                    .collect_view()}
            </select>
        </label>
    }
}

/// Light or dark.
#[component]
pub fn ThemeMenu() -> impl IntoView {
    let theme = expect_context::<ThemeState>();
    view! {
        <label class="switch">
            <span>"Theme"</span>
            <select
                prop:value=move || theme.chosen.get().as_str()
                on:change=move |event| theme.chosen.set(Theme::parse(&event_target_value(&event)))
            >
                {Theme::ALL
                    .map(|each| view! {
                        <option value=each.as_str() selected=move || theme.chosen.get() == each>{each.label()}</option>
                    })
                    .collect_view()}
            </select>
        </label>
    }
}

/// Who is signed in: their settings, and the way out.
#[component]
pub fn PersonMenu() -> impl IntoView {
    let (session, kept) = (Session::get(), zone::kept());
    let failure = RwSignal::new(None::<String>);
    let sign_out = move |_| {
        if !typed::may_go() {
            return;
        }
        spawn_local(async move {
            if let Err(why) = session.end().await {
                let _ = failure.try_set(Some(why));
            }
        });
    };
    move || {
        session.me().map(|me| {
            view! {
                <details class="menu person">
                    <summary class="ghost"><span>{me.name.clone()}</span>" "<small>{me.role.label()}</small></summary>
                    <ul>
                        <li><a href=move || route::with_zone(route::SETTINGS, kept.get().as_deref())>"Settings"</a></li>
                        <li><button class="link" on:click=sign_out>"Sign out"</button></li>
                    </ul>
                </details>
                {move || failure.get().map(|why| view! { <p class="error" role="alert">{why}</p> })}
            }
        })
    }
}

/// Closes an open menu at Escape, and at a click anywhere but on its own head and on what it downloads.
pub fn close_menus_elsewhere() {
    let close = |but: Option<web_sys::Element>| {
        let Ok(open) = document().query_selector_all("details.menu[open]") else { return };
        for i in 0..open.length() {
            let Some(menu) = open.item(i).and_then(|menu| menu.dyn_into::<web_sys::Element>().ok()) else { continue };
            if but.as_ref() != Some(&menu) {
                // The focus would be lost with what is hidden.
                if document().active_element().is_some_and(|now| menu.contains(Some(&now)))
                    && let Ok(Some(head)) = menu.query_selector("summary")
                    && let Ok(head) = head.dyn_into::<web_sys::HtmlElement>()
                {
                    let _ = head.focus();
                }
                let _ = menu.remove_attribute("open");
            }
        }
    };
    let clicks = window_event_listener(ev::click, move |click| {
        let target = click.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let kept = target.and_then(|target| target.closest("summary, a[download]").ok().flatten());
        close(kept.and_then(|kept| kept.closest("details.menu").ok().flatten()));
    });
    let keys = window_event_listener(ev::keydown, move |press| {
        if press.key() == "Escape" {
            close(None);
        }
    });
    on_cleanup(move || {
        clicks.remove();
        keys.remove();
    });
}
