//! The lanes below the plots: each flag's states, and the deploys. Pure.

use domain::flag::{self, FlagSpan};
use domain::incident::Window;

use super::option::{Parts, deployed, quoted};
use super::scene::Scene;

/// What is said of a flag whose state nobody knows.
const NOT_KNOWN: &str = "state not known";

/// The lines of the bands' patterns, so that each flag's band is told by more than its colour.
const HATCHES: [&str; 4] = ["M-1 1 1-1M0 9 9 0M8 10 10 8", "M-1 8 1 10M0 0 9 9M8-1 10 1", "M4.5 0V9", "M0 4.5H9"];

/// The name of the series that draws a flag's band behind the plots.
pub const BAND: &str = "Flag on";

/// How many lanes there are.
pub fn count(scene: &Scene) -> i32 {
    i32::try_from(scene.flags().len() + usize::from(!scene.deploys().is_empty())).unwrap_or(0)
}

/// The pattern of a flag's band, by its place among all, as ECharts takes it.
pub fn hatch(place: usize) -> String {
    let lines = HATCHES[place % HATCHES.len()];
    // Its size is said besides: a picture that is written as text is drawn before this one is loaded.
    format!(
        r#"{{"image":"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='9' height='9'%3E%3Cpath d='{lines}' stroke='$flag'/%3E%3C/svg%3E","repeat":"repeat","imageWidth":9,"imageHeight":9}}"#
    )
}

/// Adds the lanes; the last ends so many pixels above the drawing's bottom, less the lanes.
pub fn add(parts: &mut Parts, scene: &Scene, above: i32) {
    let mut bottom = above;
    for (place, name) in scene.flags() {
        bottom -= 36;
        let spans = flag::spans(&scene.dashboard.flags, &name, parts.span().from, parts.span().until);
        parts.band(place, &spans);
        parts.lane(&name, bottom);
        for state in states(&spans) {
            parts.states(&name, state, &spans, scene.view);
        }
    }
    if !scene.deploys().is_empty() {
        parts.lane("Deploys", bottom - 36);
        parts.deploys(scene);
    }
}

fn area(span: &FlagSpan<'_>, name: &str) -> String {
    let (from, until) = (span.from.timestamp_millis(), span.until.timestamp_millis());
    format!(r#"[{{"name":{},"xAxis":{from}}},{{"xAxis":{until}}}]"#, quoted(name))
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

impl Parts {
    /// The band behind the first plot while a flag was on.
    fn band(&mut self, place: usize, spans: &[FlagSpan<'_>]) {
        let on = spans.iter().filter(|span| span.state.is_some_and(|state| state != "off"));
        let areas: Vec<String> = on.map(|span| area(span, "")).collect();
        let band = format!(
            r#""type":"line","data":[],"silent":true,"markArea":{{"silent":true,"itemStyle":{{"color":{},"opacity":0.25}},"label":{{"show":false}},"data":[{}]}}"#,
            hatch(place),
            areas.join(",")
        );
        self.series_at(0, BAND, &band, Vec::new());
    }

    /// A flag's lane in one of its states: filled while on, an outline while off, dashed while nobody knows.
    fn states(&mut self, name: &str, state: Option<&str>, spans: &[FlagSpan<'_>], view: Window) {
        let word = state.unwrap_or(NOT_KNOWN);
        let shown = |span: &FlagSpan<'_>| if state.is_none() && is_narrow(span, view) { "?" } else { word };
        let areas: Vec<String> =
            spans.iter().filter(|span| span.state == state).map(|span| area(span, shown(span))).collect();
        let (fill, edge, ink) = match state {
            Some("off") => ("transparent", "solid", "$flag"),
            None => ("transparent", "dashed", "$quiet"),
            Some(_) => ("$flag", "solid", "$surface"),
        };
        let lane = format!(
            r#""type":"line","data":[],"silent":true,"markArea":{{"silent":true,"itemStyle":{{"color":"{fill}","borderColor":"$flag","borderWidth":1,"borderType":"{edge}"}},"label":{{"show":true,"position":"inside","color":"{ink}","fontSize":10}},"data":[{}]}}"#,
            areas.join(",")
        );
        self.series(&format!("{name} {word}"), &lane, Vec::new());
    }

    /// Each deploy as a diamond, with its name where there is room.
    fn deploys(&mut self, scene: &Scene) {
        let marks: Vec<String> = scene
            .deploys()
            .iter()
            .map(|deploy| {
                format!(r#"{{"name":{},"value":[{},0.5]}}"#, quoted(&deployed(deploy)), deploy.at.timestamp_millis())
            })
            .collect();
        let marks = format!(
            r#""type":"scatter","data":[{}],"symbol":"diamond","symbolSize":11,"itemStyle":{{"color":"$ink"}},"label":{{"show":true,"formatter":"{{b}}","position":"right","color":"$ink","fontSize":10}},"labelLayout":{{"hideOverlap":true}}"#,
            marks.join(",")
        );
        self.series("Deploys", &marks, Vec::new());
    }
}
