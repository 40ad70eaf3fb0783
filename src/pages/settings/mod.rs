//! The settings: people, teams, tokens, shares, sessions, and one's own account.

mod account;
mod listing;
mod people;
mod sessions;
mod shares;
mod teams;
mod tokens;

use std::sync::Arc;

use domain::person::Role;
use domain::wire::access::Me;
use leptos::prelude::*;

use crate::route;
use crate::state::place::Title;
use crate::state::session::Session;
use crate::state::zone;
use crate::view::view;

/// The sections: the name in the address, the name for people, and the least role that may see it.
const SECTIONS: [(&str, &str, Role); 6] = [
    ("people", "People", Role::Admin),
    ("teams", "Teams", Role::Viewer),
    ("tokens", "Tokens", Role::Viewer),
    ("shares", "Shares", Role::Editor),
    ("sessions", "Sessions", Role::Viewer),
    ("account", "My account", Role::Viewer),
];

/// The settings, with one section open.
#[component]
pub fn SettingsPage(
    /// Its name; empty for the first that the reader may see.
    section: Memo<String>,
) -> impl IntoView {
    let (session, kept) = (Session::get(), zone::kept());
    let content = move || {
        let Some(me) = session.me() else {
            return view! { <div class="skeleton" role="status"><p>"Loading the settings…"</p><i></i><i></i></div> };
        };
        let open = section.get();
        let seen: Vec<_> = SECTIONS.into_iter().filter(|(.., least)| me.role >= *least).collect();
        let open = if open.is_empty() { if me.role == Role::Admin { "people" } else { "account" } } else { &open };
        let links = seen
            .iter()
            .map(|(name, label, _)| {
                let current = (*name == open).then_some("page");
                let leads = route::with_zone(&route::settings(name), kept.get().as_deref());
                view! { <a href=leads aria-current=current>{*label}</a> }
            })
            .collect_view();
        let label = seen.iter().find(|(name, ..)| *name == open).map(|(_, label, _)| *label);
        Title::get().set(label.unwrap_or("Settings"));
        let shown = match label {
            Some(_) => shown(open, &me),
            None if SECTIONS.iter().all(|(name, ..)| *name != open) => view! {
                <section class="empty"><h2>"There is no such section"</h2></section>
            },
            None => view! {
                <section class="empty">
                    <h2>"Not for you"</h2>
                    <p>"Your role does not open this section. Ask an administrator if it should."</p>
                </section>
            },
        };
        view! { <nav class="sections" aria-label="Settings">{links}</nav>{shown} }
    };
    view! { <div class="settings"><h1>"Settings"</h1>{content}</div> }
}

fn shown(section: &str, me: &Arc<Me>) -> AnyView {
    match section {
        "people" => people::people(),
        "teams" => teams::teams(me.role == Role::Admin),
        "tokens" => tokens::tokens(me.clone()),
        "shares" => shares::shares(),
        "sessions" => sessions::sessions(),
        _ => account::account(me),
    }
}
