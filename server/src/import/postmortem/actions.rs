//! The action items: tables, lists, headings, or lines that say so.

use domain::draft::{ActionDraft, Level};
use domain::verification::Verification;

use super::calendar::Calendar;
use super::day;
use super::due::{self, Basis};
use super::lines::{Form, Line};
use super::list::{self, Block, Item};
use super::prose::markdown;
use super::report::Report;
use super::section::Section;
use super::table::{self, Part, Role, Row, is_placeholder, unmarked};

const ROLES: &[Role] = &[
    (
        "change",
        &[
            "change",
            "action",
            "action item",
            "what",
            "task",
            "item",
            "description",
            "todo",
            "title",
            "improvement",
            "follow-up",
            "summary",
            "action items",
        ],
    ),
    ("owner", &["owner", "team", "who", "responsible", "owners", "assigned", "owning team", "assigned to", "dri"]),
    ("due", &["due", "deadline", "when", "eta", "target", "due date", "date", "target date", "by"]),
    (
        "verification",
        &[
            "verification",
            "verified",
            "verify",
            "proof",
            "criterion",
            "criteria",
            "acceptance",
            "done when",
            "verified by",
        ],
    ),
    ("assignee", &["assignee", "person"]),
    ("status", &["status", "state", "done"]),
    ("evidence", &["evidence", "source", "sources"]),
];

/// Words inside an item's text that begin a field.
const FIELDS: &[(&str, &[&str])] = &[
    ("owner", &["owner", "owners", "team", "assigned to", "responsible", "dri"]),
    ("due", &["due", "due date", "deadline", "eta", "target date", "due by"]),
    (
        "verification",
        &[
            "verification",
            "verify",
            "verified by",
            "verified when",
            "done when",
            "acceptance",
            "acceptance criterion",
            "acceptance criteria",
        ],
    ),
    ("status", &["status", "state"]),
];

/// Reads the items of a section.
pub fn read(section: &Section<'_>, calendar: &Calendar, report: &mut Report) -> Vec<ActionDraft> {
    let order = day::order_in(section.lines.iter().map(|line| line.text)).or(calendar.order());
    let mut actions = Actions { found: Vec::new(), basis: Basis { day: calendar.day(), order }, report };
    for part in table::parts(&section.lines, ROLES, actions.report) {
        match part {
            Part::Table(table) => table.rows.iter().for_each(|row| actions.take_row(row)),
            Part::Lines(lines) => actions.take_lines(&lines),
        }
    }
    actions.found
}

struct Actions<'a> {
    found: Vec<ActionDraft>,
    basis: Basis,
    report: &'a mut Report,
}

impl Actions<'_> {
    fn take_row(&mut self, row: &Row<'_>) {
        if row.said("change").is_empty() {
            self.report.name(Level::Note, &row.line, "this row says no change, so it is no action item");
            return;
        }
        self.report.read(&row.line);
        let status = row.said("status");
        let done = is_done(status);
        if !status.is_empty() && !done && !is_open(status) {
            let message = format!("the status ‘{status}’ stays in the document only; the item is imported as open");
            self.report.add(Level::Note, Some(row.line.number), message, Some(row.line.raw));
        }
        let (owner, person) = (row.said("owner"), row.said("assignee"));
        if !owner.is_empty() && !person.is_empty() {
            let message = format!("the person ‘{person}’ stays in the document only; assign the item after the import");
            self.report.add(Level::Note, Some(row.line.number), message, Some(row.line.raw));
        }
        self.found.push(ActionDraft {
            owner: if owner.is_empty() { person } else { owner }.to_owned(),
            change: row.cell("change").to_owned(),
            due: due::read(row.cell("due"), self.basis, &row.line, self.report),
            verification: Verification::in_words(row.said("verification")),
            done,
            evidence: row.evidence.clone(),
        });
    }

    /// Lists under each heading of the section; a heading without a list is an item itself.
    fn take_lines(&mut self, lines: &[Line<'_>]) {
        let blocks = list::blocks(lines);
        let mut at = 0;
        while at < blocks.len() {
            let until = blocks[at + 1..]
                .iter()
                .position(|block| matches!(block, Block::Heading(_)))
                .map_or(blocks.len(), |found| at + 1 + found);
            self.take_group(&blocks[at..until]);
            at = until;
        }
    }

    fn take_group(&mut self, blocks: &[Block<'_>]) {
        let (heading, blocks) = match blocks.split_first() {
            Some((Block::Heading(line), rest)) => (Some(line), rest),
            _ => (None, blocks),
        };
        if let Some(line) = heading {
            let has_items = blocks.iter().any(|block| matches!(block, Block::Item(_)));
            let is_numbered = list::bullet(line.text).is_some_and(|bullet| bullet.ordered);
            if is_numbered || (!has_items && blocks.iter().any(|block| matches!(block, Block::Paragraph(_)))) {
                self.take_heading(line, blocks);
                return;
            }
            self.report.name(Level::Note, line, "no field takes a heading among the action items");
        }
        let first_is_ordered = blocks.iter().find_map(|block| match block {
            Block::Item(item) => Some(item.ordered),
            _ => None,
        });
        for block in blocks {
            match block {
                // In a numbered list, bullets at the margin belong to the number above them.
                Block::Item(item) if first_is_ordered == Some(true) && !item.ordered => self.add_below(item),
                Block::Item(item) => self.take_item(item),
                Block::Paragraph(lines) => self.take_paragraph(lines),
                Block::Apart(_) | Block::Heading(_) => {}
            }
        }
    }

    /// A heading with what stands below it.
    fn take_heading(&mut self, line: &Line<'_>, below: &[Block<'_>]) {
        let text = list::bullet(line.text).map_or(line.text, |bullet| bullet.text);
        let lines: Vec<Line<'_>> = below.iter().flat_map(block_lines).collect();
        if is_placeholder(text) {
            self.report.name(Level::Note, line, "this heading says no change, so it is no action item");
            return;
        }
        self.report.read(line);
        let body = markdown(&lines, self.report);
        let whole = if body.is_empty() { text.to_owned() } else { format!("{text}\n\n{body}") };
        let (change, evidence) = unmarked(&whole);
        self.found.push(plain(change, None, evidence));
    }

    fn take_item(&mut self, item: &Item<'_>) {
        let (text, evidence) = unmarked(&item.text);
        if is_placeholder(&text) || denies_items(&text) {
            self.report.name(Level::Note, &item.line, "this item says no change, so it is no action item");
            return;
        }
        self.report.read(&item.line);
        item.rest.iter().for_each(|line| self.report.read(line));
        let (change, mut fields) = split_fields(&text);
        let mut change = change.to_owned();
        let mut more: Vec<Line<'_>> = Vec::new();
        for line in &item.below {
            let text = list::bullet(line.text).map_or(line.text, |bullet| bullet.text);
            match split_fields(text) {
                ("", found) if !found.is_empty() && line.form == Form::Text => fields.extend(found),
                _ => more.push(*line),
            }
        }
        let below = markdown(&more, self.report);
        if !below.is_empty() {
            change.push('\n');
            change.push_str(&below);
        }
        let (change, more_evidence) = unmarked(&change);
        let mut action = plain(change, item.done, [evidence, more_evidence].concat());
        self.set_fields(&mut action, &fields, &item.line);
        // Task lists nested below an item are items of their own only where the item is no task itself.
        self.found.push(action);
    }

    fn set_fields(&mut self, action: &mut ActionDraft, fields: &[(&str, &str)], line: &Line<'_>) {
        for (name, value) in fields {
            let (value, evidence) = unmarked(value);
            action.evidence.extend(evidence);
            match *name {
                _ if is_placeholder(&value) => {}
                "owner" if action.owner.is_empty() => action.owner = value,
                "due" if action.due.is_none() => action.due = due::read(&value, self.basis, line, self.report),
                "verification" if action.verification.criterion.is_empty() => action.verification.criterion = value,
                "status" if is_done(&value) => action.done = true,
                _ if is_open(&value) => {}
                _ => {
                    let message = format!("‘{name}: {value}’ stays in the document only");
                    self.report.add(Level::Note, Some(line.number), message, Some(line.raw));
                }
            }
        }
    }

    /// Adds an item that hangs below the last one without being indented.
    fn add_below(&mut self, item: &Item<'_>) {
        let lines: Vec<Line<'_>> = std::iter::once(item.line).chain(item.rest.iter().copied()).collect();
        if self.found.is_empty() {
            self.take_item(item);
            return;
        }
        let (text, evidence) = unmarked(&markdown(&lines, self.report));
        if let Some(last) = self.found.last_mut() {
            last.change.push('\n');
            last.change.push_str(&text);
            last.evidence.extend(evidence);
        }
    }

    /// A paragraph that calls itself an action item.
    fn take_paragraph(&mut self, lines: &[Line<'_>]) {
        let Some(first) = lines.first() else { return };
        let text = first.text.trim_start_matches(['*', '_']);
        let named = ["action item", "action", "todo", "to do"].iter().any(|name| {
            text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name))
                && text[name.len()..].trim_start_matches(['*', '_']).starts_with(':')
        });
        if !named {
            return;
        }
        let whole = markdown(lines, self.report);
        let (text, evidence) =
            unmarked(whole.split_once(':').map_or("", |(_, text)| text).trim_start_matches(['*', '_', ' ']));
        if is_placeholder(&text) {
            return;
        }
        let (change, fields) = split_fields(&text);
        let mut action = plain(change.to_owned(), None, evidence);
        self.set_fields(&mut action, &fields, first);
        self.found.push(action);
    }
}

fn plain(change: String, done: Option<bool>, evidence: Vec<u32>) -> ActionDraft {
    ActionDraft {
        owner: String::new(),
        change,
        due: None,
        verification: Verification::default(),
        done: done.unwrap_or_default(),
        evidence,
    }
}

fn block_lines<'a>(block: &Block<'a>) -> Vec<Line<'a>> {
    match block {
        Block::Item(item) => std::iter::once(item.line).chain(item.rest.iter().copied()).collect(),
        Block::Heading(line) => vec![*line],
        Block::Paragraph(lines) | Block::Apart(lines) => lines.clone(),
    }
}

fn is_done(status: &str) -> bool {
    let status = status.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let first: String = status.chars().take_while(|c| c.is_alphanumeric()).collect();
    [
        "done",
        "complete",
        "completed",
        "closed",
        "fixed",
        "yes",
        "x",
        "verified",
        "merged",
        "shipped",
        "finished",
        "deployed",
    ]
    .contains(&first.as_str())
        || status.starts_with("to verify")
}

fn is_open(status: &str) -> bool {
    let status = status.to_lowercase();
    ["open", "todo", "to do", "to-do", "new", "no", "not started", "pending", "planned", "not done", "backlog"]
        .contains(&status.trim())
}

/// "No immediate action items".
fn denies_items(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.len() < 60 && lower.starts_with("no ") && (lower.contains("action") || lower.contains("follow"))
}

/// Parts an item's text into the change and its fields: `Move retries (owner: Payments, due: Jul 14)`.
fn split_fields(text: &str) -> (&str, Vec<(&'static str, &str)>) {
    let mut starts: Vec<(usize, usize, &'static str)> = Vec::new();
    for (colon, _) in text.match_indices(':').take(200) {
        let before = &text[..colon];
        let plain = before.trim_end_matches(['*', '_']);
        for (field, names) in FIELDS {
            let found = names.iter().filter_map(|name| {
                let at = plain.len().checked_sub(name.len())?;
                let head = plain.get(at..)?;
                (head.eq_ignore_ascii_case(name)
                    && !plain[..at].ends_with(|c: char| c.is_alphanumeric() || "-_/".contains(c)))
                .then_some(at)
            });
            if let Some(at) = found.min() {
                // A word in the middle of a clause is no field: "the owner: it" would be.
                let lead = plain[..at].trim_end_matches(['*', '_', ' ']);
                if lead.is_empty() || lead.ends_with(|c: char| "(.;,|—–-[:/!?\n".contains(c)) {
                    starts.push((at, colon + 1, field));
                }
                break;
            }
        }
    }
    let Some((first, ..)) = starts.first() else { return (text, Vec::new()) };
    let signs = |c: char| c.is_whitespace() || "([|—–-;,*_".contains(c);
    let fields = starts.iter().enumerate().map(|(i, (_, from, field))| {
        let until = starts.get(i + 1).map_or(text.len(), |next| next.0);
        let value = text[*from..until].trim_matches(|c: char| signs(c));
        let value = if value.contains('(') { value } else { value.trim_end_matches([')', ']']) };
        (*field, value.trim_end_matches(['.', ' ']))
    });
    (text[..*first].trim_end_matches(signs), fields.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_may_carry_its_fields_in_its_text() {
        for (text, change, fields) in [
            ("Move retries", "Move retries", vec![]),
            (
                "Move retries (owner: Payments, due: Jul 14)",
                "Move retries",
                vec![("owner", "Payments"), ("due", "Jul 14")],
            ),
            (
                "Move retries. **Owner:** Payments. **Due:** Jul 14.",
                "Move retries.",
                vec![("owner", "Payments"), ("due", "Jul 14")],
            ),
            ("Move retries — Verification: load test", "Move retries", vec![("verification", "load test")]),
            ("Owner: Payments", "", vec![("owner", "Payments")]),
            ("Tell the owner: it broke", "Tell the owner: it broke", vec![]),
            ("Fix co-owner: x", "Fix co-owner: x", vec![]),
        ] {
            assert_eq!(split_fields(text), (change, fields), "{text}");
        }
    }
}
