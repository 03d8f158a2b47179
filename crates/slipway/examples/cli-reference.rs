//! Prints `docs/reference/cli.md`.

#[path = "../tests/reference/page.rs"]
mod page;

#[expect(clippy::print_stdout, reason = "printing is all it does")]
fn main() {
    print!("{}", page::page());
}
