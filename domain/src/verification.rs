//! Verification: how it is known that an action item works.

use std::cmp::Ordering;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::{EvidenceNumber, VerificationId};
use crate::quantity::{NotFinite, Number, Quantity, Unit};
use crate::signal::SignalProof;
use crate::words::words;

/// The proof that an action item asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Verification {
    /// What must hold, in words; empty where nobody has said.
    pub criterion: String,
    /// How that is told; absent until a person has settled it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<VerificationKind>,
}

impl Verification {
    /// A criterion in words alone.
    pub fn in_words(criterion: impl Into<String>) -> Self {
        Self { criterion: criterion.into(), kind: None }
    }
}

/// A proof that was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Acceptance {
    /// The verification's id.
    pub id: VerificationId,
    /// When it was accepted.
    pub accepted_at: DateTime<Utc>,
    /// By whom.
    pub accepted_by: String,
    /// The criterion as it then was.
    pub verification: Verification,
    /// The value measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Quantity>,
    /// What was stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// The evidence that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<EvidenceNumber>,
    /// Where it can be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Where the value was read off one of the incident's signals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<SignalProof>,
}

/// How it is told whether a criterion holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum VerificationKind {
    /// By a value.
    Measured(Measured),
    /// By somebody's word.
    Attested(Attested),
}

words!(
    /// On which side of a threshold a value must lie.
    Comparator {
        /// Less than the threshold.
        Below = "below", "below";
        /// Less than the threshold, or equal to it.
        AtMost = "at_most", "at most";
        /// More than the threshold.
        Above = "above", "above";
        /// More than the threshold, or equal to it.
        AtLeast = "at_least", "at least";
    }
);

impl Comparator {
    /// The sign for it.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Below => "<",
            Self::AtMost => "≤",
            Self::Above => ">",
            Self::AtLeast => "≥",
        }
    }

    /// Whether a value may lie so to the threshold.
    pub const fn allows(self, value: Ordering) -> bool {
        match self {
            Self::Below => value.is_lt(),
            Self::AtMost => value.is_le(),
            Self::Above => value.is_gt(),
            Self::AtLeast => value.is_ge(),
        }
    }
}

/// A threshold that a value must keep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// What is measured, in words ("p95", "error rate").
    pub metric: String,
    /// On which side of the threshold the value must lie.
    pub comparator: Comparator,
    /// The threshold.
    pub threshold: Number,
    /// What the threshold counts.
    pub unit: Unit,
}

impl Measured {
    /// The threshold with its unit.
    pub const fn limit(&self) -> Quantity {
        Quantity { value: self.threshold, unit: self.unit }
    }

    /// Why no value could ever be accepted, or none refused; none where the threshold decides something.
    pub fn flaw(&self) -> Option<&'static str> {
        let sign = self.threshold.partial_cmp(&Number::default());
        match (sign, self.comparator) {
            (Some(Ordering::Less), _) => Some("nothing that is measured here is ever less than zero"),
            (Some(Ordering::Equal), Comparator::Below) => Some("nothing is ever below zero; say ‘at most’ 0"),
            (Some(Ordering::Equal), Comparator::AtLeast) => Some("everything is at least zero; say ‘above’ 0"),
            _ => None,
        }
    }

    /// Whether a value keeps the threshold, in whatever unit of the same sort it is given; if not, by how much.
    pub fn check(&self, value: f64, unit: Unit) -> Result<(), Miss> {
        let value = Number::try_from(value).map_err(Miss::NotANumber)?;
        let measured = Quantity { value, unit };
        if value < Number::default() {
            return Err(Miss::Negative { value: measured });
        }
        let limit = self.limit();
        let Some(order) = measured.compare(limit) else {
            return Err(Miss::Unit { given: unit, limit });
        };
        if self.comparator.allows(order) {
            return Ok(());
        }
        // Of one sort, so only what is too large for a number in that unit has none.
        let converted = measured.converted(self.unit).ok_or(Miss::Beyond { value: measured, unit: self.unit })?;
        let by = (converted.value.get() - limit.value.get()).abs();
        Err(Miss::Threshold(Shortfall { value: converted, limit, comparator: self.comparator, order, by }))
    }
}

impl std::fmt::Display for Measured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", self.metric, self.comparator.label(), self.limit())
    }
}

/// Why a value is not accepted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Miss {
    /// It is infinite, or no number.
    NotANumber(NotFinite),
    /// It is below zero, as no time, share, count, size or rate can be.
    Negative {
        /// The value.
        value: Quantity,
    },
    /// It is a number, but too large a one for any in the threshold's unit.
    Beyond {
        /// The value.
        value: Quantity,
        /// The threshold's unit.
        unit: Unit,
    },
    /// Its unit measures something else than the threshold's.
    Unit {
        /// The unit that was given.
        given: Unit,
        /// The threshold.
        limit: Quantity,
    },
    /// It lies on the wrong side of the threshold.
    Threshold(Shortfall),
}

/// By how much a value misses its threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shortfall {
    /// The value, in the threshold's unit.
    pub value: Quantity,
    /// The threshold.
    pub limit: Quantity,
    /// On which side the value should have been.
    pub comparator: Comparator,
    /// How the value lies to the threshold.
    order: Ordering,
    /// The distance between them, in the threshold's unit.
    pub by: f64,
}

impl std::fmt::Display for Miss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotANumber(error) => write!(f, "{error}"),
            Self::Negative { value } => {
                write!(f, "{value} is below zero, which no {} can be", value.unit.dimension())
            }
            Self::Beyond { value, unit } => {
                write!(f, "{value} is more than a number in ‘{unit}’ can be; check the value and its unit")
            }
            Self::Unit { given, limit } => {
                let units: Vec<_> = limit.unit.comparable().map(Unit::as_str).collect();
                write!(
                    f,
                    "a value in ‘{given}’ cannot be compared with the limit of {limit}; give it in {}",
                    units.join(", ")
                )
            }
            Self::Threshold(shortfall) => shortfall.fmt(f),
        }
    }
}

impl std::error::Error for Miss {}

impl std::fmt::Display for Shortfall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (limit, comparator) = (self.limit, self.comparator.label());
        let side = match self.order {
            Ordering::Equal => return write!(f, "{limit} is exactly the limit, and must be {comparator} it"),
            Ordering::Greater => "over the limit of",
            Ordering::Less => "short of the required",
        };
        // Never rounded so far that the value seems to keep the threshold.
        let rounded = Quantity { value: self.value.value.rounded(6), ..self.value };
        let value = if rounded.compare(limit) == Some(self.order) { rounded } else { self.value };
        let by = Number::try_from(self.by).unwrap_or_default().rounded(4);
        if by == Number::default() {
            return write!(f, "{value} is a trifle {side} {limit}");
        }
        match limit.unit {
            Unit::Percent if by == Number::from(1) => write!(f, "{value} is 1 percentage point {side} {limit}")?,
            Unit::Percent => write!(f, "{value} is {by} percentage points {side} {limit}")?,
            unit => write!(f, "{value} is {} {side} {limit}", Quantity { value: by, unit })?,
        }
        match Number::try_from(self.by / limit.value.get() * 100.0) {
            Ok(share) => write!(f, " ({}%)", share.rounded(3)),
            // Over a limit of zero, anything is infinitely much.
            Err(NotFinite) => Ok(()),
        }
    }
}

/// Somebody's word that a criterion holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Attested {
    /// Whose word counts.
    pub by: Attester,
    /// Whom the criterion excludes beside the owner, to follow "I am not" ("an author"). The attester states that
    /// this does not exclude them, since nobody else can know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excludes: Option<String>,
}

impl Attested {
    /// What whoever attests must state of themselves, if anything.
    pub fn statement(&self) -> Option<String> {
        self.excludes.as_ref().map(|excluded| format!("I am not {excluded}."))
    }
}

impl std::fmt::Display for Attested {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.by {
            Attester::NotOwner => write!(f, "attested by anybody but the owner")?,
            Attester::Named(name) => write!(f, "attested by {name}, not being the owner")?,
        }
        match &self.excludes {
            Some(excluded) => write!(f, " or {excluded}"),
            None => Ok(()),
        }
    }
}

/// Whose word counts. The item's owner's never does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Attester {
    /// Anybody but the owner.
    NotOwner,
    /// Somebody of this role or team.
    Named(String),
}

impl std::fmt::Display for VerificationKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Measured(measured) => measured.fmt(f),
            Self::Attested(attested) => attested.fmt(f),
        }
    }
}
