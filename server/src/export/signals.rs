//! What a chart shows as one table of rows in order of time, safe to open in a spreadsheet.

use chrono::{DateTime, SecondsFormat, Utc};
use domain::incident::Window;
use domain::wire::incidents::Dashboard;
use domain::wire::signals::Signals;

use super::csv::inert;

const COLUMNS: [&str; 8] = ["time_utc", "kind", "name", "value", "unit", "numerator", "denominator", "detail"];

/// A row with the instant that it is put in order by.
type Row = (DateTime<Utc>, [String; 8]);

/// What is left out of the table.
pub struct Shown {
    /// What lies outside is left out; none leaves nothing out.
    pub view: Option<Window>,
    /// The keys of what the reader switched off: ids of signals, `flag:` with a flag's name, `deploys`.
    pub hidden: Vec<String>,
}

/// Writes the table: each bin with its ratio, each point, each change of a flag, each deploy, each entry of the timeline.
pub fn write(dashboard: &Dashboard, series: &Signals, shown: &Shown) -> Vec<u8> {
    let is_shown = |key: &str| !shown.hidden.iter().any(|hidden| hidden == key);
    let is_inside = |at: DateTime<Utc>| shown.view.is_none_or(|view| view.from <= at && at < view.until);
    let mut rows: Vec<Row> = Vec::new();
    for signal in series.items.iter().filter(|signal| is_shown(signal.id.as_str())) {
        rows.extend(signal.bins.iter().filter(|bin| is_inside(bin.at)).map(|bin| {
            let share = bin.ratio().share().map(|share| share.to_string()).unwrap_or_default();
            let counts = [bin.numerator.to_string(), bin.denominator.to_string()];
            row(bin.at, "ratio", &signal.title, (share, "share"), counts, &signal.denominator_unit)
        }));
    }
    for value in series.values.iter().filter(|value| is_shown(value.id.as_str())) {
        let labels: Vec<String> = value.labels.iter().map(|(key, of)| format!("{key}={of}")).collect();
        rows.extend(value.points.iter().filter(|point| is_inside(point.at)).map(|point| {
            let text = point.value.map(|value| value.to_string()).unwrap_or_default();
            row(point.at, "value", &value.title, (text, &value.unit), Default::default(), &labels.join(" "))
        }));
    }
    let flags = dashboard.flags.iter().filter(|change| is_shown(&format!("flag:{}", change.name())));
    rows.extend(flags.filter(|change| is_inside(change.at())).map(|change| {
        let why =
            [change.by.as_deref(), change.comment.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(": ");
        row(change.at(), "flag", &change.name(), (inert(&change.state), ""), Default::default(), &why)
    }));
    let deploys = dashboard.deploys.iter().filter(|_| is_shown("deploys"));
    rows.extend(deploys.filter(|deploy| is_inside(deploy.at)).map(|deploy| {
        let detail = [deploy.by.as_deref(), deploy.link.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ");
        row(deploy.at, "deploy", &deploy.name(), (inert(&deploy.version), ""), Default::default(), &detail)
    }));
    rows.extend(dashboard.timeline.iter().enumerate().filter_map(|(i, entry)| {
        let at = entry.occurred_at.filter(|at| is_inside(*at))?;
        Some(row(at, "timeline", &(i + 1).to_string(), (String::new(), ""), Default::default(), &entry.event))
    }));
    // What happened at one instant stays in the order of its kinds.
    rows.sort_by_key(|(at, _)| *at);
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let records = rows.into_iter().map(|(_, record)| record);
    for record in std::iter::once(COLUMNS.map(str::to_owned)).chain(records) {
        if let Err(error) = writer.write_record(&record) {
            tracing::error!(%error, "a row could not be written to memory");
        }
    }
    writer.into_inner().unwrap_or_default()
}

fn row(
    at: DateTime<Utc>,
    kind: &str,
    name: &str,
    (value, unit): (String, &str),
    [numerator, denominator]: [String; 2],
    detail: &str,
) -> Row {
    let time = at.to_rfc3339_opts(SecondsFormat::AutoSi, true);
    (at, [time, kind.to_owned(), inert(name), value, inert(unit), numerator, denominator, inert(detail)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dashboard() -> Dashboard {
        serde_json::from_str(include_str!("../../../domain/tests/golden/dashboard.json")).expect("the golden dashboard")
    }

    fn table(dashboard: &Dashboard, view: Option<Window>, hidden: &[&str]) -> String {
        let series = Signals { items: dashboard.signals.clone(), values: dashboard.values.clone(), next: None };
        let shown = Shown { view, hidden: hidden.iter().map(|key| (*key).to_owned()).collect() };
        String::from_utf8(write(dashboard, &series, &shown)).expect("UTF-8")
    }

    #[test]
    fn everything_on_the_axis_has_its_row_in_order_of_time() {
        let mut dashboard = dashboard();
        dashboard.timeline.truncate(1);
        let text = table(&dashboard, None, &[]);
        let kinds: Vec<_> = text.lines().skip(1).filter_map(|line| line.split(',').nth(1)).collect();
        assert_eq!(kinds, ["deploy", "ratio", "value", "timeline", "value", "flag"], "{text}");
        for line in [
            "2026-07-09T09:44:30Z,deploy,checkout (production),2026.07.09-1,,,,https://deploys.example/checkout/812",
            "2026-07-09T09:46:00Z,value,Queue length,17.5,jobs,,,queue=retries",
            "2026-07-09T09:47:00Z,value,Queue length,,jobs,,,queue=retries",
            "2026-07-09T10:11:00Z,flag,checkout-sync-retries,off,,,,on-call",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}: {text}");
        }
    }

    #[test]
    fn what_is_out_of_view_or_switched_off_is_left_out() {
        let dashboard = dashboard();
        let at = |text: &str| text.parse().expect("a time");
        let view = Window { from: at("2026-07-09T09:46:00Z"), until: at("2026-07-09T09:47:00Z") };
        let text = table(&dashboard, Some(view), &["sig_2"]);
        assert!(text.contains(",ratio,") && !text.contains("Queue length") && !text.contains(",deploy,"), "{text}");
        let text = table(&dashboard, None, &["deploys", "flag:checkout-sync-retries", "sig_1"]);
        assert!(!text.contains(",deploy,") && !text.contains(",flag,") && !text.contains(",ratio,"), "{text}");
    }

    #[test]
    fn no_cell_is_a_formula() {
        let mut dashboard = dashboard();
        dashboard.deploys[0].version = "=cmd".into();
        dashboard.deploys[0].service = "@sum".into();
        dashboard.flags[0].state = "+on".into();
        dashboard.values[0].unit = "-x".into();
        dashboard.values[0].points[0].value = Some(-3.5);
        let text = table(&dashboard, None, &[]);
        for cell in ["'=cmd", "'@sum (production)", "'+on", "'-x", ",-3.5,"] {
            assert!(text.contains(cell), "{cell}: {text}");
        }
    }
}
