//! Accounts: who may come in, and what each may do.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use domain::person::Role;
use domain::wire::access::{NewUser, SignInLink, User, UserPatch};
use leptos::prelude::*;

use super::listing::{Cell, Deed, Listing, Row, cell, confirm, draw, line, role, when};
use crate::client::access;
use crate::components::{Ask, Field, Kind, Outcome};
use crate::pages::{Edited, deliver, deliver_edit};
use crate::state::zone::Zone;

/// The section.
pub fn people() -> AnyView {
    let listing = Listing {
        title: "People",
        lead: "Who may sign in, and what they may do. Viewers read, members also write notes and attest, editors change \
               everything, administrators manage people.",
        what: "list of people",
        columns: &["Name", "Role", "Teams", "Last signed in"],
        empty: "Nobody has an account yet.",
        add: Some(Box::new(add)),
    };
    draw(listing, access::users, |user, again, zone| row(&Arc::new(user), again, zone))
}

fn add(again: Callback<()>) -> Deed {
    let ask = move || {
        Ask {
        title: "Add somebody".to_owned(),
        text: "You get a link that signs them in, once, to pass on to them. With an address they can set a password later."
            .to_owned(),
        fields: vec![line("Name", "/name", ""), email(""), role(Role::Member, Role::Admin), support(false)],
        submit: "Add",
        is_danger: false,
        send: Arc::new(move |values, key| {
            let [name, email, role, support] = four(values);
            let new = NewUser {
                    name,
                    email: Some(email).filter(|email| !email.is_empty()),
                    role: role.parse().unwrap_or(Role::Viewer),
                    support: !support.is_empty(),
            };
            deliver(access::add_user(&new, &key), again, |made| link_shown(&made.user.name, made.sign_in))
        }),
    }
    };
    Deed { label: "Add somebody", of: String::new(), ask: Arc::new(ask) }
}

fn row(user: &Arc<User>, again: Callback<()>, zone: &Zone) -> Row {
    let badge = if user.disabled { Some(("quiet", "–", "Switched off")) } else { None };
    let detail = user.email.clone().unwrap_or_else(|| "no address".to_owned());
    let rights = Cell {
        detail: if user.support { "sees customers".to_owned() } else { String::new() },
        ..cell(user.role.label())
    };
    let mut deeds = vec![deed("Change", user, move |user| change(user, again))];
    if user.disabled {
        deeds.push(deed("Switch on", user, move |user| switch(user, again, false)));
    } else {
        deeds.push(deed("New link", user, move |user| new_link(user, again)));
        deeds.push(deed("Switch off", user, move |user| switch(user, again, true)));
    }
    Row {
        cells: vec![
            Cell { detail, badge, ..cell(user.name.clone()) },
            rights,
            cell(if user.teams.is_empty() { "none".to_owned() } else { user.teams.join(", ") }),
            when(user.last_seen_at, zone, "never"),
        ],
        deeds,
    }
}

fn deed(label: &'static str, user: &Arc<User>, ask: impl Fn(Arc<User>) -> Ask + Send + Sync + 'static) -> Deed {
    let (of, user) = (user.name.clone(), user.clone());
    Deed { label, of, ask: Arc::new(move || ask(user.clone())) }
}

fn change(user: Arc<User>, again: Callback<()>) -> Ask {
    let version = Arc::new(AtomicI64::new(user.version));
    Ask {
        title: format!("Change {}", user.name),
        text: String::new(),
        fields: vec![
            line("Name", "/name", user.name.clone()),
            email(user.email.as_deref().unwrap_or_default()),
            role(user.role, Role::Admin),
            support(user.support),
        ],
        submit: "Save",
        is_danger: false,
        send: Arc::new(move |values, _| {
            let [name, email, role, support] = four(values);
            let (role, support) = (role.parse().ok(), Some(!support.is_empty()));
            let patch = UserPatch { name: Some(name), email: Some(email), role, support, disabled: None };
            let call = access::patch_user(user.id.as_str(), version.load(Ordering::Relaxed), &patch);
            let edited = Edited {
                version: version.clone(),
                read: access::user(user.id.as_str()),
                fields: |user| {
                    let support = support_value(user.support);
                    let email = user.email.clone().unwrap_or_default();
                    (user.version, vec![user.name.clone(), email, user.role.as_str().to_owned(), support])
                },
            };
            deliver_edit(call, again, edited, |user: User| Outcome::Done(format!("{} is saved.", user.name)))
        }),
    }
}

fn switch(user: Arc<User>, again: Callback<()>, off: bool) -> Ask {
    let (title, text, submit, said) = if off {
        (
            format!("Switch {} off?", user.name),
            "Their sessions and tokens end at once, and nothing lets them in until you switch them on again. What they \
             wrote stays.",
            "Switch off",
            format!("{} is switched off.", user.name),
        )
    } else {
        (
            format!("Switch {} on?", user.name),
            "They can sign in again. Tokens that ended stay ended.",
            "Switch on",
            format!("{} is switched on.", user.name),
        )
    };
    let version = Arc::new(AtomicI64::new(user.version));
    let send = move || {
        let (said, patch) = (said.clone(), UserPatch { disabled: Some(off), ..UserPatch::default() });
        let call = access::patch_user(user.id.as_str(), version.load(Ordering::Relaxed), &patch);
        let read = access::user(user.id.as_str());
        let edited = Edited { version: version.clone(), read, fields: |user| (user.version, Vec::new()) };
        deliver_edit(call, again, edited, |_: User| Outcome::Done(said))
    };
    Ask { is_danger: off, ..confirm(title, text, submit, send) }
}

fn new_link(user: Arc<User>, again: Callback<()>) -> Ask {
    Ask {
        title: format!("Make a link for {}", user.name),
        text: "It signs them in, once, within three days. Whoever has it is taken for them.".to_owned(),
        fields: Vec::new(),
        submit: "Make the link",
        is_danger: false,
        send: Arc::new(move |_, key| {
            let name = user.name.clone();
            let call = access::sign_in_link(user.id.as_str(), &key);
            deliver(call, again, move |link| link_shown(&name, link))
        }),
    }
}

fn link_shown(name: &str, link: SignInLink) -> Outcome {
    Outcome::Once(format!("This link signs {name} in, once, within three days."), link.url)
}

fn email(value: &str) -> Field {
    Field { label: "Address", pointer: "/email", kind: Kind::Line("email", "off"), value: value.to_owned() }
}

/// Whether customers may be seen.
pub fn support(is_on: bool) -> Field {
    Field { label: "Sees customers", pointer: "/support", kind: Kind::Switch, value: support_value(is_on) }
}

fn support_value(is_on: bool) -> String {
    if is_on { "yes".to_owned() } else { String::new() }
}

/// The four values of a form of four fields.
pub fn four(values: Vec<String>) -> [String; 4] {
    values.try_into().unwrap_or_default()
}
