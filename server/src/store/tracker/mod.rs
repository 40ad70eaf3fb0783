//! The tracker: action items across incidents, in any order, page by page; and how many there are.

mod condition;
mod cursor;
mod fold;
mod order;

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::UserId;
use domain::action::ActionStatus;
use domain::filter::{ActionFilter, ActionQuery, ActionSort, DueIn, ME};
use domain::person::owns;
use domain::wire::page::Page;
use domain::wire::tracker::{ItemIncident, OwnerCount, StatusCount, TrackerCounts, TrackerItem};

pub use self::condition::Viewer;
use self::condition::{Today, one_of, rest, sees_incident, sees_item, stale_since};
use self::cursor::{Cursor, Key};
pub(super) use self::fold::{fill, key, search_text};
use self::order::{Meant, keys, phases, walk};
use super::actions::{self, Row};
use super::column::{time, word};
use super::db::{Built, Tx, db, statements};
use super::incidents::name;
use super::{Store, StoreError};
use crate::zone;

statements! {
    ZONES = "SELECT DISTINCT home_zone FROM incidents";
    UNFOLDED = "SELECT id, change, owner, assignee, criterion FROM actions WHERE search_text IS NULL LIMIT 500";
    FOLD = "UPDATE actions SET search_text = $2, owner_key = $3, assignee_key = $4 WHERE id = $1";
}

/// The most owners that are counted.
const OWNERS: i64 = 100;

#[derive(sqlx::FromRow)]
struct ItemRow {
    #[sqlx(flatten)]
    action: Row,
    active_at: i64,
    position: i64,
    number: i64,
    title: String,
    home_zone: String,
    sees: i64,
    notes: i64,
}

#[derive(sqlx::FromRow)]
struct TallyRow {
    status: String,
    due_in: String,
    mine: i64,
    stale: i64,
    count: i64,
}

impl Store {
    /// A page of the action items that the viewer may see and that pass the filter.
    pub async fn list_tracked(
        &self,
        asked: &ActionQuery,
        limit: u32,
        cursor: Option<&str>,
        viewer: &Viewer<'_>,
        now: DateTime<Utc>,
    ) -> Result<Page<TrackerItem>, StoreError> {
        let order = asked.order();
        let (mut phase, mut after) = match cursor.map(Cursor::read) {
            None => (0, None),
            Some(Some(cursor)) if cursor.order == order && fits(&cursor) => (cursor.phase, Some(cursor.keys)),
            Some(_) => return Err(StoreError::BadCursor),
        };
        let Some(meant) = self.meaning(&asked.filter, viewer, now).await? else {
            return Ok(Page { items: Vec::new(), next: None });
        };
        let phases = phases(asked, viewer);
        let limit = usize::try_from(limit.max(1)).unwrap_or(usize::MAX);
        let mut ids: Vec<(usize, String)> = Vec::new();
        // One state for the whole page, so that an item on its way from one phase to another is met once.
        let mut tx = self.db.begin_read().await?;
        // One more than asked for tells whether another page follows.
        while ids.len() <= limit && phase < phases.len() {
            let query = walk(asked, viewer, &meant, &phases[phase], after.as_deref(), limit + 1);
            let found = db!(built tx & mut tx, query, fetch_all as (String,))?;
            ids.extend(found.into_iter().map(|(id,)| (phase, id)));
            (phase, after) = (phase + 1, None);
        }
        let more = ids.len() > limit;
        ids.truncate(limit);
        let mut rows = items(&mut tx, &ids, viewer).await?;
        tx.rollback().await?;
        let mut items = Vec::with_capacity(ids.len());
        let mut next = None;
        for (phase, id) in &ids {
            let row = rows.remove(id).ok_or_else(|| StoreError::Corrupt(format!("{id} vanished")))?;
            next = Some(Cursor { order, phase: *phase, keys: keys_of(order.0, &row)? });
            items.push(item(row, viewer, now)?);
        }
        Ok(Page { items, next: next.filter(|_| more).map(|cursor| cursor.write()) })
    }

    /// How many action items the viewer may see, of those that pass the filter without its status, due date, staleness
    /// and whose they are.
    pub async fn count_actions(
        &self,
        filter: &ActionFilter,
        viewer: &Viewer<'_>,
        now: DateTime<Utc>,
    ) -> Result<TrackerCounts, StoreError> {
        let Some(meant) = self.meaning(&ActionFilter { due: Some(DueIn::Week), ..filter.clone() }, viewer, now).await?
        else {
            return tally(Vec::new(), Vec::new());
        };
        let counted = db!(built & self.db, tally_query(filter, viewer, &meant), fetch_all as TallyRow)?;
        let owners = db!(built & self.db, owners_query(filter, viewer, &meant), fetch_all as (String, i64))?;
        tally(counted, owners)
    }

    /// What the filter's values stand for; none where one stands for nothing, so that no item can pass.
    async fn meaning(
        &self,
        filter: &ActionFilter,
        viewer: &Viewer<'_>,
        now: DateTime<Utc>,
    ) -> Result<Option<Meant>, StoreError> {
        let mut meant = Meant { stale_since: stale_since(now).timestamp_millis(), ..Meant::default() };
        if let Some(incident) = &filter.incident {
            meant.incident = self.incident_id(incident).await?;
            if meant.incident.is_none() {
                return Ok(None);
            }
        }
        if filter.mine && viewer.user.is_none() {
            return Ok(None);
        }
        match filter.assignee.as_deref() {
            Some(ME) => {
                meant.assignee = viewer.user.cloned();
                if meant.assignee.is_none() {
                    return Ok(None);
                }
            }
            Some(name) => {
                meant.assignee = self.person_named(name).await?.one().map(|person| person.id);
                meant.assignee_key = Some(key(name));
            }
            None => {}
        }
        meant.owner_key = filter.owner.as_deref().map(key);
        if filter.due.is_some() {
            let zones = db!(read & self.db, ZONES, [], fetch_all as (String,))?;
            meant.today = Today::in_zones(zones.into_iter().map(|(zone,)| zone), now);
        }
        Ok(Some(meant))
    }
}

/// The items with these ids.
async fn items(
    tx: &mut Tx,
    ids: &[(usize, String)],
    viewer: &Viewer<'_>,
) -> Result<HashMap<String, ItemRow>, StoreError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = db!(built tx tx, items_query(ids, viewer), fetch_all as ItemRow)?;
    Ok(rows.into_iter().map(|row| (row.action.id.clone(), row)).collect())
}

fn items_query(ids: &[(usize, String)], viewer: &Viewer<'_>) -> Built {
    let mut query = Built::default();
    let sees = sees_incident(&mut query, viewer, "i");
    let ids: Vec<String> = ids.iter().map(|(_, id)| query.text(id)).collect();
    query.sql = format!(
        "SELECT a.id, a.incident_id, a.version, a.change, a.owner, a.assignee, a.assignee_id, a.kind, a.priority, a.due,
            a.criterion, a.criterion_kind, a.status, a.reason, a.evidence, a.link, a.due_moves, a.reopenings, a.created_at,
            a.updated_at, (SELECT v.record FROM verifications v WHERE v.action_id = a.id AND v.withdrawn_at IS NULL
                ORDER BY v.accepted_at DESC, v.id DESC LIMIT 1) AS accepted,
            a.active_at, a.position, i.number, i.title, i.home_zone, CAST(CASE WHEN {sees} THEN 1 ELSE 0 END AS BIGINT) AS sees,
            (SELECT COUNT(*) FROM action_notes n WHERE n.action_id = a.id) AS notes
        FROM actions a JOIN incidents i ON i.id = a.incident_id WHERE a.id IN ({})",
        ids.join(", ")
    );
    query
}

/// The conditions that the counts keep of a filter.
fn counted(query: &mut Built, filter: &ActionFilter, viewer: &Viewer<'_>, meant: &Meant) -> Vec<String> {
    let mut conditions = rest(query, viewer, filter);
    if let Some(incident) = &meant.incident {
        conditions.push(format!("a.incident_id = {}", query.text(incident.as_str())));
    }
    let account = meant.assignee.as_ref().map(|id| format!("a.assignee_id = {}", query.text(id.as_str())));
    let named = meant.assignee_key.as_ref().map(|key| {
        let nobody_else = if meant.assignee.is_some() { " AND a.assignee_id IS NULL" } else { "" };
        format!("a.assignee_key = {}{nobody_else}", query.text(key))
    });
    let people: Vec<String> = account.into_iter().chain(named).collect();
    if !people.is_empty() {
        conditions.push(format!("({})", people.join(" OR ")));
    }
    if let Some(owner) = &meant.owner_key {
        conditions.push(format!("a.owner_key = {}", query.text(owner)));
    }
    conditions.push(one_of(ActionStatus::ALL));
    conditions
}

fn tally_query(filter: &ActionFilter, viewer: &Viewer<'_>, meant: &Meant) -> Built {
    let mut query = Built::default();
    let conditions = counted(&mut query, filter, viewer, meant).join(" AND ");
    let due = meant.today.word(&mut query);
    let mine = condition::mine(&mut query, viewer).unwrap_or_else(|| "1 = 0".to_owned());
    let stale = query.whole(meant.stale_since);
    query.sql = format!(
        "SELECT status, due_in, mine, stale, COUNT(*) AS count FROM (
            SELECT a.status, {due} AS due_in, CAST(CASE WHEN {mine} THEN 1 ELSE 0 END AS BIGINT) AS mine,
                CAST(CASE WHEN a.active_at < {stale} THEN 1 ELSE 0 END AS BIGINT) AS stale
            FROM actions a WHERE {conditions}) each
        GROUP BY status, due_in, mine, stale"
    );
    query
}

fn owners_query(filter: &ActionFilter, viewer: &Viewer<'_>, meant: &Meant) -> Built {
    let mut query = Built::default();
    let filter = ActionFilter { owner: None, ..filter.clone() };
    let meant = Meant { owner_key: None, ..meant.clone() };
    let mut conditions = counted(&mut query, &filter, viewer, &meant);
    let remaining: Vec<ActionStatus> = ActionStatus::ALL.iter().copied().filter(|status| status.is_open()).collect();
    conditions.push(one_of(&remaining));
    // How a name is spelled is taken from an item that the viewer may see.
    let spelled = sees_item(&mut query, viewer).unwrap_or_else(|| "1 = 1".to_owned());
    query.sql = format!(
        "SELECT (SELECT a.owner FROM actions a WHERE a.owner_key = o.owner_key AND {spelled} LIMIT 1) AS owner, o.count
        FROM (SELECT a.owner_key, COUNT(*) AS count FROM actions a WHERE a.owner_key > '' AND {}
            GROUP BY a.owner_key ORDER BY COUNT(*) DESC, a.owner_key LIMIT {OWNERS}) o
        ORDER BY o.count DESC, o.owner_key",
        conditions.join(" AND ")
    );
    query
}

fn tally(rows: Vec<TallyRow>, owners: Vec<(String, i64)>) -> Result<TrackerCounts, StoreError> {
    let mut counts = TrackerCounts::default();
    let mut by_status: HashMap<ActionStatus, i64> = HashMap::new();
    for row in rows {
        let status: ActionStatus = word(&row.status)?;
        counts.total += row.count;
        *by_status.entry(status).or_default() += row.count;
        if !status.is_open() {
            continue;
        }
        counts.remaining += row.count;
        counts.mine += row.mine * row.count;
        counts.stale += row.stale * row.count;
        *match word(&row.due_in)? {
            DueIn::Overdue => &mut counts.overdue,
            DueIn::Week => &mut counts.week,
            DueIn::Later => &mut counts.later,
            DueIn::Undated => &mut counts.undated,
        } += row.count;
    }
    counts.by_status = ActionStatus::ALL
        .iter()
        .map(|status| StatusCount { status: *status, count: by_status.get(status).copied().unwrap_or(0) })
        .collect();
    counts.owners = owners.into_iter().map(|(owner, count)| OwnerCount { owner, count }).collect();
    Ok(counts)
}

/// Whether a column that lists are sorted by holds numbers.
fn is_whole(column: &str) -> bool {
    matches!(column, "active_at" | "incident_number" | "position")
}

/// Whether a cursor has the kinds of values that its order sorts by.
fn fits(cursor: &Cursor) -> bool {
    let wanted = keys(cursor.order.0);
    wanted.len() == cursor.keys.len()
        && wanted.iter().zip(&cursor.keys).all(|(column, key)| match key {
            Key::Whole(_) => is_whole(column),
            Key::Text(text) => !is_whole(column) && !text.contains('\0'),
        })
}

fn keys_of(sort: ActionSort, row: &ItemRow) -> Result<Vec<Key>, StoreError> {
    let due = row.action.due.clone().unwrap_or_else(|| condition::UNDATED.to_owned());
    keys(sort)
        .iter()
        .map(|column| match *column {
            "due_key" => Ok(Key::Text(due.clone())),
            "id" => Ok(Key::Text(row.action.id.clone())),
            "owner_key" => Ok(Key::Text(key(&row.action.owner))),
            "active_at" => Ok(Key::Whole(row.active_at)),
            "incident_number" => Ok(Key::Whole(row.number)),
            "position" => Ok(Key::Whole(row.position)),
            other => Err(StoreError::Corrupt(format!("nothing is sorted by {other}"))),
        })
        .collect()
}

fn item(row: ItemRow, viewer: &Viewer<'_>, now: DateTime<Utc>) -> Result<TrackerItem, StoreError> {
    let action = actions::action(row.action)?;
    let active_at = time(row.active_at)?;
    let today = zone::day(now, &row.home_zone);
    let quiet = (now - active_at).num_days();
    let mine = |user: &UserId| {
        owns(user, &viewer.teams, &action.owner, action.assignee.as_deref(), action.assignee_id.as_ref())
    };
    Ok(TrackerItem {
        incident: ItemIncident {
            id: action.incident_id.clone(),
            name: name(row.number),
            title: (row.sees != 0).then_some(row.title),
            home_zone: row.home_zone,
        },
        number: row.position + 1,
        due_in: action.status.is_open().then(|| DueIn::of(action.due, today)),
        days_late: action.days_late(today),
        active_at,
        stale_days: (action.status.is_open() && active_at < stale_since(now)).then_some(quiet),
        note_count: row.notes,
        mine: viewer.user.is_some_and(mine),
        action,
    })
}

/// Statements of every shape.
pub(super) fn shapes() -> Vec<String> {
    use std::collections::BTreeSet;

    use chrono::TimeDelta;
    use domain::filter::Direction;
    let none = ActionFilter::default;
    let (user, now) = (UserId::new("usr"), DateTime::<Utc>::UNIX_EPOCH + TimeDelta::hours(11));
    let zones = || ["UTC", "+13:00", "-11:00", "-12:00"].map(str::to_owned);
    let incident = Meant { incident: Some(domain::IncidentId::new("i")), ..Meant::default() };
    let meant = Meant {
        assignee: Some(user.clone()),
        assignee_key: Some("a".into()),
        owner_key: Some("o".into()),
        today: Today::in_zones(zones(), now),
        ..Meant::default()
    };
    let plain = Meant { today: Today::in_zones(zones(), now), ..Meant::default() };
    let viewers = [
        Viewer { sees: super::Sees::All, user: None, teams: vec![] },
        Viewer { sees: super::Sees::As(&user), user: Some(&user), teams: vec!["t".into()] },
    ];
    let mut all = BTreeSet::new();
    for viewer in &viewers {
        for (sort, direction) in
            ActionSort::ALL.iter().flat_map(|sort| Direction::ALL.iter().map(move |direction| (*sort, *direction)))
        {
            let after: Vec<Key> = keys(sort)
                .iter()
                .map(|column| if is_whole(column) { Key::Whole(0) } else { Key::Text(String::new()) })
                .collect();
            let mut shape = |filter: ActionFilter, meant: &Meant| {
                let asked = ActionQuery { filter, sort: Some(sort), direction: Some(direction) };
                for phase in phases(&asked, viewer) {
                    all.insert(walk(&asked, viewer, meant, &phase, Some(&after), 1).sql);
                }
            };
            shape(none(), &plain);
            if sort == ActionSort::Due {
                for due in DueIn::ALL {
                    shape(ActionFilter { due: Some(*due), ..none() }, &plain);
                }
            }
            if matches!(sort, ActionSort::Mine | ActionSort::Updated) {
                shape(ActionFilter { due: Some(DueIn::Week), stale: true, ..none() }, &plain);
                shape(none(), &meant);
                shape(none(), &incident);
                let mine = viewer.user.is_some();
                shape(ActionFilter { q: Some("a b".into()), mine, ..none() }, &plain);
            }
        }
        all.insert(items_query(&[(0, "act".into())], viewer).sql);
        all.insert(tally_query(&none(), viewer, &meant).sql);
        all.insert(tally_query(&none(), viewer, &plain).sql);
        all.insert(owners_query(&none(), viewer, &plain).sql);
    }
    all.into_iter().collect()
}
