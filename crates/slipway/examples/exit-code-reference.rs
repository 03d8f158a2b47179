//! Prints `docs/reference/exit-codes.md`.

#[path = "../tests/reference/exit_codes.rs"]
mod exit_codes;

#[expect(clippy::print_stdout, reason = "printing is all it does")]
fn main() {
    print!("{}", exit_codes::page());
}
