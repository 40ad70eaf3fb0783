//! A list in the settings: fetched, drawn as a table (cards on a phone), each row with what can be done to it.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::person::{Person, Role};
use domain::wire::page::Page;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::de::DeserializeOwned;

use crate::client::{Answer, Call, Failure, Nothing};
use crate::components::{Ask, Asking, Badge, Fetched, Field, Kind, Loaded, Outcome, Sending};
use crate::format;
use crate::pages::deliver;
use crate::state::zone::{self, Zone};
use crate::view::view;

/// A row.
#[derive(Clone)]
pub struct Row {
    /// Under each heading.
    pub cells: Vec<Cell>,
    /// What can be done to it.
    pub deeds: Vec<Deed>,
}

/// What stands under a heading.
#[derive(Clone, Default)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// More, in small letters.
    pub detail: String,
    /// A page that the text leads to.
    pub link: Option<String>,
    /// A state: its tone, its shape, its word.
    pub badge: Option<(&'static str, &'static str, &'static str)>,
}

/// Something that can be done.
#[derive(Clone)]
pub struct Deed {
    /// What the button says.
    pub label: &'static str,
    /// To what, for those who hear the page.
    pub of: String,
    /// What is asked first.
    pub ask: Arc<dyn Fn() -> Ask + Send + Sync>,
}

/// A list with its words.
pub struct Listing {
    /// What it lists, for its heading.
    pub title: &'static str,
    /// What it is for.
    pub lead: &'static str,
    /// What is being fetched, for the sentences.
    pub what: &'static str,
    /// The headings of the columns.
    pub columns: &'static [&'static str],
    /// What stands there while there is nothing.
    pub empty: &'static str,
    /// What can be added, given what reads the list again.
    pub add: Option<Box<dyn Fn(Callback<()>) -> Deed>>,
}

/// A cell of text alone.
pub fn cell(text: impl Into<String>) -> Cell {
    Cell { text: text.into(), ..Cell::default() }
}

/// A cell with an instant, or with a word where there is none.
pub fn when(at: Option<DateTime<Utc>>, zone: &Zone, otherwise: &str) -> Cell {
    cell(at.map_or_else(|| otherwise.to_owned(), |at| format::minute(at, zone)))
}

/// A line of text to be asked for.
pub fn line(label: &'static str, pointer: &'static str, value: impl Into<String>) -> Field {
    Field { label, pointer, kind: Kind::Line("text", "off"), value: value.into() }
}

/// A role to be asked for, at most this one.
pub fn role(value: Role, most: Role) -> Field {
    let roles = Role::ALL.iter().filter(|role| **role <= most);
    let choices = roles.map(|role| (role.as_str().to_owned(), role.label().to_owned())).collect();
    Field { label: "Role", pointer: "/role", kind: Kind::One(choices), value: value.as_str().to_owned() }
}

/// For how many days.
pub fn days(value: u16) -> Field {
    Field { label: "Days", pointer: "/days", kind: Kind::Line("number", "off"), value: value.to_string() }
}

/// People to choose from.
pub fn any_of(label: &'static str, pointer: &'static str, people: &[Person], chosen: &[Person]) -> Field {
    let choices = people.iter().map(|person| (person.id.to_string(), person.name.clone())).collect();
    let value: Vec<_> = chosen.iter().map(|person| person.id.as_str()).collect();
    Field { label, pointer, kind: Kind::Any(choices), value: value.join(" ") }
}

/// A yes to something that takes away.
pub fn confirm(
    title: String,
    text: impl Into<String>,
    submit: &'static str,
    send: impl Fn() -> Sending + Send + Sync + 'static,
) -> Ask {
    Ask { title, text: text.into(), fields: Vec::new(), submit, is_danger: true, send: Arc::new(move |_, _| send()) }
}

/// Sends what brings nothing back.
pub fn done(call: Call<Nothing>, again: Callback<()>, said: String) -> Sending {
    deliver(call, again, |_| Outcome::Done(said))
}

/// Makes rows of the text of an answer.
type Rows = Box<dyn Fn(&str, Callback<()>, &Zone) -> Option<Vec<Row>> + Send + Sync>;

/// Draws a list: what fetches it, and what makes a row, given what reads the list again and the zone that times are
/// shown in.
pub fn draw<T: DeserializeOwned + 'static>(
    listing: Listing,
    call: fn() -> Call<Page<T>>,
    row: impl Fn(T, Callback<()>, &Zone) -> Row + Send + Sync + 'static,
) -> AnyView {
    let rows = move |text: &str, again: Callback<()>, zone: &Zone| {
        Some(Page::<T>::parsed(text)?.items.into_iter().map(|each| row(each, again, zone)).collect())
    };
    drawn_list(listing, Box::new(move || call().untyped()), Box::new(rows))
}

fn drawn_list(listing: Listing, call: Box<dyn Fn() -> Call<()> + Send + Sync>, rows: Rows) -> AnyView {
    let Listing { title, lead, what, columns, empty, add } = listing;
    let fetched = RwSignal::new(Fetched::<Vec<Row>>::Loading);
    let choice = zone::choice();
    let kept = StoredValue::new((call, rows));
    let again = StoredValue::new(None::<Callback<()>>);
    let fetch = move || {
        let Some(call) = kept.try_with_value(|(call, _)| call()) else { return };
        spawn_local(async move {
            let answer = call.text().await;
            let Some(Some(reload)) = again.try_get_value() else { return };
            let zone = choice.get_untracked().zone("UTC");
            let rows = answer.and_then(|text| {
                kept.with_value(|(_, rows)| rows(&text, reload, &zone)).ok_or(Failure::Unreadable(None))
            });
            fetched.set(match rows {
                Ok(rows) => Fetched::There(rows.into()),
                // What is on screen stays there; the next refresh may succeed.
                Err(_) if fetched.with_untracked(|now| now.value().is_some()) => return,
                Err(failure) => Fetched::Failed(failure.message()),
            });
        });
    };
    let reload = Callback::new(move |()| fetch());
    again.set_value(Some(reload));
    Effect::new(move || {
        let _ = choice.get();
        fetch();
    });
    let table = move || {
        let rows = fetched.read().value().unwrap_or_default();
        if rows.is_empty() {
            return view! { <p class="empty">{empty}</p> };
        }
        let heads = columns.iter().map(|column| view! { <th scope="col">{*column}</th> }).collect_view();
        let rows = rows.iter().map(|row| drawn(row, columns)).collect_view();
        view! {
            <table class="listing">
                <thead><tr>{heads}<th><span class="vh">"What can be done"</span></th></tr></thead>
                <tbody>{rows}</tbody>
            </table>
        }
    };
    view! {
        <section class="stack" aria-labelledby="section">
            <div class="bar">
                <h2 id="section">{title}</h2>
                {add.map(|add| button(add(reload), "primary"))}
            </div>
            <p class="lede">{lead}</p>
            <Loaded below=true fetched retry=fetch what content=table/>
        </section>
    }
}

fn drawn(row: &Row, columns: &'static [&'static str]) -> AnyView {
    let cells = row.cells.iter().zip(columns).map(|(cell, column)| {
        let Cell { text, detail, link, badge } = cell.clone();
        let text = match link {
            Some(link) => view! { <a href=link>{text}</a> },
            None => text.into_any(),
        };
        view! {
            <td data-label=*column>
                {text}
                {badge.map(|(tone, shape, word)| view! { " "<Badge tone shape word/> })}
                {(!detail.is_empty()).then(|| view! { <small>{detail}</small> })}
            </td>
        }
    });
    let deeds: Vec<_> = row.deeds.iter().cloned().map(|deed| button(deed, "ghost")).collect();
    view! { <tr>{cells.collect_view()}<td class="do"><div class="row">{deeds}</div></td></tr> }
}

fn button(deed: Deed, class: &'static str) -> AnyView {
    let asking = Asking::get();
    let Deed { label, of, ask } = deed;
    let name = if of.is_empty() { label.to_owned() } else { format!("{label}: {of}") };
    view! { <button class=class aria-label=name on:click=move |_| asking.ask(ask())>{label}</button> }
}
