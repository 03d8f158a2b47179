//! What is checked in is what the tables say.

use std::path::Path;

#[test]
#[expect(clippy::disallowed_methods, reason = "the test compares files")]
fn generated_files_are_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for output in slipway_schema::outputs().unwrap() {
        let found = std::fs::read_to_string(root.join(output.path)).unwrap_or_default();
        assert!(found == output.text, "{} is out of date: run `cargo schema`", output.path);
    }
}
