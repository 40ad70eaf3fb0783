//! Impact measures: each figure with how sure we are of it and what it rests on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};

use crate::id::{EvidenceNumber, ImpactId};
use crate::quantity::Number;
use crate::words::words;

words!(
    /// How sure the authors are of a figure. It is the author's word, never computed.
    Confidence {
        /// Checked against a source.
        Confirmed = "confirmed", "Confirmed";
        /// Calculated or judged, not counted.
        Estimated = "estimated", "Estimated";
        /// Seen, without a claim that all of it was seen.
        Observed = "observed", "Observed";
        /// Somebody holds another figure.
        Disputed = "disputed", "Disputed";
        /// Nobody has said.
        Unknown = "unknown", "Not stated";
    }
);

/// One row of the impact table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ImpactMeasure {
    /// The measure's id.
    pub id: ImpactId,
    /// What is measured ("Failed attempts").
    pub label: String,
    /// The result as it was written ("0 observed").
    pub result: String,
    /// The result as a number, where it is one.
    #[serde(serialize_with = "whole_where_whole")]
    pub quantity: Option<f64>,
    /// What the number counts, where that is written beside it ("minutes", "%").
    pub unit: Option<String>,
    /// How sure the authors are.
    pub confidence: Confidence,
    /// Why they are, in words ("deduplicated by customer ID").
    pub basis: Option<String>,
    /// The evidence cited.
    pub evidence: Vec<EvidenceNumber>,
    /// Fields whose text carries Markdown, rendered and sanitised.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub html: BTreeMap<String, String>,
}

/// Writes 1284.0 as 1284, as a person would.
#[expect(clippy::ref_option, reason = "serde passes the field by reference")]
pub(crate) fn whole_where_whole<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    // What is not finite has no spelling in JSON, and was never a figure.
    value.and_then(|value| Number::try_from(value).ok()).serialize(serializer)
}
