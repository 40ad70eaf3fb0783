//! How a list of the tracker is walked: phase after phase, each merged from walks that an index has in order.
//!
//! "Mine first, then by due date" is three phases: one's own items on which work remains, everybody else's, closed ones.
//! A phase is merged from one walk for each status, or, where a person's or a team's items are asked for, for each of
//! those. So no list sorts more than a few pages of items, however many there are.

use domain::action::ActionStatus;
use domain::filter::{ActionQuery, ActionSort, Direction};
use domain::{IncidentId, UserId};

use super::super::db::Built;
use super::condition::{self, Today, UNDATED, Viewer};
use super::cursor::Key;

/// A stretch of the list with one order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phase {
    statuses: Vec<ActionStatus>,
    /// Only the viewer's items, or only everybody else's.
    mine: Option<bool>,
    /// A further condition.
    only: String,
}

/// The columns that every phase of an order is sorted by.
pub(super) fn keys(sort: ActionSort) -> &'static [&'static str] {
    match sort {
        ActionSort::Mine | ActionSort::Due | ActionSort::Status | ActionSort::Priority => &["due_key", "id"],
        ActionSort::Owner => &["owner_key", "due_key", "id"],
        ActionSort::Updated => &["active_at", "id"],
        ActionSort::Incident => &["incident_number", "position"],
    }
}

/// Which way round a phase is sorted: statuses and priorities are phases themselves, and due dates run on within them.
fn is_descending(order: (ActionSort, Direction)) -> bool {
    order.1 == Direction::Desc && !matches!(order.0, ActionSort::Status | ActionSort::Priority)
}

/// The phases of a list, in their order.
pub(super) fn phases(query: &ActionQuery, viewer: &Viewer<'_>) -> Vec<Phase> {
    let filter = &query.filter;
    let work_remains = filter.due.is_some() || filter.stale;
    let asked = |status: &ActionStatus| {
        (filter.status.is_empty() || filter.status.contains(status)) && (status.is_open() || !work_remains)
    };
    let (remaining, closed): (Vec<ActionStatus>, Vec<ActionStatus>) =
        ActionStatus::ALL.iter().copied().filter(asked).partition(|status| status.is_open());
    let phase = |statuses: &[ActionStatus], only: &str| Phase {
        statuses: statuses.to_vec(),
        mine: None,
        only: only.to_owned(),
    };
    let (sort, direction) = query.order();
    let descending = direction == Direction::Desc;
    let of_each = |only: &[String]| -> Vec<Phase> {
        [&remaining, &closed].into_iter().flat_map(|group| only.iter().map(|only| phase(group, only))).collect()
    };
    let mut phases = match sort {
        ActionSort::Mine if viewer.user.is_some() && !filter.mine && !descending => vec![
            Phase { mine: Some(true), ..phase(&remaining, "") },
            Phase { mine: Some(false), ..phase(&remaining, "") },
            phase(&closed, ""),
        ],
        ActionSort::Mine | ActionSort::Due if descending => {
            of_each(&[format!("a.due_key < '{UNDATED}'"), format!("a.due_key = '{UNDATED}'")])
        }
        ActionSort::Mine | ActionSort::Due | ActionSort::Incident => of_each(&[String::new()]),
        ActionSort::Owner => of_each(&["a.owner_key > ''".to_owned(), "a.owner_key = ''".to_owned()]),
        ActionSort::Status => {
            let mut each: Vec<Phase> = remaining.iter().chain(&closed).map(|status| phase(&[*status], "")).collect();
            if descending {
                each.reverse();
            }
            each
        }
        ActionSort::Updated => vec![phase(&[remaining.as_slice(), closed.as_slice()].concat(), "")],
        ActionSort::Priority => {
            let ranks = if descending { [3, 2, 1, 4] } else { [1, 2, 3, 4] };
            of_each(&ranks.map(|rank| format!("a.priority_rank = {rank}")))
        }
    };
    phases.retain(|phase| !phase.statuses.is_empty());
    phases
}

/// What the values of a filter turned out to stand for.
#[derive(Debug, Clone, Default)]
pub(super) struct Meant {
    /// The incident asked for.
    pub incident: Option<IncidentId>,
    /// The account of the assignee asked for.
    pub assignee: Option<UserId>,
    /// The assignee's name as it is compared, for items whose assignee has no account.
    pub assignee_key: Option<String>,
    /// The owner's name as it is compared.
    pub owner_key: Option<String>,
    /// Which day it is where; needed for due dates alone.
    pub today: Today,
    /// The instant of `stale`, in milliseconds.
    pub stale_since: i64,
}

/// The items of a phase that follow `after`, in order: their ids, from as many walks as it takes.
///
/// The limit stands in the text, since PostgreSQL plans for a tenth of the table where it does not know it.
pub(super) fn walk(
    asked: &ActionQuery,
    viewer: &Viewer<'_>,
    meant: &Meant,
    phase: &Phase,
    after: Option<&[Key]>,
    limit: usize,
) -> Built {
    let order = asked.order();
    let keys = keys(order.0);
    let direction = if is_descending(order) { "DESC" } else { "ASC" };
    let mut query = Built::default();
    let mut conditions = condition::rest(&mut query, viewer, &asked.filter);
    conditions.extend((!phase.only.is_empty()).then(|| phase.only.clone()));
    conditions.extend(asked.filter.due.map(|due| meant.today.due(&mut query, due)));
    conditions.extend(asked.filter.stale.then(|| format!("a.active_at < {}", query.whole(meant.stale_since))));
    if let Some(after) = after {
        let columns: Vec<String> = keys.iter().map(|key| format!("a.{key}")).collect();
        let values: Vec<String> = after
            .iter()
            .map(|key| match key {
                Key::Text(text) => query.text(text),
                Key::Whole(number) => query.whole(*number),
            })
            .collect();
        let sign = if is_descending(order) { "<" } else { ">" };
        conditions.push(format!("({}) {sign} ({})", columns.join(", "), values.join(", ")));
    }
    let branches = branches(&mut query, asked, viewer, meant, phase, &mut conditions);
    let sorted =
        |alias: &str| keys.iter().map(|key| format!("{alias}{key} {direction}")).collect::<Vec<_>>().join(", ");
    let (columns, within) = (keys.join(", a."), sorted("a."));
    let walks: Vec<String> = branches
        .iter()
        .enumerate()
        .map(|(i, branch)| {
            let conditions = [std::slice::from_ref(branch), conditions.as_slice()].concat().join(" AND ");
            format!(
                "SELECT * FROM (SELECT a.id AS item, a.{columns} FROM actions a WHERE {conditions}
                    ORDER BY {within} LIMIT {limit}) walk{i}"
            )
        })
        .collect();
    query.sql = format!("SELECT item FROM ({}) walks ORDER BY {} LIMIT {limit}", walks.join(" UNION ALL "), sorted(""));
    query
}

/// What each walk of a phase begins with, so that one index finds its items. Conditions that a walk does not begin with
/// are added to those of all.
fn branches(
    query: &mut Built,
    asked: &ActionQuery,
    viewer: &Viewer<'_>,
    meant: &Meant,
    phase: &Phase,
    conditions: &mut Vec<String>,
) -> Vec<String> {
    let by_status = || phase.statuses.iter().map(|status| format!("a.status = '{status}'")).collect::<Vec<_>>();
    let closed: Vec<String> = [false, true]
        .into_iter()
        .filter(|closed| phase.statuses.iter().any(|status| status.is_open() != *closed))
        .map(|closed| format!("a.closed = {}", i32::from(closed)))
        .collect();
    let each = |starts: Vec<String>| -> Vec<String> {
        starts.iter().flat_map(|start| closed.iter().map(move |closed| format!("{start} AND {closed}"))).collect()
    };
    let mut starts: Option<Vec<String>> = None;
    let wants_mine = asked.filter.mine || phase.mine == Some(true);
    if wants_mine && viewer.is_walked() {
        starts = Some(each(of_viewer(query, viewer)));
    } else if wants_mine || phase.mine == Some(false) {
        let mine = condition::mine(query, viewer);
        conditions.extend(mine.map(|mine| format!("CASE WHEN {mine} THEN 1 ELSE 0 END = {}", i32::from(wants_mine))));
    }
    let mut begin = |with: Vec<String>, conditions: &mut Vec<String>| match &starts {
        None => starts = Some(with),
        Some(_) => conditions.push(format!("({})", with.join(" OR "))),
    };
    if let Some(incident) = &meant.incident {
        begin(vec![format!("a.incident_id = {}", query.text(incident.as_str()))], conditions);
    }
    let mut people: Vec<String> = Vec::new();
    if let Some(account) = &meant.assignee {
        people.push(format!("a.assignee_id = {}", query.text(account.as_str())));
    }
    if let Some(key) = &meant.assignee_key {
        // Whoever has an account is found by it; the name is for those who have none, or share theirs.
        let nobody_else = if meant.assignee.is_some() { " AND a.assignee_id IS NULL" } else { "" };
        people.push(format!("a.assignee_key = {}{nobody_else}", query.text(key)));
    }
    if !people.is_empty() {
        begin(each(people), conditions);
    }
    if let Some(owner) = &meant.owner_key {
        begin(each(vec![format!("a.owner_key = {}", query.text(owner))]), conditions);
    }
    match starts {
        None => by_status(),
        Some(starts) => {
            conditions.extend(condition::none_but(&phase.statuses));
            starts
        }
    }
}

/// The viewer's items, person and teams apart.
fn of_viewer(query: &mut Built, viewer: &Viewer<'_>) -> Vec<String> {
    let me = viewer.user.map(|user| format!("a.assignee_id = {}", query.text(user.as_str())));
    let teams = viewer
        .teams
        .iter()
        .map(|team| format!("a.owner_key = {} AND a.assignee_id IS NULL AND a.assignee_key = ''", query.text(team)));
    me.into_iter().chain(teams).collect()
}
