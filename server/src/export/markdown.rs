//! An incident as Markdown that imports again.

use std::fmt::Write;

use domain::EvidenceNumber;
use domain::prose::Prose;
use domain::wire::incidents::Dashboard;

use super::instant;

/// Writes the document.
pub fn write(dashboard: &Dashboard) -> String {
    let mut out = Document(String::new());
    out.line(&format!("# {}", one_line(&dashboard.title)));
    out.labels(dashboard);
    out.paragraph(&marked(dashboard, "/summary", &dashboard.summary));
    let points: Vec<_> = dashboard
        .key_points
        .iter()
        .enumerate()
        .map(|(i, point)| format!("- {}", one_line(&marked(dashboard, &format!("/key_points/{i}"), point))))
        .collect();
    out.paragraph(&points.join("\n"));
    out.table(
        "Impact",
        &["Measure", "Result", "Confidence"],
        dashboard.impact.iter().map(|measure| {
            let confidence = match &measure.basis {
                Some(basis) => format!("{}: {basis}", measure.confidence),
                None => measure.confidence.to_string(),
            };
            vec![measure.label.clone(), measure.result.clone(), confidence + &marks(&measure.evidence)]
        }),
    );
    out.table(
        "Timeline",
        &["UTC", "Event", "Decision"],
        dashboard.timeline.iter().map(|entry| {
            let time = match (entry.occurred_at, entry.occurred_until) {
                (None, _) => "??:??".to_owned(),
                (from, None) => instant(from),
                (from, until) => format!("{}/{}", instant(from), instant(until)),
            };
            let decision = entry.decision.clone().unwrap_or_default();
            vec![time, entry.event.clone(), decision + &marks(&entry.evidence)]
        }),
    );
    out.section("Root cause", &marked(dashboard, "/root_cause", &dashboard.root_cause));
    out.table(
        "What changes",
        &["Owner", "Assignee", "Change", "Due", "Verification", "Status"],
        dashboard.actions.iter().map(|action| {
            let status = match &action.reason {
                Some(reason) => format!("{}: {reason}", action.status.label()),
                None => action.status.label().to_owned(),
            };
            vec![
                action.owner.clone(),
                action.assignee.clone().unwrap_or_default(),
                action.change.clone(),
                action.due.map(|due| due.to_string()).unwrap_or_default(),
                action.verification.criterion.clone() + &marks(&action.evidence),
                status,
            ]
        }),
    );
    out.notes(dashboard);
    out.section("Customer follow-up", &marked(dashboard, "/follow_up", &dashboard.follow_up));
    let sources: Vec<_> = dashboard
        .evidence
        .iter()
        .map(|evidence| {
            let title = evidence.title.as_deref().unwrap_or("Untitled source");
            let link = evidence.link.as_deref().map(|link| format!(" <{link}>")).unwrap_or_default();
            format!("[^{}]: {} ({}){link}", evidence.number, one_line(title), evidence.kind.label())
        })
        .collect();
    out.section("Evidence", &sources.join("\n"));
    out.deploys(dashboard);
    out.files(dashboard);
    out.0
}

struct Document(String);

impl Document {
    fn line(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    fn paragraph(&mut self, text: &str) {
        if !text.is_empty() {
            self.line(&format!("\n{text}"));
        }
    }

    fn section(&mut self, heading: &str, text: &str) {
        if !text.is_empty() {
            self.line(&format!("\n## {heading}\n\n{text}"));
        }
    }

    fn labels(&mut self, dashboard: &Dashboard) {
        let labels = [
            ("Severity", dashboard.severity.map(|severity| severity.label().to_owned()).unwrap_or_default()),
            ("Status", dashboard.status.label().to_owned()),
            ("Start", instant(dashboard.started_at)),
            ("End", instant(dashboard.ended_at)),
            ("Services", dashboard.services.join(", ")),
            ("Tags", dashboard.tags.join(", ")),
        ];
        self.line("");
        for (label, value) in labels.into_iter().filter(|(_, value)| !value.is_empty()) {
            self.line(&format!("{label}: {value}"));
        }
    }

    fn table(&mut self, heading: &str, columns: &[&str], rows: impl Iterator<Item = Vec<String>>) {
        let mut text = format!("| {} |\n|{}", columns.join(" | "), "---|".repeat(columns.len()));
        let mut any = false;
        for row in rows {
            let cells: Vec<_> = row.iter().map(|cell| cell_text(cell)).collect();
            any |= write!(text, "\n| {} |", cells.join(" | ")).is_ok();
        }
        if any {
            self.section(heading, &text);
        }
    }

    fn deploys(&mut self, dashboard: &Dashboard) {
        let rows = dashboard.deploys.iter().map(|deploy| {
            let or = |text: &Option<String>| text.clone().unwrap_or_default();
            vec![
                instant(Some(deploy.at)),
                deploy.service.clone(),
                deploy.version.clone(),
                or(&deploy.environment),
                or(&deploy.by),
                or(&deploy.link),
            ]
        });
        self.table("Deploys", &["UTC", "Service", "Version", "Environment", "By", "Link"], rows);
    }

    /// The files that evidence is, and those that telemetry was imported from, each with the hash that proves it.
    fn files(&mut self, dashboard: &Dashboard) {
        let evidence = dashboard.evidence.iter().filter_map(|evidence| {
            let file = evidence.file.as_ref()?;
            let what = format!("evidence {}, {}", evidence.number, file.media.label());
            Some(vec![file.file_name.clone(), what, file.sha256.clone()])
        });
        let imported = dashboard
            .imports
            .iter()
            .map(|file| vec![file.file_name.clone(), format!("imported {}", file.kind.as_str()), file.sha256.clone()]);
        self.table("Files", &["File", "What it is", "SHA-256"], evidence.chain(imported));
    }

    fn notes(&mut self, dashboard: &Dashboard) {
        let notes: Vec<_> = dashboard
            .actions
            .iter()
            .flat_map(|action| action.notes.iter().flatten().map(move |note| (action, note)))
            .map(|(action, note)| {
                let when = instant(Some(note.recorded_at));
                format!("- {} ({}, {when}): {}", one_line(&action.change), note.author, one_line(&note.text))
            })
            .collect();
        self.section("Progress notes", &notes.join("\n"));
    }
}

/// The text of a field with its evidence marks.
fn marked(dashboard: &Dashboard, field: &str, plain: &str) -> String {
    let places: Vec<_> = dashboard
        .citations
        .iter()
        .filter(|citation| citation.field == field)
        .map(|citation| (usize::try_from(citation.offset).unwrap_or(usize::MAX), citation.evidence.as_slice()))
        .collect();
    Prose::mark(plain, &places).marked().to_owned()
}

fn marks(evidence: &[EvidenceNumber]) -> String {
    Prose::mark("", &[(0, evidence)]).marked().to_owned()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cell_text(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}
