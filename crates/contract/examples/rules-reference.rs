//! Prints the reference page of the rules, for `docs/reference/rules.md`.

#[expect(clippy::print_stdout, reason = "the page is the program's product")]
fn main() {
    print!("{}", slipway_contract::rules::reference());
}
