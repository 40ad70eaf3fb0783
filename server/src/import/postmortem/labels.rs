//! Label lines: `Severity: SEV-2`, plain, bold, as list items, in a table of two columns, or above it all.

use domain::draft::Level;

use super::lines::{Form, Line};
use super::list::bullet;
use super::report::Report;
use super::section::{Kind, Section};
use super::table;

/// A label with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Label {
    key: &'static str,
    value: String,
    line: u32,
    raw: String,
}

/// The labels of a document.
#[derive(Debug, Default)]
pub struct Labels(Vec<Label>);

/// Each key with the names that it goes by.
const NAMES: &[(&str, &[&str])] = &[
    ("title", &["title", "incident title", "incident name"]),
    ("date", &["date", "incident date", "date of incident", "day", "incident day"]),
    ("zone", &["time zone", "timezone", "zone", "tz"]),
    (
        "start",
        &[
            "start",
            "started",
            "started at",
            "start time",
            "impact start",
            "impact started",
            "incident start",
            "begin",
            "starttime",
        ],
    ),
    (
        "end",
        &[
            "end",
            "ended",
            "ended at",
            "end time",
            "impact end",
            "impact ended",
            "incident end",
            "resolved at",
            "endtime",
        ],
    ),
    (
        "window",
        &[
            "window",
            "incident window",
            "start/end",
            "start / end",
            "start–end",
            "start - end",
            "time of incident",
            "when",
        ],
    ),
    ("severity", &["severity", "sev", "severity level", "priority", "incident severity", "criticality"]),
    ("status", &["status", "state", "incident status"]),
    (
        "services",
        &[
            "service",
            "services",
            "affected services",
            "services affected",
            "impacted services",
            "component",
            "components",
            "affected systems",
            "systems",
        ],
    ),
    ("tags", &["tags", "tag", "labels", "keywords", "categories"]),
];

fn key(name: &str) -> Option<&'static str> {
    let name = name.trim().trim_matches(['*', '_', '`', ':', ' ']).to_lowercase();
    NAMES.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(key, _)| *key)
}

impl Labels {
    /// Takes the labels out of the sections and the lines above them all.
    pub fn take<'a>(front: &[Line<'a>], sections: &mut [Section<'a>], report: &mut Report) -> Self {
        let mut labels = Self::default();
        for section in sections.iter_mut().filter(|section| takes_labels(section.kind)) {
            let mut kept = Vec::with_capacity(section.lines.len());
            let mut table_is_labels = false;
            for (at, line) in section.lines.iter().enumerate() {
                let after = section.lines.get(at + 1);
                table_is_labels &= line.text.contains('|');
                if labels.take_row(line, after, &mut table_is_labels, section.kind)
                    || labels.take_line(line, section.kind)
                {
                    report.read(line);
                } else {
                    kept.push(*line);
                }
            }
            section.lines = kept;
        }
        labels.take_front_matter(front, report);
        labels
    }

    /// The value of a key; a placeholder is none.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|label| label.key == key).map(|label| label.value.as_str())
    }

    /// Names the line of a key's label, for what was not understood of it.
    pub fn name(&self, key: &str, level: Level, message: String, report: &mut Report) {
        if let Some(label) = self.0.iter().find(|label| label.key == key) {
            report.add(level, Some(label.line), message, Some(&label.raw));
        }
    }

    /// The values of a list.
    pub fn list(&self, key: &str) -> Vec<String> {
        let mut values: Vec<String> = Vec::new();
        for label in self.0.iter().filter(|label| label.key == key) {
            for value in label.value.trim_matches(['[', ']']).split([',', ';']).map(clean) {
                if !value.is_empty() && !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        values
    }

    fn add(&mut self, key: &'static str, value: &str, line: &Line<'_>) -> bool {
        let value = clean(value);
        let is_list = ["services", "tags"].contains(&key);
        let taken = !is_list && self.get(key).is_some_and(|known| known != value);
        if table::is_placeholder(&value) || taken {
            return false;
        }
        self.0.push(Label { key, value, line: line.number, raw: line.raw.to_owned() });
        true
    }

    fn take_line(&mut self, line: &Line<'_>, kind: Kind) -> bool {
        if line.form != Form::Text {
            return false;
        }
        let text = bullet(line.text).map_or(line.text, |bullet| bullet.text);
        let Some((name, value)) = text.split_once(':').filter(|(name, _)| name.len() <= 40) else { return false };
        let value = value.trim_start_matches(['*', '_', ' ']);
        let Some(key) =
            key(name).filter(|key| kind != Kind::Impact || ["severity", "status", "services"].contains(key))
        else {
            return false;
        };
        self.add(key, value, line)
    }

    /// A row of a table whose first column names labels.
    fn take_row(&mut self, line: &Line<'_>, after: Option<&Line<'_>>, inside: &mut bool, kind: Kind) -> bool {
        if line.form != Form::Text || !line.text.contains('|') || !matches!(kind, Kind::Top | Kind::Summary) {
            return false;
        }
        let cells = table::cells(line);
        if *inside && table::is_rule(&cells) {
            return true;
        }
        let [name, value] = cells.as_slice() else { return false };
        // The header of such a table is structure where the row after its rule is a label.
        if let Some(key) = key(name)
            && self.add(key, value, line)
        {
            *inside = true;
            return true;
        }
        let is_header = !*inside && after.is_some_and(|after| table::is_rule(&table::cells(after)));
        let generic = ["field", "key", "property", "name", "item", "attribute", ""];
        if is_header && generic.contains(&name.to_lowercase().as_str()) {
            *inside = true;
            return true;
        }
        false
    }

    fn take_front_matter(&mut self, front: &[Line<'_>], report: &mut Report) {
        let mut list: Option<&'static str> = None;
        for line in front {
            if let Some(value) = list.filter(|_| line.text.starts_with("- ")) {
                if self.add(value, &line.text[2..], line) {
                    report.read(line);
                }
                continue;
            }
            list = None;
            let Some((name, value)) = line.text.split_once([':', '=']) else { continue };
            let Some(key) = key(name).filter(|_| line.indent == 0) else { continue };
            // A page's own date and status are not the incident's; its date is a last resort, and stays named.
            let key = if key == "date" { "page date" } else { key };
            if value.trim().is_empty() {
                list = Some(key);
                report.read(line);
            } else if key != "status" && self.add(key, value, line) && key != "page date" {
                report.read(line);
            }
        }
    }
}

fn takes_labels(kind: Kind) -> bool {
    matches!(kind, Kind::Top | Kind::Summary | Kind::Other | Kind::Impact)
}

fn clean(value: &str) -> String {
    let value = value.trim().trim_matches(['"', '\'']).trim();
    let value = value.strip_prefix("**").unwrap_or(value);
    value.strip_suffix("**").unwrap_or(value).trim_matches(['`', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::lines::number;
    use super::super::section::cut;
    use super::*;

    #[test]
    fn labels_are_read_in_each_of_their_forms() {
        for text in [
            "Severity: SEV-2",
            "**Severity:** SEV-2",
            "**Severity**: SEV-2",
            "- Severity: SEV-2",
            "* **Severity:** SEV-2",
            "| Field | Value |\n|---|---|\n| Severity | SEV-2 |",
            "| Severity | SEV-2 |\n|---|---|\n| Status | Resolved |",
            "---\nseverity: SEV-2\n---\n# T",
        ] {
            let lines = number(text, text);
            let mut report = Report::default();
            let front: Vec<_> = lines.iter().copied().filter(|line| line.form == Form::FrontMatter).collect();
            let rest: Vec<_> = lines.iter().copied().filter(|line| line.form != Form::FrontMatter).collect();
            let mut cut = cut(&rest, &mut report);
            let labels = Labels::take(&front, &mut cut.sections, &mut report);
            assert_eq!(labels.get("severity"), Some("SEV-2"), "{text}");
            assert!(cut.sections[0].lines.is_empty(), "{text}");
        }
    }
}
