//! What ECharts is told to draw. Pure: it is built from a dashboard, a signal, a view and a palette.

use charming::component::{Aria, Axis, DataZoom, DataZoomType, FilterMode, Grid};
use charming::datatype::CompositeValue;
use charming::element::{
    AreaStyle, AxisLabel, AxisLine, AxisPointer, AxisTick, AxisType, BorderType, ItemStyle, Label, LabelPosition,
    LineStyle, LineStyleType, MarkArea, MarkAreaData, MarkLine, MarkLineData, MarkLineVariant, SplitLine, Symbol,
    TextStyle, Tooltip, Trigger,
};
use charming::series::{Line, Scatter};
use chrono::{DateTime, TimeDelta, Utc};
use domain::flag::{self, FlagSpan};
use domain::incident::Window;
use domain::signal::Signal;
use domain::wire::incidents::Dashboard;
use serde::Serialize;

use crate::format;

/// The name of the series that draws the band behind the rate.
pub const BAND: &str = "Flag on";

/// What is said of a flag whose state nobody knows.
const NOT_KNOWN: &str = "state not known";

/// What the lane of one flag takes below the chart: its name, its states, and air.
const LANE: f64 = 36.0;

/// What ECharts is told: the parts of an option that this chart has.
///
/// The parts are charming's. Its own root, `charming::Chart`, would bring the writers of every kind of chart there is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChartOption {
    animation: bool,
    aria: Aria,
    tooltip: Tooltip,
    grid: Vec<Grid>,
    x_axis: Vec<Axis>,
    y_axis: Vec<Axis>,
    data_zoom: Vec<DataZoom>,
    series: Vec<Series>,
}

/// The kinds of series that this chart has.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Series {
    Line(Box<Line>),
    Scatter(Box<Scatter>),
}

impl From<Line> for Series {
    fn from(line: Line) -> Self {
        Self::Line(Box::new(line))
    }
}

impl From<Scatter> for Series {
    fn from(scatter: Scatter) -> Self {
        Self::Scatter(Box::new(scatter))
    }
}

/// The colours of the roles, as the page resolves them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Palette {
    /// Text.
    pub ink: String,
    /// Quiet text.
    pub quiet: String,
    /// Lines between things.
    pub rule: String,
    /// The ground of the page.
    pub surface: String,
    /// The error rate.
    pub bad: String,
    /// The alert line.
    pub warn: String,
    /// The flags.
    pub flag: String,
}

/// An instant on the time axis.
#[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 are far below 2^53")]
pub fn millis(at: DateTime<Utc>) -> f64 {
    at.timestamp_millis() as f64
}

/// The points of the rate: every bin of the span, none where there is no bin or it proves little.
fn points(signal: &Signal) -> Vec<CompositeValue> {
    let step = TimeDelta::seconds(i64::from(signal.bin_seconds.max(1)));
    let mut points: Vec<CompositeValue> = Vec::with_capacity(signal.bins.len());
    let mut expected = None;
    for bin in &signal.bins {
        if expected.is_some_and(|at| at != bin.at) {
            points.push(vec![expected.map(millis), None].into());
        }
        let share = bin.ratio().share().filter(|_| bin.denominator >= signal.floor);
        points.push(vec![Some(millis(bin.at)), share.map(|share| share * 100.0)].into());
        expected = Some(bin.at + step);
    }
    points
}

fn faded(signal: &Signal) -> Vec<CompositeValue> {
    let few = signal.bins.iter().filter(|bin| bin.denominator < signal.floor);
    few.filter_map(|bin| Some(vec![Some(millis(bin.at)), Some(bin.ratio().share()? * 100.0)].into())).collect()
}

/// The top of the scale in percent: above the highest solid bin and the alert line, in steps of ten.
pub fn ceiling(dashboard: &Dashboard, signal: &Signal) -> f64 {
    let solid = signal.bins.iter().filter(|bin| bin.denominator >= signal.floor);
    let highest = solid.filter_map(|bin| bin.ratio().share()).chain(dashboard.thresholds.alert).fold(0.0, f64::max);
    ((highest * 10.0).ceil() * 10.0 + if (highest * 10.0).fract() > 0.8 { 10.0 } else { 0.0 }).clamp(10.0, 100.0)
}

/// The whole option.
pub fn option(dashboard: &Dashboard, signal: &Signal, view: Window, palette: &Palette) -> ChartOption {
    let span = whole(signal, view);
    let keys = flag::keys(&dashboard.flags);
    let top = ceiling(dashboard, signal);
    #[expect(clippy::cast_precision_loss, reason = "a handful of flags")]
    let lanes = keys.len() as f64;
    let quiet = || AxisLabel::new().color(palette.quiet.as_str());
    let time_axis = |grid: f64, shown: bool| {
        Axis::new()
            .type_(AxisType::Time)
            .grid_index(grid)
            .min(millis(span.from))
            .max(millis(span.until))
            .axis_label(quiet().show(shown))
            .axis_line(AxisLine::new().show(shown))
            .axis_tick(AxisTick::new().show(shown))
            .split_line(SplitLine::new().show(false))
    };
    let mut chart = ChartOption {
        animation: false,
        aria: Aria::new().enabled(false),
        tooltip: Tooltip::new().trigger(Trigger::Axis).axis_pointer(AxisPointer::new()),
        grid: vec![Grid::new().left(48).right(18).top(32).bottom(78.0 + LANE * lanes)],
        x_axis: vec![time_axis(0.0, true)],
        y_axis: vec![
            Axis::new()
                .type_(AxisType::Value)
                .min(0)
                .max(top)
                .axis_label(quiet().formatter("{value}%"))
                .split_line(SplitLine::new().line_style(LineStyle::new().color(palette.rule.as_str()))),
        ],
        data_zoom: Vec::new(),
        series: vec![rate(dashboard, signal, palette).into(), few(signal, palette).into()],
    };
    let mut axes = vec![0.0];
    for (lane, key) in keys.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a handful of flags")]
        let index = lane as f64 + 1.0;
        chart.grid.push(Grid::new().left(48).right(18).height(16).bottom(52.0 + LANE * (lanes - index)));
        chart.x_axis.push(time_axis(index, false));
        chart.y_axis.push(
            Axis::new()
                .type_(AxisType::Value)
                .grid_index(index)
                .min(0)
                .max(1)
                .name(*key)
                .name_gap(5)
                .name_text_style(TextStyle::new().color(palette.quiet.as_str()).align("left"))
                .axis_label(quiet().show(false))
                .axis_line(AxisLine::new().show(false))
                .axis_tick(AxisTick::new().show(false))
                .split_line(SplitLine::new().show(false)),
        );
        axes.push(index);
    }
    for kind in [DataZoomType::Inside, DataZoomType::Slider] {
        let zoom = DataZoom::new()
            .type_(kind)
            .x_axis_index(CompositeValue::from(axes.clone()))
            .filter_mode(FilterMode::None)
            .start_value(millis(view.from))
            .end_value(millis(view.until))
            .min_value_span(300_000);
        chart.data_zoom.push(match kind {
            DataZoomType::Slider => {
                zoom.bottom(8).border_color(palette.rule.as_str()).filler_color("rgba(127,127,127,0.15)")
            }
            _ => zoom,
        });
    }
    for (lane, key) in keys.iter().enumerate() {
        let spans = flag::spans(&dashboard.flags, key, span.from, span.until);
        if lane == 0 {
            chart.series.push(band(&spans, palette).into());
        }
        for state in states(&spans) {
            chart.series.push(lane_of(key, state, (&spans, view), lane + 1, palette).into());
        }
    }
    chart
}

/// What can be zoomed out to: all of the signal, and the view.
pub fn whole(signal: &Signal, view: Window) -> Window {
    let bins = signal.bins.first().zip(signal.bins.last());
    let step = TimeDelta::seconds(i64::from(signal.bin_seconds));
    match bins {
        Some((first, last)) => Window { from: first.at.min(view.from), until: (last.at + step).max(view.until) },
        None => view,
    }
}

fn rate(dashboard: &Dashboard, signal: &Signal, palette: &Palette) -> Line {
    let line = Line::new()
        .name("Error rate")
        .data(points(signal))
        .show_symbol(false)
        .connect_nulls(false)
        .line_style(LineStyle::new().color(palette.bad.as_str()).width(2))
        .item_style(ItemStyle::new().color(palette.bad.as_str()))
        .area_style(AreaStyle::new().color(palette.bad.as_str()).opacity(0.1));
    let Some(alert) = dashboard.thresholds.alert else { return line };
    let label = format!("alert above {}", format::threshold(alert));
    line.mark_line(
        MarkLine::new()
            .symbol(vec![Symbol::None, Symbol::None])
            .silent(true)
            .line_style(LineStyle::new().color(palette.warn.as_str()).type_(LineStyleType::Dashed))
            .label(
                Label::new()
                    .show(true)
                    .formatter(label.as_str())
                    .color(palette.warn.as_str())
                    .position(LabelPosition::InsideEndTop),
            )
            .data(vec![MarkLineVariant::Simple(MarkLineData::new().name(label.as_str()).y_axis(alert * 100.0))]),
    )
}

fn few(signal: &Signal, palette: &Palette) -> Scatter {
    Scatter::new()
        .name("Few attempts")
        .data(faded(signal))
        .symbol_size(5)
        .item_style(ItemStyle::new().color(palette.bad.as_str()).opacity(0.3))
}

fn area(span: &FlagSpan<'_>, name: &str) -> (MarkAreaData, MarkAreaData) {
    (MarkAreaData::new().name(name).x_axis(span.from.to_rfc3339()), MarkAreaData::new().x_axis(span.until.to_rfc3339()))
}

/// The band behind the rate while the first flag was on.
fn band(spans: &[FlagSpan<'_>], palette: &Palette) -> Line {
    let on: Vec<_> =
        spans.iter().filter(|span| span.state.is_some_and(|state| state != "off")).map(|span| area(span, "")).collect();
    Line::new().name(BAND).data(Vec::<f64>::new()).silent(true).mark_area(
        MarkArea::new()
            .silent(true)
            .item_style(ItemStyle::new().color(palette.flag.as_str()).opacity(0.25))
            .label(Label::new().show(false))
            .data(on),
    )
}

fn states<'a>(spans: &[FlagSpan<'a>]) -> Vec<Option<&'a str>> {
    let mut states = Vec::new();
    for span in spans {
        if let Err(place) = states.binary_search(&span.state) {
            states.insert(place, span.state);
        }
    }
    states
}

/// Whether a span takes so little of the view that the words for a state that nobody knows would not fit on a phone.
fn is_narrow(span: &FlagSpan<'_>, view: Window) -> bool {
    (span.until.min(view.until) - span.from.max(view.from)) * 10 < (view.until - view.from) * 3
}

/// The lane of a flag in one of its states: filled while on, an outline while off, dashed while nobody knows.
fn lane_of(
    key: &str,
    state: Option<&str>,
    (spans, view): (&[FlagSpan<'_>], Window),
    grid: usize,
    palette: &Palette,
) -> Line {
    let word = state.unwrap_or(NOT_KNOWN);
    let name = format!("{key} {word}");
    let shown = |span: &FlagSpan<'_>| if state.is_none() && is_narrow(span, view) { "?" } else { word };
    let areas: Vec<_> = spans.iter().filter(|span| span.state == state).map(|span| area(span, shown(span))).collect();
    let style = ItemStyle::new().border_color(palette.flag.as_str()).border_width(1);
    let (style, ink) = match state {
        Some("off") => (style.color("transparent"), palette.flag.as_str()),
        None => (style.color("transparent").border_type(BorderType::Dashed), palette.quiet.as_str()),
        Some(_) => (style.color(palette.flag.as_str()), palette.surface.as_str()),
    };
    #[expect(clippy::cast_precision_loss, reason = "a handful of flags")]
    let index = grid as f64;
    Line::new()
        .name(name.as_str())
        .data(Vec::<f64>::new())
        .silent(true)
        .x_axis_index(index)
        .y_axis_index(index)
        .mark_area(
            MarkArea::new()
                .silent(true)
                .item_style(style)
                .label(Label::new().show(true).position(LabelPosition::Inside).color(ink).font_size(10))
                .data(areas),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built() -> serde_json::Value {
        let dashboard: Dashboard = serde_json::from_str(include_str!("../../domain/tests/golden/dashboard.json"))
            .expect("the golden dashboard");
        let signal = &dashboard.signals[0];
        serde_json::to_value(option(&dashboard, signal, signal.span.expect("a span"), &Palette::default()))
            .expect("JSON")
    }

    #[test]
    fn the_option_has_rate_alert_and_a_lane_for_the_flag() {
        let option = built();
        let names: Vec<_> =
            option["series"].as_array().expect("series").iter().map(|s| s["name"].as_str().unwrap_or("")).collect();
        assert_eq!(names, ["Error rate", "Few attempts", "Flag on", "checkout-sync-retries state not known"]);
        assert_eq!(option["series"][0]["markLine"]["data"][0]["yAxis"], 5.0);
        assert_eq!(option["series"][0]["markLine"]["label"]["formatter"], "alert above 5%");
        assert_eq!(option["yAxis"][1]["name"], "checkout-sync-retries");
        assert_eq!(option["grid"].as_array().map(Vec::len), Some(2));
        assert_eq!(option["dataZoom"].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn a_state_that_nobody_knows_is_told_in_words_only_where_they_fit() {
        let at = |minute: i64| DateTime::UNIX_EPOCH + TimeDelta::minutes(minute);
        let view = Window { from: at(0), until: at(100) };
        for (from, until, narrow) in
            [(0, 29, true), (0, 30, false), (-500, 29, true), (-500, 90, false), (71, 900, true)]
        {
            let span = FlagSpan { state: None, from: at(from), until: at(until) };
            assert_eq!(is_narrow(&span, view), narrow, "{from} to {until}");
        }
    }

    #[test]
    fn a_bin_with_few_attempts_is_faded_and_a_missing_one_is_a_gap() {
        let dashboard: Dashboard = serde_json::from_str(include_str!("../../domain/tests/golden/dashboard.json"))
            .expect("the golden dashboard");
        let mut signal = dashboard.signals[0].clone();
        let mut late = signal.bins[0];
        late.at += TimeDelta::minutes(5);
        late.denominator = 19;
        signal.bins.push(late);
        assert_eq!(points(&signal).len(), 3, "a point, a gap, and a point without a value");
        assert_eq!(faded(&signal).len(), 1);
        assert!((ceiling(&dashboard, &signal) - 10.0).abs() < f64::EPSILON);
    }
}
