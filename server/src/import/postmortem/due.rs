//! Due dates.

use chrono::NaiveDate;
use domain::draft::Level;

use super::day::{self, Day, Order};
use super::lines::Line;
use super::report::Report;
use super::table::is_placeholder;

/// What due dates are read by: the day of the incident, and how the column writes its dates.
#[derive(Debug, Clone, Copy)]
pub struct Basis {
    /// Due dates without a year are the first such day on or after this one.
    pub day: Option<NaiveDate>,
    /// Which part of a slashed date is the month.
    pub order: Option<Order>,
}

/// Reads a due date; what could not be read is named.
pub fn read(text: &str, basis: Basis, line: &Line<'_>, report: &mut Report) -> Option<NaiveDate> {
    if is_placeholder(text) {
        return None;
    }
    let found = day::whole(text, basis.order);
    if let Some((day, rest)) = found
        && let Some(date) = day.on_or_after(basis.day)
    {
        if rest.chars().any(char::is_alphanumeric) {
            let message = format!("of the due date ‘{text}’ the words ‘{rest}’ stay in the document only");
            report.add(Level::Note, Some(line.number), message, Some(line.raw));
        }
        return Some(date);
    }
    let message = match found.map(|(day, _)| day) {
        Some(Day::Ambiguous(..)) => {
            format!("‘{text}’ may be either day and month, so the item has no due date; write YYYY-MM-DD")
        }
        Some(_) => {
            format!("‘{text}’ has no year and the incident no date, so the item has no due date; write YYYY-MM-DD")
        }
        None => format!("‘{text}’ is no due date that could be read, so the item has none; write YYYY-MM-DD"),
    };
    report.add(Level::Warning, Some(line.number), message, Some(line.raw));
    None
}
