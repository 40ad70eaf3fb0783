//! Tells the front end under which name the chart library was bundled.

use std::path::Path;

fn main() {
    let file = Path::new("target/chart-bundle.txt");
    println!("cargo:rerun-if-changed=target/chart-bundle.txt");
    // While only checks and native tests are built there is no bundle, and nothing loads it.
    let bundle = std::fs::read_to_string(file).unwrap_or_default();
    println!("cargo:rustc-env=CHART_BUNDLE={}", bundle.trim());
}
