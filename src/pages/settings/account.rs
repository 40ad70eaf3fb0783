//! One's own account.

use std::sync::Arc;

use domain::person::Role;
use domain::wire::access::{Me, NewPassword};
use leptos::prelude::*;

use crate::client::access;
use crate::components::{Ask, Asking, Field, Kind, Outcome};
use crate::pages::deliver;
use crate::state::session::Session;
use crate::view::view;

/// The section.
pub fn account(me: &Arc<Me>) -> AnyView {
    let (asking, session) = (Asking::get(), Session::get());
    let facts = [
        ("Name", me.name.clone()),
        ("Address", me.email.clone().unwrap_or_else(|| "none".to_owned())),
        ("Role", format!("{}{}", me.role.label(), if me.support { ", sees customers" } else { "" })),
        ("Teams", if me.teams.is_empty() { "none".to_owned() } else { me.teams.join(", ") }),
        ("Password", if me.has_password { "set".to_owned() } else { "not set".to_owned() }),
    ];
    let facts = facts.map(|(label, value)| view! { <div><dt>{label}</dt><dd>{value}</dd></div> }).collect_view();
    let label = if me.has_password { "Change the password" } else { "Set a password" };
    let has_password = me.has_password;
    let has_email = me.email.is_some();
    let hint = match (has_email, me.role) {
        (true, _) => "Name, address, role and teams are changed by an administrator.",
        (false, Role::Admin) => "To sign in with a password, first add your address: People, your name, Change.",
        (false, _) => "To sign in with a password, first ask an administrator to add your address.",
    };
    view! {
        <section class="stack" aria-labelledby="section">
            <h2 id="section">"My account"</h2>
            <dl class="account">{facts}</dl>
            <p class="meta">{hint}</p>
            {has_email.then(|| view! {
                <p><button class="primary" on:click=move |_| asking.ask(password(label, has_password, session))>{label}</button></p>
            })}
        </section>
    }
}

fn password(title: &'static str, has_password: bool, session: Session) -> Ask {
    let line = |label, pointer, autocomplete| Field {
        label,
        pointer,
        kind: Kind::Line("password", autocomplete),
        value: String::new(),
    };
    let mut fields = vec![line("New password", "/password", "new-password")];
    if has_password {
        fields.insert(0, line("Password so far", "/current", "current-password"));
    }
    Ask {
        title: title.to_owned(),
        text: "12 characters or more. Your sessions in other browsers end.".to_owned(),
        fields,
        submit: "Save",
        is_danger: false,
        send: Arc::new(move |mut values, _| {
            let password = values.pop().unwrap_or_default();
            let new = NewPassword { current: values.pop(), password };
            let again = Callback::new(move |()| session.load());
            deliver(access::set_password(&new), again, |_| {
                Outcome::Done("Your password is set; your other sessions have ended.".to_owned())
            })
        }),
    }
}
