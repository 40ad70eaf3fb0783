//! Tells the front end under which name the chart library was bundled, and the linker to leave in what splitting needs.

use std::env;
use std::path::Path;

fn main() {
    let file = Path::new("target/chart-bundle.txt");
    println!("cargo:rerun-if-changed=target/chart-bundle.txt");
    // While only checks and native tests are built there is no bundle, and nothing loads it.
    let bundle = std::fs::read_to_string(file).unwrap_or_default();
    println!("cargo:rustc-env=CHART_BUNDLE={}", bundle.trim());
    let is = |key: &str, value: &str| env::var(key).is_ok_and(|now| now == value);
    if is("CARGO_CFG_TARGET_ARCH", "wasm32") && is("PROFILE", "release") {
        // Which function leads to which, and to which data: scripts/split.mjs reads it.
        println!("cargo:rustc-link-arg-bins=--emit-relocs");
    }
}
