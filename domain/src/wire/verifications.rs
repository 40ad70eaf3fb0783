//! `/actions/{id}/verifications`: offering a proof. It is accepted or refused at once.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::action::{Action, ActionStatus};
use crate::id::EvidenceNumber;
use crate::quantity::{Number, Quantity, Unit};
use crate::signal::Reading;
use crate::verification::VerificationKind;
use crate::wire::actions::{MAX_TEXT, is_web_address};
use crate::wire::evidence::MAX_LINK;
use crate::wire::problem::FieldError;

/// A proof, offered: either `measured` or `attested`, as the item's criterion asks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NewVerification {
    /// The value that was measured. It may be left out where `evidence` is a load test that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<MeasuredValue>,
    /// Somebody's word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attested: Option<Statement>,
    /// The evidence that shows it, by its number in the incident.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<EvidenceNumber>,
    /// Where it can be seen: an http or https address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The value is read off one of the incident's signals, in place of `measured`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<Reading>,
}

/// A value that was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct MeasuredValue {
    /// The value.
    pub value: Number,
    /// Its unit.
    pub unit: Unit,
}

/// Somebody's word that a criterion holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// What is stated.
    pub statement: String,
    /// That the criterion does not exclude whoever attests; needed where it excludes somebody beside the owner.
    #[serde(default)]
    pub not_excluded: bool,
}

/// What is known of the evidence that a proof cites.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cited {
    /// What an imported load test measured for the item's criterion.
    pub measured: Option<Quantity>,
    /// It is an imported load test.
    pub is_load_test: bool,
}

/// A proof that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The value measured.
    pub value: Option<Quantity>,
    /// What was stated.
    pub statement: Option<String>,
    /// Where it can be seen.
    pub link: Option<String>,
}

impl NewVerification {
    /// Checks the proof against an item's criterion; `cited` is known of the evidence, where one is cited, and `read` is what
    /// the signal says, where one is to be read.
    ///
    /// Whether whoever offers it may do so is not asked here.
    pub fn checked(
        &self,
        action: &Action,
        cited: Option<Cited>,
        read: Option<Quantity>,
    ) -> Result<Checked, Vec<FieldError>> {
        let mut errors = Vec::new();
        if action.status != ActionStatus::ToVerify {
            errors.push(FieldError::new(
                "/status",
                format!("an item is verified from ‘to_verify’, and this one is ‘{}’", action.status),
            ));
        }
        let link = self.link.as_deref().map(str::trim).filter(|link| !link.is_empty());
        if link.is_some_and(|link| link.len() > MAX_LINK) {
            errors.push(FieldError::new("/link", format!("a link may have {MAX_LINK} characters")));
        } else if link.is_some_and(|link| !is_web_address(link)) {
            errors.push(FieldError::new("/link", "a link begins with http:// or https://"));
        }
        let mut checked = Checked { value: None, statement: None, link: link.map(str::to_owned) };
        match &action.verification.kind {
            None => errors.push(FieldError::new(
                "/verification/kind",
                "settle first how the criterion is told: by a measured value or by somebody’s word",
            )),
            Some(VerificationKind::Measured(wanted)) => {
                if self.attested.is_some() {
                    errors.push(FieldError::new("/attested", "this criterion is measured; give the value"));
                }
                checked.value =
                    if self.signal.is_some() { self.read(read, &mut errors) } else { self.value(cited, &mut errors) };
                if let Some(value) = checked.value
                    && let Err(miss) = wanted.check(value.value.get(), value.unit)
                {
                    let pointer = if self.signal.is_some() { "/signal" } else { "/measured/value" };
                    errors.push(FieldError::new(pointer, miss.to_string()));
                }
                if cited.is_none() && link.is_none() && self.signal.is_none() {
                    errors.push(FieldError::new(
                        "/evidence",
                        "say where the value can be seen: a signal, an evidence number, or a link",
                    ));
                }
                let lacks_it = cited.is_some_and(|cited| cited.is_load_test && cited.measured.is_none());
                if lacks_it && link.is_none() && self.signal.is_none() {
                    errors.push(FieldError::new(
                        "/link",
                        "the load test cited does not have this metric; give a link to where the value can be seen",
                    ));
                }
            }
            Some(VerificationKind::Attested(wanted)) => {
                if self.measured.is_some() {
                    errors.push(FieldError::new("/measured", "this criterion is attested; give a statement"));
                }
                if self.signal.is_some() {
                    errors.push(FieldError::new("/signal", "this criterion is attested; give a statement"));
                }
                checked.statement = self.statement(wanted.excludes.as_deref(), &mut errors);
            }
        }
        if errors.is_empty() { Ok(checked) } else { Err(errors) }
    }

    /// The value that the signal says, and no other.
    fn read(&self, read: Option<Quantity>, errors: &mut Vec<FieldError>) -> Option<Quantity> {
        if self.measured.is_some() {
            errors.push(FieldError::new("/measured", "the value is read off the signal; leave this out"));
        }
        read
    }

    /// The value typed, or else the one that the load test cited has; the two must not differ.
    fn value(&self, cited: Option<Cited>, errors: &mut Vec<FieldError>) -> Option<Quantity> {
        let typed = self.measured.map(|measured| Quantity { value: measured.value, unit: measured.unit });
        let cited = cited.unwrap_or_default();
        match (typed, cited.measured) {
            (Some(typed), Some(read)) => {
                let (pointer, message) = match typed.compare(read) {
                    Some(Ordering::Equal) => return Some(typed),
                    Some(_) => ("/measured/value", format!("the load test cited measured {read}, not {typed}")),
                    None => (
                        "/measured/unit",
                        format!("the load test cited measured {read}, which cannot be compared with {typed}"),
                    ),
                };
                errors.push(FieldError::new(pointer, message));
                None
            }
            (Some(typed), None) => Some(typed),
            (None, Some(read)) => Some(read),
            (None, None) => {
                let missing = if cited.is_load_test {
                    "the load test cited does not have this metric; type the value, with a link to where it can be seen"
                } else {
                    "give the value that was measured"
                };
                errors.push(FieldError::new("/measured", missing));
                None
            }
        }
    }

    fn statement(&self, excludes: Option<&str>, errors: &mut Vec<FieldError>) -> Option<String> {
        let Some(attested) = &self.attested else {
            errors.push(FieldError::new("/attested", "say in words what holds"));
            return None;
        };
        let text = attested.statement.trim();
        if text.is_empty() {
            errors.push(FieldError::new("/attested/statement", "say in words what holds"));
        } else if text.chars().count() > MAX_TEXT {
            errors.push(FieldError::new("/attested/statement", format!("a statement may have {MAX_TEXT} characters")));
        }
        if let Some(excluded) = excludes.filter(|_| !attested.not_excluded) {
            errors.push(FieldError::new(
                "/attested/not_excluded",
                format!("the criterion excludes {excluded}; state that you are not"),
            ));
        }
        Some(text.to_owned())
    }
}
