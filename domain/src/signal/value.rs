//! Plain values over time, as a Prometheus server or a file gave them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::{EvidenceNumber, SignalId};
use crate::incident::Window;

/// One value at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Point {
    /// When.
    pub at: DateTime<Utc>,
    /// The value; null where nothing is known from here to the next point. Lines break there.
    pub value: Option<f64>,
}

/// What a Prometheus server was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PrometheusRead {
    /// The name of the server; absent under a share link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The query, in `PromQL`.
    pub query: String,
    /// The first instant asked for.
    pub from: DateTime<Utc>,
    /// The last instant asked for.
    pub until: DateTime<Utc>,
    /// How many seconds lie between two instants asked for.
    pub step_seconds: u32,
    /// What the server warned of, in its words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What values were read from. The file, or the server's answer, is kept as it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ValueSource {
    /// The file's name, or what the server's answer is called.
    pub file_name: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// When it was read.
    pub imported_at: DateTime<Utc>,
    /// The number of its evidence.
    pub evidence: EvidenceNumber,
    /// What was asked, where a Prometheus server was; absent for a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prometheus: Option<PrometheusRead>,
}

/// A plain value over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ValueSignal {
    /// The signal's id.
    pub id: SignalId,
    /// What the value is, for people ("Queue length").
    pub title: String,
    /// What one of it is ("s", "bytes"); empty where nobody said.
    pub unit: String,
    /// The labels of a Prometheus series; empty for a file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// What it was read from.
    pub source: ValueSource,
    /// What all of it spans; null where it has no point. `until` is just after its last point.
    pub span: Option<Window>,
    /// How many points it has in all, those without a value among them.
    pub count: u64,
    /// How many of them have no value.
    #[serde(default)]
    pub gaps: u64,
    /// Whether `points` leaves some of the view's out. The first, the last, the least and the greatest of what one pixel
    /// shows are kept, and so is whether it has a gap.
    #[serde(default)]
    pub thinned: bool,
    /// The view's points in order of time, with one before it and one after it, so that lines reach its edges.
    pub points: Vec<Point>,
}
