//! The forms that a flag's history comes in: a neutral list as JSON or CSV, and the event log of Unleash.

use chrono::{DateTime, Datelike, SubsecRound, Utc};
use domain::wire::actions::{MAX_TEXT, YEARS, years};
use serde_json::{Map, Value};

use super::super::ImportError;
use super::super::events::rows::quoted;
use super::super::listed::{Column, Element, Found, Rows, Shape, needed, optional, optional_up_to};
use super::unleash;
use crate::store::NewFlagChange;

const fn column(names: &'static [&'static str], is_needed: bool) -> Column {
    Column { names, is_needed }
}

/// How such a list is written.
const SHAPE: Shape = Shape {
    things: "changes",
    a_thing: "a change",
    members: &["events"],
    json: "[{\"flag\": …, \"state\": …, \"changed_at\": …}, …], or Unleash's {\"events\": […]}",
    columns: &[
        column(&["flag"], true),
        column(&["state"], true),
        column(&["changed_at"], true),
        column(&["environment"], false),
        column(&["effective_at"], false),
        column(&["by"], false),
        column(&["comment"], false),
    ],
};

/// Reads a file in whatever form it is; the changes are in order of time.
pub(super) fn read(bytes: &[u8]) -> Result<Found<NewFlagChange>, ImportError> {
    let mut found = Found::of(Rows::of(bytes, &SHAPE)?, &SHAPE, |fields| {
        if unleash::is_event(fields) { unleash::element(fields) } else { change(fields).map(Element::Thing) }
    })?;
    found.things.sort_by_key(|change| change.changed_at);
    Ok(found)
}

fn change(fields: &Map<String, Value>) -> Result<NewFlagChange, String> {
    Ok(NewFlagChange {
        flag: needed(fields, "flag")?,
        environment: optional(fields, "environment")?,
        state: needed(fields, "state")?,
        changed_at: instant(&needed(fields, "changed_at")?, "changed_at")?,
        effective_at: optional(fields, "effective_at")?.map(|at| instant(&at, "effective_at")).transpose()?,
        by: optional(fields, "by")?,
        comment: optional_up_to(fields, "comment", MAX_TEXT)?,
    })
}

/// A time with its zone.
pub(super) fn instant(text: &str, name: &str) -> Result<DateTime<Utc>, String> {
    let at = DateTime::parse_from_rfc3339(text).map(|at| at.to_utc().trunc_subsecs(3)).map_err(|_| {
        let text = quoted(text.as_bytes());
        format!("‘{name}’ is ‘{text}’, not a time with date and zone, such as 2026-07-09T10:11:00Z")
    })?;
    if YEARS.contains(&at.year()) {
        Ok(at)
    } else {
        Err(format!("‘{name}’ is ‘{text}’, whose year is none of {}", years()))
    }
}
