//! The tracker's part of the store's contract: what passes a filter, in which order, on both databases; and that no list
//! reads or sorts the whole table, however many items there are.

use std::collections::HashSet;
use std::fmt::Write as _;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use debrief_server::store::{Sees, Store, Viewer};
use domain::UserId;
use domain::action::ActionStatus;
use domain::filter::{ActionFilter, ActionQuery, ActionSort, Direction, DueIn};
use domain::person::name_key;
use domain::wire::tracker::TrackerItem;
use sqlx::Connection as _;

/// An instant at which it is the 9th, the 10th and the 11th of July somewhere.
fn now() -> DateTime<Utc> {
    "2026-07-10T10:30:00Z".parse().expect("a time")
}

/// Runs SQL that both databases share, statement by statement.
async fn run(url: &str, sql: &str) {
    if url.starts_with("sqlite:") {
        let pool = sqlx::SqlitePool::connect(url).await.expect("opens");
        let fast = "PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN;";
        let sql = format!("{fast} {sql}; COMMIT;");
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&pool).await.expect("runs");
        pool.close().await;
    } else {
        let pool = sqlx::PgPool::connect(url).await.expect("opens");
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned())).execute(&pool).await.expect("runs");
        pool.close().await;
    }
}

/// Six incidents in six zones, the last two restricted; 240 items of every status, owner, date and priority.
fn small() -> String {
    let zones = ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "+12:45", "Europe/Zurich", "America/New_York"];
    let mut sql = String::from(
        "INSERT INTO users (id, version, name, role, support, created_at) VALUES
            ('usr_ada', 1, 'Ada', 'member', 0, 0), ('usr_bo', 1, 'Bo', 'member', 0, 0);
        INSERT INTO teams (id, version, name, key, created_at) VALUES
            ('team_p', 1, 'Payments', 'payments', 0), ('team_s', 1, 'Search', 'search', 0);
        INSERT INTO team_members (team_id, user_id) VALUES ('team_p', 'usr_ada'), ('team_s', 'usr_ada');",
    );
    for (i, zone) in zones.iter().enumerate() {
        let (number, visibility) = (i + 1, if i < 4 { "open" } else { "restricted" });
        write!(
            sql,
            "INSERT INTO incidents (id, number, version, title, summary, key_points, status, review_state, home_zone,
                services, tags, root_cause, follow_up, created_at, updated_at, search_text, visibility)
            VALUES ('inc_{number}', {number}, 1, 'Überlauf {number}', '', '[]', 'resolved', 'draft', '{zone}', '[]', '[]',
                '', '', 0, 0, 'überlauf {number} inc-{number}', '{visibility}');"
        )
        .expect("a String takes it");
    }
    sql += "INSERT INTO incident_people (incident_id, user_id) VALUES ('inc_5', 'usr_ada');";
    let day = now().timestamp_millis();
    for i in 0_i64..240 {
        let status = ActionStatus::ALL[usize::try_from(i % 6).expect("small")];
        let owner = ["", "Payments", "search", "Data & Co", "Öl"][usize::try_from(i / 2 % 5).expect("small")];
        let (assignee, account) = match i / 3 % 5 {
            0 => ("'Ada'", "'usr_ada'"),
            1 => ("'Bo'", "'usr_bo'"),
            2 => ("'Grace'", "NULL"),
            _ => ("NULL", "NULL"),
        };
        let due = match i * 7919 % 1009 % 12 {
            0 => "NULL".to_owned(),
            n => format!("'{}'", NaiveDate::from_ymd_opt(2026, 7, 9).expect("a day") + TimeDelta::days(n - 3)),
        };
        let priority = ["'high'", "'medium'", "'low'", "NULL"][usize::try_from(i / 7 % 4).expect("small")];
        let kind = ["'prevent'", "NULL"][usize::try_from(i / 11 % 2).expect("small")];
        let active = day - i / 4 % 30 * 86_400_000;
        write!(
            sql,
            "INSERT INTO actions (id, incident_id, incident_number, position, version, change, owner, assignee, assignee_id,
                kind, priority, due, criterion, status, evidence, created_at, updated_at, active_at)
            VALUES ('act_{}', 'inc_{}', {}, {}, 1, 'Step {i} of {}', '{owner}', {assignee}, {account}, {kind}, {priority},
                {due}, 'Probe {}', '{status}', '[]', 0, {active}, {active});",
            i * 7919 % 1009,
            i / 40 + 1,
            i / 40 + 1,
            i % 40,
            i % 9,
            i % 13,
        )
        .expect("a String takes it");
    }
    sql
}

fn ada() -> UserId {
    UserId::new("usr_ada")
}

fn as_ada(user: &UserId) -> Viewer<'_> {
    Viewer { sees: Sees::As(user), user: Some(user), teams: vec![name_key("Payments"), name_key("Search")] }
}

fn as_service() -> Viewer<'static> {
    Viewer { sees: Sees::All, user: None, teams: vec![] }
}

/// Every item of a list, walked page by page.
async fn walk(store: &Store, query: &ActionQuery, limit: u32, viewer: &Viewer<'_>) -> Vec<TrackerItem> {
    let (mut all, mut cursor) = (Vec::new(), None);
    loop {
        let page = store.list_tracked(query, limit, cursor.as_deref(), viewer, now()).await.expect("a page");
        assert!(page.items.len() <= limit as usize);
        assert!(page.next.is_none() || page.items.len() == limit as usize, "only the last page is short");
        all.extend(page.items);
        cursor = page.next;
        if cursor.is_none() {
            return all;
        }
    }
}

/// What a filter means, said once more over what was read: the tests' own reading of it.
fn passes(item: &TrackerItem, filter: &ActionFilter) -> bool {
    let (action, open) = (&item.action, item.action.status.is_open());
    let text = [
        &action.change,
        &action.owner,
        action.assignee.as_ref().unwrap_or(&String::new()),
        &action.verification.criterion,
        &item.incident.title.as_ref().map_or_else(String::new, |title| format!("{title} {}", item.incident.name)),
    ]
    .map(|text| text.to_lowercase());
    filter
        .q
        .iter()
        .flat_map(|q| q.split_whitespace())
        .all(|word| text.iter().any(|text| text.contains(&word.to_lowercase())))
        && filter.owner.as_ref().is_none_or(|owner| name_key(owner) == name_key(&action.owner))
        && filter.assignee.as_deref().is_none_or(|who| match who {
            "me" | "usr_ada" => action.assignee_id == Some(ada()),
            name => action.assignee.as_ref().is_some_and(|assignee| name_key(assignee) == name_key(name)),
        })
        && (!filter.mine || item.mine)
        && (filter.status.is_empty() || filter.status.contains(&action.status))
        && filter.due.is_none_or(|due| item.due_in == Some(due))
        && filter.incident.as_ref().is_none_or(|incident| *incident == item.incident.name)
        && filter.priority.is_none_or(|priority| action.priority == Some(priority))
        && filter.kind.is_none_or(|kind| action.kind == Some(kind))
        && (!filter.stale || (open && now() - item.active_at > TimeDelta::days(14)))
}

/// Where an item stands in an order, as a list of texts that compare as the order does.
fn place_of(item: &TrackerItem, sort: ActionSort, descending: bool) -> (Vec<i64>, Vec<String>) {
    let action = &item.action;
    let closed = i64::from(!action.status.is_open());
    let due = action.due.map_or_else(|| "9999-99-99".to_owned(), |due| due.to_string());
    let id = action.id.to_string();
    let undated = i64::from(action.due.is_none());
    let rank = action.priority.map_or(4, |priority| priority as i64 + 1);
    let status = action.status as i64;
    match sort {
        ActionSort::Mine if !descending => {
            let class = if closed == 1 { 2 } else { i64::from(!item.mine) };
            (vec![class], vec![due, id])
        }
        ActionSort::Mine | ActionSort::Due => (vec![closed, undated], vec![due, id]),
        ActionSort::Owner => (vec![closed, i64::from(action.owner.is_empty())], vec![name_key(&action.owner), due, id]),
        ActionSort::Status => (vec![if descending { -status } else { status }], vec![due, id]),
        ActionSort::Updated => (vec![], vec![format!("{:020}", item.active_at.timestamp_millis()), id]),
        ActionSort::Priority => (vec![closed, if descending && rank < 4 { -rank } else { rank }], vec![due, id]),
        ActionSort::Incident => {
            let number: i64 = item.incident.name.trim_start_matches("INC-").parse().expect("a short name");
            (vec![closed], vec![format!("{number:020}"), format!("{:020}", item.number)])
        }
    }
}

fn filters() -> Vec<ActionFilter> {
    let none = ActionFilter::default;
    let text = |q: &str| ActionFilter { q: Some(q.to_owned()), ..none() };
    let mut all = vec![
        none(),
        text("step 17"),
        text("ÖL"),
        text("überlauf 3"),
        text("inc-2 probe"),
        text("100%"),
        ActionFilter { mine: true, ..none() },
        ActionFilter { owner: Some("  PAYMENTS".into()), ..none() },
        ActionFilter { owner: Some("öl".into()), assignee: Some("grace".into()), ..none() },
        ActionFilter { owner: Some("nobody's".into()), ..none() },
        ActionFilter { assignee: Some("me".into()), ..none() },
        ActionFilter { assignee: Some("usr_ada".into()), stale: true, ..none() },
        ActionFilter { assignee: Some("Bo".into()), ..none() },
        ActionFilter { mine: true, owner: Some("search".into()), assignee: Some("Ada".into()), ..none() },
        ActionFilter { status: vec![ActionStatus::Blocked, ActionStatus::Verified], ..none() },
        ActionFilter { incident: Some("INC-3".into()), ..none() },
        ActionFilter { incident: Some("INC-5".into()), mine: true, ..none() },
        ActionFilter { priority: Some(domain::action::Priority::High), ..none() },
        ActionFilter { kind: Some(domain::action::ActionType::Prevent), q: Some("step".into()), ..none() },
        ActionFilter { stale: true, status: vec![ActionStatus::Open, ActionStatus::WontDo], ..none() },
    ];
    all.extend(DueIn::ALL.iter().map(|due| ActionFilter { due: Some(*due), ..none() }));
    all.push(ActionFilter { due: Some(DueIn::Week), mine: true, ..none() });
    all
}

on_both! {
    async fn every_filter_in_every_order_holds_each_item_once_and_in_its_place(place: Place) {
        run(&place.url, &small()).await;
        // Opened anew, so that what the SQL above left out is filled in.
        let store = Store::open(&place.url).await.expect("opens");
        let user = ada();
        let plain = ActionQuery { sort: Some(ActionSort::Due), ..ActionQuery::default() };
        let everything = walk(&store, &plain, 1000, &as_ada(&user)).await;
        assert_eq!(everything.iter().map(|item| &item.action.id).collect::<HashSet<_>>().len(), everything.len());
        for filter in filters() {
            for (sort, direction) in
                ActionSort::ALL.iter().flat_map(|sort| Direction::ALL.iter().map(move |way| (*sort, *way)))
            {
                let query = ActionQuery { filter: filter.clone(), sort: Some(sort), direction: Some(direction) };
                let found = walk(&store, &query, 67, &as_ada(&user)).await;
                let descending = direction == Direction::Desc;
                let mut wanted: Vec<&TrackerItem> = everything.iter().filter(|item| passes(item, &filter)).collect();
                wanted.sort_by(|a, b| {
                    let ((a_class, a_keys), (b_class, b_keys)) = (place_of(a, sort, descending), place_of(b, sort, descending));
                    let keys = a_keys.cmp(&b_keys);
                    let reversed = descending && !matches!(sort, ActionSort::Status | ActionSort::Priority);
                    a_class.cmp(&b_class).then(if reversed { keys.reverse() } else { keys })
                });
                let ids = |items: &[&TrackerItem]| items.iter().map(|item| item.action.id.clone()).collect::<Vec<_>>();
                assert_eq!(ids(&found.iter().collect::<Vec<_>>()), ids(&wanted), "{:?}", query.pairs());
            }
        }
    }

    async fn of_a_restricted_incident_its_people_see_all_and_an_owner_the_item_alone(place: Place) {
        run(&place.url, &small()).await;
        let store = Store::open(&place.url).await.expect("opens");
        let user = ada();
        let all = ActionQuery::default();
        let (seen, whole) = (walk(&store, &all, 1000, &as_ada(&user)).await, walk(&store, &all, 1000, &as_service()).await);
        assert_eq!(whole.len(), 240);
        let of = |items: &[TrackerItem], name: &str| items.iter().filter(|item| item.incident.name == name).cloned().collect::<Vec<_>>();
        assert_eq!(of(&seen, "INC-5").len(), of(&whole, "INC-5").len(), "Ada is named on INC-5");
        let alone = of(&seen, "INC-6");
        assert!(!alone.is_empty() && alone.len() < 40 && alone.iter().all(|item| item.mine && item.incident.title.is_none()));
        assert_eq!(alone.len(), of(&whole, "INC-6").iter().filter(|item| as_owner(item)).count());
        assert!(whole.iter().all(|item| !item.mine && item.incident.title.is_some()));
        // The words of a title that one may not read find nothing.
        let search = ActionQuery { filter: ActionFilter { q: Some("Überlauf 6".into()), ..ActionFilter::default() }, ..ActionQuery::default() };
        assert!(of(&walk(&store, &search, 1000, &as_ada(&user)).await, "INC-6").is_empty());
        let open = Viewer { sees: Sees::Open, user: None, teams: vec![] };
        assert!(walk(&store, &all, 1000, &open).await.iter().all(|item| !["INC-5", "INC-6"].contains(&item.incident.name.as_str())));
        for (viewer, items) in [(as_ada(&user), seen), (as_service(), whole)] {
            let counts = store.count_actions(&ActionFilter::default(), &viewer, now()).await.expect("counts");
            let number = |keep: &dyn Fn(&TrackerItem) -> bool| i64::try_from(items.iter().filter(|item| keep(item)).count()).expect("small");
            assert_eq!(counts.total, number(&|_| true));
            assert_eq!(counts.remaining, number(&|item| item.action.status.is_open()));
            assert_eq!(counts.mine, number(&|item| item.action.status.is_open() && item.mine));
            assert_eq!(counts.stale, number(&|item| item.stale_days.is_some()));
            for (due, count) in [(DueIn::Overdue, counts.overdue), (DueIn::Week, counts.week), (DueIn::Later, counts.later), (DueIn::Undated, counts.undated)] {
                assert_eq!(count, number(&|item| item.due_in == Some(due)), "{due}");
                assert!(count > 0, "{due} is tried at all");
            }
            for status in &counts.by_status {
                assert_eq!(status.count, number(&|item| item.action.status == status.status));
            }
            for owner in &counts.owners {
                assert_eq!(owner.count, number(&|item| item.action.owner == owner.owner && item.action.status.is_open()));
            }
            assert_eq!(counts.owners.len(), 4);
        }
    }

    async fn what_is_due_is_judged_in_the_incidents_zone(place: Place) {
        run(&place.url, &small()).await;
        let store = Store::open(&place.url).await.expect("opens");
        let query = ActionQuery { filter: ActionFilter { due: Some(DueIn::Overdue), ..ActionFilter::default() }, ..ActionQuery::default() };
        let late = walk(&store, &query, 100, &as_service()).await;
        let latest = |name: &str| late.iter().filter(|item| item.incident.name == name).filter_map(|item| item.action.due).max();
        let date = |day| NaiveDate::from_ymd_opt(2026, 7, day);
        // It is the 10th in UTC, the 11th in Kiritimati, still the 9th in Pago Pago.
        assert_eq!((latest("INC-1"), latest("INC-2"), latest("INC-3")), (date(9), date(10), date(8)));
        assert!(late.iter().all(|item| item.days_late.is_some_and(|days| days > 0)));
    }

    async fn a_cursor_of_another_order_is_refused(place: Place) {
        run(&place.url, &small()).await;
        let due = ActionQuery { sort: Some(ActionSort::Due), ..ActionQuery::default() };
        let page = place.store.list_tracked(&due, 3, None, &as_service(), now()).await.expect("a page");
        let cursor = page.next.expect("more");
        let owner = ActionQuery { sort: Some(ActionSort::Owner), ..ActionQuery::default() };
        for (query, cursor) in [(&owner, cursor.as_str()), (&due, "zzz"), (&due, "")] {
            let refused = place.store.list_tracked(query, 3, Some(cursor), &as_service(), now()).await;
            assert!(matches!(refused, Err(debrief_server::store::StoreError::BadCursor)), "{cursor:?}");
        }
    }

    async fn among_a_hundred_thousand_items_no_list_reads_or_sorts_them_all(place: Place) {
        run(&place.url, include_str!("../../../tests/data/many-actions.sql")).await;
        let mut orders = HashSet::new();
        for (sql, plan) in plans(&place.url).await {
            let shown = || format!("{sql}\n{}", plan.join("\n"));
            let reads_all = plan.iter().any(|line| line.contains("Seq Scan on actions") || line.starts_with("SCAN a"));
            if sql.contains("due_in") {
                // Counting looks at every item that one may see; on SQLite all that it needs stands in one index.
                let covered = plan.iter().all(|line| !line.starts_with("SCAN a"));
                assert!(covered, "{}", shown());
                continue;
            }
            assert!(!reads_all, "{}", shown());
            // A due date asked for in another order than its own may be the better way in, and leaves little to sort.
            let is_bounded = sql.contains("a.due_key < $") && !sql.contains("ORDER BY a.due_key");
            if sql.contains("actions a WHERE a.status =") && !is_bounded {
                // PostgreSQL names the merge of the walks a sort, and each walk's own if it had one; SQLite the same.
                let sorts = plan.iter().filter(|line| line.trim_start().starts_with("->  Sort") || line.as_str() == "Sort" || line.contains("TEMP B-TREE FOR ORDER BY"));
                assert!(sorts.count() <= 1, "{}", shown());
                orders.extend(sql.rsplit("ORDER BY").next().map(str::to_owned));
            }
        }
        // Seven orders sort by four lists of columns, each both ways.
        assert!(orders.len() >= 8, "{orders:?}");
    }
}

fn as_owner(item: &TrackerItem) -> bool {
    let action = &item.action;
    action.assignee_id == Some(ada())
        || (action.assignee.is_none() && ["payments", "search"].contains(&name_key(&action.owner).as_str()))
}

/// Explains every statement of the tracker, as the database would run it, in lines.
async fn plans(url: &str) -> Vec<(String, Vec<String>)> {
    let mut plans = Vec::new();
    let statements = debrief_server::store::built_statements();
    let statements = statements.into_iter().filter(|sql| sql.contains("walk0") || sql.contains("due_in"));
    if url.starts_with("sqlite:") {
        let pool = sqlx::SqlitePool::connect(url).await.expect("opens");
        for sql in statements {
            let explain = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}"));
            let rows: Vec<(i64, i64, i64, String)> = sqlx::query_as(explain).fetch_all(&pool).await.expect("a plan");
            plans.push((sql, rows.into_iter().map(|(_, _, _, line)| line).collect()));
        }
    } else {
        let mut connection = sqlx::PgConnection::connect(url).await.expect("opens");
        let mut run = async |sql: String| -> Vec<(String,)> {
            sqlx::query_as(sqlx::AssertSqlSafe(sql)).persistent(false).fetch_all(&mut connection).await.expect("runs")
        };
        run("ANALYZE".into()).await;
        run("SET plan_cache_mode = force_generic_plan".into()).await;
        for (i, sql) in statements.enumerate() {
            let binds = (1..100).take_while(|n| sql.contains(&format!("${n}"))).count();
            let nulls = vec!["NULL"; binds].join(", ");
            run(format!("PREPARE p{i} AS {sql}")).await;
            let call = if binds == 0 { format!("p{i}") } else { format!("p{i} ({nulls})") };
            let lines = run(format!("EXPLAIN (COSTS OFF) EXECUTE {call}")).await;
            run(format!("DEALLOCATE p{i}")).await;
            plans.push((sql, lines.into_iter().map(|(line,)| line).collect()));
        }
    }
    plans
}
