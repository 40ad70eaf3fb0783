//! Sessions: the browsers that somebody is signed in with.

use std::sync::Arc;

use domain::wire::access::Session;
use leptos::prelude::*;

use super::listing::{Cell, Deed, Listing, Row, cell, confirm, done, draw, when};
use crate::client::access;
use crate::components::Ask;
use crate::format;
use crate::state::zone::Zone;

/// The section.
pub fn sessions() -> AnyView {
    let listing = Listing {
        title: "Sessions",
        lead: "Where you are signed in. A session that you do not know: end it, then change your password. Administrators \
               see everybody’s.",
        what: "list of sessions",
        columns: &["Browser", "Who", "Signed in", "Last used"],
        empty: "There are no sessions.",
        add: None,
    };
    draw(listing, access::sessions, row)
}

fn row(session: Session, again: Callback<()>, zone: &Zone) -> Row {
    let browser = format::browser(&session.agent);
    let cells = vec![
        Cell { badge: session.current.then_some(("good", "●", "This browser")), ..cell(browser.clone()) },
        cell(session.user.name.clone()),
        when(Some(session.created_at), zone, ""),
        when(Some(session.last_seen_at), zone, ""),
    ];
    let (of, session) = (format!("{browser}, {}", session.user.name), Arc::new(session));
    Row { cells, deeds: vec![Deed { label: "End", of, ask: Arc::new(move || end(session.clone(), again)) }] }
}

fn end(session: Arc<Session>, again: Callback<()>) -> Ask {
    let browser = format::browser(&session.agent);
    let (title, text) = if session.current {
        ("Sign out of this browser?".to_owned(), "This is the browser that you are using now.")
    } else {
        (format!("End the session in {browser}?"), "That browser is signed out at once.")
    };
    confirm(title, text, "End it", move || {
        done(access::end_session(session.id.as_str()), again, "The session has ended.".to_owned())
    })
}
