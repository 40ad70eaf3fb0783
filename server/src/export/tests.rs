use domain::evidence::{EvidenceFile, MediaType};
use domain::wire::incidents::Dashboard;
use proptest::prelude::*;

use super::{Format, write};
use crate::import::postmortem::{Options, parse};

fn dashboard() -> Dashboard {
    serde_json::from_str(include_str!("../../../domain/tests/golden/dashboard.json")).expect("the golden dashboard")
}

#[test]
fn markdown_holds_every_part_with_its_marks() {
    let text = write(&dashboard(), Format::Md);
    for part in [
        "# Checkout recovered\n",
        "Severity: SEV-2\n",
        "Start: 2026-07-09T09:46:00Z\n",
        "Checkout recovered.[^1]\n",
        "| Failed attempts | 1,284 | confirmed: checkout events[^1] |",
        "| 2026-07-09T09:46:00Z | Provider latency crosses 4 seconds | Alert fires[^2] |",
        "## Root cause\n\nThe slowdown was the trigger.",
        "| Payments | Ada | Move `retries` to the queue | 2026-07-14 | Load test holds p95 below 2s[^1] | Blocked: waiting for the provider |",
        "(local, 2026-07-09T12:00:00.125Z): Queue is **live**",
        "[^1]: Untitled source (Events) <https://example.org/events>",
    ] {
        assert!(text.contains(part), "{part} is missing from:\n{text}");
    }
}

#[test]
fn a_pipe_or_a_line_break_in_a_cell_breaks_no_table() {
    let mut dashboard = dashboard();
    dashboard.timeline[0].event = "a | b\nc".into();
    assert!(write(&dashboard, Format::Md).contains("| a \\| b c |"));
}

#[test]
fn json_is_the_dashboard_itself_without_who_may_see_it_and_what_is_only_proposed() {
    let dashboard = dashboard();
    let back: Dashboard = serde_json::from_str(&write(&dashboard, Format::Json)).expect("JSON");
    assert!(dashboard.access.is_some() && !dashboard.claim_proposals.is_empty());
    assert_eq!(back, Dashboard { access: None, claim_proposals: Vec::new(), ..dashboard });
}

#[test]
fn csv_has_one_row_for_everything_in_the_order_of_the_page() {
    let text = write(&dashboard(), Format::Csv);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let sections: Vec<String> = reader.records().map(|record| record.expect("a row")[0].to_owned()).collect();
    assert_eq!(
        sections,
        [
            "incident",
            "key point",
            "impact",
            "timeline",
            "root cause",
            "action",
            "note",
            "follow-up",
            "evidence",
            "deploy",
            "file",
            "file",
            "file"
        ]
    );
}

#[test]
fn no_cell_is_a_formula_to_a_spreadsheet() {
    let mut dashboard = dashboard();
    for (i, attack) in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"].into_iter().enumerate() {
        dashboard.title = attack.into();
        dashboard.actions[0].owner = attack.into();
        let text = write(&dashboard, Format::Csv);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        for record in reader.records() {
            for cell in &record.expect("a row") {
                assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "attack {i}: {cell:?}");
            }
        }
    }
}

#[test]
fn deploys_and_files_are_named_with_their_hashes() {
    let mut dashboard = dashboard();
    dashboard.evidence[0].file = Some(Box::new(EvidenceFile {
        file_name: "p|95.png".into(),
        media: MediaType::Png,
        bytes: 9,
        width: Some(1),
        height: Some(1),
        description: None,
        stripped: false,
        sha256: "cd".repeat(32),
        added_at: dashboard.created_at,
    }));
    let text = write(&dashboard, Format::Md);
    for part in [
        "| 2026-07-09T09:44:30Z | checkout | 2026.07.09-1 | production |  | https://deploys.example/checkout/812 |"
            .to_owned(),
        format!("| p\\|95.png | evidence 1, PNG picture | {} |", "cd".repeat(32)),
        format!("| deploys.csv | imported deploys | {} |", "ab".repeat(32)),
    ] {
        assert!(text.contains(&part), "{part} is missing from:\n{text}");
    }
    let table = write(&dashboard, Format::Csv);
    for part in ["deploy,1,2026-07-09T09:44:30Z,,checkout,2026.07.09-1,production", "file,1,,,p|95.png,cdcd"] {
        assert!(table.contains(part), "{part} is missing from:\n{table}");
    }
}

proptest! {
    #[test]
    fn what_people_wrote_into_cells_is_read_back_as_it_was(
        event in "[a-z][a-z |\\\\`*_()\\[\\]<>&;!~'\"-]{0,30}[a-z]",
        decision in "[a-z][a-z |\\\\`*_()&;!~'\"\n-]{0,30}[a-z]",
    ) {
        let mut dashboard = dashboard();
        dashboard.timeline[0].event.clone_from(&event);
        dashboard.timeline[0].decision = Some(decision.clone());
        let parsed = parse(write(&dashboard, Format::Md).as_bytes(), &Options::default());
        let read = parsed.incidents.first().and_then(|incident| incident.timeline.first());
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert_eq!(
            read.map(|entry| (entry.event.clone(), entry.decision.clone())),
            Some((one_line(&event), Some(one_line(&decision))))
        );
    }
}
