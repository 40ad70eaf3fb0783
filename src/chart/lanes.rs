//! The lanes below the plots: each flag's states, and the deploys. Pure.

use chrono::TimeDelta;
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

/// Adds the lanes, of which the first begins so many pixels above the drawing's bottom, on so many pixels of time axis.
pub fn add(parts: &mut Parts, scene: &Scene, above: i32, width: i32) {
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
        parts.deploys(scene, width);
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

    /// Each deploy as a diamond, with its name where there is room for it before the next.
    fn deploys(&mut self, scene: &Scene, width: i32) {
        let (deploys, view) = (scene.deploys(), scene.view);
        let marks: Vec<String> = deploys
            .iter()
            .enumerate()
            .map(|(i, deploy)| {
                let (service, version) = (&deploy.service, &deploy.version);
                let next = deploys.get(i + 1).map_or(view.until, |next| next.at.min(view.until));
                let room = pixels(next - deploy.at, view, width);
                let names = [deployed(deploy), format!("{service} {version}"), version.clone()];
                let name = names.into_iter().find(|name| room_of(name) <= room).unwrap_or_default();
                format!(r#"{{"name":{},"value":[{},0.5]}}"#, quoted(&name), deploy.at.timestamp_millis())
            })
            .collect();
        let marks = format!(
            r#""type":"scatter","data":[{}],"symbol":"diamond","symbolSize":11,"itemStyle":{{"color":"$ink","opacity":1}},"label":{{"show":true,"formatter":"{{b}}","position":"right","color":"$ink","fontSize":10}}"#,
            marks.join(",")
        );
        self.series("Deploys", &marks, Vec::new());
    }
}

/// How many pixels of a view a length of time takes.
fn pixels(length: TimeDelta, view: Window, width: i32) -> i64 {
    length.num_milliseconds() * i64::from(width) / (view.until - view.from).num_milliseconds().max(1)
}

/// How many pixels a deploy with this name takes: its diamond, and letters of ten pixels' height.
fn room_of(name: &str) -> i64 {
    16 + i64::try_from(name.chars().count()).unwrap_or(i64::MAX / 8) * 6
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

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
    fn a_deploy_has_as_much_of_its_name_as_there_is_room_for() {
        let mut scene = super::super::scene::tests::example();
        let dashboard = std::sync::Arc::make_mut(&mut scene.dashboard);
        let mut second = dashboard.deploys[0].clone();
        second.at += TimeDelta::minutes(9);
        dashboard.deploys.push(second);
        let first = |width| {
            let drawing = super::super::option::Drawing::new(&scene, super::super::option::Medium::Screen, width);
            let option: serde_json::Value = serde_json::from_str(&drawing.json).expect("JSON");
            let series = option["series"].as_array().expect("series").last().expect("the deploys").clone();
            series["data"][0]["name"].as_str().expect("a name").to_owned()
        };
        assert_eq!(
            [4000, 2000, 1000, 300].map(first),
            ["checkout (production) 2026.07.09-1", "checkout 2026.07.09-1", "2026.07.09-1", ""]
        );
    }

    #[test]
    fn each_of_some_flags_has_a_pattern_of_its_own() {
        let mut patterns: Vec<_> = (0..4).map(hatch).collect();
        patterns.dedup();
        assert_eq!(patterns.len(), 4);
    }
}
