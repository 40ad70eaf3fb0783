//! Makes the binary follow the built front end: it is embedded, and may be absent while only the server is built.

fn main() {
    let dist = concat!(env!("CARGO_MANIFEST_DIR"), "/../dist");
    // A missing path would count as changed on every build.
    if let Err(error) = std::fs::create_dir_all(dist) {
        println!("cargo:warning=cannot create {dist}: {error}");
    }
    println!("cargo:rerun-if-changed={dist}");
    println!("cargo:rerun-if-changed=migrations");
}
