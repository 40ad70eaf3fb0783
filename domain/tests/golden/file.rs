//! A golden file: what a value is on the wire, and that it is read back from there.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Compares the JSON of a value with the file of this name.
pub fn written<T: Serialize>(name: &str, value: &T) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.json"));
    let json = serde_json::to_string_pretty(value).expect("it can be written") + "\n";
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &json).expect("the golden file can be written");
    }
    let golden = std::fs::read_to_string(&path).expect("the golden file is there; UPDATE_GOLDEN=1 makes it");
    assert_eq!(json, golden, "{name} changed on the wire");
    golden
}

/// The same, and reads the file back.
pub fn golden<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(name: &str, value: &T) {
    let file = written(name, value);
    assert_eq!(&serde_json::from_str::<T>(&file).expect("it can be read"), value, "{name} does not read back");
}
