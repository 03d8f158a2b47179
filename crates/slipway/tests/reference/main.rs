//! The page of commands is what the commands say.

mod page;

#[test]
#[expect(clippy::disallowed_methods, reason = "the test compares files")]
fn the_reference_of_commands_is_current() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/cli.md");
    let found = std::fs::read_to_string(path).unwrap_or_default();
    let command = "cargo run -p slipway --example cli-reference > docs/reference/cli.md";
    assert!(found == page::page(), "docs/reference/cli.md is out of date: run `{command}`");
}
