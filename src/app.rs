//! The frame around every page: the bar, the routes, and what all of them share.

use leptos::prelude::*;

use crate::components::{ThemeMenu, ZoneMenu};
use crate::pages::incident::IncidentPage;
use crate::pages::incidents::IncidentsPage;
use crate::pages::missing::MissingPage;
use crate::route::{self, Page};
use crate::state::place::{self, Title};
use crate::state::{address, theme, zone};
use crate::view::view;

/// The application.
#[component]
pub fn App() -> impl IntoView {
    theme::provide();
    address::provide();
    let (title, path) = (Title::provide(), address::path());
    // Where a page was left, the next one begins; the first is left to the browser.
    Effect::new(move |before: Option<String>| {
        let now = path.get();
        if before.is_some_and(|before| before != now) {
            place::focus_content();
        }
        now
    });
    view! {
        <TopBar/>
        <p class="vh" role="status">{title.said}</p>
        <main id="main" tabindex="-1"><Routes/></main>
    }
}

/// The page that the address names. Another incident is another content of the same page.
#[component]
fn Routes() -> impl IntoView {
    let path = address::path();
    let page = Memo::new(move |_| Page::at(&path.read()));
    let incident = Memo::new(move |before: Option<&String>| match &*page.read() {
        Page::Incident(name) => address::unescaped(name),
        // The page is about to go, and asks for nothing more.
        _ => before.cloned().unwrap_or_default(),
    });
    let kind = Memo::new(move |_| std::mem::discriminant(&*page.read()));
    move || {
        // Only another kind of page is drawn anew.
        let _ = kind.get();
        match page.get_untracked() {
            Page::Incidents => view! { <IncidentsPage/> },
            Page::Incident(_) => view! { <IncidentPage id=incident/> },
            Page::Missing => view! { <MissingPage/> },
        }
    }
}

#[component]
fn TopBar() -> impl IntoView {
    let (kept, path) = (zone::kept(), address::path());
    view! {
        <a class="skip" rel="external" href="#main">"Skip to the content"</a>
        <header class="top">
            <b>"Debrief"</b>
            <nav aria-label="Main">
                <a
                    href=move || route::with_zone(route::INCIDENTS, kept.get().as_deref())
                    aria-current=move || (Page::at(&path.read()) == Page::Incidents).then_some("page")
                >"Incidents"</a>
            </nav>
            <ZoneMenu/>
            <ThemeMenu/>
        </header>
    }
}
