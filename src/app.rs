//! The frame around every page: the bar, the routes, and what all of them share.

use leptos::prelude::*;

use crate::components::{Ask, AskDialog, Asking, Beside, PersonMenu, ThemeMenu, ZoneMenu, close_menus_elsewhere};
use crate::pages::incident::IncidentPage;
use crate::pages::missing::MissingPage;
use crate::part;
use crate::route::{self, Page};
use crate::state::live::{self, Live};
use crate::state::place::{self, Title};
use crate::state::session::{self, Session};
use crate::state::{address, theme, zone};
use crate::view::view;

/// The application.
#[component]
pub fn App() -> impl IntoView {
    theme::provide();
    address::provide();
    session::provide();
    live::provide();
    Asking::provide();
    close_menus_elsewhere();
    part::prepare_where_pointed();
    let (title, path, asking) = (Title::provide(), address::path(), Asking::get());
    // Where a page was left, the next one begins; the first is left to the browser.
    Effect::new(move |before: Option<String>| {
        let now = path.get();
        if before.is_some_and(|before| before != now) {
            asking.clear();
            place::focus_content();
        }
        now
    });
    view! {
        <TopBar/>
        <p class="vh" role="status">{title.said}</p>
        <Lapsed/>
        <AskDialog dialog/>
        <main id="main" tabindex="-1"><Routes/></main>
    }
}

/// The dialog that asks, once its part is here.
fn dialog(ask: Ask, beside: Option<Beside>, asking: Asking) -> AnyView {
    if let Some(here) = part::here() {
        return part::asking::dialog(here, ask, beside, asking);
    }
    part::with(asking, move |_: part::Here<part::asking::Form>| asking.open(ask, beside));
    ().into_any()
}

/// The page that the address names. Another incident is another content of the same page.
#[component]
fn Routes() -> impl IntoView {
    let path = address::path();
    let page = Memo::new(move |_| Page::at(&path.read()));
    let incident = Memo::new(move |before: Option<&String>| match &*page.read() {
        Page::Incident(name) | Page::Shared(name) => address::unescaped(name),
        // The page is about to go, and asks for nothing more.
        _ => before.cloned().unwrap_or_default(),
    });
    let item = Memo::new(move |before: Option<&(String, String)>| match &*page.read() {
        Page::Item(name, number) => (address::unescaped(name), address::unescaped(number)),
        _ => before.cloned().unwrap_or_default(),
    });
    let section = Memo::new(move |before: Option<&String>| match &*page.read() {
        Page::Settings(section) => section.clone(),
        _ => before.cloned().unwrap_or_default(),
    });
    let kind = Memo::new(move |_| std::mem::discriminant(&*page.read()));
    move || {
        // Only another kind of page is drawn anew.
        let _ = kind.get();
        match page.get_untracked() {
            Page::Incidents => part::apart("list of incidents", part::incidents::page),
            Page::Actions => part::apart("action items", part::actions::page),
            Page::Incident(_) => view! { <IncidentPage id=incident shared=false/> },
            Page::Item(..) => part::apart("action item", move |here| part::changing::item(here, item)),
            Page::SignIn => part::apart("way to sign in", part::sign_in::page),
            Page::Settings(_) => part::apart("settings", move |here| part::settings::page(here, section)),
            Page::Shared(_) => view! { <IncidentPage id=incident shared=true/> },
            Page::Missing => view! { <MissingPage/> },
        }
    }
}

/// Says that the session ended while something typed is not saved yet.
#[component]
fn Lapsed() -> impl IntoView {
    let session = Session::get();
    move || {
        session.has_lapsed.get().then(|| {
            view! {
                <p class="lapsed" role="alert">
                    "You were signed out. What you typed is still here: "
                    <a href=route::sign_in(&address::here()) target="_blank">"sign in in another tab"</a>
                    ", then save."
                </p>
            }
        })
    }
}

/// Says, quietly, that what is shown may be old.
#[component]
fn Connection() -> impl IntoView {
    let live = expect_context::<Live>();
    view! {
        <p class="connection" role="status">
            {move || live.is_offline.get().then(|| view! { <span aria-hidden="true">"◌ "</span>"Offline, trying again" })}
        </p>
    }
}

/// How an entry of the bar is marked: as the page itself, or as where it belongs.
fn current(page: &Page, entry: &Page) -> Option<&'static str> {
    match (page, entry) {
        (page, entry) if page == entry => Some("page"),
        (Page::Incident(_), Page::Incidents) | (Page::Item(..), Page::Actions) => Some("true"),
        _ => None,
    }
}

#[component]
fn TopBar() -> impl IntoView {
    let (kept, path) = (zone::kept(), address::path());
    let page = Memo::new(move |_| Page::at(&path.read()));
    let brand = move || {
        if page.read().is_open() {
            return view! { <b class="brand">"Debrief"</b> };
        }
        view! { <a class="brand" href=move || route::with_zone(route::INCIDENTS, kept.get().as_deref())>"Debrief"</a> }
    };
    view! {
        <a class="skip" rel="external" href="#main">"Skip to the content"</a>
        <header class="top">
            {brand}
            <nav aria-label="Main">
                {move || (!page.read().is_open()).then(|| {
                    [(route::INCIDENTS, Page::Incidents, "Incidents"), (route::ACTIONS, Page::Actions, "Actions")]
                        .map(|(path, leads_to, label)| view! {
                            <a
                                href=move || route::with_zone(path, kept.get().as_deref())
                                aria-current=move || current(&page.read(), &leads_to)
                            >{label}</a>
                        })
                })}
            </nav>
            <Connection/>
            {move || (*page.read() != Page::SignIn).then(|| view! { <ZoneMenu/> })}
            <ThemeMenu/>
            {move || (!page.read().is_open()).then(|| view! { <PersonMenu/> })}
        </header>
    }
}
