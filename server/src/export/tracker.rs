//! The tracker's list as one table, safe to open in a spreadsheet: names instead of ids, in the list's order.

use domain::action::{ActionType, Priority};
use domain::filter::DueIn;
use domain::wire::tracker::TrackerItem;

use super::csv::inert;
use super::instant;

const COLUMNS: [&str; 20] = [
    "incident",
    "incident_title",
    "item",
    "change",
    "owner",
    "assignee",
    "due",
    "due_zone",
    "due_in",
    "days_late",
    "status",
    "reason",
    "type",
    "priority",
    "verification",
    "due_moves",
    "reopenings",
    "notes",
    "last_activity_utc",
    "link",
];

/// A table in the making.
pub struct Table(::csv::Writer<Vec<u8>>);

impl Table {
    /// A table with its head.
    pub fn begin() -> Self {
        let mut table = Self(::csv::Writer::from_writer(Vec::new()));
        table.write(&COLUMNS.map(str::to_owned));
        table
    }

    /// Adds rows.
    pub fn add(&mut self, items: &[TrackerItem]) {
        for item in items {
            self.write(&row(item));
        }
    }

    /// The whole table.
    pub fn end(self) -> Vec<u8> {
        self.0.into_inner().unwrap_or_default()
    }

    fn write(&mut self, cells: &[String]) {
        if let Err(error) = self.0.write_record(cells) {
            tracing::error!(%error, "a row could not be written to memory");
        }
    }
}

fn row(item: &TrackerItem) -> [String; 20] {
    let action = &item.action;
    let maybe = |text: Option<&str>| inert(text.unwrap_or_default());
    [
        inert(&item.incident.name),
        maybe(item.incident.title.as_deref()),
        item.number.to_string(),
        inert(&action.change),
        inert(&action.owner),
        maybe(action.assignee.as_deref()),
        action.due.map(|due| due.to_string()).unwrap_or_default(),
        inert(&item.incident.home_zone),
        maybe(item.due_in.map(DueIn::label)),
        item.days_late.map(|days| days.to_string()).unwrap_or_default(),
        action.status.label().to_owned(),
        maybe(action.reason.as_deref()),
        maybe(action.kind.map(ActionType::label)),
        maybe(action.priority.map(Priority::label)),
        inert(&action.verification.criterion),
        action.due_moves.to_string(),
        action.reopenings.to_string(),
        item.note_count.to_string(),
        instant(Some(item.active_at)),
        maybe(action.link.as_deref()),
    ]
}
