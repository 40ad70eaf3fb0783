//! Who is signed in: asked once for the whole application, and noticed wherever it ends.

use std::sync::Arc;

use domain::UserId;
use domain::action::Action;
use domain::person::{Role, owns_by_key};
use domain::wire::access::Me;
use js_sys::JsString;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::address::{self, Address};
use super::{clock, typed};
use crate::client;
use crate::route::{self, Page};

/// What tells the other tabs that somebody signed in or out.
const KEPT_AS: &str = "debrief-session";

/// Who is signed in, for the whole application.
#[derive(Clone, Copy)]
pub struct Session {
    address: Address,
    me: RwSignal<Option<Arc<Me>>>,
    /// Whether the session ended while something typed was not saved, so that the page stays.
    pub has_lapsed: RwSignal<bool>,
}

/// Sets the session up; asks who is signed in, unless the page is for everybody.
pub fn provide() -> Session {
    let session = Session { address: Address::get(), me: RwSignal::new(None), has_lapsed: RwSignal::new(false) };
    provide_context(session);
    client::on_signed_out(Callback::new(move |saving| session.lapse(saving)));
    let path = address::path();
    Effect::new(move || {
        if !Page::at(&path.read()).is_open() && session.me.read_untracked().is_none() {
            session.load();
        }
    });
    let elsewhere = window_event_listener(ev::storage, move |event| {
        if event.key().as_deref() == Some(KEPT_AS) && !is_open_here() {
            session.load();
        }
    });
    typed::watch();
    on_cleanup(move || elsewhere.remove());
    session
}

impl Session {
    /// The application's.
    pub fn get() -> Self {
        expect_context()
    }

    /// Who is signed in, once it is known.
    pub fn me(self) -> Option<Arc<Me>> {
        self.me.get()
    }

    /// Whether whoever is signed in has at least this role.
    pub fn is(self, role: Role) -> bool {
        self.me.read().as_ref().is_some_and(|me| me.role >= role)
    }

    /// Whether whoever is signed in sees customers.
    pub fn sees_customers(self) -> bool {
        self.me.read().as_ref().is_some_and(|me| me.support || me.role == Role::Admin)
    }

    /// The account of whoever is signed in.
    pub fn person(self) -> Option<UserId> {
        self.me.read_untracked().as_ref().and_then(|me| me.user_id.clone())
    }

    /// Whether an item is theirs; the rule is the domain's, the letters are folded by the browser, which knows how.
    pub fn owns(self, action: &Action) -> bool {
        let key = |name: &str| {
            let folded = name.split_whitespace().collect::<Vec<_>>().join(" ");
            String::from(JsString::from(folded).to_lower_case())
        };
        self.me.read().as_ref().is_some_and(|me| {
            let teams: Vec<_> = me.teams.iter().map(|team| key(team)).collect();
            let (assignee, id) = (action.assignee.as_deref(), action.assignee_id.as_ref());
            me.user_id.as_ref().is_some_and(|user| owns_by_key(user, &teams, &key(&action.owner), assignee, id))
        })
    }

    /// Somebody signed in here.
    pub fn begin(self, me: Me) {
        self.know(me);
        tell_other_tabs();
    }

    /// Ends the session; a sentence where that fails.
    pub async fn end(self) -> Result<(), String> {
        match client::access::sign_out().await {
            Err(failure) if !failure.is_signed_out() => return Err(failure.message()),
            _ => {}
        }
        self.me.set(None);
        self.has_lapsed.set(false);
        tell_other_tabs();
        self.address.replace(route::SIGN_IN);
        Ok(())
    }

    /// Asks again who is signed in.
    pub fn load(self) {
        spawn_local(async move {
            if let Ok(me) = client::access::session().await {
                self.know(me);
            }
        });
    }

    fn know(self, me: Me) {
        self.has_lapsed.set(false);
        if self.me.read_untracked().as_deref() != Some(&me) {
            self.me.set(Some(me.into()));
        }
    }

    /// Nobody is signed in any more: leads to signing in, but never away from what somebody typed.
    fn lapse(self, saving: bool) {
        if is_open_here() {
            return;
        }
        if saving || typed::is_there() {
            self.has_lapsed.set(true);
        } else {
            self.me.set(None);
            self.address.replace(&route::sign_in(&address::here()));
        }
    }
}

fn is_open_here() -> bool {
    Page::at(&window().location().pathname().unwrap_or_default()).is_open()
}

/// The storage's other readers hear of a change; a browser may refuse its storage, and they notice at their next request.
fn tell_other_tabs() {
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = storage.set_item(KEPT_AS, &clock::unique());
    }
}
