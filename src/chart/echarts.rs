//! ECharts in the page: loaded where a chart is, once.

use leptos::prelude::document;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Where the bundle is; its name holds a hash of its content.
const BUNDLE: &str = env!("CHART_BUNDLE");

#[wasm_bindgen]
extern "C" {
    /// A chart in the page.
    #[derive(Clone)]
    pub type Chart;

    #[wasm_bindgen(js_namespace = echarts, catch)]
    fn init(element: &web_sys::Element) -> Result<Chart, JsValue>;

    #[wasm_bindgen(js_namespace = echarts, js_name = init, catch)]
    fn init_with(element: &JsValue, theme: &JsValue, shape: &JsValue) -> Result<Chart, JsValue>;

    /// The drawing as the text of an SVG, where it was started as a picture.
    #[wasm_bindgen(method, js_name = renderToSVGString)]
    pub fn svg(this: &Chart) -> String;

    /// Draws an option.
    #[wasm_bindgen(method, js_name = setOption)]
    pub fn set_option(this: &Chart, option: &JsValue, afresh: bool);

    /// The option as it now is.
    #[wasm_bindgen(method, js_name = getOption)]
    pub fn get_option(this: &Chart) -> JsValue;

    /// Fits the chart to its element.
    #[wasm_bindgen(method)]
    pub fn resize(this: &Chart);

    /// Ends the chart.
    #[wasm_bindgen(method)]
    pub fn dispose(this: &Chart);

    /// Listens.
    #[wasm_bindgen(method)]
    pub fn on(this: &Chart, event: &str, listener: &Closure<dyn FnMut(JsValue)>);
}

/// Loads the library, unless it is there.
pub async fn load() -> Result<(), JsValue> {
    if js_sys::Reflect::has(&js_sys::global(), &"echarts".into())? {
        return Ok(());
    }
    let loaded = js_sys::Promise::new(&mut |resolve, reject| {
        let Ok(script) = document().create_element("script") else {
            let _ = reject.call0(&JsValue::NULL);
            return;
        };
        let script: web_sys::HtmlScriptElement = script.unchecked_into();
        script.set_src(BUNDLE);
        script.set_onload(Some(&resolve));
        script.set_onerror(Some(&reject));
        if let Some(head) = document().head() {
            let _ = head.append_child(&script);
        }
    });
    JsFuture::from(loaded).await.map(|_| ())
}

/// A chart in this element.
pub fn start(element: &web_sys::Element) -> Result<Chart, JsValue> {
    init(element)
}

/// A chart in no element, of this size, to be had as SVG.
pub fn picture(width: i32, height: i32) -> Result<Chart, JsValue> {
    let shape = format!(r#"{{"renderer":"svg","ssr":true,"width":{width},"height":{height}}}"#);
    init_with(&JsValue::NULL, &JsValue::NULL, &js_sys::JSON::parse(&shape)?)
}
