//! Who may see the incident: its marks, and the forms that share and restrict it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use domain::incident::Visibility;
use domain::person::{Person, Role};
use domain::wire::access::{IncidentAccess, NewShare};
use domain::wire::incidents::Dashboard;
use domain::{TeamId, UserId};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::Shown;
use crate::client::{Answer, Failure, Nothing, access};
use crate::components::{Ask, Asking, Badge, Field, Kind, Outcome};
use crate::pages::{Edited, deliver, deliver_edit};
use crate::state::clock;
use crate::state::session::Session;
use crate::state::zone;
use crate::view::view;
use crate::{format, part, route};

/// For how many days one shares unless one says otherwise.
const DAYS: u16 = 14;

fn is_restricted(incident: &Dashboard) -> bool {
    incident.access.as_ref().is_some_and(|access| access.visibility == Visibility::Restricted)
}

/// The mark of an incident that not everybody may see.
#[component]
pub fn Restricted(shown: Shown) -> impl IntoView {
    move || is_restricted(&shown.incident.read()).then(|| view! { <Badge tone="warn" shape="⊘" word="Restricted"/> })
}

/// With whom it is shared and until when, or that this is what a share link shows.
#[component]
pub fn Marks(shown: Shown) -> impl IntoView {
    let (session, kept) = (Session::get(), zone::kept());
    move || {
        let (incident, zone) = (shown.incident.read(), shown.zone.read());
        if let Some(until) = incident.shared_until {
            let until = format::minute(until, &zone);
            return view! { <p class="shared">"A shared view, to read only. The link works until "{until}"."</p> };
        }
        let shares = incident.access.as_ref().map(|access| access.shares.as_slice()).unwrap_or_default();
        let now = clock::now();
        let marks: Vec<_> = shares
            .iter()
            .filter(|share| share.until > now)
            .map(|share| format!("Shared with {} until {}", share.audience, format::minute(share.until, &zone)))
            .collect();
        if marks.is_empty() {
            return ().into_any();
        }
        let manage = session.is(Role::Editor).then(
            || view! { <a href=route::with_zone(&route::settings("shares"), kept.get().as_deref())>"Manage"</a> },
        );
        view! {
            <ul class="shared" aria-label="Shares">
                {marks.into_iter().map(|mark| view! { <li>{mark}</li> }).collect_view()}
                {manage.map(|manage| view! { <li>{manage}</li> })}
            </ul>
        }
    }
}

/// What an editor can do about who may see it.
#[component]
pub fn AccessMenu(shown: Shown) -> impl IntoView {
    let (session, asking) = (Session::get(), Asking::get());
    let failure = RwSignal::new(None::<String>);
    let restrict = move |_| {
        failure.set(None);
        part::with(asking, move |here| part::changing::restrict(here, shown, session, asking, failure));
    };
    let share = move |_| part::with(asking, move |here| asking.ask(part::changing::share(here, shown)));
    move || {
        session.is(Role::Editor).then(|| {
            view! {
                <details class="menu">
                    <summary class="ghost" data-part=part::CHANGING>"Access"</summary>
                    <ul>
                        {move || (!is_restricted(&shown.incident.read())).then(|| view! {
                            <li><button class="link" on:click=share>"Share…"</button></li>
                        })}
                        <li><button class="link" on:click=restrict>"Who may see it…"</button></li>
                    </ul>
                </details>
                {move || failure.get().map(|why| view! { <p class="error" role="alert">{why}</p> })}
            }
        })
    }
}

/// Asks with whom to share it.
pub fn share(shown: Shown) -> Ask {
    let line = |label, pointer, kind, value: String| Field { label, pointer, kind: Kind::Line(kind, "off"), value };
    Ask {
        title: "Share this incident".to_owned(),
        text: "Whoever has the link reads this one incident without signing in: no progress notes, no history, no \
               customers. The page shows everybody that it is shared, with whom and until when."
            .to_owned(),
        fields: vec![
            line("With whom", "/audience", "text", String::new()),
            line("Days", "/days", "number", DAYS.to_string()),
        ],
        submit: "Make the link",
        is_danger: false,
        send: Arc::new(move |values, key| {
            let [audience, days] = values.try_into().unwrap_or_default();
            let incident_id = shown.incident.with_untracked(|incident| incident.id.to_string());
            // The server says which numbers it takes.
            let new = NewShare { incident_id, audience, days: days.parse().unwrap_or(0) };
            deliver(access::share(&new, &key), shown.refresh, |made| {
                Outcome::Once(format!("This link is for {}.", made.share.audience), made.url)
            })
        }),
    }
}

/// Asks who may see it.
pub fn restrict(shown: Shown, session: Session, asking: Asking, failure: RwSignal<Option<String>>) {
    spawn_local(async move {
        match who_sees(shown, session).await {
            Ok(ask) => asking.ask(ask),
            Err(why) => {
                let _ = failure.try_set(Some(why.message()));
            }
        }
    });
}

/// The form that says who may see the incident, with what holds now.
async fn who_sees(shown: Shown, session: Session) -> Result<Ask, Failure> {
    let id = shown.incident.with_untracked(|incident| incident.id.to_string());
    let text = access::incident_access(&id).untyped().text().await?;
    let now = IncidentAccess::parsed(&text).ok_or(Failure::Unreadable(None))?;
    let version = Arc::new(AtomicI64::new(now.version));
    let people = access::people().await?.items;
    let teams = access::named_teams().await?.items;
    let teams: Vec<_> = teams.into_iter().map(|team| (team.id.to_string(), team.name)).collect();
    // Whoever restricts it would lose sight of it where they are not named themselves.
    let chosen = if now.people.is_empty() { session.person().into_iter().collect() } else { now.people.clone() };
    let choices = Visibility::ALL.iter().map(|each| {
        let label = match each {
            Visibility::Open => "Everybody who is signed in",
            Visibility::Restricted => "Administrators and those named here",
        };
        (each.as_str().to_owned(), label.to_owned())
    });
    let fields = vec![
        Field {
            label: "Who may see it",
            pointer: "/visibility",
            kind: Kind::One(choices.collect()),
            value: now.visibility.as_str().to_owned(),
        },
        named_only(any(
            "People named",
            "/people",
            people.iter().map(named).collect(),
            chosen.iter().map(UserId::as_str),
        )),
        named_only(any("Teams named", "/teams", teams, now.teams.iter().map(TeamId::as_str))),
    ];
    Ok(Ask {
        title: "Who may see this incident".to_owned(),
        text:
            "Restricting it revokes its share links, and takes it out of everybody else’s lists, searches and exports. \
               It cannot be shared while it is restricted. Owners of its action items still see those items."
                .to_owned(),
        fields,
        submit: "Save",
        is_danger: false,
        send: Arc::new(move |values, _| {
            let [visibility, people, teams] = values.try_into().unwrap_or_default();
            let visibility = visibility.parse().unwrap_or(Visibility::Restricted);
            let named = visibility == Visibility::Restricted;
            let ids = |text: &str| text.split_whitespace().filter(|_| named).map(str::to_owned).collect::<Vec<_>>();
            let access = IncidentAccess {
                version: 0,
                visibility,
                people: ids(&people).into_iter().map(UserId::new).collect(),
                teams: ids(&teams).into_iter().map(TeamId::new).collect(),
            };
            let call = access::set_incident_access(&id, version.load(Ordering::Relaxed), &access);
            let edited = Edited {
                version: version.clone(),
                read: access::incident_access(&id),
                fields: |now| (now.version, values_of(now)),
            };
            deliver_edit(call, shown.refresh, edited, move |_: Nothing| {
                Outcome::Done(if named {
                    "The incident is restricted to administrators and those named.".to_owned()
                } else {
                    "Everybody who is signed in may see the incident.".to_owned()
                })
            })
        }),
    })
}

/// What stands in the form's fields.
fn values_of(now: &IncidentAccess) -> Vec<String> {
    let people: Vec<_> = now.people.iter().map(UserId::as_str).collect();
    let teams: Vec<_> = now.teams.iter().map(TeamId::as_str).collect();
    vec![now.visibility.as_str().to_owned(), people.join(" "), teams.join(" ")]
}

fn named(person: &Person) -> (String, String) {
    (person.id.to_string(), person.name.clone())
}

/// A field that is asked for only where the incident is restricted, which the first field says.
fn named_only(field: Field) -> Field {
    Field { kind: Kind::Under(0, Visibility::Restricted.as_str(), Box::new(field.kind)), ..field }
}

fn any<'a>(
    label: &'static str,
    pointer: &'static str,
    choices: Vec<(String, String)>,
    chosen: impl Iterator<Item = &'a str>,
) -> Field {
    Field { label, pointer, kind: Kind::Any(choices), value: chosen.collect::<Vec<_>>().join(" ") }
}
