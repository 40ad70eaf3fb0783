//! The invariants of ARCHITECTURE.md that are cheap to check, as tests. Each failure says where, and what to do.

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A file of the repository.
struct Source {
    /// Its path from the root, with slashes.
    path: String,
    text: String,
}

impl Source {
    /// The lines that are code, each with its number: comments left out.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .map(|(i, line)| (i + 1, line))
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

fn sources(folder: &str, extension: &str) -> Vec<Source> {
    let mut found = Vec::new();
    collect(&Path::new(ROOT).join(folder), extension, &mut found);
    assert!(!found.is_empty(), "{folder}/ holds no .{extension} file: has it moved? Then move this test's folder too");
    found
}

fn collect(folder: &Path, extension: &str, found: &mut Vec<Source>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, extension, found);
        } else if path.extension().is_some_and(|found| found == extension) {
            let text = fs::read_to_string(&path).expect("a source file is UTF-8");
            let path = path.strip_prefix(ROOT).expect("below the root").to_string_lossy().replace('\\', "/");
            found.push(Source { path, text });
        }
    }
}

fn every_rust_file() -> Vec<Source> {
    ["domain", "server/src", "server/tests", "src", "tests"]
        .into_iter()
        .flat_map(|folder| sources(folder, "rs"))
        .collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|error| panic!("{path} cannot be read: {error}"))
}

/// Fails with every place where one of the words stands, and with what to do about it.
fn refuse(sources: &[Source], words: &[&str], what_to_do: &str) {
    let mut places = Vec::new();
    for source in sources {
        for (number, line) in source.code() {
            if let Some(word) = words.iter().find(|word| line.contains(**word)) {
                places.push(format!("  {}:{number}: {word}", source.path));
            }
        }
    }
    assert!(places.is_empty(), "{what_to_do}:\n{}", places.join("\n"));
}

#[test]
fn the_domain_does_no_io_and_knows_no_clock_and_no_framework() {
    refuse(
        &sources("domain/src", "rs"),
        &[
            "std::fs",
            "std::net",
            "std::env",
            "std::process",
            "tokio",
            "axum",
            "sqlx",
            "leptos",
            "web_sys",
            "Utc::now",
            "Local::now",
            "SystemTime",
        ],
        "domain/ is pure: do this in server/ or src/, and hand the domain the value (a time, a text)",
    );
}

#[test]
fn only_the_wire_looks_at_the_rest_of_the_domain() {
    let mut rest = sources("domain/src", "rs");
    rest.retain(|source| !source.path.starts_with("domain/src/wire/") && source.path != "domain/src/lib.rs");
    refuse(
        &rest,
        &["crate::wire", "wire::"],
        "a domain type must not know how it crosses the wire: turn the dependency round",
    );
}

#[test]
fn the_server_reads_the_time_in_one_file() {
    let mut server = sources("server/src", "rs");
    server.retain(|source| source.path != "server/src/clock.rs");
    refuse(
        &server,
        &["Utc::now", "Local::now", "SystemTime::now", "CURRENT_TIMESTAMP"],
        "only server/src/clock.rs reads the time: take `now` as a parameter, or call clock::now() at the edge",
    );
}

#[test]
fn the_front_end_reads_the_time_in_one_file() {
    let mut app = sources("src", "rs");
    app.retain(|source| source.path != "src/state/clock.rs");
    refuse(
        &app,
        &["Utc::now", "Date::now", "Date::new_0", "SystemTime"],
        "only src/state/clock.rs reads the time: take `now` as a parameter, or call clock::now() in a page",
    );
}

#[test]
fn the_store_knows_no_http() {
    refuse(
        &sources("server/src/store", "rs"),
        &["axum", "http::", "StatusCode", "crate::routes"],
        "server/src/store speaks of data alone: answer with a type of the store and let server/src/routes turn it into HTTP",
    );
}

#[test]
fn importers_and_exports_know_no_http() {
    let sources: Vec<Source> =
        ["server/src/import", "server/src/export"].into_iter().flat_map(|folder| sources(folder, "rs")).collect();
    refuse(
        &sources,
        &["axum", "http::", "StatusCode", "crate::routes"],
        "readers and writers of files speak no HTTP; server/src/routes does",
    );
}

#[test]
fn routes_hold_no_sql() {
    refuse(
        &sources("server/src/routes", "rs"),
        &["sqlx", "SELECT ", "INSERT ", "UPDATE "],
        "SQL belongs into server/src/store",
    );
}

#[test]
fn a_component_makes_no_request_and_knows_no_page() {
    refuse(
        &sources("src/components", "rs"),
        &["client::", "gloo_net", "crate::pages"],
        "a component is given its data and callbacks: make the request in the page that uses it",
    );
}

#[test]
fn only_the_client_makes_requests() {
    let mut app = sources("src", "rs");
    app.retain(|source| !source.path.starts_with("src/client/"));
    refuse(&app, &["gloo_net", "Request::", "fetch_with"], "requests are made in src/client, one function an endpoint");
}

#[test]
fn a_page_uses_no_other_page() {
    let pages = sources("src/pages", "rs");
    let areas: Vec<String> = pages
        .iter()
        .filter_map(|source| source.path.strip_prefix("src/pages/"))
        .filter_map(|path| path.split(['/', '.']).next())
        .filter(|area| *area != "mod")
        .map(str::to_owned)
        .collect();
    let mut places = Vec::new();
    for source in &pages {
        let own =
            source.path.strip_prefix("src/pages/").and_then(|path| path.split(['/', '.']).next()).unwrap_or_default();
        for (number, line) in source.code() {
            if areas.iter().any(|area| area != own && line.contains(&format!("pages::{area}"))) {
                places.push(format!("  {}:{number}", source.path));
            }
        }
    }
    assert!(
        places.is_empty(),
        "a page uses no other page; put what both need into src/components:\n{}",
        places.join("\n")
    );
}

#[test]
fn page_addresses_are_spelled_in_one_file() {
    let mut app = sources("src", "rs");
    app.retain(|source| source.path != "src/route.rs");
    refuse(
        &app,
        &["\"/incidents", "\"/actions", "\"/review", "href=\"/"],
        "page addresses are spelled in src/route.rs; call its functions",
    );
}

#[test]
fn api_paths_are_spelled_in_one_file() {
    let mut sources: Vec<Source> = ["domain/src", "src"].into_iter().flat_map(|folder| sources(folder, "rs")).collect();
    sources.retain(|source| source.path != "domain/src/wire/paths.rs");
    refuse(
        &sources,
        &["\"/api/", "/api/v1"],
        "the API's paths are spelled in domain/src/wire/paths.rs; call its functions",
    );
}

#[test]
fn lints_are_excused_with_a_reason() {
    refuse(
        &every_rust_file(),
        &[concat!("#[", "allow("), concat!("#![", "allow(")],
        "write #[expect(lint, reason = \"…\")]: it goes stale loudly",
    );
    let bare: Vec<String> = every_rust_file()
        .iter()
        .flat_map(|source| {
            let text = &source.text;
            text.match_indices(concat!("#[", "expect("))
                .filter(|(at, _)| !text[*at..].split(")]").next().unwrap_or_default().contains("reason"))
                .map(|(at, _)| format!("  {}:{}", source.path, text[..at].lines().count()))
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(bare.is_empty(), "say why the lint does not hold here (reason = \"…\"):\n{}", bare.join("\n"));
}

#[test]
fn no_file_is_a_drawer() {
    const DRAWERS: [&str; 9] = ["utils", "util", "helpers", "helper", "common", "misc", "types", "core", "infra"];
    let found: Vec<String> = every_rust_file()
        .iter()
        .filter(|source| source.path.split(['/', '.']).any(|part| DRAWERS.contains(&part)))
        .map(|source| format!("  {}", source.path))
        .collect();
    assert!(found.is_empty(), "name a file after what is in it, not after a drawer:\n{}", found.join("\n"));
}

#[test]
fn every_rust_file_says_what_it_is() {
    let silent: Vec<String> = every_rust_file()
        .iter()
        .filter(|source| !source.text.starts_with("//!") && source.file_name() != "tests.rs")
        .map(|source| format!("  {}", source.path))
        .collect();
    assert!(silent.is_empty(), "begin the file with a //! line that says what it is:\n{}", silent.join("\n"));
}

#[test]
fn colours_are_named_in_one_file() {
    let mut places = Vec::new();
    for source in sources("style", "css").iter().filter(|source| source.path != "style/tokens.css") {
        for (i, line) in source.text.lines().enumerate() {
            let is_hex = line.match_indices('#').any(|(at, _)| {
                let digits = line[at + 1..].chars().take_while(char::is_ascii_hexdigit).count();
                // A selector by id has no colon before it.
                (digits == 3 || digits == 4 || digits == 6 || digits == 8) && line[..at].contains(':')
            });
            if is_hex || ["rgb(", "rgba(", "hsl(", "oklch(", "light-dark("].iter().any(|word| line.contains(word)) {
                places.push(format!("  {}:{}: {}", source.path, i + 1, line.trim()));
            }
        }
    }
    assert!(
        places.is_empty(),
        "give the colour a role in style/tokens.css and use var(--role):\n{}",
        places.join("\n")
    );
}

#[test]
fn every_stylesheet_is_in_the_page_and_every_listed_one_is_there() {
    let list = read("style/index.css");
    for source in sources("style", "css").iter().filter(|source| source.path != "style/index.css") {
        let name = source.path.trim_start_matches("style/");
        assert!(
            list.contains(&format!("@import \"./{name}\";")),
            "{} is not listed in style/index.css, so nobody loads it",
            source.path
        );
    }
    for (at, start) in list.match_indices("@import \"./") {
        let path = list[at + start.len()..].split('"').next().unwrap_or_default();
        assert!(Path::new(ROOT).join("style").join(path).exists(), "style/index.css lists {path}, which is not there");
    }
}

#[test]
fn a_part_holds_its_name_and_its_ways_in_alone() {
    let mut parts = sources("src/part", "rs");
    parts.retain(|source| source.file_name() != "mod.rs");
    for source in parts {
        let (path, name) = (&source.path, source.file_name().trim_end_matches(".rs"));
        assert!(
            source.text.contains(&format!("const NAME: &'static str = \"{name}\";")),
            "{path}: the part's NAME is that of its file, by which scripts/split.mjs and the page know it"
        );
        let lines: Vec<_> = source.code().map(|(_, line)| line).collect();
        for (i, line) in lines.iter().enumerate().filter(|(_, line)| line.contains("fn ")) {
            // The parameters may stand on lines of their own.
            let takes = [*line, lines.get(i + 1).copied().unwrap_or_default()].concat();
            assert!(
                line.starts_with("pub fn ")
                    && takes.contains("_: Here<")
                    && i > 0
                    && lines[i - 1] == "#[inline(never)]",
                "{path}: {line}\nEvery function here is a way into the part: public, #[inline(never)], its first parameter \
                 a Here, which only loading the part gives"
            );
        }
    }
}

#[test]
fn the_version_of_wasm_bindgen_is_the_same_everywhere() {
    let line = |text: &str, start: &str| {
        text.lines()
            .find(|line| line.starts_with(start))
            .unwrap_or_else(|| panic!("no line begins with {start}"))
            .to_owned()
    };
    let manifest = line(&read("Cargo.toml"), "wasm-bindgen = ");
    let environment = line(&read("scripts/env.sh"), "WASM_BINDGEN_VERSION=");
    let wanted = environment.trim_start_matches("WASM_BINDGEN_VERSION=").split_whitespace().next().unwrap_or_default();
    assert!(
        manifest.contains(&format!("\"={wanted}\"")),
        "Cargo.toml has {manifest:?}, scripts/env.sh {wanted}: the program and the library must be of one version"
    );
}

#[test]
fn the_documents_name_only_files_that_are_there() {
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = read(document);
        for quoted in text.split('`').skip(1).step_by(2) {
            let is_path = quoted.contains('/')
                && ["domain/", "server/", "src/", "style/", "tests/", "scripts/", "bench/", "docs/", "public/", ".ci/"]
                    .iter()
                    .any(|folder| quoted.starts_with(folder))
                && !quoted.contains(['*', '<', '{', '…', ' ']);
            assert!(
                !is_path || Path::new(ROOT).join(quoted).exists(),
                "{document} names `{quoted}`, which is not there"
            );
        }
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split([')', '#']).next().unwrap_or_default();
            let is_file = !target.is_empty() && !target.contains("://");
            assert!(
                !is_file || Path::new(ROOT).join(target).exists(),
                "{document} links to {target}, which is not there"
            );
        }
    }
}
