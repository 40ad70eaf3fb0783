//! The axes of the chart, made of charming's elements.
//!
//! charming's own axis would bring the writers of everything that any axis can have, 5 KB of which these have nothing.

use charming::element::{AxisLabel, AxisLine, AxisTick, AxisType, LineStyle, SplitLine, TextStyle};
use serde::Serialize;

/// An axis, without its place, its limits and its name.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Axis {
    #[serde(rename = "type")]
    kind: AxisType,
    #[serde(rename = "axisLabel")]
    label: AxisLabel,
    #[serde(rename = "axisLine")]
    line: AxisLine,
    #[serde(rename = "axisTick")]
    tick: AxisTick,
    split_line: SplitLine,
    name_text_style: TextStyle,
}

impl Axis {
    fn new(kind: AxisType, label: AxisLabel, has_line: bool, split_line: SplitLine) -> Self {
        Self {
            kind,
            label: label.color("$quiet"),
            line: AxisLine::new().show(has_line),
            tick: AxisTick::new().show(has_line),
            split_line,
            name_text_style: TextStyle::new().color("$quiet").align("left"),
        }
    }

    /// The time, with its labels or without.
    pub fn time(has_labels: bool) -> Self {
        Self::new(AxisType::Time, AxisLabel::new().show(has_labels), has_labels, SplitLine::new().show(false))
    }

    /// Values, with a line across the plot at each of its labels.
    pub fn values(label: AxisLabel) -> Self {
        let rules = SplitLine::new().line_style(LineStyle::new().color("$rule"));
        Self::new(AxisType::Value, label, false, rules)
    }

    /// The height of a lane, in which there is nothing to read.
    pub fn lane() -> Self {
        Self::new(AxisType::Value, AxisLabel::new().show(false), false, SplitLine::new().show(false))
    }
}
