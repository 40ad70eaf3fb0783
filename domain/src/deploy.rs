//! Deploys: which version of a service went live when, and where.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::DeployId;

/// One deploy of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Deploy {
    /// The deploy's id.
    pub id: DeployId,
    /// When it went live, as the source has it.
    pub at: DateTime<Utc>,
    /// The service.
    pub service: String,
    /// The version that it is in since: a tag, a revision, whatever the source calls it.
    pub version: String,
    /// Where, such as `production`; null where the source names none.
    #[serde(default)]
    pub environment: Option<String>,
    /// Who deployed it.
    #[serde(default)]
    pub by: Option<String>,
    /// Where it can be seen: an http or https address.
    #[serde(default)]
    pub link: Option<String>,
}

impl Deploy {
    /// The service as one that is deployed by itself: its name, and the environment where there is one.
    pub fn name(&self) -> Cow<'_, str> {
        match &self.environment {
            Some(environment) => format!("{} ({environment})", self.service).into(),
            None => self.service.as_str().into(),
        }
    }
}
