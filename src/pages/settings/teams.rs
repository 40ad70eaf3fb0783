//! Teams: whose an action item is.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use domain::UserId;
use domain::person::Person;
use domain::wire::access::{NewTeam, Team, TeamPatch};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::listing::{Deed, Listing, Row, any_of, cell, confirm, draw, line};
use crate::client::{Nothing, access};
use crate::components::{Ask, Outcome};
use crate::pages::{Edited, deliver, deliver_edit};

/// The section; only administrators change it.
pub fn teams(is_admin: bool) -> AnyView {
    let listing = Listing {
        title: "Teams",
        lead: "An action item belongs to the team that it names as its owner: without a person in charge, every member \
               may update it.",
        what: "list of teams",
        columns: &["Team", "Members"],
        empty: "There are no teams yet. An administrator makes one with the name that action items give as their owner.",
        add: None,
    };
    if !is_admin {
        return draw(listing, access::teams, |team, _, _| row(&team, Vec::new()));
    }
    // Who can be a member is asked beside the list, so that a form opens at once.
    let people = RwSignal::new(Vec::<Person>::new());
    spawn_local(async move {
        if let Ok(page) = access::people().await {
            let _ = people.try_set(page.items);
        }
    });
    let listing = Listing { add: Some(Box::new(add)), ..listing };
    draw(listing, access::teams, move |team, again, _| {
        let team = Arc::new(team);
        row(&team, deeds(&team, people, again))
    })
}

fn row(team: &Team, deeds: Vec<Deed>) -> Row {
    let members: Vec<_> = team.members.iter().map(|member| member.name.as_str()).collect();
    let members = if members.is_empty() { "nobody yet".to_owned() } else { members.join(", ") };
    Row { cells: vec![cell(team.name.clone()), cell(members)], deeds }
}

fn deeds(team: &Arc<Team>, people: RwSignal<Vec<Person>>, again: Callback<()>) -> Vec<Deed> {
    let (of, changed, removed) = (team.name.clone(), team.clone(), team.clone());
    vec![
        Deed {
            label: "Change",
            of: of.clone(),
            ask: Arc::new(move || change(changed.clone(), &people.read_untracked(), again)),
        },
        Deed { label: "Remove", of, ask: Arc::new(move || remove(removed.clone(), again)) },
    ]
}

fn add(again: Callback<()>) -> Deed {
    let ask = move || Ask {
        title: "Add a team".to_owned(),
        text: "Give it the name that action items give as their owner. Members are chosen once it is there.".to_owned(),
        fields: vec![line("Name", "/name", "")],
        submit: "Add",
        is_danger: false,
        send: Arc::new(move |values, key| {
            let new = NewTeam { name: values.concat(), members: Vec::new() };
            deliver(access::add_team(&new, &key), again, |made| {
                Outcome::Done(format!("{} is there; choose its members with Change.", made.name))
            })
        }),
    };
    Deed { label: "Add a team", of: String::new(), ask: Arc::new(ask) }
}

fn change(team: Arc<Team>, people: &[Person], again: Callback<()>) -> Ask {
    // Whoever is switched off stays a member, and can be taken out.
    let gone = team.members.iter().filter(|member| people.iter().all(|person| person.id != member.id));
    let people: Vec<Person> = people.iter().chain(gone).cloned().collect();
    let members = any_of("Members", "/members", &people, &team.members);
    let version = Arc::new(AtomicI64::new(team.version));
    Ask {
        title: format!("Change {}", team.name),
        text: "Action items keep the name that they have: after a new name, give them the new owner too.".to_owned(),
        fields: vec![line("Name", "/name", team.name.clone()), members],
        submit: "Save",
        is_danger: false,
        send: Arc::new(move |values, _| {
            let [name, members] = values.try_into().unwrap_or_default();
            let chosen = members.split_whitespace().map(UserId::new).collect();
            let patch = TeamPatch { name: Some(name), members: Some(chosen) };
            let call = access::patch_team(team.id.as_str(), version.load(Ordering::Relaxed), &patch);
            let edited = Edited {
                version: version.clone(),
                read: access::team(team.id.as_str()),
                fields: |team| {
                    let members: Vec<_> = team.members.iter().map(|member| member.id.as_str()).collect();
                    (team.version, vec![team.name.clone(), members.join(" ")])
                },
            };
            deliver_edit(call, again, edited, |team: Team| Outcome::Done(format!("{} is saved.", team.name)))
        }),
    }
}

fn remove(team: Arc<Team>, again: Callback<()>) -> Ask {
    let said = format!("{} is removed.", team.name);
    let version = Arc::new(AtomicI64::new(team.version));
    confirm(
        format!("Remove {}?", team.name),
        "Its members lose the right to update its action items, which keep its name.",
        "Remove",
        move || {
            let (id, said) = (team.id.as_str(), said.clone());
            let call = access::remove_team(id, version.load(Ordering::Relaxed));
            let read = access::team(id);
            let edited = Edited { version: version.clone(), read, fields: |team| (team.version, Vec::new()) };
            deliver_edit(call, again, edited, |_: Nothing| Outcome::Done(said))
        },
    )
}
