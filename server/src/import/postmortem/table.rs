//! Tables: Markdown's with pipes, and pasted ones with tabs.

use std::collections::HashMap;

use domain::EvidenceNumber;
use domain::draft::Level;
use domain::prose::{Piece, Prose};

use super::lines::{Form, Line};
use super::list::bullet;
use super::report::Report;

/// A row: its cells by the column's role.
pub struct Row<'a> {
    /// The line it stands on.
    pub line: Line<'a>,
    cells: HashMap<&'static str, String>,
    /// The evidence cited anywhere in it, in order.
    pub evidence: Vec<EvidenceNumber>,
}

impl Row<'_> {
    /// The cell of a role, without evidence marks; empty where there is none.
    pub fn cell(&self, role: &str) -> &str {
        self.cells.get(role).map_or("", String::as_str)
    }

    /// The cell of a role, empty where a placeholder stands in it.
    pub fn said(&self, role: &str) -> &str {
        Some(self.cell(role)).filter(|cell| !is_placeholder(cell)).unwrap_or_default()
    }
}

/// A role with the words that a header may have for it. The role `evidence` is read as numbers.
pub type Role = (&'static str, &'static [&'static str]);

/// A table.
pub struct Table<'a> {
    /// Its rows.
    pub rows: Vec<Row<'a>>,
    /// Its header as one text.
    pub header: String,
}

/// A piece of a section.
pub enum Part<'a> {
    /// A table whose columns are known.
    Table(Table<'a>),
    /// Lines that are no such table.
    Lines(Vec<Line<'a>>),
}

/// The most columns that a table may have; a wider one is no table that anybody wrote.
const WIDEST: usize = 100;

/// The columns of a table: a role each, where one is known, and the names in the header.
struct Columns {
    roles: Vec<Option<&'static str>>,
    header: Vec<String>,
}

/// Parts the tables from the other lines, in the document's order.
pub fn parts<'a>(lines: &[Line<'a>], roles: &[Role], report: &mut Report) -> Vec<Part<'a>> {
    let mut parts: Vec<Part<'a>> = Vec::new();
    let mut columns: Option<Columns> = None;
    let mut at = 0;
    while at < lines.len() {
        let length = lines[at..].iter().zip(0..).take_while(|(line, i)| is_row(line, *i)).count();
        let run = &lines[at..at + length.max(1)];
        at += run.len();
        if length > 0
            && let Some(table) = read(run, roles, &mut columns, report)
        {
            parts.push(Part::Table(table));
            continue;
        }
        match parts.last_mut() {
            Some(Part::Lines(before)) => before.extend_from_slice(run),
            _ => parts.push(Part::Lines(run.to_vec())),
        }
    }
    parts
}

fn is_row(line: &Line<'_>, at: usize) -> bool {
    if line.form != Form::Text {
        return false;
    }
    let has_pipe = line.text.starts_with('|') || (line.text.contains('|') && bullet(line.text).is_none());
    let has_tab = line.text.contains('\t') || (at > 0 && line.full.starts_with('\t') && bullet(line.text).is_none());
    has_pipe || (has_tab && bullet(line.text).is_none())
}

/// Reads a run of rows. Without a header of its own it goes on with the table before, where it is as wide.
fn read<'a>(
    lines: &[Line<'a>],
    roles: &[Role],
    columns: &mut Option<Columns>,
    report: &mut Report,
) -> Option<Table<'a>> {
    let (first, rest) = lines.split_first()?;
    let header = cells(first);
    if header.len() > WIDEST {
        return None;
    }
    let has_rule = rest.first().is_some_and(|line| is_rule(&cells(line)));
    let found = match_columns(&header, roles);
    let known = found.iter().flatten().count();
    let is_header = if has_rule { known > 0 } else { known > 1 && 2 * known > header.len() };
    let rows = if is_header {
        if header.iter().all(|cell| is_name(cell, roles)) {
            report.read(first);
        } else {
            report.name(Level::Note, first, "read as the names of the columns");
        }
        *columns = Some(Columns { roles: found, header });
        rest
    } else {
        columns.as_ref().filter(|columns| columns.header.len() == header.len() && !has_rule)?;
        lines
    };
    let columns = columns.as_ref()?;
    let mut table = Table { rows: Vec::new(), header: columns.header.join(" ") };
    for (line, next) in rows.iter().zip(rows.iter().skip(1).map(Some).chain([None])) {
        let cells = cells(line);
        if is_rule(&cells) {
            report.read(line);
            continue;
        }
        // The same header before another rule begins another table of the same columns.
        let is_again = next.is_some_and(|next| is_rule(&self::cells(next))) && cells == columns.header;
        if is_again {
            report.read(line);
            continue;
        }
        table.rows.push(row(*line, &cells, &columns.roles, &columns.header, report));
    }
    Some(table)
}

fn row<'a>(
    line: Line<'a>,
    cells: &[String],
    columns: &[Option<&'static str>],
    header: &[String],
    report: &mut Report,
) -> Row<'a> {
    let (mut by_role, mut evidence, mut homeless) = (HashMap::new(), Vec::new(), Vec::new());
    let is_tabbed = !line.text.contains('|');
    if cells.len() > columns.len() || (cells.len() < columns.len() && !is_tabbed && line.says_something()) {
        let message = format!("this row has {} cells and the table has {} columns", cells.len(), columns.len());
        report.name(Level::Warning, &line, message);
    }
    for (at, cell) in cells.iter().enumerate() {
        let (text, cited) = unmarked(cell);
        evidence.extend(cited);
        match columns.get(at).copied().flatten() {
            Some("evidence") if numbers(&text).is_some() => evidence.extend(numbers(&text).into_iter().flatten()),
            Some(role) if role != "evidence" => {
                by_role.insert(role, text);
            }
            _ if is_placeholder(&text) => {}
            _ => homeless.push(format!("‘{}’ ({text})", header.get(at).map_or("", String::as_str))),
        }
    }
    if !homeless.is_empty() {
        let message = format!("no field takes the column {}; it stays in the document only", homeless.join(", "));
        report.name(Level::Note, &line, message);
    }
    evidence.dedup();
    Row { line, cells: by_role, evidence }
}

/// The numbers of an evidence cell: `4`, `1, 2`, `[3]`.
fn numbers(text: &str) -> Option<Vec<EvidenceNumber>> {
    let parts: Vec<&str> = text.split([',', ';', ' ', '[', ']', '^', '#']).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        return None;
    }
    parts.iter().map(|part| part.parse().ok().filter(|number| (1..=9999).contains(number))).collect()
}

/// A text without its evidence marks, and the numbers cited.
pub fn unmarked(text: &str) -> (String, Vec<EvidenceNumber>) {
    let prose = Prose::new(text);
    let cited = prose
        .pieces()
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Mark(number) => Some(number),
            Piece::Text(_) => None,
        })
        .collect();
    (prose.plain().trim().to_owned(), cited)
}

/// Whether a header's cell has no words but those that name columns and zones.
fn is_name(cell: &str, roles: &[Role]) -> bool {
    let lower = cell.to_lowercase();
    let name = lower.trim_matches(['*', '_', '`', ' ']);
    let knows = |word: &str| {
        roles.iter().any(|(_, names)| names.contains(&word))
            || ["", "in", "of", "and", "the", "all", "item", "date", "time"].contains(&word)
            || super::zone::named(&word.to_uppercase()).is_some()
    };
    knows(name) || name.split(|c: char| !c.is_alphanumeric()).all(knows)
}

fn match_columns(header: &[String], roles: &[Role]) -> Vec<Option<&'static str>> {
    let names: Vec<String> = header.iter().map(|cell| cell.trim_matches(['*', '_', '`', ' ']).to_lowercase()).collect();
    let mut columns: Vec<Option<&'static str>> = vec![None; names.len()];
    let find = |columns: &[Option<&'static str>], fits: &dyn Fn(&[&str]) -> bool| {
        roles.iter().find(|(role, names)| !columns.contains(&Some(*role)) && fits(names)).map(|(role, _)| *role)
    };
    // A whole name decides before a word in another column's name does.
    for (at, name) in names.iter().enumerate() {
        columns[at] = find(&columns, &|names| names.contains(&name.as_str()));
    }
    for (at, name) in names.iter().enumerate().filter(|(_, name)| name.len() < 40) {
        if columns[at].is_none() {
            let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
            columns[at] = find(&columns, &|names| words.iter().any(|word| names.contains(word)));
        }
    }
    columns
}

/// The cells of a line.
pub fn cells(line: &Line<'_>) -> Vec<String> {
    let text = line.text;
    if !text.contains('|') {
        return line.full.trim_end_matches([' ', '\r']).split('\t').map(|cell| cell.trim().to_owned()).collect();
    }
    let inner = text.strip_prefix('|').unwrap_or(text);
    let inner = if inner.ends_with("\\|") { inner } else { inner.strip_suffix('|').unwrap_or(inner) };
    let (mut cells, mut cell, mut escaped) = (Vec::new(), String::new(), false);
    for c in inner.chars() {
        match c {
            '|' if !escaped => cells.push(std::mem::take(&mut cell)),
            '|' => {
                cell.pop();
                cell.push('|');
            }
            _ => cell.push(c),
        }
        // As GitHub reads it: whatever stands before the backslash.
        escaped = c == '\\';
    }
    cells.push(cell);
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Whether cells are the rule under a header.
pub fn is_rule(cells: &[String]) -> bool {
    !cells.is_empty()
        && cells.iter().all(|cell| cell.contains('-') && cell.chars().all(|c| "-: ".contains(c)))
        && cells.iter().any(|cell| cell.contains("--") || cells.len() > 1)
}

/// Whether a text says nothing: empty, a dash, or a word of a template.
pub fn is_placeholder(text: &str) -> bool {
    let text = text.trim().trim_matches(['*', '_', '`']);
    if text.len() > 200 {
        return false;
    }
    let text = text.to_lowercase();
    let bare = text.trim_end_matches(['.', '!']);
    let is_bracketed = |open: char, close: char| {
        text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)).is_some_and(|inner| {
            let inner = inner.trim_matches([open, close]);
            !inner.contains([open, close]) && !inner.contains("://") && !inner.starts_with(['@', '#', '^'])
        })
    };
    !text.chars().any(char::is_alphanumeric)
        || ["tbd", "tba", "tbc", "n/a", "na", "none", "nil", "todo", "yyyy-mm-dd", "xx:xx", "fixme", "unassigned"]
            .contains(&bare)
        || is_bracketed('<', '>')
        || is_bracketed('[', ']')
        || is_bracketed('{', '}')
        || text.contains("hh:mm")
        || text.contains("xx-mm-dd")
        || text.contains("yyyy-mm")
}

#[cfg(test)]
mod tests {
    use super::super::lines::number;
    use super::*;

    const ROLES: &[Role] = &[("time", &["time", "utc"]), ("event", &["event"]), ("evidence", &["source"])];

    fn rows(text: &str) -> Vec<(String, String, Vec<u32>)> {
        let lines = number(text, text);
        parts(&lines, ROLES, &mut Report::default())
            .into_iter()
            .filter_map(|part| match part {
                Part::Table(table) => Some(table.rows),
                Part::Lines(_) => None,
            })
            .flatten()
            .map(|row| (row.cell("time").to_owned(), row.cell("event").to_owned(), row.evidence.clone()))
            .collect()
    }

    #[test]
    fn a_table_is_read_in_each_of_its_forms() {
        for text in [
            "| Time | Event | Source |\n|---|---|---|\n| 1:00 | a | 2 |",
            "Time | Event | Source\n--- | :---: | ---\n1:00 | a | [^2]",
            "Time\tEvent\tSource\n1:00\ta\t2",
            "| Source | **Event** | Time (UTC) |\n|:--|--:|---|\n| [2] | a | 1:00 |",
            "| Time | Event |\n|---|---|\n| 1:00 | a[^2] |",
        ] {
            assert_eq!(rows(text), [("1:00".to_owned(), "a".to_owned(), vec![2])], "{text}");
        }
        assert_eq!(rows("| Time | Event |\n|---|---|\n| 1:00 | a \\| b |")[0].1, "a | b");
        assert_eq!(rows("| Time | Event |\n|---|---|\n| 1:00 | a \\\\| b\\ |")[0].1, "a \\| b\\");
    }

    #[test]
    fn a_placeholder_says_nothing() {
        for (text, says_nothing) in [
            ("", true),
            ("-", true),
            ("TBD", true),
            ("N/A", true),
            ("None.", true),
            ("<owner>", true),
            ("[your text]", true),
            ("20xx-MM-DD HH:mm", true),
            ("HH:mm", true),
            ("{{ name }}", true),
            ("??:??", true),
            ("0", false),
            ("Nonesuch", false),
            ("[a](https://b.example)", false),
            ("<https://b.example>", false),
            ("[#12]", false),
        ] {
            assert_eq!(is_placeholder(text), says_nothing, "{text}");
        }
    }
}
