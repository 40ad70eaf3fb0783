//! The chart on paper: lines instead of pixels, in the colours of paper, whatever the screen's theme.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use super::canvas::palette;
use super::dress::dressed;
use super::echarts;
use super::figure::Plotted;
use super::option::{self, Medium, Palette};
use super::picture::framed;
use super::scene::Scene;
use crate::state::zone::Zone;
use crate::view::view;

/// How wide the chart is on paper, in pixels: what A4 has between its margins.
const WIDTH: i32 = 680;

/// How high the plot of the error rate is in a picture.
const PLOT: i32 = 220;

/// The drawing as the text of an SVG, and its height.
pub fn svg(scene: &Scene, palette: &Palette, width: i32, zone: &Zone) -> Option<(String, i32)> {
    let plot = if option::has_rate(scene) { PLOT } else { 0 };
    let height = option::beside(scene, Medium::Picture) + plot;
    let chart = echarts::picture(width, height).ok()?;
    let drawn = dressed(scene, Medium::Picture, palette, width, zone).map(|option| {
        chart.set_option(&option, true);
        chart.svg()
    });
    chart.dispose();
    Some((without_styles(&drawn?), height))
}

/// What a pointer would change is styled in the text; the page allows no such style, and paper has no pointer.
fn without_styles(svg: &str) -> String {
    let mut parts = svg.split("<style");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + part.split_once("</style>").map_or("", |(_, rest)| rest))
}

/// Draws the chart for paper when the page is about to be printed.
#[component]
pub fn Paper(
    /// What is drawn.
    plotted: Plotted,
) -> impl IntoView {
    let printed = RwSignal::new(None::<String>);
    let print = move || {
        if let Some((scene, element)) = plotted.scene.get_untracked().zip(plotted.place.get_untracked()) {
            let palette = palette(&element, true);
            let drawn = svg(&scene, &palette, WIDTH, &plotted.charted.zone.read_untracked());
            let framed = drawn.map(|(chart, height)| framed(&scene, &chart, (WIDTH, height), None).0);
            printed.set(framed.map(|framed| palette.paint(&framed)));
        }
    };
    let before = window_event_listener(ev::Custom::<web_sys::Event>::new("beforeprint"), move |_| print());
    let after = window_event_listener(ev::Custom::<web_sys::Event>::new("afterprint"), move |_| printed.set(None));
    // Whoever looks at the page as it will be printed fires no event of printing.
    let paper = window().match_media("print").ok().flatten();
    let looked = paper.clone();
    let look = Closure::<dyn FnMut()>::new(move || match &looked {
        Some(paper) if paper.matches() => print(),
        _ => printed.set(None),
    });
    if let Some(paper) = &paper {
        paper.set_onchange(Some(look.as_ref().unchecked_ref()));
    }
    let kept = StoredValue::new_local(Some((paper, look)));
    on_cleanup(move || {
        before.remove();
        after.remove();
        if let Some(Some((Some(paper), _))) = kept.try_update_value(Option::take) {
            paper.set_onchange(None);
        }
    });
    view! { <div class="paper" inner_html=move || printed.get().unwrap_or_default()></div> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_taken_out_and_nothing_else() {
        let svg = "<svg><style ><![CDATA[a:hover{}]]></style><path/><style>b</style></svg>";
        assert_eq!(without_styles(svg), "<svg><path/></svg>");
        assert_eq!(without_styles("<svg/>"), "<svg/>");
    }
}
