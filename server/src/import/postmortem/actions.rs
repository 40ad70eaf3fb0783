//! The action items: a table or a list.

use chrono::NaiveDate;
use domain::draft::{ActionDraft, Level};
use domain::verification::Verification;

use super::Report;
use super::section::Section;
use super::table::{self, Role, Row, is_placeholder, unmarked};
use super::times;

const ROLES: &[Role] = &[
    ("change", &["change", "action", "action item", "what", "task", "item", "description", "todo", "title"]),
    ("owner", &["owner", "team", "who", "responsible", "owners", "assigned"]),
    ("due", &["due", "deadline", "when", "eta", "target", "due date", "date"]),
    ("verification", &["verification", "verified", "verify", "proof", "criterion", "acceptance", "done when"]),
    ("assignee", &["assignee"]),
    ("status", &["status", "state", "done"]),
];

/// Reads the items of a section.
pub fn read(section: &Section<'_>, day: Option<NaiveDate>, report: &mut Report) -> Vec<ActionDraft> {
    let (table, mut outside) = table::read(section, ROLES, report);
    let rows = table.map(|table| table.rows).unwrap_or_default();
    let month_first = month_first(&rows);
    let mut actions = Vec::new();
    for row in &rows {
        if row.is_placeholder() || is_placeholder(row.cell("change")) {
            report.not_understood(&row.line, "as an action item: it says no change");
            continue;
        }
        let status = row.cell("status").to_lowercase();
        let written = row.cell("due");
        let cell = |role| Some(row.cell(role)).filter(|text| !is_placeholder(text)).unwrap_or_default().to_owned();
        actions.push(ActionDraft {
            owner: cell("owner"),
            change: row.cell("change").to_owned(),
            due: due(written, day, month_first, row, report),
            verification: Verification { criterion: cell("verification") },
            done: ["done", "complete", "closed", "fixed", "yes", "x", "to verify", "verified"]
                .iter()
                .any(|word| status.starts_with(word)),
            evidence: row.evidence.clone(),
        });
    }
    let items = section.items();
    for item in &items {
        let (text, evidence) = unmarked(&item.text);
        if outside.iter().all(|line| line.number != item.line.number) {
            continue;
        }
        if is_placeholder(&text) || text.to_lowercase().starts_with("no immediate action") {
            report.not_understood(&item.line, "as an action item: it says no change");
        } else if item.line.indent < 2 || item.text.len() > 2 {
            actions.push(ActionDraft {
                owner: String::new(),
                change: text,
                due: None,
                verification: Verification::default(),
                done: item.done,
                evidence,
            });
        }
    }
    let mut in_item = 0;
    outside.retain(|line| {
        let begins = items.iter().any(|item| item.line.number == line.number);
        let continues = line.indent > 0 && in_item + 1 == line.number;
        if begins || continues {
            in_item = line.number;
        }
        !begins && !continues
    });
    for line in outside {
        report.not_understood(&line, "as an action item; write it as a row of the table or a list item");
    }
    actions
}

/// Whether dates such as 07/14 put the month first, decided from the whole column; none where it cannot be decided.
fn month_first(rows: &[Row<'_>]) -> Option<bool> {
    let parts: Vec<(u32, u32)> =
        rows.iter().filter_map(|row| slashed(row.cell("due")).map(|(a, b, _)| (a, b))).collect();
    match (parts.iter().any(|(first, _)| *first > 12), parts.iter().any(|(_, second)| *second > 12)) {
        (true, false) => Some(false),
        (false, true) => Some(true),
        _ => None,
    }
}

fn slashed(text: &str) -> Option<(u32, u32, Option<i32>)> {
    let mut parts = text.trim().split(['/', '.']);
    let (first, second) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let year = parts
        .next()
        .map(|year| year.parse::<i32>().map(|year| if year < 100 { year + 2000 } else { year }))
        .transpose()
        .ok()?;
    parts.next().is_none().then_some((first, second, year))
}

fn due(
    text: &str,
    day: Option<NaiveDate>,
    month_first: Option<bool>,
    row: &Row<'_>,
    report: &mut Report,
) -> Option<NaiveDate> {
    if is_placeholder(text) {
        return None;
    }
    if let Some(date) = times::date(text, day) {
        return Some(date);
    }
    if let (Some((first, second, year)), Some(month_first)) = (slashed(text), month_first) {
        let (month, date) = if month_first { (first, second) } else { (second, first) };
        let years = match (year, day) {
            (Some(year), _) => year..year + 1,
            (None, Some(day)) => chrono::Datelike::year(&day)..chrono::Datelike::year(&day) + 9,
            (None, None) => 0..0,
        };
        let found = years
            .filter_map(|year| NaiveDate::from_ymd_opt(year, month, date))
            .find(|date| year.is_some() || day.is_none_or(|day| *date >= day));
        if found.is_some() {
            return found;
        }
    }
    report.add(
        Level::Warning,
        Some(row.line.number),
        format!("‘{text}’ is no due date that could be read, so the item has none; write YYYY-MM-DD"),
        Some(row.line.text),
    );
    None
}
