//! The event log of Unleash, as `GET /api/admin/events` answers it: which flag was switched in which environment.

use serde_json::{Map, Value};

use super::super::listed::{Element, needed, optional};
use super::read::instant;
use crate::store::NewFlagChange;

/// The event that says that a flag is on in an environment, and its opposite.
const SWITCHES: [(&str, &str); 2] = [("feature-environment-enabled", "on"), ("feature-environment-disabled", "off")];

/// Whether an element is an event of Unleash rather than a change of the neutral form.
pub(super) fn is_event(fields: &Map<String, Value>) -> bool {
    fields.contains_key("type") && fields.contains_key("createdAt")
}

/// What an event is. Everything but switching a flag leaves its state alone: strategies, variants, tags, evaluations.
pub(super) fn element(fields: &Map<String, Value>) -> Result<Element<NewFlagChange>, String> {
    let kind = needed(fields, "type")?;
    let Some((_, state)) = SWITCHES.iter().find(|(switch, _)| *switch == kind) else {
        return Ok(Element::Other(kind));
    };
    Ok(Element::Thing(NewFlagChange {
        flag: needed(fields, "featureName")?,
        environment: Some(needed(fields, "environment")?),
        state: (*state).to_owned(),
        changed_at: instant(&needed(fields, "createdAt")?, "createdAt")?,
        effective_at: None,
        by: optional(fields, "createdBy")?,
        comment: None,
    }))
}
