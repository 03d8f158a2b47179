//! The recorded cases beside this file.
#![allow(dead_code, reason = "each test program uses the part that it needs")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use serde_json::Value;

/// Every case of a directory, in the order of the file names.
#[expect(clippy::disallowed_methods, reason = "test data is read from files")]
pub(crate) fn all(directory: &str) -> Vec<Value> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(directory);
    let mut files: Vec<_> =
        std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{}", directory.display());
    files.iter().map(|file| serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()).collect()
}

/// The cases of one kind; there is at least one.
pub(crate) fn of_kind(directory: &str, kind: &str) -> Vec<Value> {
    let cases: Vec<_> = all(directory).into_iter().filter(|case| case["kind"] == kind).collect();
    assert!(!cases.is_empty(), "{directory}: no {kind}");
    cases
}

/// The cases of one kind with their names; there is at least one.
pub(crate) fn named(directory: &str, kind: &str) -> impl Iterator<Item = (String, Value)> {
    of_kind(directory, kind).into_iter().map(|case| (case["name"].as_str().unwrap().to_owned(), case))
}

/// The rows of a table; there is at least one.
pub(crate) fn table(directory: &str, name: &str) -> Vec<Value> {
    let mut tables = all(directory).into_iter().filter(|case| case["name"] == name);
    let rows = tables.next().unwrap_or_else(|| panic!("{directory}: no table {name}"))["rows"]
        .as_array()
        .unwrap()
        .clone();
    assert!(!rows.is_empty(), "{directory}/{name}");
    rows
}
