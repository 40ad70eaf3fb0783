//! The built front end, embedded: its files, precompressed, with the headers that a browser may rely on.

use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use domain::wire::paths;
use domain::wire::problem::ProblemKind;
use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};

use crate::digest::hex;
use crate::routes::error::ApiError;

/// What Trunk built, if it was there when the server was compiled.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../dist"]
#[allow_missing = true]
struct Dist;

const SHELL: &str = "index.html";

const NO_FRONT_END: &str = "<!doctype html><html lang=\"en\"><title>Debrief</title><h1>Debrief</h1>\
<p>This server was built without its pages; build it with <code>make build</code>. The API is at \
<a href=\"/openapi.json\">/openapi.json</a>.</p></html>";

/// The policy of every page: nothing from elsewhere, no script but the app's, no eval.
static CONTENT_SECURITY_POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let shell = Dist::get(SHELL).map(|file| String::from_utf8_lossy(&file.data).into_owned()).unwrap_or_default();
    let policy = content_security_policy(&shell);
    HeaderValue::from_str(&policy).unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'"))
});

fn content_security_policy(shell: &str) -> String {
    let mut sources = vec!["'self'".to_owned(), "'wasm-unsafe-eval'".to_owned()];
    sources.extend(inline_scripts(shell).map(|script| {
        format!("'sha256-{}'", base64::engine::general_purpose::STANDARD.encode(Sha256::digest(script)))
    }));
    let sources = sources.join(" ");
    format!(
        "default-src 'none'; script-src {sources}; style-src 'self'; \
         style-src-attr 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
         form-action 'self'; frame-ancestors 'none'"
    )
}

/// The bodies of the scripts that stand in the page itself.
fn inline_scripts(html: &str) -> impl Iterator<Item = &str> {
    html.split("<script").skip(1).filter_map(|rest| {
        let (attributes, tail) = rest.split_once('>')?;
        let body = tail.split_once("</script>")?.0;
        (!attributes.contains(" src=") && !body.is_empty()).then_some(body)
    })
}

/// Where programs look for what is not here; the app's page would seem to be an answer to them.
const FOR_PROGRAMS: [&str; 2] = ["api", "metrics"];

/// Answers everything that is neither API nor machine endpoint: a file of the front end, or the app's page.
pub async fn serve_front_end(request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/').to_owned();
    let first = path.split('/').next().unwrap_or_default();
    if FOR_PROGRAMS.iter().any(|name| first.eq_ignore_ascii_case(name)) {
        return ApiError::not_found("no such path for programs; /openapi.json lists them").into_response();
    }
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return ApiError::of(ProblemKind::MethodNotAllowed, "pages and files can only be read").into_response();
    }
    let is_page = path.is_empty() || path == SHELL || !path.rsplit('/').next().unwrap_or_default().contains('.');
    let name = if is_page { SHELL } else { path.as_str() };
    match file(name, request.headers()) {
        Some(mut response) => {
            if let Some(link) = preloaded(request.uri().path()).filter(|_| is_page) {
                response.headers_mut().insert(header::LINK, link);
            }
            response
        }
        None if is_page => ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], NO_FRONT_END).into_response(),
        None => (StatusCode::NOT_FOUND, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], "no such file\n")
            .into_response(),
    }
}

/// What a page will ask for as soon as it runs, so that the browser fetches it together with the program.
fn preloaded(path: &str) -> Option<HeaderValue> {
    let links: Vec<_> = match path.strip_prefix("/incidents/") {
        Some(name) => answer_for(name)
            .map_or_else(Vec::new, |answer| Some(answer).into_iter().chain(part_file("charting")).collect()),
        None => parts_for(path).iter().filter_map(|part| part_file(part)).collect(),
    };
    let links: Vec<_> =
        links.iter().map(|link| format!("<{link}>; rel=preload; as=fetch; crossorigin=anonymous")).collect();
    HeaderValue::from_str(&links.join(", ")).ok().filter(|value| !value.is_empty())
}

/// The answer for an incident's page. It must be the very address that the page asks for, so only names that need no
/// escaping count.
fn answer_for(name: &str) -> Option<String> {
    (!name.is_empty() && paths::segment(name) == name).then(|| paths::incident(name))
}

/// The parts of the program that a page is drawn with, beside the first file.
fn parts_for(path: &str) -> &'static [&'static str] {
    let mut segments = path.trim_matches('/').split('/');
    match (segments.next(), segments.next(), segments.next()) {
        (Some(""), None, _) => &["shared", "incidents"],
        (Some("actions"), None, _) => &["shared", "actions"],
        (Some("settings"), _, None) => &["shared", "settings"],
        (Some("sign-in"), None, _) => &["shared", "sign_in"],
        (Some("s"), Some(_), None) => &["charting"],
        _ => &[],
    }
}

/// The address of a part's file, as `scripts/finish.mjs` named it.
fn part_file(part: &str) -> Option<String> {
    let start = format!("debrief-app-{part}-");
    Dist::iter().find(|name| name.starts_with(&start) && name.ends_with(".wasm")).map(|name| format!("/{name}"))
}

fn file(name: &str, request: &HeaderMap) -> Option<Response> {
    if matches!(name.rsplit('.').next(), Some("br" | "gz")) {
        return None;
    }
    let plain = Dist::get(name)?;
    let accepted = request.get(header::ACCEPT_ENCODING).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let coded = [("br", "br"), ("gzip", "gz")]
        .into_iter()
        .filter(|(coding, _)| accepts(accepted, coding))
        .find_map(|(coding, suffix)| Some((coding, Dist::get(&format!("{name}.{suffix}"))?)));
    let (coding, data) = match coded {
        Some((coding, file)) => (Some(coding), file.data),
        None => (None, plain.data),
    };
    let hash = hex(&plain.metadata.sha256_hash()[..8]);
    let etag = format!("\"{hash}-{}\"", coding.unwrap_or("id"));
    let caching = if is_hashed(name) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let unchanged = request
        .get(header::IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.split(',').any(|tag| tag.trim().trim_start_matches("W/") == etag));
    let mut response =
        if unchanged { StatusCode::NOT_MODIFIED.into_response() } else { Body::from(data).into_response() };
    let headers = response.headers_mut();
    let mut set = |name, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    set(header::CONTENT_TYPE, content_type(name));
    set(header::CACHE_CONTROL, caching);
    set(header::ETAG, &etag);
    set(header::VARY, "accept-encoding");
    if let Some(coding) = coding {
        set(header::CONTENT_ENCODING, coding);
    }
    if name == SHELL {
        headers.insert(header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY.clone());
    }
    Some(response)
}

/// Whether an `Accept-Encoding` allows a coding: named without `q=0`, or covered by `*`.
fn accepts(header: &str, coding: &str) -> bool {
    let weight = |wanted: &str| {
        header.split(',').find_map(|part| {
            let mut fields = part.split(';').map(str::trim);
            let name = fields.next()?;
            name.eq_ignore_ascii_case(wanted)
                .then(|| fields.find_map(|f| f.strip_prefix("q=")).and_then(|q| q.parse::<f32>().ok()).unwrap_or(1.0))
        })
    };
    weight(coding).or_else(|| weight("*")).is_some_and(|weight| weight > 0.0)
}

/// Whether a file's name carries a hash of its content, so that it never changes under that name.
fn is_hashed(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.split(['-', '_', '.']).any(|part| part.len() >= 8 && part.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ if matches!(name.rsplit('/').next(), Some("LICENSE" | "NOTICE")) => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coding_is_used_only_where_the_client_takes_it() {
        for (header, br) in [
            ("br", true),
            ("gzip, br;q=0.5", true),
            ("br;q=0", false),
            ("gzip", false),
            ("*", true),
            ("", false),
            ("*;q=0, br", true),
        ] {
            assert_eq!(accepts(header, "br"), br, "{header}");
        }
    }

    #[test]
    fn only_names_with_a_hash_are_cached_for_ever() {
        assert!(is_hashed("debrief-app-7e7a4d3c9be68d1a_bg.wasm"));
        assert!(is_hashed("vendor/echarts-1f2e3d4c5b.js"));
        assert!(!is_hashed("index.html"));
        assert!(!is_hashed("favicon.svg"));
    }

    #[test]
    fn an_incidents_page_announces_its_answer_and_no_other_page_does() {
        let link = preloaded("/incidents/INC-1").expect("a link");
        let link = link.to_str().expect("ASCII");
        assert!(link.starts_with("</api/v1/incidents/INC-1>; rel=preload; as=fetch; crossorigin=anonymous"), "{link}");
        // With the pages built in, the chart's part follows.
        assert_eq!(link.contains("charting"), part_file("charting").is_some(), "{link}");
        for path in ["/incidents", "/incidents/", "/incidents/a/b", "/incidents/a%20b", "/incidents/a>b", "/nowhere"] {
            assert_eq!(preloaded(path), None, "{path}");
        }
    }

    #[test]
    fn a_page_with_a_part_of_its_own_is_known_by_its_address() {
        for (path, part) in [
            ("/", "incidents"),
            ("/actions", "actions"),
            ("/settings", "settings"),
            ("/settings/people", "settings"),
            ("/sign-in", "sign_in"),
        ] {
            assert_eq!(parts_for(path), ["shared", part], "{path}");
        }
        assert_eq!(parts_for("/s/dbv_abc"), ["charting"]);
        for path in ["/incidents/INC-1", "/s", "/s/dbv_abc/more", "/nowhere", "/actions/more", "/settings/people/more"]
        {
            assert!(parts_for(path).is_empty(), "{path}");
        }
    }

    #[test]
    fn the_policy_allows_the_inline_module_by_its_hash() {
        let policy = content_security_policy("<script type=\"module\">go()</script><script src=\"/a.js\"></script>");
        let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest("go()"));
        assert!(policy.contains(&format!("'wasm-unsafe-eval' 'sha256-{hash}';")), "{policy}");
    }
}
