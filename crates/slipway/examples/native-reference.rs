//! Prints `docs/reference/native.md`.

#[path = "../tests/reference/native.rs"]
mod native;

#[expect(clippy::print_stdout, reason = "printing is all it does")]
fn main() {
    print!("{}", native::page());
}
