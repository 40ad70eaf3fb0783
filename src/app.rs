//! The frame around every page: the bar, the routes, and what all of them share.

use leptos::prelude::*;
use leptos_router::components::{A, FlatRoutes, Route, Router};
use leptos_router::hooks::use_location;
use leptos_router::path;

use crate::components::{ThemeMenu, ZoneMenu};
use crate::pages::incident::IncidentPage;
use crate::pages::incidents::IncidentsPage;
use crate::pages::missing::MissingPage;
use crate::route;
use crate::state::place::{self, Title};
use crate::state::{theme, zone};

/// The application.
#[component]
pub fn App() -> impl IntoView {
    theme::provide();
    let title = Title::provide();
    view! {
        <Router>
            <TopBar/>
            <p class="vh" role="status">{title.said}</p>
            <main id="main" tabindex="-1">
                <FlatRoutes fallback=MissingPage>
                    <Route path=path!("/") view=IncidentsPage/>
                    <Route path=path!("/incidents/:id") view=IncidentPage/>
                </FlatRoutes>
            </main>
        </Router>
    }
}

#[component]
fn TopBar() -> impl IntoView {
    let kept = zone::kept();
    let path = use_location().pathname;
    // Where a page was left, the next one begins; the first is left to the browser.
    Effect::new(move |before: Option<String>| {
        let now = path.get();
        if before.is_some_and(|before| before != now) {
            place::focus_content();
        }
        now
    });
    view! {
        <a class="skip" rel="external" href="#main">"Skip to the content"</a>
        <header class="top">
            <b>"Debrief"</b>
            <nav aria-label="Main">
                <A href=move || route::with_zone(route::INCIDENTS, kept.get().as_deref())>"Incidents"</A>
            </nav>
            <ZoneMenu/>
            <ThemeMenu/>
        </header>
    }
}
