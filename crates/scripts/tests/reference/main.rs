//! The page of variables is what the table says.

mod page;

#[test]
#[expect(clippy::disallowed_methods, reason = "the test compares files")]
fn the_reference_of_variables_is_current_and_complete() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/variables.md");
    let found = std::fs::read_to_string(path).unwrap_or_default();
    let command = "cargo run -p slipway-scripts --example variables-reference > docs/reference/variables.md";
    assert!(found == page::page(), "docs/reference/variables.md is out of date: run `{command}`");
    assert_eq!(found.matches("\n| `").count(), slipway_scripts::TABLE.len());
}
