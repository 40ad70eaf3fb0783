//! What a filter and a viewer mean in SQL. Texts that people gave are bound, never spelled.

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use domain::UserId;
use domain::action::ActionStatus;
use domain::filter::{ActionFilter, DueIn, STALE_AFTER, WEEK};

use super::super::db::Built;
use super::super::incidents::{Sees, patterns};
use crate::zone;

/// What stands in `due_key` where there is no due date.
pub(super) const UNDATED: &str = "9999-99-99";

/// The most teams whose items are looked up one team at a time; with more, the order's own index is walked.
const MOST_TEAMS: usize = 64;

/// Who looks at the tracker.
#[derive(Debug, Clone)]
pub struct Viewer<'a> {
    /// Whose incidents.
    pub sees: Sees<'a>,
    /// The account; none for a service, which owns nothing.
    pub user: Option<&'a UserId>,
    /// The keys of the account's teams.
    pub teams: Vec<String>,
}

impl Viewer<'_> {
    /// Whether what belongs to the viewer is looked up person by person and team by team.
    pub(super) fn is_walked(&self) -> bool {
        self.teams.len() <= MOST_TEAMS
    }
}

/// Which day it is where the incidents are told: the zones of each date that is today somewhere, earliest date first.
#[derive(Debug, Clone, Default)]
pub(super) struct Today(Vec<(NaiveDate, Vec<String>)>);

impl Today {
    /// Sorts the zones by the day it is in them.
    pub(super) fn in_zones(zones: impl IntoIterator<Item = String>, now: DateTime<Utc>) -> Self {
        let mut days = Vec::<(NaiveDate, Vec<String>)>::new();
        for zone in zones {
            let day = zone::day(now, &zone);
            match days.iter_mut().find(|(date, _)| *date == day) {
                Some((_, zones)) => zones.push(zone),
                None => days.push((day, vec![zone])),
            }
        }
        days.sort();
        Self(days)
    }

    /// The first and the last date that is today somewhere, moved by some days.
    fn span(&self, later: u64) -> (String, String) {
        let at = |day: Option<&(NaiveDate, Vec<String>)>| {
            day.map_or_else(String::new, |(date, _)| moved(*date, later).to_string())
        };
        (at(self.0.first()), at(self.0.last()))
    }

    /// That the due date lies before today, moved by some days, in the incident's zone.
    ///
    /// All but the items due on the few days that are today somewhere are decided by the date alone.
    fn before(&self, query: &mut Built, later: u64) -> String {
        let mut text = format!("a.due_key < {}", query.text(&self.span(later).0));
        for (date, zones) in self.0.iter().skip(1) {
            let date = query.text(&moved(*date, later).to_string());
            let zones: Vec<String> = zones.iter().map(|zone| query.text(zone)).collect();
            text = format!(
                "{text} OR (a.due_key < {date} AND a.incident_id IN (SELECT z.id FROM incidents z WHERE z.home_zone IN ({})))",
                zones.join(", ")
            );
        }
        format!("({text})")
    }

    /// That an item with a date is due then.
    pub(super) fn due(&self, query: &mut Built, due: DueIn) -> String {
        match due {
            DueIn::Overdue => {
                let before = self.before(query, 0);
                format!("a.due_key < {} AND {before}", query.text(&self.span(0).1))
            }
            DueIn::Week => {
                let (past, soon) = (self.before(query, 0), self.before(query, WEEK));
                let (from, until) = (query.text(&self.span(0).0), query.text(&self.span(WEEK).1));
                format!("a.due_key >= {from} AND a.due_key < {until} AND NOT {past} AND {soon}")
            }
            DueIn::Later => {
                let soon = self.before(query, WEEK);
                let from = query.text(&self.span(WEEK).0);
                format!("a.due_key >= {from} AND a.due_key < '{UNDATED}' AND NOT {soon}")
            }
            DueIn::Undated => format!("a.due_key = '{UNDATED}'"),
        }
    }

    /// The word for when an item on which work remains is due.
    pub(super) fn word(&self, query: &mut Built) -> String {
        let (past, soon) = (self.before(query, 0), self.before(query, WEEK));
        format!(
            "CASE WHEN a.due_key = '{UNDATED}' THEN 'none' WHEN {past} THEN 'overdue' WHEN {soon} THEN 'week' ELSE 'later' END"
        )
    }
}

fn moved(date: NaiveDate, days: u64) -> NaiveDate {
    date.checked_add_days(Days::new(days)).unwrap_or(NaiveDate::MAX)
}

/// Since when nothing must have happened for an item to be stale.
pub(super) fn stale_since(now: DateTime<Utc>) -> DateTime<Utc> {
    now - TimeDelta::days(STALE_AFTER)
}

/// That an item belongs to the viewer; none where nothing can.
pub(super) fn mine(query: &mut Built, viewer: &Viewer<'_>) -> Option<String> {
    let me = query.text(viewer.user?.as_str());
    if viewer.teams.is_empty() {
        return Some(format!("(a.assignee_id = {me})"));
    }
    let teams: Vec<String> = viewer.teams.iter().map(|team| query.text(team)).collect();
    Some(format!(
        "(a.assignee_id = {me} OR (a.assignee_id IS NULL AND a.assignee_key = '' AND a.owner_key IN ({})))",
        teams.join(", ")
    ))
}

/// That the viewer may see an incident, whose table has this alias.
pub(super) fn sees_incident(query: &mut Built, viewer: &Viewer<'_>, alias: &str) -> String {
    match viewer.sees.account() {
        None => "1 = 1".to_owned(),
        Some("") => format!("{alias}.visibility = 'open'"),
        Some(account) => {
            let account = query.text(account);
            format!(
                "({alias}.visibility = 'open'
                OR EXISTS (SELECT 1 FROM incident_people p WHERE p.incident_id = {alias}.id AND p.user_id = {account})
                OR EXISTS (SELECT 1 FROM incident_teams t JOIN team_members m ON m.team_id = t.team_id
                    WHERE t.incident_id = {alias}.id AND m.user_id = {account}))"
            )
        }
    }
}

/// That the viewer may see an item: its incident, or the item alone, which is theirs. None for somebody who sees all.
///
/// The few restricted incidents are looked up once, not once for each item.
pub(super) fn sees_item(query: &mut Built, viewer: &Viewer<'_>) -> Option<String> {
    viewer.sees.account()?;
    let sees = sees_incident(query, viewer, "r");
    let hidden =
        format!("a.incident_id NOT IN (SELECT r.id FROM incidents r WHERE r.visibility = 'restricted' AND NOT {sees})");
    Some(match mine(query, viewer) {
        Some(mine) => format!("({hidden} OR {mine})"),
        None => hidden,
    })
}

/// That an item has the words of a search; those of its incident count where the viewer may see the incident.
pub(super) fn has_words(query: &mut Built, viewer: &Viewer<'_>, words: &str) -> Vec<String> {
    patterns(words)
        .into_iter()
        .filter(|pattern| pattern != "%")
        .map(|pattern| {
            let pattern = query.text(&pattern);
            let sees = sees_incident(query, viewer, "s");
            format!(
                r"(a.search_text LIKE {pattern} ESCAPE '\' OR a.incident_id IN
                    (SELECT s.id FROM incidents s WHERE s.search_text LIKE {pattern} ESCAPE '\' AND {sees}))"
            )
        })
        .collect()
}

/// The conditions that are no matter of status, due date, owner or staleness.
pub(super) fn rest(query: &mut Built, viewer: &Viewer<'_>, filter: &ActionFilter) -> Vec<String> {
    let mut all: Vec<String> = sees_item(query, viewer).into_iter().collect();
    if let Some(priority) = filter.priority {
        all.push(format!("a.priority = '{priority}'"));
    }
    if let Some(kind) = filter.kind {
        all.push(format!("a.kind = '{kind}'"));
    }
    if let Some(words) = &filter.q {
        all.extend(has_words(query, viewer, words));
    }
    all
}

/// That an item has one of these statuses, said so that no index on the status is taken: the one on person or team has far
/// fewer items. None where it goes without saying.
pub(super) fn none_but(statuses: &[ActionStatus]) -> Option<String> {
    let others: Vec<String> = ActionStatus::ALL
        .iter()
        .filter(|status| !statuses.contains(status))
        .map(|status| format!("'{status}'"))
        .collect();
    (!others.is_empty()).then(|| format!("a.status NOT IN ({})", others.join(", ")))
}

/// That an item has one of these statuses.
pub(super) fn one_of(statuses: &[ActionStatus]) -> String {
    let words: Vec<String> = statuses.iter().map(|status| format!("'{status}'")).collect();
    format!("a.status IN ({})", words.join(", "))
}
