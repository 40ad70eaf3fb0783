//! Tables: Markdown's with pipes, and pasted ones with tabs.

use std::collections::HashMap;

use domain::EvidenceNumber;
use domain::draft::Level;
use domain::prose::{Piece, Prose};

use super::Report;
use super::lines::Line;
use super::section::Section;

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

    /// Whether nothing but placeholders stands in it.
    pub fn is_placeholder(&self) -> bool {
        self.cells.values().all(|cell| is_placeholder(cell))
    }
}

/// A role with the words that a header may have for it.
pub type Role = (&'static str, &'static [&'static str]);

/// A section's table.
pub struct Table<'a> {
    /// Its rows.
    pub rows: Vec<Row<'a>>,
    /// Its header cells.
    pub header: Vec<String>,
}

/// Reads the tables of a section; the lines outside them are answered beside.
pub fn read<'a>(section: &Section<'a>, roles: &[Role], report: &mut Report) -> (Option<Table<'a>>, Vec<Line<'a>>) {
    let (mut table, mut outside): (Option<Table<'a>>, Vec<Line<'a>>) = (None, Vec::new());
    let mut columns: Vec<Option<&'static str>> = Vec::new();
    for line in &section.lines {
        if !line.text.contains('|') && !line.text.contains('\t') {
            outside.push(*line);
            continue;
        }
        let cells = cells(line.text);
        if cells.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| "-: ".contains(c))) {
            continue;
        }
        let Some(table) = &mut table else {
            columns = match_columns(&cells, roles);
            if columns.iter().all(Option::is_none) {
                outside.push(*line);
                continue;
            }
            for (cell, _) in cells.iter().zip(&columns).filter(|(cell, role)| role.is_none() && !cell.is_empty()) {
                report.add(
                    Level::Warning,
                    Some(line.number),
                    format!(
                        "the column ‘{cell}’ is none of a {}’s; its cells stay in the document",
                        section.heading.to_lowercase()
                    ),
                    Some(line.text),
                );
            }
            table = Some(Table { rows: Vec::new(), header: cells });
            continue;
        };
        table.rows.push(row(*line, &cells, &columns, report));
    }
    (table, outside)
}

fn row<'a>(line: Line<'a>, cells: &[String], columns: &[Option<&'static str>], report: &mut Report) -> Row<'a> {
    let (mut by_role, mut evidence) = (HashMap::new(), Vec::new());
    if cells.len() > columns.len() || (cells.len() < columns.len() && cells.iter().any(|cell| !cell.is_empty())) {
        report.add(
            Level::Warning,
            Some(line.number),
            format!("this row has {} cells and the table has {} columns", cells.len(), columns.len()),
            Some(line.text),
        );
    }
    for (cell, role) in cells.iter().zip(columns) {
        let (text, cited) = unmarked(cell);
        evidence.extend(cited);
        if let Some(role) = role {
            by_role.entry(*role).or_insert(text);
        }
    }
    evidence.dedup();
    Row { line, cells: by_role, evidence }
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

fn match_columns(header: &[String], roles: &[Role]) -> Vec<Option<&'static str>> {
    let mut taken: Vec<&'static str> = Vec::new();
    header
        .iter()
        .map(|cell| {
            let name = cell.to_lowercase();
            let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
            let role = roles
                .iter()
                .find(|(role, names)| !taken.contains(role) && names.contains(&name.trim()))
                .or_else(|| {
                    roles
                        .iter()
                        .find(|(role, names)| !taken.contains(role) && words.iter().any(|word| names.contains(word)))
                })
                .map(|(role, _)| *role);
            taken.extend(role);
            role
        })
        .collect()
}

fn cells(text: &str) -> Vec<String> {
    if !text.contains('|') {
        return text.split('\t').map(|cell| cell.trim().to_owned()).collect();
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
        escaped = c == '\\' && !escaped;
    }
    cells.push(cell);
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Whether a text says nothing: empty, a dash, or a word of a template.
pub fn is_placeholder(text: &str) -> bool {
    let text = text.trim().trim_matches(['*', '_', '`']).to_lowercase();
    text.is_empty()
        || text.chars().all(|c| "-–—.…?:".contains(c))
        || ["tbd", "n/a", "na", "none", "none.", "todo", "hh:mm", "yyyy-mm-dd", "xx:xx"].contains(&text.as_str())
        || (text.starts_with('<') && text.ends_with('>'))
        || (text.starts_with('[') && text.ends_with(']'))
        || text.contains("hh:mm")
        || text.contains("xx-mm-dd")
}
