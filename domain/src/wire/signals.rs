//! `/incidents/{id}/signals`: everything on the time axis.

use serde::{Deserialize, Serialize};

use crate::signal::{Signal, ValueSignal};

/// All signals of an incident, in the stretch that was asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Signals {
    /// The ratios.
    pub items: Vec<Signal>,
    /// The plain values.
    #[serde(default)]
    pub values: Vec<ValueSignal>,
    /// Always null: there is one page.
    pub next: Option<String>,
}
