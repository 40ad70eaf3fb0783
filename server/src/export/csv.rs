//! An incident as one table of rows, safe to open in a spreadsheet.

use domain::EvidenceNumber;
use domain::wire::incidents::Dashboard;

use super::instant;

const COLUMNS: [&str; 12] = [
    "section",
    "number",
    "time_utc",
    "until_utc",
    "text",
    "detail",
    "state",
    "basis",
    "owner",
    "assignee",
    "due",
    "evidence",
];

/// A row in the making; a cell that is not set is empty.
#[derive(Default)]
struct Row<'a> {
    section: &'a str,
    number: usize,
    time: String,
    until: String,
    text: &'a str,
    detail: &'a str,
    state: &'a str,
    basis: &'a str,
    owner: &'a str,
    assignee: &'a str,
    due: String,
    evidence: &'a [EvidenceNumber],
}

/// Writes the table.
pub fn write(dashboard: &Dashboard) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let mut records = vec![COLUMNS.map(str::to_owned)];
    records.extend(rows(dashboard).into_iter().map(Row::cells));
    for record in records {
        if let Err(error) = writer.write_record(&record) {
            tracing::error!(%error, "a row could not be written to memory");
        }
    }
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

fn rows(dashboard: &Dashboard) -> Vec<Row<'_>> {
    let mut rows = vec![Row {
        section: "incident",
        number: 1,
        time: instant(dashboard.started_at),
        until: instant(dashboard.ended_at),
        text: &dashboard.title,
        detail: &dashboard.summary,
        state: dashboard.status.label(),
        basis: dashboard.severity.map_or("", domain::incident::Severity::label),
        ..Row::default()
    }];
    let numbered = |section, texts: Vec<_>| {
        texts.into_iter().enumerate().map(move |(i, text)| Row { section, number: i + 1, text, ..Row::default() })
    };
    rows.extend(numbered("key point", dashboard.key_points.iter().map(String::as_str).collect()));
    rows.extend(dashboard.impact.iter().enumerate().map(|(i, measure)| Row {
        section: "impact",
        number: i + 1,
        text: &measure.label,
        detail: &measure.result,
        state: measure.confidence.label(),
        basis: measure.basis.as_deref().unwrap_or_default(),
        evidence: &measure.evidence,
        ..Row::default()
    }));
    rows.extend(dashboard.timeline.iter().enumerate().map(|(i, entry)| Row {
        section: "timeline",
        number: i + 1,
        time: instant(entry.occurred_at),
        until: instant(entry.occurred_until),
        text: &entry.event,
        detail: entry.decision.as_deref().unwrap_or_default(),
        state: entry.milestone.map_or("", domain::timeline::Milestone::label),
        evidence: &entry.evidence,
        ..Row::default()
    }));
    rows.extend(numbered("root cause", filled(&dashboard.root_cause)));
    for (i, action) in dashboard.actions.iter().enumerate() {
        rows.push(Row {
            section: "action",
            number: i + 1,
            text: &action.change,
            detail: &action.verification.criterion,
            state: action.status.label(),
            basis: action.reason.as_deref().unwrap_or_default(),
            owner: &action.owner,
            assignee: action.assignee.as_deref().unwrap_or_default(),
            due: action.due.map(|due| due.to_string()).unwrap_or_default(),
            evidence: &action.evidence,
            ..Row::default()
        });
        rows.extend(action.notes.iter().flatten().map(|note| Row {
            section: "note",
            number: i + 1,
            time: instant(Some(note.recorded_at)),
            text: &note.text,
            owner: &note.author,
            ..Row::default()
        }));
    }
    rows.extend(numbered("follow-up", filled(&dashboard.follow_up)));
    rows.extend(dashboard.evidence.iter().map(|evidence| Row {
        section: "evidence",
        number: usize::try_from(evidence.number).unwrap_or_default(),
        text: evidence.title.as_deref().unwrap_or_default(),
        detail: evidence.link.as_deref().unwrap_or_default(),
        state: evidence.kind.label(),
        time: instant(evidence.captured_at),
        ..Row::default()
    }));
    for (i, deploy) in dashboard.deploys.iter().enumerate() {
        rows.push(Row {
            section: "deploy",
            number: i + 1,
            time: instant(Some(deploy.at)),
            text: &deploy.service,
            detail: &deploy.version,
            state: deploy.environment.as_deref().unwrap_or_default(),
            basis: deploy.link.as_deref().unwrap_or_default(),
            owner: deploy.by.as_deref().unwrap_or_default(),
            ..Row::default()
        });
    }
    let kept = dashboard.evidence.iter().filter_map(|evidence| {
        let file = evidence.file.as_ref()?;
        Some((Some(evidence.number), file.file_name.as_str(), file.media.label(), file.sha256.as_str()))
    });
    let imported = dashboard.imports.iter();
    let imported = imported.map(|file| (None, file.file_name.as_str(), file.kind.label(), file.sha256.as_str()));
    for (i, (number, name, what, sha256)) in kept.chain(imported).enumerate() {
        rows.push(Row {
            section: "file",
            number: number.and_then(|number| usize::try_from(number).ok()).unwrap_or(i + 1),
            text: name,
            detail: sha256,
            state: what,
            ..Row::default()
        });
    }
    rows
}

fn filled(text: &str) -> Vec<&str> {
    if text.is_empty() { Vec::new() } else { vec![text] }
}

impl Row<'_> {
    fn cells(self) -> [String; 12] {
        let evidence: Vec<_> = self.evidence.iter().map(ToString::to_string).collect();
        [
            self.section.to_owned(),
            self.number.to_string(),
            self.time,
            self.until,
            inert(self.text),
            inert(self.detail),
            inert(self.state),
            inert(self.basis),
            inert(self.owner),
            inert(self.assignee),
            self.due,
            evidence.join(" "),
        ]
    }
}

/// A cell that no spreadsheet takes for a formula.
pub(super) fn inert(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) { format!("'{text}") } else { text.to_owned() }
}
