//! Times derived from the milestones: each is a value, or the reason why it cannot be computed.

use std::marker::PhantomData;

use chrono::{DateTime, Utc};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::timeline::{Milestone, MilestoneAt};

/// A value, or the reason why there is none.
///
/// In JSON it is the value's own object, or `{"unavailable": "…"}`; no value has a field of that name.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Computed<T> {
    /// The value.
    Value(T),
    /// Why there is none.
    Unavailable {
        /// A sentence for people.
        unavailable: String,
    },
}

/// The first key decides. What serde derives for untagged enumerations reads everything into a tree first, and a second
/// time out of it, which weighs kilobytes in the browser.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Computed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ComputedVisitor(PhantomData))
    }
}

struct ComputedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ComputedVisitor<T> {
    type Value = Computed<T>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value or the reason why there is none")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let first: Option<String> = map.next_key()?;
        if first.as_deref() == Some("unavailable") {
            return Ok(Computed::Unavailable { unavailable: map.next_value()? });
        }
        T::deserialize(MapAccessDeserializer::new(Rest { first, map })).map(Computed::Value)
    }
}

/// An object whose first key has been read already.
struct Rest<A> {
    first: Option<String>,
    map: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Rest<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.first.take() {
            Some(key) => seed.deserialize(key.into_deserializer()).map(Some),
            None => self.map.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

impl<T> Computed<T> {
    /// No value, for this reason.
    pub fn unavailable(reason: impl Into<String>) -> Self {
        Self::Unavailable { unavailable: reason.into() }
    }

    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Unavailable { .. } => None,
        }
    }
}

/// A length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Duration {
    /// Whole seconds, never negative.
    pub seconds: i64,
}

/// The derived times of an incident.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DerivedTimes {
    /// From the incident's start to its end.
    pub duration: Computed<Duration>,
    /// From the start of the impact to its detection.
    pub time_to_detect: Computed<Duration>,
    /// From detection to the declaration.
    pub time_to_acknowledge: Computed<Duration>,
    /// From the start of the impact to its mitigation.
    pub time_to_mitigate: Computed<Duration>,
    /// From the start of the impact to the resolution.
    pub time_to_resolve: Computed<Duration>,
}

/// Computes the derived times.
pub fn derive_times(
    milestones: &[MilestoneAt],
    started_at: Option<DateTime<Utc>>,
    ended_at: Option<DateTime<Utc>>,
) -> DerivedTimes {
    let duration = match (started_at, ended_at) {
        (Some(from), Some(until)) => between(from, until, "the incident's start", "its end"),
        (None, _) => Computed::unavailable("the incident's start is not known"),
        (Some(_), None) => Computed::unavailable("the incident has no end yet"),
    };
    let span = |from, until| span(milestones, from, until);
    DerivedTimes {
        duration,
        time_to_detect: span(Milestone::ImpactStarted, Milestone::Detected),
        time_to_acknowledge: span(Milestone::Detected, Milestone::Declared),
        time_to_mitigate: span(Milestone::ImpactStarted, Milestone::Mitigated),
        time_to_resolve: span(Milestone::ImpactStarted, Milestone::Resolved),
    }
}

fn span(milestones: &[MilestoneAt], from: Milestone, until: Milestone) -> Computed<Duration> {
    let at = |wanted: Milestone| milestones.iter().find(|found| found.milestone == wanted).map(|found| found.at);
    match (at(from), at(until)) {
        (Some(start), Some(end)) => between(start, end, &quoted(from), &quoted(until)),
        (None, _) => Computed::unavailable(format!("no timeline entry marks {}", quoted(from))),
        (_, None) => Computed::unavailable(format!("no timeline entry marks {}", quoted(until))),
    }
}

fn quoted(milestone: Milestone) -> String {
    format!("‘{}’", milestone.label())
}

fn between(from: DateTime<Utc>, until: DateTime<Utc>, from_name: &str, until_name: &str) -> Computed<Duration> {
    if until < from {
        return Computed::unavailable(format!("{until_name} is set before {from_name}"));
    }
    Computed::Value(Duration { seconds: (until - from).num_seconds() })
}
