//! Tokens: what programs sign in with.

use std::sync::Arc;

use domain::person::Role;
use domain::wire::access::{Me, NewToken, Token};
use leptos::prelude::*;

use super::listing::{Cell, Deed, Listing, Row, cell, confirm, days, done, draw, line, role, when};
use super::people::{four, support};
use crate::client::access;
use crate::components::{Ask, Outcome};
use crate::pages::deliver;
use crate::state::clock;
use crate::state::zone::Zone;

/// The section.
pub fn tokens(me: Arc<Me>) -> AnyView {
    let listing = Listing {
        title: "Tokens",
        lead: "A program signs in with a token, as Authorization: Bearer TOKEN. It acts for whoever made it, and may do at \
               most what its role says.",
        what: "list of tokens",
        columns: &["Token", "Acts for", "Last used", "Until"],
        empty: "There are no tokens.",
        add: Some(Box::new(move |again| add(me.clone(), again))),
    };
    draw(listing, access::tokens, row)
}

fn row(token: Token, again: Callback<()>, zone: &Zone) -> Row {
    let has_ended = token.expires_at.is_some_and(|at| at <= clock::now());
    let rights = if token.support { ", sees customers" } else { "" };
    let whose = token.user.as_ref().map_or("a service", |user| &user.name).to_owned();
    let cells = vec![
        Cell { detail: format!("{}{rights}", token.role.label()), ..cell(token.name.clone()) },
        cell(whose),
        when(token.last_used_at, zone, "never"),
        Cell {
            badge: has_ended.then_some(("quiet", "–", "Ended")),
            ..when(token.expires_at, zone, "ended by hand only")
        },
    ];
    let (of, token) = (token.name.clone(), Arc::new(token));
    Row { cells, deeds: vec![Deed { label: "End", of, ask: Arc::new(move || end(token.clone(), again)) }] }
}

fn add(me: Arc<Me>, again: Callback<()>) -> Deed {
    let ask = move || {
        let mut fields = vec![line("What it is for", "/name", ""), role(Role::Viewer, me.role), days(90)];
        if me.support {
            fields.push(support(false));
        }
        Ask {
            title: "Make a token".to_owned(),
            text: String::new(),
            fields,
            submit: "Make the token",
            is_danger: false,
            send: Arc::new(move |mut values, key| {
                values.resize(4, String::new());
                let [name, role, days, support] = four(values);
                // The server says which numbers it takes.
                let (role, days) = (role.parse().unwrap_or(Role::Viewer), days.parse().unwrap_or(0));
                let new = NewToken { name, role, support: !support.is_empty(), days };
                deliver(access::add_token(&new, &key), again, |made| {
                    Outcome::Once(format!("This is the token {}.", made.token.name), made.secret)
                })
            }),
        }
    };
    Deed { label: "Make a token", of: String::new(), ask: Arc::new(ask) }
}

fn end(token: Arc<Token>, again: Callback<()>) -> Ask {
    let said = format!("{} has ended.", token.name);
    confirm(format!("End {}?", token.name), "Programs that use it are refused from now on.", "End it", move || {
        done(access::end_token(token.id.as_str()), again, said.clone())
    })
}
