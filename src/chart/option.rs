//! What ECharts is told to draw. Pure: it is built from a scene.
//!
//! Its axes are made of charming's elements, written as JSON; all else is text at once, since what writes charming's grids and
//! series weighs 10 KB and has no word for patterns, for the look of one mark, and for numbers that are handed over as they
//! are. In all of it `$ink` and its like stand for the colours of the page's roles, and `[]` for the numbers of a series.
//! Functions are added in `dress`.

use charming::element::AxisLabel;
use chrono::{DateTime, TimeDelta, Utc};
use domain::deploy::Deploy;
use domain::incident::Window;
use domain::signal::{Signal, ValueSignal};

use super::axis::Axis;
use super::json::with;
use super::lanes;
use super::scene::Scene;
use crate::format;

/// The pixels between the drawing's edges and its plots.
pub const LEFT: i32 = 48;
/// The same on the right.
pub const RIGHT: i32 = 18;
/// The same above the first plot: two rows of marks.
pub const TOP: i32 = 32;
/// What the slider takes at the bottom.
const SLIDER: i32 = 52;
/// What the same place takes where there is none.
const NO_SLIDER: i32 = 10;
/// What the time axis' labels take.
const LABELS: i32 = 26;
/// What one lane takes: its name, its band, and air.
const LANE: i32 = 36;
/// What one panel takes: its name, its plot, and air.
const PANEL: i32 = 104;
/// The plot of a panel.
const PANEL_PLOT: i32 = 76;

/// How lines are told apart beside their colour.
const DASHES: [&str; 4] = ["\"solid\"", "[7,4]", "[2,3]", "[9,3,2,3]"];
/// The colours of values. The first is not the error rate's, and the last not the flags'.
const COLOURS: [&str; 4] = ["$accent", "$good", "$warn", "$ink"];

/// What the drawing is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    /// The page: it can be zoomed, and the timeline's marks are links over it.
    Screen,
    /// Paper or a file: it stands still, and has the marks in it.
    Picture,
}

/// An option in the making.
#[derive(Debug, Default)]
pub struct Drawing {
    /// The option.
    pub json: String,
    /// The numbers of each series, `x` and `y` in turn; empty where the option holds them.
    pub numbers: Vec<Vec<f64>>,
}

/// The colours of the roles, as the page resolves them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Palette(pub Vec<(&'static str, String)>);

/// The roles whose colours the chart has.
pub const ROLES: [&str; 9] = ["ink", "quiet", "rule", "surface", "bad", "warn", "flag", "accent", "good"];

impl Palette {
    /// A text with these colours in the place of the roles.
    pub fn paint(&self, text: &str) -> String {
        let mut pieces = text.split('$');
        let mut painted = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            // No role's name begins another's.
            let found = self.0.iter().find_map(|(role, colour)| Some((colour.as_str(), piece.strip_prefix(role)?)));
            let (colour, rest) = found.unwrap_or(("$", piece));
            painted.extend([colour, rest]);
        }
        painted
    }
}

/// A text as JSON, in which no role is looked for.
pub fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => json.extend(['\\', letter]),
            '$' => json.push_str("\\u0024"),
            control if control < ' ' => json.push(' '),
            other => json.push(other),
        }
    }
    json.push('"');
    json
}

/// An instant on the time axis.
#[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 are far below 2^53")]
pub fn millis(at: DateTime<Utc>) -> f64 {
    at.timestamp_millis() as f64
}

/// How a value is drawn, by its place among all: its colour and its dashes.
pub fn look(place: usize) -> (&'static str, &'static str) {
    (COLOURS[place % COLOURS.len()], DASHES[(place + place / COLOURS.len()) % DASHES.len()])
}

/// The pixels below the plots: lanes, slider, and the labels of the time axis.
pub fn below(scene: &Scene, medium: Medium) -> i32 {
    let slider = if medium == Medium::Screen { SLIDER } else { NO_SLIDER };
    slider + LANE * lanes::count(scene) + LABELS
}

/// The pixels of the drawing beside the plot of the error rate.
pub fn beside(scene: &Scene, medium: Medium) -> i32 {
    TOP + PANEL * panels(scene) + below(scene, medium)
}

/// Whether the error rate has a plot.
pub fn has_rate(scene: &Scene) -> bool {
    !scene.ratios().is_empty() || scene.units().is_empty()
}

fn panels(scene: &Scene) -> i32 {
    i32::try_from(scene.units().len()).unwrap_or(0)
}

impl Drawing {
    /// The whole option, for so many pixels of time axis.
    pub fn new(scene: &Scene, medium: Medium, width: i32) -> Self {
        let span = scene.whole();
        // What stands still has no more on its axis than is seen.
        let limits = if medium == Medium::Screen { span } else { scene.view };
        let mut parts = Parts::new(span, limits);
        let units = scene.units();
        let base = below(scene, medium);
        if has_rate(scene) {
            let bottom = base + PANEL * panels(scene);
            parts.grid(&format!("\"top\":{TOP},\"bottom\":{bottom}"), units.is_empty());
            let scale = Axis::values(AxisLabel::new().formatter("{value}%"));
            parts.y.push(with(&scale, &format!(r#""min":0,"max":{}"#, ceiling(scene))));
            for (place, signal) in scene.ratios() {
                parts.rate(scene, place, signal);
            }
        }
        for (panel, unit) in (1_i32..).zip(&units) {
            let bottom = base + PANEL * (panels(scene) - panel);
            parts.panel(scene, unit, bottom, panel == panels(scene));
        }
        parts.verticals(scene, medium);
        lanes::add(&mut parts, scene, base - LABELS, width);
        let zoom = if medium == Medium::Screen { parts.zoom(scene) } else { String::new() };
        let (grid, x, y, series) =
            (parts.grids.join(","), parts.x.join(","), parts.y.join(","), parts.series.join(","));
        let json = format!(
            r#"{{"animation":false,"tooltip":{{"trigger":"axis","renderMode":"richText","confine":true,"backgroundColor":"$surface","borderColor":"$rule","textStyle":{{"color":"$ink"}}}},"axisPointer":{{"link":[{{"xAxisIndex":"all"}}]}},"grid":[{grid}],"xAxis":[{x}],"yAxis":[{y}],"dataZoom":[{zoom}],"series":[{series}]}}"#
        );
        Self { json, numbers: parts.numbers }
    }
}

/// The parts of an option that come in lists.
pub struct Parts {
    span: Window,
    limits: Window,
    grids: Vec<String>,
    x: Vec<String>,
    y: Vec<String>,
    series: Vec<String>,
    numbers: Vec<Vec<f64>>,
}

impl Parts {
    /// None yet, on a time axis of these limits, of all that the series span.
    fn new(span: Window, limits: Window) -> Self {
        let (grids, x, y, series, numbers) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { span, limits, grids, x, y, series, numbers }
    }

    /// What all of the axis spans.
    pub fn span(&self) -> Window {
        self.span
    }

    /// A place for series, with its time axis; answers its index.
    pub fn grid(&mut self, place: &str, has_labels: bool) {
        let index = self.grids.len();
        self.grids.push(format!("{{\"left\":{LEFT},\"right\":{RIGHT},{place}}}"));
        let axis = Axis::time(has_labels);
        let (from, until) = (self.limits.from.timestamp_millis(), self.limits.until.timestamp_millis());
        self.x.push(with(&axis, &format!("\"gridIndex\":{index},\"min\":{from},\"max\":{until}")));
    }

    /// A lane: a place as high as a word, with its name above it.
    pub fn lane(&mut self, name: &str, bottom: i32) {
        self.grid(&format!("\"height\":16,\"bottom\":{bottom}"), false);
        let index = self.y.len();
        let name = quoted(name);
        let more = format!(r#""gridIndex":{index},"min":0,"max":1,"name":{name},"nameGap":5"#);
        self.y.push(with(&Axis::lane(), &more));
    }

    /// A series in the place that was added last: what is special to it, and its numbers.
    pub fn series(&mut self, name: &str, special: &str, numbers: Vec<f64>) {
        self.series_at(self.grids.len().saturating_sub(1), name, special, numbers);
    }

    /// The same in a place that was added before.
    pub fn series_at(&mut self, index: usize, name: &str, special: &str, numbers: Vec<f64>) {
        let name = quoted(name);
        self.series.push(format!(r#"{{"xAxisIndex":{index},"yAxisIndex":{index},"name":{name},{special}}}"#));
        self.numbers.push(numbers);
    }

    fn rate(&mut self, scene: &Scene, place: usize, signal: &Signal) {
        let thresholds = [
            (scene.dashboard.thresholds.alert, "alert above", "warn", "insideEndTop"),
            (scene.dashboard.thresholds.recovered, "recovered below", "good", "insideStartTop"),
        ];
        let lines: Vec<String> = thresholds
            .into_iter()
            .filter_map(|(share, word, role, position)| {
                let percent = format::threshold(share?);
                let value = percent.trim_end_matches('%');
                Some(format!(
                    r#"{{"yAxis":{value},"name":"{word} {percent}","lineStyle":{{"color":"${role}","type":"dashed"}},"label":{{"show":true,"formatter":"{word} {percent}","color":"${role}","position":"{position}"}}}}"#
                ))
            })
            .collect();
        let lines = if place == 0 { lines.join(",") } else { String::new() };
        let dashes = DASHES[place % DASHES.len()];
        let name = if place == 0 { "Error rate" } else { &signal.title };
        let rate = format!(
            r#""type":"line","data":[],"showSymbol":false,"connectNulls":false,"lineStyle":{{"color":"$bad","width":2,"type":{dashes}}},"itemStyle":{{"color":"$bad"}},"areaStyle":{{"color":"$bad","opacity":0.1}},"markLine":{{"symbol":"none","silent":true,"data":[{lines}]}}"#
        );
        self.series(name, &rate, points(signal));
        let faint = r#""type":"scatter","data":[],"symbolSize":5,"itemStyle":{"color":"$bad","opacity":0.3}"#;
        self.series("Few attempts", faint, faded(signal));
    }

    fn panel(&mut self, scene: &Scene, unit: &str, bottom: i32, is_last: bool) {
        self.grid(&format!("\"height\":{PANEL_PLOT},\"bottom\":{bottom}"), is_last);
        let index = self.y.len();
        let of_unit = || scene.values().into_iter().filter(|(_, value)| value.unit == unit);
        let mut titles: Vec<&str> = of_unit().map(|(_, value)| value.title.as_str()).collect();
        titles.dedup();
        let titles = titles.join(", ");
        let name = if unit.is_empty() { titles } else { format!("{titles} ({unit})") };
        let name = quoted(&name);
        let more = format!(
            r#""gridIndex":{index},"scale":true,"splitNumber":2,"name":{name},"nameGap":7,"nameTruncate":{{"maxWidth":280}}"#
        );
        self.y.push(with(&Axis::values(AxisLabel::new()), &more));
        for (place, value) in of_unit() {
            let (colour, dashes) = look(place);
            let line = format!(
                r#""type":"line","data":[],"showSymbol":{},"symbolSize":4,"connectNulls":false,"lineStyle":{{"color":"{colour}","width":1.5,"type":{dashes}}},"itemStyle":{{"color":"{colour}"}}"#,
                is_sparse(value)
            );
            self.series(&super::scene::title(value), &line, values(value));
        }
    }

    /// The lines across each plot: deploys, and in a picture the timeline with its numbers.
    fn verticals(&mut self, scene: &Scene, medium: Medium) {
        let plots = self.grids.len();
        let line = |at: DateTime<Utc>, style: &str, label: &str| {
            format!(
                r#"{{"xAxis":{},"lineStyle":{{"color":"$quiet","type":{style}}},"label":{label}}}"#,
                at.timestamp_millis()
            )
        };
        for plot in 0..plots {
            let deploys = scene.deploys().iter().map(|deploy| line(deploy.at, DASHES[3], r#"{"show":false}"#));
            let mut lines: Vec<String> = deploys.collect();
            if medium == Medium::Picture {
                lines.extend(scene.dashboard.timeline.iter().enumerate().filter_map(|(i, entry)| {
                    let is_first = plot == 0;
                    let label = format!(r#"{{"show":{is_first},"formatter":"{}","color":"$ink"}}"#, i + 1);
                    entry.occurred_at.map(|at| line(at, "\"dotted\"", &label))
                }));
            }
            if !lines.is_empty() {
                let lines = lines.join(",");
                let marks = format!(
                    r#""type":"line","data":[],"silent":true,"markLine":{{"symbol":"none","silent":true,"data":[{lines}]}}"#
                );
                self.series_at(plot, "Marks", &marks, Vec::new());
            }
        }
    }

    fn zoom(&self, scene: &Scene) -> String {
        let all: Vec<String> = (0..self.grids.len()).map(|index| index.to_string()).collect();
        let (from, until) = (scene.view.from.timestamp_millis(), scene.view.until.timestamp_millis());
        let span = format!(
            r#""xAxisIndex":[{}],"filterMode":"none","startValue":{from},"endValue":{until},"minValueSpan":{},"preventDefaultMouseMove":false"#,
            all.join(","),
            scene.least().num_milliseconds()
        );
        let faint = r#"{"lineStyle":{"color":"$quiet"},"areaStyle":{"color":"$rule"}}"#;
        // The slider would write its ends in the browser's zone, whatever the reader chose; and a hand that draws over the
        // chart chooses a stretch, unless it holds Shift.
        format!(
            r#"{{"type":"inside","moveOnMouseMove":"shift",{span}}},{{"type":"slider","bottom":8,"borderColor":"$rule","fillerColor":"rgba(127,127,127,0.15)","showDetail":false,"handleStyle":{{"color":"$surface","borderColor":"$quiet"}},"moveHandleStyle":{{"color":"$rule"}},"dataBackground":{faint},"selectedDataBackground":{faint},{span}}}"#
        )
    }
}

/// A deploy by a short name.
pub fn deployed(deploy: &Deploy) -> String {
    [deploy.name().as_ref(), " ", &deploy.version].concat()
}

/// The points of the rate: every bin, none where there is no bin or it proves little.
fn points(signal: &Signal) -> Vec<f64> {
    let step = TimeDelta::seconds(i64::from(signal.bin_seconds.max(1)));
    let mut points = Vec::with_capacity(signal.bins.len() * 2);
    let mut expected = None;
    for bin in &signal.bins {
        // Of a thinned signal bins are left out, and where there are none it says so itself.
        if let Some(at) = expected.filter(|at| *at != bin.at && !signal.thinned) {
            points.extend([millis(at), f64::NAN]);
        }
        let share = bin.ratio().share().filter(|_| bin.denominator >= signal.floor);
        points.extend([millis(bin.at), share.map_or(f64::NAN, |share| share * 100.0)]);
        expected = Some(bin.at + step);
    }
    points
}

fn faded(signal: &Signal) -> Vec<f64> {
    let few = signal.bins.iter().filter(|bin| bin.denominator < signal.floor);
    few.filter_map(|bin| Some([millis(bin.at), bin.ratio().share()? * 100.0])).flatten().collect()
}

fn values(value: &ValueSignal) -> Vec<f64> {
    value.points.iter().flat_map(|point| [millis(point.at), point.value.unwrap_or(f64::NAN)]).collect()
}

/// Whether a value has a point that no line leads to or from, which would not be seen.
fn is_sparse(value: &ValueSignal) -> bool {
    let is_there = |i: usize| value.points.get(i).is_some_and(|point| point.value.is_some());
    (0..value.points.len()).any(|i| is_there(i) && !is_there(i + 1) && (i == 0 || !is_there(i - 1)))
}

/// The top of the scale in percent: above the highest solid bin and the alert line, in steps of ten.
#[expect(clippy::cast_possible_truncation, reason = "it lies between 10 and 100")]
pub fn ceiling(scene: &Scene) -> i32 {
    let ratios = scene.ratios();
    let solid = ratios.iter().flat_map(|(_, signal)| signal.bins.iter().filter(|bin| bin.denominator >= signal.floor));
    let shares = solid.filter_map(|bin| bin.ratio().share());
    let highest = shares.chain(scene.dashboard.thresholds.alert).fold(0.0, f64::max);
    let air = if (highest * 10.0).fract() > 0.8 { 10.0 } else { 0.0 };
    ((highest * 10.0).ceil() * 10.0 + air).clamp(10.0, 100.0) as i32
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::scene::tests::example;
    use super::*;

    fn built(scene: &Scene, medium: Medium) -> (serde_json::Value, Vec<Vec<f64>>) {
        let drawing = Drawing::new(scene, medium, 1000);
        (serde_json::from_str(&drawing.json).expect("JSON"), drawing.numbers)
    }

    fn names(option: &serde_json::Value) -> Vec<&str> {
        option["series"].as_array().expect("series").iter().map(|s| s["name"].as_str().expect("a name")).collect()
    }

    #[test]
    fn the_option_has_every_series_on_one_time_axis() {
        let (option, numbers) = built(&example(), Medium::Screen);
        assert_eq!(
            names(&option),
            [
                "Error rate",
                "Few attempts",
                "Queue length (queue=retries)",
                "Marks",
                "Marks",
                "Flag on",
                "checkout-sync-retries state not known",
                "checkout-sync-retries off",
                "Deploys"
            ]
        );
        let lines = &option["series"][0]["markLine"]["data"];
        assert_eq!((&lines[0]["yAxis"], &lines[1]["yAxis"]), (&5.into(), &serde_json::Value::Null), "one is known");
        assert_eq!(lines[0]["label"]["formatter"], "alert above 5%");
        let axes: Vec<_> = option["yAxis"].as_array().expect("axes").iter().map(|axis| axis["name"].as_str()).collect();
        assert_eq!(axes, [None, Some("Queue length (jobs)"), Some("checkout-sync-retries"), Some("Deploys")]);
        let labelled: Vec<_> =
            option["xAxis"].as_array().expect("axes").iter().map(|axis| axis["axisLabel"]["show"].as_bool()).collect();
        assert_eq!(labelled, [Some(false), Some(true), Some(false), Some(false)], "below the last plot");
        for zoom in option["dataZoom"].as_array().expect("zooms") {
            assert_eq!(zoom["xAxisIndex"], serde_json::json!([0, 1, 2, 3]));
        }
        assert_eq!(numbers.len(), names(&option).len());
        assert_eq!(numbers[2].len(), 4, "a point, and one where nothing is known");
        assert!(numbers[2][3].is_nan());
    }

    #[test]
    fn a_picture_stands_still_and_has_the_marks_in_it() {
        let scene = example();
        let (option, _) = built(&scene, Medium::Picture);
        assert_eq!(option["dataZoom"], serde_json::json!([]));
        for axis in option["xAxis"].as_array().expect("axes") {
            assert_eq!(axis["min"], scene.view.from.timestamp_millis());
            assert_eq!(axis["max"], scene.view.until.timestamp_millis());
        }
        let marks = option["series"].as_array().expect("series").iter().find(|series| series["name"] == "Marks");
        let numbered: Vec<_> = marks.expect("marks")["markLine"]["data"]
            .as_array()
            .expect("lines")
            .iter()
            .filter_map(|line| line["label"]["formatter"].as_str())
            .collect();
        assert!(!numbered.is_empty() && numbered.len() == scene.dashboard.timeline.len(), "{numbered:?}");
        assert!(beside(&scene, Medium::Picture) < beside(&scene, Medium::Screen));
    }

    #[test]
    fn what_is_switched_off_takes_no_room() {
        let mut scene = example();
        let (all, alone) = (beside(&scene, Medium::Screen), |hidden: &[&str], scene: &mut Scene| {
            scene.hidden = Arc::new(hidden.iter().map(|key| (*key).to_owned()).collect());
            let (option, _) = built(scene, Medium::Screen);
            (beside(scene, Medium::Screen), names(&option).join("|"))
        });
        let (height, drawn) = alone(&["sig_2"], &mut scene);
        assert!(height == all - PANEL && !drawn.contains("Queue"), "{drawn}");
        let (height, drawn) = alone(&["deploys", "flag:checkout-sync-retries"], &mut scene);
        assert!(height == all - 2 * LANE && !drawn.contains("checkout") && !drawn.contains("Deploys"), "{drawn}");
        let (_, drawn) = alone(&["sig_1"], &mut scene);
        assert!(!drawn.contains("Error rate") && !has_rate(&scene), "{drawn}");
        let (_, drawn) = alone(&["sig_1", "sig_2"], &mut scene);
        assert!(has_rate(&scene), "an empty plot rather than none: {drawn}");
    }

    #[test]
    fn colours_take_the_place_of_roles_and_of_nobodys_words() {
        let mut scene = example();
        Arc::make_mut(&mut scene.dashboard).flags[0].flag = "a \"$bad\" \\ flag".into();
        let palette = Palette(ROLES.iter().map(|role| (*role, format!("rgb({role})"))).collect());
        let painted = palette.paint(&Drawing::new(&scene, Medium::Screen, 1000).json);
        let option: serde_json::Value = serde_json::from_str(&painted).expect("JSON");
        assert_eq!(option["series"][0]["lineStyle"]["color"], "rgb(bad)");
        assert_eq!(option["yAxis"][2]["name"], "a \"$bad\" \\ flag");
        assert!(!painted.replace("\\u0024", "").contains('$'), "{painted}");
    }

    #[test]
    fn a_bin_with_few_attempts_is_faded_and_a_missing_one_is_a_gap() {
        let mut scene = example();
        let series = Arc::make_mut(&mut scene.series);
        let signal = &mut series.items[0];
        let mut late = signal.bins[0];
        late.at += TimeDelta::minutes(5);
        late.denominator = 19;
        signal.bins.push(late);
        assert_eq!(points(signal).len(), 6, "a point, a gap, and a point without a value");
        assert_eq!(faded(signal).len(), 2);
        signal.thinned = true;
        assert_eq!(points(signal).len(), 4, "what was left out is no gap");
        assert_eq!(ceiling(&scene), 10);
    }

    #[test]
    fn a_point_alone_is_drawn_as_one() {
        let mut value = example().series.values[0].clone();
        assert!(is_sparse(&value));
        let mut next = value.points[0];
        next.at += TimeDelta::seconds(1);
        value.points.insert(1, next);
        assert!(!is_sparse(&value));
    }
}
