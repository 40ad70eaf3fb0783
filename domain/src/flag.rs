//! Feature flags: when each was switched, to what, and by whom.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::FlagChangeId;

/// One change of a feature flag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FlagChange {
    /// The change's id.
    pub id: FlagChangeId,
    /// The flag's key.
    pub flag: String,
    /// Where it was set, such as `production`; null where the source has one environment and names none.
    #[serde(default)]
    pub environment: Option<String>,
    /// What it was set to: `on`, `off`, or a variant's name.
    pub state: String,
    /// When somebody changed it.
    pub changed_at: DateTime<Utc>,
    /// When the change reached the service, if that is known.
    pub effective_at: Option<DateTime<Utc>>,
    /// Who changed it.
    pub by: Option<String>,
    /// Why.
    pub comment: Option<String>,
}

impl FlagChange {
    /// The flag as one that is switched by itself: its key, and the environment where there is one.
    pub fn name(&self) -> Cow<'_, str> {
        match &self.environment {
            Some(environment) => format!("{} ({environment})", self.flag).into(),
            None => self.flag.as_str().into(),
        }
    }

    /// The instant from which the service behaved accordingly, as far as is known.
    pub fn at(&self) -> DateTime<Utc> {
        self.effective_at.unwrap_or(self.changed_at)
    }
}

/// A span of time in which a flag held one state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlagSpan<'a> {
    /// The state; none before the first change that is known.
    pub state: Option<&'a str>,
    /// The first instant, cut to the span asked for.
    pub from: DateTime<Utc>,
    /// The first instant after, cut likewise.
    pub until: DateTime<Utc>,
}

/// The states over `[from, until)` of the flag of this [name](FlagChange::name), in order, without gaps. Changes may come
/// in any order.
pub fn spans<'a>(
    changes: &'a [FlagChange],
    name: &str,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Vec<FlagSpan<'a>> {
    // Put in where they belong rather than sorted: there are a handful, and a sort weighs kilobytes in the pages.
    let mut of_flag: Vec<&FlagChange> = Vec::new();
    for change in changes.iter().filter(|change| change.name() == name) {
        let place = of_flag.partition_point(|known| known.at() <= change.at());
        of_flag.insert(place, change);
    }
    let mut spans: Vec<FlagSpan<'a>> = Vec::new();
    let (mut state, mut start) = (None, from);
    for change in of_flag {
        let at = change.at();
        if at >= until {
            break;
        }
        if at > start {
            spans.push(FlagSpan { state, from: start, until: at });
            start = at;
        }
        state = Some(change.state.as_str());
    }
    if start < until {
        spans.push(FlagSpan { state, from: start, until });
    }
    spans.dedup_by(|next, kept| {
        let same = next.state == kept.state;
        if same {
            kept.until = next.until;
        }
        same
    });
    spans
}

/// The [names](FlagChange::name) of the flags in the changes, each once, in order.
pub fn names(changes: &[FlagChange]) -> Vec<Cow<'_, str>> {
    let mut names = Vec::new();
    for change in changes {
        let name = change.name();
        if let Err(place) = names.binary_search(&name) {
            names.insert(place, name);
        }
    }
    names
}
