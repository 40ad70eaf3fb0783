//! Changes as they are told to open pages: which are new, what each concerns, and whom it may reach.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use domain::wire::access::IncidentAccess;
use domain::wire::changes::Change;
use domain::{ActionId, IncidentId, UserId};

use super::column::from_json;
use super::db::{db, statements};
use super::incidents::name;
use super::{Store, StoreError};

statements! {
    LATEST = "SELECT seq FROM changes ORDER BY seq DESC LIMIT $1";
    SINCE = "SELECT seq FROM changes WHERE seq > $1 ORDER BY seq LIMIT $2";
    SINCE_TIME = "SELECT seq FROM changes WHERE seq > $1 AND at >= $2 ORDER BY seq LIMIT 1";
    LATEST_OF_ACCOUNTS = "SELECT seq FROM account_changes ORDER BY seq DESC LIMIT $1";
    ACCOUNTS_SINCE = "SELECT seq, subject, subject_id FROM account_changes WHERE seq > $1 ORDER BY seq LIMIT $2";
    AUDIBLE = "SELECT c.seq, c.incident_id, i.number, i.version, c.subject, c.subject_id, c.actor,
            CAST(CASE i.visibility WHEN 'restricted' THEN 1 ELSE 0 END AS BIGINT) AS restricted,
            CASE c.subject WHEN 'access' THEN c.before END AS access_before,
            a.id AS action_id, a.version AS action_version, a.owner, a.assignee, a.assignee_id
        FROM changes c
        JOIN incidents i ON i.id = c.incident_id
        LEFT JOIN action_notes n ON c.subject = 'note' AND n.id = c.subject_id
        LEFT JOIN actions a ON a.id = CASE
            WHEN c.subject = 'note' THEN n.action_id
            WHEN c.subject IN ('action', 'verification') THEN c.subject_id END
        WHERE c.seq > $1 AND c.seq <= $2 ORDER BY c.seq LIMIT $3";
    NAMED = "SELECT p.user_id FROM incident_people p WHERE p.incident_id = $1
        UNION SELECT m.user_id FROM incident_teams t JOIN team_members m ON m.team_id = t.team_id
        WHERE t.incident_id = $1";
    MEMBERS = "SELECT user_id FROM team_members WHERE team_id = $1";
}

/// A change and whom it may reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AudibleChange {
    /// What is told.
    pub change: Change,
    /// Who may see the incident now.
    pub reach: Reach,
    /// Who could see it before, where the change is about that.
    pub reach_before: Option<Reach>,
    /// To whom the action item belongs, where the change is of one.
    pub item: Option<ItemOwner>,
}

/// Who may see an incident.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    /// Only those named.
    pub restricted: bool,
    /// The accounts named on a restricted incident, by themselves or through a team.
    pub named: BTreeSet<UserId>,
}

/// To whom an action item belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemOwner {
    /// The owning team's name.
    pub team: String,
    /// The name of the person in charge.
    pub assignee: Option<String>,
    /// That person's account.
    pub assignee_id: Option<UserId>,
}

/// A change of an account, a team, a token or a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountChange {
    /// Counts them.
    pub seq: i64,
    /// `user`, `team`, `token` or `session`.
    pub subject: String,
    /// Its id.
    pub subject_id: String,
}

#[derive(sqlx::FromRow)]
struct Row {
    seq: i64,
    incident_id: String,
    number: i64,
    version: i64,
    subject: String,
    subject_id: String,
    actor: String,
    restricted: i64,
    access_before: Option<String>,
    action_id: Option<String>,
    action_version: Option<i64>,
    owner: Option<String>,
    assignee: Option<String>,
    assignee_id: Option<String>,
}

impl Store {
    /// The numbers of the latest changes, the lowest first.
    pub async fn latest_changes(&self, limit: i64) -> Result<Vec<i64>, StoreError> {
        Ok(ascending(db!(read & self.db, LATEST, [limit], fetch_all as (i64,))?))
    }

    /// The numbers of the changes after this one, the lowest first.
    pub async fn changes_since(&self, seq: i64, limit: i64) -> Result<Vec<i64>, StoreError> {
        let rows = db!(read & self.db, SINCE, [seq, limit], fetch_all as (i64,))?;
        Ok(rows.into_iter().map(|(seq,)| seq).collect())
    }

    /// The number of the first change after this one that was made at this time or later.
    pub async fn first_change_since(&self, seq: i64, at: DateTime<Utc>) -> Result<Option<i64>, StoreError> {
        let row = db!(read & self.db, SINCE_TIME, [seq, at.timestamp_millis()], fetch_optional as (i64,))?;
        Ok(row.map(|(seq,)| seq))
    }

    /// The numbers of the latest changes of accounts, the lowest first.
    pub async fn latest_account_changes(&self, limit: i64) -> Result<Vec<i64>, StoreError> {
        Ok(ascending(db!(read & self.db, LATEST_OF_ACCOUNTS, [limit], fetch_all as (i64,))?))
    }

    /// The changes of accounts after this one, the lowest number first.
    pub async fn account_changes_since(&self, seq: i64, limit: i64) -> Result<Vec<AccountChange>, StoreError> {
        let rows = db!(read & self.db, ACCOUNTS_SINCE, [seq, limit], fetch_all as (i64, String, String))?;
        Ok(rows.into_iter().map(|(seq, subject, subject_id)| AccountChange { seq, subject, subject_id }).collect())
    }

    /// The changes after one number and up to another, the lowest first, with whom each may reach.
    pub async fn audible_changes(&self, after: i64, up_to: i64, limit: i64) -> Result<Vec<AudibleChange>, StoreError> {
        let rows = db!(read & self.db, AUDIBLE, [after, up_to, limit], fetch_all as Row)?;
        let mut reaches: BTreeMap<String, Reach> = BTreeMap::new();
        let mut changes = Vec::with_capacity(rows.len());
        for row in rows {
            let reach = if let Some(reach) = reaches.get(&row.incident_id) {
                reach.clone()
            } else {
                let reach = self.reach(&row).await?;
                reaches.insert(row.incident_id.clone(), reach.clone());
                reach
            };
            let reach_before = match &row.access_before {
                Some(json) => Some(self.reach_of(&from_json(json)?).await?),
                None => None,
            };
            changes.push(audible(row, reach, reach_before));
        }
        Ok(changes)
    }

    async fn reach(&self, row: &Row) -> Result<Reach, StoreError> {
        if row.restricted == 0 {
            return Ok(Reach::default());
        }
        let named = db!(read & self.db, NAMED, [row.incident_id.as_str()], fetch_all as (String,))?;
        Ok(Reach { restricted: true, named: named.into_iter().map(|(id,)| UserId::new(id)).collect() })
    }

    /// Whom an access lets in, by the teams as they are now.
    async fn reach_of(&self, access: &IncidentAccess) -> Result<Reach, StoreError> {
        let mut named: BTreeSet<UserId> = access.people.iter().cloned().collect();
        for team in &access.teams {
            let members = db!(read & self.db, MEMBERS, [team.as_str()], fetch_all as (String,))?;
            named.extend(members.into_iter().map(|(id,)| UserId::new(id)));
        }
        Ok(Reach { restricted: access.visibility == domain::incident::Visibility::Restricted, named })
    }
}

fn ascending(rows: Vec<(i64,)>) -> Vec<i64> {
    rows.into_iter().rev().map(|(seq,)| seq).collect()
}

fn audible(row: Row, reach: Reach, reach_before: Option<Reach>) -> AudibleChange {
    let item =
        row.owner.map(|team| ItemOwner { team, assignee: row.assignee, assignee_id: row.assignee_id.map(UserId::new) });
    let change = Change {
        seq: row.seq,
        incident_id: IncidentId::new(row.incident_id),
        incident_name: name(row.number),
        incident_version: row.version,
        subject: row.subject,
        subject_id: row.subject_id,
        action_id: row.action_id.map(ActionId::new),
        action_version: row.action_version,
        actor: row.actor,
    };
    AudibleChange { change, reach, reach_before, item }
}
