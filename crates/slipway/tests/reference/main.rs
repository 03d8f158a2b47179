//! The generated pages are what the commands and the tables say.

mod exit_codes;
mod native;
mod page;

#[expect(clippy::disallowed_methods, reason = "the test compares files")]
fn assert_current(file: &str, text: &str, example: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(file);
    let found = std::fs::read_to_string(path).unwrap_or_default();
    let command = format!("cargo run -p slipway --example {example} > docs/reference/{file}");
    assert!(found == text, "docs/reference/{file} is out of date: run `{command}`");
}

#[test]
fn the_reference_of_commands_is_current() {
    assert_current("cli.md", &page::page(), "cli-reference");
}

#[test]
fn the_reference_of_exit_codes_is_current() {
    assert_current("exit-codes.md", &exit_codes::page(), "exit-code-reference");
}

#[test]
fn the_reference_of_native_provisioning_is_current() {
    assert_current("native.md", &native::page(), "native-reference");
}
