//! What was read of plain values, or would be: the signals with a picture of each, and what was not taken.

use domain::incident::Window;
use domain::signal::Point;
use domain::wire::signals::{SignalRead, SignalsReport};
use leptos::prelude::*;

use super::refused;
use crate::format;
use crate::state::zone::Zone;
use crate::view::view;

/// How wide and how high a picture is drawn.
const SIZE: (i64, i64) = (200, 40);

/// Everything that is to be known of it.
pub fn told(report: &SignalsReport, zone: &Zone) -> AnyView {
    let rows = report.signals.iter().map(|signal| row(signal, zone)).collect_view();
    let is_pictured = report.signals.iter().any(|signal| !signal.points.is_empty());
    let picture = is_pictured.then(|| view! { <th scope="col">"Picture"</th> });
    let table = (!report.signals.is_empty()).then(|| {
        view! {
            <div class="scroll" tabindex="0" role="region" aria-label="Signals">
                <table class="listing">
                    <thead><tr><th scope="col">"Signal"</th><th scope="col">"Holds"</th><th scope="col">"Spans"</th>{picture}</tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
    });
    let warnings = report.prometheus.iter().flat_map(|prometheus| &prometheus.warnings);
    let warnings = warnings.map(|warning| view! { <li>{format!("Prometheus warns: {warning}")}</li> });
    let over =
        report.passed_over.iter().map(|name| view! { <li>{format!("‘{name}’ holds no values and is not read")}</li> });
    let notes: Vec<AnyView> = warnings.map(IntoAny::into_any).chain(over.map(IntoAny::into_any)).collect();
    let notes = (!notes.is_empty()).then(|| view! { <ul class="hints" aria-label="Remarks">{notes}</ul> });
    let trouble = report.trouble.clone().map(|trouble| view! { <p class="error">{trouble}</p> });
    view! { {trouble}{table}{notes}{refused::rows("Line", &report.refused)} }.into_any()
}

fn row(signal: &SignalRead, zone: &Zone) -> AnyView {
    let spans = signal.span.map(|Window { from, until }| {
        format!("{} – {}", format::date_time(from, zone), format::time_with_zone(until, zone))
    });
    let picture = (!signal.points.is_empty()).then(|| view! { <td>{picture(&signal.points)}</td> });
    view! {
        <tr><th scope="row">{signal.named()}</th><td>{signal.counted()}</td><td>{spans}</td>{picture}</tr>
    }
    .into_any()
}

/// A line through the points, broken where there is a gap. What it shows stands in words beside it.
fn picture(points: &[Point]) -> AnyView {
    let (width, height) = SIZE;
    let view_box = format!("-2 -2 {} {}", width + 4, height + 4);
    let path = path(points);
    view! {
        <svg class="spark" viewBox=view_box preserveAspectRatio="none" aria-hidden="true"><path d=path/></svg>
    }
    .into_any()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a place in a small picture")]
fn path(points: &[Point]) -> String {
    let (width, height) = SIZE;
    let values = || points.iter().filter_map(|point| point.value);
    let (low, high) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
    let millis = |point: &Point| point.at.timestamp_millis();
    let first = points.first().map(millis).unwrap_or_default();
    let length = points.last().map_or(1, |last| (millis(last) - first).max(1));
    let (mut path, mut pen) = (String::new(), "M");
    for point in points {
        let Some(value) = point.value else {
            pen = "M";
            continue;
        };
        let x = (millis(point) - first) * width / length;
        // Halves, since the distance of two numbers may be too large for one.
        let span = high / 2.0 - low / 2.0;
        let y = if span > 0.0 { ((high / 2.0 - value / 2.0) / span * height as f64) as i64 } else { height / 2 };
        // A point between two gaps is a dot.
        let dot = if pen == "M" { "h0" } else { "" };
        path.push_str(&[pen, &x.to_string(), " ", &y.to_string(), dot].concat());
        pen = "L";
    }
    path
}

/// What became of it, in a sentence.
pub fn sentence(report: &SignalsReport) -> String {
    if report.already_imported {
        return format!("{} was imported before; nothing was changed.", report.file_name);
    }
    let signals = format::counted(report.signals.len(), "signal", "signals");
    let evidence = report.evidence.map(|number| format!(" as evidence {number}")).unwrap_or_default();
    let rows = if report.prometheus.is_some() {
        String::new()
    } else {
        let counts = [report.rows_read, report.repeated, report.refused.total].map(format::count);
        format!("; {} rows read, {} repeated, {} refused", counts[0], counts[1], counts[2])
    };
    format!("✓ {}: {signals} imported{evidence}{rows}.", report.file_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_its_peaks_and_breaks_at_gaps() {
        let at = |second: i64| chrono::DateTime::from_timestamp(second, 0).expect("a time");
        let points = |values: &[Option<f64>]| -> Vec<Point> {
            (0..).zip(values).map(|(second, value)| Point { at: at(second), value: *value }).collect()
        };
        for (values, drawn) in [
            (&[Some(0.0), Some(10.0), Some(5.0)][..], "M0 40h0L100 0L200 20"),
            (&[Some(1.0), None, Some(1.0), Some(1.0), None], "M0 20h0M100 20h0L150 20"),
            (&[Some(f64::MIN), Some(f64::MAX)], "M0 40h0L200 0"),
            (&[None], ""),
            (&[], ""),
        ] {
            assert_eq!(path(&points(values)), drawn, "{values:?}");
        }
    }
}
