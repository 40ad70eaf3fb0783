//! Action items: what is to change, who owns it, and the statuses it may pass through.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use crate::hint::Hint;
use crate::id::{ActionId, EvidenceNumber, IncidentId, NoteId, UserId};
use crate::verification::{Acceptance, Verification, VerificationKind};
use crate::words::words;

words!(
    /// Where an action item stands.
    ActionStatus {
        /// Not begun.
        Open = "open", "Open";
        /// Under way.
        InProgress = "in_progress", "In progress";
        /// Waiting for something, with a reason.
        Blocked = "blocked", "Blocked";
        /// The change is made; its verification is outstanding.
        ToVerify = "to_verify", "To verify";
        /// Its verification was accepted.
        Verified = "verified", "Verified";
        /// Given up, with a reason.
        WontDo = "wont_do", "Won’t do";
    }
);

words!(
    /// What an action item is for.
    ActionType {
        /// Keeps it from happening again.
        Prevent = "prevent", "Prevent";
        /// Makes it matter less.
        Mitigate = "mitigate", "Mitigate";
        /// Makes it seen sooner.
        Detect = "detect", "Detect";
        /// Changes how people work.
        Process = "process", "Process";
    }
);

words!(
    /// How urgent an action item is.
    Priority {
        /// Before other work.
        High = "high", "High";
        /// With other work.
        Medium = "medium", "Medium";
        /// After other work.
        Low = "low", "Low";
    }
);

impl ActionStatus {
    /// The statuses that may follow this one.
    ///
    /// `verified` is listed after `to_verify`, but only an accepted verification leads there.
    pub const fn next(self) -> &'static [Self] {
        match self {
            Self::Open => &[Self::InProgress, Self::Blocked, Self::ToVerify, Self::WontDo],
            Self::InProgress => &[Self::Open, Self::Blocked, Self::ToVerify, Self::WontDo],
            Self::Blocked => &[Self::Open, Self::InProgress, Self::ToVerify, Self::WontDo],
            Self::ToVerify => &[Self::InProgress, Self::Verified, Self::WontDo],
            Self::Verified | Self::WontDo => &[Self::Open],
        }
    }

    /// Whether this status must say why.
    pub const fn needs_reason(self) -> bool {
        matches!(self, Self::Blocked | Self::WontDo)
    }

    /// Whether work remains.
    pub const fn is_open(self) -> bool {
        !matches!(self, Self::Verified | Self::WontDo)
    }
}

/// An action item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Action {
    /// The item's id.
    pub id: ActionId,
    /// The incident that it belongs to.
    pub incident_id: IncidentId,
    /// The version that an edit must name.
    pub version: i64,
    /// What is to change.
    pub change: String,
    /// The owning team's name; empty where nobody owns it yet.
    pub owner: String,
    /// The person in charge, if one is.
    pub assignee: Option<String>,
    /// Their account, where they have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee_id: Option<UserId>,
    /// What it is for.
    #[serde(rename = "type")]
    pub kind: Option<ActionType>,
    /// How urgent it is.
    pub priority: Option<Priority>,
    /// The last day on which it is not late, in the incident's zone.
    pub due: Option<NaiveDate>,
    /// How it is to be proved.
    pub verification: Verification,
    /// The proof that was accepted; only where the status is `verified`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<Acceptance>,
    /// Where it stands.
    pub status: ActionStatus,
    /// Why it is blocked or will not be done.
    pub reason: Option<String>,
    /// The evidence cited.
    pub evidence: Vec<EvidenceNumber>,
    /// Its page in an outside tracker: an http or https address.
    #[serde(default)]
    pub link: Option<String>,
    /// How often the due date was moved.
    #[serde(default)]
    pub due_moves: u32,
    /// How often it was opened again after it was closed.
    #[serde(default)]
    pub reopenings: u32,
    /// When it was entered.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
    /// How the criterion's words may be told; offered until a person has settled it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<VerificationKind>,
    /// What will be missed later; only while work remains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<Hint>,
    /// Fields whose text carries Markdown, rendered and sanitised.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub html: BTreeMap<String, String>,
    /// Its progress notes, oldest first; only in the dashboard's answer, since notes do not change the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<Vec<Note>>,
}

impl Action {
    /// An open item in which nothing is written yet.
    pub fn blank(id: ActionId, incident_id: IncidentId, now: DateTime<Utc>) -> Self {
        Self {
            id,
            incident_id,
            version: 1,
            change: String::new(),
            owner: String::new(),
            assignee: None,
            assignee_id: None,
            kind: None,
            priority: None,
            due: None,
            verification: Verification::default(),
            accepted: None,
            status: ActionStatus::Open,
            reason: None,
            evidence: Vec::new(),
            link: None,
            due_moves: 0,
            reopenings: 0,
            created_at: now,
            updated_at: now,
            proposal: None,
            hints: Vec::new(),
            html: BTreeMap::new(),
            notes: None,
        }
    }

    /// Whole days since the due date has passed; none if it has not, there is none, or the item is closed.
    /// `today` is the date in the incident's zone.
    pub fn days_late(&self, today: NaiveDate) -> Option<i64> {
        let late = (today - self.due?).num_days();
        (self.status.is_open() && late > 0).then_some(late)
    }
}

/// A progress note. Notes are only ever added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Note {
    /// The note's id.
    pub id: NoteId,
    /// Who wrote it.
    pub author: String,
    /// When.
    pub recorded_at: DateTime<Utc>,
    /// The text, as Markdown.
    pub text: String,
    /// The text rendered and sanitised.
    pub html: String,
}
