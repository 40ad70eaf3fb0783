//! Teams: whose an action item is.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use domain::UserId;
use domain::person::Person;
use domain::wire::access::{NewTeam, Team, TeamPatch};
use domain::wire::problem::ProblemKind;
use leptos::prelude::*;

use super::listing::{Deed, Listing, Row, any_of, cell, confirm, done, draw, line};
use super::people::STALE;
use crate::client::access;
use crate::components::{Ask, Outcome, Refusal};

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
        return draw(listing, |_, _| {
            Box::pin(async { Ok(access::teams().await?.into_iter().map(|team| row(&team, Vec::new())).collect()) })
        });
    }
    // Who can be a member is asked with the list, so that a form opens at once.
    let listing = Listing { add: Some(Box::new(add)), ..listing };
    draw(listing, |again, _| {
        Box::pin(async move {
            let people: Arc<[Person]> = access::people().await?.into();
            let teams = access::teams().await?.into_iter().map(Arc::new);
            Ok(teams.map(|team| row(&team, deeds(&team, &people, again))).collect())
        })
    })
}

fn row(team: &Team, deeds: Vec<Deed>) -> Row {
    let members: Vec<_> = team.members.iter().map(|member| member.name.as_str()).collect();
    let members = if members.is_empty() { "nobody yet".to_owned() } else { members.join(", ") };
    Row { cells: vec![cell(team.name.clone()), cell(members)], deeds }
}

fn deeds(team: &Arc<Team>, people: &Arc<[Person]>, again: Callback<()>) -> Vec<Deed> {
    let (of, changed, removed, people) = (team.name.clone(), team.clone(), team.clone(), people.clone());
    vec![
        Deed { label: "Change", of: of.clone(), ask: Arc::new(move || change(changed.clone(), &people, again)) },
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
            Box::pin(async move {
                let new = NewTeam { name: values.concat(), members: Vec::new() };
                let made = access::add_team(&new, &key).await.map_err(|failure| failure.refusal())?;
                again.run(());
                Ok(Outcome::Done(format!("{} is there; choose its members with Change.", made.name)))
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
    let (before, version) = (members.value.clone(), Arc::new(AtomicI64::new(team.version)));
    Ask {
        title: format!("Change {}", team.name),
        text: "Action items keep the name that they have: after a new name, give them the new owner too.".to_owned(),
        fields: vec![line("Name", "/name", team.name.clone()), members],
        submit: "Save",
        is_danger: false,
        send: Arc::new(move |values, _| {
            let [name, members] = values.try_into().unwrap_or_default();
            let chosen = || members.split_whitespace().map(UserId::new).collect();
            let patch = TeamPatch {
                name: (name != team.name).then_some(name),
                members: (members != before).then(chosen),
            };
            let (team, version) = (team.clone(), version.clone());
            Box::pin(async move {
                let answer = access::patch_team(team.id.as_str(), version.load(Ordering::Relaxed), &patch).await;
                again.run(());
                match answer {
                    Ok(team) => Ok(Outcome::Done(format!("{} is saved.", team.name))),
                    Err(failure) if failure.is(ProblemKind::Stale) => {
                        let teams = access::teams().await.map_err(|failure| failure.refusal())?;
                        if let Some(now) = teams.iter().find(|now| now.id == team.id) {
                            version.store(now.version, Ordering::Relaxed);
                        }
                        Err(Refusal { message: STALE.to_owned(), errors: Vec::new() })
                    }
                    Err(failure) => Err(failure.refusal()),
                }
            })
        }),
    }
}

fn remove(team: Arc<Team>, again: Callback<()>) -> Ask {
    let said = format!("{} is removed.", team.name);
    confirm(
        format!("Remove {}?", team.name),
        "Its members lose the right to update its action items, which keep its name.",
        "Remove",
        move || {
            let team = team.clone();
            done(async move { access::remove_team(team.id.as_str()).await }, again, said.clone())
        },
    )
}
