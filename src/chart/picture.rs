//! The chart as a file: a picture with its title, zone and legend on plain ground, or its numbers.

use domain::wire::paths;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{HtmlAnchorElement, HtmlCanvasElement, HtmlImageElement};

use super::canvas::palette;
use super::figure::Plotted;
use super::legend::{drawn, entries};
use super::option::{LEFT, Palette};
use super::paper;
use super::scene::Scene;
use crate::client;
use crate::components::Asking;
use crate::format;
use crate::state::zone::Zone;

/// What the chart is taken away as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// A picture of pixels.
    Png,
    /// A picture of lines.
    Svg,
    /// The numbers.
    Csv,
}

/// How wide a picture is at least and at most, in its own pixels.
const WIDTHS: (i32, i32) = (720, 1600);

/// The height of the title with its line below, and of a line of the legend.
const HEAD: i32 = 56;
const LINE: i32 = 20;

/// What lies around a picture's chart.
const MARGIN: i32 = 16;

/// How many pixels of a picture of pixels there are to one of its own.
const SHARPNESS: f64 = 2.0;

const NOT_DRAWN: &str = "The chart could not be drawn as a picture. Its numbers can be saved as CSV.";

/// Gives the chart as a file, or begins to; why not where it cannot.
pub fn take(plotted: Plotted, as_what: Take, asking: Asking) -> Result<(), String> {
    let scene = plotted.scene.get_untracked().ok_or(NOT_DRAWN)?;
    let zone = plotted.charted.zone.get_untracked();
    let link = plotted.charted.link.map(|link| link.get_untracked());
    if as_what == Take::Csv {
        let path = link
            .map_or_else(|| paths::signals_csv(scene.dashboard.id.as_str()), |link| paths::shared_signals_csv(&link));
        let hidden = paths::segment(&scene.hidden.join("\n"));
        let address = [&path, "?", &client::incidents::ends(scene.view), "&hide=", &hidden].concat();
        return save(&address, &[&name(&scene, &zone), ".csv"].concat());
    }
    let place = plotted.place.get_untracked().ok_or(NOT_DRAWN)?;
    let width = plotted.size.get_untracked().0.clamp(WIDTHS.0, WIDTHS.1);
    let palette = palette(&place, false);
    let (svg, height) = picture(&scene, &palette, width, &zone).ok_or(NOT_DRAWN)?;
    let name = name(&scene, &zone);
    let address = ["data:image/svg+xml,", &String::from(js_sys::encode_uri_component(&svg))].concat();
    if as_what == Take::Svg {
        return save(&address, &[&name, ".svg"].concat());
    }
    spawn_local(async move {
        let saved = match pixels(&address, width, height).await {
            Ok(pixels) => save(&pixels, &[&name, ".png"].concat()),
            Err(_) => Err(NOT_DRAWN.to_owned()),
        };
        if let Err(why) = saved {
            asking.fail(why);
        }
    });
    Ok(())
}

/// "INC-1-error-rate-2026-07-09-0916-UTC": what the file is called, less what kind it is.
pub fn name(scene: &Scene, zone: &Zone) -> String {
    let (day, time) = (format::day(scene.view.from, zone), format::time_with_zone(scene.view.from, zone));
    let name = format!("{}-error-rate-{day}-{time}", scene.dashboard.name);
    name.chars()
        .filter(|letter| *letter != ':')
        .map(|letter| if letter.is_ascii_alphanumeric() || "+-".contains(letter) { letter } else { '-' })
        .collect()
}

/// A picture of what is shown with its title, and its height.
fn picture(scene: &Scene, palette: &Palette, width: i32, zone: &Zone) -> Option<(String, i32)> {
    let (chart, chart_height) = paper::svg(scene, palette, width - 2 * MARGIN, zone)?;
    let (framed, height) = framed(scene, &chart, (width, chart_height), Some(zone));
    Some((palette.paint(&framed), height))
}

/// A drawing of so many pixels with its legend below, in roles, and its height; in a zone, with its title and ground.
pub fn framed(scene: &Scene, chart: &str, (width, chart_height): (i32, i32), zone: Option<&Zone>) -> (String, i32) {
    let (head, left) = if zone.is_some() { (HEAD, MARGIN) } else { (0, 0) };
    let shown: Vec<_> = entries(scene).into_iter().filter(|entry| entry.is_shown).collect();
    let mut lines = Vec::with_capacity(shown.len());
    let mut y = head + chart_height + 12;
    for entry in &shown {
        let sample = roled(&drawn(&entry.sample));
        let (name, looks) = (escaped(&entry.name), &entry.looks);
        let (top, x, after) = (y - 10, left + LEFT, left + LEFT + 36);
        lines.push(format!(
            r#"<svg x="{x}" y="{top}" width="28" height="12">{sample}</svg><text x="{after}" y="{y}" fill="$quiet">{name} – {looks}</text>"#
        ));
        y += LINE;
    }
    let (legend, height) = (lines.concat(), y + 8);
    let title = zone.map_or_else(String::new, |zone| titled(scene, width, height, zone));
    let text = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif" font-size="12">{title}<g transform="translate({left} {head})">{chart}</g>{legend}</svg>"#
    );
    (text, height)
}

/// The ground of a picture, what it is of, and when that was.
fn titled(scene: &Scene, width: i32, height: i32, zone: &Zone) -> String {
    let (dashboard, view) = (&scene.dashboard, scene.view);
    let title = escaped(&[&dashboard.name, ": ", &dashboard.title].concat());
    let (day, range) = (format::date(view.from, zone), format::range(view.from, view.until, zone));
    // The range says the days itself where there are several.
    let when = escaped(&if range.contains(&day) { range } else { format!("{day}, {range}") });
    format!(
        r#"<rect width="{width}" height="{height}" fill="$surface"/><text x="{MARGIN}" y="26" font-size="16" font-weight="600" fill="$ink">{title}</text><text x="{MARGIN}" y="46" fill="$quiet">{when} – Error rate against the flag</text>"#
    )
}

/// A sample of the legend with colours in the place of the page's classes.
fn roled(sample: &str) -> String {
    sample.replace("class='ink solid'", "fill='$ink'").replace("class='", "stroke='$")
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    // No colour is put into people's words.
    text.replace('$', "&#36;")
}

/// The address of the picture's pixels.
async fn pixels(svg: &str, width: i32, height: i32) -> Result<String, JsValue> {
    let image = HtmlImageElement::new()?;
    image.set_src(svg);
    JsFuture::from(image.decode()).await?;
    let canvas: HtmlCanvasElement = document().create_element("canvas")?.unchecked_into();
    let scaled = |length: i32| u32::try_from(length * 2).unwrap_or(0);
    canvas.set_width(scaled(width));
    canvas.set_height(scaled(height));
    let context: web_sys::CanvasRenderingContext2d = canvas.get_context("2d")?.ok_or(JsValue::NULL)?.unchecked_into();
    context.scale(SHARPNESS, SHARPNESS)?;
    context.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, f64::from(width), f64::from(height))?;
    let made = js_sys::Promise::new(&mut |resolve, reject| {
        let made = Closure::once_into_js(move |blob: JsValue| {
            let taken =
                if blob.is_null() { reject.call0(&JsValue::NULL) } else { resolve.call1(&JsValue::NULL, &blob) };
            let _ = taken;
        });
        let _ = canvas.to_blob(made.unchecked_ref());
    });
    let blob: web_sys::Blob = JsFuture::from(made).await?.unchecked_into();
    web_sys::Url::create_object_url_with_blob(&blob)
}

/// Has the browser save what is at an address under a name.
fn save(address: &str, name: &str) -> Result<(), String> {
    let link: HtmlAnchorElement = document().create_element("a").map_err(|_| NOT_DRAWN.to_owned())?.unchecked_into();
    link.set_href(address);
    link.set_download(name);
    link.click();
    if address.starts_with("blob:") {
        let address = address.to_owned();
        // The browser has begun to read it by then.
        set_timeout(move || drop(web_sys::Url::revoke_object_url(&address)), std::time::Duration::from_mins(1));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::scene::tests::example;
    use super::*;

    #[test]
    fn a_file_is_named_after_its_incident_and_what_it_shows() {
        assert_eq!(name(&example(), &Zone::Utc), "INC-1-error-rate-2026-07-09-0916-UTC");
        assert_eq!(name(&example(), &Zone::Named("+05:45".into())), "INC-1-error-rate-2026-07-09-1501-GMT+545");
    }

    #[test]
    fn a_picture_says_what_it_is_of_in_which_zone_and_what_is_what() {
        let mut scene = example();
        std::sync::Arc::make_mut(&mut scene.dashboard).title = "<b>$bad & worse".into();
        scene.hidden = std::sync::Arc::new(vec!["deploys".into()]);
        let (text, height) = framed(&scene, "<svg/>", (800, 400), Some(&Zone::Utc));
        let text = Palette(vec![("bad", "red".into())]).paint(&text);
        for part in [
            "INC-1: &lt;b>&#36;bad &amp; worse",
            "9 July 2026, 09:16–10:46 UTC",
            "Error rate – solid",
            "Queue length (queue=retries) (jobs) – solid",
            "Flag checkout-sync-retries – hatched while on",
            "stroke='red'",
            "<svg/>",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("Deploys") && height > 400);
    }
}
