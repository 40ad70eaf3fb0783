//! Filters: one meaning for the page's URL, the API and SQL.

use chrono::{Days, NaiveDate};
use serde::{Deserialize, Serialize};

use crate::action::{ActionStatus, ActionType, Priority};
use crate::incident::{IncidentStatus, Severity};
use crate::words::words;

/// Which incidents to list. Conditions that are set all hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IncidentFilter {
    /// Words that title, summary or short name contain, in any case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// The status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<IncidentStatus>,
    /// The severity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
}

/// How many days "this week" has, today included.
pub const WEEK: u64 = 7;

/// After how many days without a change or a note an item on which work remains counts as stale.
pub const STALE_AFTER: i64 = 14;

/// Who asks, as a value of the filter `assignee`.
pub const ME: &str = "me";

words!(
    /// When an item is due, seen from today in its incident's zone. Only of items on which work remains.
    DueIn {
        /// The due date has passed.
        Overdue = "overdue", "Overdue";
        /// Today or within the six days after it.
        Week = "week", "This week";
        /// After that.
        Later = "later", "Later";
        /// There is no due date.
        Undated = "none", "No due date";
    }
);

impl DueIn {
    /// Where a due date lies. `today` is the date in the incident's zone.
    pub fn of(due: Option<NaiveDate>, today: NaiveDate) -> Self {
        match due {
            None => Self::Undated,
            Some(due) if due < today => Self::Overdue,
            Some(due) if due < week_after(today) => Self::Week,
            Some(_) => Self::Later,
        }
    }
}

/// The first day that is no longer "this week".
pub fn week_after(today: NaiveDate) -> NaiveDate {
    today.checked_add_days(Days::new(WEEK)).unwrap_or(NaiveDate::MAX)
}

words!(
    /// The orders of the tracker. In all but `status` and `updated`, items on which work remains come before closed ones.
    ActionSort {
        /// One's own items first; then, and among them, by due date.
        Mine = "mine", "Mine first";
        /// By due date, undated ones last.
        Due = "due", "Due date";
        /// By owning team, items that nobody owns last.
        Owner = "owner", "Owner";
        /// From open to closed.
        Status = "status", "Status";
        /// By the last change or note.
        Updated = "updated", "Last activity";
        /// The most urgent first, those without a priority last.
        Priority = "priority", "Priority";
        /// By incident, and there in the document's order.
        Incident = "incident", "Incident";
    }
);

words!(
    /// Which way round.
    Direction {
        /// Smallest first.
        Asc = "asc", "Ascending";
        /// Largest first.
        Desc = "desc", "Descending";
    }
);

impl ActionSort {
    /// The direction where none is asked for: the latest activity first, all else from its beginning.
    pub const fn natural(self) -> Direction {
        match self {
            Self::Updated => Direction::Desc,
            _ => Direction::Asc,
        }
    }
}

/// Which action items to list, across incidents. Conditions that are set all hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActionFilter {
    /// Words that change, owner, assignee, criterion, or the incident's title, summary or short name contain.
    pub q: Option<String>,
    /// The owning team's name, in any case.
    pub owner: Option<String>,
    /// The person in charge: id or name, or [`ME`].
    pub assignee: Option<String>,
    /// Only items that belong to whoever asks.
    pub mine: bool,
    /// One of these statuses; any where it is empty.
    pub status: Vec<ActionStatus>,
    /// When it is due; closed items are left out.
    pub due: Option<DueIn>,
    /// The incident's id or short name.
    pub incident: Option<String>,
    /// How urgent it is.
    pub priority: Option<Priority>,
    /// What it is for.
    pub kind: Option<ActionType>,
    /// Only items on which work remains and nothing has happened for [`STALE_AFTER`] days.
    pub stale: bool,
}

/// A list of the tracker: which items, and in which order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActionQuery {
    /// Which items.
    pub filter: ActionFilter,
    /// The order; [`ActionSort::Mine`] where none is asked for.
    pub sort: Option<ActionSort>,
    /// Which way round; the order's natural one where none is asked for.
    pub direction: Option<Direction>,
}

/// A part of a query that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The key.
    pub key: String,
    /// What is the matter.
    pub message: String,
}

impl ActionQuery {
    /// Every key that is read.
    pub const KEYS: [&'static str; 12] =
        ["q", "mine", "owner", "assignee", "status", "due", "incident", "priority", "type", "stale", "sort", "order"];

    /// Reads the pairs of a URL's query; an empty value is as good as none. What cannot be read is named and left out.
    pub fn read<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> (Self, Vec<Unread>) {
        let (mut query, mut unread) = (Self::default(), Vec::new());
        for (key, value) in pairs {
            let value = value.trim();
            if value.is_empty() {
                continue;
            }
            if let Err(message) = query.take(key, value) {
                unread.push(Unread { key: key.to_owned(), message });
            }
        }
        (query, unread)
    }

    fn take(&mut self, key: &str, value: &str) -> Result<(), String> {
        let filter = &mut self.filter;
        match key {
            "q" => filter.q = Some(value.to_owned()),
            "owner" => filter.owner = Some(value.to_owned()),
            "assignee" => filter.assignee = Some(value.to_owned()),
            "incident" => filter.incident = Some(value.to_owned()),
            "mine" => filter.mine = yes(value)?,
            "stale" => filter.stale = yes(value)?,
            "status" => {
                for word in value.split(',') {
                    let status = read(word)?;
                    if !filter.status.contains(&status) {
                        filter.status.push(status);
                    }
                }
            }
            "due" => filter.due = Some(read(value)?),
            "priority" => filter.priority = Some(read(value)?),
            "type" => filter.kind = Some(read(value)?),
            "sort" => self.sort = Some(read(value)?),
            "order" => self.direction = Some(read(value)?),
            _ => return Err("is not a parameter of this list".to_owned()),
        }
        Ok(())
    }

    /// The pairs that [`ActionQuery::read`] reads back.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let filter = &self.filter;
        let statuses: Vec<&str> = filter.status.iter().map(|status| status.as_str()).collect();
        let yes = |on: bool| on.then(|| "true".to_owned());
        let all = [
            ("q", filter.q.clone()),
            ("mine", yes(filter.mine)),
            ("owner", filter.owner.clone()),
            ("assignee", filter.assignee.clone()),
            ("status", (!statuses.is_empty()).then(|| statuses.join(","))),
            ("due", filter.due.map(|due| due.as_str().to_owned())),
            ("incident", filter.incident.clone()),
            ("priority", filter.priority.map(|priority| priority.as_str().to_owned())),
            ("type", filter.kind.map(|kind| kind.as_str().to_owned())),
            ("stale", yes(filter.stale)),
            ("sort", self.sort.map(|sort| sort.as_str().to_owned())),
            ("order", self.direction.map(|direction| direction.as_str().to_owned())),
        ];
        all.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    }

    /// The order that this asks for.
    pub fn order(&self) -> (ActionSort, Direction) {
        let sort = self.sort.unwrap_or(ActionSort::Mine);
        (sort, self.direction.unwrap_or(sort.natural()))
    }
}

fn yes(value: &str) -> Result<bool, String> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("'{value}' is neither true nor false")),
    }
}

fn read<T: std::str::FromStr<Err = crate::UnknownWord>>(value: &str) -> Result<T, String> {
    value.trim().parse().map_err(|error: crate::UnknownWord| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_reads_back_as_it_was_written() {
        let text = [
            ("q", "p95 & more"),
            ("mine", "true"),
            ("owner", "Payments"),
            ("assignee", "me"),
            ("status", "open,blocked"),
            ("due", "none"),
            ("incident", "INC-7"),
            ("priority", "high"),
            ("type", "prevent"),
            ("stale", "true"),
            ("sort", "owner"),
            ("order", "desc"),
        ];
        let (query, unread) = ActionQuery::read(text);
        assert_eq!(unread, []);
        let written = query.pairs();
        assert_eq!(written.iter().map(|(key, _)| *key).collect::<Vec<_>>(), ActionQuery::KEYS);
        let pairs: Vec<(&str, &str)> = written.iter().map(|(key, value)| (*key, value.as_str())).collect();
        assert_eq!(pairs, text);
        assert_eq!(query.filter.status, [ActionStatus::Open, ActionStatus::Blocked]);
        assert_eq!(query.order(), (ActionSort::Owner, Direction::Desc));
    }

    #[test]
    fn a_status_may_be_given_twice_and_nothing_is_as_good_as_no_parameter() {
        let (query, unread) =
            ActionQuery::read([("status", "open"), ("status", "blocked, open"), ("q", " "), ("due", "")]);
        assert_eq!((query.filter.status.len(), query.filter.q, unread.len()), (2, None, 0));
        let (query, _) = ActionQuery::read([]);
        assert_eq!(query, ActionQuery::default());
        assert_eq!(query.order(), (ActionSort::Mine, Direction::Asc));
    }

    #[test]
    fn what_cannot_be_read_is_named_and_the_rest_holds() {
        let wrong = [("due", "soon"), ("sort", "colour"), ("mine", "1"), ("colour", "red"), ("status", "open,done")];
        let (query, unread) = ActionQuery::read(wrong.into_iter().chain([("q", "queue")]));
        assert_eq!(unread.iter().map(|unread| unread.key.as_str()).collect::<Vec<_>>(), wrong.map(|(key, _)| key));
        assert_eq!(query.filter.q.as_deref(), Some("queue"));
        assert_eq!(unread[0].message, "'soon' is not one of overdue, week, later, none");
    }

    #[test]
    fn a_due_date_is_late_on_the_day_after_it_and_a_week_has_seven_days() {
        let day = |text: &str| text.parse::<NaiveDate>().ok();
        let today = day("2026-07-14").expect("a date");
        for (due, lies) in [
            (day("2026-07-13"), DueIn::Overdue),
            (day("2026-07-14"), DueIn::Week),
            (day("2026-07-20"), DueIn::Week),
            (day("2026-07-21"), DueIn::Later),
            (None, DueIn::Undated),
        ] {
            assert_eq!(DueIn::of(due, today), lies, "{due:?}");
        }
        assert_eq!(DueIn::of(Some(NaiveDate::MAX), NaiveDate::MAX), DueIn::Later);
    }
}
