//! The forms that deploys come in: a list as JSON or CSV, its columns found by the names that they usually have.

use chrono::DateTime;
use domain::wire::actions::is_web_address;
use serde_json::{Map, Value};

use super::super::ImportError;
use super::super::events::Times;
use super::super::listed::{Column, Element, Found, Rows, Shape, fields, optional};
use super::Reading;
use crate::store::NewDeploy;

const fn column(names: &'static [&'static str], is_needed: bool) -> Column {
    Column { names, is_needed }
}

const TIME: Column = column(&["at", "time", "timestamp", "ts", "deployed_at", "finished_at", "date"], true);
const SERVICE: [&str; 6] = ["service", "app", "application", "component", "project", "name"];
const VERSION: Column = column(&["version", "tag", "release", "sha", "revision", "commit", "ref"], true);
const ENVIRONMENT: Column = column(&["environment", "env", "stage", "cluster"], false);
const BY: Column = column(&["by", "deployed_by", "author", "actor", "user", "creator"], false);
const LINK: Column = column(&["link", "url", "web_url", "html_url"], false);

/// How such a list is written where each row names its service.
const NAMED: Shape = Shape {
    things: "deploys",
    a_thing: "a deploy",
    members: &["deploys", "deployments"],
    json: "[{\"at\": …, \"service\": …, \"version\": …}, …], or {\"deploys\": […]}",
    columns: &[TIME, column(&SERVICE, true), VERSION, ENVIRONMENT, BY, LINK],
};

/// The same where it was said whose deploys they are.
const OF_ONE: Shape = Shape { columns: &[TIME, column(&SERVICE, false), VERSION, ENVIRONMENT, BY, LINK], ..NAMED };

/// Reads a file in whatever form it is; the deploys are in order of time.
pub(super) fn read(bytes: &[u8], reading: &Reading) -> Result<Found<NewDeploy>, ImportError> {
    let shape = if reading.service.is_some() { OF_ONE } else { NAMED };
    let rows = Rows::of(bytes, &shape)?;
    let times: Vec<String> = rows
        .rows
        .iter()
        .filter_map(|(_, row)| said(&fields(row.as_ref().ok()?, &[TIME]), "at").ok().flatten())
        .collect();
    let times = Times::decide("at", None, reading.zone.as_deref(), times.iter().map(String::as_bytes))?;
    let mut found = Found::of(rows, &shape, |row| {
        let row = fields(row, shape.columns);
        let needed = |name: &str| said(&row, name)?.ok_or_else(|| format!("‘{name}’ is missing"));
        let at = needed("at")?;
        let at = DateTime::from_timestamp_millis(times.millis(at.as_bytes())?)
            .ok_or_else(|| format!("at ‘{at}’ is no time that there is"))?;
        let service = said(&row, "service")?.or_else(|| reading.service.clone());
        let link = said(&row, "link")?;
        if link.as_deref().is_some_and(|link| !is_web_address(link)) {
            return Err("‘link’ does not begin with http:// or https://".to_owned());
        }
        Ok(Element::Thing(NewDeploy {
            at,
            service: service.ok_or("‘service’ is missing")?,
            version: needed("version")?,
            environment: said(&row, "environment")?,
            by: said(&row, "by")?,
            link,
        }))
    })?;
    found.things.sort_by_key(|deploy| deploy.at);
    Ok(found)
}

/// A field on one line; a number is as good as its digits.
fn said(row: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match row.get(name) {
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        _ => optional(row, name),
    }
}
