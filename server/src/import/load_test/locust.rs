//! Locust: the statistics that `--csv PREFIX` writes to `PREFIX_stats.csv`. Times are milliseconds; the row
//! `Aggregated` sums up the others; `N/A` stands where nothing was measured.

use domain::load_test::{LoadTest, LoadTestTool, MAX, MEAN, MIN, REQUEST_RATE, REQUESTS};
use domain::quantity::Unit;
use domain::signal::Ratio;

use super::figures::Figures;
use super::{EXPORTS, quoted, short};

/// The row that sums up the others.
const ALL: &str = "Aggregated";

/// Reads the statistics.
pub(super) fn read(text: &str) -> Result<LoadTest, String> {
    // A line ends where an editor ends it, so that the lines told are the lines seen; a CR is trimmed as space.
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .terminator(csv::Terminator::Any(b'\n'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| format!("line 1: {error}; {EXPORTS}"))?.clone();
    check_header(&header)?;
    let column = |name: &str| header.iter().position(|found| found == name);
    let (kind, name) = (column("Type"), column("Name"));
    let mut found: Option<Row> = None;
    for row in reader.records() {
        let row = row.map_err(|error| format!("{}; export the statistics again", short(&error.to_string())))?;
        let line = row.position().map_or(0, csv::Position::line);
        let says = |column: Option<usize>| column.and_then(|column| row.get(column)).unwrap_or_default();
        // A request may be called so, too; it has a type.
        if says(name) != ALL || !says(kind).is_empty() {
            continue;
        }
        if row.len() != header.len() {
            return Err(format!(
                "line {line}: {} fields under {} columns; the file is cut off, so export the statistics again",
                row.len(),
                header.len()
            ));
        }
        if let Some(before) = &found {
            return Err(format!(
                "lines {} and {line}: two rows ‘{ALL}’, so this is more than one file; bring them one by one",
                before.line
            ));
        }
        found = Some(Row { line, cells: header.iter().zip(row.iter()).map(owned).collect() });
    }
    let row = found.ok_or_else(|| {
        format!("no row ‘{ALL}’, which sums up the others; the file is cut off, so export the statistics again")
    })?;
    figures(&row)
}

fn owned((name, cell): (&str, &str)) -> (String, String) {
    (name.to_owned(), cell.to_owned())
}

/// Refuses another file than the statistics, and names what it is.
fn check_header(header: &csv::StringRecord) -> Result<(), String> {
    let has = |name: &str| header.iter().any(|found| found == name);
    if has("Name") && has("Request Count") && has("Failure Count") && !has("Timestamp") {
        return Ok(());
    }
    let brought = if has("Timestamp") && has("User Count") {
        "this is Locust's history"
    } else if has("Error") && has("Occurrences") {
        "these are Locust's failures"
    } else if has("Traceback") {
        "these are Locust's exceptions"
    } else if has("# requests") {
        "these are the statistics of an old Locust, which names its columns otherwise; run the test with a newer one"
    } else {
        let names: Vec<&str> = header.iter().take(4).collect();
        return Err(format!("line 1: no summary that is known begins with {}; {EXPORTS}", quoted(&names)));
    };
    Err(format!("line 1: {brought}; bring PREFIX_stats.csv, which `locust --csv PREFIX` writes"))
}

/// The row that sums up the others, with the names of its columns.
struct Row {
    line: u64,
    cells: Vec<(String, String)>,
}

impl Row {
    fn cell(&self, name: &str) -> Option<&str> {
        self.cells.iter().find(|(found, _)| found == name).map(|(_, cell)| cell.as_str())
    }

    /// The number in a column; none where the column is absent, empty or `N/A`.
    fn number(&self, name: &str) -> Result<Option<f64>, String> {
        match self.cell(name) {
            None | Some("" | "N/A") => Ok(None),
            Some(cell) => match cell.parse::<f64>() {
                Ok(number) if number.is_finite() && number >= 0.0 => Ok(Some(number)),
                _ => Err(format!(
                    "line {}, column ‘{}’: ‘{}’ is not a number; export the statistics again",
                    self.line,
                    short(name),
                    short(cell)
                )),
            },
        }
    }

    fn count(&self, name: &str) -> Result<u64, String> {
        let cell = self.cell(name).unwrap_or_default();
        cell.parse().map_err(|_| {
            format!("line {}, column ‘{name}’: ‘{}’ is no count; export the statistics again", self.line, short(cell))
        })
    }
}

fn figures(row: &Row) -> Result<LoadTest, String> {
    let (requests, failures) = (row.count("Request Count")?, row.count("Failure Count")?);
    if requests == 0 {
        return Err(format!(
            "line {}, column ‘Request Count’: no request was sent, which proves nothing; run the test again",
            row.line
        ));
    }
    let mut figures = Figures::default();
    for (name, _) in &row.cells {
        // "100%" is the largest, which has its own column.
        if let Some(number) = name.strip_suffix('%').filter(|number| *number != "100") {
            figures.add_percentile(number, row.number(name)?, Unit::Milliseconds);
        }
    }
    figures.add_percentile("50", row.number("Median Response Time")?, Unit::Milliseconds);
    for (column, name) in [("Average Response Time", MEAN), ("Min Response Time", MIN), ("Max Response Time", MAX)] {
        figures.add_latency(name, row.number(column)?, Unit::Milliseconds);
    }
    let failed = Ratio { numerator: failures, denominator: requests };
    figures.add_error_rate(failed, None, &format!("line {}, column ‘Failure Count’", row.line))?;
    figures.add(REQUESTS, row.number("Request Count")?, Unit::Count);
    figures.add(REQUEST_RATE, row.number("Requests/s")?, Unit::PerSecond);
    let (metrics, notes) = figures.finish("Locust writes the columns that its setting PERCENTILES_TO_REPORT names.");
    Ok(LoadTest {
        tool: LoadTestTool::Locust,
        version: None,
        captured_at: None,
        metrics,
        percentile_basis: "All requests, failed ones included. Rounded to two significant digits, so that 2000 ms \
                           stands for 1950 to 2050 ms."
            .to_owned(),
        error_basis:
            "What the test counts as failed; without a word from it, a status of 400 and above, or no response."
                .to_owned(),
        notes,
    })
}
